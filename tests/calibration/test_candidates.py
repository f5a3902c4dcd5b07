"""Candidates: rows written into records are, to the last bit, what the model builds."""

import numpy as np
import pandas as pd
import pytest

from agbench.calibration.calibrating import prepare
from agbench.data.calibration import CalibrationSpec
from agbench.data.reading import read_data

CASES = {
    "lintul3, numbers": (
        "lintul3",
        "winter-wheat-nl",
        "cropgym-nl",
        {"TSUM1": [800, 1400], "LUE": [2, 4]},
        "written",
    ),
    "lintul3, derived": (
        "lintul3",
        "winter-wheat-nl",
        "cropgym-nl",
        {"SLAC": [0.01, 0.04], "TSUM1": [800, 1400]},
        "carried",
    ),
    "lintul3, table": (
        "lintul3",
        "winter-wheat-nl",
        "cropgym-nl",
        {"RDRT": [0.5, 2.0], "NMXLV@0.0,0.5": [0.5, 1.5]},
        "written",
    ),
    "lintul3-wheat": ("lintul3-wheat", "winter-wheat-nl", "cropgym-nl", {"FRTRL": [0.1, 0.4]}, "written"),
    "wofost-npk, numbers": (
        "wofost-npk",
        "wheat-1",
        "oregon-1",
        {"TSUM1": [400, 1400], "SPAN": [20, 45], "RDMCR": [60, 120]},
        "written",
    ),
    "wofost-npk, tables": (
        "wofost-npk",
        "wheat-1",
        "oregon-1",
        {"SLATB": [0.5, 2], "AMAXTB": [0.5, 1.5], "DVSM": [1.8, 2.2]},
        "written",
    ),
    "wofost-npk, CO2": ("wofost-npk", "wheat-1", "oregon-1", {"CO2AMAXTB": [0.5, 2.0]}, "carried"),
}


def problem_of(model, crop, soil, bounds, season=None, years=(1977, 1980)):
    spec = {
        "calibration": "test",
        "source": "Synthetic.",
        **{"model": model, "crop": crop, "soil": soil, "site": "wageningen", "variety": "fitted"},
        "season": {"start": "01-01", "end": "10-31"} if season is None else season,
        "parameters": {name: {"bounds": pair} for name, pair in bounds.items()},
        "stages": [{"name": "all", "parameters": list(bounds), "observations": ["LAI", "DOA"]}],
    }
    rows = [
        {"variable": "LAI", "date": f"{year}-{day}", "value": 1.0}
        for year in years
        for day in ("05-01", "06-10")
    ]
    rows += [{"variable": "DOA", "date": f"{year}-06-10"} for year in years]
    return prepare(read_data(CalibrationSpec, spec, "spec"), pd.DataFrame(rows))


def drawn(problem, count, seed=0):
    low = np.array([d.low for d in problem.dimensions])
    high = np.array([d.high for d in problem.dimensions])
    return low + np.random.default_rng(seed).random((count, len(low))) * (high - low)


@pytest.mark.parametrize("case", CASES)
def test_rows_are_what_the_model_builds(case):
    model, crop, soil, bounds, way = CASES[case]
    problem = problem_of(model, crop, soil, bounds)
    candidates = problem.candidates
    assert candidates.way == way
    for values in drawn(problem, 6, seed=9):
        candidates.verify(values)


def test_a_batch_simulates_what_one_candidate_does(monkeypatch):
    problem = problem_of(*CASES["wofost-npk, tables"][:4])
    monkeypatch.setattr("agbench.calibration.problem.ROWS", 16)
    values = drawn(problem, 20)  # more than go into one batch
    together, reached = problem.simulate(values)
    for i in (0, 10, 19):
        alone, came = problem.simulate(values[i : i + 1])
        assert alone.tobytes() == together[i : i + 1].tobytes()
        assert (came == reached[i : i + 1]).all()
    assert len(np.unique(together[:, 0])) > 15


def test_a_batch_simulates_what_the_bare_model_does():
    model, crop, soil, bounds, _ = CASES["lintul3, derived"]
    problem = problem_of(model, crop, soil, bounds)
    values = drawn(problem, 1, seed=4)
    setup = problem._seasons[0].setup
    parameters = {**setup.parameters, **problem.candidates.changes(values[0])}
    table = problem.model.table(type(setup)(**{**vars(setup), "parameters": parameters}), [], None)
    simulated = problem.simulate(values)[0][0]
    assert simulated[0] == table["LAI"]["1977-05-01"]
    assert simulated[1] == table["LAI"]["1977-06-10"]


def test_contradicting_candidates_are_not_simulated():
    problem = problem_of("lintul3", "winter-wheat-nl", "cropgym-nl", {"WLVGI": [0.0, 5.0]})
    simulated, _ = problem.simulate(np.array([[0.0], [2.4]]))
    assert np.isnan(simulated[0]).all()  # a crop needs leaves or stems
    assert not np.isnan(simulated[1]).any()


def test_a_stage_that_is_not_reached_counts_as_the_day_after_the_season():
    problem = problem_of("lintul3", "winter-wheat-nl", "cropgym-nl", {"TSUM1": [800.0, 9000.0]})
    simulated, reached = problem.simulate(np.array([[9000.0]]))
    dates = [i for i, row in enumerate(problem.observations.rows) if row.target.is_date]
    assert not reached[0, dates].any()
    ends = [np.datetime64(f"{year}-11-01").astype(int) for year in (1977, 1980)]
    assert simulated[0, dates].tolist() == ends


def test_sites_keep_their_own_weather():
    frames = {}
    from agbench.weather.site import site_series

    frames["cold"] = site_series("wageningen").to_frame()
    frames["warm"] = frames["cold"].copy()
    for name in ("TMIN", "TMAX", "TEMP"):
        frames["warm"][name] += 3.0
    spec = {
        "calibration": "test",
        "source": "Synthetic.",
        **{
            "model": "lintul3",
            "crop": "winter-wheat-nl",
            "soil": "cropgym-nl",
            "site": "cold",
            "variety": "fitted",
        },
        "season": {"start": "01-01", "end": "10-31"},
        "parameters": {"TSUM1": {"bounds": [800, 1400]}},
        "stages": [{"name": "all", "parameters": ["TSUM1"], "observations": ["DOA"]}],
    }
    rows = pd.DataFrame(
        [{"variable": "DOA", "date": "1977-06-10", "site": site} for site in ("cold", "warm")]
    )
    problem = prepare(read_data(CalibrationSpec, spec, "spec"), rows, frames)
    simulated = problem.simulate(np.array([[1050.0]]))[0][0]
    assert simulated[1] < simulated[0] - 5.0
