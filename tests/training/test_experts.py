"""Experts as learners call them: in a batch they earn what an evaluation says."""

import copy
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.scaling import scaling_of
from agbench.errors import ConfigError
from agbench.evaluation import anchors

pytest.importorskip("stable_baselines3")
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor

from agbench.training import sb3_env
from agbench.training.experts import Expert

DOCS = Path(__file__).parents[2] / "docs/training.md"
WHEAT, TOMATO, JUJUBE = "wheat-nitrogen-v1", "greenhouse-tomato-v1", "jujube-orchard-v1"
EXPERTS = [(WHEAT, "advisor"), (WHEAT, "standard-practice"), (TOMATO, "rule-based-tuned"), (JUJUBE, "grower")]


def first_returns(envs, expert, scenarios, seeds):
    """Play as imitation does: the state goes round, and where an episode ended the next begins."""
    n = envs.num_envs
    envs.set_options([{"scenario": key} for key in scenarios])
    envs._seeds = list(seeds)
    observations, state, starts = envs.reset(), None, np.zeros(n, np.bool_)
    returns, lengths = {}, []
    while len(returns) < n:
        actions, state = expert(observations, state, starts)
        assert actions.dtype == expert.action_space.dtype
        assert expert.action_space.contains(actions[0])
        observations, _, starts, infos = envs.step(actions)
        for row in np.flatnonzero(starts).tolist():
            lengths.append(infos[row]["episode"]["l"])
            returns.setdefault(row, infos[row]["episode"]["r"])
    return [returns[row] for row in range(n)]


FEW = {"wheat-nitrogen-v1": {"years": [1984, 1991, 2004]}, JUJUBE: {"years": [1984, 1999]}}
SHORT = {TOMATO: {"length": "1 d"}}


@cache
def evaluated(task, policy):
    """Return the evaluation of a policy in few or short seasons: scenarios, seeds, returns."""
    chosen = FEW.get(task, {}) | SHORT.get(task, {})
    table = agbench.evaluate(task, policy, progress=False, **chosen).episodes
    return table["scenario"].tolist(), table["seed"].tolist(), table["return"].tolist()


@pytest.mark.slow_except("wheat-*-advisor-*", "greenhouse-*-scaled", "jujube-*-physical")
@pytest.mark.parametrize("scaled", [True, False], ids=["scaled", "physical"])
@pytest.mark.parametrize(("task", "name"), EXPERTS)
def test_a_batch_earns_what_an_evaluation_says(task, name, scaled):
    changed = SHORT.get(task, {})
    scenarios, seeds, expected = evaluated(task, name)
    envs = sb3_env(task, len(scenarios), "test", scaled=scaled, **changed)
    expert = Expert(name, override(catalog.task(task), changed), envs)
    assert expert.observation_space == envs.observation_space
    assert expert.action_space == envs.action_space
    assert first_returns(envs, expert, scenarios, seeds) == expected


@pytest.mark.parametrize(("task", "name"), EXPERTS)
def test_scaled_observations_alone_tell_an_expert_nearly_as_much(task, name):
    """They are rounded: what happens at a threshold, such as an hour of the day, may come a step apart."""
    changed = SHORT.get(task, {})
    scenarios, seeds, expected = evaluated(task, name)
    envs = sb3_env(task, len(scenarios), "test", **changed)
    expert = Expert(name, override(catalog.task(task), changed))
    assert first_returns(envs, expert, scenarios, seeds) == pytest.approx(expected, rel=1e-5, abs=0.005)


def test_a_policy_that_plans_looks_into_its_own_row():
    # Seasons of one length, so that neither row begins another.
    scenarios, seeds = ["netherlands/1984", "netherlands/1987"], [0, 1]
    expected = anchors.of_split(catalog.task(WHEAT), "test").oracle[[0, 3]]
    envs = VecMonitor(sb3_env(WHEAT, 2, "test", scaled_reward=False))
    earned = first_returns(envs, Expert("ceres", WHEAT, envs), scenarios[::-1], seeds[::-1])
    assert earned == pytest.approx(expected[::-1], rel=1e-5)  # the monitor sums in single precision
    with pytest.raises(ConfigError, match="ceres looks into the environment that it acts in"):
        Expert("ceres", WHEAT)
    with pytest.raises(ConfigError, match="1 observations of 2 environments"):
        Expert("ceres", WHEAT, envs).predict(envs.reset()[:1])


