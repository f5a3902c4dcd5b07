"""The crops of WOFOST 7.2 and 8.1 that ship: each grows."""

import pytest

import agbench
from agbench.data import catalog

NAMES = [name for name in catalog.names("crop") if name.endswith(("-wofost72", "-wofost81"))]
SEASON = {"site": "netherlands", "start": "1990-04-15", "end": "1990-10-31"}


def calendar(name):
    start = "sowing" if catalog.crop(name).values["TSUMEM"] > 0.0 else "emergence"
    return {"crop_start_date": "1990-04-15", "crop_start_type": start, "max_duration": 250}


def test_the_varieties_of_both_versions_are_there():
    assert sum(name.endswith("-wofost72") for name in NAMES) == 65
    assert sum(name.endswith("-wofost81") for name in NAMES) == 54
    assert all("EUPL" in catalog.crop(name).source for name in NAMES)


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("model", "soil"), [("wofost72-wlp", "ec3"), ("wofost81-wlp", "arable-sand")])
def test_crops_grow_in_a_batch(model, soil, every):
    own = [name for name in NAMES if model in catalog.crop(name).models][::every]
    cases = [{"crop": name, "calendar": calendar(name)} for name in own]
    table = agbench.simulate_many(model, cases, variables=["TAGP"], soil=soil, **SEASON)
    grown = table["max(TAGP)"] > 500.0
    assert grown.mean() > 0.85, [name for name, good in zip(own, grown, strict=True) if not good]
