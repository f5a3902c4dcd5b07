"""States forced day by day: in which forms a table may come, and what is refused."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from pcse_runs import NO_REALLOCATION, SOIL, crops, wageningen
from profiles import UNIFORM

from agbench.errors import ConfigError, UnknownNameError
from agbench.simulators.wofost.simulate import simulate_wofost

CALENDAR = {"crop_start_date": "1984-03-15", "crop_start_type": "sowing", "max_duration": 200}
DAYS = pd.date_range("1984-05-01", periods=30)
DRY = pd.DataFrame({"SM": 0.12}, index=DAYS)


def barley(external, model="wofost72-pp", **changes):
    version = model[6:8]
    values = {**NO_REALLOCATION, **crops(version)["barley/Spring_barley_301"], **SOIL, "IOX": 0.0, **changes}
    soil_water = "layered" if "SoilProfileDescription" in changes else "single"
    start = dt.date(1984, 3, 1)
    return simulate_wofost(
        model, values, wageningen(), start, None, CALENDAR, external=external, soil_water=soil_water
    )


FORMS = {
    "dates": DRY.set_axis([day.date() for day in DAYS]),
    "text": DRY.set_axis([str(day.date()) for day in DAYS]),
    "time zone": DRY.tz_localize("Europe/Amsterdam"),
    "noon": DRY.set_axis(DAYS + pd.Timedelta("12h")),
    "column DAY": DRY.reset_index(names="DAY"),
    "column date": DRY.reset_index(names="date"),
    "last day first": DRY.iloc[::-1],
    "other days too": pd.concat([DRY, pd.DataFrame({"SM": 0.3}, index=[pd.Timestamp("1990-01-01")])]),
}


@pytest.mark.parametrize("form", FORMS)
def test_dates_may_come_in_many_forms(form):
    pd.testing.assert_frame_equal(barley(FORMS[form]), barley(DRY))
    assert (barley(FORMS[form])["SM"].loc[DAYS] == 0.12).all()


def test_nan_forces_nothing_on_its_day():
    some = DRY.assign(SM=np.where(np.arange(30) < 10, 0.12, np.nan))
    moisture = barley(some)["SM"]
    assert (moisture.loc[DAYS[:10]] == 0.12).all()
    assert (moisture.loc[DAYS[10:]] == 0.3).all()


REFUSED = {
    "unknown": (DRY.rename(columns={"SM": "SN"}), UnknownNameError, "unknown variable 'SN'.*SM"),
    "rate": (DRY.rename(columns={"SM": "TRA"}), ConfigError, "TRA is computed .* cannot be forced"),
    "internal": (DRY.rename(columns={"SM": "GROWING"}), ConfigError, "GROWING is computed"),
    "stage": (DRY.assign(SM="vegetative").rename(columns={"SM": "STAGE"}), ConfigError, "STAGE is computed"),
    "not of this model": (DRY.rename(columns={"SM": "WLOW"}), ConfigError, "WLOW is computed"),
    "infinite": (DRY.assign(SM=np.inf), ConfigError, "SM is inf; expected cm3 cm-3, 0 to 1"),
    "impossible": (DRY.assign(SM=9.0), ConfigError, "SM is 9; expected cm3 cm-3, 0 to 1"),
    "words": (DRY.assign(SM="dry"), ConfigError, "SM is not numeric"),
    "twice": (pd.concat([DRY, DRY]), ConfigError, "1984-05-01 appears more than once"),
    "one name twice": (DRY.assign(DVS=1.0).set_axis(["SM", "SM"], axis=1), ConfigError, "SM is given twice"),
    "elsewhere": (
        DRY.set_axis(DAYS + pd.Timedelta("3660D")),
        ConfigError,
        "no row lies in the run, 1984-03-01",
    ),
    "no dates": (DRY.reset_index(drop=True), ConfigError, "the index holds numbers, not dates"),
    "no states": (DRY[[]], ConfigError, "no state to force"),
    "empty": (DRY.iloc[:0], ConfigError, "the table is empty"),
    "series": (DRY["SM"], ConfigError, "must be a DataFrame .* got a Series"),
    "mapping": ({"SM": [0.1]}, ConfigError, "must be a DataFrame .* got a dict"),
}


@pytest.mark.parametrize(("external", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_what_could_not_act_is_refused(external, error, message):
    with pytest.raises(error, match=message):
        barley(external)


def test_on_a_layered_soil_layers_are_forced_and_not_their_sums():
    layered = {"SoilProfileDescription": UNIFORM, "RDMCR": 125.0, "RDMSOL": 125.0}
    run = barley(DRY.rename(columns={"SM": "SM_2"}), "wofost81-wlp", **layered)
    assert (run["SM_2"].loc[DAYS] == 0.12).all()
    for name in ("SM", "SM_MEAN", "W", "SM_9", "FLOW_1"):
        with pytest.raises(ConfigError, match="cannot be forced"):
            barley(DRY.rename(columns={"SM": name}), "wofost81-wlp", **layered)
