"""What the reference policies of a task reach on a split, from its anchors, in Markdown."""

from dataclasses import dataclass
from typing import Final

from enough_seasons import ALLOWED, half_width, needed
from task_words import ROOT, many, table

from agbench import Result
from agbench.data.field_task import FieldTask
from agbench.data.task import Task
from agbench.errors import ConfigError
from agbench.evaluation import anchors, provenance, references
from agbench.evaluation.anchors import SplitAnchors
from agbench.evaluation.references import ROLES, Part, Role
from agbench.evaluation.statistics import Interval, interval
from agbench.variables import Floats

NAMES: Final[dict[Role, str]] = {
    "floor": "floor",
    "blind": "blind calendar",
    "expert": "expert",
    "oracle": "oracle",
}
CLOSE: Final = 0.9
"""The share of the expert's gain from which on a blind calendar asks for an explanation."""
_LITTLE: Final = 0.1
"""An oracle that gains less than this share more than the calendar has little to know."""
_OFTEN: Final = 0.25
"""The share of seasons below the floor from which on an expert's feeding elsewhere is shown."""
BOARD: Final = ROOT / "leaderboard/submissions"


@dataclass(frozen=True)
class Standing:
    """The objective of the references in the scenarios of a split, (scenarios,) each.

    `scale` is what 100 points are: the mean of oracle less floor on `test`; None without an oracle.
    """

    task: Task
    split: str
    values: dict[Role, Floats]
    scale: float | None

    @property
    def seasons(self) -> int:
        """The number of scenarios."""
        return len(self.values["floor"])

    def mean(self, role: Role, less: Role | None = None) -> Interval:
        """Return the mean objective of a reference, or what it earns more than another, with its interval."""
        values = self.values[role] if less is None else self.values[role] - self.values[less]
        return self._interval(values)

    def score(self, role: Role, less: Role = "floor") -> Interval | None:
        """Return what a reference earns more than the floor, or another, in points, with its interval."""
        if self.scale is None or not self.scale:
            return None
        return self._interval(100.0 * (self.values[role] - self.values[less]) / self.scale)

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval of the expert's score [points]."""
        score = self.score("expert")
        return None if score is None else half_width(score)

    def _interval(self, values: Floats) -> Interval:
        protocol = self.task.protocol
        return interval(values, "mean", protocol.bootstrap, protocol.seed)


def standing(task: Task, split: str) -> Standing | None:
    """Return what a task's references reach on a split; None where no anchors fit the task."""
    try:
        test, own = anchors.of_split(task, "test"), anchors.of_split(task, split)
    except ConfigError:
        return None
    return of_anchors(task, split, own, test)


def of_anchors(task: Task, split: str, own: SplitAnchors, test: SplitAnchors) -> Standing:
    """Return the standing that the anchors of a split, and of `test`, make."""
    values = {role: getattr(own, role) for role in ROLES if getattr(own, role) is not None}
    scale = None if test.oracle is None else float((test.oracle - test.floor).mean())
    return Standing(task, split, values, scale)


def described(of: Standing) -> list[str]:
    """Return the table of the references on a split, and what follows from it."""
    unit = of.task.protocol.objective_unit
    cells = [
        (
            NAMES[role],
            f"`{references.policy_name(of.task, role)}`",
            amount(of.mean(role)),
            points(of.score(role)),
        )
        for role in of.values
    ]
    head = ("reference", "policy", f"mean {of.task.protocol.objective} [{unit}]", "points")
    return [*table(head, cells), "", *comparisons(of)]


def comparisons(of: Standing) -> list[str]:
    """Return what observing is worth, what room is left, and how well the expert's score is known."""
    unit = of.task.protocol.objective_unit
    lines = []
    if "blind" in of.values:
        worth = of.mean("expert", "blind")
        lines.append(
            f"- What observing is worth, expert less blind calendar: {amount(worth)} {unit}"
            f"{_in_points(of.score('expert', 'blind'))}."
        )
        if worth.low <= 0.0 <= worth.high:
            seasons = many(of.seasons, "season")
            lines.append(f"- This interval holds 0: {seasons} do not tell the expert from the calendar.")
    if "oracle" in of.values:
        lines.append(
            f"- Headroom, oracle less expert: {amount(of.mean('oracle', 'expert'))} {unit}"
            f"{_in_points(of.score('oracle', 'expert'))}."
        )
    return [*lines, *_precision(of), *_why_close(of), *_below_the_floor(of), *_overlap(of)]


def _precision(of: Standing) -> list[str]:
    half = of.half_width
    if half is None:
        return []
    text = f"- {many(of.seasons, 'season')} give the expert's points to ±{half:.1f}"
    count = needed(of.seasons, half)
    if count <= of.seasons:
        return [f"{text}, within the ±{ALLOWED:g} that a split should have."]
    return [f"{text}; {many(count, 'season')} would give it to ±{ALLOWED:g}."]


