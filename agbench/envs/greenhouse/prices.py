"""The prices of a greenhouse task, hour by hour of an episode."""

import hashlib
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from agbench.data import catalog
from agbench.data.greenhouse_reward import PRICED, UNITS, GreenhouseReward
from agbench.data.prices import HOURS, LARGEST, LARGEST_OF_ENERGY, Price, PriceModel, PriceSeries
from agbench.envs.greenhouse.day_ahead import DayAhead
from agbench.errors import ConfigError, did_you_mean
from agbench.files import checked
from agbench.variables import Floats

if TYPE_CHECKING:
    import pandas as pd

_HOUR: Final = timedelta(hours=1)
_ANY_YEAR: Final = 2001  # without a 29 February
_HOURS_A_YEAR: Final = 8760


@dataclass(frozen=True, eq=False)
class HourlySeries:
    """Prices of consecutive hours from `begin`; one year that `repeats` is used for every year."""

    name: str
    begin: datetime
    values: Floats
    repeats: bool
    sha256: str
    published_at: int | None

    def window(self, first: date, hours: int, needed: int) -> Floats:
        """Return the prices of `hours` from midnight of `first`, the last one held where they end.

        Raises `ConfigError` unless the first `needed` hours are all there.
        """
        start = datetime.combine(first, time())
        if self.repeats:
            return self.values[[self._of_year(start + k * _HOUR) for k in range(hours)]]
        at = int((start - self.begin) / _HOUR)
        if at < 0 or at + needed > len(self.values):
            end = self.begin + len(self.values) * _HOUR
            raise ConfigError(
                f"prices {self.name}: they run from {self.begin:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}, "
                f"and {needed} hours from {first} are needed. With 'repeats: true' one year is "
                "used for all years."
            )
        return self.values[np.minimum(np.arange(at, at + hours), len(self.values) - 1)]

    @staticmethod
    def _of_year(moment: datetime) -> int:
        """Return the hour of a year of 365 days; 29 February is like the day before."""
        day = 28 if (moment.month, moment.day) == (2, 29) else moment.day
        return int((moment.replace(year=_ANY_YEAR, day=day) - datetime(_ANY_YEAR, 1, 1)) / _HOUR)


class GreenhousePrices:
    """What fruit, CO2, heat and electricity cost in a task, in the order of `PRICED`."""

    def __init__(self, spec: GreenhouseReward) -> None:
        prices: list[Price] = [spec.fruit, spec.co2, spec.heat, _electricity(spec)]
        self._of = [read_price(price, what) for what, price in zip(PRICED, prices, strict=True)]

    @property
    def random(self) -> bool:
        """Whether `rows` draws from its generator."""
        return any(isinstance(price, DayAhead) for price in self._of)

    @property
    def highest(self) -> Floats:
        """The highest price of each at any hour, (4,)."""
        return np.array([_highest(price) for price in self._of])

    @property
    def published_at(self) -> Floats:
        """The hour of a day at which each price is published for the next day, (4,); -1 where all are."""
        hours = [None if isinstance(price, np.ndarray) else price.published_at for price in self._of]
        return np.array([-1.0 if hour is None else float(hour) for hour in hours])

    @property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each series' file and of each model, by name."""
        return {f"prices {p.name}": p.sha256 for p in self._of if not isinstance(p, np.ndarray)}

    def rows(
        self, first: date, days: int, ahead: int = 0, generator: np.random.Generator | None = None
    ) -> Floats:
        """Return the prices (hours, 4) of some days from midnight of `first`, and of `ahead` hours more.

        A model draws from the `generator`; without one its prices are the expected ones. Raises
        `ConfigError` where a series lacks one of the days; beyond them its last price is held.
        """
        hours = days * HOURS + ahead
        result = np.empty((hours, len(PRICED)))
        for k, price in enumerate(self._of):
            if isinstance(price, HourlySeries):
                result[:, k] = price.window(first, hours, days * HOURS)
            elif isinstance(price, DayAhead):
                result[:, k] = price.window(first, hours, generator)
            else:
                result[:, k] = np.resize(price, hours)
        return result


def _electricity(spec: GreenhouseReward) -> Price:
    """Return the price of electricity, the night tariff in its hours."""
    if spec.electricity_night is None or not isinstance(spec.electricity, float):
        return spec.electricity
    start, end = spec.night_start, spec.night_end
    night = [(h >= start or h < end) if start > end else (start <= h < end) for h in range(HOURS)]
    return [spec.electricity_night if dark else spec.electricity for dark in night]


