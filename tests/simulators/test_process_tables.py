"""What the processes say that they read and set: names of the model's tables, in their units."""

import ast
import re
from pathlib import Path

import pytest

import agbench
from agbench.simulators.greenlight.fluxes import FLUXES
from agbench.simulators.greenlight.model import flux_names
from agbench.simulators.greenlight.variables import CONTROLS, STATES
from agbench.simulators.greenlight.variables import WEATHER as OUTDOORS
from agbench.simulators.lintul3.variables import VARIABLES
from agbench.simulators.wofost.variables import LAYERED81, LAYERED_GRAPE, LAYERED_PERENNIAL, ROTATION_NPK
from agbench.weather.columns import DAILY

FOLDER = Path(agbench.__file__).parent / "simulators"
TABLES = {
    "lintul3": (VARIABLES, DAILY),
    "wofost": (LAYERED_PERENNIAL, LAYERED_GRAPE, ROTATION_NPK, LAYERED81, DAILY),
    "greenlight": (STATES, CONTROLS, OUTDOORS),
}
PROCESSES = {
    "lintul3": "phenology growth leaf_area nitrogen water",
    "wofost": (
        "phenology assimilation respiration evapotranspiration roots stems leaves storage_organs "
        "partitioning growth nitrogen nutrients reallocation soil_nitrogen soil_nutrients water_balance "
        "potential_water layered_water grape_phenology cold_hardiness residues"
    ),
    "greenlight": (
        "climate/ventilation climate/light climate/longwave climate/convection climate/vapour climate/cover "
        "crop/growth crop/photosynthesis crop/transpiration"
    ),
}
MODULES = [(model, name) for model, names in PROCESSES.items() for name in names.split()]


def stated(model, name):
    """Return what a module's docstring says under `Reads` and `Sets`, as lists of (names, where or unit)."""
    source = (FOLDER / model / f"{name}.py").read_text()
    text = " ".join(ast.get_docstring(ast.parse(source)).split())
    reads = re.search(r"Reads: (.*?)\.( Sets:|$)", text)
    sets = re.search(r"Sets: (.*?)\.$", text)
    assert reads, "no Reads"
    parts = [part.rsplit(" from ", 1) for part in reads[1].split("; ")]
    units = re.findall(r"([^;\[]+) \[([^\]]+)\]", sets[1]) if sets else []
    tables = TABLES[model]
    return [(expand(n, tables), w) for n, w in parts], [(expand(n, tables), u) for n, u in units]


def expand(names, tables):
    """Return names, those with an x that no table has once for each nutrient."""
    return [
        name.replace("x", k)
        for name in re.findall(r"\w+", names.replace("(x: N, P, K)", ""))
        for k in ("NPK" if "x" in name and not has(tables, name) else "x")
    ]


def has(tables, name):
    """Return whether a variable or flux is the model's."""
    return any(name in table for table in tables) or name in FLUXES


@pytest.mark.parametrize(("model", "name"), MODULES, ids=[f"{m}-{n}" for m, n in MODULES])
def test_a_process_reads_and_sets_what_its_model_has(model, name):
    tables = TABLES[model]
    reads, sets = stated(model, name)
    processes = {n.rpartition("/")[2].replace("_", " ") for n in PROCESSES[model].split()}
    for names, where in reads:
        assert where in processes | {"weather", "the day", "states", "controls"}, where
        for variable in names:
            assert has(tables, variable), variable
    for names, unit in sets:
        for variable in names:
            if model == "greenlight":
                assert FLUXES[variable].unit == unit, variable
            else:
                assert unit in {table[variable].unit for table in tables if variable in table}, variable


def test_the_table_of_fluxes_holds_those_of_the_equations():
    assert set(FLUXES.names) == set(flux_names())
