"""The calibration as a problem: its seasons, and what candidates simulate for each observation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.calibration import dimensions
from agbench.calibration.candidates import Candidates
from agbench.calibration.observations import Observation, Observations, ObservedSeason, following
from agbench.calibration.targets import Reading
from agbench.data import catalog
from agbench.data.calibration import CalibrationSpec
from agbench.errors import ConfigError, WeatherError, did_you_mean
from agbench.simulation.parameters import read_all
from agbench.simulators import models
from agbench.simulators.field import events
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.field.simulator import DailySimulator
from agbench.simulators.models import CropModel, FieldSetup
from agbench.simulators.threads import run_all
from agbench.variables import Booleans, Floats
from agbench.weather.daily import DailySeries, from_frame
from agbench.weather.site import site_series

ROWS: Final = 64
"""Candidates that advance together in one season: few enough that all their days fit into memory."""


@dataclass(frozen=True)
class _Season:
    """One season: how to build its world, its rows, its management, and what is read where."""

    key: ObservedSeason
    setup: FieldSetup
    simulator: DailySimulator
    management: NDArray[Any]
    reading: Reading
    observed: NDArray[np.intp]


class Problem:
    """Simulates candidates for all observations of a calibration."""

    def __init__(
        self,
        spec: CalibrationSpec,
        model: CropModel,
        observations: Observations,
        weather: Any = None,
        threads: int = 1,
    ) -> None:
        """Read everything; seasons run in so many `threads`, with the same result for any number."""
        self.spec = spec
        self.model = model
        self.observations = observations
        keys = sorted({row.season for row in observations.rows})
        self.series = _series_of(sorted({key.site for key in keys}), weather)
        self.base = self._parameters(keys[0].site)
        self.dimensions = dimensions.read(model, self.base, spec.parameters, spec.crop)
        setups = [self._setup(key) for key in keys]
        builds = [self._builder(setup) for setup in setups]
        worlds = [build({}) for build in builds]
        self._seasons = [self._season(k, s, w) for k, s, w in zip(keys, setups, worlds, strict=True)]
        self.candidates = Candidates(model, self.base, self.dimensions, builds, worlds)
        longest = max(len(season.management) for season in self._seasons)
        size = (ROWS, longest, len(model.variables))
        self._histories = [np.empty(size) for _ in range(min(threads, len(keys)))]
        """A thread's days of its candidates."""

    @property
    def seasons(self) -> list[ObservedSeason]:
        """The seasons of the observations, in order."""
        return [season.key for season in self._seasons]

    def simulate(self, values: Floats, chosen: Booleans | None = None) -> tuple[Floats, Booleans]:
        """Return what candidates (n, dimensions) simulate for each observation, (n, m), and stages reached.

        Seasons without a `chosen` observation are left out: theirs are NaN. So are those of a candidate
        whose parameters contradict each other.
        """
        result = np.full((len(values), len(self.observations.rows)), np.nan)
        reached = np.zeros(result.shape, dtype=np.bool_)
        possible = np.array([self.candidates.contradicts(row) is None for row in values], dtype=np.bool_)
        rows = np.flatnonzero(possible)
        for first in range(0, len(rows), ROWS):
            some = rows[first : first + ROWS]
            for together in self._side_by_side(chosen):
                runs = [
                    self._run(number, values[some], days)
                    for number, days in zip(together, self._histories, strict=False)
                ]
                for number, (simulated, has_come) in zip(together, run_all(runs), strict=True):
                    where = np.ix_(some, self._seasons[number].observed)
                    result[where], reached[where] = simulated, has_come
        return result, reached

    def _side_by_side(self, chosen: Booleans | None) -> Iterator[list[int]]:
        """Yield the numbers of seasons with a `chosen` observation, one for each thread at a time."""
        numbers = (
            number
            for number, season in enumerate(self._seasons)
            if chosen is None or chosen[season.observed].any()
        )
        while together := list(islice(numbers, len(self._histories))):
            yield together

    def _run(self, number: int, values: Floats, days: Floats) -> Callable[[], tuple[Floats, Booleans]]:
        """Write at most ROWS candidates into a season; return what runs it and reads its observations."""
        season, count = self._seasons[number], len(values)
        season.simulator.set_parameters(*self.candidates.write(values, number))
        history = days[:, : len(season.management)]

        def run() -> tuple[Floats, Booleans]:
            season.simulator.seasons(season.management, history, count)
            return season.reading.values(history[:count], season.simulator.elapsed[:count])

        return run

    def _parameters(self, site: str) -> dict[str, Any]:
        """Return the parameters of crop, soil and site."""
        spec = self.spec
        given = {
            "site": site if site in catalog.names("site") else None,
            "soil": spec.soil,
            "crop": spec.crop,
        }
        return read_all(self.model, given, spec.setting)

    def _setup(self, key: ObservedSeason) -> FieldSetup:
        season, spec = self.spec.season, self.spec
        latest = key.crop_start + timedelta(days=season.max_duration)
        end = latest if season.end is None else following(key.crop_start, season.end)
        crop_end = None if season.crop_end is None else following(key.crop_start, season.crop_end)
        _require_weather(self.series[key.site], key, end)
        calendar = CropCalendar(
            key.crop_start, season.crop_start_type, crop_end, season.crop_end_type, season.max_duration
        )
        return FieldSetup(
            self._parameters(key.site),
            self.series[key.site],
            calendar,
            key.start,
            end,
            setting=spec.setting,
            limitation=spec.limitation,
        )

    def _builder(self, setup: FieldSetup) -> Any:
        def build(parameters: Mapping[str, Any]) -> Any:
            return self.model.world(replace(setup, parameters={**setup.parameters, **parameters}))

        return build

    def _season(self, key: ObservedSeason, setup: FieldSetup, world: Any) -> _Season:
        simulator = self.model.simulator(ROWS)
        assert isinstance(simulator, DailySimulator)
        simulator.repeat(world)
        given = self.model.management(setup, self._events(setup))
        observed = [i for i, row in enumerate(self.observations.rows) if row.season == key]
        rows = [self.observations.rows[i] for i in observed]
        days = [self._day(key, row, setup.end) for row in rows]
        reading = Reading([row.target for row in rows], np.array(days, dtype=np.int64), setup.start)
        return _Season(key, setup, simulator, simulator.for_all(given), reading, np.array(observed))

    def _events(self, setup: FieldSetup) -> Sequence[events.Event]:
        given = [
            (following(setup.start, e.date), e.event, e.amount, *([] if e.recovery is None else [e.recovery]))
            for e in self.spec.management
        ]
        return events.parse(given, self.model.events, self.model.name, setup.start, setup.end, models.able)

    def _day(self, key: ObservedSeason, row: Observation, end: date) -> int:
        """Return the day of an observation since the start of its season, -1 for the end."""
        day = row.day
        if day is None:
            return -1
        if row.target.is_date and day < key.crop_start:
            raise ConfigError(
                f"observations: {row.target.name} on {day} lies before its crop starts, on {key.crop_start}"
                f" ({key}). The key season.crop_start or the table's column start says when it does."
            )
        if not key.start <= day <= end:
            raise ConfigError(
                f"observations: {day} lies outside its season, {key.start} to {end} ({key}). The keys"
                " season.start, season.end and season.max_duration say when a season is."
            )
        return (day - key.start).days


def _series_of(sites: Sequence[str], weather: Any) -> dict[str, DailySeries]:
    """Return the weather of each site: what was given, else its own."""
    import pandas as pd

    given = dict.fromkeys(sites, weather) if isinstance(weather, pd.DataFrame) else weather
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise ConfigError(
            "weather: give a DataFrame, or a mapping with one for each site; got a value of type"
            f" {type(given).__name__!r}."
        )
    for site, table in given.items():
        if site not in sites:
            raise ConfigError(
                f"weather: no observation is of the site {site!r}.{did_you_mean(str(site), sites)}"
            )
        if not isinstance(table, pd.DataFrame):
            raise ConfigError(
                f"weather: {site}: give a DataFrame; got a value of type {type(table).__name__!r}."
            )
    return {site: from_frame(given[site], site) if site in given else site_series(site) for site in sites}


def _require_weather(series: DailySeries, key: ObservedSeason, end: date) -> None:
    """Raise `WeatherError` where the weather does not cover a season with observations."""
    try:
        series.window(key.start, end)
    except WeatherError as error:
        raise WeatherError(
            f"observations: the season {key}, {key.start} to {end}, has no weather: {error} Leave its"
            " rows out, or give weather that covers them."
        ) from None
