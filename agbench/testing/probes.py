"""Probes: a short season of every model and of a task of each kind, and the fingerprints they leave.

A fingerprint is the SHA-256 of all numbers of a season. It is the same on every machine. If it differs
from the fingerprint in the package, this installation computes different numbers.

`python -m agbench.testing.probes` prints the fingerprints of this installation. With names of probes as
arguments it prints only these; with `--write` it rewrites the file in the package.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache, partial
from itertools import count, islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

FILE: Final = Path(__file__).parent / "probes.json"
_CROPS: Final = Path(__file__).parent / "probe_crops.json"
_SEED: Final = 20
_STEPS: Final = 300  # most decisions of a probe of a task

_SOIL: Final = {
    "SMFCF": 0.3, "SM0": 0.4, "SMW": 0.1, "CRAIRC": 0.06, "SOPE": 10.0, "KSUB": 10.0,
    "RDMSOL": 120.0, "IFUNRN": 0.0, "SSMAX": 0.0, "SSI": 0.0, "WAV": 10.0, "NOTINF": 0.0,
    "SMLIM": 0.4, "NSOILBASE": 60.0, "NSOILBASE_FR": 0.025, "NAVAILI": 20.0, "BG_N_SUPPLY": 0.05,
    "CO2": 360.0,
}  # fmt: skip
_EVENTS: Final = [
    ("1985-03-20", "apply_n", 60.0),
    ("1985-04-20", "irrigate", 3.0),
    ("1985-05-25", "apply_n", 40.0),
]


def names() -> list[str]:
    """Return the names of all probes."""
    return list(_probes())


def fingerprint(name: str) -> str:
    """Run a probe and return its fingerprint; raises `KeyError` for an unknown name."""
    return _probes()[name]()


def shipped() -> dict[str, str]:
    """Return the fingerprints that are shipped, by the name of the probe."""
    result: dict[str, str] = json.loads(FILE.read_text("utf-8"))
    return result


@cache
def _probes() -> dict[str, Callable[[], str]]:
    result: dict[str, Callable[[], str]] = {
        "lintul3": partial(_lintul3, "lintul3"),
        "lintul3-wheat": partial(_lintul3, "lintul3-wheat"),
    }
    for model in ("wofost72-pp", "wofost72-wlp", "wofost81-pp", "wofost81-wlp", "wofost81-nwlp"):
        result[model] = partial(_pcse_wheat, model, "single")
    result["wofost81-wlp layered"] = partial(_pcse_wheat, "wofost81-wlp", "layered")
    for setting in ("sound", "published"):
        result[f"wofost-npk {setting}"] = partial(_npk, "oregon-1", "single", setting)
    result["wofost-npk layered"] = partial(_npk, "moregon-1", "layered", "sound")
    result["weather generator"] = _generated_weather
    result["weather change"] = _changed_weather
    result["weather disaggregation"] = _disaggregated_weather
    for preset in ("gym", "katzin_2021"):
        result[f"greenlight {preset}"] = partial(_greenlight, preset, 1)
    result["greenlight gym, 9 rows"] = partial(_greenlight, "gym", 9)
    for task in _TASKS:
        result[f"task {task}"] = partial(_task, task)
    return result


_TASKS: Final = (
    "wheat-nitrogen-v1",
    "wheat-limits-v1",
    "wheat-planting-v1",
    "wheat-layered-v1",
    "potato-runoff-v1",
    "cassava-inputs-v1",
    "greenhouse-tomato-uncertain-v1",
    "greenhouse-winter-v1",
    "greenhouse-setpoint-v1",
)


def _lintul3(model: str) -> str:
    import agbench

    events = [("1984-02-24", "apply_n", 60.0), ("1984-05-02", "apply_n", 40.0)]
    return _of_table(
        agbench.simulate(
            model,
            crop="winter-wheat-nl",
            soil="cropgym-nl",
            site="wageningen",
            start="1984-01-01",
            events=events,
        )
    )


def _pcse_wheat(model: str, soil_water: str) -> str:
    import agbench
    from agbench.simulators import models

    parameters = {**_SOIL, **json.loads(_CROPS.read_text("utf-8"))[model[:8]]}
    if soil_water == "layered":
        parameters |= _profile()
    return _of_table(
        agbench.simulate(
            model,
            crop=parameters,
            soil=parameters,
            site=parameters,
            weather="wageningen",
            start="1984-10-01",
            calendar={
                "crop_start_date": date(1984, 10, 15),
                "crop_start_type": "sowing",
                "crop_end_type": "maturity",
                "max_duration": 365,
            },
            events=[event for event in _EVENTS if event[1] in models.find(model).events],
            soil_water=soil_water,
        )
    )


def _profile() -> dict[str, Any]:
    """Return the profile of a shipped soil of layers, as PCSE's parameters have it."""
    from agbench.simulation.parameters import parameters_of
    from agbench.simulators import models

    return parameters_of(models.find("wofost-npk", soil_water="layered"), "soil", "moregon-1", "sound")


