"""Recipes of offline datasets: `tasks/datasets/NAME.yaml` of every folder of data.

A recipe's full name is that of its file and its own: `wheat-nitrogen/medium-v1`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from agbench.data import places
from agbench.data.field import Number
from agbench.data.overrides import override
from agbench.data.read_once import read_once
from agbench.data.reading import Strict
from agbench.data.task import Task, TaskId
from agbench.errors import ConfigError, unknown

MOST: Final = 100
"""The behaviours that a dataset has at most."""
FOLDER: Final = "datasets"
"""The folder of the files of recipes, among the tasks."""

Mix = Literal["episode", "step", "order"]
"""How behaviours share a dataset: drawn for each episode, drawn for each step, or one after the other."""
Scenarios = Literal["drawn", "split"]
"""Which scenarios are played: drawn as an environment draws them, or those of the split in turn."""

_Part = Annotated[Number, Field(ge=0, le=1)]
_Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*-v(0|[1-9][0-9]*)$")]
_Content = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class StraightLine(Strict):
    """A number that changes along a straight line, from the first episode of a behaviour to its last."""

    start: _Part
    end: _Part


class BehaviourSpec(Strict):
    """A policy and what is done to its actions.

    `share`: its weight among the behaviours. `epsilon`: the probability that an action is drawn uniformly
    from the action space instead. `noise`: the standard deviation of normal noise on amounts, which reach
    from -1 to 1.
    """

    policy: str
    share: Annotated[Number, Field(gt=0, le=1e9)] = 1.0
    epsilon: _Part | StraightLine = 0.0
    noise: _Part | StraightLine = 0.0

    @field_validator("epsilon", "noise", mode="before")
    @classmethod
    def _number_or_line(cls, value: Any) -> Any:
        ends = value if isinstance(value, Mapping) and value.keys() == {"start", "end"} else {"both": value}
        for end in ends.values():
            if isinstance(end, StraightLine):
                continue
            if isinstance(end, bool) or not isinstance(end, (int, float)) or not 0.0 <= end <= 1.0:
                raise ValueError(
                    f"{end!r} is no number from 0 to 1, nor a line such as {{start: 1.0, end: 0.1}}."
                )
        return value


class Recipe(Strict):
    """All that a dataset follows from, but for the task.

    `state` adds the simulator's whole state, which agents do not observe; `overrides` are keys of the task
    file, as in `agbench.make`.
    """

    summary: str = Field(min_length=1)
    behaviour: list[BehaviourSpec] = Field(min_length=1, max_length=MOST)
    mix: Mix = "episode"
    episodes: int = Field(ge=1)
    split: str = "train"
    scenarios: Scenarios | list[str] = "drawn"
    seed: int = Field(default=0, ge=0)
    state: bool = False
    years: list[int] | None = None
    overrides: dict[str, Any] = {}


class Recipes(Strict):
    """The content of a file of recipes: their task, and each by the second part of its name.

    `made` has the SHA-256 of the arrays that a recipe gave when it was made, the newest first: those of
    earlier physics stay, for agents were trained on them.
    """

    task: TaskId
    datasets: dict[_Name, Recipe] = Field(min_length=1)
    made: dict[_Name, list[_Content]] = {}

    @model_validator(mode="after")
    def _made_of_recipes(self) -> "Recipes":
        """Refuse what was made by no recipe of the file."""
        strange = sorted(self.made.keys() - self.datasets.keys())
        if strange:
            raise ValueError(f"made: {strange[0]!r} is none of the recipes of this file.")
        return self


def names() -> list[str]:
    """Return the full names of all recipes, sorted; files that cannot be read raise `ConfigError`."""
    return sorted({f"{path.stem}/{name}" for path in _files() for name in read_once(Recipes, path).datasets})


def recipe(name: str) -> tuple[str, Recipe]:
    """Return the task id and the recipe of a full name.

    Raises `UnknownNameError` with the nearest names, `ConfigError` for a name in two folders of data.
    """
    content, own = _file_of(name)
    return content.task, content.datasets[own]


def made(name: str) -> list[str]:
    """Return the SHA-256 of the arrays that a recipe gave, the newest first; raises as `recipe` does.

    Empty for a recipe that was never made.
    """
    content, own = _file_of(name)
    return content.made.get(own, [])


def _file_of(name: str) -> tuple[Recipes, str]:
    """Return the file of recipes that has a full name, and the name's own part."""
    stem, _, own = name.partition("/")
    files = [path for path in _files() if path.stem == stem]
    if len(files) > 1:
        raise ConfigError(f"the recipes {stem!r} are defined twice: {files[0]} and {files[1]}. Rename one.")
    content = read_once(Recipes, files[0]) if files else None
    if content is None or own not in content.datasets:
        raise unknown("dataset", name, names())
    return content, own


def check_recipe(task: Task, one: Recipe) -> None:
    """Raise for a recipe with a split, or with overrides, that its task does not take."""
    override(task, one.overrides).check_split(one.split)


def _files() -> Iterator[Path]:
    """Yield the files of recipes, in the order of the folders of data."""
    for root in places.roots():
        yield from sorted((root / "tasks" / FOLDER).glob("*.yaml"))
