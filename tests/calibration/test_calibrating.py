"""Calibration: known parameters come back, stages follow one another, and what is written can be used."""

import re
from datetime import date
from pathlib import Path

import calibration_tables
import calibration_vines
import numpy as np
import pandas as pd
import pytest
import yaml
from typer.testing import CliRunner

import agbench
from agbench.calibration import calibrate, problem, search
from agbench.calibration.calibrating import prepare, stage_loss
from agbench.calibration.report import crop_text
from agbench.calibration.result import require_files
from agbench.cli.app import app
from agbench.data import catalog
from agbench.data.calibration import CalibrationSpec
from agbench.data.places import PATH_VARIABLE
from agbench.data.reading import read_data
from agbench.errors import ConfigError, MissingExtraError
from agbench.testing.data_files import check_file

ROOT = Path(__file__).parents[2]
YEARS = range(1976, 1982)
TRUE = {"TSUM1": 1050.0, "TSUM2": 820.0}
SPEC = {
    "calibration": "test",
    "source": "Synthetic.",
    "model": "lintul3",
    "crop": "winter-wheat-nl",
    "soil": "cropgym-nl",
    "site": "wageningen",
    "variety": "wheat-test",
    "season": {"start": "01-01", "end": "10-31"},
    "parameters": {"TSUM1": {"bounds": [700, 1500]}, "TSUM2": {"bounds": [600, 1200]}},
    "stages": [
        {"name": "anthesis", "parameters": ["TSUM1"], "observations": ["anthesis"]},
        {"name": "maturity", "parameters": ["TSUM2"], "observations": ["DOM"]},
    ],
    "hold_out": [1978],
    "method": "cma",
    "budget": 160,
    "population": 16,
}

QUICK = SPEC | {"budget": 64}
"""Two generations for each stage: too few to find what is known, enough to compare two runs."""


def season(year, crop):
    """Return a season of the bare model, which knows nothing of calibration."""
    return agbench.simulate(
        "lintul3", crop=crop, soil="cropgym-nl", site="wageningen", start=f"{year}-01-01", end=f"{year}-10-31"
    )


@pytest.fixture(scope="module")
def dates():
    """Return dates of stages, simulated with the true parameters."""
    crop = catalog.crop("winter-wheat-nl").values | TRUE
    rows = []
    for year in YEARS:
        table = season(year, crop)
        for name, stage in (("DOA", 3.0), ("DOM", 4.0)):
            day = table.index[table["STAGE"] >= stage][0]
            rows.append({"variable": name, "date": day.date().isoformat()})
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def fitted(dates, tmp_path_factory):
    """Return the folder of a calibration, and its result."""
    out = tmp_path_factory.mktemp("wheat")
    return out, calibrate(SPEC, dates, out=out)


def test_true_parameters_simulate_the_observations_exactly(dates):
    problem = prepare(read_data(CalibrationSpec, SPEC, "spec"), dates)
    simulated, reached = problem.simulate(np.array([list(TRUE.values())]))
    assert reached.all()
    assert simulated[0].tolist() == problem.observations.column("value").tolist()


def test_known_thermal_times_come_back(fitted):
    _, result = fitted
    for name, true in TRUE.items():
        assert result.values[name] == pytest.approx(true, rel=0.01)
    for error in result.rmse.values():
        assert error.after < 0.5 < error.before
        assert error.observations == 5
        assert error.held_out_observations == 1
        assert error.held_out_after < 1.5


def test_seasons_side_by_side_change_nothing(fitted, dates, tmp_path, monkeypatch):
    out, alone = fitted
    calls = []
    inner = problem.run_all
    monkeypatch.setattr(problem, "run_all", lambda given: calls.append(len(given)) or inner(given))
    result = calibrate(SPEC, dates, out=tmp_path / "wheat", threads=3)
    assert set(calls) == {3, 2}  # five seasons are not held out
    assert result.values == alone.values
    for name in ("crops/wheat-test.yaml", "report.md"):
        assert (tmp_path / "wheat" / name).read_bytes() == (out / name).read_bytes()
    with pytest.raises(ConfigError, match="threads must be a whole number, at least 1; got 0"):
        calibrate(SPEC, dates, threads=0)


