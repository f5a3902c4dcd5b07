"""Set points between a strategy and a calendar, and the shares that are fitted."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.data.greenhouse_split import GreenhouseSplit
from agbench.data.overrides import override
from agbench.errors import AgBenchError
from agbench.evaluation import anchors
from agbench.policies.greenhouse.blended_setpoints import BlendedSetpoints, BlendedSettings
from agbench.policies.greenhouse.blended_tuning import actor, tune_shares
from agbench.policies.greenhouse.candidates import judged
from agbench.policies.registry import interface_of, load_policy

TASK = "greenhouse-setpoint-continuous-v1"
START = ["phase-setpoints", "blind-calendar"]


def _seen(day: float) -> np.ndarray:
    """Return an observation on a day of the year, at midnight, in which all else is 1."""
    entries = interface_of(catalog.task(TASK)).observer.entries
    return np.array([{"day": day, "hour": 0.0}.get(entry.name, 1.0) for entry in entries], np.float32)


def _policy(**settings) -> BlendedSetpoints:
    content = BlendedSettings.model_validate({"start": START, **settings})
    return BlendedSetpoints("blend", content, interface_of(catalog.task(TASK)))


def test_it_goes_from_strategy_to_calendar_with_the_day_of_the_year():
    policy = _policy(days=[100, 200], shares=[0, 1])
    strategy, calendar = (load_policy(name, TASK) for name in START)
    calendar.reset(0)
    assert np.allclose(policy(_seen(100.0)), strategy(_seen(100.0)), atol=1e-6)
    policy.reset(0)
    assert np.allclose(policy(_seen(200.0)), calendar(_seen(200.0)), atol=1e-6)
    between = policy.share(np.stack([_seen(day) for day in (150.0, 332.5, 67.5)]))
    assert between.tolist() == pytest.approx([0.5, 0.5, 0.122642], abs=1e-6), "around the year too"


def test_it_counts_the_hours_from_midnight():
    policy, calendar = _policy(days=[0], shares=[1]), load_policy(START[1], TASK)
    calendar.reset(0)
    first, second = (policy(_seen(30.0)) for _ in range(2))
    assert not np.array_equal(first, second)
    assert np.allclose([first, second], [calendar(_seen(30.0)) for _ in range(2)], atol=1e-6)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"days": [200, 100], "shares": [0, 1]}, "days must ascend"),
        ({"days": [0, 365], "shares": [0, 1]}, "less than 365"),
        ({"days": [0, 10]}, "1 shares, and 2 days"),
        ({"shares": [1.5]}, "0 to 1"),
        ({"start": START[::-1]}, "no strategy of the kind 'phase-setpoints'"),
        ({"start": ["phase-setpoints", "phase-setpoints"]}, "no calendar of the kind 'daily'"),
    ],
)
def test_wrong_settings_are_refused(change, expected):
    with pytest.raises((AgBenchError, ValueError), match=expected):
        _policy(**change)


def test_fitted_shares_are_at_least_as_good_as_either_part():
    split = GreenhouseSplit(generated=(0, 5), start="01-01", until="12-31")
    task = override(catalog.task(TASK), {"episode__length": "1 d"})
    task = task.model_copy(update={"splits": {"train": split}})
    given = BlendedSettings(start=START, days=[15, 105, 196, 288], shares=[0, 0, 0, 0])
    fitted, mean = tune_shares(task, given)
    alone = judged(task, lambda chosen: actor(task, given, chosen), np.array([[0.0] * 4, [1.0] * 4]))
    assert fitted.days == given.days
    assert set(fitted.shares) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    assert mean >= alone.max() > alone.min()


def test_the_expert_stands_above_the_calendar_in_stored_anchors():
    """What the expert sees is worth something: on test by more than seasons scatter, and on shift."""
    task = catalog.task(TASK)
    test, shift = (anchors.of_split(task, split) for split in ("test", "shift"))
    assert test.blind is not None
    assert shift.blind is not None
    worth = test.expert - test.blind
    assert worth.mean() > 2.0 * worth.std(ddof=1) / np.sqrt(len(worth))
    assert (shift.expert - shift.blind).mean() > 0.0
