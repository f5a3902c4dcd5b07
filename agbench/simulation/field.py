"""Bare physics for modellers: one season, one table, no rewards and no agents."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from agbench.data import catalog
from agbench.data.field import Crop
from agbench.errors import ConfigError, WeatherError, unknown
from agbench.simulation import rotation
from agbench.simulation.parameters import ParameterSource, content_of, read_all
from agbench.simulation.state_events import StateEvent, first_after, parted, shown_as
from agbench.simulators import models
from agbench.simulators.field import events as management
from agbench.simulators.field.calendar import CropCalendar, as_date
from agbench.weather.daily import DailySeries, from_frame
from agbench.weather.site import site_series

if TYPE_CHECKING:
    import pandas as pd

_LIFE = 36_500  # d, longer than any weather
_AT_REST = {"perennial": "sowing", "grape": "endodorm"}
"""How crops of several years start without a calendar: at rest, until it is warm."""
_MATURE = (4.0, "mature")  # STAGE of a crop at maturity, as a number or a word


def simulate(
    model: str,
    *,
    crop: "ParameterSource | Sequence[str]" = None,
    soil: ParameterSource = None,
    site: ParameterSource = None,
    weather: "str | pd.DataFrame | None" = None,
    start: "date | str",
    end: "date | str | None" = None,
    calendar: "Mapping[str, Any] | Sequence[Mapping[str, Any]] | None" = None,
    events: Sequence[Any] | None = None,
    external: "pd.DataFrame | None" = None,
    setting: str = "sound",
    engine: str = "compiled",
    limitation: str | None = None,
    soil_water: str = "single",
    crop_type: str | None = None,
) -> "pd.DataFrame":
    """Simulate one season and return a table: a row a day from `start`, a column a variable.

    A row holds the states at the start of its day and the rates of that day, as PCSE reports them;
    columns of the crop are NaN while there is none. The season ends when the crop does, at `end` at
    the latest; WOFOST goes on over bare soil to the last event, or to a given `end`.

    Args:
        model: `lintul3`, `lintul3-wheat`, `wofost72-pp`, `wofost72-wlp`, `wofost81-pp`,
            `wofost81-wlp`, `wofost81-nwlp`, `wofost-npk` or
            `wofost-npk-rotation`.
        crop: an id (`agbench.data.catalog.names("crop")`) or a mapping of parameters under the model's own
            names, tables as flat lists x0, y0, x1, y1, ... or as in a crop's file; a number may be text
            with its unit. The whole content of a crop's file is a mapping too. A mapping passes the
            checks of a file. A rotation has a list of ids.
        soil: likewise.
        site: likewise; a site's id also gives its weather. The same mapping may be given three
            times: each reads the names that are its own.
        weather: a site's id, or a DataFrame indexed by date with the columns IRRAD [J m-2 d-1],
            TMIN, TMAX [degC], VAP [hPa], WIND [m s-1], RAIN [cm d-1]; TEMP, E0, ES0, ET0 are
            computed where absent; place as columns LAT, LON, ELEV or `attrs` lat, lon, elev.
        start: the first day.
        end: the last day; by default the season runs until the crop ends.
        calendar: PCSE's CropCalendar as a mapping (`crop_start_date`, `crop_start_type`,
            `crop_end_date`, `crop_end_type`, `max_duration`); by default the crop emerges on
            `start` and ends at maturity; trees and vines are planted at rest and grow until `end`,
            which they need. For `wofost-npk-rotation` a list of them, in the order of time, each with its
            `crop_name`; a crop ends on its `crop_end_date`, or `max_duration` days after sowing where that is
            earlier, by `harvest` or by `incorporation`, and the field lies bare until the next one is sown.
        events: (date, `"apply_n"`, `"apply_npk"` (three amounts), `"irrigate"`, `"harvest"`, `"prune"` or
            `"replant"`, amount [kg ha-1 or cm; the share that a harvest takes, 1 by default, or that is
            pruned; none for a replant, which clears all trees], and perhaps recovery or efficiency, 0.7 by
            default); `agbench show model` lists a model's own. In place of the date stands a condition
            (state, value, crossing) for an event on each day on which the state crosses the value, such as
            ("DVS", 0.3, "rising"), or "falling" or "either": PCSE's StateEvents.
        external: states forced day by day: a DataFrame, one column a state, indexed by date (or with
            a column DAY); NaN forces nothing on its day. Rates cannot be forced.
        setting: `sound`, or `published` for what the original computes, its defects included: in
            lintul3 its handling of clashing events, in wofost-npk the list of docs/wofost.md. The
            other models compute what PCSE computes in either.
        engine: `compiled`, or `pcse` for PCSE's own models.
        limitation: what limits growth in wofost-npk: `pp` nothing, `lw` water, `ln` nitrogen, `lnw`,
            `lnpk`, `lnpkw` (the default).
        soil_water: `single` or `layered`; the latter reads a SoilProfileDescription as PCSE has it.
        crop_type: `annual`, `perennial` or `grape`: the way of life of a crop that is given as a mapping
            (default `annual`). A crop's file states its own type.

    Raises:
        ConfigError, UnknownNameError, WeatherError: naming what is wrong and what would be right.

    Examples:
        >>> season = simulate("lintul3", crop="winter-wheat-nl", soil="cropgym-nl", site="wageningen",
        ...                   start="1984-01-01", events=[("1984-02-24", "apply_n", 60.0)])
        >>> round(season["WSO"].iloc[-1])
        238
    """
    if setting not in ("sound", "published"):
        raise ConfigError(f"setting {setting!r} must be 'sound' or 'published'.")
    one = None if isinstance(crop, (list, tuple)) else cast(ParameterSource, crop)
    result = models.find(model, engine, soil_water, crop_type_of(one, crop_type))
    if result.rotates:
        weather_of = series_of(weather if weather is not None else site)
        field = {"site": site, "soil": soil}
        parsed = management.listed(events)
        return rotation.simulate(
            result, field, crop, weather_of, start, end, calendar, parsed, external, setting, limitation
        )
    parameters = read_all(result, {"site": site, "soil": soil, "crop": cast(ParameterSource, crop)}, setting)
    series = series_of(weather if weather is not None else site)
    season = prepare(
        result, parameters, series, start, end, calendar, events, setting, limitation, f"{model} ({engine})"
    )
    table = _reacting(season, shown_as(result), lambda events: result.table(season.setup, events, external))
    if end is None:
        _require_whole_season(table, season.setup.calendar, season.setup.end, series)
    return table


@dataclass(frozen=True)
class PreparedSeason:
    """A season that can be run: its setup, the events of its days, and those that wait for a state."""

    setup: models.FieldSetup
    events: list[management.Event]
    reactions: list[StateEvent]
    parse: Callable[[Sequence[Any]], list[management.Event]]
    """Reads events with dates; raises `ConfigError` for what the model or a day cannot have."""

    def with_events(self, happened: Sequence[tuple[int, StateEvent]]) -> list[management.Event]:
        """Return the events of its days, and those that states brought about on days after the first one."""
        first = self.setup.start
        return self.parse([*self.events, *((first + timedelta(day), *event.what) for day, event in happened)])


def _reacting(
    season: PreparedSeason, names: Mapping[str, str], run: "Callable[[list[management.Event]], pd.DataFrame]"
) -> "pd.DataFrame":
    """Return the table of a season, run again with each day's events that states bring about."""
    table, last = run(season.events), -1
    happened: list[tuple[int, StateEvent]] = []
    while season.reactions:
        series = {}
        for name in {event.state for event in season.reactions}:
            shown = names.get(name, name)
            if shown not in table:
                raise unknown("state", name, [str(column) for column in table], where="events")
            values = table[shown].to_numpy(dtype=np.float64)
            series[name] = values, ~np.isnan(values)
        last, events = first_after(last, season.reactions, series)
        if not events:
            break
        happened += [(last, event) for event in events]
        table = run(season.with_events(happened))
    return table


