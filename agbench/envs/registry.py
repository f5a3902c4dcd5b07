"""Task ids: registered with Gymnasium, and made into environments."""

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from agbench.data import places

if TYPE_CHECKING:
    import gymnasium
    import pandas as pd
    from gymnasium.vector import AutoresetMode

    from agbench.data.task import Task
    from agbench.envs import AgBenchEnv, AgBenchVectorEnv
    from agbench.envs.core import BatchCore
    from agbench.envs.farm.parallel import FarmParallelEnv
    from agbench.envs.scaling import Scaled, Scaling

NAMESPACE = "agbench"


def register_with_gymnasium() -> None:
    """Register every task that Gymnasium does not know yet; no file is opened.

    A file whose name is no task id is left out: `agbench check` says what is wrong with it.
    """
    from gymnasium.envs.registration import register, registry

    for name in places.names("task"):
        if f"{NAMESPACE}/{name}" not in registry and places.TASK_ID.fullmatch(name):
            register(
                id=f"{NAMESPACE}/{name}",
                entry_point="agbench.envs.registry:single_environment",
                vector_entry_point="agbench.envs.registry:vector_environment",
                kwargs={"task": name},
            )


def make(
    task: str,
    split: str = "train",
    render_mode: str | None = None,
    *,
    scaled: "Scaled" = False,
    scaled_reward: bool = False,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    **overrides: Any,
) -> "gymnasium.Env[Any, Any]":
    """Return a task's environment, made by Gymnasium with its usual checks around it.

    Args:
        task: an id, such as `wheat-nitrogen-v1`.
        split: the scenarios that episodes are drawn from.
        render_mode: `rgb_array`, `human` or None.
        scaled: give observations in units of their usual spread, for learners, instead of physical ones: by
            the task's own values (True), those of a file (its path), or the variables' `bounds`; see
            `agbench.envs.scaling`.
        scaled_reward: divide rewards by the usual spread of discounted returns.
        weather: a table that replaces the site's weather, daily or, for a greenhouse, every five
            minutes; see `agbench.simulate`. It is copied: what is changed in it later counts for environments
            made later.
        years: years that replace the split's.
        **overrides: any key of the task file, by its last word or its path, such as `beta=5.0`,
            `step="14 d"`, `state=["DVS", "LAI"]`, `action__kind="continuous"`, `engine="pcse"`.

    Raises:
        UnknownNameError: for a task or split that does not exist.
        ConfigError: for a wrong override; for one that is no key of the task it is a `TypeError` too.
    """
    import gymnasium

    _require_task(task)
    _changed(task, overrides)  # Gymnasium would add a page of its own to what is raised for an unknown key
    if scaled is not False or scaled_reward:
        overrides |= {"scaled": scaled, "scaled_reward": scaled_reward}
    weather = deepcopy(weather)  # Gymnasium keeps it, to make the environment again
    return gymnasium.make(
        f"{NAMESPACE}/{task}", split=split, render_mode=render_mode, weather=weather, years=years, **overrides
    )


def make_vec(
    task: str,
    num_envs: int,
    split: str = "train",
    autoreset_mode: "str | AutoresetMode" = "next_step",
    *,
    threads: int = 1,
    copy: bool = True,
    scaled: "Scaled" = False,
    scaled_reward: bool = False,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    **overrides: Any,
) -> "AgBenchVectorEnv":
    """Return `num_envs` environments of a task, stepped together in one compiled batch.

    `autoreset_mode` is `next_step`, `same_step` or `disabled`, or Gymnasium's `AutoresetMode`. The rows run
    in `threads`, with the same bits for any number of them. The other arguments are those of `make`.
    """
    return vector_environment(
        task=task,
        num_envs=num_envs,
        split=split,
        autoreset_mode=autoreset_mode,
        threads=threads,
        copy=copy,
        scaled=scaled,
        scaled_reward=scaled_reward,
        weather=weather,
        years=years,
        **overrides,
    )


