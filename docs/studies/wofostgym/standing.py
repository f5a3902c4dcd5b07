"""What the wheat of Figure 2 sums to if the ripe crop stands until the season's end, as the paper's does.

    python docs/studies/wofostgym/standing.py

Here the crop ends its season when it is ripe. The stored runs have `crop_end_type: max_duration`: the ripe
crop stands until 1 October or until it is dead, and its weight is added up each day. This adds these days to
seasons of the benchmark: the weight falls by the published death rates, and nothing grows. Below it stands
what the potential is with other changes of the task.
"""

import os
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

HERE = Path(__file__).parent
os.environ["AGBENCH_PATH"] = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("AGBENCH_PATH")])])

import numpy as np  # noqa: E402

import agbench  # noqa: E402
from agbench.data import catalog  # noqa: E402
from agbench.data.overrides import override  # noqa: E402
from agbench.weather.columns import DAILY  # noqa: E402
from agbench.weather.site import site_series  # noqa: E402

TASK: Final = "wofostgym-fig2-wheat-v1"
BY_STAGE: Final = ([0.0, 2.0, 2.01, 2.5, 2.75, 3.0], [0.0, 0.0, 0.01, 0.02, 0.05, 0.5])
"""The published death rate of storage organs [d-1] by development stage (RDRSOB of wheat-1)."""
BY_COLD: Final = ([0.0, 5.0, 7.0, 8.0], [0.2, 0.05, 0.001, 0.0])
"""The same by temperature [degC] (RDRSOF)."""
TSUM3: Final = 700.0
"""Temperature sum from ripeness to death [degC d]."""
DEAD: Final = 3.0
ROWS: Final[list[tuple[str, str, dict[str, Any], str]]] = [
    ("potential", "zero", {"simulator.limitation": "pp"}, "725,497"),
    ("bi-weekly nitrogen and water", "biweekly-nitrogen-and-water", {}, "141,584"),
    ("monthly water", "monthly-water", {}, "130,114"),
    ("`ppo`", "runs/wofostgym/wofostgym-fig2-wheat-v1-ppo/policy.npz", {}, "597,000"),
]
ALTERNATIVES: Final[list[tuple[str, dict[str, Any]]]] = [
    ("season may last until 31 December", {"season.end": "12-31"}),
    ("sown on 1 January", {"season.start": "01-01"}),
    ("sown on 1 March", {"season.start": "03-01"}),
    ("emerged on 1 February", {"season.start_type": "emergence"}),
    ("sound in place of published parameters", {"simulator.setting": "sound"}),
    ("sums of what has grown, dead included", {"reward.variable": "TWSO"}),
    ("weather of (52, 5)", {"simulator.site": "netherlands"}),
    ("weather of (44, -123), Oregon", {"simulator.site": "oregon"}),
]


def standing(weight: float, temperatures: np.ndarray) -> float:
    """Return the sum of daily weights [kg ha-1] of a crop that is ripe now and dies off.

    Args:
        weight: of its storage organs [kg ha-1].
        temperatures: daily means [degC], of the days that it may stand.
    """
    stage, total = 2.0, 0.0
    for temperature in temperatures:
        if stage >= DEAD:
            break
        rate = np.interp(stage, *BY_STAGE) + np.interp(temperature, *BY_COLD)
        weight *= 1.0 - min(rate, 1.0)
        stage += min(max(temperature, 0.0), 30.0) / TSUM3
        total += weight
    return total


def alternatives() -> None:
    """Print the potential of the task with other changes, which do not explain the paper's."""
    task = catalog.task(TASK)
    print("\n| change | potential |\n|---|---|")
    for name, changes in ALTERNATIVES:
        changed = override(task, changes | {"simulator.limitation": "pp"})
        values = agbench.evaluate(changed, "zero", progress=False).objective
        print(f"| {name} | {values.mean():,.0f} +- {values.std():,.0f} |")


def main() -> None:
    """Print for each policy the sum until ripeness and that until the season's end, means over the years."""
    task = catalog.task(TASK)
    series = site_series("belgium")
    print("| policy | until ripe | until 1 October | paper |\n|---|---|---|---|")
    for name, policy, changes, paper in ROWS:
        if policy.endswith(".npz") and not Path(policy).is_file():
            continue  # not trained yet, by study.py
        result = agbench.evaluate(override(task, changes) if changes else task, policy, progress=False)
        sums, later = result.objective, []
        for _, episode in result.episodes.iterrows():
            year = int(str(episode["scenario"]).split("/")[1])
            ripe = date(year, 2, 2) + timedelta(days=int(episode["steps"]))
            days = series.window(ripe, date(year, 10, 1))
            later.append(standing(1000.0 * episode["yield"], days[:, DAILY.column("TEMP")]))
        both = sums + np.array(later)
        print(f"| {name} | {sums.mean():,.0f} | {both.mean():,.0f} +- {both.std():,.0f} | {paper} |")
    alternatives()


if __name__ == "__main__":
    main()
