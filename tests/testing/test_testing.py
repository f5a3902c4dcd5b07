"""The contract checks catch what breaks the contract, and say where."""

import sys

import numpy as np
import pytest

import agbench
from agbench import testing
from agbench.envs import AgBenchEnv, BatchCore
from agbench.envs.field import building
from agbench.envs.field.observations import FieldObserver
from agbench.envs.rewards import GrowthReward
from agbench.errors import UnknownNameError
from agbench.testing import CHECKS, ContractError, check_policy, check_task
from agbench.testing.traces import Moment, require_equal

TASK = "wheat-nitrogen-v1"


def break_observations(monkeypatch, spoil):
    """Let every observation pass through `spoil(out, simulator)` after it is written."""
    write = FieldObserver.write

    def broken(self, simulator, out):
        write(self, simulator, out)
        spoil(out, simulator)

    monkeypatch.setattr(FieldObserver, "write", broken)


def test_a_row_that_depends_on_its_place_is_caught(monkeypatch):
    break_observations(monkeypatch, lambda out, _: out.__iadd__(np.arange(len(out))[:, None]))
    with pytest.raises(ContractError, match=r"row 1 of 5 and the single one: reset 0 differs: obs.* DVS"):
        CHECKS["rows-equal-single"](TASK)


def test_a_random_reading_is_caught_by_the_replay(monkeypatch):
    noise = np.random.default_rng()
    break_observations(monkeypatch, lambda out, _: out.__iadd__(noise.uniform(0, 1e-3, out.shape)))
    with pytest.raises(ContractError, match="and its replay: reset 0 differs"):
        CHECKS["replay"](TASK)


def test_a_reading_of_the_process_is_caught_by_another_process(monkeypatch):
    def only_here(out, _):
        out[:, 0] += 1e-3

    break_observations(monkeypatch, only_here)
    with pytest.raises(ContractError, match=r"this process and another one: reset 0 differs: obs.* DVS"):
        CHECKS["another-process"](TASK)


def test_a_value_that_is_no_number_is_caught(monkeypatch):
    def late(out, simulator):
        out[simulator.elapsed > 50, 2] = np.nan

    break_observations(monkeypatch, late)
    with pytest.raises(ContractError, match=r"step 7, row \d+: observation LAI is nan"):
        CHECKS["observations-inside"](TASK)


def test_a_state_that_is_not_saved_whole_is_caught(monkeypatch):
    load = BatchCore.load

    def forgetful(self, row, saved):
        load(self, row, saved)
        self.applied[row] = 0.0

    monkeypatch.setattr(BatchCore, "load", forgetful)
    with pytest.raises(ContractError, match="loaded into the same env: step 1 differs: info 'nitrogen'"):
        CHECKS["save-and-load"](TASK)


@pytest.mark.parametrize("other", [np.array([1.0, -0.0]), np.array([1, 0]), np.array([[1.0, 0.0]]), 1.0])
def test_arrays_in_infos_are_compared_by_type_shape_and_bits(other):
    first, same, different = (
        [Moment(0, "reset", np.zeros(1, np.float32), 0.0, False, False, {"cost": value})]
        for value in (np.array([1.0, 0.0]), np.array([1.0, 0.0]), other)
    )
    require_equal(first, same, "both", ["DVS"])
    with pytest.raises(ContractError, match="both: reset 0 differs: info 'cost' is"):
        require_equal(first, different, "both", ["DVS"])


def test_a_copy_that_is_wrong_only_late_in_an_episode_is_caught(monkeypatch):
    put = BatchCore.__setstate__

    def forgetful(self, state):
        put(self, state)
        self.applied[self.simulator.elapsed > 150] = 0.0

    monkeypatch.setattr(BatchCore, "__setstate__", forgetful)
    with pytest.raises(ContractError, match=r"after \d\d steps and its pickle: step 1 differs"):
        CHECKS["pickle-and-copy"](TASK)


