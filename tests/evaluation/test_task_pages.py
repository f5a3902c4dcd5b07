"""The pages of tasks in docs/tasks."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from standing_check import violations
from task_pages import FOLDER, PICTURES, figures, index, page
from task_pictures import shrunk
from task_standing import comparisons, of_anchors, standing
from task_words import drawn, section

from agbench.data import catalog
from agbench.evaluation import references
from agbench.evaluation.anchors import SplitAnchors
from agbench.evaluation.provenance import task_hash

TASKS = ["wheat-nitrogen-v1", "greenhouse-tomato-v1"]
ALL = catalog.names("task")


def anchored(task, blind=0.5, oracle=1.25):
    """Return the standing on `test` of anchors whose gains are easy to check."""
    count = len(task.scenarios("test"))
    floor = np.linspace(-20.0, 20.0, count)
    gain = 100.0 + np.linspace(-40.0, 40.0, count)
    references = floor, floor + gain, floor + oracle * gain
    made = SplitAnchors(*references, np.zeros(count), 0.0, floor + blind * gain, gain=100.0 * oracle)
    return of_anchors(task, "test", made, made)


def test_every_task_says_what_is_hard_and_what_was_simplified():
    silent = [
        name for name in ALL for text in (catalog.task(name).hard, catalog.task(name).simplified) if not text
    ]
    assert silent == []


def test_what_is_hard_is_no_part_of_a_task_s_identity():
    task = catalog.task(TASKS[0])
    assert task_hash(task.model_copy(update={"hard": "Nothing.", "simplified": ""})) == task_hash(task)


@pytest.mark.parametrize("name", TASKS)
def test_a_page_holds_the_figures_of_its_anchors(name):
    task = catalog.task(name)
    text = page(task, {"test": anchored(task)}, pictured=False)
    unit = task.protocol.objective_unit
    assert f"| floor | `{task.references.floor}` | 0.00 [" in text
    assert f"| expert | `{task.references.expert}` | 100.0 [" in text
    assert f"| oracle | `{task.references.oracle}` | 125.0 [" in text
    assert "| 80.0 [" in text  # the expert's score: 100 of 125
    assert "What observing is worth, expert less blind calendar: 50.00 [" in text
    assert f"] {unit}, 40.0 [" in text
    assert "Headroom, oracle less expert: 25.00 [" in text
    assert "The blind calendar reaches" not in text
    for part in (task.hard, task.simplified, task.summary, *section(name, "reward")):
        assert part in text
    assert f"| `test` | {len(task.scenarios('test'))} |" in text


def test_a_calendar_that_comes_near_the_expert_is_explained_by_the_figures():
    task = catalog.task(TASKS[0])
    room = "\n".join(figures(task, {"test": anchored(task, blind=0.95, oracle=1.25)}))
    assert "The blind calendar reaches 95% of what the expert gains" in room
    assert "gains 32% more than the calendar, of which what the expert sees" in room
    none = "\n".join(figures(task, {"test": anchored(task, blind=0.95, oracle=1.0)}))
    assert "even the oracle, which knows the weather to come, gains only 5% more than the calendar" in none


def test_episodes_that_overlap_are_counted_once():
    task = catalog.task("jujube-orchard-v1")  # 38 episodes of 3 years, one begun in each year
    of = standing(task, "test")
    (text,) = (line for line in comparisons(of) if "overlap" in line)
    alone = f"{3**0.5 * of.half_width:.1f}"
    assert f"as much as 12 that do not, they give the expert's points to ±{alone}." in text


def test_an_expert_that_cannot_be_told_from_the_calendar_is_said_to_be_so():
    task = catalog.task(TASKS[0])
    assert "do not tell" not in "\n".join(figures(task, {"test": anchored(task, blind=0.95)}))
    same = "\n".join(figures(task, {"test": anchored(task, blind=1.0)}))
    count = len(task.scenarios("test"))
    assert f"- This interval holds 0: {count} seasons do not tell the expert from the calendar." in same


def test_references_that_stand_wrongly_are_listed():
    task = catalog.task("wheat-nitrogen-v1")
    assert not [text for text, _ in violations(anchored(task, blind=0.5), "") if "half width" not in text]
    beaten = dict(violations(anchored(task, oracle=0.9), ""))
    assert any(text.startswith("expert beats the oracle in 40 of 40 seasons") for text in beaten)
    near = anchored(task, blind=0.95)
    assert ("blind reaches 95% of the expert's gain", False) in violations(near, "")
    assert ("blind reaches 95% of the expert's gain", True) in violations(near, "\n".join(comparisons(near)))
    assert ("blind is 10 above the expert", False) in violations(anchored(task, blind=1.1), "")
    below = anchored(task, blind=-0.1)
    assert ("blind is 10 below the floor", True) in violations(below, "\n".join(comparisons(below)))


def test_a_page_without_anchors_says_so():
    assert "No anchors yet: `agbench anchors wheat-nitrogen-v1`" in figures(catalog.task(TASKS[0]), {})[0]


def test_written_pages_hold_the_anchors_that_are_stored():
    for name in TASKS:
        task = catalog.task(name)
        splits = [split for split in references.REPORTED if split in task.splits]
        stands = {split: of for split in splits if (of := standing(task, split)) is not None}
        written = (FOLDER / f"{name}.md").read_text("utf-8")
        assert "\n".join(figures(task, stands)) in written, f"run python docs/studies/task_pages.py {name}"


def test_every_task_has_a_page_that_the_list_names():
    named = (FOLDER / "README.md").read_text("utf-8")
    for name in ALL:
        assert (FOLDER / f"{name}.md").is_file(), f"run python docs/studies/task_pages.py {name}"
        assert f"({name}.md)" in named
    assert {path.stem for path in FOLDER.glob("*-v*.md")} == set(ALL)


def test_what_is_drawn_anew_is_shown_with_its_sources():
    assert "        NAVAILI: {kind: uniform, share: 0.9}" in drawn(catalog.task("wheat-inputs-v1"))
    assert drawn(catalog.task("wheat-nitrogen-v1")) == []


def test_pictures_are_small_and_keep_their_colours(tmp_path: Path):
    large = np.full((1800, 2000, 3), 255, np.uint8)
    colours = [(0, 158, 115), (0, 114, 178), (213, 94, 0), (230, 159, 0), (204, 121, 167)]
    for i, colour in enumerate(colours):
        large[100 + 40 * i : 106 + 40 * i] = colour
    Image.fromarray(large).save(tmp_path / "large.png")
    small = np.asarray(shrunk(tmp_path / "large.png").convert("RGB")).astype(int)
    assert small.shape[1] < 1000
    for colour in colours:
        assert np.abs(small - colour).sum(axis=2).min() < 30
    assert all(path.stat().st_size < 80_000 for path in (FOLDER / PICTURES).glob("*.png"))


def test_the_list_has_every_suite():
    text = index()
    for heading in ("## Core", "## Fields", "## Greenhouses", "## Crops", "## Replication"):
        assert heading in text
