"""A number that can only be meant in another unit is refused with the unit; what lies on the limit passes."""

import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.data.plausibility import (
    LEAST_LIMITS,
    LEAST_PRICE,
    LEAST_PRICE_OF_ENERGY,
    MOST_FRUIT,
    MOST_OF_ENERGY,
    MOST_OF_INPUT,
    MOST_OF_PENALTY,
    MOST_OF_PRODUCT,
    MOST_WATER,
)
from agbench.errors import ConfigError

TOMATO, WHEAT, NITROGEN = "greenhouse-tomato-v1", "wheat-inputs-v1", "wheat-nitrogen-v1"
CONTINUOUS = "greenhouse-setpoint-continuous-v1"
LEAST_CO2, LEAST_HUMIDITY = LEAST_LIMITS["co2"][0], LEAST_LIMITS["humidity"][0]


@pytest.mark.parametrize(
    ("task", "key", "allowed", "beyond", "remedy"),
    [
        (WHEAT, "reward__product_price", MOST_OF_PRODUCT, 177.0, "tonne need a factor 0.001"),
        (WHEAT, "reward__prices__N", MOST_OF_INPUT["N"][0], 800.0, "tonne need a factor 0.001"),
        (WHEAT, "reward__product_price", LEAST_PRICE, 1.77e-4, "a gram need a factor 1000"),
        (WHEAT, "reward__prices__N", LEAST_PRICE, 8e-4, "a gram need a factor 1000"),
        (WHEAT, "reward__prices__P", MOST_OF_INPUT["P"][0], 50.01, "EUR kg-1"),
        (WHEAT, "reward__prices__K", MOST_OF_INPUT["K"][0], 50.01, "EUR kg-1"),
        (WHEAT, "reward__prices__IRRIG", MOST_OF_INPUT["IRRIG"][0], 1_500.0, "100 m3"),
        (WHEAT, "action__doses__IRRIG", [0, 10, MOST_WATER], [0, 15, 30, 60], "mm need a factor 0.1"),
        (TOMATO, "reward__electricity", MOST_OF_ENERGY, 9.0, "ct kWh-1 0.01"),
        (TOMATO, "reward__electricity", [0.1] * 23 + [9.0], [9.0] * 24, "9 EUR kWh-1 in the mean"),
        (TOMATO, "reward__heat", MOST_OF_ENERGY, MOST_OF_ENERGY + 0.01, "ct kWh-1 0.01"),
        (TOMATO, "reward__fruit", 0.0, -1.0, "0 or more"),
        (TOMATO, "reward__fruit", LEAST_PRICE, 0.0016, "a gram need a factor 1000"),
        (TOMATO, "reward__heat", LEAST_PRICE_OF_ENERGY, 9e-5, "Wh-1 need a factor 1000"),
        (TOMATO, "reward__penalty", MOST_OF_PENALTY, 1e6, "EUR m-2 h-1"),
        (TOMATO, "constraints__humidity__low", 0.0, 0.5, "shares need a factor 100"),
        (TOMATO, "constraints__humidity__low", LEAST_HUMIDITY, 0.99, "shares need a factor 100"),
        (TOMATO, "constraints__humidity__high", 85.0, 0.85, "shares need a factor 100"),
        (TOMATO, "constraints__temperature__low", 15.0, 288.15, "Kelvin need 273.15 subtracted"),
        (TOMATO, "constraints__temperature__high", 34.0, 307.15, "Kelvin need 273.15 subtracted"),
        (WHEAT, "season__step", "90 d", "400 d", "a step that it has room for"),
        (TOMATO, "constraints__co2__low", 0.0, 0.0003, "ppm"),
        (TOMATO, "constraints__co2__low", LEAST_CO2, 99.0, "ppm"),
        (
            TOMATO,
            "constraints__co2",
            {"low": 0, "high": LEAST_CO2, "full_scale": 1},
            {"low": 0, "high": 0.16, "full_scale": 1},
            "% 10000",
        ),
    ],
)
def test_a_number_in_another_unit_is_refused_with_the_unit(task, key, allowed, beyond, remedy):
    override(catalog.task(task), {key: allowed})
    with pytest.raises(ConfigError, match=remedy) as caught:
        override(catalog.task(task), {key: beyond})
    name = key.replace("__", ".")
    assert any(part in str(caught.value) for part in (name, name.rsplit(".", 1)[0]))


def test_prices_that_are_not_in_euros_may_be_anything():
    assert catalog.task(NITROGEN).reward.unit == "g m-2"
    override(catalog.task(NITROGEN), {"reward__prices__N": 800.0})


def test_a_night_tariff_and_the_prices_of_a_rotation_are_checked_too():
    with pytest.raises(ConfigError, match=r"electricity_night: 8 EUR kWh-1"):
        override(catalog.task(TOMATO), {"reward__electricity": 0.2, "reward__electricity_night": 8.0})
    rotation = next(
        t for t in map(catalog.task, catalog.names("task")) if getattr(t.reward, "crop_prices", {})
    )
    crop = next(iter(rotation.reward.crop_prices))
    with pytest.raises(ConfigError, match=f"crop_prices.{crop}: 177 EUR"):
        override(rotation, {f"reward__crop_prices__{crop}": 177.0})


def test_a_limit_of_a_continuous_dose_is_checked_and_make_refuses_too():
    with pytest.raises(ConfigError, match=r"limit.IRRIG: 30 cm"):
        override(catalog.task(WHEAT), {"action__kind": "continuous", "action__limit": {"IRRIG": 30.0}})
    with pytest.raises(ConfigError, match="shares need a factor 100"):
        agbench.make(CONTINUOUS, constraints__humidity__high=0.85, constraints__humidity__low=0.5)


