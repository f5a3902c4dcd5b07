"""Building the page: all files go to a new folder, which then replaces the old site."""

import gc
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from threadpoolctl import threadpool_limits

from agbench.errors import ConfigError
from agbench.files import asked_for, require_movable, write_text
from agbench.leaderboard import board as places
from agbench.leaderboard import standings
from agbench.leaderboard.checks.versions import natural
from agbench.leaderboard.episodes import MOST
from agbench.leaderboard.page import entries as collecting
from agbench.leaderboard.page import suite_views, views
from agbench.leaderboard.page.comparing import compared
from agbench.leaderboard.page.download import write_board, write_pairs, write_round, write_table
from agbench.leaderboard.page.entries import Entry, Progress, Refused, place_of, reason_of
from agbench.leaderboard.page.opened import opened
from agbench.leaderboard.page.rendering import STATIC, Pages
from agbench.leaderboard.page.views import PublicRow, RoundView

SITE: Final = "site"
README: Final = "README.md"
EPISODES: Final = MOST
_ADDRESS: Final = re.compile(r"https://[A-Za-z0-9._~:/@%-]+|[A-Za-z0-9._/-]+", re.ASCII)
_COPIES: Final = "files"  # in the site
_COLLECTED: Final = (20_000, 20, 10)  # new objects until the youngest are looked through, and so on
_MARK: Final = ".agbench-leaderboard"  # in every site: only such a folder is ever replaced


@dataclass(frozen=True)
class Built:
    """What a build made: how many submissions and tasks it shows, and what it left out."""

    site: Path
    submissions: int
    tasks: int
    refused: list[Refused]


def build(
    board: Path,
    out: Path | None = None,
    episodes: int = EPISODES,
    cache: Path | None = None,
    progress: Progress | None = None,
    files: str | None = None,
) -> Built:
    """Write the site to `out`, by default `BOARD/site`, and the tables to `BOARD/README.md`.

    `episodes` of each submission are drawn: those that its verification kept, others simulated again from its
    actions and kept in `cache`, by default the user's cache folder, which also keeps results that were
    checked. Submissions that a check refuses, or that cannot be scored or drawn, are left out. `progress` is
    called for each submission, and for each task when its pages are written. The same board gives the same
    bytes, whatever the cache holds. `files` is the address under which readers find the board's submissions;
    by default those of the board itself where the site lies on it, else copies in the site.
    Raises `ConfigError` where there is no board, or where `out` is something else than a site or an empty
    folder.
    """
    places.require(board)
    site = out or board / SITE
    _check_replaceable(site)
    if files is not None and not _ADDRESS.fullmatch(files):
        raise ConfigError(f"{files!r} is no address such as https://example.org/leaderboard/submissions.")
    # Products are small: threads take longer to wait for each other.
    with threadpool_limits(1, "blas"), _collecting_seldom():
        return _built(board, site, episodes, cache, progress, files)


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Look for garbage in cycles seldom: a build makes next to none, and keeps what it makes to its end."""
    usual = gc.get_threshold()
    gc.set_threshold(*_COLLECTED)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _built(
    board: Path, site: Path, episodes: int, cache: Path | None, progress: Progress | None, files: str | None
) -> Built:
    """Check all submissions, write the site to a new folder and put it into its place."""
    result, refused = collecting.collect(board, episodes, cache, progress)
    site.absolute().parent.mkdir(parents=True, exist_ok=True)
    places.sweep(site.absolute().parent, f".{site.name}-*", _MARK)
    places.sweep(board, f"{places.DRAFT}*")
    with asked_for(site):
        building = Path(tempfile.mkdtemp(prefix=f".{site.name}-", dir=site.absolute().parent))
        try:
            (building / _MARK).write_text("Made by `agbench leaderboard build`, which replaces it whole.\n")
            address = files or _files_address(board, site)
            readme, tasks, shown, bad = _rendered(building, result, board, address, progress)
            for entry in shown if address == _COPIES else ():
                _give(entry.submission.folder, entry.files, building / _COPIES / place_of(entry.card))
            _give(STATIC, _static_files(), building)
            building.chmod(0o755)
            _swap(building, site)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    _write_readme(board / README, readme)
    return Built(site, len(shown), tasks, [*refused, *bad])


def _write_readme(path: Path, text: str) -> None:
    """Write the tables unless they stand there: a read-only board can have its site elsewhere."""
    if not path.is_file() or path.read_bytes() != text.encode():
        write_text(path, text)


def _files_address(board: Path, site: Path) -> str:
    """Return where the pages of a site find the submissions' files: on the board, or copied."""
    return f"../{places.SUBMISSIONS}" if site.absolute().parent == board.absolute() else _COPIES


