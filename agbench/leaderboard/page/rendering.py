"""Rendering: templates to files, escaped throughout."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import jinja2
import numpy as np
from markupsafe import Markup, escape

import agbench
from agbench.evaluation.statistics import Interval
from agbench.leaderboard.beacon import NETWORK
from agbench.leaderboard.eligible import SEEDS_TO_RANK
from agbench.leaderboard.episodes import ShownEpisode
from agbench.leaderboard.page import plots, season_data, views
from agbench.leaderboard.page.entries import Entry, place_of
from agbench.leaderboard.page.heat import heat_map
from agbench.leaderboard.page.opened import OpenRounds
from agbench.leaderboard.page.suite_views import SuiteView
from agbench.leaderboard.page.views import PUBLIC_TITLE, PublicRow, TaskView
from agbench.leaderboard.tracks import TRACKS
from agbench.leaderboard.verify.replaying import ATOL, RTOL
from agbench.leaderboard.verify.verified import EARLIER, LEVELS
from agbench.plotting import printed, signed

STATIC: Final = Path(__file__).parent / "static"
_MOST: Final = 20  # rows of a table in README.md
_MARKDOWN: Final = str.maketrans({c: f"\\{c}" for c in r"\`*_{}[]<>()#+.!|~@:&"})
_MEANINGS: Final = {
    "claimed": "form, hashes and completeness were checked; nothing was simulated.",
    "replayed": "every recorded action was simulated again here and gave the numbers claimed.",
    "reproduced": "the submitted policy was run here and took the recorded actions.",
    "hidden": "the submitted policy was run here in a round of hidden scenarios.",
}


@cache
def environment() -> jinja2.Environment:
    """Return the environment of the templates, which are compiled once: everything is escaped."""
    result = jinja2.Environment(
        loader=jinja2.PackageLoader("agbench.leaderboard.page"),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        undefined=jinja2.ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    result.filters.update(
        number=_number,
        digits=_digits,
        unit=_unit,
        place=place_of,
        web=_web,
        size=_size,
        decimals=_decimals,
        mean=lambda values: None if values is None else float(np.mean(values)),
        differs=_differs,
        markdown=lambda text: str(text).translate(_MARKDOWN).replace("\n", " "),
        range=_range,
        plainly=_plainly,
        breakable=_breakable,
        kinds=_kinds,
        by_folder=_by_folder,
    )
    result.policies["json.dumps_kwargs"] = {"sort_keys": True, "separators": (",", ":")}
    result.globals.update(
        meanings=_MEANINGS,
        levels=list(LEVELS),
        earlier=EARLIER,
        seeds_to_rank=SEEDS_TO_RANK,
        track_meanings=TRACKS,
        public_title=PUBLIC_TITLE,
        network=NETWORK,
        scenario_lines=_scenario_lines,
        most=_MOST,
    )
    return result


class Pages:
    """Renders the pages of a board into a folder; `files` is where the submissions' own are found."""

    def __init__(self, site: Path, entries: Sequence[Entry], files: str = "files") -> None:
        self._site = site
        self._made: set[Path] = set()
        self._shared = {
            "files": files,
            "version": agbench.__version__,
            "tracks": [track for track in TRACKS if any(track in e.row.tracks for e in entries)],
            "reads": sorted({e.card.information for e in entries}),
            "methods": sorted({e.card.method for e in entries}),
        }

    def index(
        self, tasks: Sequence[TaskView], suites: Sequence[SuiteView], opened: Sequence[OpenRounds]
    ) -> None:
        """Write the first page, and one for each suite."""
        total = sum(len(view.rows) for view in tasks)
        heat = {suite.id: heat_map(suite, tasks) for suite in suites}
        year = max((e.card.submitted or "" for view in tasks for e in view.entries), default="")[:4]
        paged = {view.task.task for view in tasks}
        content = {"tasks": tasks, "suites": suites, "total": total, "heat": heat, "opened": opened}
        self._write("index.html", "index.html.j2", year=year, paged=paged, **content)
        for suite in suites:
            self._write(f"suites/{suite.id}.html", "suite.html.j2", suite=suite, heat=heat[suite.id])

    def task(self, view: TaskView, compared: Mapping[str, Any]) -> None:
        """Write a task's three pages; `compared` is the data of that which compares two agents."""
        address = f"tasks/{view.task.task}"
        self._write(f"{address}.html", "task.html.j2", view=view, plots=plots.of_task(view))
        self._write(f"{address}-scenarios.html", "scenarios.html.j2", view=view)
        self._write(f"{address}-compare.html", "compare.html.j2", view=view, compared=compared)

    def submission(self, row: PublicRow, others: Sequence[PublicRow]) -> None:
        """Write a submission's page; `others` are all versions of its agent."""
        entry = row.entry
        self._write(
            row.address,
            "submission.html.j2",
            entry=entry,
            row=row,
            others=others if len(others) > 1 else (),
            scenarios=[(split, views.scenario_rows(entry, split)) for split in entry.splits],
            plot=plots.of_submission(entry),
            seasons=season_data.packed(episode.record for episode in entry.episodes),
        )

    def readme(
        self, tasks: Sequence[TaskView], suites: Sequence[SuiteView], opened: Sequence[OpenRounds]
    ) -> str:
        """Return the Markdown tables."""
        template = environment().get_template("readme.md.j2")
        return template.render(tasks=tasks, suites=suites, opened=opened, **self._shared)

    def _write(self, address: str, template: str, **content: Any) -> None:
        path = self._site / address
        if path.parent not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(path.parent)
        root = "../" * address.count("/")
        text = environment().get_template(template).render(root=root, **self._shared, **content)
        path.write_text(text, encoding="utf-8")