@pytest.mark.slow
def test_known_thermal_times_come_back_by_bayesian_optimisation(dates):
    result = calibrate(SPEC | {"method": "bayesian", "budget": 30}, dates)
    for name, true in TRUE.items():
        assert result.values[name] == pytest.approx(true, rel=0.02)


def test_growth_parameters_come_back_from_noisy_leaf_area_and_biomass():
    true = {"LUE": 3.1, "SLAC": 0.0195}
    noise = np.random.default_rng(3)
    rows = []
    for year in YEARS:
        table = season(year, catalog.crop("winter-wheat-nl").values | true)
        for day in (110, 130, 150):
            for name in ("LAI", "TAGBM"):
                value = float(table[name].iloc[day]) * (1.0 + noise.normal(0.0, 0.05))
                rows.append(
                    {"season": year, "variable": name, "date": str(table.index[day].date()), "value": value}
                )
        rows.append({"season": year, "variable": "WSO", "date": None, "value": float(table["WSO"].iloc[-1])})
    growth = {
        "parameters": {"LUE": {"bounds": [2, 4]}, "SLAC": {"bounds": [0.01, 0.04]}},
        "stages": [
            {"name": "growth", "parameters": ["LUE", "SLAC"], "observations": ["LAI", "TAGBM", "WSO"]}
        ],
        "budget": 480,
        "hold_out": [],
    }
    result = calibrate(SPEC | growth, pd.DataFrame(rows))
    assert result.values["LUE"] == pytest.approx(true["LUE"], rel=0.04)
    assert result.values["SLAC"] == pytest.approx(true["SLAC"], rel=0.08)


def test_later_stages_leave_earlier_parameters_alone(fitted):
    _, result = fitted
    assert [stage.name for stage in result.stages] == ["anthesis", "maturity"]
    assert [stage.parameters for stage in result.stages] == [["TSUM1"], ["TSUM2"]]
    assert result.stages[0].values[0] == result.values["TSUM1"]


def test_the_loss_of_a_stage_counts_the_one_before_too(dates):
    late = dates.copy()  # of one anthesis, which no parameter gives
    late.loc[late.index[late["variable"] == "DOA"][0], "date"] = f"{YEARS[0]}-07-20"
    alone = calibrate(QUICK | {"stages_in_loss": 1}, late)
    both = calibrate(QUICK, late)
    added = both.stages[0].after
    assert added > 1.0
    assert both.stages[1].after == pytest.approx(alone.stages[1].after + added, abs=1e-12)


def test_a_prior_counts_as_one_more_observation(dates):
    few = SPEC | {"stages": [SPEC["stages"][0]], "hold_out": []}

    def fitted(deviation):
        entry = {"bounds": [700, 1500], "prior": [1200, deviation]}
        return calibrate(few | {"parameters": {"TSUM1": entry}}, dates[dates["variable"] == "DOA"])

    vague, firm = fitted(1e6), fitted(1.0)
    assert vague.values["TSUM1"] == pytest.approx(TRUE["TSUM1"], rel=0.01)
    assert firm.values["TSUM1"] == pytest.approx(1200, abs=30)
    between = fitted(40.0).values["TSUM1"]
    assert vague.values["TSUM1"] < between < firm.values["TSUM1"]
    assert firm.evidence.fitted["TSUM1"].prior == (1200.0, 1.0)


def test_the_loss_adds_a_prior_to_the_squares_of_the_stages_own_variables(dates):
    problem = prepare(read_data(CalibrationSpec, SPEC, "spec"), dates)
    loss = stage_loss(problem, 1)
    simulated = np.repeat(problem.observations.column("value")[np.newaxis], 2, axis=0)
    assert loss(simulated, np.array([0.0, 20.0])).tolist() == [0.0, 2.0]  # the root of 20 / 5 dates of DOM


