"""All crops and soils of WOFOST: valid files, and seasons that end as their task says."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

import agbench
from agbench import data
from agbench.site_weather import site_series
from agbench.validation import check_file

VARIETIES = [name for name in data.names("crop") if "wofost-npk" in data.crop(name).models]
CROPS = sorted({name.rpartition("-")[0] for name in VARIETIES})


@cache
def weather_of(warming):
    """Return the weather of Wageningen with warmer days and nights, evaporation computed anew."""
    series = site_series("wageningen")
    table = series.to_frame()[["IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN"]]
    table = table.assign(TMIN=table["TMIN"] + warming, TMAX=table["TMAX"] + warming)
    table.attrs = {"lat": series.latitude, "lon": series.longitude, "elev": series.elevation}
    return table


def test_there_are_23_crops_with_63_varieties():
    assert len(CROPS) == 23
    assert len(VARIETIES) == 63


@pytest.mark.parametrize("kind", ["crop", "soil"])
def test_every_file_is_right(kind):
    wrong = {name: check_file(data.find(kind, name)) for name in data.names(kind)}
    assert not {name: said for name, said in wrong.items() if said}


def test_a_wrong_unit_or_name_of_a_soil_is_told(tmp_path):
    content = yaml.safe_load(data.find("soil", "oregon-1").read_text())
    for key, value, message in (("SMW", "0.3 m", "SMW is in 'm'"), ("SMWW", 0.3, "no model reads it")):
        changed = content | {"parameters": content["parameters"] | {key: value}}
        path = Path(tmp_path / "oregon-1.yaml")
        path.write_text(yaml.safe_dump(changed))
        assert message in check_file(path)


@pytest.mark.parametrize("variety", VARIETIES)
def test_every_variety_grows_where_its_task_is(variety):
    crop = variety.rpartition("-")[0]
    task = data.task(f"{crop}-inputs-v1")
    start = f"1984-{task.season.start}"
    season = agbench.simulate(
        "wofost-npk",
        crop=variety,
        soil=task.simulator.soil,
        weather=weather_of(task.simulator.warming),
        start=start,
        end="1984-12-31",
        limitation="pp",
        calendar={
            "crop_start_date": start,
            "crop_start_type": task.season.start_type,
            "crop_end_type": "maturity",
        },
    )
    grown = season[["DVS", task.reward.variable]].dropna()
    assert np.isfinite(grown.to_numpy()).all()
    ripe = season["DVS"].max() >= data.crop(variety).values["DVSM"]
    assert ripe or season.index[-1].month == 12
    assert grown[task.reward.variable].max() > 300.0


@pytest.mark.parametrize("crop", CROPS)
def test_the_expert_of_every_crop_is_far_above_its_floor(crop):
    expert, floor = (
        agbench.evaluate(f"{crop}-inputs-v1", policy, years=[1984, 1996]).episodes["return"].mean()
        for policy in ("feeding", "zero")
    )
    assert expert > 2.0 * floor + 100.0


def play_seasons(crop, count, **overrides):
    """Play `count` seasons of random actions, 512 at once; everything must stay finite."""
    envs = agbench.make_vec(f"{crop}-inputs-v1", 512, **overrides)
    envs.reset(seed=0)
    generator = np.random.default_rng(0)
    seasons = 0
    while seasons < count:
        seen, rewards, terminated, truncated, _ = envs.step(generator.integers(17, size=512))
        assert np.isfinite(seen).all()
        assert np.isfinite(rewards).all()
        seasons += int((terminated | truncated).sum())


@pytest.mark.slow
def test_a_hundred_thousand_seasons_of_random_actions_never_give_nan():
    for crop in CROPS:
        play_seasons(crop, 100_000 / len(CROPS))


@pytest.mark.slow
def test_seasons_of_random_fields_never_give_nan():
    noise = {name: {"share": 0.2} for name in ("SMW", "SMFCF", "SM0", "TSUM1", "TSUM2", "SPAN")}
    for crop in CROPS:
        play_seasons(crop, 512, randomisation__parameters=noise)