def prepare(
    model: models.CropModel,
    parameters: Mapping[str, Any],
    series: DailySeries,
    start: "date | str",
    end: "date | str | None",
    calendar: Any,
    events: Sequence[Any] | None,
    setting: str,
    limitation: str | None,
    words: str,
) -> PreparedSeason:
    """Return a season of one crop; `words` name the model in errors, which are those of `simulate`."""
    first = as_date("start", start)
    given, reactions = parted(management.listed(events), model)
    crop_calendar = _calendar(calendar, first, model.crop_type)
    last_event = max(management.dates(given), default=first) if model.runs_on else first
    last = _last_day(max(crop_calendar.latest_end, last_event), first, end, series)
    if last < first:
        raise ConfigError(f"end {last} lies before start {first}.")

    def parse(events: Sequence[Any]) -> list[management.Event]:
        return management.parse(events, model.events, words, first, last, models.able)

    parsed = parse(given)
    for event in (*parsed, *(one for each in reactions for one in parse([(first, *each.what)]))):
        _require_limit(event, limitation)
    setup = models.FieldSetup(
        parameters,
        series,
        crop_calendar,
        first,
        last,
        setting=setting,
        limitation=limitation,
        stop_after=last_event if end is None else last,
    )
    return PreparedSeason(setup, parsed, reactions, parse)


