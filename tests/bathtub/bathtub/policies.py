"""Who fills bathtubs."""

from typing import Any

from agbench.data.reading import Strict
from agbench.policies.base import Interface, policy


class PlumberSettings(Strict):
    """The level below which the tap runs [cm], and how much it gives."""

    level: float
    tap: float


@policy("plumber", settings=PlumberSettings, families=["bathtub"])
class Plumber:
    """Opens the tap below a level, and closes it above."""

    information = "observation"

    def __init__(self, name: str, settings: PlumberSettings, values: Interface[Any]) -> None:
        self.name = name
        self._settings = settings
        self._actions = values.actions
        self._level = values.observer.index("LEVEL")

    def reset(self, seed: int) -> None:
        pass

    def __call__(self, observation: Any) -> Any:
        low = observation[self._level] < self._settings.level
        return self._actions.encode("TAP", self._settings.tap if low else 0.0)[0]