def make_parallel(
    task: str,
    split: str = "train",
    render_mode: str | None = None,
    *,
    shared_reward: bool = False,
    scaled: "Scaled" = False,
    scaled_reward: bool = False,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    **overrides: Any,
) -> "FarmParallelEnv":
    """Return a farm as a PettingZoo `ParallelEnv`, an agent a field, named after it.

    The fields of any farm task have an action each, whatever its `farm.control`. An agent is paid what its
    field earns and leaves when its crop is ripe; with `shared_reward` all are paid what the farm earns and
    stay to its end. The other arguments are those of `make`.

    Raises:
        MissingExtraError: without PettingZoo; it is in the extra `farm`.
        NotApplicableError: for a task without fields of its own.
    """
    from agbench.envs.family import family

    changed = _changed(task, overrides)
    changed.check_split(split)
    env: FarmParallelEnv = family(changed).parallel(
        changed, split, deepcopy(weather), years, shared_reward, render_mode
    )
    require_totals(env.core)
    env.scale(_scaling(changed, scaled, scaled_reward), scaled_reward)
    return env


def _require_task(task: str) -> None:
    """Raise for a task that is unknown or wrong; register one that came after the import."""
    from agbench.data import catalog

    catalog.task(task)
    register_with_gymnasium()


def single_environment(
    task: str,
    split: str = "train",
    render_mode: str | None = None,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    scaled: "Scaled" = False,
    scaled_reward: bool = False,
    **overrides: Any,
) -> "AgBenchEnv":
    """Return the bare single environment; Gymnasium's entry point."""
    from agbench.envs import AgBenchEnv
    from agbench.envs.family import build

    changed = _changed(task, overrides)
    scaling = _scaling(changed, scaled, scaled_reward)
    parts = build(changed, split, weather=deepcopy(weather), years=years)
    if scaling is None:
        env = AgBenchEnv(parts, render_mode)
    else:
        from agbench.envs.scaled import ScaledEnv

        env = ScaledEnv(parts, scaling, scaled_reward, render_mode)
    require_totals(env.core)
    return env


def vector_environment(
    task: str,
    num_envs: int = 1,
    split: str = "train",
    autoreset_mode: "str | AutoresetMode" = "next_step",
    threads: int = 1,
    copy: bool = True,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    scaled: "Scaled" = False,
    scaled_reward: bool = False,
    **overrides: Any,
) -> "AgBenchVectorEnv":
    """Return the vector environment; Gymnasium's vector entry point."""
    from agbench.envs import AgBenchVectorEnv
    from agbench.envs.family import build
    from agbench.envs.threads import with_threads

    changed = _changed(task, overrides)
    scaling = _scaling(changed, scaled, scaled_reward)
    parts = build(changed, split, weather=deepcopy(weather), years=years)
    parts = with_threads(parts, threads)
    envs = AgBenchVectorEnv(parts, num_envs, autoreset_mode, copy, scaling, scaled_reward)
    require_totals(envs.core)
    return envs


def require_totals(core: "BatchCore") -> None:
    """Raise `UnknownNameError` for a metric of a total that the task's reward keeps no account of."""
    from agbench.errors import unknown

    for name, metric in core.task.metrics.items():
        if metric.total is not None and metric.total not in core.reward.totals:
            raise unknown("total", metric.total, core.reward.totals, f"{core.task.task}: metrics.{name}")


def _changed(task: str, overrides: dict[str, Any]) -> "Task":
    """Return a task with overrides; raises `UnknownKeyError` for arguments of other functions."""
    from agbench.data import catalog
    from agbench.data.overrides import override
    from agbench.errors import UnknownKeyError

    if "seed" in overrides:
        seed = overrides["seed"]
        raise UnknownKeyError(
            f"{task}: environments are made without a seed; each episode takes one: reset(seed={seed!r}). "
            f"(The seed of an evaluation's protocol is protocol__seed={seed!r}.)"
        )
    if "autoreset" in overrides:
        raise UnknownKeyError(
            f"{task}: the keyword is Gymnasium's: autoreset_mode={overrides['autoreset']!r}, for vector "
            "environments."
        )
    try:
        return override(catalog.task(task), overrides)
    except UnknownKeyError as error:  # in Python's words too, by which libraries recognise it
        raise UnknownKeyError(f"unexpected keyword argument {error.key!r}: {error}") from None


def _scaling(task: "Task", scaled: "Scaled", scaled_reward: bool) -> "Scaling | None":
    """Return the scaling that was asked for; None where everything stays in physical units."""
    from agbench.envs.scaling import scaling_of
    from agbench.errors import ConfigError

    if scaled is not False:
        return scaling_of(task, scaled)
    if scaled_reward:
        raise ConfigError(f"{task.task}: scaled_reward needs scaled=True, which names the scaling.")
    return None
