"""The study of how many seasons a split needs."""

import numpy as np
import pytest
from enough_seasons import CANDIDATES, OWN, Played, half_width, needed, play, rows, with_splits

from agbench.data import catalog
from agbench.data.reading import load_file
from agbench.evaluation.statistics import Interval

TASK = "wheat-nitrogen-v1"


def test_every_candidate_is_a_split_of_its_task():
    for name, candidates in load_file(CANDIDATES).items():
        for splits in candidates.values():
            task = with_splits(catalog.task(name), splits)
            assert {"train", "test"} <= set(task.splits)
            assert all(task.scenarios(split) for split in task.splits)


def test_four_times_the_seasons_halve_the_interval():
    assert needed(10, 30.0) == 40
    assert needed(40, 15.0) == 40
    assert half_width(Interval(100.0, 80.0, 130.0)) == 25.0


def test_the_number_of_seasons_is_enough_when_they_are_there():
    generator = np.random.default_rng(0)
    few = Played(np.zeros(50), generator.normal(50.0, 60.0, 50))
    enough = needed(50, half_width(few.score(2000, 0)))
    many = Played(np.zeros(enough), generator.normal(few.gain.mean(), few.gain.std(), enough))
    assert half_width(many.score(2000, 0)) == pytest.approx(15.0, abs=2.0)


def test_an_expert_that_always_gains_the_same_share_of_the_oracle_has_no_joint_interval():
    oracle = np.random.default_rng(0).normal(80.0, 40.0, 30)
    played = Played(np.zeros(30), 0.9 * oracle, oracle)
    joint = played.joint(1000, 0)
    assert [round(x, 6) for x in joint] == [90.0, 90.0, 90.0]
    assert half_width(played.score(1000, 0)) > 10.0


def test_a_row_tells_of_the_seasons_that_were_played():
    task = with_splits(
        catalog.task(TASK), {"train": {"years": [1985]}, "test": {"years": [1984, 1994, 1998]}}
    )
    usual = task.references.model_copy(update={"expert": "standard-practice"})
    task = task.model_copy(update={"references": usual})
    played = play(task, "test", "standard-practice")
    assert played.gain.round(1).tolist() == [114.2, 144.6, 87.3]
    (row,) = rows(task, OWN, False, False, ["test"])
    assert row.startswith(
        "| wheat-nitrogen-v1 | as it is | test | 3 | 0.0 ± 0.0 | 115.4 ± 28.7 | 100 [76, 125]"
    )
