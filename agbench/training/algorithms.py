"""The algorithms by name, and how one is made from its settings."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from sys import float_info
from typing import Any, Final, Literal

import numpy as np
from gymnasium import spaces

from agbench.data.task import Task
from agbench.data.training import TrainingSettings
from agbench.errors import AgBenchError, ConfigError, MissingExtraError, did_you_mean
from agbench.policies.networks.made_for import AMOUNTS, MENU, MENUS, kind_of

_ALL: Final = frozenset({AMOUNTS, MENU, MENUS})
_OURS: Final = frozenset(
    {
        *("self", "policy", "env", "seed", "device", "verbose", "tensorboard_log", "policy_kwargs"),
        *("_init_setup_model", "replay_buffer_class", "replay_buffer_kwargs", "rollout_buffer_class"),
        *(
            "rollout_buffer_kwargs",
            "optimize_memory_usage",
            "use_sde",
            "sde_sample_freq",
            "stats_window_size",
        ),
        *("use_sde_at_warmup", "monitor_wrapper", "n_steps_return", "lesson"),
    }
)
"""Arguments of the classes that settings do not name: training gives them, or does without."""


LearnsFrom = Literal["rewards", "demonstrations", "an expert", "a dataset"]
"""What agents learn from: `an expert` is asked while they do, the last two are transitions on record."""
_SHARES: Final = frozenset(
    {
        *("gamma", "gae_lambda", "tau", "expectile"),
        *("exploration_fraction", "exploration_initial_eps", "exploration_final_eps"),
    }
)
"""Settings that lie between 0 and 1."""
_CHANGING: Final = frozenset({"learning_rate", "clip_range", "clip_range_vf"})
"""Settings that may change in training, where the class is Stable-Baselines3's or sb3-contrib's."""
_LEAST: Final = {"learning_starts": 0}
"""The least whole number that a setting can be; that of others is 1."""
_ALL_STEPS: Final = "gradient_steps"
"""May be -1: as many as steps of environments."""
_NOISE: Final = "action_noise"
_BLOCKS: Final = ("menus", "amounts")
"""Keys of the settings under which stand those for one kind of actions."""


@dataclass(frozen=True)
class Algorithm:
    """A class of Stable-Baselines3's kind, where it is, its policy, and the actions that it can choose."""

    module: str
    name: str
    actions: frozenset[str] = _ALL
    policy: str = "MlpPolicy"
    needs_limit: bool = False
    """Whether it keeps the cost of episodes below a limit, which the task must have."""
    amounts: str = ""
    """The class for amounts, as `module:name`, where that is another one."""
    learns_from: LearnsFrom = "rewards"
    plays: bool = True
    """Whether it steps environments."""
    critic: bool = False
    """Whether settings may give its critic other layers than its actor."""
    draws: bool = False
    """Whether it draws amounts with a standard deviation that it learns, whose start settings may give."""

    @property
    def method(self) -> str:
        """What a submission calls it."""
        return {"rewards": "rl", "a dataset": "offline-rl"}.get(self.learns_from, "il")

    def of(self, space: spaces.Space[Any]) -> "Algorithm":
        """Return it with the class for an action space."""
        if not self.amounts or kind_of(space) != AMOUNTS:
            return self
        module, name = self.amounts.split(":")
        return replace(self, module=module, name=name)

    def load(self) -> Any:
        """Return the class; raises `MissingExtraError` without its package."""
        try:
            return getattr(import_module(self.module), self.name)
        except ImportError:
            raise MissingExtraError(
                f'{self.module.split(".")[0]} is not installed. Install it with: pip install "agbench[rl]"'
            ) from None


ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    "ppo": Algorithm("agbench.training.ppo", "QuickPPO", critic=True, draws=True),
    "ppo-lagrangian": Algorithm(
        "agbench.training.lagrangian", "LagrangianPPO", needs_limit=True, critic=True, draws=True
    ),
    "a2c": Algorithm("stable_baselines3", "A2C", critic=True, draws=True),
    "trpo": Algorithm("sb3_contrib", "TRPO", critic=True, draws=True),
    "recurrent-ppo": Algorithm(
        "sb3_contrib", "RecurrentPPO", policy="MlpLstmPolicy", critic=True, draws=True
    ),
    "sac": Algorithm("stable_baselines3", "SAC", frozenset({AMOUNTS}), critic=True),
    "td3": Algorithm("stable_baselines3", "TD3", frozenset({AMOUNTS}), critic=True),
    "dqn": Algorithm("stable_baselines3", "DQN", frozenset({MENU})),
    "qrdqn": Algorithm("sb3_contrib", "QRDQN", frozenset({MENU})),
    "bc": Algorithm("agbench.training.cloning", "Cloning", learns_from="demonstrations", plays=False),
    "dagger": Algorithm("agbench.training.cloning", "Dagger", learns_from="an expert"),
    "gail": Algorithm("agbench.training.adversarial", "Gail", learns_from="demonstrations"),
    "airl": Algorithm("agbench.training.adversarial", "Airl", learns_from="demonstrations"),
    "sqil": Algorithm(
        "stable_baselines3",
        "DQN",
        frozenset({AMOUNTS, MENU}),
        amounts="stable_baselines3:SAC",
        learns_from="demonstrations",
    ),
    "iql": Algorithm(
        "agbench.training.iql",
        "IqlMenus",
        amounts="agbench.training.offline:IqlAmounts",
        learns_from="a dataset",
        plays=False,
    ),
    **{
        name: Algorithm(
            "agbench.training.offline",
            menu,
            frozenset({AMOUNTS, MENU}) if menu else frozenset({AMOUNTS}),
            amounts=f"agbench.training.offline:{amounts}",
            learns_from="a dataset",
            plays=False,
        )
        for name, menu, amounts in (
            ("offline-bc", "CloningMenu", "CloningAmounts"),
            ("cql", "CqlMenu", "CqlAmounts"),
            ("td3bc", "", "Td3BcAmounts"),
        )
    },
}
"""By name. Maskable PPO is not among them: no task takes choices away, so it would be PPO. Nor are decision
transformers: what they choose depends on the rewards of the episode, which a policy does not see."""


