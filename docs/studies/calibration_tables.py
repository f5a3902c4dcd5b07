"""The tables of docs/calibration.md: parameters recovered, stages against a regression, a batch.

Run: `python docs/studies/calibration_tables.py recovery`, `grape`, `grape-seven`, `grape-priors`, `speed`;
`example` writes the observations of the specification in docs/studies/calibration/. All observations are
synthetic: simulated with parameters that are then to be recovered, plus noise. The phenology records of the
published study are proprietary.
"""

import sys
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from vine_dates import GRAPE_STAGES, regression

from agbench.calibration import calibrate
from agbench.calibration.calibrating import prepare
from agbench.data import catalog
from agbench.data.calibration import CalibrationSpec
from agbench.data.reading import read_data, read_file
from agbench.weather.site import site_generator

FOLDER = Path(__file__).parent / "calibration"
DATE_NOISE = 2.0  # d, standard deviation: how far two observers of a stage differ
STATE_NOISE = 0.08  # standard deviation, share of the value: samples of some plants


@dataclass(frozen=True)
class Truth:
    """A specification, the true parameters, and what is observed on which days of the season."""

    title: str
    spec: dict
    true: dict
    years: range
    stages: tuple = ()
    states: tuple = ()
    days: tuple = ()
    ends: tuple = ()
    weather: object = field(default=None, hash=False)

    def observations(self, seed=1, date_noise=DATE_NOISE, state_noise=STATE_NOISE):
        """Return synthetic observations: simulated with the true parameters, plus noise."""
        generator = np.random.default_rng(seed)
        blank = [self._row(year, name, day) for year in self.years for name, day in self._what()]
        spec = read_data(CalibrationSpec, self.spec, self.title)
        problem = prepare(spec, pd.DataFrame(blank), self.weather)
        true = [self.true[name] for name in spec.parameters]
        values, reached = problem.simulate(np.array([true]))
        rows = []
        for row, value, came, observation in zip(
            blank, values[0], reached[0], problem.observations.rows, strict=True
        ):
            if observation.target.is_date and came:
                day = np.datetime64(round(value + generator.normal(0.0, date_noise)), "D")
                rows.append(row | {"date": str(day), "value": None})
            elif not observation.target.is_date:
                noisy = value * (1.0 + generator.normal(0.0, state_noise))
                rows.append(row | {"value": float(f"{max(noisy, 0.0):.4g}")})
        return pd.DataFrame(rows)

    def _what(self):
        return (
            [(n, 1) for n in self.stages]
            + [(n, d) for n in self.states for d in self.days]
            + [(n, None) for n in self.ends]
        )

    def _row(self, year, name, day):
        start = pd.Timestamp(f"{year}-{self.spec['season']['start']}")
        when = None if day is None else str((start + pd.Timedelta(days=day)).date())
        value = None if name in self.stages else 1.0
        return {"season": year, "variable": name, "date": when, "value": value}


def _stage(name, parameters, observations):
    return {"name": name, "parameters": parameters, "observations": observations}


_FIELD = {
    "source": "Synthetic: simulated with known parameters, plus noise.",
    "site": "wageningen",
    "calibration": "recovery",
}
_NITROGEN = [{"date": d, "event": "apply_n", "amount": 80.0} for d in ("02-20", "04-05", "05-05")]