def test_a_parameter_in_two_stages_is_fitted_anew_in_the_second(dates):
    last = {"name": "all", "parameters": ["TSUM1", "TSUM2"], "observations": ["DOA", "DOM"]}
    result = calibrate(QUICK | {"stages": [*SPEC["stages"], last]}, dates)
    assert result.stages[2].after <= result.stages[1].after
    assert [result.values[name] for name in last["parameters"]] == result.stages[2].values.tolist()


def test_the_same_seed_gives_the_same_result(dates):
    once, again = (calibrate(QUICK, dates) for _ in range(2))
    assert again.values == once.values
    assert again.trials().equals(once.trials())
    other = calibrate(QUICK | {"seed": 1}, dates)
    assert not np.array_equal(other.stages[0].points, again.stages[0].points)


def test_bayesian_optimisation_follows_from_its_seed(dates):
    plan = SPEC | {"method": "bayesian", "budget": 14, "hold_out": []}
    first, second = (calibrate(plan, dates) for _ in range(2))
    assert first.trials().equals(second.trials())


def test_bayesian_optimisation_begins_with_the_start_and_a_latin_hypercube():
    points = search._first_points(np.full(3, 0.5), 9, 0)
    assert (points[0] == 0.5).all()
    assert np.sort(np.floor(8.0 * points[1:]), axis=0).tolist() == [[i] * 3 for i in range(8)]


def test_bayesian_optimisation_finds_a_minimum_and_seldom_fits_its_length_scales(monkeypatch):
    regressor = pytest.importorskip("sklearn.gaussian_process").GaussianProcessRegressor
    real, fits = regressor._constrained_optimization, []

    def counted(self, *arguments):
        fits.append(len(self.X_train_))
        return real(self, *arguments)

    monkeypatch.setattr(regressor, "_constrained_optimization", counted)
    least = np.array([0.3, 0.8])
    trials = search.bayesian(lambda points: ((points - least) ** 2).sum(axis=1), np.full(2, 0.5), 80, 0)
    assert len(trials.points) == 80
    assert trials.points[trials.best] == pytest.approx(least, abs=0.01)
    assert fits == [*range(10, 51), 55, 60, 66, 72, 79]


def test_the_fitted_crop_is_a_file_that_simulates_what_was_fitted(fitted, monkeypatch):
    out, result = fitted
    path = out / "crops" / "wheat-test.yaml"
    assert check_file(path) is None
    monkeypatch.setenv(PATH_VARIABLE, str(out))
    table = season(1977, "wheat-test")
    row = result.pairs[(result.pairs["season"] == 1977) & (result.pairs["variable"] == "DOA")].iloc[0]
    assert str(table.index[table["STAGE"] >= 3.0][0].date()) == row["simulated_date"]
    assert row["simulated"] == date.fromisoformat(row["simulated_date"]).timetuple().tm_yday - 1
    evidence = catalog.crop("wheat-test").calibration
    assert evidence == result.evidence
    assert evidence.observations == result.problem.observations.sha256
    assert evidence.held_out == [1978]
    assert evidence.fitted["TSUM1"].bounds == (700.0, 1500.0)
    assert catalog.crop("wheat-test").models == ["lintul3"]


def test_a_crop_is_written_with_the_keys_of_its_file():
    path = ROOT / "crops/winter-wheat-nl.yaml"
    written, kept = (yaml.safe_load(text) for text in (crop_text(catalog.crop(path.stem)), path.read_text()))
    assert written.keys() == kept.keys()
    assert written["parameters"].keys() == kept["parameters"].keys()


def test_everything_is_written(fitted):
    out, result = fitted
    assert {p.name for p in out.iterdir()} == {
        "crops",
        "stages",
        "report.md",
        "pairs.csv",
        "trials.csv",
        "fit.png",
    }
    assert len(pd.read_csv(out / "pairs.csv")) == len(result.pairs) == 12
    trials = pd.read_csv(out / "trials.csv")
    assert len(trials) == sum(len(stage.losses) for stage in result.stages) == result.evidence.budget
    report = (out / "report.md").read_text("utf-8")
    assert "| TSUM1 | temperature sum from emergence to anthesis | degC d | 1133.33 |" in report


