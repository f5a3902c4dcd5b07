"""A version of a task never changes: protocol, data, reference policies and anchors stay as frozen."""

import importlib.util
from pathlib import Path

import pytest

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.evaluation import anchors, provenance

ROOT = Path(__file__).parents[1]
SCRIPT = "tests/reference/tasks/freeze.py"

spec = importlib.util.spec_from_file_location("freeze", ROOT / SCRIPT)
freeze = importlib.util.module_from_spec(spec)
spec.loader.exec_module(freeze)
FROZEN = freeze.read()

CHANGED = {
    "task": "its protocol changed: scores are no longer comparable. Undo it, or make it a new version",
    "data": "weather, soil or crop files changed: its seasons are others. Undo it, or make it a new version",
    "references": "the settings of its reference policies changed. Undo it, or make it a new version",
    "anchors": "its anchors changed, and with them every score. Undo it, or make it a new version",
}


def problem(name, frozen, now):
    """Return the sentence that says what a changed version asks for, or None."""
    for key, message in CHANGED.items():
        if frozen[key] != now[key]:
            stem, version = name.rsplit("-v", 1)
            return (
                f"{name}: {message} (tasks/{stem}-v{int(version) + 1}.yaml). If no release has had this "
                f"version yet: agbench anchors {name} && python {SCRIPT} {name}"
            )
    return None


@pytest.mark.parametrize("name", FROZEN)
def test_no_version_of_a_task_changes(name):
    assert name in catalog.names("task"), "a version that was released stays: its results are replayed."
    message = problem(name, FROZEN[name], freeze.frozen(name)) or anchors.outdated(catalog.task(name))
    assert message is None, message


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "leaderboard/submissions").iterdir()))
def test_a_task_that_has_submissions_is_frozen(name):
    assert name in FROZEN, f"freeze it: python {SCRIPT} {name}"


def test_a_changed_protocol_is_noticed_and_a_mended_word_is_not():
    task = catalog.task("wheat-nitrogen-v1")
    frozen = freeze.frozen("wheat-nitrogen-v1")
    changed = {**frozen, "task": provenance.task_hash(override(task, {"beta": 9.0}))}
    assert "its protocol changed" in problem(task.task, frozen, changed)
    assert "tasks/wheat-nitrogen-v2.yaml" in problem(task.task, frozen, changed)
    metrics = {k: m.model_copy(update={"meaning": "mended", "digits": 4}) for k, m in task.metrics.items()}
    mended = task.model_copy(update={"summary": "mended", "metrics": metrics})
    assert provenance.task_hash(mended) == frozen["task"]
