"""What is fitted: numbers of a crop, and factors on the ordinates of its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from agbench.data.calibration import FittedParameter
from agbench.errors import ConfigError, unknown
from agbench.simulators.models import CropModel
from agbench.variables import Parameter

FACTORS: Final = (0.5, 2.0)
"""Bounds of a factor on a table where the specification gives none: half and twice, a choice of AgBench."""
_SHARES: Final = frozenset(["FLTB", "FSTB", "FOTB", "FLVTB", "FRTTB", "FSOTB", "FSTTB"])
"""Shares of growth that add up to 1 (van Diepen et al. 1989; Shibu et al. 2010): none moves alone."""


@dataclass(frozen=True)
class Dimension:
    """One fitted quantity: a parameter, or a factor on a table, all of it or `at` some abscissae.

    `before` is its value in the base crop: 1 for a factor. `prior` is a mean and a standard deviation.
    """

    name: str
    parameter: Parameter
    low: float
    high: float
    before: float
    at: tuple[float, ...] | None = None
    prior: tuple[float, float] | None = None

    @property
    def is_factor(self) -> bool:
        """Whether it is a factor on a table."""
        return bool(self.parameter.of)

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return "-" if self.is_factor else self.parameter.unit

    def put(self, parameters: dict[str, Any], base: Mapping[str, Any], value: float) -> None:
        """Put a value into `parameters`; a table there is scaled from what it is by now."""
        name = self.parameter.name
        if self.is_factor:
            parameters[name] = scaled(parameters.get(name, base[name]), value, self.at)
        else:
            parameters[name] = value


def scaled(table: Any, factor: float, at: Sequence[float] | None) -> Any:
    """Return a table with ordinates times a factor, all or `at` some abscissae.

    A table is a number, or a flat list x0, y0, x1, y1, ...; a family of tables has such lists as y.
    """
    if isinstance(table, (int, float, np.number)):
        return float(table) * factor
    values = list(table[0] if len(table) == 1 else table)
    for i in range(1, len(values), 2):
        if isinstance(values[i], (list, tuple)):
            values[i] = scaled(values[i], factor, at)
        elif at is None or values[i - 1] in at:
            values[i] = float(values[i]) * factor
    return values


def read(
    model: CropModel, base: Mapping[str, Any], given: Mapping[str, FittedParameter], crop: str
) -> list[Dimension]:
    """Return the dimensions of a specification; raises for what the model does not read or bounds forbid."""
    result = [_dimension(model, base, name, entry, crop) for name, entry in given.items()]
    for d in result:
        if d.prior is not None and not d.low <= d.prior[0] <= d.high:
            raise ConfigError(
                f"parameters: {d.name}: the mean of its prior, {d.prior[0]:g}, lies outside its bounds,"
                f" {d.low:g} to {d.high:g}."
            )
    return result


def _dimension(
    model: CropModel, base: Mapping[str, Any], text: str, entry: FittedParameter, crop: str
) -> Dimension:
    name, points, abscissae = text.partition("@")
    where = f"parameters: {text}"
    if name not in model.parameters:
        raise unknown("parameter", name, [p.name for p in model.parameters if p.part == "crop"], where)
    parameter = model.parameters[name]
    if parameter.part != "crop":
        raise ConfigError(f"{where}: describes the {parameter.part or 'field'}; a calibration fits a crop.")
    if parameter.switch or name == "IDSL":
        raise ConfigError(f"{where}: is a switch; only numbers and tables can be fitted.")
    if parameter.of:
        return _factor(parameter, base, text, abscissae if points else None, entry, where)
    if points:
        raise ConfigError(f"{where}: {name} is a number; only tables have points to be chosen by @.")
    before = base.get(name, parameter.default)
    if before is None or before != before:
        raise ConfigError(
            f"{where}: the crop {crop!r} has no {name}, so that there is nothing to start from."
        )
    low, high = entry.bounds or (parameter.low, parameter.high)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ConfigError(f"{where}: the model has no two bounds for it; give it bounds: [low, high].")
    for bound in (low, high):
        parameter.check(float(bound), where)
    return Dimension(text, parameter, float(low), float(high), float(before), prior=entry.prior)


def _factor(
    parameter: Parameter,
    base: Mapping[str, Any],
    text: str,
    abscissae: str | None,
    entry: FittedParameter,
    where: str,
) -> Dimension:
    if parameter.name in _SHARES:
        raise ConfigError(
            f"{where}: is a share of growth that adds up to 1 with others; scaling it alone would make or"
            " lose dry matter."
        )
    if parameter.name not in base:
        raise ConfigError(f"{where}: the crop has no table {parameter.name} to scale.")
    table = base[parameter.name]
    at = None if abscissae is None else _abscissae(table, abscissae, where)
    low, high = entry.bounds or FACTORS
    if low < 0.0:
        raise ConfigError(f"{where}: the bounds of a factor on a table must be 0 or more; got {low:g}.")
    largest = _largest(table, at)
    if entry.bounds is None and largest > 0.0:
        high = min(high, parameter.high / largest)
    parameter.check(largest * high, f"{where}, at the factor {high:g}")
    return Dimension(text, parameter, float(low), float(high), 1.0, at, entry.prior)


def _abscissae(table: Any, text: str, where: str) -> tuple[float, ...]:
    """Return the abscissae behind the @, each of which the table must have."""
    if isinstance(table, (int, float)):
        raise ConfigError(f"{where}: the crop has one number in the place of this table; leave out @{text}.")
    present = sorted(_points(table))
    try:
        wanted = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ConfigError(
            f"{where}: write abscissae as in {where.split()[-1].split('@')[0]}@0.0,0.5."
        ) from None
    for x in wanted:
        if x not in present:
            raise ConfigError(f"{where}: no point of the table stands at {x:g}; it has {present}.")
    return wanted


def _points(table: Any) -> dict[float, float]:
    """Return the largest ordinate at each abscissa of a table or of a family of tables."""
    values = list(table[0] if len(table) == 1 else table)
    result: dict[float, float] = {}
    for x, y in zip(values[0::2], values[1::2], strict=True):
        for at, number in _points(y).items() if isinstance(y, (list, tuple)) else ((float(x), float(y)),):
            result[at] = max(number, result.get(at, number))
    return result


def _largest(table: Any, at: Sequence[float] | None) -> float:
    if isinstance(table, (int, float, np.number)):
        return float(table)
    return max(y for x, y in _points(table).items() if at is None or x in at)
