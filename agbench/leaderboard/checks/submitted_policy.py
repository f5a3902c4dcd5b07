"""The policy in a submission: checked for form without being run, and made ready to be run."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gymnasium import spaces

from agbench.data.baseline import Baseline
from agbench.data.reading import read_data
from agbench.data.submission import Submission
from agbench.data.task import Task
from agbench.errors import AgBenchError, MissingExtraError
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks.task_limits import action_space, observation_size
from agbench.policies.base import Policy
from agbench.policies.field.schedule import ScheduleSettings
from agbench.policies.networks import mlp, onnx
from agbench.policies.networks.made_for import MadeFor
from agbench.policies.registry import load_policy, policies
from agbench.untrusted.refusal import RefusedError
from agbench.untrusted.text import read_schema

RULE: Final = "rule.yaml"
SUFFIXES: Final = {"mlp": ".npz", "onnx": ".onnx"}
"""Of the file that a policy format has for each training seed."""
_RULE_BYTES: Final = 50_000


def load(card: Submission, task: Task, files: Mapping[str, bytes], seed: int) -> Policy:
    """Return the policy of a training seed; raises `RefusedError` where it is not sound.

    `files` are those under policy/ by name. No code of the submission runs: a rule is one of the
    task's own policies, or a schedule; a perceptron is numbers; a graph runs confined.
    """
    assert card.policy is not None
    if card.policy.format in SUFFIXES:
        name = f"seed-{seed}{SUFFIXES[card.policy.format]}"
        inputs, space = observation_size(task), action_space(task)
        if card.policy.format == "onnx":
            return _graph(card.agent, files[name], f"policy/{name}", inputs, space)
        return mlp.Mlp(card.agent, mlp.read(files[name], f"policy/{name}", inputs, space), space)
    if card.policy.name is not None:
        require_named(card, task)
        return load_policy(card.policy.name, task)
    return _schedule(files[RULE], task)


def require_named(card: Submission, task: Task) -> None:
    """Raise `RefusedError` where a submission names a policy that the task does not have."""
    if card.policy is None or card.policy.name is None:
        return
    names = policies(task)
    if card.policy.name not in names:
        raise RefusedError(CARD, "policy.name", f"{card.policy.name!r} is none of {', '.join(names)}.")


def made_for_of(path: Path) -> MadeFor | None:
    """Return what a network's file says that it was made for; None where it says nothing."""
    content = path.read_bytes()
    if path.suffix == SUFFIXES["onnx"]:
        return onnx.made_for_of(content, str(path))
    return mlp.made_for_of(content, str(path))


def _graph(agent: str, content: bytes, file: str, inputs: int, space: spaces.Space[Any]) -> Policy:
    """Return the policy of an untrusted graph; where graphs cannot be read, that one is refused."""
    try:
        return onnx.Onnx(agent, content, file, inputs, space)
    except MissingExtraError as error:
        raise RefusedError(file, "", f"cannot be checked here: {error}") from None


def _schedule(content: bytes, task: Task) -> Policy:
    """Return the schedule of an untrusted settings."""
    file = f"policy/{RULE}"
    if len(content) > _RULE_BYTES:
        raise RefusedError(file, "size", f"{len(content):,} bytes; at most {_RULE_BYTES:,}.")
    baseline = read_schema(Baseline, content, file)
    if baseline.policy != "schedule":
        raise RefusedError(
            file, "policy", f"a {baseline.policy} settings file; only a schedule can be submitted as a file."
        )
    try:
        read_data(ScheduleSettings, baseline.settings, "settings")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / RULE
            path.write_bytes(content)
            return load_policy(path, task)
    except (AgBenchError, ValueError, OverflowError) as error:
        raise RefusedError(file, "settings", str(error).removeprefix("settings: ")) from None