_LIMITED_BY: Final = {"apply_n": "n", "apply_npk": "n", "irrigate": "w"}
"""What must limit growth for an event to change anything, by its letter in `limitation`."""


def _require_limit(event: management.Event, limitation: str | None) -> None:
    """Raise `ConfigError` for an event that supplies what does not limit the crop, and so changes nothing."""
    letter = _LIMITED_BY.get(event.name, "")
    if limitation is not None and letter not in limitation.removeprefix("pp"):
        what = "nutrients do" if letter == "n" else "water does"
        raise ConfigError(
            f"events: {event.name} on {event.date} would change nothing: with the limitation {limitation!r} "
            f"{what} not limit growth. Leave the event out, or take a limitation with {letter!r} in it."
        )


def crop_type_of(crop: ParameterSource, given: str | None) -> str:
    """Return the type of a crop: that of its file, or as given for a mapping."""
    read = catalog.crop(crop) if isinstance(crop, str) else content_of("crop", crop)
    if not isinstance(read, Crop):
        return given or "annual"
    own = read.crop_type
    if given not in (None, own):
        raise ConfigError(f"crop_type {given!r}: the crop {read.crop!r} is {own}. Leave crop_type out.")
    return own


def series_of(weather: Any) -> DailySeries:
    """Return a series from a site's id or a DataFrame."""
    import pandas as pd

    if isinstance(weather, pd.DataFrame):
        return from_frame(weather)
    if isinstance(weather, str):
        return site_series(weather)
    raise ConfigError("weather: give a site's id or a DataFrame of daily weather.")


def _calendar(mapping: Any, start: date, crop_type: str) -> CropCalendar:
    """Return a calendar as given; by default a crop emerges, or trees and vines are planted, on `start`."""
    usual: dict[str, Any] = {}
    if crop_type != "annual":
        usual = {"crop_start_type": _AT_REST[crop_type], "crop_end_type": "max_duration"}
        usual["max_duration"] = _LIFE
    own = {"crop_start_date": start} if mapping is None else mapping
    if not isinstance(own, Mapping):
        raise ConfigError(
            f"calendar: {own!r} is no mapping such as {{'crop_start_date': '1984-01-01'}}; a list of them is"
            " for wofost-npk-rotation."
        )
    result = CropCalendar.from_mapping({**usual, **own})
    if result.crop_start_date < start:
        raise ConfigError(f"calendar: crop_start_date {result.crop_start_date} lies before start {start}.")
    return result


def _last_day(latest: date, start: date, end: Any, series: DailySeries) -> date:
    """Return the last day: as given, or the latest possible one, cut to where the weather ends."""
    if end is not None:
        return as_date("end", end)
    if start < series.start or start > series.end or series.missing(start, start):
        raise WeatherError(
            f"weather {series.name} has no data on the first day, {start}; it covers "
            f"{series.start} to {series.end}."
        )
    first, last = ((day - series.start).days for day in (start, min(latest, series.end)))
    missing = np.flatnonzero(np.isnan(series.values[first : last + 1, 0]))
    weather_end = start + timedelta(days=int(missing[0]) - 1) if len(missing) else series.end
    return min(latest, weather_end)


def _require_whole_season(
    table: "pd.DataFrame", calendar: CropCalendar, last: date, series: DailySeries
) -> None:
    """Raise `WeatherError` where the weather, not the crop or its calendar, ended the season."""
    if last >= calendar.latest_end or table.index[-1].date() < last:
        return
    if calendar.crop_end_type != "harvest" and table["STAGE"].iloc[-1] in _MATURE:
        return
    raise WeatherError(
        f"weather {series.name} ends or breaks after {last}, before the crop does (at the latest "
        f"on {calendar.latest_end}). Give more weather, or end={last.isoformat()!r} for a season "
        "that is cut short."
    )
