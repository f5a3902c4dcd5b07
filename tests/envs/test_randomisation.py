"""Domain randomisation: drawn from the episode's seed, consistent, within its bounds."""

from types import SimpleNamespace

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.data.randomisation import NoiseSpec
from agbench.envs.family import build
from agbench.envs.field.randomisation import (
    RandomParameters,
    _consistent,
    _factors,
    _noisy,
    _require_profile,
    _within,
)
from agbench.errors import ConfigError, UnknownNameError
from agbench.simulation.parameters import parameters_of
from agbench.simulators import models
from agbench.simulators.field import parameters as field_parameters
from agbench.variables import Parameter

TASK = "wofostgym-wheat-v1"
MODEL = models.find("wofost-npk")


def drawn(seed, **randomisation):
    changes = {f"randomisation__{key}": value for key, value in randomisation.items()}
    parameters = RandomParameters(override(catalog.task(TASK), changes), MODEL)
    return parameters.draw(np.random.default_rng(seed))


def plain():
    return {**parameters_of(MODEL, "soil", "oregon-1"), **parameters_of(MODEL, "crop", "wheat-1")}


def test_nothing_is_random_by_default():
    assert drawn(1) == plain()


def test_noise_stays_within_its_share_on_scalars_and_tables():
    for seed in range(50):
        result = drawn(seed, parameters={"TSUM1": {"share": 0.1}, "AMAXTB": {"share": 0.2}})
        assert result["TSUM1"] == pytest.approx(plain()["TSUM1"], rel=0.1)
        assert result["TSUM1"] != plain()["TSUM1"]
        assert result["AMAXTB"][::2] == plain()["AMAXTB"][::2]
        assert result["AMAXTB"][1::2] == pytest.approx(plain()["AMAXTB"][1::2], rel=0.2)
        assert result["TSUM2"] == plain()["TSUM2"]


def test_soil_moistures_ascend_however_wide_the_noise():
    noise = {name: {"kind": "normal", "share": 0.6} for name in ("SMW", "SMFCF", "SM0")}
    for seed in range(200):
        result = drawn(seed, parameters=noise)
        assert result["SMW"] < result["SMFCF"] < result["SM0"]


def test_crops_and_soils_are_drawn_from_their_lists():
    crops, soils = ["wheat-1", "wheat-2"], ["oregon-1", "china-1"]
    seen = [drawn(seed, crops=crops, soils=soils) for seed in range(30)]
    assert {result["TSUM1"] for result in seen} == {catalog.crop(name).values["TSUM1"] for name in crops}
    assert {result["SMFCF"] for result in seen} == {catalog.soil(name).values["SMFCF"] for name in soils}


def test_the_seed_decides_and_fields_differ():
    noise = {"SMFCF": {"share": 0.1}, "TSUM1": {"share": 0.1}}
    env = agbench.make(TASK, randomisation__parameters=noise).unwrapped

    def lasts(seed):
        env.reset(seed=seed, options={"scenario": "wageningen/1983"})
        return sum(1 for _ in iter(lambda: env.step(0)[2], True))

    assert lasts(1) == lasts(1)
    assert len({lasts(seed) for seed in range(6)}) > 1


def test_an_unknown_parameter_is_named():
    with pytest.raises(UnknownNameError, match=r"unknown parameter 'TSUM11'.*'TSUM1'"):
        drawn(1, parameters={"TSUM11": {"share": 0.1}})


def test_shares_of_growth_cannot_be_noisy():
    with pytest.raises(ConfigError, match="must add up to 1"):
        drawn(1, parameters={"FLTB": {"share": 0.1}})


def test_a_wrong_parameter_that_the_task_changes_is_its_own_fault():
    task = override(catalog.task(TASK), {"simulator__changed": {"SPAN": -5.0}})
    with pytest.raises(ConfigError, match=f"^{TASK}: changed parameters: SPAN") as error:
        RandomParameters(task, MODEL)
    assert "soils" not in str(error.value)


