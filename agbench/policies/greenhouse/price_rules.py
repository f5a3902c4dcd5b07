"""The rule-based grower at market prices: lamps stay off while electricity is dear."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from agbench.data.field import Number
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict
from agbench.policies.base import Information, Interface, policy
from agbench.policies.greenhouse.rule_based import RuleBased
from agbench.simulators.greenlight.climate_computer import settings_vector
from agbench.variables import Floats

PRICE: Final = "electricityPrice"
_LAMPS: Final = ("uLamp", "uBlScr")  # the blackout screen closes for lamps only


class PriceRulesSettings(Strict):
    """`lamp_price` [EUR kWh-1], the price above which lamps stay off; `rules`, those of rule-based."""

    lamp_price: Number
    rules: dict[str, Number] = Field(default={})


@policy(
    "price-rules",
    settings=PriceRulesSettings,
    families=["greenhouse"],
    fit="agbench.policies.greenhouse.tuning:tune_price_rules",
)
class PriceRules(RuleBased):
    """Follows the rules of `rule-based`, but lights no lamp above a price of electricity.

    The task must show that price: `observation.prices: [electricity]`.
    """

    information: Information = "observation"

    def __init__(self, name: str, settings: PriceRulesSettings, interface: Interface[GreenhouseTask]) -> None:
        super().__init__(name, settings_vector(settings.rules), interface)
        self.highest: Floats = np.array([settings.lamp_price])
        """EUR kWh-1, (1,) or one a row."""
        self._price = int(interface.columns([PRICE])[0])
        names = interface.actions.names
        self._lamps = np.array([names.index(lamp) for lamp in _LAMPS if lamp in names], dtype=np.intp)

    def targets(self, seen: Floats, settings: Floats) -> Floats:
        """Return the controls that the rules want, without lamps in rows where electricity is dear."""
        wanted = super().targets(seen, settings)
        dear = seen[:, self._price] > self.highest
        wanted[:, self._lamps] *= ~dear[:, None]
        return wanted

    def priced(self, observations: NDArray[Any], settings: Floats, highest: Floats) -> NDArray[np.float32]:
        """Return the actions of rows, each under rules (n, 30) and a highest price (n,) of its own."""
        self.highest = highest
        return self.actions(observations, settings)
