"""Files that crop modellers have, as arguments of `agbench.simulate` and `agbench.simulate_many`.

PCSE's YAML of crop parameters (https://github.com/ajwdewit/WOFOST_crop_parameters), CABO files, and PCSE's
agromanagement with its campaigns.
"""

import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

import yaml

from agbench.data.reading import load_lenient
from agbench.errors import ConfigError, unknown
from agbench.simulators.field.calendar import CropCalendar, as_date

_EVENTS: Final = {
    "apply_n": ("amount", "N_amount"),
    "irrigate": ("amount",),
    "apply_npk": ("N_amount", "amount"),
}
_SHARES: Final = {"apply_n": ("recovery", "N_recovery"), "irrigate": ("efficiency",)}
_NPK: Final = "NPK"


def read_crop(path: str | Path, variety: str) -> dict[str, Any]:
    """Return the parameters of a variety in a crop file of PCSE, a mapping for `crop=`."""
    content = _content(_file(path))
    varieties = _section(content, ("CropParameters", "Varieties"), path)
    if variety not in varieties:
        raise unknown("variety", str(variety), list(map(str, varieties)), where=str(path))
    result = {}
    for name, entry in _mapping(varieties[variety], f"{path}: {variety}").items():
        if name == "Metadata":
            continue
        value = entry[0] if isinstance(entry, list) and entry else entry
        result[name] = value
    return result


def read_cabo(path: str | Path) -> dict[str, Any]:
    """Return the parameters of a CABO file, a mapping for `crop=` or `soil=`."""
    from pcse.exceptions import PCSEError
    from pcse.input import CABOFileReader

    class Reader(CABOFileReader):  # type: ignore[misc]
        """PCSE's reader, which has no sentence for a table that is no pairs."""

        def _parse_table_values(self, text: str) -> Any:
            if text.count(",") % 2 == 0 or text.count(",") < 3:
                raise ValueError
            return super()._parse_table_values(text)

    if not _file(path).is_file():
        raise ConfigError(f"{path}: there is no such file.")
    try:
        content = Reader(str(path))
    except (PCSEError, ValueError, OSError, UnicodeDecodeError) as error:
        words = " ".join(str(error).split())
        if "table parameter" in words:
            words += " (a table is two or more pairs of numbers, separated by commas)"
        raise ConfigError(f"{path}: is no CABO file: {words}.") from None
    return {name: value for name, value in content.items() if not isinstance(value, str)}


def read_agromanagement(path: str | Path) -> list[dict[str, Any]]:
    """Return a case for each campaign with a crop in PCSE's agromanagement: start, calendar and events.

    `crop_name` and `variety_name` are left out: a case's `crop` is the caller's. A last campaign without a
    crop ends the one before it, as in PCSE: a crop that would stand longer is ended on its first day. Raises
    `ConfigError` or `UnknownNameError` for what PCSE refuses too, such as a crop or a timed event that is not
    of its campaign's days, and for events that the models here do not know.
    """
    content = _content(_file(path))
    campaigns = content.get("AgroManagement") if isinstance(content, Mapping) else content
    if not isinstance(campaigns, list):
        raise ConfigError(f"{path}: has no list of campaigns, AgroManagement.")
    result: list[dict[str, Any]] = []
    starts = _starts(campaigns, path)
    for campaign, start, following in zip(campaigns, starts, [*starts[1:], None], strict=True):
        ((first, parts),) = campaign.items()
        where = f"{path}: campaign {first}"
        parts = _mapping({} if parts is None else parts, where)
        if not parts.get("CropCalendar"):
            if following is None and result:
                result[-1]["calendar"] = _ended(result[-1]["calendar"], start)
            continue
        calendar = {
            key: value
            for key, value in _mapping(parts["CropCalendar"], f"{where}: CropCalendar").items()
            if key not in ("crop_name", "variety_name") and value is not None
        }
        tables = [
            _mapping(table, f"{where}: {key}")
            for key in ("TimedEvents", "StateEvents")
            for table in _listed(parts.get(key), f"{where}: {key}")
        ]
        events = [event for table in tables for event in _events(table, where)]
        days = {f"{name} on {when}": when for when, name, *_ in events if not isinstance(when, tuple)}
        days["crop_start_date"] = calendar.get("crop_start_date")
        for what, day in days.items():
            _check_within(f"{where}: {what}", day, start, following)
        result.append({"start": start, "calendar": calendar, "events": events})
    if not result:
        raise ConfigError(f"{path}: none of its campaigns has a crop, a CropCalendar.")
    return result