RECOVERIES = [
    Truth(
        "LINTUL-3, phenology",
        _FIELD
        | {"model": "lintul3", "crop": "winter-wheat-nl", "soil": "cropgym-nl", "variety": "wheat-recovered"}
        | {"season": {"start": "01-01", "end": "10-31"}}
        | {"parameters": {"TSUM1": {"bounds": [600.0, 1600.0]}, "TSUM2": {"bounds": [500.0, 1300.0]}}}
        | {"stages": [_stage("anthesis", ["TSUM1"], ["DOA"]), _stage("maturity", ["TSUM2"], ["DOM"])]},
        {"TSUM1": 1050.0, "TSUM2": 820.0},
        range(1976, 1989),
        stages=("DOA", "DOM"),
    ),
    Truth(
        "LINTUL-3, leaves and biomass",
        _FIELD
        | {"model": "lintul3", "crop": "winter-wheat-nl", "soil": "cropgym-nl", "variety": "wheat-recovered"}
        | {"season": {"start": "01-01", "end": "10-31"}, "management": _NITROGEN}
        | {
            "parameters": {
                "RGRL": {"bounds": [0.004, 0.02]},
                "SLAC": {"bounds": [0.012, 0.035]},
                "LUE": {"bounds": [1.5, 4.0]},
            }
        }
        | {"stages": [_stage("growth", ["RGRL", "SLAC", "LUE"], ["LAI", "TAGBM", "WSO"])]},
        {"RGRL": 0.0105, "SLAC": 0.0205, "LUE": 3.0},
        range(1976, 1988),
        states=("LAI", "TAGBM"),
        days=(95, 110, 125, 140, 155, 170, 185),
        ends=("WSO",),
    ),
    Truth(
        "WOFOST (N, P, K), phenology",
        _FIELD
        | {
            "model": "wofost-npk",
            "crop": "wheat-1",
            "soil": "oregon-1",
            "variety": "wheat-recovered",
            "limitation": "pp",
        }
        | {"season": {"start": "10-15", "end": "09-30", "crop_start_type": "sowing"}}
        | {
            "parameters": {
                "TSUMEM": {"bounds": [40.0, 250.0]},
                "TSUM1": {"bounds": [300.0, 1500.0]},
                "TSUM2": {"bounds": [500.0, 1500.0]},
            }
        }
        | {
            "stages": [
                _stage("emergence", ["TSUMEM"], ["DOE"]),
                _stage("anthesis", ["TSUM1"], ["DOA"]),
                _stage("maturity", ["TSUM2"], ["DOM"]),
            ]
        },
        {"TSUMEM": 120.0, "TSUM1": 620.0, "TSUM2": 900.0},
        range(1976, 1989),
        stages=("DOE", "DOA", "DOM"),
    ),
    Truth(
        "WOFOST (N, P, K), leaves and biomass",
        _FIELD
        | {
            "model": "wofost-npk",
            "crop": "maize-1",
            "soil": "oregon-1",
            "variety": "maize-recovered",
            "limitation": "pp",
        }
        | {"season": {"start": "05-01", "end": "11-15", "crop_start_type": "sowing"}}
        | {
            "parameters": {
                "SPAN": {"bounds": [20.0, 50.0]},
                "SLATB": {"bounds": [0.7, 1.4]},
                "AMAXTB": {"bounds": [0.6, 1.4]},
                "RGRLAI": {"bounds": [0.01, 0.06]},
            }
        }
        | {"stages": [_stage("growth", ["SPAN", "SLATB", "AMAXTB", "RGRLAI"], ["LAI", "TAGP", "TWSO"])]},
        {"SPAN": 29.0, "SLATB": 1.12, "AMAXTB": 0.9, "RGRLAI": 0.036},
        range(1976, 1986),
        states=("LAI", "TAGP"),
        days=(30, 45, 60, 75, 90, 110, 130, 150),
        ends=("TWSO",),
    ),
]


