"""Layered soils in tasks: what is seen of them, and that their water is all accounted for."""

import numpy as np
import pytest
import yaml

import agbench
from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.testing.data_files import check_file

TASK = "wheat-layered-v1"
LAYERS = [f"SM_{i}" for i in range(1, 7)]


def test_water_is_accounted_for_under_random_management():
    """Rain and irrigation end in the layers, in the air, below or on the surface: to 1e-9 cm."""
    envs = agbench.make_vec(TASK, 16, autoreset_mode="disabled", step="2 d")
    envs.reset(seed=1)
    table, state = envs.core.simulator.variables, envs.core.simulator.state
    water = {name: table.column(name) for name in ("RAINT", "TOTIRR", "WTRAT", "EVST", "EVWT", "TSR")}
    water |= {name: table.column(name) for name in ("SS", "BOTTOMFLOWT", "WI", "SSI", "WBALTT")}
    layers = table.columns([f"WC_{i}" for i in range(1, 7)])
    generator = np.random.default_rng(0)
    for _ in range(125):
        envs.step(generator.integers(17, size=16))
        now = {name: state[:, column] for name, column in water.items()}
        came = now["RAINT"] + now["TOTIRR"] + now["WI"] + now["SSI"]
        went = now["WTRAT"] + now["EVST"] + now["EVWT"] + now["TSR"] + now["BOTTOMFLOWT"] + now["SS"]
        assert np.abs(came - went - state[:, layers].sum(axis=1)).max() < 1e-9
        assert np.abs(now["WBALTT"]).max() < 1e-9
    assert now["WTRAT"].min() > 1.0
    assert now["BOTTOMFLOWT"].max() > 0.1


def test_layers_are_seen_between_wilting_and_saturation():
    env = agbench.make(TASK, soil="moregon-1", step="1 d").unwrapped
    names = [entry.name for entry in env.observation_entries]
    places = [names.index(name) for name in LAYERS]
    seen = [env.reset(seed=0)[0][places]]
    for _ in range(120):
        seen.append(env.step(13)[0][places])
    moisture = np.array(seen)
    assert moisture.min() > 0.03
    assert moisture.max() <= 0.366
    assert (moisture[-1] > moisture[0] + 0.05).all()  # watered daily, the wet front passes them all


def test_any_task_takes_a_layered_soil():
    changed = {"soil": "moregon-1", "soil_water": "layered"}
    single = agbench.make("wofostgym-wheat-v1", **changed).unwrapped
    batch = agbench.make_vec("wofostgym-wheat-v1", 3, **changed)
    observed = single.reset(seed=5, options={"scenario": "wageningen/1983"})[0]
    assert (batch.reset(seed=5, options={"scenario": "wageningen/1983"})[0] == observed).all()
    for action in (0, 16, 4, 12, 16):
        observed = single.step(action)[0]
        assert (batch.step(np.full(3, action))[0] == observed).all()


def test_bare_physics_reads_the_profile_of_a_soil_file():
    season = agbench.simulate(
        "wofost-npk",
        crop="wheat-1",
        soil="moregon-1",
        site="wageningen",
        start="1984-03-15",
        soil_water="layered",
    )
    assert season["SM_6"].between(0.03, 0.37).all()
    assert "SM_7" not in season


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"soil": "oregon-1"}, "oregon-1 has none. Soils that have: layered-sand, moregon-1"),
        (
            {"soil_water": "single", "state": ["DVS", "SM"]},
            "is a profile of layers; it needs simulator.soil_water 'layered'",
        ),
        ({"randomisation__parameters": {"SMFCF": {"share": 0.1}}}, "follow from the layers' curves"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        agbench.make(TASK, **changes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("SM0: 0.366", "SM0: 0.4", "states SM0 0.4, but its curve holds 0.366"),
        ("RDMSOL: 120.0 cm", "RDMSOL: 150.0 cm", "RDMSOL is 150 cm, but the profile ends at 125 cm"),
        ("thickness: 45.0 cm", "thickness: 0.45 m", "thickness is in 'm'; it must be in 'cm'"),
        ("material: topsoil", "material: subsoil", "a layer is of 'subsoil'; the materials are topsoil"),
        ("[1.0, 0.338]", "[1.0, 0.37]", "SMfromPF must fall with pF"),
    ],
)
def test_a_wrong_profile_is_an_error(tmp_path, old, new, message):
    text = catalog.find("soil", "moregon-1").read_text()
    assert old in text
    path = tmp_path / "moregon-1.yaml"
    path.write_text(text.replace(old, new))
    assert message in check_file(path)


def test_the_layered_soils_say_what_was_left_out():
    for name in ("moregon-1", "moregon-2", "moregon-3"):
        text = catalog.find("soil", name).read_text()
        assert "Left out: SMW 0.3" in text
        content = yaml.safe_load(text)
        assert "SMW" not in content["parameters"]
        assert catalog.soil(name).profile.depth == 125.0
