"""The check of pull requests, on a throwaway repository: what is good passes, all else says why not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from good_submission import resign

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "leaderboard/check-pull-request"
ROW = "leaderboard/submissions/board-wheat-v1/ppo-small/1.0"
NEW = "leaderboard/submissions/board-wheat-v1/ppo-small/2.0"

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None or not SCRIPT.is_file(), reason="needs git and a checkout"
)


class Repository:
    """A repository with one merged row, and the branches that pull requests bring."""

    def __init__(self, root):
        self.root = root
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments):
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false")
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self, words):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", words)

    def check(self, change, *options):
        """Return exit code and words of the check of a branch that makes a change."""
        self.git("checkout", "-q", "-B", "request", "main")
        change(self.root)
        self.commit("change")
        self.git("checkout", "-q", "main")
        line = [sys.executable, str(SCRIPT), "main", "request", *options]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            line, cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout


@pytest.fixture
def repository(made, tmp_path):
    shutil.copytree(made.board, tmp_path / "leaderboard")
    (tmp_path / "README.md").write_text("A benchmark.\n")
    result = Repository(tmp_path)
    result.commit("first")
    return result


def new_version(root):
    """Add a second version of the merged agent: a sound submission."""
    shutil.copytree(root / ROW, root / NEW)
    card = root / NEW / "submission.yaml"
    card.write_text(card.read_text().replace("version: '1.0'", "version: '2.0'"))


def edits_a_row(root):
    card = root / ROW / "submission.yaml"
    card.write_text(card.read_text().replace("A. Grower", "M. Allory"))


def deletes_a_row(root):
    shutil.rmtree(root / ROW)


def adds_to_a_row(root):
    (root / ROW / "policy/seed-2.npz").write_bytes(b"more")


def touches_code(root):
    new_version(root)
    (root / "README.md").write_text("Worse.\n")


def adds_a_workflow(root):
    new_version(root)
    (root / ".github/workflows").mkdir(parents=True)
    (root / ".github/workflows/steal.yml").write_text("on: push\n")


def raises_its_own_level(root):
    new_version(root)
    (root / "leaderboard/verified").mkdir()
    (root / "leaderboard/verified/2.0.yaml").write_text("level: reproduced\n")


def adds_a_link(root):
    new_version(root)
    (root / NEW / "passwords.yaml").symlink_to("/etc/passwd")


def adds_a_program(root):
    new_version(root)
    (root / NEW / "run.sh").write_text("#!/bin/sh\n")
    (root / NEW / "run.sh").chmod(0o755)


def adds_a_large_file(root):
    new_version(root)
    (root / NEW / "large.npz").write_bytes(bytes(2_000_001))


def replaces_a_row_by_a_link(root):
    (root / ROW / "submission.yaml").unlink()
    (root / ROW / "submission.yaml").symlink_to("/etc/passwd")


def named(agent, version="2.0"):
    """Add a sound submission under another name."""

    def change(root):
        folder = root / "leaderboard/submissions/board-wheat-v1" / agent / version
        shutil.copytree(root / ROW, folder)
        card = folder / "submission.yaml"
        content = yaml.safe_load(card.read_text()) | {"agent": agent, "version": version}
        card.write_text(yaml.safe_dump(content, sort_keys=False))

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (named("oracle"), "board-wheat-v1/oracle/2.0: the name of a task's own reference"),
        (named("Expert"), "board-wheat-v1/Expert/2.0: the name of a task's own reference"),
        (named("PPO-small"), "PPO-small/2.0: differs from the agent 'ppo-small' only in its case"),
        (edits_a_row, "submission.yaml: changed; a merged row never changes"),
        (deletes_a_row, "submission.yaml: deleted; a merged row never changes"),
        (adds_to_a_row, "seed-2.npz: added to a merged row, which never changes"),
        (touches_code, "README.md: outside leaderboard/submissions/TASK/AGENT/VERSION/"),
        (adds_a_workflow, ".github/workflows/steal.yml: outside"),
        (raises_its_own_level, "leaderboard/verified/2.0.yaml: outside"),
        (adds_a_link, "passwords.yaml: mode 120000; only plain files"),
        (adds_a_program, "run.sh: mode 100755; only plain files"),
        (adds_a_large_file, "large.npz: more than 2,000,000 bytes"),
        (replaces_a_row_by_a_link, "submission.yaml: changed; a merged row never changes"),
    ],
)
def test_what_is_no_new_version_of_plain_files_is_refused(repository, change, reason):
    code, message = repository.check(change, "--step", "form")
    assert code == 1
    assert reason in message


def test_a_new_version_has_the_right_form(repository):
    assert repository.check(new_version, "--step", "form") == (0, f"good     only new files, of {NEW}\n")


def two_versions_of_one_name(root):
    named("ppo-small", "2.0a")(root)
    named("ppo-small", "2.0A")(root)


def test_versions_of_one_request_that_differ_only_in_case_are_refused(repository):
    code, message = repository.check(two_versions_of_one_name, "--step", "form")
    assert code == 1
    assert "2.0a: differs from the version '2.0A' only in its case" in message


def test_a_version_by_others_than_the_agents_authors_is_refused(repository):
    def claimed(root):
        new_version(root)
        card = root / NEW / "submission.yaml"
        card.write_text(card.read_text().replace("A. Grower", "M. Allory"))

    code, message = repository.check(claimed)
    assert code == 1
    assert "authors: not those of board-wheat-v1/ppo-small/1.0, which is on the board" in message


@pytest.mark.slow
def test_a_good_submission_passes_every_step_and_a_forged_one_does_not(repository):
    for step, words in (
        ("replay", "22 episodes replayed, equal to the last bit"),
        ("reproduce", "22 episodes reproduced"),
    ):
        code, message = repository.check(new_version, "--step", step)
        assert code == 0, message
        assert words in message

    def forged(root):
        new_version(root)
        record = root / NEW / "test/seed-0/result.yaml"
        content = yaml.safe_load(record.read_text())
        record.write_text(yaml.safe_dump({**content, "split": "train"}))
        resign(root / NEW)

    code, message = repository.check(forged)
    assert code == 1
    assert "test/seed-0/result.yaml: split: 'train'; expected 'test'" in message

    def unfinished(root):
        new_version(root)
        shutil.rmtree(root / NEW / "test/seed-1")

    code, message = repository.check(unfinished)
    assert code == 1
    assert "test/seed-1/actions.npz: missing" in message
