"""LINTUL-3 compiled against PCSE run live: every shared variable, every day."""

import numpy as np
import pytest

import agbench
from agbench.simulation.parameters import parameters_of
from agbench.simulators import models
from agbench.weather.site import site_series

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pcse")

TOLERANCE = 1e-9  # relative
SMALLEST = 1e-12  # in a variable's own unit: below it a difference is rounding of a zero
YEARS = [*range(1976, 1990), *range(1992, 2000)]
DOSES = ("02-24", "03-26", "04-29")
UNREPORTED = {
    "lintul3": {"NNI"},  # PCSE declares it as a state but never sets it
    "lintul3-wheat": set(),
}
WITHOUT_VERNALISATION = {"VERN", "VERNR", "VERNFAC"}  # PCSE has none of them where IDSL < 2
VEGETATIVE = 2.0  # the only stage in which vernalisation acts; PCSE reports 0 in the others


def compare(model, parameters=None, weather="wageningen", at_least=40, **season):
    """Require equal tables of both engines; return that of the compiled one."""
    values = winter_wheat(model) if parameters is None else parameters
    ours = agbench.simulate(model, crop=values, weather=weather, **season)
    theirs = agbench.simulate(model, crop=values, weather=weather, engine="pcse", **season)
    assert list(ours.index) == list(theirs.index)
    skipped = UNREPORTED[model] | (WITHOUT_VERNALISATION if values.get("IDSL", 0) < 2 else set())
    shared = [name for name in theirs if name in ours and name not in skipped]
    assert len(shared) >= at_least
    theirs["VERNFAC"] = theirs["VERNFAC"].where(theirs["STAGE"] == VEGETATIVE, ours["VERNFAC"])
    for name in shared:
        error = relative_error(theirs[name].to_numpy(), ours[name].to_numpy())
        assert error.max() <= TOLERANCE, f"{name} on {ours.index[error.argmax()]:%Y-%m-%d}"
    return ours


def relative_error(theirs, ours):
    """Return the relative difference of each day; days where both have nothing agree."""
    assert (np.isnan(theirs) == np.isnan(ours)).all()
    size = np.maximum(np.abs(theirs), SMALLEST / TOLERANCE)
    return np.nan_to_num(np.abs(theirs - ours) / size)


def winter_wheat(model):
    result = models.find(model)
    return {**parameters_of(result, "soil", "cropgym-nl"), **parameters_of(result, "crop", "winter-wheat-nl")}


def doses(year, amount=60.0):
    return [(f"{year}-{day}", "apply_n", amount) for day in DOSES]


def test_the_years_are_all_that_the_station_has():
    assert site_series("wageningen").complete_years() == YEARS


@pytest.mark.slow_except("1987-lintul3-wheat")
@pytest.mark.parametrize("model", ["lintul3", "lintul3-wheat"])
@pytest.mark.parametrize("year", YEARS)
def test_winter_wheat_equals_pcse_without_nitrogen(model, year):
    ours = compare(model, start=f"{year}-01-01")
    assert ours["DVS"].iloc[-1] == 2.0


@pytest.mark.slow_except("1984-lintul3")
@pytest.mark.parametrize("model", ["lintul3", "lintul3-wheat"])
@pytest.mark.parametrize("year", YEARS)
def test_winter_wheat_equals_pcse_with_three_doses(model, year):
    ours = compare(model, start=f"{year}-01-01", events=doses(year))
    assert ours["NUPTT"].iloc[-1] > 12.0


def test_pcses_own_spring_wheat_equals_pcse(spring_wheat):
    ours = compare(
        "lintul3",
        spring_wheat,
        start="1997-01-01",
        calendar={"crop_start_date": "1997-03-31"},
        events=[("1997-04-10", "apply_n", 100.0), ("1997-05-05", "apply_n", 50.0)],
    )
    assert ours["WSO"].iloc[-1] > 100.0


