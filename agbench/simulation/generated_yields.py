"""The test that counts for a generator: yields on generated seasons beside those on observed years."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import numpy as np

from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.simulation.field import simulate
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.simulate import simulate_wofost
from agbench.variables import Floats
from agbench.weather.change import changed
from agbench.weather.daily import DailySeries
from agbench.weather.generator.generate import FIRST_DAY, Generator
from agbench.weather.site import site_generator

SEASONS: Final = 200
MEAN_LIMIT, SPREAD_LIMIT = 0.05, 0.20  # allowed relative differences

_NITROGEN = (("02-15", 80.0), ("04-01", 80.0), ("05-01", 80.0))  # kg ha-1: plenty, so that water limits
_MOIST = 15.0  # cm of available water at sowing: a profile that snow and spring rain have filled


@dataclass(frozen=True, eq=False)
class Yields:
    """Dry matter of storage organs of each season [t ha-1]."""

    crop: str
    observed: Floats
    generated: Floats

    @property
    def mean_off(self) -> float:
        """Relative difference of the means [-]."""
        return abs(float(self.generated.mean() / self.observed.mean()) - 1.0)

    @property
    def spread_off(self) -> float:
        """Relative difference of the standard deviations [-]."""
        return abs(float(self.generated.std(ddof=1) / self.observed.std(ddof=1)) - 1.0)

    @property
    def passed(self) -> bool:
        """Whether mean and standard deviation agree."""
        return self.mean_off <= MEAN_LIMIT and self.spread_off <= SPREAD_LIMIT


def compare_yields(name: str, series: DailySeries, crop: str = "wheat", count: int = SEASONS) -> Yields:
    """Return water-limited yields of a site on its observed years and on generated seasons."""
    if crop not in _GROWERS:
        raise ConfigError(f"crop {crop!r} must be one of {', '.join(_GROWERS)}.")
    grow = _GROWERS[crop]
    generator = site_generator(name)
    derived = _as_generated(series, generator)
    observed = [grow(derived, year) for year in series.complete_years()]
    generated = [grow(generator.season(i), FIRST_DAY.year) for i in range(count)]
    return Yields(crop, np.array(observed), np.array(generated))


def _as_generated(series: DailySeries, generator: Generator) -> DailySeries:
    """Return a series whose evaporation is derived as that of generated seasons is."""
    a, b = generator.angstrom
    marked = replace(series, provenance={**series.provenance, "angstrom": f"{a:g} {b:g}"})
    return changed(marked, 0.0, 0.0)


def _wheat(series: DailySeries, year: int) -> float:
    """Winter wheat of LINTUL-3 with plenty of nitrogen on the Dutch field of CropGym [t ha-1]."""
    table = simulate(
        "lintul3-wheat",
        crop="winter-wheat-nl",
        soil="cropgym-nl",
        weather=series.to_frame(),
        start=f"{year}-01-01",
        end=f"{year}-12-31",
        events=[(f"{year}-{day}", "apply_n", amount) for day, amount in _NITROGEN],
    )
    return float(np.nanmax(table["WSO"].to_numpy())) / 100.0


def _maize(series: DailySeries, year: int) -> float:
    """Maize of WOFOST, limited by water alone, sown on 5 May in moist soil [t ha-1]."""
    parameters = {**catalog.soil("oregon-1").values, **catalog.crop("maize-1").values}
    parameters["WAV"] = _MOIST
    calendar = CropCalendar(date(year, 5, 5), "sowing", None, "maturity", 200)
    table = simulate_wofost("wofost-npk", parameters, series, calendar=calendar, limitation="lw")
    return float(np.nanmax(table["TWSO"].to_numpy())) / 1000.0


_GROWERS: Final = {"wheat": _wheat, "maize": _maize}
