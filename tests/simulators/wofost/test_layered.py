"""The layered soil: 8.1 against PCSE's multi-layer models, N-P-K for its balances and response."""

import datetime as dt

import numpy as np
import pytest
from pcse_runs import NO_REALLOCATION, SOIL, crops, relative_error, run_pcse, wageningen
from profiles import MIXED, SAND_ON_LOAM, UNIFORM
from seasons import parameters

from agbench.errors import ConfigError
from agbench.simulators.wofost.simulate import simulate_wofost
from agbench.simulators.wofost.variables import LAYERED81

PROFILES = {"uniform": UNIFORM, "mixed": MIXED, "sand on loam": SAND_ON_LOAM}
BY_LAYER = {"SM": "SM", "WC": "WC", "TRALY": "TRALY", "DWC": "DWC", "Flow": "FLOW"}
FLOATS = [
    "LAI",
    "TAGP",
    "TWSO",
    "TWRT",
    "WLV",
    "RD",
    "TRA",
    "RFTRA",
    "SM_MEAN",
    "W",
    "WLOW",
    "WWLOW",
    "WBOT",
    "WAVUPP",
    "WAVLOW",
    "WAVBOT",
    "SS",
    "EVS",
    "EVW",
    "RIN",
    "DSS",
    "DTSR",
    "TSR",
    "EVST",
    "EVWT",
    "WTRAT",
    "RAINT",
    "TOTINF",
    "TOTIRR",
    "BOTTOMFLOW",
    "BOTTOMFLOWT",
    "NAVAIL",
    "NSOIL",
    "NamountSO",
    "NuptakeTotal",
]


def calendar(year):
    return {
        "crop_start_date": dt.date(year, 4, 1),
        "crop_start_type": "emergence",
        "crop_end_date": dt.date(year, 10, 1),
        "crop_end_type": "harvest",
        "max_duration": 300,
    }


@pytest.mark.slow_except("bare soil*-nwlp-mixed")
@pytest.mark.parametrize("soil", PROFILES)
@pytest.mark.parametrize("model", ["wofost81-wlp", "wofost81-nwlp"])
@pytest.mark.parametrize("until", [None, (11, 20)], ids=["with the crop", "bare soil after it"])
def test_equals_pcse(soil, model, until):
    crop = "potato/Potato_701" if model == "wofost81-wlp" else "barley/Spring_barley_301"
    for year, water, ponds in ((1976, 5.0, 0.0), (1985, 30.0, 1.5)):
        start = dt.date(year, 3, 1)
        values = {
            **NO_REALLOCATION, **crops("81")[crop], **SOIL,
            "SoilProfileDescription": PROFILES[soil],
            "RDMCR": 125.0, "RDMSOL": 125.0, "IOX": 1.0, "IFUNRN": 0, "WAV": water, "SSMAX": ponds,
        }  # fmt: skip
        events = [(dt.date(year, 5, 1), "irrigate", 3.0, 0.7), (dt.date(year, 7, 2), "irrigate", 8.0, 0.7)]
        if model == "wofost81-nwlp":
            events.append((dt.date(year, 5, 5), "apply_n", 60.0, 0.7))
        end = None if until is None else dt.date(year, *until)
        theirs = run_pcse(model, values, wageningen(), start, calendar(year), events, end, layered=True)
        ours = simulate_wofost(
            model, values, wageningen(), start, end, calendar(year), events, soil_water="layered"
        )
        assert len(ours) == len(theirs)
        for name in FLOATS:
            if name in theirs:
                a, b = ours[name].to_numpy(float), theirs[name].to_numpy(dtype=float)
                assert relative_error(a, b) <= 1e-9, name
        for name, column in BY_LAYER.items():
            there = theirs[name].map(lambda value: hasattr(value, "__len__")).to_numpy()
            b = np.stack(theirs[name][there].to_list())
            a = ours[[f"{column}_{i + 1}" for i in range(b.shape[1])]].to_numpy(float)[there]
            assert np.abs(a - b).max() <= 1e-9 * max(1.0, np.abs(b).max()), name


def npk(soil, limitation="lnpkw", events=(), **changes):
    values = {**parameters("wheat-1", "oregon-1"), "SoilProfileDescription": soil, **changes}
    return simulate_wofost(
        "wofost-npk",
        values,
        wageningen(),
        dt.date(1976, 3, 1),
        None,
        {**calendar(1976), "crop_end_type": "harvest"},
        events,
        limitation=limitation,
        soil_water="layered",
    )


FEED = [(dt.date(1976, month, 10), "apply_npk", (40.0, 20.0, 40.0), 0.7) for month in (4, 5)]


@pytest.mark.parametrize("soil", PROFILES)
def test_water_balance_closes(soil):
    events = [*FEED, (dt.date(1976, 6, 10), "irrigate", 6.0, 0.7)]
    for limitation in ("lnpkw", "lw", "ln", "pp"):
        run = npk(PROFILES[soil], limitation, events, SSMAX=1.0, WAV=8.0)
        assert run["WBALTT"].abs().max() < 1e-9
        assert np.isfinite(run.select_dtypes("number").drop(columns=["HI"]).dropna()).all().all()


def test_wheat_yields_and_drought_costs_some():
    rainfed = npk(UNIFORM, events=FEED, WAV=5.0)["WSO"].max()
    water = [(dt.date(1976, m, d), "irrigate", 4.0, 0.7) for m in (5, 6, 7) for d in (1, 15)]
    irrigated = npk(UNIFORM, events=[*FEED, *water], WAV=5.0)["WSO"].max()
    potential = npk(UNIFORM, "pp", FEED)["WSO"].max()
    assert 0.0 < rainfed < 0.9 * irrigated
    assert irrigated < potential


def test_refuses_what_cannot_be():
    upside_down = {**UNIFORM, "SoilLayers": [dict(UNIFORM["SoilLayers"][0])]}
    upside_down["SoilLayers"][0]["SMfromPF"] = [-1.0, 0.1, 2.0, 0.2, 6.0, 0.3]
    with pytest.raises(ConfigError, match="must fall with pF"):
        npk(upside_down)
    with pytest.raises(ConfigError, match="layered soil needs the setting 'sound'"):
        simulate_wofost(
            "wofost-npk",
            {**parameters("wheat-1", "oregon-1"), "SoilProfileDescription": UNIFORM},
            wageningen(),
            calendar=calendar(1976),
            setting="published",
            soil_water="layered",
        )


@pytest.mark.parametrize("layer", [1, 10])
def test_a_layer_holds_what_it_can_gain_or_lose_in_a_day(layer):
    held, change = LAYERED81[f"WC_{layer}"], LAYERED81[f"DWC_{layer}"]
    assert (held.low, held.high) == (0.0, 300.0)
    assert (change.low, change.high) == (-held.high, held.high)
