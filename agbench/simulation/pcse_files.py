"""Files that crop modellers have, as arguments of `agbench.simulate` and `agbench.simulate_many`.

PCSE's YAML of crop parameters (https://github.com/ajwdewit/WOFOST_crop_parameters), CABO files, and PCSE's
agromanagement with its campaigns.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from agbench.errors import ConfigError, unknown

_EVENTS: Final = {
    "apply_n": ("amount", "N_amount"),
    "irrigate": ("amount",),
    "apply_npk": ("N_amount", "amount"),
}
_SHARES: Final = {"apply_n": ("recovery", "N_recovery"), "irrigate": ("efficiency",)}
_NPK: Final = "NPK"


def read_crop(path: str | Path, variety: str) -> dict[str, Any]:
    """Return the parameters of a variety in a crop file of PCSE, a mapping for `crop=`."""
    content = _content(Path(path))
    varieties = _section(content, ("CropParameters", "Varieties"), path)
    if variety not in varieties:
        raise unknown("variety", variety, varieties, where=str(path))
    result = {}
    for name, entry in varieties[variety].items():
        if name == "Metadata":
            continue
        value = entry[0] if isinstance(entry, list) and entry else entry
        result[name] = value
    return result


def read_cabo(path: str | Path) -> dict[str, Any]:
    """Return the parameters of a CABO file, a mapping for `crop=` or `soil=`."""
    from pcse.exceptions import PCSEError
    from pcse.input import CABOFileReader

    if not os.path.isfile(path):
        raise ConfigError(f"{path}: there is no such file.")
    try:
        content = CABOFileReader(str(path))
    except (PCSEError, ValueError, OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is no CABO file: {error}.") from None
    return {name: value for name, value in content.items() if not isinstance(value, str)}


def read_agromanagement(path: str | Path) -> list[dict[str, Any]]:
    """Return a case for each campaign with a crop in PCSE's agromanagement: start, calendar and events.

    `crop_name` and `variety_name` are left out: a case's `crop` is the caller's. Raises `ConfigError` or
    `UnknownNameError` for events that the models here do not know.
    """
    content = _content(Path(path))
    campaigns = content.get("AgroManagement") if isinstance(content, Mapping) else content
    if not isinstance(campaigns, list):
        raise ConfigError(f"{path}: has no list of campaigns, AgroManagement.")
    result = []
    for campaign in campaigns:
        (start, parts) = next(iter(campaign.items()))
        if not parts or not parts.get("CropCalendar"):
            continue  # a campaign without a crop, such as the last one, which only ends the others
        calendar = {
            key: value
            for key, value in parts["CropCalendar"].items()
            if key not in ("crop_name", "variety_name") and value is not None
        }
        tables = [*(parts.get("TimedEvents") or []), *(parts.get("StateEvents") or [])]
        events = [event for table in tables for event in _events(table, path)]
        result.append({"start": start, "calendar": calendar, "events": events})
    return result


def _events(table: Mapping[str, Any], path: str | Path) -> list[tuple[Any, ...]]:
    """Return the events of a table of timed or state events, as (when, name, amount or amounts, share).

    A timed event's `when` is its date, that of a state event (state, value, crossing).
    """
    name = table.get("event_signal")
    if name not in _EVENTS:
        raise unknown("event", str(name), _EVENTS, where=str(path))
    result: list[tuple[Any, ...]] = []
    for row in table.get("events_table") or []:
        for at, values in row.items():
            day = (
                at if "event_state" not in table else (table["event_state"], at, table.get("zero_condition"))
            )
            if name == "apply_npk":
                amounts = tuple(float(values.get(f"{n}_amount", 0.0)) for n in _NPK)
                shares = tuple(float(values.get(f"{n}_recovery", 0.7)) for n in _NPK)
                result.append((day, name, amounts, shares))
                continue
            amount = _first(values, _EVENTS[name])
            if amount is None:
                raise ConfigError(f"{path}: {name} on {day}: no amount is given, but {', '.join(values)}.")
            share = _first(values, _SHARES[name])
            result.append((day, name, float(amount), *([] if share is None else [float(share)])))
    return result


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((values[name] for name in names if name in values), None)


def _content(path: Path) -> Any:
    """Return the content of a YAML file of others, whose aliases and merged keys are welcome."""
    try:
        return yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}.") from None


def _section(content: Any, keys: tuple[str, ...], path: str | Path) -> dict[str, Any]:
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: has no section {'.'.join(keys)}.")
    return content