def recovery(methods=("cma", "bayesian"), budgets=None):
    """Print a line a parameter: true, fitted, error, bounds, seconds of the whole calibration."""
    budgets = budgets or {"cma": 3200, "bayesian": 100}
    print(
        "| model | method | evaluations a stage | parameter | true | fitted | error | bounds | RMSE | time |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for method in methods:
        for truth in RECOVERIES:
            table = truth.observations()
            plan = truth.spec | {"method": method, "budget": budgets[method], "population": 64}
            begun = time.perf_counter()
            result = calibrate(plan, table)
            seconds = time.perf_counter() - begun
            errors = ", ".join(f"{n} {e.after:.3g} {e.unit}" for n, e in result.rmse.items())
            for i, (name, true) in enumerate(truth.true.items()):
                value, bounds = result.values[name], result.evidence.fitted[name].bounds
                error = f"{100.0 * (value / true - 1.0):+.1f} %"
                tail = f"{errors} | {seconds:.0f} s" if i == 0 else " | "
                used = "/".join(str(len(s.losses)) for s in result.stages)
                print(
                    f"| {truth.title if i == 0 else ''} | {method} | {used} | {name} | {true:g} | {value:g} |"
                    f" {error} | {bounds[0]:g} to {bounds[1]:g} | {tail} |",
                    flush=True,
                )


VINE = ("CSUMDB", "Q10C", "TBASEM", "TEFFMX", "TSUMEM", "TSUM1", "TSUM2")


def cultivar(name):
    """Return the phenological parameters of a cultivar."""
    values = catalog.crop(f"grape-{name}").values
    return {key: float(values[key]) for key in VINE}


def priors(without):
    """Return mean and standard deviation of parameters over the catalogue's other cultivars.

    Those of chilling are equal in all 31, and have none.
    """
    names = [n.removeprefix("grape-") for n in catalog.names("crop") if n.startswith("grape-")]
    table = pd.DataFrame([cultivar(name) for name in names if name != without])
    return {name: [float(table[name].mean()), float(table[name].std())] for name in VINE[2:]}


RIESLING = cultivar("riesling")
CHILLING = {"CSUMDB": {"bounds": [40.0, 200.0]}, "Q10C": {"bounds": [1.2, 4.0]}}
SEVEN = [
    _stage("bud break", ["CSUMDB", "Q10C", "TBASEM", "TEFFMX", "TSUMEM"], ["DOB"]),
    _stage("bloom", ["TSUM1"], ["DOL"]),
    _stage("veraison", ["TSUM2"], ["DOV"]),
]


def grape_truth(seasons=20, seven=False):
    """Return the grape calibration: Riesling's phenology, from another cultivar, on generated weather.

    With `seven` parameters those of chilling are fitted too, and five of them by the dates of bud break.
    Priors are left out: studies put them in.
    """
    spec = read_file(CalibrationSpec, FOLDER / "grape.yaml").model_dump(mode="json", exclude_none=True)
    for entry in spec["parameters"].values():
        del entry["prior"]
    if seven:
        spec |= {"stages": SEVEN, "parameters": CHILLING | spec["parameters"]}
    weather = generated_years("washington-state", 2001, seasons + 1)
    return Truth("grape", spec, RIESLING, range(2001, 2001 + seasons), stages=GRAPE_STAGES, weather=weather)


def generated_years(site, first, count):
    """Return calendar years of generated weather one after another; 29 February repeats the day before."""
    generator, tables = site_generator(site), []
    for number in range(count):
        table = generator.season(number, years=1).to_frame()
        days = pd.date_range(f"{first + number}-01-01", f"{first + number}-12-31")
        place = np.arange(len(days)) - (np.arange(len(days)) >= 59) * (len(days) == 366)
        tables.append(table.iloc[place].set_axis(days))
    result = pd.concat(tables)
    result.attrs.update(tables[0].attrs)
    return result


def grape(budget=500, methods=("bayesian", "cma"), seven=False, informed=False):
    """Print RMSE by stage of the staged fit, `informed` by priors or not, and of regressions."""
    truth = grape_truth(seven=seven)
    table = truth.observations(seed=3)
    years = sorted({int(year) for year in table["season"]})
    kept = years[-5:]
    print(
        f"{len(years) - len(kept)} fitted and {len(kept)} held-out seasons of generated weather,"
        f" {len(table)} dates"
    )
    print("| method | bud break | bloom | veraison | total | held out: total | time |")
    print("|---|---|---|---|---|---|---|")
    for method in methods:
        plan = truth.spec | {"method": method, "hold_out": kept, "population": 50}
        plan["budget"] = budget
        if informed:
            others = priors("riesling")
            plan["parameters"] = {n: p | {"prior": others[n]} for n, p in plan["parameters"].items()}
            table = table.assign(sd=DATE_NOISE)
        begun = time.perf_counter()
        result = calibrate(plan, table, weather=truth.weather)
        label = f"staged, {method}, {budget} evaluations a stage"
        _print_errors(
            label,
            [result.rmse[n].after for n in GRAPE_STAGES],
            [result.rmse[n].held_out_after for n in GRAPE_STAGES],
            begun,
        )
        if method == methods[0]:
            first = (
                [result.rmse[n].before for n in GRAPE_STAGES],
                [result.rmse[n].held_out_before for n in GRAPE_STAGES],
            )
            _print_errors(f"base crop, {truth.spec['crop']}, not fitted", *first, begun)
        print("   ", {n: (v, RIESLING[n]) for n, v in result.values.items()}, flush=True)
    for label, bases in (
        ("regression, base 10 degC", [10.0]),
        ("regression, best base of 0 to 15 degC", np.arange(0.0, 15.5, 0.5)),
    ):
        begun = time.perf_counter()
        _print_errors(label, *regression(table, truth.weather, kept, bases), begun)
    exact = prepare(read_data(CalibrationSpec, truth.spec, "grape"), table, truth.weather)
    simulated = exact.simulate(np.array([[RIESLING[n] for n in truth.spec["parameters"]]]))[0][0]
    noise = simulated - exact.observations.column("value")
    names = np.array([row.target.name for row in exact.observations.rows])
    held = np.array([row.season.year in kept for row in exact.observations.rows])
    floor = [
        [float(np.sqrt(np.mean(noise[(names == n) & part] ** 2))) for n in GRAPE_STAGES]
        for part in (~held, held)
    ]
    _print_errors("the true parameters (the noise)", *floor, time.perf_counter())


def _print_errors(label, fitted, held_out, begun):
    cells = " | ".join(f"{e:.2f}" for e in [*fitted, sum(fitted), sum(held_out)])
    print(f"| {label} | {cells} | {time.perf_counter() - begun:.0f} s |", flush=True)


def speed(count=512):
    """Print the time of a candidate in a batch, in a row of its own, and as a table of the bare model."""
    from agbench.calibration import problem as problems

    print("| what | seasons | batch | one row at a time | a world and a table each | ratio |")
    print("|---|---|---|---|---|---|")
    for truth in RECOVERIES:
        spec = read_data(CalibrationSpec, truth.spec, truth.title)
        problem = prepare(spec, truth.observations())
        low, high = (np.array([getattr(d, side) for d in problem.dimensions]) for side in ("low", "high"))
        values = low + np.random.default_rng(0).random((count, len(low))) * (high - low)
        problem.simulate(values[: problems.ROWS])
        begun = time.perf_counter()
        problem.simulate(values)
        batch = (time.perf_counter() - begun) / count
        few = values[:24]
        begun = time.perf_counter()
        for row in few:
            problem.simulate(row[np.newaxis])
        single = (time.perf_counter() - begun) / len(few)
        begun = time.perf_counter()
        for row in few[:8]:
            for season in problem._seasons:
                setup = season.setup
                given = {**setup.parameters, **problem.candidates.changes(row)}
                problem.model.table(
                    type(setup)(**{**vars(setup), "parameters": given}), problem._events(setup), None
                )
        table = (time.perf_counter() - begun) / 8
        cells = " | ".join(f"{1e3 * t:.2f} ms" for t in (batch, single, table))
        print(
            f"| {truth.title} ({problem.candidates.way}) | {len(problem.seasons)} | {cells} |"
            f" {single / batch:.1f}, {table / batch:.1f} |",
            flush=True,
        )


def example():
    """Write the observations of the example, docs/studies/calibration/wheat.csv."""
    spec = read_file(CalibrationSpec, FOLDER / "wheat.yaml").model_dump(mode="json", exclude_none=True)
    true = {"TSUM1": 1050.0, "TSUM2": 820.0, "LUE": 3.0, "SLACF@0.0,2.0": 0.9}
    days = (110, 130, 150, 170)
    truth = Truth("example", spec, true, range(1976, 1988), ("DOA", "DOM"), ("LAI", "TAGBM"), days, ("WSO",))
    truth.observations(seed=5).to_csv(FOLDER / "wheat.csv", index=False)


if __name__ == "__main__":
    {
        "recovery": recovery,
        "grape": grape,
        "grape-seven": partial(grape, seven=True),
        "grape-priors": partial(grape, informed=True),
        "speed": speed,
        "example": example,
    }[sys.argv[1]]()
