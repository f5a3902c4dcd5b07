"""PPO whose gradients are written out: they are Stable-Baselines3's."""

import copy

import numpy as np
import pytest
from gymnasium import spaces

pytest.importorskip("stable_baselines3")
from stable_baselines3 import PPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecEnv
from torch import nn

from agbench.training.lagrangian import LagrangianPPO
from agbench.training.ppo import QuickPPO

ROWS = 8
SPACES = {
    "menu": spaces.Discrete(4),
    "menus": spaces.MultiDiscrete([3, 2]),
    "amounts": spaces.Box(-1.0, 1.0, (2,)),
}


class Noise(VecEnv):
    """Observations and rewards without sense, in rows that end by chance; each step costs 1."""

    def __init__(self, space):
        super().__init__(ROWS, spaces.Box(-10.0, 10.0, (5,)), space)
        self._generator = np.random.default_rng(0)
        self._lengths = np.zeros(ROWS)

    def reset(self):
        return self._generator.normal(size=(ROWS, 5)).astype(np.float32)

    def step_async(self, actions):
        assert all(self.action_space.contains(action) for action in actions)

    def step_wait(self):
        rewards, ends = (
            self._generator.normal(size=ROWS).astype(np.float32),
            self._generator.random(ROWS) < 0.2,
        )
        self._lengths += 1
        infos = [{"cost": 1.0} for _ in range(ROWS)]
        for row in np.flatnonzero(ends):
            infos[row]["episode"] = {"cost": float(self._lengths[row]), "r": 0.0, "l": 1, "t": 0.0}
        self._lengths[ends] = 0
        return self.reset(), rewards, ends, infos

    def close(self):
        pass

    def get_attr(self, attr_name, indices=None):
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name, value, indices=None):
        pass

    def env_method(self, method_name, *args, indices=None, **more):
        pass

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * ROWS


def made(cls, space, **more):
    settings = {"n_steps": 16, "batch_size": 32, "n_epochs": 3, "ent_coef": 0.01, "learning_rate": 1e-3}
    return cls("MlpPolicy", Noise(space), seed=0, device="cpu", **(settings | more))


def twin(model, **more):
    """Return Stable-Baselines3's own PPO in the state of a model, with what its buffer holds."""
    result = made(PPO, model.action_space, **more)
    result.policy.load_state_dict(model.policy.state_dict())
    result.policy.optimizer.load_state_dict(copy.deepcopy(model.policy.optimizer.state_dict()))
    result.rollout_buffer = copy.deepcopy(model.rollout_buffer)
    result._current_progress_remaining = model._current_progress_remaining
    result.set_logger(configure(None, []))
    return result


@pytest.mark.parametrize("activation", [nn.Tanh, nn.ReLU])
@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("more", [{}, {"target_kl": 0.002}, {"normalize_advantage": False, "batch_size": 64}])
def test_an_update_is_the_one_of_stable_baselines3(space, activation, more):
    more = more | {"policy_kwargs": {"activation_fn": activation, "net_arch": [16, 16]}}
    model = made(QuickPPO, space, **copy.deepcopy(more))
    model.learn(256)
    other, updates = twin(model, **more), model._n_updates
    before = [p.detach().clone() for p in model.policy.parameters()]
    for one in (model, other):
        np.random.seed(1)  # noqa: NPY002  both draw the order of steps from it
        one.train()
    moved = 0.0
    for ours, theirs, old in zip(model.policy.parameters(), other.policy.parameters(), before, strict=True):
        assert np.allclose(ours.detach(), theirs.detach(), rtol=0.0, atol=2e-5)
        moved = max(moved, float((ours - old).abs().max().detach()))
    assert moved > 5e-4
    assert model._n_updates == other._n_updates + updates


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_a_rollout_holds_the_policys_own_values_and_probabilities(space):
    model = made(QuickPPO, space)
    model.learn(128)
    buffer = model.rollout_buffer
    model = made(QuickPPO, space)
    model.learn(128, callback=lambda *_: True)
    kept = copy.deepcopy(model.rollout_buffer)
    assert np.array_equal(kept.observations, buffer.observations)  # the same seed, the same rollout
    fresh = made(QuickPPO, space)
    data = next(kept.get())
    actions = data.actions.long().flatten() if isinstance(space, spaces.Discrete) else data.actions
    values, logs, _ = fresh.policy.evaluate_actions(data.observations, actions)
    assert np.allclose(values.detach().flatten(), data.old_values, atol=1e-5)
    assert np.allclose(logs.detach(), data.old_log_prob, atol=1e-5)


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_drawn_actions_have_the_probabilities_of_the_policy(space):
    model = made(QuickPPO, space)
    assert model._prepare()
    seen = np.repeat(np.random.default_rng(1).normal(size=(1, 5)).astype(np.float32), 20_000, 0)
    import torch

    with torch.no_grad():
        drawn, _, _ = model._decide(seen)
    distribution = model.policy.get_distribution(torch.from_numpy(seen[:1])).distribution
    if isinstance(space, spaces.Box):
        assert np.allclose(drawn.mean(0), distribution.mean.detach()[0], atol=0.03)
        assert np.allclose(drawn.std(0), distribution.stddev.detach()[0], atol=0.03)
        return
    parts = [distribution] if isinstance(space, spaces.Discrete) else distribution
    for column, part in zip(drawn.T, parts, strict=True):
        shares = np.bincount(column, minlength=part.probs.shape[1]) / len(column)
        assert np.allclose(shares, part.probs.detach()[0], atol=0.02)


def test_networks_that_it_does_not_know_are_trained_by_the_original():
    more = {"policy_kwargs": {"activation_fn": nn.ELU, "net_arch": [8]}}
    model = made(QuickPPO, SPACES["menu"], **more)
    assert not model._prepare()
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(128)
    assert any((p != old).any() for p, old in zip(model.policy.parameters(), before, strict=True))


def test_an_optimiser_that_it_does_not_know_is_used_by_the_original():
    import torch

    model = made(
        QuickPPO, SPACES["menu"], policy_kwargs={"optimizer_class": torch.optim.SGD, "optimizer_kwargs": {}}
    )
    assert not model._prepare()
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(128)
    assert any((p != old).any() for p, old in zip(model.policy.parameters(), before, strict=True))


def test_a_state_that_is_loaded_into_the_optimiser_is_gone_on_from(tmp_path):
    model, other = made(QuickPPO, SPACES["amounts"]), made(QuickPPO, SPACES["amounts"])
    model.learn(256)
    other.learn(128)
    model.save(tmp_path / "model.zip")
    other.set_parameters(tmp_path / "model.zip")
    other.rollout_buffer = copy.deepcopy(model.rollout_buffer)
    other._current_progress_remaining = model._current_progress_remaining
    for one in (model, other):
        np.random.seed(1)  # noqa: NPY002
        one.train()
    for ours, theirs in zip(model.policy.parameters(), other.policy.parameters(), strict=True):
        assert np.array_equal(ours.detach(), theirs.detach())


def test_the_multiplier_rises_while_episodes_cost_too_much_and_falls_below_the_limit():
    dear = made(LagrangianPPO, SPACES["menu"], cost_limit=1.0, multiplier_rate=0.5)
    cheap = made(LagrangianPPO, SPACES["menu"], cost_limit=1e6, multiplier_rate=0.5)
    dear.learn(256)
    cheap.learn(256)
    assert dear.multiplier > 1.0
    assert 0.0 <= cheap.multiplier < 0.1
    assert cheap._episode_costs == dear._episode_costs  # episodes last some five steps, of 1 each
    assert 2.0 < np.mean(dear._episode_costs) < 10.0
