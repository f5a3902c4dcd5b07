"""Water of WOFOST by hand: soils that stay wet or run dry, water that rises, layers, and the balance."""

import numpy as np
import pytest

from agbench.simulators.wofost import layered_water, water_balance
from agbench.simulators.wofost.evapotranspiration import oxygen_reduction
from agbench.simulators.wofost.variables import LAYERED81, STANDING


class Record(dict):
    """Numbers by name, 0 where none was set: what the kernels see of a row, a world or a day."""

    def __missing__(self, name):
        return 0.0

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


# Half of the air that roots need is there: SM0 - SM = 0.03 of CRAIRC = 0.06.
AIRLESS = Record(SM0=0.5, CRAIRC=0.06, IOX=1.0)
WET = [(0, 1.0), (1, 0.875), (2, 0.75), (4, 0.5), (5, 0.5), (30, 0.5)]


@pytest.mark.parametrize(("days", "share"), WET)
def test_lack_of_oxygen_acts_in_full_after_four_days_and_no_further(days, share):
    assert oxygen_reduction(0.47, float(days), AIRLESS) == pytest.approx(share)


def test_a_profile_that_stays_wet_acts_in_full_after_four_days_and_no_further(monkeypatch):
    """One wet layer; the second layer is dry, and no root is in it: it ends the count of wet days."""

    def demand(s, p, tables, w):
        s.TRAMX = 0.5
        return 0.5

    monkeypatch.setattr(layered_water, "canopy_evaporation", demand)
    p = Record(
        LAYERS=1,
        LAYER_SMW=[0.1],
        LAYER_SM0=[0.5],
        LAYER_SMFCF=[0.3],
        LAYER_CRAIRC=[0.06],
        THICKNESS=[100.0],
        IOX=1.0,
        DEPNR=3.0,
    )
    s, x = Record(RD=50.0), np.zeros(layered_water.TRALY1 + 10)
    x[layered_water.SM1] = 0.47
    shares = []
    for _ in range(7):
        s.TRA = 0.0
        layered_water.layered_transpiration(x, s, p, np.zeros(1), Record())
        shares.append(s.RFTRA)
    assert shares == pytest.approx([0.875, 0.75, 0.625, 0.5, 0.5, 0.5, 0.5])
    x[layered_water.SM1] = 0.4
    layered_water.layered_transpiration(x, s, p, np.zeros(1), Record())
    assert s.DSOS == 0.0


@pytest.mark.parametrize(("repaired", "evaporation", "transpiration"), [(0.0, -0.5, 0.7), (1.0, 0.0, 0.2)])
def test_a_soil_that_runs_dry_gives_what_it_has(repaired, evaporation, transpiration):
    """0.2 cm are there, 0.7 would be transpired and 0.3 evaporate: W2 takes the rest off transpiration."""
    p = Record(SOPE=10.0, KSUB=10.0, SMFCF=0.3, SM0=0.4, RDMSOL=100.0, REPAIR_W2=repaired)
    s = Record(TRA=0.7, SM=0.02, WC=0.2, CROP=STANDING, RD=10.0, GROWING=1.0, EVSMX=0.3)
    water_balance.water_rates(s, p, Record(), 0.0)
    found = [s["EVS"], s["WTRA"], s["DW"]]
    assert found == pytest.approx([evaporation, transpiration, -0.2], abs=1e-15)


@pytest.mark.parametrize(("kinds", "flow"), [([0, 0, 1], -0.5), ([0, 1, 1], -0.75)])
def test_water_rises_by_half_of_what_levels_two_layers_of_one_kind_or_of_two(monkeypatch, kinds, flow):
    """1 cm levels 1 cm above 3 cm in one soil; 1.5 cm where the lower soil holds 1 cm less at a suction."""

    def curve(tables, layer, which, x):
        suction = 4.0 - kinds[layer] - 10.0 * x
        return {layered_water._SUCTION: suction, layered_water._POTENTIAL: -100.0 * x}.get(which, -3.0)

    monkeypatch.setattr(layered_water, "_curve", curve)
    p = Record(LAYER_KIND=kinds, LAYER_SM0=[0.5] * 3, LAYER_SMFCF=[0.3] * 3, THICKNESS=[10.0] * 3, SOUND=1.0)
    x = np.zeros(len(LAYERED81))
    for i, water in enumerate((1.0, 3.0, 3.0)):
        x[layered_water.WC1 + i], x[layered_water.SM1 + i] = water, water / 10.0
    assert layered_water._boundary_flow(x, p, np.zeros(1), 1) == pytest.approx(flow, abs=1e-3)


