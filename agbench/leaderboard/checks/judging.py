"""Checking a whole board: every submission with the result of its check."""

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Final

from agbench.leaderboard import board as places
from agbench.leaderboard.checks.agents import refuse_taken
from agbench.leaderboard.checks.duplicates import CopyIndex
from agbench.leaderboard.checks.kept import KeptResults
from agbench.leaderboard.checks.results import NOTHING
from agbench.leaderboard.checks.rows import Rows
from agbench.leaderboard.checks.submission import CheckedSubmission, check
from agbench.untrusted import RefusedError, tables
from agbench.untrusted.confined import confined
from agbench.untrusted.refusal import shown

_LONGEST: Final = 400  # characters of an error that nobody thought of


def judged(
    board: Path, folders: Sequence[Path] | None = None, named: bool = True, kept: KeptResults = NOTHING
) -> Generator[tuple[Path, CheckedSubmission | RefusedError], None, None]:
    """Yield submissions, by default all of a board, with what each's check found.

    What lies among a board's submissions without being one is yielded too, refused. Where `folders` are
    given they are taken for newer than all others, unless they are not `named` but a choice of the board's.
    `kept` are results that were checked before.
    Whatever a submission makes go wrong costs its own row alone. Raises `ConfigError` where there is no
    board.
    """
    places.require(board)
    for path in places.strays(board) if folders is None else []:
        yield path, RefusedError(path.name, "", "does not belong among the submissions.")
    rows = Rows(board, (folders or ()) if named else ())
    index = CopyIndex(rows)
    with confined(tables.READER) as child:

        def look(folder: Path) -> CheckedSubmission:
            submission = check(folder, child, kept=kept)
            refuse_taken(submission, rows)
            index.refuse_copy(submission)
            return submission

        for folder in places.submissions(board) if folders is None else folders:
            yield folder, _attempt(look, folder)


def judged_alone(
    folders: Sequence[Path], kept: KeptResults = NOTHING
) -> Generator[CheckedSubmission | RefusedError, None, None]:
    """Yield what the check of each submission finds, whichever others it is like."""
    with confined(tables.READER) as child:
        for folder in folders:
            yield _attempt(lambda folder: check(folder, child, kept=kept), folder)


def _attempt(look: Callable[[Path], CheckedSubmission], folder: Path) -> CheckedSubmission | RefusedError:
    """Return a submission, or why it is refused."""
    try:
        return look(folder)
    except RefusedError as error:
        return error
    except OSError:  # of this machine, not of the submission
        raise
    except Exception as error:  # anyone can submit: what nobody thought of costs its own row alone
        reason = shown(f"{type(error).__name__}: {error}", _LONGEST)
        return RefusedError(folder.name, "", f"cannot be checked: {reason}")