def algorithm(name: str, task: str, space: spaces.Space[Any]) -> Algorithm:
    """Return an algorithm that can act in a task.

    Raises `ConfigError` for one that is unknown or cannot choose such actions; names those that can.
    """
    if name not in ALGORITHMS:
        raise ConfigError(f"unknown algorithm {name!r}.{did_you_mean(name, ALGORITHMS)}")
    chosen = ALGORITHMS[name]
    if kind_of(space) not in chosen.actions:
        fitting = sorted(
            key
            for key, one in ALGORITHMS.items()
            if kind_of(space) in one.actions and one.learns_from == chosen.learns_from
        )
        raise ConfigError(
            f"{name} chooses {' or '.join(sorted(chosen.actions))}; an action of {task} is "
            f"{kind_of(space)} ({space}). These fit: {', '.join(fitting)}."
        )
    return chosen.of(space)


def require_costs(chosen: Algorithm, name: str, task: Task) -> None:
    """Raise `ConfigError` for an algorithm that holds a cost below a limit, where no step costs anything."""
    if chosen.needs_limit and not task.has_costs:
        raise ConfigError(
            f"{name} holds the constraint cost of an episode below a limit; {task.task} has no constraints, "
            "its cost is always 0. Train with ppo."
        )


def require_network(chosen: Algorithm, settings: TrainingSettings, space: spaces.Space[Any]) -> None:
    """Raise `ConfigError` for a network of which an algorithm has no such part with these actions."""
    network = settings.network
    if network.critic is not None and not chosen.critic:
        fitting = ", ".join(sorted(name for name, one in ALGORITHMS.items() if one.critic))
        raise ConfigError(
            f"{settings.algorithm}: network.critic: it has no critic with layers of its own; leave it out. "
            f"These have: {fitting}."
        )
    if network.log_std_init is not None and not (chosen.draws and kind_of(space) == AMOUNTS):
        fitting = ", ".join(sorted(name for name, one in ALGORITHMS.items() if one.draws))
        raise ConfigError(
            f"{settings.algorithm}: network.log_std_init: it draws no amounts with a standard deviation "
            f"that it learns; leave it out. These do, where actions are amounts: {fitting}."
        )


def make(
    chosen: Algorithm,
    settings: TrainingSettings,
    env: Any,
    seed: int,
    limit: float | None = None,
    more: Mapping[str, Any] | None = None,
) -> Any:
    """Return a new model of an algorithm of Stable-Baselines3's kind.

    `limit`: the mean cost of an episode that the task allows. `more`: arguments beside the settings.
    Raises `ConfigError` for settings that the
    class does not take, and for an algorithm that needs a limit where there is none.
    """
    given = arguments(chosen, settings, env.action_space)
    if chosen.needs_limit and given.setdefault("cost_limit", limit) is None:
        raise ConfigError(
            f"{settings.algorithm}: the task allows any cost. Train with ppo, or set cost_limit=NUMBER."
        )
    own = {"seed": seed, "device": "cpu", "policy_kwargs": _network(settings), **(more or {})}
    return constructed(settings.algorithm, given, lambda: chosen.load()(chosen.policy, env, **own, **given))