def test_water_drawn_from_one_soil_into_another_passes_half_of_both_layers(monkeypatch):
    """60 cm d-1 a unit of pF for 1 cm of soil, over half of 10 and of 40 cm; 5 cm more lie above them."""

    def curve(tables, layer, which, x):
        return -9.0 if layer == 0 else 30.0 * x if which else x

    monkeypatch.setattr(layered_water, "_curve", curve)
    monkeypatch.setattr(layered_water, "_SUCTION", 0)
    x = np.zeros(len(LAYERED81))
    x[layered_water.SM1 :][:3] = 9.0, 3.0, 2.0
    flow = layered_water._dry_flow(x, Record(THICKNESS=[5.0, 10.0, 40.0]), np.zeros(1), 2)
    assert flow == pytest.approx(60.0 / 50.0, abs=1e-3)


def test_each_layer_gives_roots_what_it_has(monkeypatch):
    """The upper layer of 20 cm is dry, the lower one of 30 cm moist: roots get three fifths."""

    def demand(s, p, tables, w):
        s.TRAMX = 0.5
        return 0.5

    monkeypatch.setattr(layered_water, "canopy_evaporation", demand)
    p = Record(LAYERS=2, LAYER_SMW=[0.1] * 2, LAYER_SM0=[0.5] * 2, LAYER_SMFCF=[0.3] * 2, DEPNR=3.0, IOX=1.0)
    p |= {"LAYER_CRAIRC": [0.06] * 2, "THICKNESS": [20.0, 30.0]}
    s, x = Record(RD=50.0), np.zeros(layered_water.TRALY1 + 10)
    x[layered_water.SM1 :][:2] = 0.1, 0.4
    layered_water.layered_transpiration(x, s, p, np.zeros(1), Record())
    assert x[layered_water.TRALY1 :][:2] == pytest.approx([0.0, 0.3])
    assert pytest.approx((0.3, 0.6, 0.0, 1.0)) == (s.TRA, s.RFTRA, s.RFWS, s.RFOS)


def test_each_layer_gains_its_own_change_of_a_day():
    p = Record(LAYERS=3, THICKNESS=[10.0, 20.0, 40.0], LAYER_SMW=[0.1] * 3, SOUND=1.0)
    s, x = Record(CROP=STANDING, RD=10.0, RDOLD=10.0, RDMOLD=70.0), np.zeros(len(LAYERED81))
    for i, (water, change) in enumerate([(2.0, 0.5), (5.0, -1.0), (8.0, 2.0)]):
        x[layered_water.WC1 + i], x[layered_water.DWC1 + i] = water, change
    layered_water.integrate_layers(x, s, p)
    assert x[layered_water.WC1 :][:3].tolist() == [2.5, 4.0, 10.0]
    assert x[layered_water.SM1 :][:3].tolist() == [0.25, 0.2, 0.25]
    assert (s.WC, s.WLOW) == (2.5, 14.0)


def test_the_balances_are_what_came_less_what_left_and_what_is_there():
    """38.5 cm came to the soil, of which 38.25 are found; 32.5 to the root zone, of which 32."""
    s = Record(SSI=1.0, RAINT=10.0, TOTIRR=2.0, WI=20.0, WLOWI=5.0, WSUPPLIED=0.5, TOTINF=11.0, WART=1.0)
    s |= {"WC": 15.0, "WLOW": 6.0, "SS": 0.5, "WTRAT": 8.0, "EVWT": 1.0, "EVST": 3.0, "TSR": 2.0}
    s |= {"LOSST": 2.75, "PERCT": 6.0}
    water_balance.check_water(s)
    assert (s.WBALTT, s.WBALRT) == (0.25, 0.5)
