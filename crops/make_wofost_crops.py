"""Make the crops and soils of WOFOSTGym from its figures: python crops/make_wofost_crops.py <figures>.

`<figures>` holds crops/wofostgym.json and soils/wofostgym.json: the parameters of Solow,
Saisubramanian and Fern (2025) by crop and variety, and by soil. One file a variety and one a soil;
what the original has wrong is repaired, and kept under `published`.
"""

import itertools
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agbench.simulators.field.parameters import pairs
from agbench.simulators.wofost.parameters import parameters
from agbench.variables import Parameter

SOURCE = "Solow, Saisubramanian, Fern 2025 (WOFOSTGym) after WOFOST crop parameters of A. de Wit"
DECLARED = {
    crop_type: {p.name: p for p in parameters("wofost-npk", crop_type=crop_type)}
    for crop_type in ("annual", "perennial", "grape")
}
PERENNIAL = ("jujube", "pear")
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

_FINE_ROOTS = ([0.0, 0.0027, 3.0, 0.0027], "fine roots live about a year; 0.5 d-1 left a tree without roots")
_SHOOTS = ([0.0, 0.0, 3.0, 0.0], "shoots of the year turn to wood; 0.5 d-1 left a tree without wood")
_PEAR_FRUIT = [0.0, 0.0, 0.34, 0.0, 0.51, 0.0, 0.97, 0.0, 1.0, 0.1, 1.5, 0.25, 1.8, 0.9, 2.0, 1.0]
_VINE_LOSSES = [x + 1.0 if i % 2 == 0 and x else x for i, x in enumerate(LOSSES)]
_COVER = ([0.0, 0.1, 3.0, 0.35, 6.0, 0.6, 30.0, 0.6], "Allen, Pereira 2009, Irrig. Sci. 28, 17-34: orchards")
_WOOD = "at 1,500 trees; apple of 9 years 20 t (Panzacchi et al. 2012, Tree Physiol. 32)"
_STAGES = [0.0, 0.34, 0.51, 0.97, 1.0, 1.3, 1.8, 2.0]


def _shares(*ordinates: float) -> list[Any]:
    """Return a family of one curve over the stages of pear."""
    return [0.0, [number for point in zip(_STAGES, ordinates, strict=True) for number in point]]


_PEAR = "fruit is half of growth (apple: Zanotelli et al. 2013, Biogeosciences 10); published: those of grape"
TREES: dict[str, dict[str, tuple[Any, str]]] = {
    "jujube": {
        "RDRRTB": _FINE_ROOTS,
        "RDRSTB": _SHOOTS,
        "SSATB": ([0.0, 0.0, 2.0, 0.0], "0 as in pear: shoots of 9 ha ha-1 shaded the leaves"),
        "COVTB": _COVER,
        "FBEARTB": ([0.0, 0.0, 1.0, 0.2, 3.0, 0.7, 5.0, 1.0], "bears from the second year (assumption)"),
        "WWDTB": ([0.0, 500.0, 5.0, 6000.0, 10.0, 12000.0, 30.0, 20000.0], _WOOD),
        "LIGNFR": (0.4, "bearing branchlets fall with their leaves (assumption: three fifths)"),
        "MLDORM": (10.5, "the published 6 h comes nowhere below 63 degrees latitude"),
    },
    "pear": {
        "RDRRTB": _FINE_ROOTS,
        "RDRSTB": _SHOOTS,
        "FLTB": (_shares(0.5, 0.5, 0.5, 0.4, 0.15, 0.05, 0.0, 0.0), _PEAR),
        "FSTB": (_shares(0.5, 0.5, 0.5, 0.6, 0.35, 0.1, 0.1, 0.0), _PEAR),
        "FOTB": (_shares(0.0, 0.0, 0.0, 0.0, 0.5, 0.85, 0.9, 1.0), _PEAR),
        "COVTB": _COVER,
        "FBEARTB": ([0.0, 0.0, 2.0, 0.0, 3.0, 0.3, 6.0, 1.0], "bears from the third year (assumption)"),
        "WWDTB": ([0.0, 500.0, 5.0, 6000.0, 10.0, 15000.0, 30.0, 25000.0], _WOOD),
        "MLDORM": (10.5, "the published 6 h comes nowhere below 63 degrees latitude"),
    },
    "grape": {
        "RDRRTB": _FINE_ROOTS,
        "RDRSTB": _SHOOTS,
        "RDRSOB": (_VINE_LOSSES, "the losses of other crops, from ripe (DVS 3) on, not from veraison (2)"),
        "COVTB": ([0.0, 0.05, 3.0, 0.4, 30.0, 0.4], "Allen, Pereira 2009, Irrig. Sci. 28: wine grapes"),
        "WWDTB": ([0.0, 150.0, 3.0, 1500.0, 10.0, 5000.0, 30.0, 9000.0], "assumption: 1,800 vines"),
        "FBEARTB": ([0.0, 0.0, 1.0, 0.0, 2.0, 0.5, 3.0, 1.0], "first crop in the third year: Keller 2020"),
        "LIGNFR": (0.15, "winter pruning takes 85 % of the canes: Keller 2020, The Science of Grapevines"),
        "FOTB": ([0.0, _PEAR_FRUIT], "1.0 at DVS 2, where 0.1 stands: shares add up to 1"),
    },
}
"""What trees have in the place of the original's tables, and what it does not know (C3, C10, P3)."""