SOWN = {"TSUMEM": 120.0, "TBASEM": 1.0, "TEFFMX": 25.0}


@pytest.mark.slow_except("lintul3")
@pytest.mark.parametrize("model", ["lintul3", "lintul3-wheat"])
def test_a_sown_crop_emerges_as_in_pcse(model):
    ours = compare(
        model,
        winter_wheat(model) | SOWN,
        start="1983-09-20",
        calendar={"crop_start_date": "1983-10-15", "crop_start_type": "sowing"},
        events=doses(1984),
    )
    assert ours["STAGE"].isna().sum() == 25
    assert set(ours["STAGE"].dropna()) == {1.0, 2.0, 3.0, 4.0}


def test_a_crop_that_starts_late_finds_the_soil_that_pcse_left_it():
    ours = compare(
        "lintul3-wheat", start="1985-01-01", calendar={"crop_start_date": "1985-02-11"}, events=doses(1985)
    )
    assert ours["LAI"].isna().sum() == 41


@pytest.mark.slow_except("late earliest", "duration")
@pytest.mark.parametrize(
    ("calendar", "last_day"),
    [
        ({"crop_end_type": "harvest", "crop_end_date": "1984-06-30"}, "1984-06-30"),
        ({"crop_end_type": "harvest", "crop_end_date": "1984-09-15"}, "1984-09-15"),
        ({"crop_end_type": "earliest", "crop_end_date": "1984-06-30"}, "1984-06-30"),
        ({"crop_end_type": "earliest", "crop_end_date": "1984-09-15"}, "1984-08-20"),
        ({"crop_end_type": "maturity"}, "1984-08-20"),
        ({"max_duration": 100}, "1984-04-10"),
    ],
    ids=["harvest", "late harvest", "earliest", "late earliest", "maturity", "duration"],
)
def test_a_crop_ends_when_pcses_does(calendar, last_day):
    values = {"crop_start_date": "1984-01-01", **calendar}
    ours = compare("lintul3", start="1984-01-01", calendar=values, events=doses(1984)[:2])
    assert f"{ours.index[-1]:%Y-%m-%d}" == last_day


def test_an_end_before_maturity_cuts_the_season_as_in_pcse():
    ours = compare("lintul3-wheat", start="1988-01-01", end="1988-05-20", events=doses(1988))
    assert f"{ours.index[-1]:%Y-%m-%d}" == "1988-05-20"
    assert ours["DVS"].iloc[-1] < 2.0


@pytest.mark.slow_except("lintul3-wheat-field capacity")
@pytest.mark.parametrize("saturated", [False, True], ids=["field capacity", "saturation"])
@pytest.mark.parametrize("model", ["lintul3", "lintul3-wheat"])
def test_automatic_irrigation_equals_pcse(model, saturated):
    values = winter_wheat(model) | {"IRRIGF": True, "WMFAC": saturated}
    ours = compare(model, values, start="1976-01-01", events=doses(1976))
    assert ours["TIRRIG"].iloc[-1] > 100.0


def test_irrigation_events_equal_pcse():
    events = [*doses(1976), ("1976-05-10", "irrigate", 3.0), ("1976-06-14", "irrigate", 2.5, 0.9)]
    ours = compare("lintul3-wheat", start="1976-01-01", events=events)
    assert ours["TIRRIG"].iloc[-1] == pytest.approx(10 * (3.0 * 0.7 + 2.5 * 0.9))


def test_development_by_day_length_equals_pcse():
    values = winter_wheat("lintul3") | {"IDSL": 1, "DLO": 16.0, "DLC": 8.0}
    ours = compare("lintul3", values, start="1992-01-01", events=doses(1992))
    plain = agbench.simulate(
        "lintul3", crop=winter_wheat("lintul3"), weather="wageningen", start="1992-01-01"
    )
    assert len(ours) > len(plain)


