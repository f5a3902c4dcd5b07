"""WOFOST through `agbench.simulate`: both engines, whole mappings, own weather, forced states."""

import datetime as dt
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.errors import ConfigError, UnknownNameError
from agbench.simulators import models
from agbench.weather.site import site_series

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pcse")

REFERENCE = Path(__file__).parents[1] / "reference" / "wofost"
SOIL = {
    "SMFCF": 0.3, "SM0": 0.4, "SMW": 0.1, "CRAIRC": 0.06, "SOPE": 10.0, "KSUB": 10.0,
    "RDMSOL": 120.0, "IFUNRN": 0.0, "SSMAX": 0.0, "SSI": 0.0, "WAV": 10.0, "NOTINF": 0.0,
    "SMLIM": 0.4, "NSOILBASE": 60.0, "NSOILBASE_FR": 0.025, "NAVAILI": 20.0, "BG_N_SUPPLY": 0.05,
    "CO2": 360.0,
    "REALLOC_DVS": 2.0, "REALLOC_STEM_FRACTION": 0.0, "REALLOC_LEAF_FRACTION": 0.0,
    "REALLOC_STEM_RATE": 0.0, "REALLOC_LEAF_RATE": 0.0, "REALLOC_EFFICIENCY": 0.0,
}  # fmt: skip
EVENTS = [("04-20", "irrigate", 3.0), ("04-25", "apply_n", 60.0), ("06-15", "irrigate", 4.0, 1.0)]
MODELS = ("wofost72-pp", "wofost72-wlp", "wofost81-pp", "wofost81-wlp", "wofost81-nwlp")
UNTOLD = {"IDWST", "IDOST", "PGASS"}
"""PCSE counts the first two when the crop leaves, -999 until then, and never sets PGASS."""
CROPS = ("barley", "maize", "potato", "sunflower")


def variety(version, crop):
    """Return the first stored variety of a crop, or skip."""
    stored = json.loads((REFERENCE / f"crops{version}.json").read_text())["crops"]
    if crop not in stored:
        pytest.skip(f"WOFOST {version} is published without {crop}")
    entry = stored[crop]
    return {**SOIL, **entry["shared"], **next(iter(entry["varieties"].values()))}


@pytest.fixture(scope="module")
def warm():
    """The weather of Wageningen, two degrees warmer, as a table: evaporation is computed anew."""
    whole = site_series("wageningen").to_frame()[["IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN"]]
    attributes = {"lat": 51.97, "lon": 5.67, "elev": 7.0}
    warmer = whole.assign(TMIN=whole["TMIN"] + 2.0, TMAX=whole["TMAX"] + 2.0).loc["1976":"1989"]
    warmer.attrs = attributes
    return warmer


def season(model, parameters, weather, year, **changes):
    """Simulate a season that starts twenty days before its crop, the mapping given three times."""
    calendar = {
        "crop_start_date": dt.date(year, 4, 5),
        "crop_start_type": "sowing" if year % 2 else "emergence",
        "crop_end_date": dt.date(year, 10, 15),
        "crop_end_type": "earliest" if year % 4 else "harvest",
        "max_duration": 300,
    }
    values = {
        "crop": parameters,
        "soil": parameters,
        "site": parameters,
        "weather": weather,
        "start": dt.date(year, 3, 16),
        "calendar": calendar,
        "events": [(f"{year}-{day}", *rest) for day, *rest in EVENTS if rest[0] in models.find(model).events],
    }
    return agbench.simulate(model, **{**values, **changes})


@pytest.mark.slow_except("1977-barley-wofost81-nwlp", "1980-potato-wofost81-pp")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("crop", CROPS)
@pytest.mark.parametrize("year", [1977, 1980])
def test_every_column_agrees_with_pcse(year, crop, model, warm):
    parameters = variety(model[6:8], crop)
    end = dt.date(year, 11, 20) if year == 1980 else None
    ours = season(model, parameters, warm, year, end=end)
    theirs = season(model, parameters, warm, year, end=end, engine="pcse")
    pd.testing.assert_index_equal(ours.index, theirs.index, check_freq=False)
    assert len(theirs.columns) > 50
    for name in set(theirs) - UNTOLD:
        if theirs[name].dtype == float:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-12, err_msg=name)
        elif name != "DOH":
            assert ours[name].astype(str).tolist() == theirs[name].astype(str).tolist(), name


