"""No row of the board lies above an oracle, which knows the weather to come: it would be no bound.

A season counts where it costs a row no more than a tenth above what it costs the expert, as it does for the
searches of an oracle.
"""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from daily_tasks import DAILY

from agbench.data import catalog

SUBMISSIONS = Path(__file__).parents[2] / "leaderboard/submissions"
SHARE = 0.01
"""Of oracle less floor in the mean: an oracle that is beaten by less is a bound."""
TASKS = sorted(folder.name for folder in SUBMISSIONS.iterdir() if folder.is_dir())


def seasons(task):
    """Yield each season of test of each row but the oracle: whose it is, and its line of the episodes."""
    for card in sorted((SUBMISSIONS / task).glob("*/*/submission.yaml")):
        if card.parts[-3] != "oracle":
            for table in sorted(card.parent.glob("test/seed-*/episodes.parquet")):
                for row in pd.read_parquet(table).to_dict("records"):
                    yield f"{card.parts[-3]} {card.parts[-2]} {table.parts[-2]}", row


@pytest.mark.slow_except(*DAILY)
@pytest.mark.parametrize("task", TASKS)
def test_no_row_is_above_the_oracle(task):
    stored = yaml.safe_load(catalog.find_anchors(task).read_text())
    known, objective = stored["splits"]["test"], stored["objective"]
    allowed = SHARE * sum(one["oracle"] - one["floor"] for one in known.values()) / len(known)
    above = [
        f"{who} in {row['scenario']}: {row[objective]:.6g}, the oracle {of['oracle']:.6g}"
        for who, row in seasons(task)
        if row[objective] > (of := known[row["scenario"]])["oracle"] + allowed
        and row["cost"] <= 1.1 * of.get("cost", 0.0) + 1e-9
    ]
    assert not above
