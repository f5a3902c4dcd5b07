"""Make the crops and soils of WOFOSTGym from its figures: python crops/make_wofost_crops.py <figures>.

`<figures>` holds crops/wofostgym.json and soils/wofostgym.json: the parameters of Solow,
Saisubramanian and Fern (2025) by crop and variety, and by soil. One file a variety and one a soil;
what the original has wrong is repaired, and kept under `published`.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agbench.simulators.field.parameters import pairs
from agbench.simulators.wofost.parameters import parameters

SOURCE = "Solow, Saisubramanian, Fern 2025 (WOFOSTGym) after WOFOST crop parameters of A. de Wit"
DECLARED = {p.name: p for p in parameters("wofost-npk")}
PERENNIAL = ("grape", "jujube", "pear")
SOILS = ("china", "oregon", "washington")
PUBLISHED_COLD = [0.0, 0.2, 5.0, 0.05, 7.0, 0.001, 8.0, 0.0]  # of all crops
PUBLISHED_LOSSES = [0.0, 0.0, 2.0, 0.0, 2.01, 0.01, 2.5, 0.02, 2.75, 0.05, 3.0, 0.5]  # of all crops
COLD = [number - 8.0 if i % 2 == 0 else number for i, number in enumerate(PUBLISHED_COLD)]
LOSSES = [round(0.1 * number, 6) if i % 2 else number for i, number in enumerate(PUBLISHED_LOSSES)]
ROOTS = [0.0, 0.2, 0.25, 0.1, 0.999, 0.001, 1.0, 0.0]
REPAIRS = {
    "SPA": ([0.0, 0.0, 2.0, 0.0], "0 as in WOFOST 7.2: pods of 20 ha ha-1 shaded the leaves"),
    "RDRSOF": (COLD, "the published curve moved from 8 to 0 degC: only frost kills"),
    "RDRSOB": (LOSSES, "a tenth of the published rates: field losses of a ripe crop"),
    "RDRROS": (ROOTS, "0.2 at RFOS 0, where 0.02 stands: less oxygen cannot kill less"),
}
"""Table, and why it differs from the original's (defects C7, C8, C8b and P4 of docs/wofost.md).

No source gives the deaths of storage organs, neither the original's nor these: COLD keeps its curve and
lets it begin at freezing, LOSSES keeps its course at a tenth of its rates. Both are assumptions."""


def number(value: float) -> str:
    """Return a number as strict YAML reads it: a dot before any exponent."""
    text = repr(float(value))
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"


def quantity(name: str, value: float) -> str:
    """Return `NAME: value unit`."""
    unit = DECLARED[name].unit
    return f"{name}: {number(value)}" + ("" if unit == "-" else f" {unit}")


def table(name: str, flat: list[float]) -> str:
    """Return `NAME: {unit, of, points}` on one line."""
    unit, of = DECLARED[name].unit, DECLARED[name].of
    points = zip(flat[::2], flat[1::2], strict=True)
    listed = ", ".join(f"[{number(x)}, {number(y)}]" for x, y in points)
    return f'{name}: {{unit: "{unit}", of: {of}, points: [{listed}]}}'


def unwrapped(value: Any) -> Any:
    """Return what a list of one entry holds."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def write(path: Path, head: list[str], given: Mapping[str, Any], repaired: bool) -> None:
    """Write one file of scalars and tables that the N-P-K model reads."""
    needed = {n: p for n, p in DECLARED.items() if p.only_if is None or "VERNSAT" in given}
    scalars = [quantity(n, given[n]) for n in sorted(needed.keys() & given.keys()) if not needed[n].of]
    lines, published = [], []
    repairs = REPAIRS if repaired else {}
    tables = {n for n, p in DECLARED.items() if p.of}
    for name in sorted(tables & (given.keys() | repairs.keys())):
        if name in repairs:
            flat, why = repairs[name]
            lines.append(f"{table(name, flat)}  # {why}")
            original = unwrapped(given.get(name, [0.0, 0.0, 10.0, 0.0]))
            published.append(table(name, pairs(DECLARED[name], original, path.stem)))
        elif name in needed:
            flat = pairs(DECLARED[name], unwrapped(given[name]), path.stem)
            lines.append(table(name, flat))
    parts = [*head, "parameters:", *(f"    {s}" for s in scalars), "tables:"]
    parts += [f"    {line}" for line in lines]
    if published:
        parts += ["published:", *(f"    {line}" for line in published)]
    path.write_text("\n".join(parts) + "\n")


def write_crops(figures: Path, folder: Path) -> None:
    """Write one file a variety of every annual crop."""
    crops = json.loads((figures / "crops" / "wofostgym.json").read_text())["crops"]
    for crop, entry in crops.items():
        if crop in PERENNIAL:
            continue
        for variety, own in entry["varieties"].items():
            name = variety.replace("_", "-")
            words = crop.replace("_", " ").capitalize()
            head = [
                f"crop: {name}",
                f"summary: {words}, variety {variety.rpartition('_')[2]} of WOFOSTGym (N, P, K).",
                f'source: "{SOURCE}"',
                "models: [wofost-npk]",
            ]
            write(folder / f"{name}.yaml", head, {**entry["shared"], **own}, repaired=True)


def write_soils(figures: Path, folder: Path) -> None:
    """Write one file a soil with a single layer."""
    soils = json.loads((figures / "soils" / "wofostgym.json").read_text())["soils"]
    for name in SOILS:
        for variation, given in soils[name].items():
            stem = variation.replace("_", "-")
            head = [
                f"soil: {stem}",
                f"summary: {name.capitalize()} soil {variation.rpartition('_')[2]} of WOFOSTGym, "
                "with water, N, P and K.",
                'source: "Solow, Saisubramanian, Fern 2025 (WOFOSTGym)"',
            ]
            write(folder / f"{stem}.yaml", head, given, repaired=False)


if __name__ == "__main__":
    root = Path(__file__).parents[1]
    write_crops(Path(sys.argv[1]), root / "crops")
    write_soils(Path(sys.argv[1]), root / "sites" / "soils")