def test_a_forced_moisture_rules_a_potential_run(warm):
    parameters = variety("72", "maize") | {"IOX": 0.0}
    wet = season("wofost72-pp", parameters, warm, 1977)
    days = pd.DatetimeIndex(wet.index)
    dry = season("wofost72-pp", parameters, warm, 1977, external=pd.DataFrame({"SM": 0.12}, index=days))
    assert (dry["SM"].iloc[1:] == 0.12).all()
    assert dry["TAGP"].iloc[-1] < 0.8 * wet["TAGP"].iloc[-1]


def test_there_is_no_crop_before_its_start_and_none_after_its_end(warm):
    table = season("wofost72-wlp", variety("72", "barley"), warm, 1978, end="1978-12-31")
    assert table["DVS"].loc[:"1978-04-04"].isna().all()
    assert table["DVS"].loc["1978-12-01":].isna().all()
    assert table["SM"].notna().all()
    assert table.index[-1] == pd.Timestamp("1978-12-31")


def npk(**changes):
    values = {"crop": "wheat-1", "soil": "oregon-1", "site": "wageningen", "start": "1984-03-15"}
    calendar = {
        "crop_start_date": "1984-03-15",
        "crop_start_type": "sowing",
        "crop_end_type": "max_duration",
        "max_duration": 200,
    }
    return agbench.simulate("wofost-npk", **{**values, "calendar": calendar, **changes})


def test_what_limits_growth_is_a_choice():
    grown = {mode: npk(limitation=mode)["TWSO"].max() for mode in ("pp", "lw", "ln", "lnw", "lnpk", "lnpkw")}
    assert grown["pp"] == max(grown.values())
    assert grown["pp"] > 5.0 * grown["lnpkw"]


def test_fertiliser_of_three_nutrients_feeds_the_crop():
    events = [(f"1984-{month:02d}-10", "apply_npk", (40.0, 20.0, 40.0)) for month in (4, 5, 6)]
    assert npk(events=events)["TWSO"].max() > 2.0 * npk()["TWSO"].max()


def test_published_takes_the_original_s_tables():
    assert npk(setting="published", limitation="pp")["LAI"].max() != npk(limitation="pp")["LAI"].max()


WRONG = {
    "limitation of 7.2": ({"model": "wofost72-wlp", "limitation": "lw"}, ConfigError, "has no choice of"),
    "limitation": ({"limitation": "lkw"}, UnknownNameError, "unknown limitation 'lkw'"),
    "soil_water": ({"soil_water": "layers"}, UnknownNameError, "unknown soil_water 'layers'.*'layered'"),
    "layers of lintul3": ({"model": "lintul3", "soil_water": "layered"}, ConfigError, "has one layer"),
    "event": ({"model": "wofost72-wlp", "events": [("1984-05-01", "harvest")]}, ConfigError, "'harvest'"),
    "nutrients": (
        {"model": "wofost72-wlp", "events": [("1984-05-01", "apply_n", 50.0)]},
        ConfigError,
        "no use for 'apply_n'; on the engine 'compiled' it acts in lintul3, .*wofost-npk, .*wofost81-nwlp",
    ),
    "water": (
        {"model": "wofost72-pp", "events": [("1984-05-01", "irrigate", 2.0)]},
        ConfigError,
        "no use for 'irrigate'",
    ),
    "pcse has no npk": ({"engine": "pcse"}, UnknownNameError, "wofost-npk"),
    "missing": ({"soil": {"SMW": 0.1}}, ConfigError, "also needs"),
}


@pytest.mark.parametrize(("changes", "error", "message"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused(changes, error, message):
    values = {"model": "wofost-npk", "crop": "wheat-1", "soil": "oregon-1", "site": "wageningen"}
    values |= {"start": "1984-04-01"} | changes
    if values["model"] != "wofost-npk":
        values["crop"] = values["soil"] = variety("72", "wheat")
    with pytest.raises(error, match=message):
        agbench.simulate(**values)
