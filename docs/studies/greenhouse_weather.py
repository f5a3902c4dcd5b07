"""Greenhouse weather side by side: measured every five minutes, measured hourly, from days, and generated.

python docs/studies/greenhouse_weather.py            # tables of means, spreads, autocorrelations, the sun
python docs/studies/greenhouse_weather.py --paper    # the paper's season at Schiphol
python docs/studies/greenhouse_weather.py --rules    # the rules' springs on measured and generated weather
"""

import sys
from datetime import date, timedelta

import numpy as np

from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.greenhouse_task import INTERVAL
from agbench.envs import scenario_weather
from agbench.evaluation.runner import evaluate
from agbench.evaluation.statistics import interval
from agbench.weather.greenhouse.series import COLUMNS
from agbench.weather.greenhouse.site import disaggregated, greenhouse_weather
from agbench.weather.greenhouse.sun import top_of_atmosphere

STEPS = 86_400 // INTERVAL
SEED = 0
GENERATED = 20  # seasons of the first table
SPRINGS = 100  # generated seasons of the second
TASK = "greenhouse-gym-v1"
VARIABLES = ("iGlob", "tOut", "vpOut", "wind", "tSky")
LAGS = {"5 min": 1, "1 h": 12, "24 h": STEPS}
PERIODS = {"20 October to 6 February": ("10-20", 110), "the year": ("01-02", 363)}


def series(start, days):
    """Return the weather of a period by name of source: site, and its years or seasons as (rows, 10) each."""

    def measured(site, years, clock=True):
        weather = greenhouse_weather(site, True, INTERVAL, clock)
        drawn = np.random.default_rng(SEED)
        return [
            (first, weather.rows(first, days, 0, drawn))
            for first in (date.fromisoformat(f"{y}-{start}") for y in years)
        ]

    def generated(number):
        weather = disaggregated(
            scenario_weather.series_of(f"wageningen/generated/{number}"), "wageningen", True, INTERVAL
        )
        first = date.fromisoformat(f"2001-{start}")
        return first, weather.rows(first, days, 0, np.random.default_rng([SEED, number]))

    years = range(1977, 1989)
    result = {} if days > 111 else {"Bleiswijk, 5 min": ("bleiswijk", measured("bleiswijk", [2009]))}
    return result | {
        "Schiphol, hours": ("schiphol", measured("schiphol", range(2008, 2012))),
        "Wageningen, days": ("wageningen", measured("wageningen", years)),
        "Wageningen, generated": ("wageningen", [generated(i) for i in range(GENERATED)]),
        "Wageningen, days, `solar`": ("wageningen", measured("wageningen", years, False)),
    }


def above(site, first, rows):
    """Return the sun in shares of what is above the atmosphere where that exceeds 50 W m-2."""
    place, clock = catalog.site(site).place, catalog.site(site).clock
    numbers = [(first + timedelta(days=k)).timetuple().tm_yday for k in range(len(rows) // STEPS)]
    top = top_of_atmosphere(
        place.latitude, place.longitude, clock, np.array(numbers, np.float64), STEPS
    ).ravel()
    return (rows[:, 0] / np.maximum(top, 1e-9))[top > 50.0]


def correlation(values, lag):
    """Return the autocorrelation of some seasons at a lag, their common daily course left in."""
    pairs = np.concatenate([np.stack([v[lag:], v[:-lag]]) for v in values], axis=1)
    return np.corrcoef(pairs)[0, 1]


def line(*cells):
    """Print a row of a table in Markdown."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(*cells):
    """Print the head of a table."""
    line(*cells)
    line(*("---" for _ in cells))


def table(name, start, days):
    """Print the tables of a period."""
    print(f"\n{name}:\n")
    head("weather", "seasons", "variable", "mean", "deviation", "of daily means", *(f"lag {k}" for k in LAGS))
    shares = {}
    for source, (site, seasons) in series(start, days).items():
        shares[source] = np.concatenate([above(site, first, rows) for first, rows in seasons])
        for variable in VARIABLES:
            column = [rows[:, list(COLUMNS).index(variable)] for _, rows in seasons]
            every = np.concatenate(column)
            daily = every.reshape(-1, STEPS).mean(axis=1)
            spreads = f"{every.mean():.4g}", f"{every.std():.3g}", f"{daily.std():.3g}"
            lags = (f"{correlation(column, lag):.3f}" for lag in LAGS.values())
            line(source, len(seasons), variable, *spreads, *lags)
    print("\nThe sun as a share of what is above the atmosphere, where that exceeds 50 W m-2:\n")
    head("weather", "median", "99 %", "greatest", "rows above it")
    for source, share in shares.items():
        quantiles = (f"{value:.2f}" for value in (np.median(share), np.quantile(share, 0.99), share.max()))
        line(source, *quantiles, f"{(share > 1 + 1e-9).mean():.3%}")


def springs(split):
    """Return the replication of GreenLight-Gym with its usual crop and another test split."""
    content = catalog.task(TASK).content()
    del content["uncertainty"]
    content["splits"] = {"test": split}
    return read_task(content, "springs")


def paper():
    """Print the season of the paper, 60 days from 1 March 2010, under the published rules."""
    totals = ("return", "profit", "fruit", "heat", "electricity", "co2", "penalty")
    head("controls", "`dli`", *totals)
    task = springs({"starts": ["2010-03-01"], "site": "schiphol"})
    for kind in ("absolute", "increment"):
        for dli in ("day", "past"):
            row = evaluate(task, "rule-based", action__kind=kind, episode__dli=dli).episodes.iloc[0]
            line(kind, dli, *(f"{row[name]:.2f}" for name in totals))


def rules():
    """Print what both rules reach in springs on measured and generated weather, means with 95 % intervals."""
    splits = {
        "Schiphol, hours": {"years": "all 2008-2012", "site": "schiphol"},
        "Wageningen, days": {"years": "all 1976-1999", "leaving_out": [1990, 1991], "site": "wageningen"},
        "Wageningen, generated": {"generated": [0, SPRINGS - 1], "site": "wageningen"},
        "Netherlands, days": {"years": "all 1984-2022", "site": "netherlands"},
        "Netherlands, generated": {"generated": [0, SPRINGS - 1], "site": "netherlands"},
    }
    totals = ("profit", "fruit", "electricity", "return")
    head("policy", "weather", "springs", *totals)
    for policy in ("rule-based", "rule-based-tuned"):
        for source, split in splits.items():
            seen = evaluate(springs(split), policy, accuracy="fast").episodes
            means = (interval(seen[name].to_numpy(), "mean", 10_000) for name in totals)
            line(policy, source, len(seen), *(f"{m.value:.2f} [{m.low:.2f}, {m.high:.2f}]" for m in means))


if __name__ == "__main__":
    if "--paper" in sys.argv:
        paper()
    elif "--rules" in sys.argv:
        rules()
    else:
        for period, (begin, length) in PERIODS.items():
            table(period, begin, length)
