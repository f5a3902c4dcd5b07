"""Make the standard soils of WOFOST and PCSE: python sites/soils/make_pcse_soils.py.

EC1 to EC6 are the soils that WOFOST has come with since version 5 (June 1990; soild/ec1.new to ec6.new)
and that PCSE's examples use; their figures are kept below, as published. What the site adds in PCSE
are the defaults of its site data provider. `pcse-default` is PCSE's own soil for potential production.
A soil whose figures contradict its retention curve is refused.
"""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pcse.input import DummySoilDataProvider, WOFOST72SiteDataProvider

from agbench.simulators.wofost.parameters import parameters

SOURCE = "WOFOST soil data files (Wageningen; for WOFOST 5.0, June 1990, release 1997), soild/{file}"
SUCTIONS = (-1.0, 1.0, 1.3, 1.491, 2.0, 2.4, 2.7, 3.4, 4.204, 6.0)  # pF of the retention curves
WILTING = 4.204  # pF
CAPACITY = (2.0, 2.5)  # pF between which field capacity lies
ROOTABLE = 120.0  # cm, as PCSE's examples have it for EC1 to EC3
AVAILABLE = 10.0  # cm at the start, as PCSE's examples have it; their site data provider has no default


class Standard(NamedTuple):
    """A soil of WOFOST: limits of moisture [cm3 cm-3], conductivities [cm d-1], its retention curve."""

    words: str
    SMW: float
    SMFCF: float
    SM0: float
    CRAIRC: float
    K0: float
    SOPE: float
    KSUB: float
    moisture: tuple[float, ...]


DECLARED = parameters("wofost72-wlp")
SOILS = {
    "ec1": Standard(
        "coarse", 0.040, 0.110, 0.390, 0.090, 99.770, 12.47, 24.03,
        (0.390, 0.380, 0.360, 0.332, 0.185, 0.086, 0.056, 0.040, 0.040, 0.040),
    ),
    "ec2": Standard(
        "medium", 0.099, 0.272, 0.390, 0.075, 23.988, 1.32, 2.05,
        (0.390, 0.361, 0.353, 0.346, 0.309, 0.260, 0.216, 0.134, 0.099, 0.090),
    ),
    "ec3": Standard(
        "medium fine", 0.104, 0.300, 0.410, 0.060, 25.586, 1.47, 1.47,
        (0.410, 0.398, 0.389, 0.380, 0.340, 0.287, 0.241, 0.148, 0.104, 0.090),
    ),
    "ec4": Standard(
        "fine", 0.300, 0.460, 0.570, 0.050, 10.789, 0.55, 0.37,
        (0.570, 0.533, 0.524, 0.515, 0.486, 0.451, 0.420, 0.350, 0.300, 0.270),
    ),
    "ec5": Standard(
        "very fine", 0.444, 0.528, 0.630, 0.040, 38.019, 0.55, 0.37,
        (0.630, 0.571, 0.564, 0.559, 0.541, 0.524, 0.511, 0.478, 0.444, 0.403),
    ),
    "ec6": Standard(
        "peat, fine and permeable", 0.130, 0.522, 0.730, 0.100, 13.490, 13.00, 15.00,
        (0.730, 0.675, 0.660, 0.645, 0.590, 0.500, 0.410, 0.220, 0.130, 0.040),
    ),
}  # fmt: skip


def check(name: str, soil: Standard) -> None:
    """Exit where the limits are not on the retention curve, or water percolates faster than it can."""
    curve = np.array(soil.moisture)
    if not (np.diff(curve) <= 0.0).all():
        raise SystemExit(f"{name}: the retention curve rises with suction.")
    if not math.isclose(soil.SMW, float(np.interp(WILTING, SUCTIONS, curve)), abs_tol=1e-9):
        raise SystemExit(f"{name}: SMW {soil.SMW} is not the moisture at pF {WILTING}.")
    driest, wettest = (float(np.interp(pF, SUCTIONS, curve)) for pF in reversed(CAPACITY))
    if not driest <= soil.SMFCF <= wettest:
        raise SystemExit(f"{name}: SMFCF {soil.SMFCF} is not the moisture between pF {CAPACITY}.")
    if soil.moisture[0] != soil.SM0:
        raise SystemExit(f"{name}: SM0 {soil.SM0} is not the moisture of the saturated soil.")
    if soil.SOPE > soil.K0:  # of the same layer; a subsoil may let more through
        raise SystemExit(f"{name}: SOPE {soil.SOPE} exceeds K0, the saturated conductivity {soil.K0}.")


def write(path: Path, summary: str, source: str, values: dict[str, float]) -> None:
    """Write one soil file."""
    lines = [f"soil: {path.stem}", f"summary: {summary}", f'source: "{source}"', "parameters:"]
    for key in sorted(values):
        unit = "" if DECLARED[key].unit == "-" else f" {DECLARED[key].unit}"
        lines.append(f"    {key}: {float(values[key])!r}{unit}")
    path.write_text("\n".join(lines) + "\n")


def main(folder: Path) -> None:
    """Write all standard soils into a folder."""
    site = dict(WOFOST72SiteDataProvider(WAV=AVAILABLE))
    for name, soil in SOILS.items():
        check(name, soil)
        limits = ("SMW", "SMFCF", "SM0", "CRAIRC", "SOPE", "KSUB")
        values = site | {key: getattr(soil, key) for key in limits} | {"RDMSOL": ROOTABLE}
        file = SOURCE.format(file=f"{name}.new")
        source = f"{file}; site: PCSE 6 WOFOST72SiteDataProvider; RDMSOL, WAV: PCSE's examples"
        write(folder / f"{name}.yaml", f"WOFOST standard soil {name.upper()}, {soil.words}.", source, values)
    default = {key: value for key, value in DummySoilDataProvider().items() if key in DECLARED}
    write(
        folder / "pcse-default.yaml",
        "PCSE's soil for potential production, where soil matters little.",
        "PCSE 6 DummySoilDataProvider; site: WOFOST72SiteDataProvider; WAV: PCSE's examples",
        site | default,
    )


if __name__ == "__main__":
    main(Path(__file__).parent)
