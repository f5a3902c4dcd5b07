"""Any network as a graph: the policy format `onnx`, checked and run in a confined process.

One input `observation`, (batch, observations), one output `action`, (batch, choices or amounts), both
float or double; see `agbench.policies.networks.heads` for what the outputs mean. A policy with a memory has
further inputs `state...`, each with an output `next_state...` of the same shape; they start at 0. Metadata
`task`, `observations` (a JSON list of names) and `actions` say what it was made for, as in `policy.npz`.
"""

import json
import weakref
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium import spaces

from agbench.errors import MissingExtraError
from agbench.policies.base import Information
from agbench.policies.networks import heads
from agbench.policies.networks.made_for import MadeFor, require_made_for
from agbench.policies.networks.network_file import opened
from agbench.untrusted.confined import Confined
from agbench.untrusted.onnx_runner import RUNNER
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Floats

SECONDS: Final = 60.0  # of an answer, on a machine that may be busy


class Onnx:
    """An ONNX graph that acts; it is checked when it is made, and raises `RefusedError` then.

    So it does where the graph takes more time or memory than is allowed: such an episode is not
    recorded as failed, the evaluation ends.
    """

    information: Information = "observation"

    def __init__(
        self,
        name: str,
        content: bytes,
        file: str,
        inputs: int,
        space: spaces.Space[Any],
        made_for: MadeFor | None = None,
    ) -> None:
        self.name, self.made_for = name, made_for
        self._arguments = (name, content, file, inputs, space, made_for)
        self._content, self._file, self._space = content, file, space
        self._load = {"do": "load", "inputs": inputs, "outputs": heads.outputs(space)}
        self._head = heads.default_head(space)
        self.rounding = heads.ROUNDING[_checker().ask(file, self._load, content)["precision"]]
        self._child: Confined | None = None

    def reset(self, seed: int) -> None:
        """Start an episode with all states at 0."""
        if self._child is None:
            self._child = Confined(RUNNER, seconds=SECONDS)
            weakref.finalize(self, self._child.close)
            self._child.ask(self._file, self._load, self._content)
        self._child.ask(self._file, {"do": "reset"}, b"")

    def __call__(self, observation: Any) -> Any:
        """Return the action for one observation."""
        return self.decide(observation)[0]

    def decide(self, observation: Any) -> tuple[Any, Floats]:
        """Return the action for one observation, and the outputs that it was made of."""
        assert self._child is not None, "reset first"
        seen = np.ascontiguousarray(observation, dtype=np.float64).tobytes()
        out = np.array([self._child.ask(self._file, {"do": "act"}, seen)["outputs"]])
        return heads.actions(out, self._head, self._space)[0], out[0]

    def __reduce__(self) -> Any:
        """Another process gets the file and makes a child of its own."""
        return Onnx, self._arguments


@cache
def _checker() -> Confined:
    """Return the process that checks files but runs none; it ends with this one."""
    missing = [name for name in ("onnx", "onnxruntime") if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f'{" and ".join(missing)}: not installed. Install with: pip install "agbench[onnx]"'
        )
    return Confined(RUNNER, seconds=SECONDS)


def load(path: str | Path, task: Any, other_task: bool = False) -> Onnx:
    """Return the policy in an ONNX file for a task (its id, or the task).

    Raises `ConfigError` for one that was made for something else, unless that is meant: `other_task`.
    """
    file = opened(path, task)
    made = made_for_of(file.content, str(file.path))
    if not other_task:
        require_made_for(made, file.task, str(path))
    return Onnx(file.path.stem, file.content, str(file.path), file.observations, file.actions, made)


def made_for_of(content: bytes, file: str) -> MadeFor | None:
    """Return what an untrusted graph says that it was made for; None where it says nothing or half of it."""
    said = _checker().ask(file, {"do": "made_for"}, content)
    if set(said) != {"task", "observations", "actions"}:
        return None
    try:
        names = json.loads(said["observations"])
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise RefusedError(file, "observations", "not a JSON list of names.")
    if not all(text.isprintable() for text in (said["task"], said["actions"], *names)):
        raise RefusedError(file, "", "says what it was made for in letters that cannot be printed.")
    return MadeFor(said["task"], tuple(names), said["actions"])
