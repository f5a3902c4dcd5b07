"""All crops and soils of WOFOST: valid files, and seasons that end as their task says."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

import agbench
from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.split import SplitSpec
from agbench.testing.data_files import check_file
from agbench.weather.site import site_generator, site_series


def _annual(name):
    """Whether the text of a crop's file says so: to read 218 files takes seconds in each worker."""
    text = catalog.find("crop", name).read_text("utf-8")
    return "\nmodels: [wofost-npk]\n" in text and "\ncrop_type:" not in text


VARIETIES = [name for name in catalog.names("crop") if _annual(name)]
CROPS = sorted({name.rpartition("-")[0] for name in VARIETIES})


WARMER = {
    "maize-1": "south-dakota",
    **{f"soybean-{i}": "south-dakota" for i in (6, 7)},
    **{f"potato-{i}": "lodi" for i in (6, 7, 9)},
}
"""Where varieties ripen that need more warmth than a season at the site of their task has."""


NOT_RIPE = {
    "cassava": "its roots are lifted on the last day",
    "sugarcane": "its stems are cut on the last day, before it flowers",
}
"""Crops whose harvest does not wait for ripeness, and why."""


@cache
def weather_of(site):
    """Return the weather of a site as a table, and the year: measured, or generated season 0."""
    measured = site == "wageningen"
    series = site_series(site) if measured else site_generator(site).season(0)
    table = series.to_frame()[["IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN"]]
    table.attrs = {"lat": series.latitude, "lon": series.longitude, "elev": series.elevation}
    return table, 1984 if measured else series.start.year


def grow(variety, site=None, year=None):
    """Return a potential season of a variety from its task's sowing to maturity or the task's end."""
    task = catalog.task(f"{variety.rpartition('-')[0]}-inputs-v1")
    weather, usual = weather_of(site or task.simulator.site)
    start, end = (f"{year or usual}-{day}" for day in (task.season.start, task.season.end))
    return agbench.simulate(
        "wofost-npk",
        crop=variety,
        soil=task.simulator.soil,
        weather=weather,
        start=start,
        end=end if end > start else f"{(year or usual) + 1}-{task.season.end}",
        limitation="pp",
        calendar={
            "crop_start_date": start,
            "crop_start_type": task.season.start_type,
            "crop_end_type": "maturity",
        },
    )


def ripens(variety, season):
    """Return whether a season ends with a ripe crop."""
    return bool(season["DVS"].max() >= catalog.crop(variety).values["DVSM"])


def test_there_are_23_annual_crops_with_63_varieties():
    assert len(CROPS) == 23
    assert len(VARIETIES) == 63


@pytest.mark.parametrize(
    ("kind", "every"), [("crop", 3), pytest.param("crop", 1, marks=pytest.mark.slow), ("soil", 1)]
)
def test_every_file_is_right(kind, every):
    wrong = {name: check_file(catalog.find(kind, name)) for name in catalog.names(kind)[::every]}
    assert not {name: message for name, message in wrong.items() if message}


def test_a_wrong_unit_or_name_of_a_soil_is_an_error(tmp_path):
    content = yaml.safe_load(catalog.find("soil", "oregon-1").read_text())
    for key, value, message in (("SMW", "0.3 m", "SMW is in 'm'"), ("SMWW", 0.3, "no model reads it")):
        changed = content | {"parameters": content["parameters"] | {key: value}}
        path = Path(tmp_path / "oregon-1.yaml")
        path.write_text(yaml.safe_dump(changed))
        assert message in check_file(path)


@pytest.mark.slow_except(*VARIETIES[::3])
@pytest.mark.parametrize("variety", VARIETIES)
def test_every_variety_grows_where_its_task_is_and_ripens_there_or_where_it_is_warmer(variety):
    task = catalog.task(f"{variety.rpartition('-')[0]}-inputs-v1")
    season = grow(variety)
    grown = season[["DVS", task.reward.variable]].dropna()
    assert np.isfinite(grown.to_numpy()).all()
    assert grown[task.reward.variable].max() > 300.0
    assert ripens(variety, season) == (variety not in WARMER)
    if variety in WARMER:
        assert ripens(variety, grow(variety, WARMER[variety]))


@pytest.mark.parametrize("crop", CROPS)
def test_every_crop_ripens_in_its_test_seasons_and_where_they_are_shifted_to(crop):
    if crop in NOT_RIPE:
        pytest.skip(NOT_RIPE[crop])
    task = catalog.task(f"{crop}-inputs-v1")
    stage = {"stage": {"state": "DVS", "unit": "-", "meaning": "development stage", "digits": 2}}
    splits = {
        name: {**task.content()["splits"][name], "years": [1994, 2004, 2014]} for name in ("test", "shift")
    }
    content = task.content() | {"metrics": stage, "splits": splits | {"train": {"generated": [0, 0]}}}
    short = read_task(content, "short")
    for split in splits:
        assert (agbench.evaluate(short, "zero", split=split).by_scenario("stage") >= 1.99).all(), split


@pytest.mark.parametrize("crop", CROPS)
def test_the_expert_of_every_crop_harvests_more_than_its_floor(crop):
    task = catalog.task(f"{crop}-inputs-v1")
    short = task.model_copy(
        update={"splits": {"test": SplitSpec(years=[1996, 2010], site=task.simulator.site)}}
    )
    expert, floor = (agbench.evaluate(short, p).by_scenario("yield").mean() for p in ("advisor", "zero"))
    assert expert > 1.1 * floor


def test_no_crop_grows_in_an_artificial_climate():
    tasks = [catalog.task(f"{crop}-inputs-v1") for crop in CROPS]
    assert {task.simulator.warming for task in tasks} == {0.0}
    assert len({task.simulator.site for task in tasks}) >= 4


def test_warming_ripens_a_crop_sooner():
    days = []
    for degrees in (0.0, 3.0):
        env = agbench.make("wofostgym-wheat-v1", years=[1984], warming=degrees)
        env.reset(seed=0)
        over = False
        while not over:
            *_, terminated, truncated, info = env.step(0)
            over = terminated or truncated
        days.append(info["elapsed"])
    assert days[1] < days[0] - 7


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
