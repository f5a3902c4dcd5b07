"""The crop where its equations leave their meaning, `Structure.extremes`: few leaves, cold, little CO2."""

from types import SimpleNamespace

import numpy as np
import pytest
from greenlight_reference import compact, eight

import agbench
from agbench.errors import ConfigError, SimulationError
from agbench.simulators.greenlight.crop.photosynthesis import (
    LEAST_COMPENSATION,
    compensation_point,
    photosynthesis,
)
from agbench.simulators.greenlight.model import rate_function
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE, parameter_vector
from agbench.simulators.greenlight.presets import PRESETS, preset
from agbench.simulators.greenlight.variables import STATES

P = SimpleNamespace(**dict(zip(PARAMETER_TABLE.names, parameter_vector({}).tolist(), strict=True)))
SOUND = PRESETS["gym"].structure
PUBLISHED = preset("gym", {"extremes": "published"}).structure


def point(structure, lai, degrees):
    return float(compensation_point(structure, lai, SimpleNamespace(tCan=degrees), P))


def gain(structure, lai, degrees, co2):
    """Net assimilation [mg m-2 s-1] in bright light, with so much CO2 [mg m-3] in the air."""
    x = SimpleNamespace(tCan=degrees, tAir=degrees, co2Air=co2, cBuf=0.0)
    return float(photosynthesis(structure, 150.0, lai, x, P))


def test_the_compensation_point_is_published_where_that_has_a_meaning():
    for lai, degrees in ((3.0, 20.0), (1.0, 1.0), (0.6, 15.0), (0.01, 45.0), (8.0, -5.0)):
        expected = 1.7 * ((degrees - 20.0) / lai + 20.0)
        assert point(SOUND, lai, degrees) == pytest.approx(expected, rel=1e-12)
        assert point(SOUND, lai, degrees) == point(PUBLISHED, lai, degrees)


def test_the_compensation_point_has_limits_with_few_leaves():
    assert point(PUBLISHED, 0.1, 10.0) < -100.0
    assert point(SOUND, 0.1, 10.0) == point(SOUND, 3.0, -60.0) == LEAST_COMPENSATION
    assert point(SOUND, 1e-9, 30.0) == point(SOUND, 0.01, 30.0) == pytest.approx(1.7 * (1000.0 + 20.0))
    assert point(SOUND, -1e-6, 30.0) == point(SOUND, 0.01, 30.0)  # a trace less than none, by rounding


def test_a_canopy_in_the_cold_has_no_pole():
    """Published, the denominator passes 0 where the point is minus half of what is in the stomata."""
    cold = np.linspace(20.0, -30.0, 2001)
    published, sound = (
        np.array([gain(s, 0.15, degrees, 700.0) for degrees in cold]) for s in (PUBLISHED, SOUND)
    )
    assert np.abs(published).max() > 50.0
    assert (sound >= 0.0).all()
    assert sound.max() < 1.0


def test_a_canopy_gains_nothing_below_the_compensation_point():
    usual = 1.7 * 20.0 / 0.67 * 1.83  # mg m-3 of air with the point's CO2, some
    assert gain(SOUND, 3.0, 20.0, 0.8 * usual) == 0.0
    assert gain(PUBLISHED, 3.0, 20.0, 1e-3) > 100.0
    assert gain(SOUND, 3.0, 20.0, 1e-3) == 0.0
    assert gain(SOUND, 3.0, 20.0, 700.0) == gain(PUBLISHED, 3.0, 20.0, 700.0) > 0.2


@pytest.mark.parametrize("name", PRESETS)
def test_rates_are_the_published_ones_to_the_last_bit(name):
    """In states of usual seasons."""
    data = compact("points_gym")
    p = np.tile(parameter_vector(PRESETS[name].changes), (len(data["X"]), 1))
    inputs = data["X"].T, eight(data["U"]).T, data["D"].T, p.T
    sound, published = (
        np.array(rate_function(preset(name, {"extremes": rule}).structure)(*inputs))
        for rule in ("sound", "published")
    )
    assert (sound == published).all()


def test_a_crop_without_leaves_keeps_a_temperature():
    data = compact("points_gym")
    x = data["X"][:1].T.copy()
    x[STATES.column("cLeaf")] = 0.0
    p = parameter_vector(PRESETS["gym"].changes)
    inputs = x, eight(data["U"])[:1].T, data["D"][:1].T, p
    sound, published = (
        np.array(rate_function(structure)(*inputs)).ravel() for structure in (SOUND, PUBLISHED)
    )
    assert np.isfinite(sound).all()
    assert not np.isfinite(published).all()


@pytest.mark.parametrize(("extremes", "ends"), [("sound", None), ("published", SimulationError)])
def test_a_seedling_in_a_cold_house_lives_or_ends_the_episode(extremes, ends):
    """All equipment off from 10 January: the published equations meet their pole after five days."""
    env = agbench.make(
        "greenhouse-tomato-v1",
        split="train",
        episode__crop={"cLeaf": 20_000.0},
        simulator__structure={"extremes": extremes},
    )
    env.reset(seed=0, options={"scenario": "netherlands/generated/3/01-10"})
    off = -np.ones(6, np.float32)

    def play():
        for _ in range(600):
            assert env.observation_space.contains(env.step(off)[0])

    if ends is None:
        play()
    else:
        with pytest.raises(ends, match="step 463: the step size went to zero"):
            play()


def test_an_unknown_choice_is_refused():
    with pytest.raises(ConfigError, match=r"extremes .*'sane'.* one of sound, published"):
        preset("gym", {"extremes": "sane"})
    named = "^greenhouse-tomato-v1: simulator.structure.extremes is 'sane'"
    with pytest.raises(ConfigError, match=named):
        agbench.make("greenhouse-tomato-v1", simulator__structure={"extremes": "sane"})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"laiMax": 0.5},
            r"cLeafMax .* follows from laiMax \(0.5 m2 m-2\) and sla .* would be 18796.99248 mg",
        ),
        ({"cFruitMax": 2e4}, "cFruitMax .* is 20000 mg m-2; it must be 25000 to 3e"),
    ],
)
def test_a_cut_that_would_take_more_than_there_is_is_refused(parameters, message):
    """The curves of pruning and harvest reach so far below their limits."""
    with pytest.raises(ConfigError, match=message):
        parameter_vector(parameters)
