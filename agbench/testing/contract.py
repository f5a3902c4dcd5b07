"""The outcome of a check: it fails, does not apply, or passes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from agbench.errors import ContractError


@dataclass(frozen=True)
class Report:
    """What `check_task` or `check_policy` did: the checks that passed and those it skipped."""

    subject: str
    passed: tuple[str, ...]
    skipped: Mapping[str, str]
    """Why, by check."""

    def __str__(self) -> str:
        lines = [f"{self.subject} keeps the contract: {len(self.passed)} checks passed."]
        lines += [f"skipped {name}: {reason}" for name, reason in self.skipped.items()]
        return "\n".join(lines)


def fail(message: str) -> NoReturn:
    """Raise `ContractError`."""
    raise ContractError(message)