def test_stable_baselines3_evaluates_an_expert():
    envs = sb3_env(WHEAT, 4, "test", scaled_reward=False)
    means, _ = evaluate_policy(
        Expert("advisor", WHEAT, envs), VecMonitor(envs), 8, return_episode_rewards=True
    )
    singles = DummyVecEnv([lambda: agbench.make(WHEAT, "test")] * 3)
    singles.seed(0)
    alike, lengths = evaluate_policy(
        Expert("advisor", WHEAT, singles), singles, 6, return_episode_rewards=True, warn=False
    )
    board = agbench.evaluate(WHEAT, "advisor", progress=False).episodes["return"].to_numpy()
    assert all(np.abs(board - value).min() < 1e-3 for value in [*means, *alike])
    assert min(lengths) > 20


def test_rows_forget_where_an_episode_begins_and_only_there():
    expert = Expert("standard-practice", WHEAT, scaled=False)
    envs = agbench.make_vec(WHEAT, 1)
    first, _ = envs.reset(seed=1)
    rows = np.repeat(first, 3, axis=0)
    state, seen = None, []
    for week in range(30):
        actions, state = expert.predict(rows, state, np.array([False, week == 4, week % 2 == 0]))
        seen.append(actions)
    given = np.array(seen)
    alone = [expert.predict(rows[:1], None)[0][0]]
    _, memory = expert.predict(rows[:1])
    for _ in range(29):
        action, memory = expert.predict(rows[:1], memory)
        alone.append(action[0])
    assert given[:, 0].tolist() == alone
    assert given[4:, 1].tolist() == alone[:26]
    assert given[::2, 2].tolist() == [alone[0]] * 15
    assert max(alone) > 0


def test_rows_that_draw_draw_apart_and_the_same_each_time():
    rows = np.zeros((16, 12), np.float32)
    draws = []
    for seed in (None, None, 5):
        expert, state, actions = Expert("random", WHEAT, seed=seed), None, []
        for _ in range(10):
            chosen, state = expert.predict(rows, state)
            actions.append(chosen)
        draws.append(np.array(actions))
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    assert len({tuple(row) for row in draws[0].T}) == 16


def test_the_policy_that_was_given_stays_as_it_is():
    policy = agbench.load_policy("standard-practice", WHEAT)
    policy.reset(0)
    before = copy.deepcopy(policy.__dict__)
    Expert(policy, WHEAT).predict(np.zeros((2, 12), np.float32))
    after = policy.__dict__
    assert before["_day"] == after["_day"]


def test_a_single_observation_gives_a_single_action():
    expert = Expert("advisor", WHEAT)
    one, _ = expert.predict(np.zeros(12, np.float32))
    assert one.shape == ()
    amounts, _ = Expert("rule-based", TOMATO).predict(
        np.zeros(Expert("zero", TOMATO).observation_space.shape)
    )
    assert amounts.shape == (6,)
    assert amounts.dtype == np.float32


def test_a_trained_model_acts_in_every_row_with_one_network():
    envs = sb3_env(WHEAT, 3)
    model = PPO("MlpPolicy", envs, n_steps=8, batch_size=8, seed=0, device="cpu")
    expert = Expert(model, WHEAT, scaled=False)
    rows = np.random.default_rng(0).normal(size=(3, 12)).astype(np.float32)
    actions, state = expert.predict(rows)
    assert actions.tolist() == model.predict(rows, deterministic=True)[0].tolist()
    assert state[0]._model is model


def test_an_expert_is_a_policy_of_stable_baselines3_with_nothing_to_learn():
    expert = Expert("advisor", WHEAT)
    assert isinstance(expert, BasePolicy)
    assert list(expert.parameters()) == []
    seen = np.random.default_rng(0).normal(size=(5, 12)).astype(np.float32)
    tensors = expert._predict(torch.from_numpy(seen))
    assert tensors.tolist() == expert.predict(seen)[0].tolist()


