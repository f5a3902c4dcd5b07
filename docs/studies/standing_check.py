"""Where references of tasks do not stand as they should: python docs/studies/standing_check.py [SUITE ...].

For every task of the suites (`core` and `field`, if none are named), from its anchors: an oracle that another
reference beats, in the mean or in a season by more than 1 % of the mean of oracle less floor; a blind
calendar below the floor or above the expert; one that reaches 90 % of the expert's gain; fewer than 30 test
seasons in a field; an interval wider than 15 points on each side. Exit code 1 if the pages leave one of them
unexplained.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from enough_seasons import ALLOWED
from task_standing import CLOSE, Standing, standing

from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.suites import suites
from agbench.evaluation.references import ROLES

PAGES: Final = Path(__file__).parents[1] / "tasks"
SEASONS: Final = 30
"""Test seasons that a field task should have."""
_CLEARLY: Final = 0.01  # of the mean of oracle less floor


def violations(of: Standing, page: str) -> Iterator[tuple[str, bool]]:
    """Yield what is wrong with a task's references, and whether its page explains it."""
    missing = [role for role in ROLES if role not in of.values]
    if missing:
        yield f"no {', '.join(missing)}", False
        return
    means = {role: float(values.mean()) for role, values in of.values.items()}
    room = means["oracle"] - means["floor"]
    for role in ("floor", "blind", "expert"):
        more = of.values[role] - of.values["oracle"]
        seasons = int((more > _CLEARLY * room).sum())
        if means[role] > means["oracle"] or seasons:
            yield (
                f"{role} beats the oracle in {seasons} of {of.seasons} seasons, by up to {more.max():.4g}",
                False,
            )
    gains = {role: mean - means["floor"] for role, mean in means.items()}
    if gains["blind"] < 0.0:
        yield f"blind is {-gains['blind']:.4g} below the floor", "earns less than the floor" in page
    if gains["blind"] > gains["expert"]:
        yield f"blind is {gains['blind'] - gains['expert']:.4g} above the expert", False
    elif gains["blind"] >= CLOSE * gains["expert"]:
        share = gains["blind"] / gains["expert"]
        yield f"blind reaches {share:.0%} of the expert's gain", "The blind calendar reaches" in page
    if isinstance(of.task, FieldTask) and of.seasons < SEASONS:
        yield f"{of.seasons} test seasons", False
    half = of.half_width or 0.0
    if half > ALLOWED:
        yield f"half width {half:.0f} points", f"would give it to ±{ALLOWED:g}" in page


def main(names: list[str]) -> int:
    """Print a line for each violation; return 1 if a page leaves one unexplained."""
    tasks = list(dict.fromkeys(task for name in names for task in suites()[name].ids))
    unexplained = 0
    for name in tasks:
        of, path = standing(catalog.task(name), "test"), PAGES / f"{name}.md"
        found = [("no anchors that fit", False)] if of is None else []
        found += [] if of is None else list(violations(of, path.read_text() if path.is_file() else ""))
        for text, explained in found:
            unexplained += not explained
            print(f"{name}: {text}{' (its page says why)' if explained else ''}")
    print(f"{len(tasks)} tasks of {', '.join(names)}; {unexplained} violations without an explanation")
    return int(unexplained > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["core", "field"]))
