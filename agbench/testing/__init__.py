"""The contract of tasks and policies, as checks that anyone can run on theirs.

>>> from agbench.testing import check_task
>>> print(check_task("wheat-nitrogen-v1"))  # doctest: +SKIP
wheat-nitrogen-v1 keeps the contract: 13 checks passed.

`check_task` runs all of `CHECKS`; each can be run alone, `CHECKS["replay"]("wheat-nitrogen-v1")` or
`check_replay("wheat-nitrogen-v1")`, and takes a split and overrides as `agbench.make` does. A check
raises `ContractError`, an `AssertionError` that says what differs and where: the first step, the
row, the variable. In pytest:

    @pytest.mark.parametrize("check", CHECKS.values(), ids=list(CHECKS))
    def test_my_task_keeps_the_contract(check):
        check("my-task-v1")
"""

from agbench.errors import ContractError, NotApplicableError
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
from agbench.testing.policies import check_policy
from agbench.testing.response import check_response
from agbench.testing.spaces import (
    check_actions_outside_are_refused,
    check_info_is_constant_keyed,
    check_observations_are_inside,
)
from agbench.testing.tasks import CHECKS, check_task

__all__ = [
    "CHECKS",
    "ContractError",
    "NotApplicableError",
    "Report",
    "check_actions_outside_are_refused",
    "check_another_process",
    "check_autoreset_modes",
    "check_copies",
    "check_gymnasium",
    "check_info_is_constant_keyed",
    "check_observations_are_inside",
    "check_policy",
    "check_rendering",
    "check_replay",
    "check_response",
    "check_rows_equal_single",
    "check_save_and_load",
    "check_stable_baselines3",
    "check_task",
]
