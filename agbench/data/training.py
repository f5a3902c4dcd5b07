"""How agents are trained: `baselines/algorithms/ALGO.yaml`, and what a task changes in it.

A task's changes are in `baselines/TASK/train/ALGO.yaml`. They hold the keys that differ, and no others.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from agbench.data import places
from agbench.data.reading import Strict, load_file, no_mapping, read_data
from agbench.errors import ConfigError, did_you_mean, unknown

ALGORITHMS: Final = "algorithms"
"""The folder of the algorithms' files, among the baselines."""
CHANGES: Final = "train"
"""The folder of a task's changes, in the folder of its baselines."""
EVIDENCE: Final = "evidence"
"""The key of a task's changes that says where they come from: see `SweepEvidence`."""

Activation = Literal["tanh", "relu", "elu", "silu", "leaky_relu"]


Layers = Annotated[list[Annotated[int, Field(gt=0, le=1024)]], Field(min_length=1, max_length=8)]
"""Widths of hidden layers, within what `policy.npz` holds."""


class NetworkSettings(Strict):
    """The perceptrons of an agent: the widths of the hidden layers, and what follows each of them.

    `critic`: other widths for what judges the actions, of algorithms that have it apart from the actor.
    `log_std_init`: the logarithm of the standard deviation with which amounts are drawn at the start, as
    Stable-Baselines3 calls it; there it is 0, the half of an action's range.
    """

    layers: Layers
    critic: Layers | None = None
    log_std_init: float | None = Field(default=None, ge=-5.0, le=1.0)
    activation: Activation = "tanh"

    @model_serializer(mode="wrap")
    def _said(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what is as the library has it."""
        return {key: value for key, value in write(self).items() if value is not None}


class ValidationSettings(Strict):
    """How often the agent is played on the validation split, and when training ends early.

    `every`: environment steps from one validation to the next. `episodes`: at most so many scenarios.
    `repeats`: times that each is played, with other draws of what the task draws at random: where a limit is
    hard, a rare violation shows in many episodes only.
    `patience`: training ends after so many validations without a better one; null never ends it.
    """

    every: int = Field(gt=0)
    episodes: int = Field(default=100, gt=0)
    repeats: int = Field(default=1, gt=0, le=100)
    patience: int | None = Field(default=None, gt=0)


class SweepEvidence(Strict):
    """Where a task's changes to an algorithm come from: the sweep that chose them.

    `command` gives them again. `trials`: how many there were; of those `pruned` were ended early and `failed`
    raised. `steps`: environment steps of each agent; a trial trains one with each of `seeds`. `best` and
    `default` are the means of their agents' best validations on `split`, the default being the settings
    before the sweep.
    """

    command: str
    trials: int = Field(gt=0)
    pruned: int = Field(ge=0)
    failed: int = Field(ge=0)
    steps: int = Field(gt=0)
    seeds: list[int] = Field(min_length=1)
    split: str
    objective: str
    best: float
    default: float
    versions: dict[str, str]


class TrainingSettings(Strict):
    """An algorithm and all that it is run with.

    `steps` are environment steps, or, of an algorithm that plays none and so has no `envs`, gradient steps.
    `reuse`: episodes that a drawn season of a split without end serves, on average.
    `demo_episodes`: so many are played by a policy that shows what to do. `settings` are arguments of the
    algorithm's class; those under `menus` and `amounts` are for that kind of actions. A number that falls in
    training is `{start: 3.0e-4, end: 0.0}`: a straight line over all steps.
    """

    algorithm: str
    summary: str
    source: str
    steps: int = Field(gt=0)
    envs: int | None = Field(default=None, gt=0)
    reuse: int = Field(default=1, gt=0)
    demo_episodes: int | None = Field(default=None, gt=0)
    network: NetworkSettings
    validation: ValidationSettings
    settings: dict[str, Any]


def algorithms() -> list[str]:
    """Return the names of the algorithms that have a file."""
    folders = (root / "baselines" / ALGORITHMS for root in places.roots())
    return sorted({path.stem for folder in folders for path in folder.glob("*.yaml")})


def training_settings(
    algorithm: str, task: str | None, changes: Mapping[str, Any] | None = None, file: Path | None = None
) -> TrainingSettings:
    """Return the settings of an algorithm for a task (None: for any), `changes` put over both files.

    `file` is the task's changes, in place of those under its baselines. A key of `changes` is one of the
    file, one of `settings` by its own name, or a path such as `validation.every`.

    Raises:
        UnknownNameError: for an algorithm without a file.
        ConfigError: for wrong settings; names file, key and remedy.
    """
    content, where = _content(algorithm, task, file)
    if changes:
        content = merged(content, nested(changes, content))
        where = f"{where} with what was set"
    result = read_data(TrainingSettings, content, where)
    if result.algorithm != algorithm:
        raise ConfigError(f"{where}: algorithm: {result.algorithm!r} must be the file's own name.")
    return result


def stated(algorithm: str, task: str | None) -> list[str]:
    """Return the keys that an algorithm's settings for a task state, as `--set` names them."""
    content = _content(algorithm, task, None)[0]
    settings = content.get("settings", {})
    result = [key for key in content if key != "settings"]
    for key, value in [*content.items(), *settings.items()]:
        if key != "settings":
            result += [key] if key in settings else []
            result += [f"{key}.{inner}" for inner in value] if isinstance(value, Mapping) else []
    return result


def evidence(file: Path) -> SweepEvidence | None:
    """Return where a task's changes come from, or None where their file does not say."""
    content = _mapping(file).get(EVIDENCE)
    return None if content is None else read_data(SweepEvidence, content, f"{file}: {EVIDENCE}")


def _content(algorithm: str, task: str | None, file: Path | None) -> tuple[dict[str, Any], str]:
    """Return what an algorithm's file and a task's changes to it say, and the files' names for errors."""
    path = _find(places.baseline_folder(root, ALGORITHMS) / f"{algorithm}.yaml" for root in places.roots())
    if path is None:
        raise unknown("algorithm", algorithm, algorithms())
    content, where = _mapping(path), str(path)
    own = file or (None if task is None else task_changes(algorithm, task))
    if own is not None:
        above = _mapping(own)
        above.pop(EVIDENCE, None)
        content, where = merged(content, above), f"{own} (over {path.name})"
    return content, where


def task_changes(algorithm: str, task: str) -> Path | None:
    """Return the file of a task's changes to an algorithm, a user's first, or None where there is none."""
    folders = (places.baseline_folder(root, task) / CHANGES for root in reversed(places.roots()))
    return _find(folder / f"{algorithm}.yaml" for folder in folders)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return one mapping over another; mappings in both are put over each other too."""
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            result[key] = merged(under, value)
        else:
            result[key] = value
    return result


def nested(changes: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes by path as mappings in mappings; short names of settings are completed."""
    result: dict[str, Any] = {}
    for key, value in changes.items():
        *above, last = key.split(".")
        first = key.split(".")[0]
        if first not in TrainingSettings.model_fields and (not above or first in content.get("settings", ())):
            above = ["settings", *above]
        for word in reversed(above):
            value, last = {last: value}, word
        if above and above[0] not in TrainingSettings.model_fields:
            hint = did_you_mean(above[0], [*TrainingSettings.model_fields, *content.get("settings", ())])
            raise ConfigError(f"--set {key}: unknown key {above[0]!r}.{hint}")
        result = merged(result, {last: value})
    return result


def _find(paths: Any) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


def _mapping(path: Path) -> dict[str, Any]:
    content = load_file(path)
    if not isinstance(content, dict):
        raise no_mapping(content, str(path))
    return content
