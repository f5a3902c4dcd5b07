"""The algorithm of a Stable-Baselines3 zip, from its JSON settings."""

import json
import zipfile
from pathlib import Path
from typing import Any, Final

from agbench.errors import ConfigError, did_you_mean

CONTRIBUTED: Final = ("TRPO", "QRDQN", "RecurrentPPO")
"""Algorithms of sb3-contrib."""
ALGORITHMS: Final = ("PPO", "A2C", "DQN", "SAC", "TD3", "DDPG", *CONTRIBUTED)
_POLICIES: Final = {
    "stable_baselines3.common.policies": "A2C",
    "stable_baselines3.dqn.policies": "DQN",
    "stable_baselines3.sac.policies": "SAC",
    "stable_baselines3.td3.policies": "TD3",
    "sb3_contrib.common.recurrent.policies": "RecurrentPPO",
    "sb3_contrib.qrdqn.policies": "QRDQN",
}
"""The algorithm by the module of its policies; those of A2C are PPO's and TRPO's too."""
_ALIKE: Final = ({"PPO", "A2C"}, {"TD3", "DDPG"})  # whose policies are the same


def algorithm_of(path: str | Path, algorithm: str | None = None) -> str:
    """Return the algorithm to load a zip with: `algorithm` if it fits, else the one that saved the zip.

    Raises `ConfigError` if the file is no zip of Stable-Baselines3, if the zip is of another algorithm,
    and if the zip holds a custom policy class, which does not name the algorithm.
    """
    canonical = {name.upper(): name for name in ALGORITHMS}
    name = None if algorithm is None else canonical.get(algorithm.upper())
    if algorithm is not None and name is None:
        raise ConfigError(f"unknown algorithm {algorithm!r}.{did_you_mean(algorithm, ALGORITHMS)}")
    result = _stored_algorithm(_settings(Path(path)))
    if name is None and result is None:
        raise ConfigError(f"{path}: does not name its algorithm. Add --algorithm {'|'.join(ALGORITHMS)}.")
    if name is None or result is None or any({name, result} <= alike for alike in _ALIKE):
        return str(name or result)
    if name != result:
        raise ConfigError(f"{path}: holds a model of {result}, not of {name}. Omit --algorithm.")
    return name


def _settings(path: Path) -> dict[str, Any]:
    """Return the settings in a zip; nothing of it is unpickled."""
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such model.")
    try:
        with zipfile.ZipFile(path) as file:
            result = json.loads(file.read("data"))
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise ConfigError(f"{path}: is not a zip that Stable-Baselines3 saved ({error}).") from None
    if not isinstance(result, dict):
        raise ConfigError(f"{path}: is not a zip that Stable-Baselines3 saved (its data are no settings).")
    return result


def _stored_algorithm(settings: dict[str, Any]) -> str | None:
    policy = settings.get("policy_class")
    module = policy.get("__module__") if isinstance(policy, dict) else None
    result = _POLICIES.get(str(module))
    if result == "A2C" and "clip_range" in settings:
        return "PPO"
    if result == "A2C" and "cg_max_steps" in settings:
        return "TRPO"
    return result
