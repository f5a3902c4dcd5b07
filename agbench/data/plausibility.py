"""Checks that catch wrong units in a task's numbers: EUR t-1 for EUR kg-1, mm for cm, shares for percent.

A schema says which numbers are possible; these say which are believable in the unit that a key has. They
refuse a task or let it pass as it is.
"""

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any, Final

from agbench.data.plausible_house import wrong_house
from agbench.data.task import Task
from agbench.errors import ConfigError

MOST_OF_PRODUCT: Final = 50.0
"""EUR kg-1 of dry matter; ten times what wine grapes bring. A price beyond it is one of a tonne."""

MOST_OF_INPUT: Final[Mapping[str, tuple[float, str]]] = {
    **dict.fromkeys("NPK", (50.0, "EUR kg-1; prices of a tonne need a factor 0.001")),
    "IRRIG": (1_000.0, "EUR for a cm on a hectare, which is 100 m3"),
}
"""What inputs cost at most: a tonne's price, or that of a whole season's water, lies beyond it."""

LEAST_PRICE: Final = 0.005
"""EUR kg-1 or EUR for a cm on a hectare; prices below it, but for 0, are those of a gram."""

LEAST_PRICE_OF_ENERGY: Final = 5e-4
"""EUR kWh-1, in the mean of a day; prices below it, but for 0, are those of a Wh."""

MOST_WATER: Final = 25.0
"""cm on one day; more than any field is flooded with. Depths in mm lie beyond it."""

LEAST_DOSES: Final[Mapping[str, tuple[float, str]]] = {
    **dict.fromkeys("NPK", (1.0, "kg ha-1; t ha-1 need a factor 1000")),
    "IRRIG": (0.1, "cm; m need a factor 100"),
}
"""Largest doses and limits of a season below these, but for 0, are no work that a farm does."""

MOST_OF_CO2: Final = 5.0
"""EUR kg-1; ten times what it costs in bottles. Prices in ct lie beyond it."""

LEAST_FRUIT, MOST_FRUIT = 2.5e4, 1e7
"""mg m-2 of dry fruit, 25 g and 10 kg m-2: between them lies the most that a crop carries (`cFruitMax`)."""

MOST_OF_ENERGY: Final = 2.0
"""EUR kWh-1, in the mean of a day; five times the dearest of tariffs. Prices in ct lie beyond it."""

MOST_OF_PENALTY: Final = 1_000.0
"""EUR m-2 h-1; a thousand times what a greenhouse earns in the hour."""

LEAST_LIMITS: Final[Mapping[str, tuple[float, str]]] = {
    "co2": (100.0, "ppm, of which outdoor air has some 400; shares need a factor 1000000, % 10000"),
    "humidity": (1.0, "%; shares need a factor 100"),
}
"""Lowest limits of a climate above 0 and below these, or highest ones below these, are in another unit."""

COLDEST_IN_KELVIN: Final = 200.0
"""A temperature above it, which no greenhouse has in degC, is in kelvin."""

LEAST_VAPOUR: Final = 20.0
"""Pa, in air of -40 degC. Pressures in kPa lie below it."""


def check_limits(data: Mapping[str, Any], where: str) -> None:
    """Raise `ConfigError` for a limit of the climate in another unit, before it is held against the other.

    `data` is a task as its file has it. One limit in kelvin or as a share crosses the other in degC or %, and
    the schema would tell of the crossing alone.
    """
    constraints = data.get("constraints")
    for name, of in constraints.items() if isinstance(constraints, Mapping) else ():
        for end, limit in of.items() if isinstance(of, Mapping) else ():
            if end not in ("low", "high") or not isinstance(limit, (int, float)):
                continue
            if name == "temperature" and limit > COLDEST_IN_KELVIN:
                raise ConfigError(
                    f"{where}: constraints.temperature.{end}: {limit:g}; give degC. Kelvin need 273.15 "
                    "subtracted."
                )
            if name == "humidity" and 0.0 < limit < LEAST_LIMITS["humidity"][0]:
                raise ConfigError(
                    f"{where}: constraints.humidity.{end}: {limit:g}; give {LEAST_LIMITS['humidity'][1]}."
                )


