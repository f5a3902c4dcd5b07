"""The parameters of crops, soils and sites, from files or mappings, held against what a model reads."""

from collections.abc import Mapping
from typing import Any, Final

from agbench.data import catalog
from agbench.data.field import Crop, Soil, number_and_unit
from agbench.data.reading import read_data
from agbench.data.retention import contradiction
from agbench.data.site import Site
from agbench.data.table import GivenTable
from agbench.errors import ConfigError
from agbench.simulators import models
from agbench.simulators.field.parameters import check, require
from agbench.variables import Floats, ParameterTable, finite

ParameterSource = str | Mapping[str, Any] | None
"""A crop, soil or site: an id, a mapping of parameters, or the content of such a file."""

_SCHEMAS: Final[Mapping[str, type[Crop | Soil | Site]]] = {"crop": Crop, "soil": Soil, "site": Site}
_SECTIONS: Final = ("parameters", "tables")


def read_all(
    model: models.CropModel,
    sources: Mapping[str, ParameterSource],
    setting: str = "sound",
    own: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the parameters of a field under the model's names; of a name given twice the last counts.

    `sources` has crop, soil and site by kind, each an id or a mapping. What they lack may be among `own`,
    which is not returned.

    Raises:
        ConfigError: for a parameter that is missing, that no model has, in a wrong unit or out of
            bounds; names the file, or the kind that a mapping was given for.
    """
    merged: dict[str, Any] = {}
    for kind, source in sources.items():
        if isinstance(source, str):
            merged |= parameters_of(model, kind, source, setting)
        elif isinstance(source, Mapping):
            merged |= read_mapping(model, source, kind, setting)
        elif source is not None:
            raise ConfigError(f"{kind}: must be an id or a mapping of parameters; got {source!r}.")
    places = {kind: place(kind, sources.get(kind)) for kind in ("crop", "soil")}
    check_whole(model, {**(own or {}), **merged}, places, setting)
    wrong = contradiction({name: value for name, value in merged.items() if name in model.parameters})
    if wrong is not None:
        raise ConfigError(f"{places['soil']}: {wrong}")
    return merged


def place(kind: str, source: ParameterSource) -> str:
    """Return where parameters of a kind are read from: the file of an id, or the kind."""
    return str(catalog.find(kind, source)) if isinstance(source, str) else kind


def parameters_of(model: models.CropModel, kind: str, name: str, setting: str = "sound") -> dict[str, Any]:
    """Return the parameters of a crop, soil or site file, checked against what the model reads.

    In the setting `published` a crop has the original's tables where ours are repaired.
    """
    read: Crop | Soil | Site = getattr(catalog, kind)(name)
    where = str(catalog.find(kind, name))
    _check_crop_is_for(model, read, where)
    return read_entry(model, read, where, setting)


def _check_crop_is_for(model: models.CropModel, read: Crop | Soil | Site, where: str) -> None:
    """Raise `ConfigError` for a crop of another type, or without parameters for the model."""
    if not isinstance(read, Crop):
        return
    if read.crop_type != model.crop_type:
        raise ConfigError(f"{where}: crop {read.crop!r} is {read.crop_type}, not {model.crop_type}.")
    if (model.crops_of or model.name) not in read.models:
        raise ConfigError(
            f"{where}: crop {read.crop!r} has parameters for {', '.join(read.models)}, not for {model.name}."
        )


def read_entry(
    model: models.CropModel, entry: Crop | Soil | Site, where: str, setting: str = "sound"
) -> dict[str, Any]:
    """Return the parameters of a crop, soil or site that was read from the file `where`."""
    for name, value in entry.parameters.items():
        _check_unit(model.parameters, name, value, where)
    for name, table in getattr(entry, "tables", {}).items():
        _check_table(model.parameters, name, table, where)
    values = entry.published_values if isinstance(entry, Crop) and setting == "published" else entry.values
    _check_values(model, values, where)
    return values


def content_of(kind: str, source: ParameterSource) -> Crop | Soil | Site | None:
    """Return the crop, soil or site that a mapping is the content of a file of; None for other sources.

    Such a mapping has sections, `parameters` or `tables`; others name parameters. Raises `ConfigError`
    where a file with this content would be refused.
    """
    if not isinstance(source, Mapping) or not any(
        isinstance(source.get(section), Mapping) for section in _SECTIONS
    ):
        return None
    return read_data(_SCHEMAS[kind], dict(source), kind)


def read_mapping(
    model: models.CropModel, mapping: Mapping[str, Any], where: str, setting: str = "sound"
) -> dict[str, Any]:
    """Return a mapping of parameters, checked as a file is, whose name or kind `where` is.

    It is the whole content of a file, or has parameters by name: a number may be text with its unit, and
    a table what a file's section `tables` holds: a mapping with unit, `of` and points.
    """
    content = content_of(where, mapping)
    if content is not None:
        _check_crop_is_for(model, content, where)
        return read_entry(model, content, where, setting)
    values = dict(mapping)
    for name, value in mapping.items():
        if name in model.parameters and isinstance(value, str):
            _check_unit(model.parameters, name, value, where)
            values[name] = number_and_unit(value)[0]
        elif isinstance(value, Mapping) and _is_table(model, name):
            table = read_data(GivenTable, dict(value), f"{where}: {name}")
            _check_table(model.parameters, name, table, where)
            values[name] = table.flat
    _check_values(model, values, where)
    return values


def check_whole(
    model: models.CropModel, values: Mapping[str, Any], places: Mapping[str, str], setting: str = "sound"
) -> None:
    """Raise `ConfigError` for what parts of the model lack, and for what contradicts in them.

    `places` says for each part (`crop`, `soil`) where it is read from; others are passed over. In the setting
    `published` tables are as the original has them.
    """
    require(model.parameters, values, model.name, places)
    numbers, tables = _check_values(model, values, " and ".join(places.values()))
    model.check_rules(numbers, places, tables if setting == "sound" else {})


def check_changed(
    model: models.CropModel, whole: Mapping[str, Any], changes: Mapping[str, Any], setting: str = "sound"
) -> None:
    """Raise as `check_whole` does, for parameters of which all but the changes were checked before."""
    places = {"crop": "crop", "soil": "soil"}
    names = model.parameters.names
    if any(isinstance(value, (list, tuple, Mapping)) or name not in names for name, value in changes.items()):
        check_whole(model, whole, places, setting)
        return
    plain = {name: value for name, value in whole.items() if isinstance(value, (int, float))}
    numbers, _ = _check_values(model, plain, " and ".join(places.values()))
    model.check_rules(numbers, places, {})


def check_crop(crop: Crop, where: str) -> None:
    """Raise `ConfigError` where one of a crop's models would refuse it."""
    for name in crop.models:
        model = models.find(name, crop_type=crop.crop_type)
        for setting in ("sound", "published"):
            check_whole(model, read_entry(model, crop, where, setting), {"crop": where}, setting)


def check_soil(soil: Soil, where: str) -> None:
    """Raise `ConfigError` where the model that reads most of a soil would refuse it.

    Of several such models it is the one that lacks least. What only other models read must be in their
    units and bounds.
    """
    soil_water = "single" if soil.profile is None else "layered"
    tables = models.parameter_tables(soil_water)

    def read_and_lacking(name: str) -> tuple[int, int]:
        names = {p.name for p in tables[name] if p.part == "soil" and p.default is None}
        return len(names & soil.values.keys()), -len(names - soil.values.keys())

    best = max(tables, key=read_and_lacking)
    model = models.find(best, soil_water=soil_water)
    check_whole(model, read_entry(model, soil, where), {"soil": where})
    for table in tables.values():
        others = {name for name in soil.values if name in table and name not in tables[best]}
        for name in others & soil.parameters.keys():
            _check_unit(table, name, soil.parameters[name], where)
        check(table, {name: soil.values[name] for name in others}, models.parameter_names, where)


def _check_unit(table: ParameterTable, name: str, value: Any, where: str) -> None:
    """Raise `ConfigError` where a quantity is not in the unit that the model declares.

    What is no quantity at all is left to the check of values.
    """
    number, unit = number_and_unit(value)
    if isinstance(number, (int, float)) and not isinstance(value, bool) and finite(number):
        _check_unit_text(table, name, unit, where)


def _check_unit_text(table: ParameterTable, name: str, unit: str, where: str) -> None:
    if name in table and unit != table[name].unit:
        raise ConfigError(f"{where}: {name} is in {unit!r}; it must be in {table[name].unit!r}.")


def _is_table(model: models.CropModel, name: str) -> bool:
    """Return whether a name may be that of a table; one mapping may serve several models."""
    return bool(model.parameters[name].of) if name in model.parameters else name in models.parameter_names()


def _check_table(table_of: ParameterTable, name: str, table: GivenTable, where: str) -> None:
    """Raise `ConfigError` where a table has another unit or argument than the model declares."""
    _check_unit_text(table_of, name, table.unit, where)
    if name not in table_of:
        return
    if table.of != table_of[name].of:
        raise ConfigError(
            f"{where}: {name} is a function of {table.of!r}; it must be one of "
            f"{table_of[name].of or 'nothing: a number'!r}."
        )
    if table.by not in ("", table_of[name].by):
        raise ConfigError(f"{where}: {name} has curves by {table.by}; it does not depend on it.")


def _check_values(
    model: models.CropModel, values: Mapping[str, Any], where: str
) -> tuple[dict[str, float], dict[str, Floats]]:
    """Return the numbers and the tables among values.

    Raises `ConfigError` for unknown names and values that cannot be.
    """
    return check(model.parameters, values, models.parameter_names, where)
