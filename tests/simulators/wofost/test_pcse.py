"""Every state and rate, every day, against PCSE's own WOFOST run live."""

import datetime as dt

import pandas as pd
import pytest
from pcse_runs import MODELS, NO_REALLOCATION, SOIL, crops, run_pcse, wageningen, worst

from agbench.simulators.wofost.simulate import simulate_wofost
from agbench.simulators.wofost.variants import find

CROPS = sorted({*crops("72"), *crops("81")})
WINTER = ("wheat/Winter_wheat_101", "rapeseed/Oilseed_rape_1001")
WET = {"SMFCF": 0.36, "SM0": 0.4, "SOPE": 0.5, "KSUB": 0.4, "SSMAX": 2.0, "SSI": 0.5, "IOX": 1.0}
DRY = {"SMFCF": 0.22, "RDMSOL": 60.0, "WAV": 4.0, "NOTINF": 0.3, "IFUNRN": 1.0}
SEASONS = {
    1977: {"soil": {}, "start": "sowing", "end": "earliest"},
    1979: {"soil": WET, "start": "emergence", "end": "harvest"},
    1981: {"soil": DRY, "start": "sowing", "end": "maturity"},
    1983: {"soil": {"IOX": 1.0, "CO2": 500.0}, "start": "emergence", "end": "maturity"},
    1985: {"soil": {"NAVAILI": 5.0, "NSOILBASE": 20.0}, "start": "sowing", "end": "earliest"},
}


def season(model, crop, year):
    """Return parameters, first day, calendar and events of a season."""
    own = SEASONS[year]
    autumn = crop in WINTER and year != 1979
    start = dt.date(year, 10, 1) if autumn else dt.date(year, 4, 5)
    calendar = {
        "crop_start_date": start,
        "crop_start_type": own["start"],
        "crop_end_date": dt.date(year + autumn, 10, 15) if own["end"] != "maturity" else None,
        "crop_end_type": own["end"],
        "max_duration": 340,
    }
    parameters = {**NO_REALLOCATION, **crops(model[6:8])[crop], **SOIL, **own["soil"]}
    if model.endswith("-pp"):
        return {**parameters, "IOX": 0.0}, start, calendar, []
    spring = year + autumn
    events = [
        (dt.date(spring, 4, 20), "irrigate", 3.0, 0.7),
        (dt.date(spring, 6, 15), "irrigate", 4.0, 1.0),
        (dt.date(spring, 4, 25), "apply_n", 60.0, 0.7),
        (dt.date(spring, 5, 25), "apply_n", 50.0, 0.8),
    ]
    taken = [event for event in events if event[1] in find(model).events]
    return parameters, start - dt.timedelta(days=20), calendar, taken


def check(model, crop, years):
    if crop not in crops(model[6:8]):
        pytest.skip("published without parameters for this version")
    for year in years:
        parameters, start, calendar, events = season(model, crop, year)
        end = dt.date(year + 1, 11, 1) if year == 1979 else None
        theirs = run_pcse(model, parameters, wageningen(), start, calendar, events, end)
        ours = simulate_wofost(model, parameters, wageningen(), start, end, calendar, events)
        error, name = worst(ours, theirs)
        assert error <= 1e-9, f"{year}: {name} is off by {error:.1e}"


EVERY = [(model, crop) for model in MODELS for crop in CROPS]


@pytest.mark.slow_except(
    "wofost72-wlp-*potato*", "wofost81-pp-*wheat*", "wofost81-wlp-*maize*", "wofost81-nwlp-*wheat*"
)
@pytest.mark.parametrize(("model", "crop"), EVERY)
def test_equals_pcse(model, crop):
    check(model, crop, [list(SEASONS)[EVERY.index((model, crop)) % len(SEASONS)]])


@pytest.mark.slow
@pytest.mark.parametrize(("model", "crop"), EVERY)
def test_equals_pcse_in_five_seasons(model, crop):
    check(model, crop, SEASONS)


def test_forced_moisture_acts_on_transpiration():
    parameters, start, calendar, _ = season("wofost72-pp", CROPS[0], 1985)
    free = simulate_wofost("wofost72-pp", parameters, wageningen(), start, calendar=calendar)
    dry = pd.DataFrame({"SM": parameters["SMW"]}, index=free.index[90:])
    forced = simulate_wofost("wofost72-pp", parameters, wageningen(), start, calendar=calendar, external=dry)
    assert (forced["RFWS"].iloc[90:] == 0.0).all()
    assert forced["TAGP"].max() < 0.9 * free["TAGP"].max()
    pd.testing.assert_frame_equal(forced.iloc[:90], free.iloc[:90])