def _number(value: float, digits: int) -> str:
    text = f"{value:,.{max(digits, 0)}f}"
    if not text.startswith("-"):
        return text
    return signed(text if text.strip("-0.,") else text.removeprefix("-"))


def _digits(significant: int, value: float | None) -> int:
    """Return how many decimals show a value with that many significant digits."""
    if value is None or not value:
        return 1
    return max(0, significant - 1 - int(np.floor(np.log10(abs(value)))))


def _decimals(values: Iterable[float | None], significant: int = 3) -> int:
    """Return the number of decimals of a column: those of its typical value, at most three."""
    sizes = [abs(value) for value in values if value]
    return min(3, _digits(significant, float(np.median(sizes)))) if sizes else 1


def _unit(unit: str) -> str:
    """Return a unit as printed in one line."""
    return printed(unit).replace(" ", "\N{NO-BREAK SPACE}")


@lru_cache(maxsize=4096)  # every page of a task has the same
def _breakable(key: str) -> Markup:
    """Return a scenario's key that a line may break after its slashes, and nowhere else."""
    return Markup(str(escape(key)).replace("/", "/<wbr>"))


def _scenario_lines(rows: Sequence[views.ScenarioRow], decimals: int, digits: Sequence[int]) -> Markup:
    """Return the lines of a table by scenario: by hand, since a page has hundreds of such cells."""
    lines = []
    for row in rows:
        values = [row.objective, row.difference, *([] if row.regret is None else [row.regret])]
        cells = [_number(value, decimals) for value in values]
        cells += [_number(value, places) for value, places in zip(row.metrics, digits, strict=True)]
        lines.append(f"<tr><th>{_breakable(row.key)}<td>{'<td>'.join(cells)}")
    return Markup("\n".join(lines))


def _kinds(exact: Mapping[str, bool]) -> str:
    """Return the kinds of machine on which states were equal to the last bit, or were not, a line each."""
    return "\n".join(f"{kind}: {'yes' if equal else 'no'}" for kind, equal in exact.items())


def _web(address: str) -> str:
    """Return an address if it leads to the web, else nothing."""
    return address if address.startswith(("https://", "http://")) else ""


def _size(count: int) -> str:
    return f"{count:,} B" if count < 1000 else f"{count / 1000:,.0f} kB"


def _by_folder(files: Mapping[str, int]) -> dict[str, list[tuple[str, int]]]:
    """Return names and sizes of files by the folder that they lie in, its slash at the end."""
    result: dict[str, list[tuple[str, int]]] = {}
    for path, size in files.items():
        folder, slash, name = path.rpartition("/")
        result.setdefault(folder + slash, []).append((name, size))
    return result


def _differs(episode: ShownEpisode) -> bool:
    """Return whether an episode's objective here is another than the one that was submitted."""
    return not np.isclose(episode.record.objective, episode.claimed, rtol=RTOL, atol=ATOL)


def _plainly(values: Sequence[float]) -> str:
    """Return an interval of an open round, which was rounded, without digits that it does not have."""
    value, low, high = (signed(f"{part:g}") for part in values)
    return f"{value} ({low} to {high})"


def _range(result: Interval) -> str:
    return f"{_number(result.value, 1)} ({_number(result.low, 1)} to {_number(result.high, 1)})"
