"""The blind calendar of farm-nitrogen-v1: the best of many on training seasons, within the budget.

Run: `python docs/studies/farm_calendar.py`. Fields do not touch each other but for the budget. So each is
played by itself with many calendars: totals of 0 to 280 kg ha-1, from seven weeks on, in doses of 20 to 60
kg ha-1, one to five weeks apart. Dynamic programming then chooses one a field within the budget. The seasons
are every third one of the training split; no other takes part. The calendar is printed as the settings of
`baselines/farm-nitrogen-v1/blind-calendar.yaml`.
"""

from typing import Any, Final

import numpy as np

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.rollout import play
from agbench.evaluation import protocol
from agbench.policies.field.fieldwise_search import best_within
from agbench.policies.field.schedule import decision_dates

DOSE: Final = 20  # kg ha-1, the step of the menu, whose largest dose is 60
TOTALS: Final = range(0, 281, DOSE)  # kg ha-1
FIRST: Final = range(0, 19, 3)  # decisions
FORMS: Final = ((60, 1), (60, 5), (40, 4), (20, 1))  # kg ha-1 a dose, decisions apart
LAST: Final = 24  # decisions: what comes later is hardly taken up
AT_ONCE: Final = 8  # calendars


def calendar(total: int, first: int, dose: int, apart: int) -> list[int] | None:
    """Return what is given at each decision [menu numbers]; None where that ends too late."""
    result, week = [0] * LAST, first
    for given in range(0, total, dose):
        if week >= LAST:
            return None
        result[week] = min(dose, total - given) // DOSE
        week += apart
    return result


def main() -> None:
    """Print the calendar."""
    task: Any = catalog.task("farm-nitrogen-v1")
    parts = build(override(task, {"farm__budgets": {}}), "train")
    seasons = protocol.episodes(task, parts.scenarios)[::3]
    drawn = {
        tuple(plan)
        for total in TOTALS
        for first in FIRST
        for form in FORMS
        if (plan := calendar(total, first, *form)) is not None
    }
    plans = np.array(sorted(drawn))
    values = np.concatenate([played(parts, seasons, plans[i : i + AT_ONCE]) for i in range(0, len(plans), 8)])
    spent = plans.sum(axis=1) * float(DOSE)
    budget = np.array([float(task.farm.budgets["N"])])
    hectares = [spent[:, None] * area for area in task.areas]
    chosen = best_within(list(values.T), hectares, budget)
    dates = decision_dates(task.season, LAST)
    print("settings:\n    policy: schedule\n    fields:")
    for name, number in zip(task.field_names, chosen, strict=True):
        entries = [
            f"{{date: {date}, amount: {float(code * DOSE)}}}"
            for date, code in zip(dates, plans[number], strict=True)
            if code
        ]
        print(f"        {name}:\n            input: N\n            dates: fixed")
        print(f"            plan: [{', '.join(entries)}]")
    best = sum(values[number, field] for field, number in enumerate(chosen))
    print(f"# {len(plans)} calendars, {len(seasons)} seasons: {best:.1f} kg in the mean")


def played(parts: Any, seasons: list[protocol.Episode], plans: Any) -> Any:
    """Return what each calendar earns on each field in the mean [kg], (plans, fields)."""
    core = BatchCore(parts, len(plans) * len(seasons))
    core.start([s.scenario for s in seasons] * len(plans), [s.seed for s in seasons] * len(plans))
    of_row, fields = np.repeat(np.arange(len(plans)), len(seasons)), parts.task.field_names

    def act(_: Any, decision: int) -> Any:
        codes = plans[of_row, decision] if decision < LAST else np.zeros(core.n, dtype=np.int64)
        return np.repeat(codes[:, None], len(fields), axis=1)

    play(core, act)
    totals = [core.reward.totals[f"return.{name}"] for name in fields]
    return np.stack([total.reshape(len(plans), -1).mean(axis=1) for total in totals], axis=1)


if __name__ == "__main__":
    main()
