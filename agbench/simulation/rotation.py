"""Crops that follow one another on one field, as a table: PCSE's list of campaigns."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.data import catalog
from agbench.errors import ConfigError, did_you_mean, unknown
from agbench.simulation.parameters import ParameterSource, read_all
from agbench.simulators import models
from agbench.simulators.field import events as management
from agbench.simulators.field.calendar import CropCalendar, as_date
from agbench.simulators.field.rotation import RotationCrop, RotationSeason
from agbench.weather.daily import DailySeries

if TYPE_CHECKING:
    import pandas as pd

_KEYS: Final = (
    *("crop_name", "crop_start_date", "crop_start_type", "crop_end_date", "crop_end_type", "max_duration"),
)
_ENDS: Final = ("harvest", "incorporation")


def simulate(
    model: models.CropModel,
    field: Mapping[str, ParameterSource],
    crops: Any,
    series: DailySeries,
    start: Any,
    end: Any,
    calendar: Any,
    events: Sequence[Any],
    external: "pd.DataFrame | None",
    setting: str,
    limitation: str | None,
) -> "pd.DataFrame":
    """Return a rotation, a row a day; see `agbench.simulate`. `field` are site and soil by kind.

    Without an `end` it runs to the last date of calendar and events. CROP_NAME is the present crop.
    """
    first = as_date("start", start)
    given_end = None if end is None else as_date("end", end)
    campaigns = _campaigns(model.name, crops, calendar, given_end)
    names = list(dict.fromkeys((name, ends) for name, ends, _ in campaigns))
    seasons = tuple(RotationSeason(names.index((name, ends)) + 1, *days) for name, ends, days in campaigns)
    dates = [day for s in seasons for day in (s.sown, s.ended) if day] + management.dates(events)
    last = max(dates, default=first) if given_end is None else given_end
    _check_order(seasons, first, last)
    parsed = management.parse(events, model.events, model.name, first, last, models.able)
    rotation = tuple(
        RotationCrop(read_all(model, {**field, "crop": name}, setting), None, ends == "incorporation")
        for name, ends in names or [(crops[0], "harvest")]
    )
    setup = models.FieldSetup(
        parameters={},
        series=series,
        calendar=CropCalendar(first),
        start=first,
        end=last,
        setting=setting,
        limitation=limitation,
        rotation=rotation,
        seasons=seasons,
    )
    table = model.table(setup, parsed, external)
    stands = table["DVS"].notna().to_numpy()
    words = np.array(["", *(name for name, _ in names)], dtype=object)
    standing = words[np.where(stands, table["CROP_NUMBER"].to_numpy(), 0.0).astype(int)]
    table.insert(0, "CROP_NAME", np.where(stands, standing, None))
    return table


def _campaigns(
    model: str, crops: Any, calendar: Any, last: date | None
) -> list[tuple[str, str, tuple[date, date | None]]]:
    """Return crop, end type and days of each campaign; refuse what is of another form."""
    if not isinstance(crops, (list, tuple)) or not crops or not all(isinstance(c, str) for c in crops):
        raise ConfigError(
            f"crop: {model} wants a list of ids, such as ['wheat-2', 'maize-2']; got {crops!r}."
        )
    for name in crops:
        catalog.crop(name)
    if calendar is None:
        return []
    if not isinstance(calendar, (list, tuple)):
        raise ConfigError(f"calendar: {model} wants a list of mappings with crop_name; got {calendar!r}.")
    return [_campaign(i, campaign, crops, last) for i, campaign in enumerate(calendar)]


def _campaign(
    i: int, campaign: Any, crops: Sequence[str], last: date | None
) -> tuple[str, str, tuple[date, date | None]]:
    where = f"calendar[{i}]"
    if not isinstance(campaign, Mapping):
        raise ConfigError(f"{where}: must be a mapping with crop_name and crop_start_date; got {campaign!r}.")
    for key in campaign:
        if key not in _KEYS:
            raise ConfigError(f"{where}: unknown key {key!r}.{did_you_mean(key, _KEYS)}")
    name, ends = campaign.get("crop_name"), campaign.get("crop_end_type", "harvest")
    if name not in crops:
        raise unknown("crop_name", str(name), crops, where=where)
    if ends not in _ENDS:
        raise unknown("crop_end_type", str(ends), _ENDS, where=where)
    if campaign.get("crop_start_type", "sowing") != "sowing":
        raise ConfigError(f"{where}: crops of a rotation are sown; got {campaign['crop_start_type']!r}.")
    sown = as_date(f"{where}: crop_start_date", campaign.get("crop_start_date"))
    ended = campaign.get("crop_end_date")
    dated = None if ended is None else as_date(f"{where}: crop_end_date", ended)
    return str(name), str(ends), (sown, _earlier(where, sown, dated, campaign.get("max_duration"), last))


def _earlier(where: str, sown: date, ended: date | None, longest: Any, last: date | None) -> date | None:
    """Return when a crop ends: as dated or after its longest duration; None if it stands at the end."""
    if longest is None:
        return ended
    try:
        limit = CropCalendar.from_mapping({"crop_start_date": sown, "max_duration": longest}).latest_end
    except ConfigError as error:
        raise ConfigError(str(error).replace("calendar:", f"{where}:", 1)) from None
    if ended is not None:
        return min(ended, limit)
    return None if last is not None and limit > last else limit


def _check_order(seasons: Sequence[RotationSeason], first: date, last: date) -> None:
    """Raise `ConfigError` where a crop is not sown on an empty field within the run."""
    free = first
    for i, season in enumerate(seasons):
        if season.sown < free:
            why = f"the field is free from {free} on" if i else f"the run starts on {first}"
            raise ConfigError(f"calendar[{i}]: a crop is sown on {season.sown}, but {why}.")
        if season.sown > last or (season.ended or last) > last:
            raise ConfigError(f"calendar[{i}]: the crop lies beyond the end of the run, {last}.")
        if season.ended is None and i + 1 < len(seasons):
            raise ConfigError(f"calendar[{i}]: needs a crop_end_date, because another crop follows.")
        if season.ended is not None and season.ended <= season.sown:
            raise ConfigError(f"calendar[{i}]: crop_end_date {season.ended} must come after {season.sown}.")
        free = (season.ended or last) + timedelta(days=1)
