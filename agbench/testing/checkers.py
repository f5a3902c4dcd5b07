"""Gymnasium's and Stable-Baselines3's own checkers, every warning an error; and the pictures."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import agbench
from agbench.errors import ContractError, NotApplicableError
from agbench.testing.contract import fail


def check_gymnasium(task: str, split: str = "train", **overrides: Any) -> None:
    """Gymnasium's `check_env` passes without a warning (pictures are `check_rendering`'s)."""
    from gymnasium.utils.env_checker import check_env

    env = agbench.make(task, split, **overrides)
    _quietly(task, "Gymnasium's check_env", lambda: check_env(env.unwrapped, skip_render_check=True))
    env.close()


def check_stable_baselines3(task: str, split: str = "train", **overrides: Any) -> None:
    """Stable-Baselines3's `check_env` passes without a warning."""
    try:
        from stable_baselines3.common.env_checker import check_env
    except ImportError:
        message = 'stable-baselines3 is not installed: pip install "agbench[rl]".'
        raise NotApplicableError(message) from None
    env = agbench.make(task, split, **overrides)
    _quietly(task, "Stable-Baselines3's check_env", lambda: check_env(env.unwrapped, warn=True))
    env.close()


def check_rendering(task: str, split: str = "train", **overrides: Any) -> None:
    """`rgb_array` draws an image after a reset and another one after a step."""
    env = agbench.make(task, split, render_mode="rgb_array", **overrides)
    env.reset(seed=0)
    env.action_space.seed(0)
    first: Any = env.render()
    env.step(env.action_space.sample())
    second: Any = env.render()
    for when, image in (("a reset", first), ("a step", second)):
        if not isinstance(image, np.ndarray) or image.dtype != np.uint8 or image.ndim != 3:
            fail(f"{task}: render() after {when} gave no image (height, width, 3) of uint8.")
        if image.shape[2] != 3 or image.min() == image.max():
            fail(f"{task}: render() after {when} gave an empty image of shape {image.shape}.")
    if first.shape == second.shape and (first == second).all():
        fail(f"{task}: render() shows the same before and after a step.")
    env.close()


def _quietly(task: str, what: str, run: Callable[[], None]) -> None:
    """Run a checker; its complaints and its warnings are breaches of the contract."""
    with warnings.catch_warnings(record=True) as values:
        warnings.simplefilter("always")
        try:
            run()
        except Exception as error:
            raise ContractError(f"{task}: {what} fails: {error}") from error
    if values:
        fail(f"{task}: {what} warns: {'; '.join(str(w.message) for w in values)}")
