"""PCSE's Excel format of daily weather: one sheet, the place in the head, a row a day.

Read by PCSE's own `ExcelWeatherDataProvider`; its documentation gives the layout.
"""

from pathlib import Path

import numpy as np

from agbench.errors import WeatherError
from agbench.weather.columns import OBSERVED
from agbench.weather.daily import DailySeries, from_frame


def read_excel(path: Path) -> DailySeries:
    """Return the series in an Excel file of PCSE's layout; days that PCSE skips are missing."""
    import pandas as pd
    from pcse.input import ExcelWeatherDataProvider

    try:
        provider = ExcelWeatherDataProvider(str(path), force_reload=True)  # its cache goes by file names
        days = sorted(key[0] for key in provider.store)
        rows = [provider(day) for day in days]
    except Exception as error:
        raise WeatherError(
            f"{path}: PCSE cannot read this Excel file ({type(error).__name__}: {error}). It expects"
            " the layout of its ExcelWeatherDataProvider."
        ) from None
    if not days:
        raise WeatherError(f"{path}: the Excel file has no complete day.")
    table = {name: np.array([getattr(row, name) for row in rows]) for name in OBSERVED}
    frame = pd.DataFrame(table, index=pd.DatetimeIndex(days))
    frame.attrs.update(lat=provider.latitude, lon=provider.longitude, elev=provider.elevation)
    frame.attrs.update(angstA=provider.angstA, angstB=provider.angstB)
    return from_frame(frame, path.stem)
