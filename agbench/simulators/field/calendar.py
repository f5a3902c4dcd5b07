"""The crop calendar: when a crop is sown or emerges, and what ends it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from numbers import Real
from typing import Any, Final

import numpy as np

from agbench.errors import ConfigError, did_you_mean
from agbench.variables import finite

START_TYPES: Final = ("sowing", "emergence", "dormant", "endodorm", "ecodorm")
END_TYPES: Final = ("maturity", "harvest", "earliest", "emergence", "death", "max_duration")
_DATED: Final = ("harvest", "earliest")
_KEYS = (
    "crop_name",
    "variety_name",
    "crop_start_date",
    "crop_start_type",
    "crop_end_date",
    "crop_end_type",
    "max_duration",
)
_DEFAULT_DURATION = 365  # d
_LONGEST = 36_525  # d, a hundred years

RECORD: Final = np.dtype(
    [
        ("crop_start", np.int64),
        ("sown", np.int64),
        ("crop_end", np.int64),
        ("ends_at_maturity", np.int64),
        ("max_duration", np.int64),
        ("last", np.int64),
    ]
)
"""A calendar as the kernels read it, in days since the start of the simulation; -1 is never."""


@dataclass(frozen=True)
class CropCalendar:
    """One crop's calendar, as PCSE's CropCalendar has it.

    `crop_start_type` is `sowing` or `emergence`, or `dormant` for perennial crops. `crop_end_type` is
    `maturity`, `harvest` (on `crop_end_date`) or `earliest` (of the two); a crop also ends after
    `max_duration` days. Models that know these stages also end a crop at `emergence` or `death`.
    """

    crop_start_date: date
    crop_start_type: str = "emergence"
    crop_end_date: date | None = None
    crop_end_type: str = "maturity"
    max_duration: int = _DEFAULT_DURATION

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "CropCalendar":
        """Read a mapping with PCSE's keys; raises `ConfigError` for what is not of its form."""
        for key in mapping:
            if key not in _KEYS:
                raise ConfigError(f"calendar: unknown key {key!r}.{did_you_mean(key, _KEYS)}")
        if mapping.get("crop_start_date") is None:
            raise ConfigError("calendar: crop_start_date is missing.")
        end = mapping.get("crop_end_date")
        return cls(
            crop_start_date=as_date("calendar: crop_start_date", mapping["crop_start_date"]),
            crop_start_type=mapping.get("crop_start_type", "emergence"),
            crop_end_date=None if end is None else as_date("calendar: crop_end_date", end),
            crop_end_type=mapping.get("crop_end_type", "maturity"),
            max_duration=_days(mapping.get("max_duration")),
        )

    def __post_init__(self) -> None:
        for key, value, words in (
            ("crop_start_type", self.crop_start_type, START_TYPES),
            ("crop_end_type", self.crop_end_type, END_TYPES),
        ):
            if value not in words:
                raise ConfigError(f"calendar: {key} {value!r} is unknown.{did_you_mean(value, words)}")
        if self.crop_end_type in _DATED and self.crop_end_date is None:
            raise ConfigError(f"calendar: end type {self.crop_end_type!r} needs a crop_end_date.")
        if self.crop_end_date is not None and self.crop_end_date <= self.crop_start_date:
            raise ConfigError(
                f"calendar: crop_end_date {self.crop_end_date} must come after crop_start_date "
                f"{self.crop_start_date}."
            )
        if not 1 <= self.max_duration <= _LONGEST:
            raise ConfigError(
                f"calendar: max_duration must be at least 1 d, at most {_LONGEST}; got {self.max_duration}."
            )
        if self.crop_start_date > date.max - timedelta(days=self.max_duration):
            raise ConfigError(f"calendar: crop_start_date {self.crop_start_date} is too late for a season.")

    @property
    def latest_end(self) -> date:
        """The day by which the crop has ended, whatever the weather."""
        last = self.crop_start_date + timedelta(days=self.max_duration)
        if self.crop_end_type not in _DATED or self.crop_end_date is None:
            return last
        return min(last, self.crop_end_date)

    def as_record(self, start: date, end: date) -> np.ndarray[Any, Any]:
        """Return the calendar in days of a simulation from `start` to `end`."""
        harvested = self.crop_end_type in _DATED and self.crop_end_date is not None
        record = np.zeros((), dtype=RECORD)
        record["crop_start"] = (self.crop_start_date - start).days
        record["sown"] = self.crop_start_type == "sowing"
        record["crop_end"] = (self.crop_end_date - start).days if harvested else -1  # type: ignore[operator]
        record["ends_at_maturity"] = self.crop_end_type in ("maturity", "earliest")
        record["max_duration"] = self.max_duration
        record["last"] = (end - start).days
        return record


def _days(value: Any) -> int:
    """Return a maximum duration [d]; nothing given is a year."""
    if value is None:
        return _DEFAULT_DURATION
    number = isinstance(value, Real) and not isinstance(value, bool) and finite(value)
    if not number or float(value) % 1.0 != 0.0:
        raise ConfigError(f"calendar: max_duration must be a whole number of days; got {value!r}.")
    return int(float(value))


def as_date(what: str, value: Any) -> date:
    """Return a date from a date, a timestamp, a datetime64 or `YYYY-MM-DD` text; raises `ConfigError`."""
    try:
        if isinstance(value, np.datetime64):
            value = value.astype("datetime64[D]").item()
        elif hasattr(value, "date") and callable(value.date):
            value = value.date()
        is_date = isinstance(value, date) and value == value  # a NaT is a date that equals nothing
        return value if is_date else date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ConfigError(f"{what}: {value!r} is not a date like 1984-02-24.") from None
