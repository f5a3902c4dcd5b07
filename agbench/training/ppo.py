"""PPO of Stable-Baselines3 with a cheaper inside: the same losses, by gradients that are written out.

Schulman et al. 2017, equations 7 and 9. For perceptrons of 64 units, automatic differentiation, dispatch and
copies take most of the time of Stable-Baselines3's loop on one core. This class keeps its model, buffers,
schedules and files and replaces the two inner loops; networks that it does not know are trained by the
original's.
"""

import math
from typing import Any, Final

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.utils import explained_variance

from agbench.training import adam
from agbench.training.heads import Categoricals, Head, Normals
from agbench.training.perceptron import Perceptron, Singles, fits

_SMALL: Final = 1e-8  # beside the deviation of advantages, as Stable-Baselines3 has it


class QuickPPO(PPO):
    """PPO whose rollouts and updates avoid autograd where the policy is made of plain perceptrons."""

    def _setup_model(self) -> None:
        self.policy_kwargs.setdefault("optimizer_kwargs", {"eps": 1e-5, "fused": True})
        super()._setup_model()
        self._adam: adam.Adam | None = None

    def _prepare(self) -> bool:
        """Return whether the two loops here can be used; make what they need, once."""
        known: adam.Adam | None = getattr(self, "_adam", None)
        if known is not None and known.current:
            return True
        policy = self.policy
        actor = [*policy.mlp_extractor.policy_net, policy.action_net]
        critic = [*policy.mlp_extractor.value_net, policy.value_net]
        plain = type(policy.features_extractor).__name__ == "FlattenExtractor" and adam.fits(policy.optimizer)
        if not (plain and fits(actor) and fits(critic)) or self.use_sde or self.clip_range_vf is not None:
            return False
        self._adam = adam.Adam(policy.optimizer)
        self._actor, self._critic = Perceptron(actor), Perceptron(critic)
        self._head: Head = (
            Normals(policy.log_std)
            if isinstance(self.action_space, spaces.Box)
            else Categoricals(self.action_space)
        )
        return True

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_adam", "_actor", "_critic", "_head"]

    @torch.no_grad()
    def collect_rollouts(self, env: Any, callback: Any, rollout_buffer: Any, n_rollout_steps: int) -> bool:
        """Fill the buffer with steps of the environments; False where the callback ends training."""
        if not self._prepare():
            return bool(super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps))
        buffer = rollout_buffer
        buffer.reset()
        callback.on_rollout_start()
        for step in range(n_rollout_steps):
            seen = self._last_obs
            actions, values, logs = self._decide(seen)
            observations, rewards, dones, infos = env.step(self._for_environment(actions))
            rewards = self._paid(rewards, dones, infos)
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            if dones.any():
                self._update_info_buffer(infos, dones)
                self._bootstrap(rewards, dones, infos)
            buffer.observations[step] = seen
            buffer.actions[step] = actions
            buffer.rewards[step] = rewards
            buffer.episode_starts[step] = self._last_episode_starts
            buffer.values[step] = values
            buffer.log_probs[step] = logs
            self._last_obs, self._last_episode_starts = observations, dones
        buffer.pos, buffer.full = n_rollout_steps, True
        last = self._critic.forward(np.asarray(self._last_obs)).flatten()
        buffer.compute_returns_and_advantage(last_values=torch.from_numpy(last), dones=dones)
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def _paid(self, rewards: Any, dones: Any, infos: Any) -> Any:
        """Return what the agent learns from: the rewards (n,) as the environments paid them."""
        return rewards

    def _decide(self, seen: Any) -> tuple[Any, Any, Any]:
        """Return drawn actions (n, columns), values (n,) and log probabilities (n,) for observations."""
        actions, logs = self._head.sample(self._actor.forward(seen))
        return actions, self._critic.forward(seen).flatten(), logs

    def _for_environment(self, actions: Any) -> Any:
        """Return actions as the action space has them; amounts are cut off at its bounds."""
        space = self.action_space
        if isinstance(space, spaces.Box):
            return np.clip(actions.reshape(-1, *space.shape), space.low, space.high)
        return actions[:, 0] if isinstance(space, spaces.Discrete) else actions

    def _bootstrap(self, rewards: Any, dones: Any, infos: Any) -> None:
        """Add what the critic expects beyond an outer limit's end to the rewards of such rows."""
        for row in np.flatnonzero(dones):
            if infos[row].get("TimeLimit.truncated", False):
                final = np.asarray(infos[row]["terminal_observation"], np.float32)[None]
                rewards[row] += self.gamma * float(self._critic.forward(final)[0, 0])

    @torch.no_grad()
    def train(self) -> None:
        """Improve actor and critic on what the buffer holds."""
        if not self._prepare():
            with torch.enable_grad():
                super().train()
            return
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        columns = self._columns()
        self._measured: list[tuple[Any, ...]] = []
        for epoch in range(self.n_epochs):
            self._n_updates += 1
            if not self._epoch(columns, measure=epoch == self.n_epochs - 1):
                break
        self._report()

    def _columns(self) -> list[Singles]:
        """Return observations, actions, log probabilities, advantages and returns, a row a step."""
        buffer = self.rollout_buffer
        arrays = (buffer.observations, buffer.actions, buffer.log_probs, buffer.advantages, buffer.returns)
        rows = buffer.buffer_size * buffer.n_envs
        return [np.ascontiguousarray(a.swapaxes(0, 1)).reshape(rows, *a.shape[2:]) for a in arrays]

    def _epoch(self, columns: list[Singles], measure: bool) -> bool:
        """Update once with every step, in batches; False where the policy has moved far enough."""
        order = np.random.permutation(len(columns[0]))  # noqa: NPY002  as the original
        shuffled = [column[order] for column in columns]
        return all(
            self._update([column[begin : begin + self.batch_size] for column in shuffled], measure)
            for begin in range(0, len(order), self.batch_size)
        )

    def _update(self, batch: list[Singles], measure: bool) -> bool:
        """Take one step of the optimiser; False, and none, where the policy has moved far enough."""
        assert self._adam is not None
        observations, actions, old, advantages, returns = batch
        count = len(returns)
        if self.normalize_advantage and count > 1:
            advantages = advantages - advantages.mean()
            deviation = math.sqrt(float(np.dot(advantages, advantages)) / (count - 1))
            advantages /= deviation + _SMALL
        moved = self._head.log_probability(self._actor.forward(observations), actions)
        moved -= old
        ratio = np.exp(moved)
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        gain = advantages * ratio
        kept = gain <= advantages * np.minimum(np.maximum(ratio, 1.0 - clip), 1.0 + clip)  # else it is flat
        errors = self._critic.forward(observations).flatten()
        errors -= returns
        if self.target_kl is not None and float((ratio - 1.0 - moved).mean()) > 1.5 * self.target_kl:
            self._measure(gain, errors, ratio, moved, clip)
            return False
        self._actor.backward(self._head.slopes(gain * kept * (-1.0 / count), -self.ent_coef / count))
        self._critic.backward((errors * (2.0 * self.vf_coef / count))[:, None])
        self._adam.step(self.max_grad_norm)
        if measure:
            self._measure(gain, errors, ratio, moved, clip)
        return True

    def _measure(self, gain: Singles, errors: Singles, ratio: Singles, moved: Singles, clip: float) -> None:
        """Keep the means of a batch for the log."""
        clipped = (np.abs(ratio - 1.0) > clip).mean()
        divergence = (ratio - 1.0 - moved).mean()
        means = -gain.mean(), np.square(errors).mean(), -self._head.entropies().mean(), clipped, divergence
        self._measured.append(tuple(map(float, means)))

    def _report(self) -> None:
        """Log the means of the last pass through the buffer."""
        names = ("policy_gradient_loss", "value_loss", "entropy_loss", "clip_fraction", "approx_kl")
        for name, value in zip(names, np.mean(self._measured, axis=0), strict=True):
            self.logger.record(f"train/{name}", float(value))
        buffer = self.rollout_buffer
        explained = explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        self.logger.record("train/explained_variance", explained)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