def test_vernalisation_equals_pcse():
    values = (
        winter_wheat("lintul3")
        | SOWN
        | {
            "IDSL": 2,
            "DLO": 16.0,
            "DLC": 8.0,
            "VERNSAT": 50.0,
            "VERNBASE": 10.0,
            "VERNDVS": 0.3,
            "VERNRTB": [-8.0, 0.0, -4.0, 0.0, 3.0, 1.0, 10.0, 1.0, 17.0, 0.0, 20.0, 0.0],
        }
    )
    ours = compare(
        "lintul3",
        values,
        at_least=43,
        start="1984-10-01",
        end="1985-09-20",
        calendar={"crop_start_date": "1984-10-20", "crop_start_type": "sowing"},
        events=doses(1985),
    )
    assert ours["VERN"].max() >= 50.0
    assert 0.0 <= ours["VERNFAC"].min() < 1.0


def test_a_transplanted_crop_equals_pcse():
    values = winter_wheat("lintul3") | {"DVSI": 0.25}
    ours = compare("lintul3", values, start="1994-03-01", events=doses(1994)[1:])
    assert ours["DVS"].iloc[0] == 0.25


def test_fertiliser_of_one_day_adds_up_as_one_event_of_pcse():
    values = winter_wheat("lintul3")
    split = agbench.simulate(
        "lintul3",
        crop=values,
        weather="wageningen",
        start="1984-01-01",
        events=[("1984-03-01", "apply_n", 25.0), ("1984-03-01", "apply_n", 35.0)],
    )
    whole = compare("lintul3", start="1984-01-01", events=[("1984-03-01", "apply_n", 60.0)])
    np.testing.assert_allclose(split["WSO"], whole["WSO"], rtol=1e-12)


@pytest.mark.slow_except("0")
@pytest.mark.parametrize("seed", range(6))
def test_any_soil_season_and_management_equals_pcse(seed):
    rng = np.random.default_rng(seed)
    start = np.datetime64("1976-01-01") + np.timedelta64(int(rng.integers(4000)), "D")
    dry, wilting, field, wet, saturated = np.cumsum(rng.uniform(0.04, 0.14, 5))
    soil = {"WCAD": dry, "WCWP": wilting, "WCFC": field, "WCWET": wet, "WCST": saturated}
    soil |= {"WCI": rng.uniform(dry, wet), "WCSUBS": rng.uniform(dry, field)}
    soil |= {"DRATE": rng.uniform(0.0, 40.0), "TNSOILI": rng.uniform(0.0, 20.0)}
    days = start + rng.choice(np.arange(1, 150), 12, replace=False)
    events = [(str(day), "apply_n", rng.uniform(5.0, 80.0)) for day in days[:6]]
    events += [(str(day), "irrigate", rng.uniform(0.0, 6.0)) for day in days[6:]]
    values = winter_wheat("lintul3-wheat") | soil
    season = {"start": str(start), "end": str(start + 200), "events": events}
    ours = compare("lintul3-wheat", values, setting="published", **season)
    assert ours["TNSOIL"].iloc[-1] != ours["TNSOIL"].iloc[0]


def test_the_published_setting_forgets_fertiliser_as_pcse_does():
    events = [("1983-09-25", "apply_n", 70.0)]  # before there is a crop
    events += [("1983-10-20", "apply_n", 50.0), ("1983-10-22", "apply_n", 30.0)]  # before emergence
    events += doses(1984)
    season = {"start": "1983-09-20", "events": events}
    season["calendar"] = {"crop_start_date": "1983-10-15", "crop_start_type": "sowing"}
    values = winter_wheat("lintul3") | SOWN
    published = compare("lintul3", values, setting="published", **season)
    sound = agbench.simulate("lintul3", crop=values, weather="wageningen", **season)
    kept = (sound["TNSOIL"] + sound["NUPTT"]).iloc[-1]
    forgotten = kept - (published["TNSOIL"] + published["NUPTT"]).iloc[-1]
    assert forgotten == pytest.approx(0.1 * 0.7 * (70.0 + 50.0))
