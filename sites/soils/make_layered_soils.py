"""Make the layered soils of WOFOSTGym from its figures: python sites/soils/make_layered_soils.py <figures>.

`<figures>` holds soils/wofostgym.json (Solow, Saisubramanian and Fern 2025). Its moregon soils have a
profile that nothing of theirs fits: what contradicts the profile is left out, or cut to it, and the
file says so. Those of its oregon soils that have the same profile are soils of one layer, with
limits far from it, and stay so.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agbench.data.soil_profile import SATURATED
from agbench.simulators.field.afgen import afgen, build
from agbench.simulators.field.parameters import pairs
from agbench.simulators.wofost.parameters import parameters

sys.path.append(str(Path(__file__).parents[2] / "crops"))
from make_wofost_crops import number, quantity, table, unwrapped

SOURCE = "Solow, Saisubramanian, Fern 2025 (WOFOSTGym)"
FAMILY = "moregon"
SHARED = ("SMfromPF", "CONDfromPF", "CRAIRC")
CONTRADICTED = ("SMW", "SMFCF", "SM0", "CRAIRC")
"""Limits of a soil that the profile contradicts: those of its layers count."""


def pair_list(flat: list[float]) -> str:
    """Return a table's points as YAML writes them."""
    points = zip(flat[::2], flat[1::2], strict=True)
    return "[" + ", ".join(f"[{number(x)}, {number(y)}]" for x, y in points) + "]"


def material_lines(layer: Mapping[str, Any], profile: Mapping[str, Any]) -> list[str]:
    """Return a material's entries: limits read off its curve, then the curves."""
    curve = build("SMfromPF", layer["SMfromPF"])
    limits = {
        "SMW": float(profile["PFWiltingPoint"]),
        "SMFCF": float(profile["PFFieldCapacity"]),
        "SM0": SATURATED,
    }
    lines = [f"{name}: {number(afgen(curve, pf))} cm3 cm-3" for name, pf in limits.items()]
    lines.append(f"CRAIRC: {number(layer['CRAIRC'])} cm3 cm-3")
    for name, unit in (("SMfromPF", "cm3 cm-3"), ("CONDfromPF", "log10(cm d-1)")):
        lines.append(f'{name}: {{unit: "{unit}", of: pF, points: {pair_list(layer[name])}}}')
    return lines


def profile_lines(profile: Mapping[str, Any]) -> list[str]:
    """Return the section `profile`; layers of the same curves share a material."""
    materials: dict[str, Mapping[str, Any]] = {}
    layers = []
    for layer in profile["SoilLayers"]:
        shared = (n for n, m in materials.items() if all(m[k] == layer[k] for k in SHARED))
        name = next(shared, None) or str(layer["SoilID"]).lower().replace("_", "-")
        materials.setdefault(name, layer)
        layers.append(f"-   {{thickness: {number(layer['Thickness'])} cm, material: {name}}}")
    lines = [
        f'source: "{SOURCE}"',
        f"wilting_point: {number(profile['PFWiltingPoint'])}  # pF",
        f"field_capacity: {number(profile['PFFieldCapacity'])}  # pF",
        f"surface_conductivity: {number(profile['SurfaceConductivity'])} cm d-1",
        "materials:",
    ]
    for name, layer in materials.items():
        lines += [f"    {name}:", *(f"        {line}" for line in material_lines(layer, profile))]
    return [*lines, "layers:", *layers]


def parameter_lines(given: Mapping[str, Any], depth: float) -> list[str]:
    """Return the parameters that the layered N-P-K model reads, cut to the profile."""
    needed = {p.name: p for p in parameters("wofost-npk", layered=True) if not p.of}
    named = given | {n: given[p.alias] for n, p in needed.items() if p.alias in given}
    lines = []
    for name in sorted(needed.keys() & named.keys()):
        value = float(named[name])
        if name == "RDMSOL" and value > depth:
            lines.append(f"{quantity(name, depth)}  # the profile ends there; the original has {value:g}")
        else:
            lines.append(quantity(name, value))
    return lines


def main(figures: Path, folder: Path) -> None:
    """Write one file a soil of the layered family."""
    soils = json.loads((figures / "soils" / "wofostgym.json").read_text())["soils"][FAMILY]
    for variation, given in soils.items():
        profile = given["SoilProfileDescription"]
        depth = float(sum(layer["Thickness"] for layer in profile["SoilLayers"]))
        stem = variation.replace("_", "-")
        left_out = ", ".join(f"{name} {given[name]:g}" for name in CONTRADICTED)
        runoff = pairs(parameters("wofost-npk")["RNPKRUNOFF"], unwrapped(given["RNPKRUNOFF"]), stem)
        lines = [
            f"soil: {stem}",
            f"summary: Layered Oregon soil {variation.rpartition('_')[2]} of WOFOSTGym, "
            "with water, N, P and K.",
            f'source: "{SOURCE}"',
            f"# Left out: {left_out}. At field capacity the profile below is drier than",
            "# that wilting point, so that in the original no crop transpires. The layers' limits count.",
            "parameters:",
            *(f"    {line}" for line in parameter_lines(given, depth)),
            "tables:",
            f"    {table('RNPKRUNOFF', runoff)}",
            "profile:",
            *(f"    {line}" for line in profile_lines(profile)),
        ]
        (folder / f"{stem}.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(__file__).parent)
