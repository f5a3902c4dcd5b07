"""The schema of a field task's reward."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.reading import Strict

_NEEDS = {
    "cost": ("prices", "of the inputs"),
    "profit": ("product_price", "of the variable"),
    "threshold": ("limits", "on the inputs of a season"),
    "runoff": ("lost", "such as TOTN_RUNOFF"),
    "rotation-profit": ("crop_prices", "of what each crop yields"),
}

_PENALISED = ("threshold", "runoff")


Price = Annotated[Number, Field(ge=0, le=1e6)]
"""What a unit brings or costs, in the reward's unit; nobody is paid for spreading, or pays for a yield."""

Limit = Annotated[Number, Field(ge=0, le=1e9)]
"""The most of an input, or of a cost; 0 for none at all."""


class RewardSpec(Strict):
    """How a step is paid.

    `growth` and `cost`: growth of `variable` minus prices times inputs. `growth-above-reference`:
    minus the growth of the same scenario without any input too (Kallenberg et al. 2023).
    `storage-organ-weight`: what stands of `variable`, at every step. `profit`: growth times
    `product_price`, minus prices times inputs. `threshold` and `runoff`: growth, minus `penalty` per
    unit of violation. `rotation-profit`: growth times the price of the crop that it came from, by
    `crop_prices`, minus `crop_costs` for every sowing of a crop, minus prices times inputs. `prices` are per
    unit of input, in the reward's unit. No price, cost or limit is below 0: an input that paid would be
    spread whatever the crop needs.

    A violation is what is applied beyond the season's `limits`, by input, and what is newly `lost`
    (a variable that only grows); it is reported as `cost` whatever the kind. In the mean of its episodes a
    policy may cost what is `tolerated`.
    """

    kind: Literal[
        "growth",
        "growth-above-reference",
        "storage-organ-weight",
        "cost",
        "threshold",
        "runoff",
        "profit",
        "rotation-profit",
    ]
    variable: str
    unit: str
    prices: dict[str, Price] = {}
    beta: Price = 1.0
    product_price: Price | None = None
    penalty: Limit = 10_000.0
    limits: dict[str, Limit] = {}
    lost: str | None = None
    tolerated: Limit = 0.0
    crop_prices: dict[str, Price] = {}
    crop_costs: dict[str, Price] = {}

    @model_validator(mode="after")
    def _complete(self) -> "RewardSpec":
        key, what = _NEEDS.get(self.kind, ("variable", ""))
        if not getattr(self, key):
            raise ValueError(f"a reward of the kind {self.kind!r} needs {key} {what}.")
        return self

    def idle(self) -> dict[str, str]:
        """Return the keys that change nothing in this reward, and what would give them an effect."""
        rotates, weighs = self.kind == "rotation-profit", self.kind == "storage-organ-weight"
        keys: dict[str, str] = {}
        if self.kind != "profit":
            keys["product_price"] = "it counts in a reward of the kind 'profit' alone"
        if not rotates:
            of = "it counts in a reward of the kind 'rotation-profit' alone"
            keys |= dict.fromkeys(("crop_prices", "crop_costs"), of)
        if self.kind not in _PENALISED:
            keys["penalty"] = "it counts in a reward of the kind 'threshold' or 'runoff' alone"
        if weighs:
            keys["prices"] = "a reward of the kind 'storage-organ-weight' has no costs; 'growth' has"
        if rotates or weighs:
            keys["beta"] = f"a reward of the kind {self.kind!r} does not scale its costs; 'cost' does"
        elif not self.prices:
            keys["beta"] = "it scales what inputs cost; give 'prices' of them too"
        return keys

    @property
    def constrained(self) -> bool:
        """Whether there is anything to violate."""
        return bool(self.limits) or self.lost is not None

    @property
    def paid_penalty(self) -> float:
        """What a unit of violation takes off the reward; nothing where it is only reported."""
        return self.penalty if self.kind in _PENALISED else 0.0
