"""Multilayer perceptrons as plain arrays: `policy.npz`, evaluated in float64, equal to the last bit.

A file holds `activations` (texts, one a layer), `weight_0`, `bias_0`, `weight_1`, ... (inputs, outputs),
`head` (`argmax` for menus; `clip` or `squash` for amounts), and optionally `observation_mean`,
`observation_scale` and `observation_clip`: the network sees clip((observation - mean) / scale).

`task`, `observations` (names, one an input) and `actions` (`amounts`, `one menu`, `several menus`) say what
it was made for; files without them are run with a warning.

Recurrent cells may stand before the layers: `cells` (texts: `lstm` or `gru`) and of each
`cell_0_input_weight`, `cell_0_hidden_weight`, `cell_0_input_bias`, `cell_0_hidden_bias`, as
`agbench.policies.networks.layers.Cell` has them. Their states start at 0 with each episode.
"""

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.envs.actions import menu_sizes
from agbench.files import write_bytes
from agbench.policies.base import Information
from agbench.policies.networks import heads
from agbench.policies.networks.layers import ACTIVATIONS, GATES, Cell, dense
from agbench.policies.networks.made_for import AMOUNTS, MENU, MENUS, MadeFor, require_made_for
from agbench.policies.networks.network_file import opened
from agbench.untrusted.arrays import ArrayLimits, read_npz
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Floats

TEXT: Final = 100  # letters of a name
LIMITS: Final = ArrayLimits(
    members=60, values=300_000, total_bytes=8_000_000, dtypes=("<f4", "<f8", "<U"), text=TEXT
)
LAYERS: Final = 16
CELLS: Final = 4
WIDTH: Final = 1024
_MADE_FOR: Final = ("task", "observations", "actions")
_CELL_ARRAYS: Final = ("input_weight", "hidden_weight", "input_bias", "hidden_bias")

States = tuple[Floats, ...]


@dataclass(frozen=True)
class Network:
    """A perceptron: layers, head, how observations are normalised, recurrent cells, what it was made for."""

    activations: tuple[str, ...]
    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    head: str
    mean: Floats | None = None
    scale: Floats | None = None
    clip: float = field(default=math.inf)
    cells: tuple[Cell, ...] = ()
    made_for: MadeFor | None = None

    def start(self, rows: int) -> States:
        """Return the states of the cells at the start of an episode, one array a cell."""
        return tuple(cell.start(rows) for cell in self.cells)

    def step(self, observations: Any, states: States) -> tuple[Floats, States]:
        """Return the outputs (n, outputs) of observations (n, inputs), and the next states."""
        values: Floats = np.asarray(observations, dtype=np.float64)
        if self.mean is not None and self.scale is not None:
            values = np.clip((values - self.mean) / self.scale, -self.clip, self.clip)
        with np.errstate(all="ignore"):
            new = []
            for cell, state in zip(self.cells, states, strict=True):
                new.append(cell.step(values, state))
                values = new[-1][:, : cell.units]
            for name, weight, bias in zip(self.activations, self.weights, self.biases, strict=True):
                values = ACTIVATIONS[name](dense(values, weight, bias))
        return values, tuple(new)

    def __call__(self, observations: Any) -> Floats:
        """Return the outputs (n, outputs) of the first observations of episodes, (n, inputs)."""
        return self.step(observations, self.start(len(observations)))[0]

    def actions(self, observations: Any, space: spaces.Space[Any]) -> NDArray[Any]:
        """Return the actions for the first observations of episodes, of the action space's own type."""
        return heads.actions(self(observations), self.head, space)


class Mlp:
    """A perceptron that acts: the policy format `mlp`."""

    information: Information = "observation"
    rounding = heads.ROUNDING["float64"]

    def __init__(self, name: str, network: Network, space: spaces.Space[Any]) -> None:
        self.name = name
        self._network, self._space = network, space
        self._states = network.start(1)

    @property
    def made_for(self) -> MadeFor | None:
        """What the network was made for, where its file says so."""
        return self._network.made_for

    def reset(self, seed: int) -> None:
        """Start an episode: all that was remembered is forgotten."""
        self._states = self._network.start(1)

    def __call__(self, observation: Any) -> Any:
        """Return the action for one observation."""
        return self.decide(observation)[0]

    def decide(self, observation: Any) -> tuple[Any, Floats]:
        """Return the action for one observation, and the outputs that it was made of."""
        out, self._states = self._network.step(np.asarray(observation)[None], self._states)
        return heads.actions(out, self._network.head, self._space)[0], out[0]

    def start(self, rows: int) -> States:
        """Return the states of the cells at the start of episodes."""
        return self._network.start(rows)

    def act(self, observations: NDArray[Any], memory: States) -> tuple[NDArray[Any], States]:
        """Return the actions for rows of observations, and the next states of the cells."""
        out, states = self._network.step(observations, memory)
        return heads.actions(out, self._network.head, self._space), states


