"""Whatever is given to `simulate`, the answer is a sentence of ours, not a traceback."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.errors import AgBenchError, ConfigError

FIELD = {"crop": "winter-wheat-nl", "soil": "cropgym-nl", "site": "wageningen", "start": "1984-01-01"}
GREENHOUSE = {"weather": "bleiswijk", "controls": np.full((3, 6), 0.5)}
HUGE = 10**400
DAY = "1984-02-24"


def calendar(**more):
    return {"calendar": {"crop_start_date": "1984-01-01", **more}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"events": 5}, "events: 5 is no list of"),
        ({"events": "apply_n"}, "events: 'apply_n' is no list of"),
        ({"events": [5]}, r"events\[0\]: 5 is not \(date, name, amount\)"),
        ({"events": [()]}, r"events\[0\]: \(\) is not \(date, name, amount\)"),
        ({"events": [(DAY, "apply_n", HUGE)]}, r"events\[0\]: apply_n: amount must be a number"),
        ({"events": [("1984-02-30", "apply_n", 1.0)]}, "'1984-02-30' is not a date"),
        ({"calendar": 5}, "calendar: 5 is no mapping"),
        ({"calendar": ["crop_start_date"]}, "calendar: .* is no mapping"),
        (calendar(max_duration=HUGE), "calendar: max_duration must be a whole number"),
        (calendar(max_duration=10**9), "calendar: max_duration must be at least 1 d, at most"),
        (calendar(max_duration=float("nan")), "calendar: max_duration must be a whole number"),
        ({"site": 5}, "site: must be an id or a mapping of parameters; got 5"),
        ({"weather": []}, "weather: give a site's id or a DataFrame"),
        ({"start": "1984-02-30"}, "start: '1984-02-30' is not a date like 1984-02-24"),
        ({"start": "9999-12-31"}, "crop_start_date 9999-12-31 is too late"),
        ({"end": "1984-02-30"}, "end: '1984-02-30' is not a date"),
        ({"crop": {**catalog.crop("winter-wheat-nl").values, "TSUM1": HUGE}}, "crop: TSUM1 is 1000+, not a"),
    ],
)
def test_a_season_of_a_field(change, message):
    with pytest.raises(ConfigError, match=message):
        agbench.simulate("lintul3", **(FIELD | change))


@pytest.mark.parametrize("model", [5, None, [], {}])
def test_a_model_that_is_no_text(model):
    with pytest.raises(ConfigError, match="a model is named by text"):
        agbench.simulate(model, **FIELD)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(({"parameters": wrong}, "parameters is .*, not a mapping") for wrong in (5, "x", [5], True)),
        *(({"structure": wrong}, "structure is .*, not a mapping") for wrong in (5, "x", [5], True)),
        ({"parameters": {"psi": HUGE}}, "psi is 1000+, not a finite number"),
        *(({"preset": wrong}, "unknown greenlight preset") for wrong in (5, None, [], {})),
        *(({"integrator": wrong}, "unknown integrator") for wrong in ([], {})),
        ({"x0": HUGE}, "x0 is not numeric"),
        ({"x0": {"tAir": HUGE}}, "x0: tAir is 1000+, not a finite number"),
        ({"weather": HUGE}, "weather is not numeric"),
        ({"controls": HUGE}, "controls are not numeric"),
        *(({"seed": wrong}, "seed is .*a whole number, 0 or more") for wrong in (-1, "x", 1.5, True)),
        ({"start": "1984-02-30"}, "start: '1984-02-30' is not a moment"),
    ],
)
def test_a_season_of_a_greenhouse(change, message):
    with pytest.raises(AgBenchError, match=message):
        agbench.simulate("greenlight", **(GREENHOUSE | change))


def test_no_events_may_be_none():
    seasons = [agbench.simulate("lintul3", **FIELD, events=events) for events in (None, (), [])]
    assert all(season.equals(seasons[0]) for season in seasons)


@pytest.mark.parametrize(
    ("limitation", "event", "good"),
    [
        ("pp", ("apply_n", 60.0), False),
        ("pp", ("irrigate", 3.0), False),
        ("lw", ("apply_n", 60.0), False),
        ("ln", ("irrigate", 3.0), False),
        ("lw", ("irrigate", 3.0), True),
        ("ln", ("apply_n", 60.0), True),
        ("lnpkw", ("irrigate", 3.0), True),
    ],
)
def test_what_supplies_what_does_not_limit_growth_is_refused(limitation, event, good):
    field = {"site": "rhone", "crop": "maize-2", "soil": "arable-sand", "start": "1994-05-01"}
    events = [("1994-06-01", *event)]
    if good:
        agbench.simulate("wofost-npk", **field, limitation=limitation, events=events)
        return
    with pytest.raises(ConfigError, match=f"{event[0]} on 1994-06-01 would change nothing.*'{limitation}'"):
        agbench.simulate("wofost-npk", **field, limitation=limitation, events=events)
