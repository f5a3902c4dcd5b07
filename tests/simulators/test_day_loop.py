"""The one day loop: what `simulate` runs in one call is what environments run step by step."""

from datetime import date

import numpy as np
import pytest

from agbench.compiled.closure import closure_hash
from agbench.data import catalog
from agbench.simulators import lintul3
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.lintul3 import Lintul3Simulator, day
from agbench.simulators.wofost import wofost_npk
from agbench.simulators.wofost.repairs import repaired
from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.world import build_world
from agbench.weather.site import site_series

START, END = date(1984, 2, 1), date(1984, 9, 1)
AMOUNTS = {"N": 80.0, "IRRIG": 2.0}


def parameters(crop, soil):
    return {**catalog.soil(soil).values, **catalog.crop(crop).values}


def lintul3_season(max_duration=365):
    values = parameters("winter-wheat-nl", "cropgym-nl")
    series = site_series("wageningen")
    world = lintul3.build_world(
        "lintul3-wheat", values, series, CropCalendar(START, max_duration=max_duration), START, END
    )
    return Lintul3Simulator, world, lambda inputs: inputs * world.factors


def npk_season(max_duration=365):
    values = parameters("wheat-1", "oregon-1")
    calendar = CropCalendar(START, "sowing", None, "max_duration", max_duration)
    world = build_world("wofost-npk", values, site_series("wageningen"), calendar, START, END)

    def managed(inputs):
        return np.concatenate([inputs, inputs[:, :4] * world.factors], axis=1)

    return lambda n: WofostSimulator("wofost-npk", n), world, managed


@pytest.mark.parametrize("season", [lintul3_season, npk_season])
def test_a_season_in_one_call_is_its_days_one_by_one(season):
    make, world, managed = season()
    batch = make(2)
    days = (END - START).days + 1
    inputs = np.zeros((days, len(batch.inputs)))
    for name, amount in AMOUNTS.items():
        inputs[20::30, batch.inputs.column(name)] = amount
    at_once = make(1).season(world, managed(inputs))
    batch.reset([world] * 2)
    one_by_one = [batch.state[1].copy()]
    while batch.elapsed[1] < batch.horizon[1] and not batch.finished[1]:
        batch.advance(np.stack([inputs[0], inputs[len(one_by_one)]]), 1)
        one_by_one.append(batch.state[1].copy())
    np.testing.assert_array_equal(at_once, one_by_one)
    assert (at_once[:, batch.variables.column("LAI")] > 0.05).any()


@pytest.mark.parametrize("module", [day, wofost_npk])
def test_machine_code_is_kept_under_the_model(module):
    for entry in (module.begin, module.advance):
        function = getattr(entry, "py_func", entry)
        assert getattr(module, function.__qualname__) is entry
        assert closure_hash(f"{function.__module__}:{function.__qualname__}")


def test_a_world_has_the_process_of_its_setting():
    process = repaired("N7", published=lambda p, x: -x, sound=lambda p, x: x)
    assert process({"REPAIR_N7": 0.0}, 3.0) == -3.0
    assert process({"REPAIR_N7": 1.0}, 3.0) == 3.0


@pytest.mark.parametrize(
    ("season", "total", "given"), [(lintul3_season, "TIRRIG", 14.0), (npk_season, "TOTIRR", 1.4)]
)
def test_water_is_given_on_the_first_day_of_a_step_alone(season, total, given):
    """2 cm, of which the share 0.7 arrives, in a step of seven days: not seven times."""
    make, world, _ = season()
    batch = make(1)
    batch.reset([world])
    inputs = np.zeros((1, len(batch.inputs)))
    inputs[0, batch.inputs.column("IRRIG")] = 2.0
    batch.advance(inputs, 7)
    batch.advance(np.zeros_like(inputs), 7)  # rates of the last day are in the states of the next
    assert batch.state[0, batch.variables.column(total)] == pytest.approx(given)


@pytest.mark.parametrize("season", [lintul3_season, npk_season])
def test_a_season_ends_exactly_at_its_longest(season):
    make, world, _ = season(max_duration=30)
    batch = make(1)
    batch.reset([world])
    nothing = np.zeros((1, len(batch.inputs)))
    batch.advance(nothing, 29)
    assert not batch.finished[0]
    batch.advance(nothing, 100)
    assert batch.finished[0]
    assert batch.elapsed[0] == 30
