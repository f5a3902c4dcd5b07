"""The package's own exceptions, and the sentence that suggests the nearest valid names."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Final


class AgBenchError(Exception):
    """Base of every error that AgBench raises for a reason a user can mend."""


class ConfigError(AgBenchError, ValueError):
    """A data file (task, crop, soil, site) or an override is wrong; names file, key and value."""


class UnknownKeyError(ConfigError, TypeError):
    """A keyword that is no key of a task. It is a `TypeError` too, as for any function's unknown argument."""

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class UnknownNameError(AgBenchError, ValueError):
    """A task, policy, split, variable or other name does not exist; names the nearest ones."""


class WeatherError(AgBenchError, ValueError):
    """A weather series has a gap, lacks a column or does not cover the requested dates."""


class ActionError(AgBenchError, ValueError):
    """An action lies outside the action space, or has the wrong shape or type."""


class ResultError(AgBenchError, ValueError):
    """A result folder is incomplete, damaged or does not fit the task."""


class DatasetError(AgBenchError, ValueError):
    """A dataset cannot be made, read or verified; says which, where and what to do."""


class SimulationError(AgBenchError, RuntimeError):
    """A simulator met a state or request that its model does not allow."""


class TrainingError(AgBenchError, RuntimeError):
    """A training or a sweep of trainings cannot go on; the message says why and what to do."""


class WorkerError(AgBenchError, RuntimeError):
    """Workers died, cannot be reached, or run other code; the message says what to do."""


class MissingExtraError(AgBenchError, ImportError):
    """An optional dependency is not installed; the message prints the command that installs it."""


class ContractError(AgBenchError, AssertionError):
    """A task or policy breaks the contract; the message says what differs and where."""


class AgBenchWarning(UserWarning):
    """Something of a user's or of a package's is passed over; says what, why and what to do."""


class NotApplicableError(AgBenchError):
    """A check cannot run here; the message says why. `check_task` reports it as skipped."""


def one_line(text: str) -> str:
    """Return a text with all its white space, line breaks too, as single blanks."""
    return " ".join(text.split())


def described(error: BaseException) -> str:
    """Return what other people's code raised, in one line: type, message, file and line."""
    text = one_line(f"{type(error).__name__}: {error}").removesuffix(":")
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None:
        return text
    return f"{text} ({Path(frame.tb_frame.f_code.co_filename).name}, line {frame.tb_lineno})"


LISTED: Final = 40
"""How many names an error lists."""


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` for the nearest candidates, or list them, at most `LISTED`."""
    names = sorted(set(candidates))
    lower = {n.lower(): n for n in names}
    near = get_close_matches(str(name).lower(), list(lower), n=2, cutoff=0.6)
    if near:
        return " Did you mean " + " or ".join(repr(lower[n]) for n in near) + "?"
    rest = f", and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f" Known: {', '.join(names[:LISTED]) or 'none'}{rest}."


def unknown(kind: str, name: str, candidates: Iterable[str], where: str = "") -> UnknownNameError:
    """Return the error for a `name` that is not one of the `candidates`, the names of a `kind`."""
    place = f"{where}: " if where else ""
    return UnknownNameError(f"{place}unknown {kind} {name!r}.{did_you_mean(name, candidates)}")
