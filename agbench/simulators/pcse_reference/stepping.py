"""PCSE's engine with two additions: full records of each day, and events given while it runs.

Import this module after `load_pcse()` only.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from pcse import signals
from pcse.base import ParameterProvider, WeatherDataContainer, WeatherDataProvider
from pcse.engine import Engine
from pcse.exceptions import PCSEError
from pcse.traitlets import TraitError

from agbench.errors import SimulationError
from agbench.simulators.pcse_reference.models import PcseModel
from agbench.weather.daily import DAILY, DailySeries

_NOT_FOR_PCSE = ("DAYLP",)  # PCSE computes day length itself


class SeriesProvider(WeatherDataProvider):  # type: ignore[misc]
    """A `DailySeries` in the form of PCSE's weather."""

    def __init__(self, series: DailySeries, start: date, end: date) -> None:
        super().__init__()
        self._place = {"LAT": series.latitude, "LON": series.longitude, "ELEV": series.elevation}
        self._start = start
        self._rows = series.window(start, end)

    def __call__(self, day: date, member_id: int = 0) -> Any:
        """Return the weather of a day."""
        if (day, member_id) not in self.store:
            row = self._rows[(day - self._start).days]
            columns = {v: float(x) for v, x in zip(DAILY.names, row, strict=True)}
            for name in _NOT_FOR_PCSE:
                del columns[name]
            self.store[day, member_id] = WeatherDataContainer(DAY=day, **self._place, **columns)
        return self.store[day, member_id]


class SteppingEngine(Engine):  # type: ignore[misc]
    """PCSE's engine, stepped day by day.

    `row` holds the chosen variables of the current day, taken where PCSE saves its own output:
    after the day's rates are known and before a finished crop is removed.
    """

    _variables: tuple[str, ...] = ()
    _pending: tuple[tuple[str, Mapping[str, float]], ...] = ()
    _crop_ended = False
    _row: Mapping[str, Any] = {}

    def __init__(
        self,
        model: PcseModel,
        parameters: Mapping[str, Any],
        weather: SeriesProvider,
        agromanagement: Sequence[Any],
        variables: Sequence[str],
    ) -> None:
        self._variables = tuple(variables)
        provider = ParameterProvider(cropdata=dict(model.prepare(parameters)))
        with _refusals():
            super().__init__(provider, weather, list(agromanagement), model.config)

    @property
    def row(self) -> Mapping[str, Any]:
        """Return the variables of the current day."""
        return self._row

    @property
    def crop_ended(self) -> bool:
        """Return whether the crop has been finished, by maturity or by the calendar."""
        return self._crop_ended

    def step(self, events: Sequence[tuple[str, Mapping[str, float]]] = ()) -> None:
        """Advance by one day; events act as timed events of the new day."""
        self._pending = tuple(events)
        with _refusals():
            self._run()

    def calc_rates(self, day: date, drv: Any) -> None:
        """Send the events of the day, then calculate its rates."""
        for name, arguments in self._pending:
            self._send_signal(signal=getattr(signals, name), **arguments)
        self._pending = ()
        super().calc_rates(day, drv)

    def _save_output(self, day: date) -> None:
        """Keep the day's variables."""
        self.flag_output = False
        self._row = {name: self._value(name) for name in self._variables}

    def _finish_cropsimulation(self, day: date) -> None:
        self._crop_ended = True
        super()._finish_cropsimulation(day)

    def _value(self, name: str) -> Any:
        """Return a variable, or the rate of change rX of a state X that PCSE keeps with it."""
        value = self.get_variable(name)
        if value is not None:
            return value
        for part in (self.crop, self.soil):
            rates = getattr(getattr(part, "states", None), "rates", {})
            if name in rates:
                return rates[name]
        return None


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    """Raise errors of PCSE, such as a missing parameter, as errors of this package."""
    try:
        yield
    except (PCSEError, TraitError, ZeroDivisionError) as error:
        raise SimulationError(f"PCSE refuses: {error}") from error