def load(path: str | Path, task: Any, other_task: bool = False) -> Mlp:
    """Return the policy in a `policy.npz` for a task (its id, or the task).

    Raises `ConfigError` for one that was made for something else, unless that is meant: `other_task`.
    """
    file = opened(path, task)
    if not other_task:
        require_made_for(made_for_of(file.content, str(file.path)), file.task, str(path))
    network = read(file.content, str(file.path), file.observations, file.actions)
    return Mlp(file.path.stem, network, file.actions)


def save(network: Network, path: str | Path) -> Path:
    """Write a network as `policy.npz`."""
    arrays: dict[str, Any] = {"activations": np.array(network.activations), "head": np.array(network.head)}
    for i, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        arrays[f"weight_{i}"], arrays[f"bias_{i}"] = _smallest(weight), _smallest(bias)
    if network.cells:
        arrays["cells"] = np.array([cell.kind for cell in network.cells])
    for i, cell in enumerate(network.cells):
        arrays |= {f"cell_{i}_{name}": _smallest(getattr(cell, name)) for name in _CELL_ARRAYS}
    if network.mean is not None and network.scale is not None:
        arrays["observation_mean"], arrays["observation_scale"] = network.mean, network.scale
        if math.isfinite(network.clip):
            arrays["observation_clip"] = np.array(network.clip)
    if network.made_for is not None:
        arrays |= {name: np.array(getattr(network.made_for, name)) for name in _MADE_FOR}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_bytes(Path(path), buffer.getvalue())
    return Path(path)


def is_own(path: Path) -> bool:
    """Return whether a file is a `policy.npz`: its arrays are those of a perceptron."""
    try:
        return {"activations", "head"} <= read_npz(path.read_bytes(), str(path), LIMITS).keys()
    except RefusedError:
        return False


def _smallest(values: Floats) -> NDArray[Any]:
    """Return numbers as float32 where that loses nothing, as for weights that were trained so."""
    single = values.astype(np.float32)
    return single if (single == values).all() else values


def read(content: bytes, file: str, inputs: int, space: spaces.Space[Any]) -> Network:
    """Return the network of an untrusted policy.npz; raises `RefusedError` where it does not fit."""
    arrays = dict(arrays_of(content, file))
    made_for = _made_for(arrays, file)
    activations = _texts(arrays, "activations", file, list(ACTIVATIONS), 1)
    (head,) = _texts(arrays, "head", file, heads.HEADS, 0)
    if not 1 <= len(activations) <= LAYERS:
        raise RefusedError(file, "activations", f"{len(activations)} layers; 1 to {LAYERS}.")
    outputs = _outputs(space, head, file)
    cells = _cells(arrays, file, inputs)
    weights, biases, width = [], [], cells[-1].units if cells else inputs
    for i in range(len(activations)):
        weight = _numbers(arrays, f"weight_{i}", file, (width, None))
        width = weight.shape[1]
        if not 1 <= width <= WIDTH:
            raise RefusedError(file, f"weight_{i}", f"{width} outputs; 1 to {WIDTH}.")
        weights.append(weight)
        biases.append(_numbers(arrays, f"bias_{i}", file, (width,)))
    if width != outputs:
        raise RefusedError(
            file, f"weight_{len(weights) - 1}", f"{width} outputs; the task expects {outputs}."
        )
    mean, scale, clip = _normalisation(arrays, file, inputs)
    if arrays:
        raise RefusedError(file, min(arrays), "not an array of a policy.")
    layers = tuple(activations), tuple(weights), tuple(biases)
    return Network(*layers, head, mean, scale, clip, cells, made_for)


@lru_cache(maxsize=8)  # a submission's seeds, each of which is asked for what it is and for its network
def arrays_of(content: bytes, file: str) -> Mapping[str, NDArray[Any]]:
    """Return the arrays of an untrusted policy.npz by name; raises `RefusedError`."""
    return MappingProxyType(read_npz(content, file, LIMITS))


def made_for_of(content: bytes, file: str) -> MadeFor | None:
    """Return what an untrusted policy.npz says that it was made for; None where it says nothing."""
    return _made_for(dict(arrays_of(content, file)), file)


