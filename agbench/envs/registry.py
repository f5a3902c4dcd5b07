"""Task ids: registered with Gymnasium, and made into environments."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agbench.data import places

if TYPE_CHECKING:
    import gymnasium
    import pandas as pd
    from gymnasium.vector import AutoresetMode

    from agbench.envs import AgBenchEnv, AgBenchVectorEnv
    from agbench.envs.farm.parallel import FarmParallelEnv

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
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    **overrides: Any,
) -> "gymnasium.Env[Any, Any]":
    """Return a task's environment, made by Gymnasium with its usual checks around it.

    Args:
        task: an id, such as `wheat-nitrogen-v1`.
        split: the scenarios that episodes are drawn from.
        render_mode: `rgb_array`, `human` or None.
        weather: a table that replaces the site's weather, daily or, for a greenhouse, every five
            minutes; see `agbench.simulate`.
        years: years that replace the split's.
        **overrides: any key of the task file, by its last word or its path, such as `beta=5.0`,
            `step="14 d"`, `state=["DVS", "LAI"]`, `action__kind="continuous"`, `engine="pcse"`.

    Raises:
        UnknownNameError: for a task or split that does not exist.
        ConfigError: for a wrong override.
    """
    import gymnasium

    _require_task(task)
    return gymnasium.make(
        f"{NAMESPACE}/{task}", split=split, render_mode=render_mode, weather=weather, years=years, **overrides
    )


def make_vec(
    task: str,
    num_envs: int,
    split: str = "train",
    autoreset: "str | AutoresetMode" = "same_step",
    *,
    copy: bool = True,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    **overrides: Any,
) -> "AgBenchVectorEnv":
    """Return `num_envs` environments of a task, stepped together in one compiled batch.

    `autoreset` is `same_step`, `next_step` or `disabled`; the other arguments are those of `make`.
    """
    return vector_environment(
        task=task,
        num_envs=num_envs,
        split=split,
        autoreset=autoreset,
        copy=copy,
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
    from agbench.data import catalog
    from agbench.data.overrides import override
    from agbench.envs.family import family

    changed = override(catalog.task(task), overrides)
    changed.check_split(split)
    env: FarmParallelEnv = family(changed).parallel(
        changed, split, weather, years, shared_reward, render_mode
    )
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
    **overrides: Any,
) -> "AgBenchEnv":
    """Return the bare single environment; Gymnasium's entry point."""
    from agbench.data import catalog
    from agbench.data.overrides import override
    from agbench.envs import AgBenchEnv
    from agbench.envs.family import build

    changed = override(catalog.task(task), overrides)
    return AgBenchEnv(build(changed, split, weather=weather, years=years), render_mode)


def vector_environment(
    task: str,
    num_envs: int = 1,
    split: str = "train",
    autoreset: "str | AutoresetMode" = "same_step",
    copy: bool = True,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    **overrides: Any,
) -> "AgBenchVectorEnv":
    """Return the vector environment; Gymnasium's vector entry point."""
    from agbench.data import catalog
    from agbench.data.overrides import override
    from agbench.envs import AgBenchVectorEnv
    from agbench.envs.family import build

    changed = override(catalog.task(task), overrides)
    parts = build(changed, split, weather=weather, years=years)
    return AgBenchVectorEnv(parts, num_envs, autoreset, copy)
