"""Names of agents: whose they are, and that nobody takes another's."""

import shutil

import pytest
import yaml
from good_submission import CARD, TASK
from in_process import command
from typer.testing import CliRunner

import agbench
from agbench import leaderboard
from agbench.cli.app import app
from agbench.errors import ConfigError
from agbench.leaderboard.checks import merged
from agbench.leaderboard.checks.agents import AUTHORS, CONTACT, _looks
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.untrusted import RefusedError

FLOOR = {
    "agent": "floor",
    "version": "1",
    "authors": AUTHORS,
    "contact": CONTACT,
    "method": "rule",
    "policy": {"format": "rule", "name": "zero"},
}


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """Return a result of the task's floor."""
    folder = tmp_path_factory.mktemp("floor") / "result"
    agbench.evaluate(TASK, "zero", out=folder)
    return folder


def twin(folder, agent=None, version=None, **changes):
    """Put a copy of a submission on its board under another name; return its folder."""
    target = folder.parents[1] / (agent or folder.parent.name) / (version or folder.name)
    shutil.copytree(folder, target)
    card = yaml.safe_load((target / "submission.yaml").read_text())
    card |= {"agent": target.parent.name, "version": target.name, **changes}
    (target / "submission.yaml").write_text(yaml.safe_dump(card, sort_keys=False))
    return target


def refusals(board, folders=None):
    """Return what was refused on a board, by folder's name."""
    result = {"/".join(folder.parts[-2:]): message for folder, message in judged(board, folders)}
    return {
        name: str(message) for name, message in result.items() if not isinstance(message, CheckedSubmission)
    }


def test_the_names_of_references_are_reserved_for_their_own_door(floor, tmp_path):
    board = tmp_path / "leaderboard"
    for card in (FLOOR, {**FLOOR, "agent": "Oracle"}, {**FLOOR, "agent": "expert", "policy": None}):
        with pytest.raises(RefusedError, match="the name of a task's own reference; choose another name"):
            leaderboard.submit([floor], card, board)
    with pytest.raises(RefusedError, match="the name of a task's own reference"):
        leaderboard.submit([floor], {**FLOOR, "authors": ["M. Allory"]}, board, official=True)
    leaderboard.submit([floor], FLOOR, board, official=True)
    assert refusals(board) == {}


def test_a_row_under_the_name_of_a_reference_is_refused_by_the_check(copy):
    board = copy.parents[3]
    twin(copy, "oracle")
    shutil.rmtree(copy)
    assert "agent: 'oracle' is the name of a task's own reference" in refusals(board)["oracle/1.0"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"authors": ["M. Allory"]}, "authors: not those of board-wheat-v1/ppo-small/1.0"),
        ({"contact": "m@allory.example"}, "contact: not those of board-wheat-v1/ppo-small/1.0"),
    ],
)
def test_a_version_comes_from_who_made_the_others(made, copy, changes, reason):
    merged.add(copy.parents[3])
    twin(copy, version="2.0", **changes)
    result = refusals(copy.parents[3])
    assert list(result) == ["ppo-small/2.0"]  # the merged row stays
    assert reason in result["ppo-small/2.0"]
    assert "choose another name for the agent, or ask the maintainers" in result["ppo-small/2.0"]
    with pytest.raises(RefusedError, match=reason):
        leaderboard.submit(made.results, {**CARD, "version": "3", **changes}, copy.parents[3], made.policies)


@pytest.mark.parametrize(
    "agent", ["pp0-small", "ppo_small", "PPO.sma11", "p-p-o.small", "ppo-small_", "pposmall"]
)
def test_a_name_that_looks_like_an_agents_is_for_its_authors_alone(copy, agent):
    board = copy.parents[3]
    merged.add(board)
    twin(copy, agent, authors=["M. Allory"])
    (message,) = refusals(board).values()
    assert "not those of board-wheat-v1/ppo-small/1.0, which is on the board and looks like" in message


def test_agents_whose_numbers_differ_do_not_look_alike():
    names = [f"ppo-{number}" for number in range(200)] + ["ppo-1-11", "ppo-11-1"]
    assert len({_looks(name) for name in names}) == len(names)


def test_what_is_just_brought_does_not_harm_what_was_there(copy):
    other = twin(copy, version="2.0", authors=["M. Allory"])
    assert list(refusals(copy.parents[3], [other])) == ["ppo-small/2.0"]
    assert list(refusals(copy.parents[3], [copy])) == ["ppo-small/1.0"]
    assert list(refusals(copy.parents[3])) == ["ppo-small/1.0", "ppo-small/2.0"]  # nobody knows


def test_a_copy_of_a_merged_row_does_not_take_it_out(copy):
    merged.add(copy.parents[3])
    twin(copy, "thief")
    result = refusals(copy.parents[3])
    assert list(result) == ["thief/1.0"]
    assert "exactly the same policy as one of ppo-small" in result["thief/1.0"]


def test_a_merged_row_that_was_changed_has_no_privilege(copy):
    merged.add(copy.parents[3])
    oracle = twin(copy, "oracle")
    index = copy.parents[3] / "merged.yaml"
    index.write_text(index.read_text() + f"{TASK}/oracle/1.0: {'a' * 64}\n")
    assert list(refusals(copy.parents[3], [oracle])) == ["oracle/1.0"]


@pytest.mark.parametrize(("agent", "version"), [("PPO-small", "1.0"), ("ppo-small", "1.0b")])
def test_names_that_differ_only_in_case_are_refused_by_the_check(copy, agent, version):
    other = twin(copy, agent, version)
    if agent == copy.parent.name:
        other = twin(copy, agent, version.upper())
    (message,) = refusals(copy.parents[3], [other]).values()
    assert "only in its case" in message


def test_an_agent_of_another_task_keeps_its_name_too(copy):
    elsewhere = copy.parents[2] / "maize-inputs-v1/PPO-SMALL/1"
    shutil.copytree(copy, elsewhere)
    (message,) = refusals(copy.parents[3], [copy]).values()
    assert "agent: differs from PPO-SMALL only in its case" in message


@pytest.mark.parametrize("line", ["check", "replay --json", "score", "merged"])
def test_a_missing_board_is_an_error(tmp_path, line):
    message = "".join(command("leaderboard", *line.split(), "--board", "tpyo", cwd=tmp_path, code=2))
    assert "there is no board at tpyo" in message


@pytest.mark.parametrize("line", ["check", "replay", "replay --all", "reproduce", "score", "build", "merged"])
def test_a_folder_that_is_no_board_is_an_error_and_nothing_is_written_to_it(tmp_path, line):
    (tmp_path / "own").mkdir()
    done = CliRunner().invoke(app, ["leaderboard", *line.split(), "--board", str(tmp_path / "own")])
    assert isinstance(done.exception, ConfigError)
    assert "there is no board at" in str(done.exception)
    assert not any((tmp_path / "own").iterdir())


def test_the_library_raises_the_same_error(tmp_path):
    with pytest.raises(ConfigError, match="there is no board at"):
        list(judged(tmp_path / "tpyo"))
    with pytest.raises(ConfigError, match="there is no board at"):
        merged.changes(tmp_path / "tpyo")


def test_a_policy_that_appears_twice_is_an_error(floor, made, tmp_path):
    card = {**CARD, "method": "rule", "policy": {"format": "rule", "name": "zero"}}
    with pytest.raises(
        ConfigError, match=r"there are two policies: zero, .* and .*policy-0\.npz \(--policy\)"
    ):
        leaderboard.submit([floor], card, tmp_path / "leaderboard", made.policies[:1])