def _npk(soil: str, soil_water: str, setting: str) -> str:
    import agbench

    events = [("1984-04-10", "apply_npk", (60.0, 10.0, 30.0)), ("1984-06-01", "irrigate", 2.0)]
    return _of_table(
        agbench.simulate(
            "wofost-npk",
            crop="wheat-1",
            soil=soil,
            site="wageningen",
            start="1984-03-15",
            setting=setting,
            soil_water=soil_water,
            events=events,
        )
    )


def _generated_weather() -> str:
    from agbench.weather.site import site_generator

    generator = site_generator("wageningen")
    return _of_numbers([generator.season(number).values for number in (1, 2)])


def _changed_weather() -> str:
    from agbench.weather.change import changed
    from agbench.weather.site import site_series

    return _of_numbers([changed(site_series("wageningen"), 2.5, -20.0).values])


def _disaggregated_weather() -> str:
    from agbench.weather.greenhouse.disaggregation import disaggregate
    from agbench.weather.site import site_series

    series = site_series("wageningen")
    drawn = np.random.default_rng(_SEED)
    return _of_numbers([disaggregate(series, date(1983, month, 1), 10, drawn) for month in (1, 4, 7, 10)])


def _greenlight(preset: str, rows: int) -> str:
    from agbench.simulators.greenlight.metered import MeteredGreenhouse
    from agbench.simulators.greenlight.presets import preset as named
    from agbench.simulators.greenlight.world import greenlight_world
    from agbench.weather.greenhouse.disaggregation import disaggregate
    from agbench.weather.site import site_series

    chosen = named(preset)
    weather = disaggregate(site_series("wageningen"), date(1983, 4, 1), 3)
    simulator = MeteredGreenhouse(rows, chosen)
    simulator.reset([greenlight_world(weather, chosen, day=90.0)] * rows)
    seen = []
    for step in range(200):
        inputs = [_between(0.0, 1.0, step + 7 * row, len(simulator.inputs)) for row in range(rows)]
        simulator.advance(np.array(inputs), 1)
        seen.append(simulator.state.copy())
    return _of_numbers(seen)


def _task(name: str) -> str:
    import agbench
    from agbench.envs.rollout import decisions

    env: Any = agbench.make(name).unwrapped
    core, number = env.core, count()
    observation, _ = env.reset(seed=_SEED, options={"scenario": core.parts.scenarios.keys[0]})
    seen: list[Any] = [observation]
    season = decisions(env, lambda _: _action(env.action_space, next(number)), observation)
    for decision in islice(season, _STEPS):
        seen += [decision.observation, [decision.reward, decision.info["cost"]], core.simulator.state]
    return _of_numbers([np.array(values, dtype=np.float64) for values in seen])


def _action(space: Any, step: int) -> Any:
    """Return the action of a step: all that a space has, in an order that looks like none."""
    if hasattr(space, "n"):
        return (5 * step + step // 7) % int(space.n)
    if hasattr(space, "nvec"):
        return np.array([(5 * step + k) % int(n) for k, n in enumerate(space.nvec)])
    return _between(-1.0, 1.0, step, space.shape[0]).astype(space.dtype)


def _between(low: float, high: float, step: int, size: int) -> NDArray[np.float64]:
    """Return numbers between two bounds that change from step to step, made of exact operations."""
    share = ((step // 6 + 1) * 37 + np.arange(size) * 23) % 97 / 96.0
    numbers: NDArray[np.float64] = low + (high - low) * share
    return numbers


def _of_table(table: Any) -> str:
    numbers = table.select_dtypes("number")
    return _of_numbers([numbers.to_numpy(dtype=np.float64)])


def _of_numbers(arrays: list[NDArray[np.float64]]) -> str:
    """Return the SHA-256 of arrays of numbers, all kinds of NaN as one."""
    digest = hashlib.sha256()
    for array in arrays:
        numbers = np.where(np.isnan(array), np.nan, array)
        digest.update(f"{array.shape}".encode() + np.ascontiguousarray(numbers, dtype="<f8").tobytes())
    return digest.hexdigest()


def _run(chosen: list[str]) -> Iterator[tuple[str, str]]:
    for name in chosen or names():
        yield name, fingerprint(name)


def main(arguments: list[str]) -> None:
    """Print the fingerprints of some probes, or of all; with `--write`, write the file that is shipped."""
    result = {}
    for name, value in _run([a for a in arguments if a != "--write"]):
        result[name] = value
        print(f"{value}  {name}", flush=True)
    if "--write" in arguments:
        fingerprints = shipped() if FILE.is_file() else {}
        FILE.write_text(json.dumps(fingerprints | result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
