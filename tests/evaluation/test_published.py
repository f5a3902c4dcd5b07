"""The published study: what Kallenberg et al. (2023) found must come out of the same experiment.

The experiment proper runs on NASA POWER weather at (52 N, 5 E), the site netherlands. The Angstrom
coefficients of the site have three digits, which moves medians by a tenth of a g m-2. With the
evapotranspiration that PCSE computed, in files that may be at hand, they agree to the last digit. The same
experiment on Wageningen weather is here too.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.overrides import override
from agbench.policies.field.schedule import Schedule, ScheduleSettings
from agbench.policies.registry import interface_of

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("AGBENCH_REFERENCE", ROOT.parent / "shared"))
NASA = SHARED / "weather/daily/nasapower_lat+52.00_lon+005.00.npz"
PER_YEAR = SHARED / "figures/cropgym_per_year.json"
ONCE = {
    "action.kind": "continuous",
    "action.limit": {"N": 1000.0},
    "protocol.aggregate": "median",  # what the paper reports
}
PAPER_DOSE = 170.7  # kg ha-1, all at the first decision


def paper_task():
    """The task with amounts as the paper has them: any amount, at once."""
    return override(catalog.task("wheat-nitrogen-v1"), ONCE)


def at_wageningen():
    """The task as the paper has amounts, in the even years of Wageningen."""
    content = paper_task().content()
    content["simulator"]["site"] = "wageningen"
    content["splits"] = {
        "train": {"years": "odd 1976-1999", "leaving_out": [1991]},
        "test": {"years": "even 1976-1999", "leaving_out": [1990]},
    }
    return read_task(content, "here")


def paper_practice(task):
    plan = [{"date": "01-08", "amount": PAPER_DOSE}]
    settings = ScheduleSettings(input="N", plan=plan)
    return Schedule("paper-practice", settings, interface_of(task))


def nasa_weather():
    import pandas as pd

    with np.load(NASA, allow_pickle=True) as stored:
        names = ("IRRAD", "TMIN", "TMAX", "TEMP", "VAP", "WIND", "RAIN", "E0", "ES0", "ET0")
        index = pd.DatetimeIndex(stored["date"])
        frame = pd.DataFrame({name: stored[name] for name in names}, index=index)
        frame.attrs.update({key: float(stored[key]) for key in ("lat", "lon", "elev")})
    return frame


@pytest.mark.slow
@pytest.mark.skipif(not NASA.is_file(), reason="PCSE's evapotranspiration is not in the repository")
def test_the_published_medians_come_out_on_nasa_power_weather():
    task, weather, years = paper_task(), nasa_weather(), list(range(1990, 2021, 2))

    def medians(policy):
        result = agbench.evaluate(task, policy, weather=weather, years=years)
        return result, {name: result.summary[name].value for name in ("return", "nitrogen", "yield")}

    _, zero = medians("zero")
    _, practice = medians(paper_practice(task))
    ceres, best = medians("ceres")
    assert round(zero["yield"], 2) == 5.83
    assert round(practice["return"], 2) == 112.66
    assert round(practice["yield"], 2) == 8.56
    assert round(best["return"], 2) == 124.86
    assert round(best["nitrogen"], 1) == 196.9
    assert round(best["yield"], 2) == 9.00
    assert np.median(ceres.episodes["steps"]) == 29

    published = json.loads(PER_YEAR.read_text())["policies"]["ceres"]["52,5.5"]
    for ours, theirs, agreement in (
        ("return", "reward", 0.971),
        ("nitrogen", "nitrogen", 0.983),
        ("yield", "yield", 0.982),
    ):
        per_year = [published[str(year)][theirs] for year in years]
        assert round(float(np.corrcoef(ceres.episodes[ours], per_year)[0, 1]), 3) == agreement


@pytest.fixture(scope="module")
def at_the_site():
    """The medians that each policy reaches in the paper's test years at the site netherlands."""
    task = override(catalog.task("wheat-nitrogen-v1"), {**ONCE, "simulator.site": "netherlands"})
    policies = {"zero": "zero", "practice": paper_practice(task), "ceres": "ceres"}
    results = {
        name: agbench.evaluate(task, policy, years=list(range(1990, 2021, 2)))
        for name, policy in policies.items()
    }
    return {name: {key: x.value for key, x in result.summary.items()} for name, result in results.items()}


@pytest.mark.slow_except("zero-*", "ceres-*")
@pytest.mark.parametrize(
    ("policy", "metric", "published", "within"),
    [
        ("zero", "yield", 5.83, 0.01),
        ("practice", "return", 112.66, 0.2),
        ("practice", "yield", 8.56, 0.01),
        ("ceres", "return", 124.86, 0.2),
        ("ceres", "nitrogen", 196.9, 0.2),
        ("ceres", "yield", 9.00, 0.01),
    ],
)
def test_the_published_medians_come_out_at_the_site(at_the_site, policy, metric, published, within):
    assert at_the_site[policy][metric] == pytest.approx(published, abs=within)


WAGENINGEN = {
    "zero": (0.00, 0.0, 5.28),
    "paper-practice": (45.64, 170.7, 7.72),
    "ceres": (61.94, 130.35, 7.22),
}


@pytest.mark.parametrize("policy", WAGENINGEN)
def test_the_same_experiment_on_wageningen_weather_keeps_its_medians(policy):
    task = at_wageningen()
    result = agbench.evaluate(task, paper_practice(task) if policy == "paper-practice" else policy)
    reward, nitrogen, grain = WAGENINGEN[policy]
    assert result.summary["return"].value == pytest.approx(reward, abs=0.005)
    assert result.summary["nitrogen"].value == pytest.approx(nitrogen, abs=0.05)
    assert result.summary["yield"].value == pytest.approx(grain, abs=0.005)


@pytest.mark.slow_except("1996")
@pytest.mark.parametrize("year", [1978, 1984, 1996])
def test_pcse_itself_gives_the_same_returns(year):
    """The same season with PCSE's own engine, the paper's practice."""
    task = at_wageningen()
    returns = []
    for engine in ("compiled", "pcse"):
        on_engine = override(task, {"engine": engine})
        result = agbench.evaluate(on_engine, paper_practice(on_engine), years=[year])
        returns.append(result.episodes["return"].to_numpy())
    assert returns[0] == pytest.approx(returns[1], rel=1e-9)
