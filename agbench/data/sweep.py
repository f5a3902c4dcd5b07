"""What a sweep may vary: `baselines/sweeps/ALGO.yaml`, the values named as in the algorithm's own file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from agbench.data import places
from agbench.data.reading import Strict, read_file
from agbench.data.training import stated, training_settings
from agbench.errors import ConfigError, did_you_mean, unknown

SWEEPS: Final = "sweeps"
"""The folder of the spaces, among the baselines."""
FIXED: Final = ("algorithm", "summary", "source", "steps", "validation")
"""Keys of an algorithm's file that are the same in all trials: trials are compared by them."""


class Varied(Strict):
    """The values of one key: a range of numbers, or choices.

    A range whose ends are whole numbers has whole numbers only. `log`: the logarithm is even over the range.
    `step`: from one value to the next.
    """

    low: int | float | None = None
    high: int | float | None = None
    log: bool = False
    step: int | float | None = Field(default=None, gt=0)
    choices: list[Any] | None = Field(default=None, min_length=2)

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    @property
    def probes(self) -> list[Any]:
        """The values that a check tries: all choices, or both ends."""
        return list(self.choices) if self.choices is not None else [self.low, self.high]

    def mistake(self) -> str | None:
        """Return what is wrong with it, or None."""
        if self.choices is not None:
            given = [name for name in ("low", "high", "step") if getattr(self, name) is not None]
            if given or self.log:
                return f"has choices and {(given or ['log'])[0]}; it is a range or choices, not both."
            texts = [repr(choice) for choice in self.choices]
            twice = next((text for text in texts if texts.count(text) > 1), None)
            return None if twice is None else f"names the choice {twice} twice."
        if self.low is None or self.high is None:
            return "needs low and high, or choices."
        if not self.low < self.high:
            return f"low {self.low!r} must be below high {self.high!r}."
        if self.log and self.low <= 0:
            return f"has a logarithm only above 0; low is {self.low!r}."
        if self.log and self.step is not None:
            return "has log and step; it can have one of them."
        if self.whole and isinstance(self.step, float):
            return f"has whole numbers, so its step must be one: {self.step!r}."
        return None


class SweepSpace(Strict):
    """All that a sweep of an algorithm varies. `space`: by key, named as by `agbench train --set`."""

    sweep: str
    summary: str
    source: str
    space: dict[str, Varied] = Field(min_length=1)


def spaces() -> list[str]:
    """Return the algorithms that a file says how to sweep."""
    folders = (places.baseline_folder(root, SWEEPS) for root in places.roots())
    return sorted({path.stem for folder in folders for path in folder.glob("*.yaml")})


def sweep_space(algorithm: str, task: str | None = None, file: Path | None = None) -> SweepSpace:
    """Return what a sweep of an algorithm in a task varies; `file` in place of `baselines/sweeps/ALGO.yaml`.

    Raises:
        UnknownNameError: for an algorithm without a file.
        ConfigError: for a space that is wrong; names file, key and remedy.
    """
    path = file
    if path is None:
        paths = (places.baseline_folder(root, SWEEPS) / f"{algorithm}.yaml" for root in places.roots())
        path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise unknown("sweep of the algorithm", algorithm, spaces())
    result = read_file(SweepSpace, path)
    if result.sweep != algorithm:
        raise ConfigError(f"{path}: sweep: is of {result.sweep!r}, not of {algorithm!r}.")
    check_space(result, task, str(path))
    return result


def check_space(space: SweepSpace, task: str | None, where: str) -> None:
    """Raise `ConfigError` for a key that settings do not have, or a value that they do not take."""
    known = stated(space.sweep, task)
    for key, dimension in space.space.items():
        place = f"{where}: space: {key}"
        if key.split(".")[0] in FIXED:
            raise ConfigError(f"{place}: is the same in all trials, so that they can be compared.")
        if key not in known:
            hint = did_you_mean(key, [name for name in known if name.split(".")[0] not in FIXED])
            raise ConfigError(f"{place}: baselines/algorithms/{space.sweep}.yaml states no such key.{hint}")
        mistake = dimension.mistake()
        if mistake is not None:
            raise ConfigError(f"{place}: {mistake}")
        for value in dimension.probes:
            try:
                training_settings(space.sweep, task, {key: value})
            except ConfigError as error:
                raise ConfigError(f"{place}: {value!r}: {error}") from None


def differing(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of settings that differ from the usual ones: what a task's file of changes holds."""
    result: dict[str, Any] = {}
    for key, value in settings.items():
        other = usual.get(key)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            if inner := differing(value, other):
                result[key] = inner
        elif value != other:
            result[key] = value
    return result


def changed(task: str, algorithm: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task's file of changes to an algorithm, `changes` put over the one that there is."""
    usual = training_settings(algorithm, None).model_dump()
    return differing(training_settings(algorithm, task, changes).model_dump(), usual)
