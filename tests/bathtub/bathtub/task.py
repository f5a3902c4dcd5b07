"""The schema of a bathtub task."""

from typing import Literal

from agbench.data.reading import Strict
from agbench.data.task import Task


class Bath(Strict):
    """How long it takes and how long a decision lasts [min], and the wanted level [cm]."""

    minutes: int
    step: int
    level: float


class BathtubTask(Task):
    """Tubs by the size of their leak [% of the level a minute]."""

    family: Literal["bathtub"]
    bath: Bath
    splits: dict[str, list[int]]

    def scenarios(self, split: str) -> list[str]:
        """Return a key for each leak, such as `leak/3`."""
        self.check_split(split)
        return [f"leak/{percent}" for percent in self.splits[split]]

    @property
    def step(self) -> int:
        """The minutes of a decision."""
        return self.bath.step