def test_imitation_rolls_out_and_asks_an_expert(tmp_path):
    rollout = pytest.importorskip("imitation.data.rollout")
    from imitation.algorithms.bc import BC
    from imitation.algorithms.dagger import SimpleDAggerTrainer

    envs = sb3_env(WHEAT, 3, "test", scaled_reward=False)
    expert, generator = Expert("advisor", WHEAT, envs), np.random.default_rng(0)
    enough = rollout.make_sample_until(min_episodes=6)
    shown = rollout.rollout(expert, envs, enough, unwrap=False, rng=generator)
    board = agbench.evaluate(WHEAT, "advisor", progress=False).episodes["return"].to_numpy()
    assert all(np.abs(board - one.rews.sum()).min() < 1e-2 for one in shown)
    spaces = {"observation_space": envs.observation_space, "action_space": envs.action_space}
    cloning = BC(**spaces, rng=generator, device="cpu")
    trainer = SimpleDAggerTrainer(
        venv=envs, scratch_dir=tmp_path, expert_policy=expert, bc_trainer=cloning, rng=generator
    )
    trainer.train(200)
    assert trainer.policy.predict(np.zeros(12, np.float32))[0].shape == ()


def test_mistakes_are_named():
    rows = np.zeros((2, 12), np.float32)
    expert = Expert("advisor", WHEAT)
    _, state = expert.predict(rows)
    with pytest.raises(ConfigError, match="3 observations, but a state of 2 rows"):
        expert.predict(np.zeros((3, 12), np.float32), state)
    with pytest.raises(ConfigError, match=r"observations of the shape \(2, 11\)"):
        expert.predict(rows[:, :11])
    with pytest.raises(ConfigError, match=r"observations of the shape \(0, 12\)"):
        expert.predict(rows[:0])
    with pytest.raises(ConfigError, match="episode_start has the shape"):
        expert.predict(rows, None, np.array([True]))
    envs = sb3_env("maize-inputs-v1", 1)
    with pytest.raises(ConfigError, match="of maize-inputs-v1, the expert is made for wheat-nitrogen-v1"):
        Expert("advisor", WHEAT, envs)
    with pytest.raises(ConfigError, match="of wheat-nitrogen-v1 with other overrides"):
        Expert("advisor", WHEAT, sb3_env(WHEAT, 1, beta=5.0))
    other = object.__new__(SubprocVecEnv)  # without its process, which takes seconds to start
    other.num_envs, other.observation_space, other.action_space = 1, envs.observation_space, envs.action_space
    with pytest.raises(ConfigError, match="SubprocVecEnv does not show environments of AgBench"):
        Expert("advisor", WHEAT, other)


def test_what_was_scaled_comes_back_in_physical_units():
    for task in (WHEAT, TOMATO, JUJUBE, "wheat-inputs-v1"):
        envs = agbench.make_vec(task, 4)
        scaling = scaling_of(catalog.task(task))
        seen = [envs.reset(seed=0)[0]]
        envs.action_space.seed(0)
        seen += [envs.step(envs.action_space.sample())[0] for _ in range(20)]
        physical = np.array(seen)
        scaled = scaling.observations(physical)
        back = scaling.physical(scaled)
        inside = np.abs(scaled) < 10.0
        assert np.array_equal(scaling.observations(back)[inside], scaled[inside])
        assert np.array_equal(back[inside & (physical == 0.0)], physical[inside & (physical == 0.0)])


def test_the_documented_lines_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    training, showing = (block for block in blocks if "sb3_env" in block)
    names = {}
    exec(training.replace("400_000", "64").replace("64))", "2), n_steps=32, batch_size=32)"), names)
    assert (tmp_path / "ppo.zip").is_file()
    exec(showing, names)
    board = agbench.evaluate(WHEAT, "advisor", progress=False).episodes["return"].to_numpy()
    assert board.min() < names["mean"] < board.max()