def _starts(campaigns: list[Any], path: str | Path) -> list[date]:
    """Return the first days of campaigns, which must follow one another."""
    result: list[date] = []
    for campaign in campaigns:
        if not isinstance(campaign, Mapping) or len(campaign) != 1:
            raise ConfigError(
                f"{path}: {campaign!r} is no campaign, which is a mapping of its first day to what is done."
            )
        (first,) = campaign
        where = f"{path}: campaign {first}"
        result.append(as_date(where, first))
        if len(result) > 1 and result[-1] <= result[-2]:
            raise ConfigError(f"{where}: comes after campaign {result[-2]}; they must be in order.")
    return result


def _check_within(what: str, day: Any, start: date, following: date | None) -> None:
    """Raise `ConfigError` for a day that is not of a campaign, which lasts until the `following` one."""
    if day is None:
        return
    read = as_date(what, day)
    if read < start or (following is not None and read >= following):
        until = f" and ends before {following}, the first day of the next one" if following else ""
        raise ConfigError(f"{what}: {read} is no day of the campaign, which begins on {start}{until}.")


def _ended(calendar: dict[str, Any], day: date) -> dict[str, Any]:
    """Return a calendar whose crop is ended on a day, if it would stand longer."""
    read = CropCalendar.from_mapping(calendar)
    if read.latest_end <= day:
        return calendar
    return {**calendar, "max_duration": (day - read.crop_start_date).days}


def _events(table: Mapping[str, Any], where: str) -> list[tuple[Any, ...]]:
    """Return the events of a table of timed or state events, as (when, name, amount or amounts, share).

    A timed event's `when` is its date, that of a state event (state, value, crossing).
    """
    name = table.get("event_signal")
    if name not in _EVENTS:
        raise unknown("event", str(name), _EVENTS, where=where)
    result: list[tuple[Any, ...]] = []
    for row in _listed(table.get("events_table"), f"{where}: events_table"):
        for at, given in _mapping(row, f"{where}: events_table").items():
            at_state = "event_state" in table
            when = (table["event_state"], at, table.get("zero_condition")) if at_state else at
            here = f"{where}: {name} on {at}"
            values = _mapping(given, here)
            if name == "apply_npk":
                amounts = tuple(_number(values.get(f"{n}_amount", 0.0), here) for n in _NPK)
                shares = tuple(_number(values.get(f"{n}_recovery", 0.7), here) for n in _NPK)
                result.append((when, name, amounts, shares))
                continue
            amount = _first(values, _EVENTS[name])
            if amount is None:
                raise ConfigError(
                    f"{here}: no amount is given, but {', '.join(map(str, values)) or 'nothing'}."
                )
            share = _first(values, _SHARES[name])
            shares = () if share is None else (_number(share, here),)
            result.append((when, name, _number(amount, here), *shares))
    return result


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((values[name] for name in names if name in values), None)


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where}: {value!r} is no mapping.")
    return value


def _listed(value: Any, where: str) -> list[Any]:
    """Return a list; nothing given is an empty one."""
    if value is not None and not isinstance(value, list):
        raise ConfigError(f"{where}: {value!r} is no list.")
    return value or []


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigError(f"{where}: {value!r} is no number.")
    return float(value)


def _file(path: Any) -> Path:
    """Return the path of a file that a user names; raises `ConfigError` for what is no path."""
    if not isinstance(path, (str, os.PathLike)):
        raise ConfigError(f"path must be that of a file, such as 'files/wheat.yaml'; got {path!r}.")
    return Path(path)


def _content(path: Path) -> Any:
    """Return the content of a YAML file of others, whose aliases and merged keys are welcome."""
    try:
        return load_lenient(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}.") from None


def _section(content: Any, keys: tuple[str, ...], path: str | Path) -> dict[str, Any]:
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: has no section {'.'.join(keys)}.")
    return content