def number(value: float) -> str:
    """Return a number as strict YAML reads it: a dot before any exponent."""
    text = repr(float(value))
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"


def quantity(parameter: Parameter, value: float) -> str:
    """Return `NAME: value unit`."""
    return f"{parameter.name}: {number(value)}" + ("" if parameter.unit == "-" else f" {parameter.unit}")


def listed(flat: list[float]) -> str:
    """Return points as YAML lists them."""
    points = zip(flat[::2], flat[1::2], strict=True)
    return "[" + ", ".join(f"[{number(x)}, {number(y)}]" for x, y in points) + "]"


def table(parameter: Parameter, value: Any) -> str:
    """Return `NAME: {unit, of, points}` on one line; a family with the curve of each value of `by`."""
    head = f'{parameter.name}: {{unit: "{parameter.unit}", of: {parameter.of}, '
    if not parameter.by:
        return f"{head}points: {listed(without_breaks(pairs(parameter, value, parameter.name)))}}}"
    ages = zip(value[::2], value[1::2], strict=True)
    curves = ", ".join(f"{{at: {number(age)}, points: {listed(flat)}}}" for age, flat in ages)
    return f"{head}by: {parameter.by}, curves: [{curves}]}}"


def without_breaks(flat: list[float]) -> list[float]:
    """Return the points that the original reads: those whose abscissa is above that of the one before."""
    points = list(zip(flat[::2], flat[1::2], strict=True))
    kept = [points[0], *(b for a, b in itertools.pairwise(points) if b[0] > a[0])]
    return [number for point in kept for number in point]


def unwrapped(value: Any) -> Any:
    """Return what a list of one entry holds."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def write(
    path: Path,
    head: list[str],
    given: Mapping[str, Any],
    repairs: Mapping[str, tuple[Any, str]],
    crop_type: str = "annual",
) -> None:
    """Write one file of scalars and tables that the N-P-K model reads.

    `repairs` are numbers and tables in the place of the original's, each with why; those that the
    original does not have are new.
    """
    declared = DECLARED[crop_type]
    needed = {n: p for n, p in declared.items() if p.only_if is None or (n in given and cold(given))}
    values = {**given, **{name: value for name, (value, _) in repairs.items()}}
    scalars, lines, published, numbers = [], [], [], []
    for name in sorted(needed.keys() & values.keys()):
        parameter, value = needed[name], unwrapped(values[name])
        line = table(parameter, value) if parameter.of else quantity(parameter, value)
        why = f"  # {repairs[name][1]}" if name in repairs else ""
        (lines if parameter.of else scalars).append(line + why)
        if name in repairs and (name in given or name == "RDRSOF"):
            original = unwrapped(given.get(name, [0.0, 0.0, 10.0, 0.0]))
            if parameter.of:
                published.append(table(parameter, original))
            else:
                numbers.append(quantity(parameter, original))
    parts = [*head, "parameters:", *(f"    {s}" for s in scalars), "tables:"]
    parts += [f"    {line}" for line in lines]
    if numbers:
        parts += ["published_parameters:", *(f"    {line}" for line in numbers)]
    if published:
        parts += ["published:", *(f"    {line}" for line in published)]
    path.write_text("\n".join(parts) + "\n")


def cold(given: Mapping[str, Any]) -> bool:
    """Return whether a crop needs cold to develop, and says how much."""
    return "VERNSAT" in given and (given["IDSL"] >= 2 or not isinstance(given["RML"], list))


def described(crop: str, variety: str) -> tuple[str, str]:
    """Return the name of a variety's file, and what it is in words."""
    if crop == "grape":
        return f"grape-{variety.lower().replace('_', '-')}", f"Grape, cultivar {variety.replace('_', ' ')}"
    words = crop.replace("_", " ").capitalize()
    return variety.replace("_", "-"), f"{words}, variety {variety.rpartition('_')[2]}"


def write_crops(figures: Path, folder: Path) -> None:
    """Write one file a variety of every crop."""
    crops = json.loads((figures / "crops" / "wofostgym.json").read_text())["crops"]
    for crop, entry in crops.items():
        crop_type = "grape" if crop == "grape" else "perennial" if crop in PERENNIAL else "annual"
        for variety, own in entry["varieties"].items():
            name, summary = described(crop, variety)
            head = [
                f"crop: {name}",
                f"summary: {summary} of WOFOSTGym (N, P, K).",
                f'source: "{SOURCE}"',
                *([f"crop_type: {crop_type}"] if crop_type != "annual" else []),
                "models: [wofost-npk]",
            ]
            repairs = {**REPAIRS, **TREES.get(crop, {})}
            write(folder / f"{name}.yaml", head, {**entry["shared"], **own}, repairs, crop_type)


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
            write(folder / f"{stem}.yaml", head, given, {})


if __name__ == "__main__":
    root = Path(__file__).parents[1]
    write_crops(Path(sys.argv[1]), root / "crops")
    write_soils(Path(sys.argv[1]), root / "sites" / "soils")