def _why_close(of: Standing) -> list[str]:
    """Return the sentence that explains a blind calendar which comes near the expert."""
    if "blind" not in of.values or of.scale is None:
        return []
    gains = {role: float((of.values[role] - of.values["floor"]).mean()) for role in of.values}
    if gains["expert"] <= 0.0 or gains["blind"] < CLOSE * gains["expert"]:
        return []
    share = gains["blind"] / gains["expert"]
    begin = f"- The blind calendar reaches {share:.0%} of what the expert gains over the floor: "
    if "oracle" not in of.values:
        return [f"{begin}both were tuned where training is, and neither was made for this place."]
    more = gains["oracle"] / gains["blind"] - 1.0
    if more < _LITTLE:
        return [
            f"{begin}even the oracle, which knows the weather to come, gains only {more:.0%} more than the "
            "calendar. Near the best, what is earned hardly changes with what is done when."
        ]
    return [
        f"{begin}the oracle, which knows the weather to come, gains {more:.0%} more than the calendar, of "
        f"which what the expert sees of a season brings {points(of.score('expert', 'blind'))} points. The "
        "rest lies in weather to come, or in what its rules do not use."
    ]


def _below_the_floor(of: Standing) -> list[str]:
    """Return what to know where a calendar or the expert earns less than the floor."""
    lines = []
    if "blind" in of.values and of.values["blind"].mean() < of.values["floor"].mean():
        why = (
            "it was fitted to other seasons."
            if isinstance(of.task, FieldTask)
            else "it knows the hour and the day of the year, and the floor's climate computer feels the "
            "weather of each day."
        )
        lines.append(f"- The blind calendar earns less than the floor: {why}")
    below = int((of.values["expert"] < of.values["floor"]).sum())
    if below:
        lines.append(f"- The expert earns less than the floor in {below} of {many(of.seasons, 'season')}.")
    if of.split == "shift" and below >= _OFTEN * of.seasons:
        lines += _elsewhere(of.task)
    return lines


def _elsewhere(task: Task) -> list[str]:
    """Return what the expert's feeding brings in another place, beside what it brings on `test`."""
    if not isinstance(task, FieldTask) or "yield" not in task.metrics:
        return []
    unit = task.metrics["yield"].unit
    gains = {}
    for split in ("test", "shift"):
        fed, unfed = (result(task, role, split) for role in ("expert", "floor"))
        if fed is None or unfed is None:
            return []
        gains[split] = fed.by_scenario("yield").mean() - unfed.by_scenario("yield").mean()
    given = result(task, "expert", "shift")
    water = given.by_scenario("water").mean() if given and "water" in task.metrics else 0.0
    wet = f", {water:.0f} cm of water among them," if water >= 1.0 else ""
    return [
        f"- The expert's inputs{wet} bring {gains['shift']:.2f} {unit} more than none do there, and "
        f"{gains['test']:.2f} on `test`. Amounts and thresholds were tuned where training is, and rules know "
        "neither how much the crop can grow in another place nor how much it will rain."
    ]


def result(task: Task, role: Role, split: str) -> Result | None:
    """Return a reference's result: what `agbench anchors` kept, or else what the board's first row holds."""
    kept = references.kept(Part(task.task, role, split))
    folder = BOARD / task.task / role / "1" / split / "seed-0"
    if kept is None and (folder / "result.yaml").is_file():
        kept = Result.load(folder)
        if kept.record["task_hash"] != provenance.task_hash(task):
            return None
    return kept


def _overlap(of: Standing) -> list[str]:
    years = getattr(getattr(of.task, "season", None), "years", 1)
    if years == 1 or any("generated" in key for key in of.task.scenarios(of.split)):
        return []
    text = (
        f"- An episode lasts {years} years, one begins in each: they overlap, and true intervals are wider."
    )
    if of.half_width is not None:
        alone = of.half_width * years**0.5
        text += (
            f" If they tell as much as {of.seasons // years} that do not, they give the expert's points to "
            f"±{alone:.1f}."
        )
    return [text]


def metrics(task: Task) -> list[str]:
    """Return the table of a task's metrics."""
    cells = [(f"`{name}`", spec.unit, spec.meaning) for name, spec in task.metrics.items()]
    return table(("metric", "unit", "meaning"), cells)


def reached(task: Task, play: bool) -> list[str]:
    """Return the mean metrics of the references on `test`, of those whose results are kept or on the board.

    `play` evaluates floor, blind calendar and expert where there is no result. What is left out is said.
    """
    cells = []
    for role in ROLES:
        if references.policy_name(task, role) is None:
            continue
        found = result(task, role, "test")
        if found is None and play and role != "oracle":
            found = Result.load(references.run(Part(task.task, role, "test"))[0])
        if found is None:
            print(f"{task.task}: no metrics of the {NAMES[role]}: no result is kept or on the board")
            continue
        means = [f"{found.by_scenario(m).mean():.{s.digits}f}" for m, s in task.metrics.items()]
        cells.append((NAMES[role], *means))
    years = getattr(getattr(task, "season", None), "years", 1)
    whole = f", each over the {years} years of an episode" if years > 1 else ""
    head = ("", *task.metrics)
    return ["", f"Means of the references on `test`{whole}:", "", *table(head, cells)] if cells else []


def amount(of: Interval) -> str:
    """Return an objective with its interval, with digits by its size."""
    digits = 0 if max(map(abs, of)) >= 1000 else 1 if max(map(abs, of)) >= 100 else 2
    value, low, high = (f"{round(number, digits) + 0.0:,.{digits}f}" for number in of)  # no -0.00
    return f"{value} [{low}, {high}]"


def points(of: Interval | None) -> str:
    """Return a score with its interval; a dash where there is none."""
    return "–" if of is None else f"{of.value:.1f} [{of.low:.1f}, {of.high:.1f}]"


def _in_points(of: Interval | None) -> str:
    return "" if of is None else f", {points(of)} points"
