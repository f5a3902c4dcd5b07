"""The study of WOFOSTGym's Figure 2: what a ripe crop adds to a sum of daily weights while it stands."""

import numpy as np
import pytest
from study_script import loaded


@pytest.fixture
def study(monkeypatch):
    return loaded("wofostgym/standing.py", monkeypatch)


def test_a_ripe_crop_keeps_its_weight_on_its_first_warm_day(study):
    assert study.standing(1000.0, np.array([20.0])) == pytest.approx(1000.0)


def test_frost_takes_a_fifth_a_day_and_more_with_age(study):
    assert study.standing(1000.0, np.array([0.0])) == pytest.approx(800.0)
    assert study.standing(1000.0, np.array([0.0, 0.0])) == pytest.approx(800.0 + 640.0)


def test_a_dead_crop_adds_nothing(study):
    days = int(np.ceil(study.TSUM3 / 30.0))
    alive = study.standing(1000.0, np.full(days, 30.0))
    assert study.standing(1000.0, np.full(days + 50, 30.0)) == pytest.approx(alive)
    assert alive < 1000.0 * days
