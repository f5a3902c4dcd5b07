"""All checks of a task, by name."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from agbench.errors import NotApplicableError, unknown
from agbench.testing.checkers import check_gymnasium, check_rendering, check_stable_baselines3
from agbench.testing.contract import Report
from agbench.testing.copies import check_copies
from agbench.testing.determinism import (
    check_another_process,
    check_autoreset_modes,
    check_replay,
    check_rows_equal_single,
    check_save_and_load,
)
from agbench.testing.response import check_response
from agbench.testing.spaces import (
    check_actions_outside_are_refused,
    check_info_is_constant_keyed,
    check_observations_are_inside,
)

CHECKS: Final[dict[str, Callable[..., None]]] = {
    "gymnasium": check_gymnasium,
    "stable-baselines3": check_stable_baselines3,
    "observations-inside": check_observations_are_inside,
    "actions-outside-refused": check_actions_outside_are_refused,
    "info-constant-keyed": check_info_is_constant_keyed,
    "rows-equal-single": check_rows_equal_single,
    "autoreset-modes": check_autoreset_modes,
    "replay": check_replay,
    "another-process": check_another_process,
    "save-and-load": check_save_and_load,
    "pickle-and-copy": check_copies,
    "response": check_response,
    "rendering": check_rendering,
}
"""Name of a check -> the function `check(task, split="train", **overrides)`."""


def check_task(
    task: str, split: str = "train", *, checks: Iterable[str] | None = None, **overrides: Any
) -> Report:
    """Run the contract over a task.

    Args:
        task: an id; `AGBENCH_PATH` finds tasks of your own.
        split: the scenarios that are used.
        checks: names out of `CHECKS`; all by default.
        **overrides: as in `agbench.make`.

    Raises:
        ContractError: by the first check that fails; the message says what differs and where.
    """
    passed, skipped = [], {}
    for name in CHECKS if checks is None else checks:
        if name not in CHECKS:
            raise unknown("check", name, CHECKS)
        try:
            CHECKS[name](task, split, **overrides)
        except NotApplicableError as reason:
            skipped[name] = str(reason)
        else:
            passed.append(name)
    return Report(task, tuple(passed), skipped)