def test_what_a_calibration_wrote_may_be_replaced(fitted):
    require_files(fitted[0], SPEC["variety"])


def test_a_run_that_was_broken_off_goes_on_after_its_last_stage(dates, tmp_path, monkeypatch):
    real, calls, plan = search.cma, [], QUICK | {"budget": 32}

    def breaks(*arguments):
        calls.append(len(calls))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(search, "cma", breaks)
    with pytest.raises(KeyboardInterrupt):
        calibrate(plan, dates, out=tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {"stages"}
    result = calibrate(plan, dates, out=tmp_path)
    assert len(calls) == 3
    assert result.values == calibrate(plan, dates).values
    assert len(calls) == 5  # without the folder nothing is kept
    calibrate(plan | {"seed": 7}, dates, out=tmp_path)
    assert len(calls) == 7  # another calibration takes nothing over


def test_a_missing_library_is_named_with_its_command(dates, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "bayes_opt", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'agbench\[calibrate\]'"):
        calibrate(SPEC | {"method": "bayesian"}, dates)


def test_the_command_writes_and_prints(dates, tmp_path):
    dates.to_csv(tmp_path / "dates.csv", index=False)
    plan = SPEC | {"observations": "dates.csv", "budget": 32}
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(plan), "utf-8")
    done = CliRunner().invoke(app, ["calibrate", str(tmp_path / "spec.yaml"), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "| TSUM1 |" in done.output
    assert (tmp_path / "out" / "crops" / "wheat-test.yaml").is_file()


def test_specifications_of_the_docs_are_right():
    for name, table in (("wheat", None), ("grape", "skip")):
        path = ROOT / "docs" / "studies" / "calibration" / f"{name}.yaml"
        spec = read_data(CalibrationSpec, yaml.safe_load(path.read_text("utf-8")), name)
        assert spec.calibration
        if table is None:
            assert len(prepare(spec, path.with_suffix(".csv")).seasons) == 12


def test_the_priors_of_the_grape_are_those_of_the_other_cultivars():
    path = ROOT / "docs" / "studies" / "calibration" / "grape.yaml"
    stated = yaml.safe_load(path.read_text("utf-8"))["parameters"]
    for name, prior in calibration_tables.priors("riesling").items():
        assert stated[name]["prior"] == pytest.approx(prior, rel=1e-3)


def test_the_example_of_the_page_runs():
    page = (ROOT / "docs" / "calibration.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    space = {}
    exec(block, space)
    assert space["result"].rmse["DOA"].after < space["result"].rmse["DOA"].before


@pytest.mark.slow
def test_stages_beat_one_regression_of_thermal_time_on_grape_phenology():
    truth = calibration_tables.grape_truth()
    table = truth.observations(seed=3)
    kept = sorted(set(table["season"]))[-5:]
    plan = truth.spec | {"method": "cma", "budget": 300, "population": 30, "hold_out": kept}
    result = calibrate(plan, table, weather=truth.weather)
    regression, _ = calibration_tables.regression(table, truth.weather, kept, [10.0])
    assert sum(error.after for error in result.rmse.values()) < sum(regression)


@pytest.mark.slow
def test_stages_beat_a_regression_with_a_searched_base_on_years_that_neither_has_seen(tmp_path):
    table = calibration_vines.run(tmp_path / "vines.csv", 1, [15], ["riesling", "merlot"])
    total = table.groupby("method")["total"].mean()
    assert total["five parameters, each where it acts"] < total["regression, best of 31 bases"]
    assert total["the true parameters"] < total["five parameters, each where it acts"]


@pytest.mark.slow
def test_the_dates_of_studies_are_those_of_the_whole_model():
    experiment = calibration_vines.Experiment(4)
    differ, count = experiment.differing()
    assert differ < 0.005 * count
    true = np.array([[calibration_tables.RIESLING[name] for name in experiment.names]])
    assert np.array_equal(experiment.dates.simulate(true)[0], experiment.problem.simulate(true)[0])
