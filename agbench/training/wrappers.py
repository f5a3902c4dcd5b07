"""What lies around the environments of a live model: only what an exported policy can hold."""

from typing import Any, Final

from stable_baselines3.common.vec_env import VecCheckNan, VecMonitor, VecNormalize, VecVideoRecorder
from stable_baselines3.common.vec_env.base_vec_env import VecEnvWrapper

from agbench.errors import ConfigError

_HARMLESS: Final = (VecMonitor, VecCheckNan, VecVideoRecorder)
"""Wrappers that hand observations on as they are."""
_REMEDY: Final = "Train with sb3_env(task, n), which scales, or with one VecNormalize around it and no more."


def require_known(model: Any) -> None:
    """Raise `ConfigError` where a model's own environment has wrappers that an export does not hold."""
    env, normalised = getattr(model, "get_env", lambda: None)(), 0
    while isinstance(env, VecEnvWrapper):
        if type(env) is VecNormalize:
            normalised += 1
        elif not isinstance(env, _HARMLESS):
            raise ConfigError(
                f"the model's environment has a {type(env).__name__}, which may change observations; an "
                f"exported policy cannot do as it does. {_REMEDY}"
            )
        env = env.venv
    if normalised > 1:
        raise ConfigError(
            f"the model's environment has VecNormalize {normalised} times, one around the other; an exported "
            f"policy holds the statistics of one. {_REMEDY}"
        )
