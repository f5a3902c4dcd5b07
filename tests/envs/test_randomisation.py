"""Domain randomisation: drawn from the episode's seed, consistent, within its bounds."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.family import build
from agbench.envs.field.randomisation import RandomParameters
from agbench.errors import ConfigError, UnknownNameError
from agbench.simulation.parameters import parameters_of
from agbench.simulators import models
from agbench.simulators.field import parameters as field_parameters

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