def _rendered(
    folder: Path, entries: list[Entry], board: Path, files: str, progress: Progress | None
) -> tuple[str, int, list[Entry], list[Refused]]:
    """Write the pages of those that can be drawn; return the tables, the tasks' number, them, the others."""
    bad: list[Refused] = []
    while True:
        readme, tasks, failed = render(folder, entries, board, files, progress)
        if not failed:
            return readme, tasks, entries, bad
        bad += failed
        entries = [e for e in entries if all(e.submission.folder != refused.folder for refused in failed)]
        for path in (path for path in folder.iterdir() if path.name != _MARK):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def render(
    folder: Path, entries: Sequence[Entry], board: Path, files: str, progress: Progress | None = None
) -> tuple[str, int, list[Refused]]:
    """Write all pages into a folder; return the Markdown tables, how many tasks there are, and the failed.

    Pages are whole where none failed.
    """
    tasks, suites = views.tasks(entries, board), suite_views.suites(entries, board)
    pages, failed = Pages(folder, entries, files), []
    still = opened(board)
    pages.index(tasks, suites, still)
    write_board(folder / "data", tasks)
    for done, view in enumerate(tasks):
        if progress is not None:
            progress(done, len(tasks), f"pages of {view.task.task}")
        pages.task(view, compared(view, board))
        write_table(folder / "data" / f"{view.task.task}.csv", view)
        for shown in view.rounds:
            write_round(folder / "data" / f"{view.task.task}-round-{shown.entry.round}.csv", shown)
            _give_values(board, shown, folder / "data")
            write_pairs(folder / "data", board, view.task, shown)
        for row, versions in _with_versions(view.rows):
            try:
                pages.submission(row, versions)
            except OSError:  # of this machine, not of the submission
                raise
            except Exception as error:  # anyone can submit: show any error
                failed.append(Refused(row.entry.submission.folder, reason_of(error)))
    return pages.readme(tasks, suites, still), len(tasks), failed


def _check_replaceable(site: Path) -> None:
    """Refuse to replace a folder that no build has made."""
    if site.is_symlink() or (site.exists() and not site.is_dir()):
        raise ConfigError(f"{site}: is not a folder; choose a folder that a build may replace.")
    require_movable(site, ConfigError)
    if site.is_dir() and any(site.iterdir()) and not (site / _MARK).is_file():
        raise ConfigError(f"{site}: is not a site; choose an empty or a new folder.")


def _swap(building: Path, site: Path) -> None:
    """Put the new site into its place; where that fails, the old one comes back."""
    old = building.with_name(f"{building.name}-old")
    had = site.is_dir()
    if had:
        os.rename(site, old)
    try:
        os.rename(building, site)
    except OSError:
        if had:
            os.rename(old, site)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _give_values(board: Path, shown: RoundView, folder: Path) -> None:
    """Put a copy of a closed round's values into the site."""
    values = standings.values_path(board, shown.entry.task, shown.entry.round)
    if shown.entry.closed is not None and values.is_file():
        shutil.copyfile(values, folder / f"{shown.entry.task}-round-{shown.entry.round}-values.csv")


def _with_versions(rows: Iterable[PublicRow]) -> list[tuple[PublicRow, list[PublicRow]]]:
    """Return each row with all rows of its agent, the last version first."""
    by_agent: dict[str, list[PublicRow]] = {}
    for row in rows:
        by_agent.setdefault(row.entry.card.agent, []).append(row)
    for result in by_agent.values():
        result.sort(key=lambda r: natural(r.entry.card.version), reverse=True)
    return [(row, by_agent[row.entry.card.agent]) for row in rows]


def _static_files() -> list[str]:
    """Return the names of the files that are the same on every site."""
    return [path.relative_to(STATIC).as_posix() for path in sorted(STATIC.rglob("*")) if path.is_file()]


def _give(source: Path, names: Iterable[str], folder: Path) -> None:
    """Put copies of files into the site: a link would be the board's own file."""
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target, follow_symlinks=False)
