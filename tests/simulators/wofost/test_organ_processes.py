"""Organs of WOFOST by hand: the nights that trees remember, and storage organs at the start."""

from types import SimpleNamespace

import numpy as np
import pytest

from agbench.simulators.wofost.parameters import TABLES
from agbench.simulators.wofost.perennial_organs import mean_minimum
from agbench.simulators.wofost.storage_organs import start_storage_organs
from agbench.simulators.wofost.tables import SPA

NIGHTS = [4.0, -2.0, 7.0, 0.5, 3.0, -6.0, 9.0, 12.0, 1.0]  # degC


def test_least_temperatures_are_averaged_over_up_to_seven_days():
    s = SimpleNamespace(**{f"TMIN_{day}": 99.0 for day in range(1, 8)}, ASSIMILATION_DAYS=0.0)
    found = [mean_minimum(s, night) for night in NIGHTS]
    expected = [np.mean(NIGHTS[max(0, day - 7) : day]) for day in range(1, len(NIGHTS) + 1)]
    assert found == pytest.approx(expected, rel=1e-14)


def test_storage_organs_start_with_their_share_of_what_roots_leave():
    """Of 100 kg ha-1 roots take a fifth, storage organs a quarter of the rest; 1 kg has 20 m2."""
    s = SimpleNamespace(FR=0.2, FO=0.25, DVS=0.0)
    tables = np.zeros((len(TABLES), 3, 2))
    tables[SPA, 1] = 0.002  # ha kg-1
    start_storage_organs(s, 100.0, tables)
    found = [s.WSO, s.TWSO, s.PAI]
    assert found == pytest.approx([20.0, 20.0, 0.04], rel=1e-14)
