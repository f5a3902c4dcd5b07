"""The schema of domain randomisation: what differs from episode to episode, and how much."""

from typing import Final, Literal

from pydantic import Field, field_validator

from agbench.data.field import Number
from agbench.data.reading import Strict

_SHARES: Final = ("FRTB", "FLTB", "FSTB", "FOTB")


class NoiseSpec(Strict):
    """Relative noise on a parameter: `share` is half the width of `uniform`, the sd of `normal`."""

    kind: Literal["uniform", "normal"] = "uniform"
    share: Number = Field(ge=0, lt=1)


class RandomisationSpec(Strict):
    """What each episode draws for itself, from its own seed.

    One of `crops` and one of `soils`, where any are listed, then noise on `parameters` by name: on
    scalars, and on every ordinate of tables.
    """

    crops: list[str] = []
    soils: list[str] = []
    parameters: dict[str, NoiseSpec] = {}

    @field_validator("parameters")
    @classmethod
    def _no_shares(cls, noise: dict[str, NoiseSpec]) -> dict[str, NoiseSpec]:
        for name in noise:
            if name in _SHARES:
                raise ValueError(f"{name}: shares of growth must add up to 1; noise would break that.")
        return noise

    @property
    def any(self) -> bool:
        """Whether anything is random."""
        return bool(self.crops or self.soils or self.parameters)