def _highest(price: Floats | HourlySeries | DayAhead) -> float:
    if isinstance(price, DayAhead):
        return price.spec.limits[1]
    return float((price.values if isinstance(price, HourlySeries) else price).max())


def read_price(price: Price, what: str | None = None) -> Floats | HourlySeries | DayAhead:
    """Return the prices of the day's hours, (24,), a series or a model.

    With `what` they are of, one of `PRICED`, a series or model in another unit raises `ConfigError`.
    """
    if not isinstance(price, str):
        return np.resize(np.array(price, dtype=np.float64), HOURS)
    path = Path(price) if price.endswith((".yaml", ".yml")) else catalog.find("prices", price)
    described = catalog.prices(path)
    if what is not None and described.unit != UNITS[what]:
        raise ConfigError(f"{path}: unit: {described.unit}; the price of {what} is in {UNITS[what]}.")
    if isinstance(described, PriceModel):
        return DayAhead(described, hashlib.sha256(described.model_dump_json().encode()).hexdigest())
    series = path.parent / described.file
    changed = series.stat().st_mtime_ns if series.is_file() else 0
    return _series(series, described, changed)


@lru_cache(maxsize=8)
def _series(path: Path, described: PriceSeries, changed: int) -> HourlySeries:
    """Read the file of a price series and check all of it."""
    import pandas as pd

    result = checked(path, described.sha256, f"prices {described.prices}", ConfigError)
    try:
        table = (
            pd.read_parquet(path)
            if path.suffix == ".parquet"
            else pd.read_csv(path, comment="#", float_precision="round_trip")
        )
    except (ValueError, OSError) as error:
        raise ConfigError(f"{path}: not readable as a table: {error}") from None
    for column in ("time", "price"):
        if column not in table:
            raise ConfigError(
                f"{path}: the column {column!r} is missing.{did_you_mean(column, map(str, table))}"
            )
    begin = _first_hour(table["time"], path)
    values = pd.to_numeric(table["price"], errors="coerce").to_numpy(np.float64)
    energy = described.unit == "EUR kWh-1"
    most = LARGEST_OF_ENERGY if energy else LARGEST
    wrong = np.flatnonzero(~(np.abs(values) <= most))
    if len(wrong):
        raise ConfigError(
            f"{path}: the price of {table['time'].iloc[wrong[0]]} is {table['price'].iloc[wrong[0]]}; give "
            f"numbers in {described.unit} up to {most:g}"
            f"{' (EUR MWh-1 need a factor 0.001, ct kWh-1 0.01)' if energy else ''}."
        )
    if described.repeats and (
        len(values) != _HOURS_A_YEAR or (begin.month, begin.day, begin.hour) != (1, 1, 0)
    ):
        raise ConfigError(
            f"{path}: a series that repeats is a year of {_HOURS_A_YEAR} hours from 1 January, without a "
            f"29 February; this one has {len(values)} from {begin:%d %B}."
        )
    return HourlySeries(described.prices, begin, values, described.repeats, result, described.published_at)


def _first_hour(times: "pd.Series[str]", path: Path) -> datetime:
    """Return the first hour of a series after checking that each next one follows it."""
    import pandas as pd

    try:
        moments = pd.to_datetime(times)
    except ValueError as error:
        raise ConfigError(f"{path}: time: {error}. Write it like 2010-03-01 00:00.") from None
    if not len(moments):
        raise ConfigError(f"{path}: it holds no prices.")
    if getattr(moments.dt, "tz", None) is not None:
        raise ConfigError(f"{path}: time: give local standard time without a zone, as in the weather.")
    first = moments.iloc[0].to_pydatetime()
    expected = pd.date_range(first, periods=len(moments), freq="h")
    off = np.flatnonzero(moments.to_numpy() != expected.to_numpy())
    if first.minute or first.second or len(off):
        at = int(off[0]) if len(off) else 0
        raise ConfigError(
            f"{path}: row {at + 1} is {times.iloc[at]}; {expected[at].floor('h'):%Y-%m-%d %H:%M} is missing. "
            "A series has every hour once, in order."
        )
    return datetime(first.year, first.month, first.day, first.hour)
