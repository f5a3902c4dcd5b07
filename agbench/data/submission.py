"""The schemas of a submission: its card, and the records of the results in it."""

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from agbench.data.dataset import Recipe
from agbench.data.field import Number
from agbench.data.reading import Strict
from agbench.data.task import TaskId

Method = Literal["rule", "rl", "il", "offline-rl", "mpc", "oracle"]
Information = Literal["observation", "forecast", "state", "model"]
LEARNED: frozenset[str] = frozenset({"rl", "il", "offline-rl"})

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?", re.ASCII)
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_URL = re.compile(  # a host of two labels or more, no name or password before it, no number for it
    rf"https://(?:{_LABEL}\.)+(?=[A-Za-z]){_LABEL}(?::[0-9]{{1,5}})?"
    r"(?:[/?#][A-Za-z0-9._~:/?#@!$&*+,;=%-]{0,300})?",
    re.ASCII,
)
_VERSION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,30}[A-Za-z0-9_-])?", re.ASCII)
_LONG_NUMBER = re.compile(r"[0-9]{10}")
_BREAK = re.compile("[\t\n\v\f\r\x85\u2028\u2029]")
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_RESULT_FILE = re.compile(r"episodes\.parquet|actions(?:-[1-9][0-9]?)?\.npz", re.ASCII)
_PATH = re.compile(r"(?:test|shift|policy)/[A-Za-z0-9][A-Za-z0-9._/-]{0,120}", re.ASCII)


def _matching(pattern: re.Pattern[str], what: str) -> AfterValidator:
    def check(value: str) -> str:
        if pattern.fullmatch(value) is None or ".." in value:
            raise ValueError(f"{value!r} is not {what}.")
        return value

    return AfterValidator(check)


def _line(value: str) -> str:
    """Refuse a text of several lines, and one without a letter or digit."""
    if _BREAK.search(value):
        raise ValueError(f"{value!r} has line breaks or tabs; write one line.")
    return _telling(value or " ")


def _telling(value: str) -> str:
    """Refuse a text that says nothing: it has a letter or digit, or is empty."""
    if value and not any(character.isalnum() for character in value):
        raise ValueError(f"{value!r} has no letter or digit.")
    return value


def _short_numbers(value: str) -> str:
    """Refuse a version whose numbers nobody can read."""
    if _LONG_NUMBER.search(value):
        raise ValueError(f"{value!r} has a number of ten digits or more; versions are such as '1.0'.")
    return value


def _plain_host(value: str) -> str:
    """Refuse a host in Punycode, whose name can look like another one, and a port that there is not."""
    host, _, port = re.split("[/?#]", value.removeprefix("https://"), maxsplit=1)[0].casefold().partition(":")
    if port and not 0 < int(port) < 65_536:
        raise ValueError(f"{value!r} has no port {port}; ports are 1 to 65535.")
    if any(label.startswith("xn--") for label in host.split(".")):
        raise ValueError(f"{value!r} has a host in Punycode (xn--...); write a plain one.")
    return value


def _day(value: str) -> str:
    """Refuse what is no date of this form, one before there was a board, and one far ahead."""
    try:
        day = date.fromisoformat(value)
        if day.isoformat() != value or not 2020 <= day.year < 2100:  # weeks are ISO 8601 too
            raise ValueError
    except ValueError:
        raise ValueError(f"{value!r} is not a date such as '2027-03-01'.") from None
    return value


Name = Annotated[
    str, _matching(_NAME, "a name of letters, digits, dot, dash and underscore, at most 64 of them")
]
Version = Annotated[
    str,
    _matching(_VERSION, "a version such as '1.0', of at most 32 characters"),
    AfterValidator(_short_numbers),
]
Url = Annotated[
    str, _matching(_URL, "an address such as 'https://example.org/paper'"), AfterValidator(_plain_host)
]
Hash = Annotated[str, _matching(_HASH, "a SHA-256 of 64 hexadecimal digits")]
FilePath = Annotated[str, _matching(_PATH, "a path in test/, shift/ or policy/")]
ResultFile = Annotated[str, _matching(_RESULT_FILE, "episodes.parquet, actions.npz or actions-1.npz")]
Line = Annotated[str, Field(max_length=300), AfterValidator(_line)]
Words = Annotated[str, Field(max_length=4000), AfterValidator(_telling)]
Licence = Literal["CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "MIT", "BSD-3-Clause", "Apache-2.0"]
"""Open ones, by their SPDX names, for what comes with results; results themselves are CC0."""
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Day = Annotated[str, AfterValidator(_day)]
"""A date as ISO 8601 writes it."""
Setting = bool | int | float | Line | list[bool | int | float | Line]


class NamedDataset(Strict):
    """A dataset that an agent was trained on: its name, and the SHA-256 of its arrays.

    One that is none of the named datasets brings the recipe that it is made by.
    """

    name: Line
    sha256: Hash
    recipe: Recipe | None = None


class Training(Strict):
    """How an agent came to be: training seeds, splits learned from, environment steps, other data.

    `steps` are those of one training seed; `dataset` is what offline reinforcement learning learned from.
    """

    seeds: list[Seed] = Field(min_length=1, max_length=100)
    splits: list[Name] = Field(default=[], max_length=10)
    steps: int | None = Field(default=None, ge=0, lt=2**53)
    data: Words = ""
    dataset: NamedDataset | None = None

    @model_validator(mode="after")
    def _once(self) -> "Training":
        twice = sorted({seed for seed in self.seeds if self.seeds.count(seed) > 1})
        if twice:
            raise ValueError(f"the training seed {twice[0]} appears twice.")
        return self


class SubmittedPolicy(Strict):
    """The policy itself: `rule` names a registered policy, the other formats have a file a seed.

    A rule that is a schedule of its own has its settings in policy/rule.yaml.
    """

    format: Literal["rule", "mlp", "onnx"]
    name: Name | None = None

    @model_validator(mode="after")
    def _named(self) -> "SubmittedPolicy":
        if self.format != "rule" and self.name is not None:
            raise ValueError("only a policy of the format rule has a name.")
        return self


class Submission(Strict):
    """The card of a submission: who, how, with what, and the hash of every other file."""

    format: Literal[1]
    task: TaskId
    task_hash: Hash
    agent: Name
    version: Version
    authors: list[Line] = Field(min_length=1, max_length=100)
    contact: Line
    licence: Licence = "CC0-1.0"
    submitted: Day | None = None
    method: Method
    information: Information
    training: Training
    hardware: Line = "not stated"
    hyperparameters: dict[Name, Setting] = Field(default={}, max_length=200)
    paper: Url | None = None
    code: Url | None = None
    notes: Words = ""
    policy: SubmittedPolicy | None = None
    files: dict[FilePath, Hash] = Field(min_length=3, max_length=1000)

    @property
    def learned(self) -> bool:
        """Whether the agent was trained, so that its seeds are what is replicated."""
        return self.method in LEARNED


class ResultRecord(Strict):
    """What result.yaml of a submitted result says."""

    format: Literal[1]
    task: TaskId
    task_hash: Hash
    overrides: dict[str, Any] = Field(max_length=0)
    split: Name
    policy: Name
    information: Information
    seed: Seed
    episodes: int = Field(ge=1, le=100_000)
    failed: int = Field(ge=0)
    wall_time_s: Number = Field(ge=0)
    simulator_hash: Hash
    data: dict[Line, Hash] = Field(max_length=100)
    versions: dict[Line, Line] = Field(max_length=100)
    machine: dict[Line, Line] = Field(max_length=10)
    files: dict[ResultFile, Hash] = Field(max_length=100)
    content: dict[str, Any]