def check_units(task: Task, where: str) -> None:
    """Raise `ConfigError` for a number of a task that can only be meant in another unit; names both."""
    reward, action = getattr(task, "reward", None), getattr(task, "action", None)
    for found in (
        *_field_prices(reward),
        *_doses(action, reward),
        *_unpriced(action, reward),
        *_greenhouse_prices(reward),
        *_climate(getattr(task, "constraints", None)),
        *_crop(getattr(task, "simulator", None)),
        *wrong_house(getattr(task, "simulator", None), getattr(task, "uncertainty", None)),
        *_start(getattr(getattr(task, "episode", None), "crop", {})),
        *_step(getattr(task, "season", None)),
    ):
        raise ConfigError(f"{where}: {found}")


def _field_prices(reward: Any) -> Iterator[str]:
    """Yield what is wrong with a field's prices; those of rewards in other units than EUR may be anything."""
    if not str(getattr(reward, "unit", "")).startswith("EUR"):
        return
    products = {"product_price": getattr(reward, "product_price", None)}
    products |= {f"crop_prices.{crop}": price for crop, price in getattr(reward, "crop_prices", {}).items()}
    for key, price in products.items():
        if price is not None and price > MOST_OF_PRODUCT:
            yield (
                f"reward.{key}: {price:g} EUR for a kg of dry matter; at most {MOST_OF_PRODUCT:g} is "
                "allowed. Prices of a tonne need a factor 0.001."
            )
        if price is not None and 0.0 < price < LEAST_PRICE:
            yield _too_cheap(f"reward.{key}", price)
    for name, price in getattr(reward, "prices", {}).items():
        most, unit = MOST_OF_INPUT.get(name, (float("inf"), ""))
        if price > most:
            yield f"reward.prices.{name}: {price:g}; at most {most:g} is allowed. Give {unit}."
        if name in MOST_OF_INPUT and 0.0 < price < LEAST_PRICE:
            yield _too_cheap(f"reward.prices.{name}", price)


def _too_cheap(key: str, price: float, least: float = LEAST_PRICE, remedy: str = "") -> str:
    """Return what is wrong with a price that is nearly nothing."""
    remedy = remedy or "Prices of a gram need a factor 1000."
    return f"{key}: {price:g} EUR; it must be 0, or {least:g} or more. {remedy}"


def _unpriced(action: Any, reward: Any) -> Iterator[str]:
    """Yield which inputs of a menu a profit in EUR has no price for, while it has some of others."""
    prices = getattr(reward, "prices", {})
    known = bool(prices) and prices.keys() <= action.doses.keys()  # others are refused by their names
    if not known or reward.kind not in ("profit", "rotation-profit"):
        return
    free = [name for name in MOST_OF_INPUT if name in action.doses and name not in prices]
    if free and str(reward.unit).startswith("EUR"):
        yield (
            f"reward.prices: {', '.join(prices)} has a price and {', '.join(free)} has none, which would be "
            "free. Give a price for each input of the menu, 0 for what is free; one alone is "
            f"reward.prices.{next(iter(prices))} (in Python reward__prices__{next(iter(prices))})."
        )


def _doses(action: Any, reward: Any) -> Iterator[str]:
    """Yield what is wrong with doses, and with the limits of a season."""
    most = {f"action.doses.{name}": (name, max(each)) for name, each in getattr(action, "doses", {}).items()}
    most |= {f"action.limit.{name}": (name, each) for name, each in getattr(action, "limit", {}).items()}
    most |= {f"reward.limits.{name}": (name, each) for name, each in getattr(reward, "limits", {}).items()}
    for key, (name, amount) in most.items():
        least, unit = LEAST_DOSES.get(name, (0.0, ""))
        if 0.0 < amount < least:
            yield f"{key}: at most {amount:g}; it must be 0, or {least:g} or more. Give {unit}."
    amounts = {"doses.IRRIG": max(getattr(action, "doses", {}).get("IRRIG", [0.0]))}
    amounts |= {"limit.IRRIG": getattr(action, "limit", {}).get("IRRIG", 0.0)}
    for key, amount in amounts.items():
        if amount > MOST_WATER:
            yield (
                f"action.{key}: {amount:g} cm of water on one day; at most {MOST_WATER:g} is allowed. "
                "Depths in mm need a factor 0.1."
            )