def test_an_info_that_changes_its_keys_is_caught(monkeypatch):
    step = AgBenchEnv.step

    def talkative(self, action):
        *message, info = step(self, action)
        return *message, {**info, "note": 1.0}

    monkeypatch.setattr(AgBenchEnv, "step", talkative)
    with pytest.raises(ContractError, match=r"info at step 1 .*'note'"):
        CHECKS["info-constant-keyed"](TASK)


def test_a_warning_of_gymnasiums_checker_is_caught(monkeypatch):
    reset = AgBenchEnv.reset

    def untyped(self, *, seed=None, options=None):
        observation, info = reset(self, seed=seed, options=options)
        return observation.astype(np.float64), info

    monkeypatch.setattr(AgBenchEnv, "reset", untyped)
    with pytest.raises(ContractError, match="Gymnasium's check_env"):
        CHECKS["gymnasium"](TASK)


def test_fertiliser_that_does_nothing_is_caught():
    with pytest.raises(ContractError, match="no amount of N changes any of yield, uptake"):
        CHECKS["response"](TASK, recovery=1e-300)


def test_a_price_that_pays_for_waste_is_caught(monkeypatch):
    def generous(variables, inputs, variable, prices, *more):
        return GrowthReward(
            variables, inputs, variable, {name: -price for name, price in prices.items()}, *more
        )

    monkeypatch.setattr(building, "GrowthReward", generous)
    with pytest.raises(ContractError, match=r"cost in the return does not rise .* doses of N in"):
        CHECKS["response"](TASK)


def test_a_missing_stable_baselines3_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.env_checker", None)
    report = check_task(TASK, checks=["replay", "stable-baselines3"])
    assert report.passed == ("replay",)
    assert 'pip install "agbench[rl]"' in report.skipped["stable-baselines3"]
    assert "skipped stable-baselines3" in str(report)


def test_an_unknown_check_names_the_nearest():
    with pytest.raises(UnknownNameError, match="'replay'"):
        check_task(TASK, checks=["replays"])


def test_every_check_is_public():
    for check in CHECKS.values():
        assert getattr(testing, check.__name__) is check


@pytest.mark.parametrize("name", ["zero", "random", "standard-practice", "ceres"])
def test_the_task_s_own_policies_keep_the_contract(name):
    assert check_policy(name, TASK).subject == f"{name} on {TASK}"


class Steady:
    """A policy that always gives the same dose."""

    name = "steady"
    information = "observation"

    def __init__(self, action=1):
        self.action = action

    def reset(self, seed):
        self.step = 0

    def __call__(self, observation):
        return self.action


class Unseeded(Steady):
    def __call__(self, observation):
        return int(np.random.default_rng().integers(3))


class Carrying(Steady):
    """Remembers the episode before."""

    episodes = 0

    def reset(self, seed):
        self.episodes += 1

    def __call__(self, observation):
        return self.episodes % 3


class Writing(Steady):
    def __call__(self, observation):
        observation[0] = 0.0
        return 0


class Clairvoyant(Steady):
    information = "everything"


def test_a_plain_policy_of_ones_own_keeps_the_contract():
    assert "3 checks passed" in str(check_policy(Steady(), TASK))


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Steady(3), r"steady: step 1: action 3 lies outside Discrete\(3\)"),
        (Unseeded(), r"steady: step \d+: the same seed gave"),
        (Carrying(), r"steady: step 1: the same seed gave 1 and, after another episode, 0"),
        (Writing(), r"step \d: it changed the observation"),
        (Clairvoyant(), "information 'everything' is not one of observation, forecast"),
        (agbench, "is not a policy: it needs name, information"),
    ],
    ids=["outside", "unseeded", "carrying over", "writing", "clairvoyant", "no policy"],
)
def test_the_error_of_a_broken_contract_names_the_place(policy, message):
    with pytest.raises(ContractError, match=message):
        check_policy(policy, TASK)
