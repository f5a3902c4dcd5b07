"""Reading the parameters of a field model from plain mappings, against the table that declares them."""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar

import numpy as np

from agbench.errors import ConfigError, did_you_mean
from agbench.simulators.field import afgen
from agbench.variables import Floats, Parameter, ParameterTable, finite

IGNORED: Final = frozenset(
    (
        # names and dates of PCSE's crop files and calendars
        *("CRPNAM", "SOLNAM", "CROP_START_TYPE", "CROP_END_TYPE", "DTBEM"),
        # of PCSE's crop and soil files, which none of the models here reads
        *("REFCO2L", "NPK_TRANSLRT_FR", "WMTAB", "SMTAB", "CONTAB", "SPADS", "SPASS", "SPODS", "SPOSS"),
        *("DEFLIM", "NMINSO", "NMINVE", "NMAXVE", "PMINSO", "PMINVE", "PMAXVE", "KMINSO", "KMINVE"),
        *("KMAXVE", "YZERO", "NFIX", "SoilProfileDescription"),
    )
)
"""What a mapping may hold although no table declares it."""

Made = TypeVar("Made")


class FixedParameters(Mapping[str, Any]):
    """Parameters that stay as they are, so that what is made of them need be made once: see `once`."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self.made: dict[Hashable, Any] = {}

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def once(mapping: Mapping[str, Any], key: Hashable, make: Callable[[], Made]) -> Made:
    """Return what `make` makes of a mapping; of `FixedParameters` it is made once for a key.

    Whoever gets it must not change it.
    """
    if not isinstance(mapping, FixedParameters):
        return make()
    if key not in mapping.made:
        mapping.made[key] = make()
    result: Made = mapping.made[key]
    return result


def read(
    table: ParameterTable, mapping: Mapping[str, Any], model: str, where: str
) -> tuple[dict[str, float], dict[str, Floats]]:
    """Return the numbers and the AFGEN tables that a model reads, by name; defaults for what is absent.

    A table is (3, k), a family of them (1 + curves, 3, k). What may be left out and is, is absent from
    the result. Names that the table does not declare are passed over, because one mapping may serve
    several models.

    Raises:
        ConfigError: for what is missing, mistyped or out of bounds; it begins with `where`.
    """
    require(table, mapping, model, {"": where})
    numbers, tables = {}, {}
    for parameter in table:
        if (key := _key(parameter, mapping)) is not None:
            if parameter.by:
                tables[parameter.name] = read_family(parameter, mapping[key], where)
            elif parameter.of:
                tables[parameter.name] = read_table(parameter, mapping[key], where)
            else:
                numbers[parameter.name] = parameter.read(mapping[key], where)
        elif parameter.default is not None and not math.isnan(parameter.default):
            if parameter.of:
                tables[parameter.name] = read_table(parameter, parameter.default, where)
            else:
                numbers[parameter.name] = parameter.default
    return numbers, tables


def require(table: ParameterTable, mapping: Mapping[str, Any], model: str, where: Mapping[str, str]) -> None:
    """Raise `ConfigError` where required parameters are missing.

    `where` says for each part of the model (`crop`, `soil`) where it is read from; with `""` alone that
    holds for all parts. Parts that it does not name are passed over.
    """
    for part, place in where.items():
        missing = [
            p for p in table if part in ("", p.part) and _key(p, mapping) is None and _needed(p, mapping)
        ]
        if len(missing) == 1:
            p = missing[0]
            raise ConfigError(
                f"{place}: {p.name} [{p.unit}] ({p.meaning}) is missing; {model} needs it."
                f"{_misspelt(p.name, table, mapping)}"
            )
        if missing:
            lines = (f"\n    {p.name} [{p.unit}] ({p.meaning})" for p in missing)
            raise ConfigError(f"{place}: {model} also needs {len(missing)} parameters:{''.join(lines)}")


def _key(parameter: Parameter, mapping: Mapping[str, Any]) -> str | None:
    """Return the name that a mapping has for a parameter, or None."""
    if parameter.alias and parameter.alias in mapping:
        return parameter.alias
    return parameter.name if parameter.name in mapping else None


def _needed(parameter: Parameter, mapping: Mapping[str, Any]) -> bool:
    """Return whether a parameter without a default is read in the company of the others."""
    if parameter.default is not None:
        return False
    if parameter.only_if is None:
        return True
    switch, least = parameter.only_if
    value = mapping.get(switch, 0.0)
    return isinstance(value, (int, float, np.number)) and bool(value >= least)


def _misspelt(name: str, table: ParameterTable, names: Iterable[str]) -> str:
    """Return a hint where a given name that the model does not read resembles the missing one."""
    others = [key for key in names if key not in table]
    hint = did_you_mean(name, others) if others else ""
    return hint.replace("Did you mean", "Is it") if "Did you mean" in hint else ""


def check(
    table: ParameterTable, mapping: Mapping[str, Any], names: Callable[[], Collection[str]], where: str
) -> tuple[dict[str, float], dict[str, Floats]]:
    """Return the numbers and the tables of a mapping that a model reads; it may lack some.

    `names` returns those of all models, and is called for a name that this one does not have.

    Raises:
        ConfigError: for a name that no model has, and for a value that is mistyped or out of bounds.
    """
    own = {name: p for p in table for name in (p.name, p.alias) if name}
    numbers, tables = {}, {}
    for name, value in mapping.items():
        if name not in own:
            if name not in IGNORED and name not in names():
                raise ConfigError(f"{where}: {name}: no model reads it.{did_you_mean(name, own)}")
        elif own[name].by:
            tables[own[name].name] = read_family(own[name], value, where)
        elif own[name].of:
            tables[own[name].name] = read_table(own[name], value, where)
        else:
            numbers[own[name].name] = own[name].read(value, where)
    return numbers, tables


def read_table(parameter: Parameter, value: Any, where: str) -> Floats:
    """Return an AFGEN table, (3, k), from a flat list x0, y0, x1, y1, ... whose x ascend.

    A number stands for a constant; a list wrapped once more is unwrapped.
    """
    return _table(parameter, tuple(pairs(parameter, value, where)), where)


@lru_cache(maxsize=4096)
def _table(parameter: Parameter, flat: tuple[float, ...], where: str) -> Floats:
    """Return the table of checked numbers; one that many episodes have is built once."""
    table = afgen.build(parameter.name, flat, where)
    for ordinate in (table[1].min(), table[1].max()):
        parameter.check(float(ordinate), where)
    table.flags.writeable = False
    return table


def read_family(parameter: Parameter, value: Any, where: str) -> Floats:
    """Return a family of tables, (1 + curves, 3, k), from a list a0, table0, a1, table1, ... whose a ascend.

    The first plane has the values a and the places 1, 2, ... of their curves, whose abscissae are the
    same. A plain table or a number stands for a single curve.
    """
    if not isinstance(value, (list, tuple)):
        value = [0.0, value]
    flat = list(value)
    if not any(isinstance(entry, (list, tuple, np.ndarray)) for entry in flat[1::2]):
        flat = [0.0, flat]
    numbers = flat[::2]
    if len(flat) % 2 or any(
        isinstance(a, bool) or not isinstance(a, (int, float, np.number)) for a in numbers
    ):
        raise ConfigError(
            f"{where}: {parameter.name} must list {parameter.by} and a table against {parameter.of} in turn: "
            f"a0, [x0, y0, x1, y1, ...], a1, [...]; got {value!r}."
        )
    values = np.array(numbers, dtype=np.float64)
    if not np.isfinite(values).all() or (np.diff(values) <= 0.0).any():
        raise ConfigError(f"{where}: {parameter.name}: {parameter.by} must ascend strictly; got {numbers}.")
    curves = [read_table(parameter, table, where) for table in flat[1::2]]
    if any(not np.array_equal(curve[0], curves[0][0]) for curve in curves):
        raise ConfigError(
            f"{where}: {parameter.name}: the curves of all {parameter.by} must have the same {parameter.of}."
        )
    width = max(len(values), curves[0].shape[1])
    places = np.arange(1.0, len(values) + 1.0)
    directory = np.stack([values, places, np.zeros(len(values))])
    return afgen.stack([directory, *curves], width)


def pairs(parameter: Parameter, value: Any, where: str) -> list[float]:
    """Return a table as the flat list x0, y0, x1, y1, ... ."""
    if isinstance(value, (int, float, np.number)):
        constant = parameter.read(value, where)
        return [0.0, constant, 1.0, constant]
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise ConfigError(
            f"{where}: {parameter.name} is {value!r}, not a list x0, y0, x1, y1, ... of numbers."
        )
    wrapped = len(value) == 1 and isinstance(value[0], (list, tuple, np.ndarray))
    flat = list(value[0] if wrapped else value)
    if set(map(type, flat)) == {float} and all(map(math.isfinite, flat)):
        return flat
    for number in flat:
        if isinstance(number, bool) or not isinstance(number, (int, float, np.number)) or not finite(number):
            raise ConfigError(f"{where}: {parameter.name} holds {number!r}, not a finite number.")
    return flat
