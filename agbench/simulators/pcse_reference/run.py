"""One simulation with PCSE from start to end, as a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from agbench.simulators.field.events import DEFAULT_FRACTION
from agbench.simulators.pcse_reference.library import load_pcse
from agbench.simulators.pcse_reference.management import TimedEvent, agromanagement
from agbench.simulators.pcse_reference.models import find_model
from agbench.weather.daily import DailySeries

if TYPE_CHECKING:
    import pandas as pd

    from agbench.simulators.pcse_reference.stepping import SteppingEngine


@dataclass(frozen=True, eq=False)
class PcseWorld:
    """All that fixes a simulation with PCSE apart from management.

    `parameters` are those of crop, soil and site together, under PCSE's names; `calendar` has the
    keys of PCSE's CropCalendar (None: emergence on `start`, then maturity or `end`). `recovery` is
    the share of applied nitrogen, `efficiency` the share of irrigation that arrives.
    """

    model: str
    parameters: Mapping[str, Any]
    series: DailySeries
    start: date
    end: date
    calendar: Mapping[str, Any] | None = None
    recovery: float = DEFAULT_FRACTION
    efficiency: float = DEFAULT_FRACTION

    def engine(self, variables: Sequence[str], events: Iterable[TimedEvent] = ()) -> "SteppingEngine":
        """Return PCSE's engine on the first day of this world."""
        load_pcse()
        from agbench.simulators.pcse_reference.stepping import SeriesProvider, SteppingEngine

        model = find_model(self.model)
        management = agromanagement(model, self.start, self.end, self.calendar, events)
        weather = SeriesProvider(self.series, self.start, self.end)
        return SteppingEngine(model, self.parameters, weather, management, variables)


def run_pcse(
    model: str,
    parameters: Mapping[str, Any],
    series: DailySeries,
    start: date,
    end: date,
    calendar: Mapping[str, Any] | None = None,
    events: Iterable[TimedEvent] = (),
    variables: Sequence[str] | None = None,
    stop_after: date | None = None,
) -> "pd.DataFrame":
    """Return one row a day, from `start` until the crop is finished or `end`, indexed by day.

    With `stop_after` the run goes on without a crop to that day.

    `events` are (date, "apply_n" [kg ha-1] or "irrigate" [cm], amount, efficiency or None).
    `variables` None means all that the model reports; a value PCSE does not have is None.
    """
    import pandas as pd

    names = (find_model(model).variables or ()) if variables is None else tuple(variables)
    until = start if stop_after is None else stop_after
    engine = PcseWorld(model, parameters, series, start, end, calendar).engine(names, events)
    days, rows = [engine.day], [engine.row]
    while engine.day < end and not (engine.crop_ended and engine.day >= until):
        engine.step()
        days.append(engine.day)
        rows.append(engine.row)
    return pd.DataFrame(rows, index=pd.DatetimeIndex(days, name="day"), columns=list(names))
