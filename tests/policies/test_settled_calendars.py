"""Blind calendars of fields lie on a summit of training: no change of one decision betters them."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.reading import read_data, read_file
from agbench.envs.family import build
from agbench.policies.field.calendar import CalendarEntry, CalendarSearch, CalendarSettings
from agbench.policies.field.calendar_tuning import _own, _Training, fit_calendar, neighbours
from agbench.policies.playing import spread
from agbench.policies.tuning.search import number_of_decisions

BARLEY, WHEAT = "barley-limits-v1", "wheat-limits-v1"


def of(task, settings):
    """Return the training seasons of a calendar's task, and its actions."""
    parts = build(task, task.protocol.training_splits[0])
    training = _Training(parts, spread(parts.scenarios.keys, settings.scenarios), 16)
    return parts.actions, training, _own(task, settings, number_of_decisions(parts))


@pytest.mark.slow_except("maize-inputs-v1-each eighth")
@pytest.mark.parametrize("every", [8, 1], ids=["each eighth", "all"])
@pytest.mark.parametrize("name", [BARLEY, WHEAT, "maize-inputs-v1"])
def test_no_move_no_next_dose_and_no_omission_betters_a_stored_calendar(name, every):
    task = catalog.task(name)
    actions, training, plan = of(task, stored(name))
    others = neighbours(actions, plan)
    assert len(others) > 5 * np.count_nonzero(plan)
    assert training(others[::every]).max() <= training(plan[None])[0] + 1e-9


def stored(name):
    """Return the settings of a task's blind calendar."""
    return read_data(
        CalendarSettings, read_file(Baseline, catalog.find_baseline(name, "blind-calendar")).settings, name
    )


def test_neighbours_are_moves_next_doses_and_omissions():
    task = catalog.task(BARLEY)
    actions = build(task, "train").actions
    doses = [actions.encode("N", dose)[0] for dose in actions.doses("N")]
    plan = np.zeros(6, np.int64)
    plan[[0, 2]] = doses[2], doses[1]
    found = {tuple(other) for other in neighbours(actions, plan)}
    moved = {
        (0, doses[2], doses[1], 0, 0, 0),
        (doses[1], 0, doses[2], 0, 0, 0),
        (doses[2], 0, 0, 0, 0, doses[1]),
    }
    dosed = {
        (doses[3], 0, doses[1], 0, 0, 0),
        (doses[1], 0, doses[1], 0, 0, 0),
        (doses[2], 0, doses[2], 0, 0, 0),
    }
    assert moved | dosed | {(0, 0, doses[1], 0, 0, 0), (doses[2], 0, 0, 0, 0, 0)} <= found
    assert tuple(plan) not in found
    assert len(neighbours(actions, np.zeros(6, np.int64))) == 0


def test_a_decision_moves_by_up_to_three_steps():
    actions = build(catalog.task(BARLEY), "train").actions
    plan = np.zeros(11, np.int64)
    plan[5] = code = actions.encode("N", actions.doses("N")[1])[0]
    moved = {int(np.flatnonzero(other)[0]) for other in neighbours(actions, plan) if code in other}
    assert moved == {2, 3, 4, 6, 7, 8}


def test_a_fit_ends_where_no_neighbour_is_better_and_moves_a_dose_to_its_week():
    """Nitrogen a month late comes back, though nothing but the last search is allowed."""
    task = catalog.task(BARLEY)
    late = [CalendarEntry(date="07-13", input="N", amount=20.0)]
    alone = CalendarSearch(calendars=0, generations=0, rounds=1, clones=8)
    begun = CalendarSettings(plan=late, search=alone, scenarios=5)
    fitted, most = fit_calendar(task, begun)
    actions, training, plan = of(task, fitted)
    assert training(plan[None])[0] == pytest.approx(most)
    assert most > of(task, begun)[1](of(task, begun)[2][None])[0]
    assert training(neighbours(actions, plan)).max() <= most + 1e-9


@pytest.mark.slow
def test_a_fit_is_never_worse_than_its_own_plan_though_fewer_seasons_choose_among_random_calendars():
    task = catalog.task(WHEAT)
    known = stored(WHEAT).plan
    search = CalendarSearch(calendars=60, generations=1, rounds=1, clones=8)
    begun = CalendarSettings(plan=known, search=search, scenarios=12, coarse=1)
    _, most = fit_calendar(task, begun)
    _, training, plan = of(task, begun)
    assert most >= training(plan[None])[0]
