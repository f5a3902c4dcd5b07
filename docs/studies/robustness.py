"""Greenhouses under the worst hands: random and on/off controls in every preset, all the year.

`python docs/studies/robustness.py` takes 100,000 steps of each kind in each preset and prints a line of
what it saw for each. Takes some minutes, a quarter of an hour on a busy machine.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import agbench
from agbench.simulators.greenlight.presets import PRESETS
from agbench.variables import Booleans, Floats

TASK: Final = "greenhouse-tomato-v1"
UNCERTAIN: Final = "greenhouse-tomato-uncertain-v1"
SITE: Final = "schiphol"
YEARS: Final = [2008, 2009, 2010, 2011]
STARTS: Final = ("01-05", "03-01", "06-10", "08-20", "11-15")
KINDS: Final = ("random", "on/off")
_ACTION: Final = {"random": "increment", "on/off": "absolute"}


@dataclass(frozen=True)
class Endured:
    """What the observations of many steps were like."""

    steps: int
    not_finite: int
    """Observations or rewards with a number that is not finite."""
    outside: tuple[str, ...]
    """Observed variables that left their bounds."""
    low: Floats
    high: Floats
    """(entries,): the extremes of each observed variable."""


def endure(
    preset: str,
    kind: str,
    steps: int,
    num_envs: int = 64,
    seed: int = 0,
    task: str = TASK,
    starts: Sequence[str] = STARTS,
    **overrides: Any,
) -> Endured:
    """Return what `steps` environment steps did to the observations, over the first days `starts`.

    `kind` is `random`, increments drawn from the whole space, or `on/off`, each control at 0 or 1,
    drawn anew at every step. Episodes last two days, so that scenarios change often.
    """
    low: Any = np.inf
    high: Any = -np.inf
    taken, broken = 0, 0
    outside: set[str] = set()
    each = -(-steps // len(starts))
    for i, start in enumerate(starts):
        chosen = {"simulator__site": SITE, "episode__start": start, "episode__length": "2 d", **overrides}
        envs: Any = agbench.make_vec(
            task, num_envs, years=YEARS, simulator__preset=preset, action__kind=_ACTION[kind], **chosen
        )
        names = np.array([entry.name for entry in envs.observation_entries])
        space = envs.single_observation_space
        for seen, rewards in _steps(envs, kind, -(-each // num_envs), seed + i):
            fine = np.isfinite(seen).all(axis=1) & np.isfinite(rewards)
            broken += int((~fine).sum())
            beyond: Booleans = ((seen < space.low) | (seen > space.high)).any(axis=0)
            outside.update(names[beyond].tolist())
            low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
            taken += len(seen)
    return Endured(taken, broken, tuple(sorted(outside)), low, high)


def _steps(envs: Any, kind: str, steps: int, seed: int) -> Iterator[tuple[Any, Any]]:
    """Yield observations (n, entries) and rewards (n,) of each step."""
    random = np.random.default_rng(seed)
    envs.reset(seed=seed)
    for _ in range(steps):
        actions = random.uniform(-1.0, 1.0, size=envs.action_space.shape)
        drawn = np.sign(actions) if kind == "on/off" else actions
        seen, rewards, *_ = envs.step(drawn.astype(np.float32))
        yield seen, rewards


def main() -> None:
    """Print a line for each preset and kind of control, and for both lists of uncertain parameters."""
    for preset in PRESETS:
        for kind in KINDS:
            show(preset, kind, endure(preset, kind, 100_000))
    for listed in ("sound", "published"):
        result = endure("gym", "on/off", 100_000, task=UNCERTAIN, uncertainty__parameters=listed)
        show(f"gym, {listed}", "on/off", result)


def show(what: str, kind: str, result: Endured) -> None:
    """Print one line."""
    outside = ", ".join(result.outside) or "none"
    counts = f"{result.steps:>8,} steps, {result.not_finite} not finite, outside their bounds: {outside}"
    print(f"{what:<18}{kind:<8}{counts}", flush=True)


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    main()
