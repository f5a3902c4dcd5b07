"""Crop calendar and events in PCSE's agromanagement format."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from agbench.errors import SimulationError, unknown
from agbench.simulators.field.events import DEFAULT_FRACTION
from agbench.simulators.pcse_reference.models import PcseModel

TimedEvent = tuple[date, str, float, float | None]
"""Date, signal name, amount (kg ha-1 or cm), and recovery or efficiency (None: 0.7)."""

_CALENDAR = (
    "crop_name",
    "variety_name",
    "crop_start_date",
    "crop_start_type",
    "crop_end_date",
    "crop_end_type",
    "max_duration",
)


def agromanagement(
    model: PcseModel,
    start: date,
    end: date,
    calendar: Mapping[str, Any] | None = None,
    events: Iterable[TimedEvent] = (),
) -> list[dict[date, Any]]:
    """Return the campaigns: ours from `start`, and an empty one after the last day, `end`."""
    campaign = {
        "CropCalendar": complete_calendar(start, end, calendar or {}),
        "TimedEvents": _timed_events(model, start, end, events) or None,
        "StateEvents": None,
    }
    return [{start: campaign}, {end + timedelta(days=1): None}]


def complete_calendar(start: date, end: date, calendar: Mapping[str, Any]) -> dict[str, Any]:
    """Return PCSE's crop calendar: emergence on `start`, the earlier of maturity and `end`."""
    for key in calendar:
        if key not in _CALENDAR:
            raise unknown("key", key, _CALENDAR, where="calendar")
    defaults = {
        "crop_name": "crop",
        "variety_name": "variety",
        "crop_start_date": start,
        "crop_start_type": "emergence",
        "crop_end_date": end,
        "crop_end_type": "earliest",
        "max_duration": (end - start).days + 1,
    }
    return {**defaults, **calendar}


def event_arguments(model: PcseModel, name: str, amount: float, efficiency: float) -> dict[str, float]:
    """Return what PCSE's signal `name` carries."""
    if name not in model.events:
        raise unknown("event of this model", name, model.events)
    return model.events[name](amount, efficiency)


def _timed_events(
    model: PcseModel, start: date, end: date, events: Iterable[TimedEvent]
) -> list[dict[str, Any]]:
    """Return one table of events a signal; PCSE takes one event a day in each."""
    tables: dict[str, dict[date, list[tuple[float, float]]]] = {}
    for day, name, amount, efficiency in events:
        if not start <= day <= end:
            raise SimulationError(f"event {name} of {day} lies outside the run, {start} to {end}.")
        share = DEFAULT_FRACTION if efficiency is None else efficiency
        tables.setdefault(name, {}).setdefault(day, []).append((amount, share))
    return [
        {
            "event_signal": name,
            "name": name,
            "comment": "",
            "events_table": [
                {day: event_arguments(model, name, *_together(parts))} for day, parts in sorted(table.items())
            ],
        }
        for name, table in tables.items()
    ]


def _together(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return several applications of one day as one: summed amount, weighted efficiency."""
    amount = sum(a for a, _ in parts)
    shares = {share for _, share in parts}
    if len(shares) == 1 or amount == 0.0:
        return amount, parts[0][1]
    return amount, sum(a * share for a, share in parts) / amount
