"""The page of responses has every control of every task, with the numbers of a check that it passed."""

import re
from pathlib import Path

import pytest
from study_script import loaded

from agbench.data import catalog
from agbench.data.farm_task import FarmTask
from agbench.data.field_task import WORK
from agbench.envs.family import action_map

PAGE = Path(__file__).parents[2] / "docs/responses.md"
DATES = {*WORK, "PRUNE"}  # the page says so: they are a matter of when


@pytest.fixture(scope="module")
def shown():
    """Return the controls in the page's tables by task, or by task and field, each with its cells."""
    result = {}
    for line in re.findall(r"^\| ([^-\n].*) \|$", PAGE.read_text("utf-8"), re.M):
        task, control, *cells = (cell.strip() for cell in line.split("|"))
        result.setdefault(task, {}).setdefault(control.split(" [")[0], []).append(cells)
    return result


@pytest.mark.parametrize("name", catalog.names("task"))
def test_every_control_of_a_task_is_in_the_tables(shown, name):
    task = catalog.task(name)
    if isinstance(task, FarmTask):
        places, controls = [f"{name}, {field}" for field in task.field_names], set(task.action.doses)
    else:
        places, controls = [name], set(action_map(task).names)
    for place in places:
        assert set(shown[place]) == controls - DATES
        moved = [cell for rows in shown[place].values() for cells in rows for cell in cells if " of " in cell]
        assert len(moved) >= len(controls - DATES)
        assert not [cell for cell in moved if 4 * int(cell.split()[0]) < int(cell.split()[-1])]


@pytest.mark.parametrize("name", ["wheat-limits-v1", "wofostgym-wheat-v1"])  # one draws its fields, one not
def test_the_tables_can_be_made_again(name, monkeypatch):
    made = [*loaded("response_table.py", monkeypatch).rows(name)]
    assert made
    assert "\n".join(made) in PAGE.read_text("utf-8"), "run python docs/studies/response_table.py"