@pytest.mark.parametrize(
    ("key", "allowed", "beyond", "remedy"),
    [
        ("action__doses__N", [0, 1], [0, 0.02, 0.09], "t ha-1 need a factor 1000"),
        ("action__doses__IRRIG", [0, 0.1], [0, 0.03], "m need a factor 100"),
        ("reward__limits", {"N": 0, "P": 1}, {"N": 0.2}, "limits.N: at most 0.2"),
        ("reward__prices", {"N": 0.8, "P": 0, "K": 0, "IRRIG": 0}, {"N": 0.8}, "P, K, IRRIG has none"),
    ],
)
def test_doses_limits_and_prices_of_a_field(key, allowed, beyond, remedy):
    override(catalog.task(WHEAT), {key: allowed})
    with pytest.raises(ConfigError, match=remedy):
        override(catalog.task(WHEAT), {key: beyond})


@pytest.mark.parametrize(
    ("key", "allowed", "beyond", "remedy"),
    [
        ("reward__co2", 5.0, 30.0, "ct need a factor 0.01"),
        ("reward__co2", 0.0, -0.3, "reward.co2: -0.3; who is paid to use it wastes it. Give 0 or more"),
        ("reward__heat", [0.0] + [0.1] * 23, [-0.1] + [0.1] * 23, "reward.heat: -0.1; who is paid"),
        ("reward__electricity", [-0.1] + [0.1] * 23, -0.2, "electricity: -0.2 in the mean; who is paid"),
        ("simulator__parameters", {"cFruitMax": 2.5e4}, {"cFruitMax": 0.3}, "kg m-2 1000000"),
        ("simulator__parameters", {"cFruitMax": MOST_FRUIT}, {"cFruitMax": 3e8}, "ever be harvested"),
        ("episode__crop", {"vpAir": 1700.0}, {"vpAir": 1.7}, "vpAir: 1.7 Pa; .* kPa need a factor 1000"),
        ("episode__crop", {"tSo1": 17.0}, {"tSo1": 290.0}, "tSo1: 290 degC. Kelvin need 273.15 subtracted"),
    ],
)
def test_carbon_dioxide_fruit_and_start_of_a_greenhouse(key, allowed, beyond, remedy):
    override(catalog.task(TOMATO), {key: allowed})
    with pytest.raises(ConfigError, match=remedy):
        override(catalog.task(TOMATO), {key: beyond})


@pytest.mark.parametrize(
    ("key", "allowed", "beyond", "remedy"),
    [
        ("parameters", {"pBoil": 18720.0}, {"pBoil": 18.72}, "pBoil: 18.72; .* 100 or more. Give W; kW need"),
        ("parameters", {"pBoilGro": 0.0}, {"pBoilGro": 9.0}, "pBoilGro: 9; it must be 0, or"),
        ("parameters", {"phiExtCo2": 720.0}, {"phiExtCo2": 0.72}, "g s-1 need a factor 1000"),
        ("parameters", {"psi": 0.0}, {"psi": 0.4}, "psi: 0.4; .* radians need a factor 57.3"),
        ("parameters", {"cBufMax": 2e4}, {"cBufMax": 20.0}, "cBufMax: 20; .* g m-2 need a factor 1000"),
        ("parameters", {"hAir": 5.0, "hGh": 6.0}, {"hAir": 500.0, "hGh": 600.0}, "hAir: 500; .* cm need"),
        (
            "parameters",
            {"aFlr": 4e4, "aCov": 4.8e4},
            {"aFlr": 4e4},
            "its cover is as large as before. Give aCov",
        ),
        ("parameters", {"aFlr": 100.0, "aCov": 100.0}, {"aFlr": 100.0, "aCov": 99.0}, "its cover is 99 m2"),
        ("structure", {"offset": 1e-10}, {"offset": 1.0}, "structure.offset: 1; it must lie from 0 to 0.001"),
        ("structure", {"vapour_kelvin": 273.15}, {"vapour_kelvin": 0}, "vapour_kelvin: 0; .* 273 to 274"),
        ("structure", {"harvest_rate": 5e4}, {"harvest_rate": 1e12}, r"harvest_rate: 1e\+12; it must lie"),
    ],
)
def test_a_greenhouse_that_cannot_be_is_refused(key, allowed, beyond, remedy):
    override(catalog.task(TOMATO), {f"simulator__{key}": allowed})
    with pytest.raises(ConfigError, match=remedy):
        override(catalog.task(TOMATO), {f"simulator__{key}": beyond})


def test_what_must_fit_others_is_not_drawn():
    def drawn(name):
        chosen = {"uncertainty__level": 0.1, "uncertainty__parameters": ["sla", name]}
        return override(catalog.task(TOMATO), chosen)

    assert drawn("theta").uncertainty.parameters == ["sla", "theta"]
    for name in ("aFlr", "cHecIntLampAir", "etaLampCool"):
        with pytest.raises(ConfigError, match=rf"uncertainty.parameters: {name} cannot be drawn"):
            drawn(name)


def test_work_that_has_no_unit_may_have_any_limit():
    changed = override(catalog.task("pear-orchard-v1"), {"reward__limits": {"HARVEST": 0.5}})
    assert changed.reward.limits == {"HARVEST": 0.5}