def constructed(algorithm: str, given: Mapping[str, Any], call: Callable[[], Any]) -> Any:
    """Return what `call` makes of the settings `given`; raises `ConfigError` where a library refuses them."""
    try:
        return call()
    except AgBenchError:
        raise
    except (TypeError, ValueError, AssertionError, ArithmeticError, RuntimeError) as error:
        raise ConfigError(f"{algorithm}: the settings {dict(given)} are refused: {error}") from error


def arguments(chosen: Algorithm, settings: TrainingSettings, space: spaces.Space[Any]) -> dict[str, Any]:
    """Return the arguments of the class that `settings` names, schedules and noise made of their numbers."""
    cls = chosen.load()
    ours = hasattr(cls, "settings_taken")
    own = cls.settings_taken() if ours else None
    taken = _taken(cls) if own is None else own
    result = {}
    for key, value in _of_kind(settings.settings, kind_of(space)).items():
        if isinstance(value, dict) and key in taken and (ours or key not in _CHANGING):
            raise ConfigError(f"{settings.algorithm}: settings: {key} stays one number; got {value!r}.")
        if key not in taken:
            raise ConfigError(
                f"{settings.algorithm}: settings: {chosen.name} takes no {key!r}.{did_you_mean(key, taken)}"
            )
        if not isinstance(value, dict):
            _require_like(value, _default(cls, key), f"{settings.algorithm}: settings: {key}", key)
        result[key] = _made(key, value, settings.algorithm, space)
    return result


def _require_like(value: Any, default: Any, where: str, key: str) -> None:
    """Raise `ConfigError` for the value of a setting that is no such thing as its default is."""
    if isinstance(default, tuple):
        if not isinstance(value, (list, tuple)) or not all(_counts(one) for one in value):
            raise ConfigError(f"{where}: {value!r}; it is a list of whole numbers, each at least 1.")
    elif isinstance(default, bool):
        if not isinstance(value, bool):
            raise ConfigError(f"{where}: {value!r}; it is true or false.")
    elif isinstance(default, int):
        least = _LEAST.get(key, 1)
        if not _counts(value, least) and not (key == _ALL_STEPS and value == -1):
            raise ConfigError(f"{where}: {value!r}; it is a whole number, at least {least}.")
    elif isinstance(default, float) or key == _NOISE:
        share = key in _SHARES
        if not _is_amount(value, 1.0 if share else float_info.max):
            raise ConfigError(f"{where}: {value!r}; it is a number{' from 0 to 1' if share else ' >= 0'}.")


def _counts(value: Any, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_amount(value: Any, most: float = float_info.max) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0.0 <= value <= most


def _default(cls: Any, key: str) -> Any:
    """Return the default of a setting, of the first class that names it; None where none does."""
    for base in cls.__mro__:
        parameter = inspect.signature(base.__init__).parameters.get(key)
        if parameter is not None:
            return parameter.default
    return None


def _of_kind(settings: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return settings for one kind of actions: those of its block, and over them what stands for both."""
    both = {key: value for key, value in settings.items() if key not in _BLOCKS}
    return {**settings.get("amounts" if kind == AMOUNTS else "menus", {}), **both}


def _taken(cls: Any) -> list[str]:
    """Return the names that settings of a class may have."""
    names: set[str] = set()
    for base in cls.__mro__:
        parameters = inspect.signature(base.__init__).parameters
        names |= set(parameters)
        if all(one.kind is not one.VAR_KEYWORD for one in parameters.values()):
            break  # nothing is passed on
    return sorted(names - _OURS - {"settings"})


def _made(key: str, value: Any, where: str, space: spaces.Space[Any]) -> Any:
    """Return a setting as the class takes it."""
    from stable_baselines3.common.noise import NormalActionNoise
    from stable_baselines3.common.utils import LinearSchedule

    if key == _NOISE:
        sizes = np.full(space.shape or (), float(value))
        return NormalActionNoise(np.zeros_like(sizes), sizes)
    if not isinstance(value, dict):
        return value
    if set(value) != {"start", "end"} or not all(map(_is_amount, value.values())):
        raise ConfigError(
            f"{where}: settings: {key}: {value!r}; a number that changes is {{start: 3.0e-4, end: 0.0}}, "
            "both >= 0."
        )
    return LinearSchedule(float(value["start"]), float(value["end"]), 1.0)


def _network(settings: TrainingSettings) -> dict[str, Any]:
    from agbench.training.torch_layers import ACTIVATIONS

    network = settings.network
    layers: Any = list(network.layers)
    if network.critic is not None:
        judging = list(network.critic)
        layers = {"pi": layers, "vf": judging, "qf": judging}  # each class takes those that it has
    start = {} if network.log_std_init is None else {"log_std_init": network.log_std_init}
    return {"net_arch": layers, "activation_fn": ACTIVATIONS[network.activation], **start}