@pytest.mark.parametrize("task", [TASK, "wheat-nitrogen-v1", "jujube-orchard-v1"])
def test_parameters_that_are_not_random_are_read_once_and_worlds_are_as_if_read_each_time(task, monkeypatch):
    calls = []
    monkeypatch.setattr(
        field_parameters, "require", lambda *given, real=field_parameters.require: calls.append(real(*given))
    )
    scenarios = build(catalog.task(task), "train").scenarios
    worlds = [scenarios.world(key) for key in scenarios.keys[:3]]
    assert len(calls) == 1
    for key, world in zip(scenarios.keys[:3], worlds, strict=True):
        alone = build(catalog.task(task), "train").scenarios.world(key)
        for name, array in alone.arrays.items():
            assert world.arrays[name].tobytes() == array.tobytes()
    assert len(calls) == 4


def test_normal_noise_never_turns_a_parameter_round():
    """At 0.1 of itself it stops; uniform noise keeps to its share on either side."""
    normal, even = NoiseSpec(kind="normal", share=0.9), NoiseSpec(share=0.3)
    factors = _factors(20_000, normal, np.random.default_rng(0))
    assert factors.min() == 0.1
    assert (factors > 0.1).mean() == pytest.approx(0.841, abs=0.01)  # P(1 + 0.9 z > 0.1), z normal
    assert factors.max() > 3.0
    spread = _factors(20_000, even, np.random.default_rng(0))
    assert (spread.min(), spread.max()) == pytest.approx((0.7, 1.3), abs=1e-3)
    assert spread.mean() == pytest.approx(1.0, abs=0.01)


def test_noise_leaves_the_places_of_a_table_and_stays_within_the_bounds_of_its_parameter():
    factors = _factors(2, NoiseSpec(share=0.5), np.random.default_rng(1))
    assert _noisy([0.0, 10.0, 2.0, 20.0], NoiseSpec(share=0.5), np.random.default_rng(1)) == pytest.approx(
        [0.0, 10.0 * factors[0], 2.0, 20.0 * factors[1]]
    )
    bounded = Parameter("P", "-", "a parameter", 1.0, 5.0)
    assert [_within(bounded, value) for value in (0.9, 1.0, 3.0, 5.0, 5.1)] == [1.0, 1.0, 3.0, 5.0, 5.0]
    assert _within(bounded, [0.0, 0.5, 9.0, 7.0]) == [0.0, 1.0, 9.0, 5.0]


@pytest.mark.parametrize(
    ("drawn_ones", "kept"),
    [
        ((0.1, 0.3, 0.4), (0.1, 0.3, 0.4)),
        ((0.3, 0.1, 0.4), (0.1, 0.3, 0.4)),
        ((0.2, 0.2, 0.2), (0.2, 0.21, 0.22)),
        ((0.1, 0.105, 0.4), (0.1, 0.11, 0.4)),
        ((0.1, 0.395, 0.4), (0.1, 0.395, 0.405)),
    ],
)
def test_soil_moistures_keep_a_hundredth_apart(drawn_ones, kept):
    names = ("SMW", "SMFCF", "SM0")
    result = _consistent(dict(zip(names, drawn_ones, strict=True), OTHER=1.0))
    assert [result[name] for name in names] == pytest.approx(kept)
    assert result["OTHER"] == 1.0
    assert _consistent({"SMW": 0.5, "SMFCF": 0.1}) == {"SMW": 0.5, "SMFCF": 0.1}


def field(water, *noisy):
    """Return what a task says of its water, and of which parameters are noisy."""
    spec = SimpleNamespace(parameters=dict.fromkeys(noisy))
    return SimpleNamespace(task="t", simulator=SimpleNamespace(soil_water=water), randomisation=spec)


def test_a_profile_goes_with_layered_water_alone():
    profile = {"SoilProfileDescription": {}}
    assert _require_profile(field("layered", "TSUM1"), "moregon-1", profile) is None
    assert _require_profile(field("single", "SMW"), "oregon-1", {}) is None
    with pytest.raises(ConfigError, match=r"a soil with a profile; oregon-1 has none\..*moregon-1"):
        _require_profile(field("layered"), "oregon-1", {})
    with pytest.raises(ConfigError, match=r"moregon-1 is a profile of layers; it needs .*'layered'\."):
        _require_profile(field("single"), "moregon-1", profile)
    with pytest.raises(ConfigError, match="SMW, SM0 follow from the layers' curves in a layered soil"):
        _require_profile(field("layered", "SMW", "TSUM1", "SM0"), "moregon-1", profile)
