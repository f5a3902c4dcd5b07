"""Dates of a vine's stages, fast: WOFOST's phenology kernels alone, and regressions on thermal time.

For studies of thousands of calibrations: without carbon, water and frost a season takes a tenth of the time.
Frost can let leaves fall before day length does, and chilling then begins earlier; `calibration_vines.py`
prints how many dates differ from those of the whole model.
"""

from typing import Any

import numba
import numpy as np
import pandas as pd

from agbench.simulators.wofost.grape_phenology import (
    grape_development_rates,
    integrate_grape_development,
    start_grape_phenology,
)

GRAPE_STAGES = ("DOB", "DOL", "DOV")
_STAGE = ["STAGE", "DVS", "PHENOLOGY", "TSUM", "TSUME", "CSUM", "AUTUMN", "BUDS_CLOSED", "DAY_LENGTH"]
_RATES = ["SHORTENING", "DTSUME", "DTSUM", "DVR", "DCU", "CHILLING_ON", "FROST_LEAVES"]
_DATES = ["DOB", "DOL", "DOV", "DOR", "DON", "DOC", "DOLF", "DOH"]
_STATE = np.dtype([(name, np.float64) for name in (*_STAGE, *_RATES, *_DATES)])


@numba.njit
def _advance(states: Any, parameters: Any, weather: Any, first_day: int, days: int) -> None:
    for i in range(len(states)):
        s, p = states[i], parameters[i]
        start_grape_phenology(s, p)
        for t in range(days):
            if t > 0:
                integrate_grape_development(s, p, float(first_day + t))
            s.DTSUME = s.DTSUM = s.DVR = s.DCU = 0.0
            grape_development_rates(s, p, weather[t], float(first_day + t))


class Dates:
    """A calibration's problem whose candidates only develop; with observations and seasons of its own."""

    def __init__(self, problem, spec=None, observations=None):
        self._problem = problem
        self.spec = problem.spec if spec is None else spec
        self.observations = problem.observations if observations is None else observations
        self.model, self.dimensions, self.candidates = problem.model, problem.dimensions, problem.candidates

    def simulate(self, values, chosen=None):
        """Return dates (n, m) and whether they are reached, as `Problem.simulate` does."""
        rows = self.observations.rows
        result = np.full((len(values), len(rows)), np.nan)
        for number, season in enumerate(self._problem._seasons):
            if chosen is not None and not chosen[season.observed].any():
                continue
            records, _ = self.candidates.write(values, number)
            states = np.zeros(len(values), dtype=_STATE)
            first, days = (season.setup.start - pd.Timestamp(0).date()).days, len(season.management)
            weather = self.candidates._worlds[number].arrays["weather"]
            _advance(states, records, weather, first, days)
            for i in season.observed:
                day = states[rows[i].target.name]
                result[:, i] = np.where(day < 0.0, first + days, day)
        return result, np.ones(result.shape, dtype=np.bool_)


def regression(table, weather, kept, bases):
    """Return RMSE by stage of fitted and of held-out years, with mean thermal times as parameters.

    Zapata et al. 2017: thermal time above a base temperature, from 1 January to bud break, on to bloom, on to
    veraison; its mean over the years is the requirement. Of several base temperatures the one with the
    smallest total over the fitted years counts.
    """
    days = pd.to_datetime(table["date"])
    observed = pd.DataFrame(
        {"season": table["season"], "variable": table["variable"], "day": days.dt.day_of_year}
    )
    dates = observed.pivot(index="season", columns="variable", values="day")[list(GRAPE_STAGES)].to_numpy()
    years = sorted(set(table["season"]))
    held = np.isin(years, list(kept))
    mean = (weather["TMIN"] + weather["TMAX"]) / 2.0
    daily = np.full((len(years), 366), np.nan)
    for row, year in enumerate(years):
        some = mean[f"{year + 1}-01-01" : f"{year + 1}-12-31"]
        daily[row, : len(some)] = some
    best = None
    for base in bases:
        errors = _thermal_time(daily, dates, held, base)
        result = [
            [float(np.sqrt(np.nanmean(errors[part, k] ** 2))) for k in range(len(GRAPE_STAGES))]
            for part in (~held, held)
        ]
        if best is None or sum(result[0]) < sum(best[0]):
            best = result
    return best


def _thermal_time(daily, dates, held, base):
    """Return errors of dates [d] (years, stages) by the mean requirements of the years that are not held."""
    years = np.arange(len(daily))
    sums = np.cumsum(np.nan_to_num(np.clip(daily - base, 0.0, None)), axis=1)
    at = np.take_along_axis(sums, np.nan_to_num(dates, nan=1.0).astype(int) - 1, axis=1)
    at[np.isnan(dates)] = np.nan
    needs = np.nanmean(np.diff(at, axis=1, prepend=0.0)[~held], axis=0)
    reached, errors = np.zeros(len(daily)), np.empty(dates.shape)
    for stage, need in enumerate(needs):
        later = sums >= (reached + need)[:, np.newaxis]
        day = np.where(later.any(axis=1), later.argmax(axis=1), sums.shape[1] - 1)
        reached = sums[years, day]
        errors[:, stage] = day + 1 - dates[:, stage]
    return errors