def _greenhouse_prices(reward: Any) -> Iterator[str]:
    """Yield what is wrong with a greenhouse's prices and penalty; series are checked where they are read."""
    for name in ("heat", "electricity", "electricity_night"):
        hours = _numbers(getattr(reward, name, None))
        mean = sum(map(abs, hours)) / len(hours) if hours else 0.0
        if mean > MOST_OF_ENERGY:
            yield (
                f"reward.{name}: {mean:g} EUR kWh-1{' in the mean' if len(hours) > 1 else ''}; at most "
                f"{MOST_OF_ENERGY:g} is allowed. EUR MWh-1 need a factor 0.001, ct kWh-1 0.01."
            )
        if 0.0 < mean < LEAST_PRICE_OF_ENERGY:
            remedy = "EUR Wh-1 need a factor 1000."
            yield _too_cheap(f"reward.{name}", mean, LEAST_PRICE_OF_ENERGY, remedy)
    for price in _numbers(getattr(reward, "co2", None)):
        if abs(price) > MOST_OF_CO2:
            yield (
                f"reward.co2: {price:g} EUR kg-1; at most {MOST_OF_CO2:g} is allowed. "
                "Prices in ct need a factor 0.01, those of a tonne 0.001."
            )
    for name in ("co2", "heat", "electricity"):
        prices = _numbers(getattr(reward, name, None))
        mean = name == "electricity"  # of single hours it may be negative, as the market's is
        price = sum(prices) / max(1, len(prices)) if mean else min(prices, default=0.0)
        if price < 0.0:
            yield (
                f"reward.{name}: {price:g}{' in the mean' if mean else ''}; who is paid to use it wastes it. "
                "Give 0 or more."
            )
    for price in _numbers(getattr(reward, "fruit", None)):
        if price < 0.0:
            yield f"reward.fruit: {price:g} EUR kg-1; nobody pays to have fruit taken. Give 0 or more."
        if 0.0 < price < LEAST_PRICE:
            yield _too_cheap("reward.fruit", price)
    penalty = getattr(reward, "penalty", 0.0)
    if hasattr(reward, "fruit") and penalty > MOST_OF_PENALTY:
        yield (
            f"reward.penalty: {penalty:g} EUR m-2 h-1; at most {MOST_OF_PENALTY:g} is allowed, a thousand "
            "times what a greenhouse earns in the hour."
        )


def _climate(constraints: Any) -> Iterator[str]:
    """Yield what is wrong with the limits of a greenhouse's climate."""
    for name, (least, unit) in LEAST_LIMITS.items():
        limits = getattr(constraints, name, None)
        if limits is not None and (0.0 < limits.low < least or limits.high < least):
            yield (
                f"constraints.{name}: limits of {limits.low:g} and {limits.high:g}, of which one lies below "
                f"{least:g}. Give {unit}."
            )


def _crop(simulator: Any) -> Iterator[str]:
    """Yield what is wrong with the most fruit that a greenhouse's crop carries."""
    most = getattr(simulator, "parameters", {}).get("cFruitMax", LEAST_FRUIT)
    if most < LEAST_FRUIT:
        yield (
            f"simulator.parameters.cFruitMax: {most:g} mg m-2 of dry fruit; at least {LEAST_FRUIT:g} is "
            "allowed. g m-2 need a factor 1000, kg m-2 1000000."
        )
    if most > MOST_FRUIT:
        yield (
            f"simulator.parameters.cFruitMax: {most:g} mg m-2 of dry fruit; at most {MOST_FRUIT:g} is "
            "allowed, 10 kg m-2: nothing would ever be harvested."
        )


def _start(crop: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the states with which a greenhouse's episodes start."""
    for name, value in crop.items():
        if not isinstance(value, int | float):
            continue
        if name in ("vpAir", "vpTop") and 0.0 < value < LEAST_VAPOUR:
            yield (
                f"episode.crop.{name}: {value:g} Pa; at least {LEAST_VAPOUR:g} is allowed. kPa need a factor "
                "1000."
            )
        if name.startswith("t") and name not in ("time", "tCanSum") and value > COLDEST_IN_KELVIN:
            yield f"episode.crop.{name}: {value:g} degC. Kelvin need 273.15 subtracted."


def _step(season: Any) -> Iterator[str]:
    """Yield what is wrong with a step of a field: one that is longer than the season leaves one decision."""
    if not hasattr(season, "days_from"):
        return
    start, end = season.days_from(2001)
    if season.step_days > (length := (end - start).days):
        yield (
            f"season.step: {season.step}, and the season from {season.start} to {season.end} has {length} d; "
            "give a step that it has room for."
        )


def _numbers(price: Any) -> list[float]:
    """Return the numbers of a price: itself, those of 24 hours, or none of a series."""
    every = price if isinstance(price, (list, tuple)) else [price]
    return [float(each) for each in every if isinstance(each, Real)]