def _made_for(arrays: dict[str, NDArray[Any]], file: str) -> MadeFor | None:
    """Take what a network was made for out of the arrays; all may be absent."""
    if not any(name in arrays for name in _MADE_FOR):
        return None
    (task,) = _texts(arrays, "task", file, None, 0)
    observations = _texts(arrays, "observations", file, None, 1)
    (actions,) = _texts(arrays, "actions", file, (AMOUNTS, MENU, MENUS), 0)
    return MadeFor(task, tuple(observations), actions)


def _cells(arrays: dict[str, NDArray[Any]], file: str, inputs: int) -> tuple[Cell, ...]:
    """Take the recurrent cells out of the arrays; there may be none."""
    kinds = _texts(arrays, "cells", file, list(GATES), 1) if "cells" in arrays else []
    if len(kinds) > CELLS:
        raise RefusedError(file, "cells", f"{len(kinds)} cells; at most {CELLS}.")
    result: list[Cell] = []
    for i, kind in enumerate(kinds):
        hidden = _numbers(arrays, f"cell_{i}_hidden_weight", file, (None, None))
        units, gates = len(hidden), GATES[kind]
        if not 1 <= units <= WIDTH or hidden.shape != (units, gates * units):
            raise RefusedError(
                file,
                f"cell_{i}_hidden_weight",
                f"of shape {hidden.shape}; expected (h, {gates} h), h from 1 to {WIDTH}.",
            )
        weight = _numbers(arrays, f"cell_{i}_input_weight", file, (inputs, gates * units))
        biases = (_numbers(arrays, f"cell_{i}_{n}_bias", file, (gates * units,)) for n in ("input", "hidden"))
        result.append(Cell(kind, weight, hidden, *biases))
        inputs = units
    return tuple(result)


def _outputs(space: spaces.Space[Any], head: str, file: str) -> int:
    """Return how many outputs a network for an action space has; its head must go with it."""
    if bool(menu_sizes(space)) != (head == "argmax"):
        raise RefusedError(file, "head", f"{head} does not fit the action space {space}.")
    return heads.outputs(space)


def _normalisation(
    arrays: dict[str, NDArray[Any]], file: str, inputs: int
) -> tuple[Floats | None, Floats | None, float]:
    """Take mean, scale and clip out of the arrays; all may be absent."""
    if not any(key.startswith("observation_") for key in arrays):
        return None, None, math.inf
    mean = _numbers(arrays, "observation_mean", file, (inputs,))
    scale = _numbers(arrays, "observation_scale", file, (inputs,))
    if not (scale > 0.0).all():
        raise RefusedError(file, "observation_scale", "a scale that is not above 0.")
    clip = math.inf
    if "observation_clip" in arrays:
        clip = float(_numbers(arrays, "observation_clip", file, ()))
        if clip <= 0.0:
            raise RefusedError(file, "observation_clip", f"{clip:g} is not above 0.")
    return mean, scale, clip


def _numbers(arrays: dict[str, NDArray[Any]], name: str, file: str, shape: tuple[int | None, ...]) -> Floats:
    """Take finite numbers of a shape out of the arrays; None fits any length."""
    if name not in arrays:
        raise RefusedError(file, name, "missing.")
    result = arrays.pop(name)
    fits = len(result.shape) == len(shape) and all(
        w in (None, f) for f, w in zip(result.shape, shape, strict=True)
    )
    if result.dtype.kind != "f" or not fits:
        expected = tuple("any" if w is None else w for w in shape)
        raise RefusedError(
            file, name, f"{result.dtype} of shape {result.shape}; expected floats of {expected}."
        )
    if not np.isfinite(result).all():
        raise RefusedError(file, name, "holds a number that is not finite.")
    numbers: Floats = result.astype(np.float64)
    return numbers


def _texts(arrays: dict[str, NDArray[Any]], name: str, file: str, allowed: Any, dimensions: int) -> list[str]:
    """Take known words out of the arrays, or, with None, names that can be printed."""
    if name not in arrays:
        raise RefusedError(file, name, "missing.")
    result = arrays.pop(name)
    if result.dtype.kind != "U" or result.ndim != dimensions:
        raise RefusedError(file, name, f"{result.dtype} of shape {result.shape}; expected texts.")
    try:
        words = [str(word) for word in result.ravel()]
    except ValueError:
        raise RefusedError(file, name, "not text.") from None
    for word in words:
        if allowed is None and word.isprintable() and word:
            continue
        if allowed is None:
            raise RefusedError(file, name, "a name that cannot be printed.")
        if word not in allowed:
            raise RefusedError(file, name, f"unknown {word!r}; known: {', '.join(allowed)}.")
    return words
