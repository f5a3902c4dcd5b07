"""Reading the reference data: the compact part in the repository, the full set where it is."""

import os
from pathlib import Path

import numpy as np
import pytest

from agbench.simulators.greenlight.variables import SCALES, STATES

ROOT = Path(__file__).parents[3]
COMPACT = ROOT / "tests/reference/greenlight"
FULL = Path(os.environ.get("AGBENCH_REFERENCE", ROOT.parent / "shared")) / "reference/greenlight"
TEMPERATURES = [i for i, variable in enumerate(STATES) if variable.unit == "degC"]
SCENARIOS = (
    "bleiswijk2009_rule_300",
    "amst_mar_rule_300",
    "amst_jul_rule_300",
    "amst_mar_walk_900",
    "amst_mar_bang_300",
)


def compact(name):
    return np.load(COMPACT / f"{name}.npz")


def full(name):
    file = FULL / f"ref_{name}.npz"
    if not file.exists():
        pytest.skip(f"full reference data not found: {file}; set AGBENCH_REFERENCE")
    return np.load(file)


def eight(controls):
    """Controls with interlights and grow pipes off."""
    return np.hstack([controls, np.zeros((len(controls), 2))])


def scaled_error(x, reference):
    return float((np.abs(x - reference) / np.maximum(np.abs(reference), SCALES)).max())


def temperature_error(x, reference):
    return float(np.abs(x - reference)[:, TEMPERATURES].max())
