"""Reading fluxes of climate and crop (harvest, transpiration, heat losses ...) from a batch."""

from collections.abc import Sequence

import numpy as np

from agbench.compiled import entry
from agbench.compiled.object_code import Facts, load_built
from agbench.simulators.casadi_jit.calling import call
from agbench.simulators.greenlight.presets import Structure
from agbench.variables import Floats


class FluxReader:
    """Evaluates chosen fluxes, by the symbols of the papers, for all rows of a batch.

    Heat fluxes are in W m-2, vapour in kg m-2 s-1, CO2 and carbohydrates in mg m-2 s-1, air flows in
    m3 m-2 s-1.
    """

    def __init__(self, structure: Structure, names: Sequence[str]) -> None:
        """Load the code of some fluxes; raises `UnknownNameError` for a name that is none."""
        self.names = tuple(names)
        self._address = _address(structure, self.names)

    def read(self, state: Floats, controls: Floats, weather: Floats, parameters: Floats) -> Floats:
        """Return the fluxes (n, len(names)) of rows with (n, 28), (n, 8), (n, 10) and (n, 208)."""
        result = np.empty((len(state), len(self.names)))
        x, u, d, p = (np.ascontiguousarray(a) for a in (state, controls, weather, parameters))
        _read(self._address, x, u, d, p, result)
        return result


def _address(structure: Structure, names: tuple[str, ...]) -> int:
    """Return the address of the machine code of some fluxes."""

    def build() -> tuple[str, Facts]:
        # Here, so that kept code is loaded without CasADi.
        from agbench.simulators.casadi_jit.compiler import translate
        from agbench.simulators.casadi_jit.machine_code import whole_assembly
        from agbench.simulators.greenlight.model import flux_function

        return whole_assembly({"fluxes": translate(flux_function(structure, names))}), {}

    start = f"{__name__}:{_address.__name__}"
    address, _ = load_built(f"{names} of {structure!r}", start, ("casadi",), build)
    return int(address("fluxes"))


@entry
def _read(address: int, x: Floats, u: Floats, d: Floats, p: Floats, result: Floats) -> None:
    """Evaluate the compiled fluxes row by row."""
    for i in range(len(x)):
        call(address, (x[i], u[i], d[i], p[i], result[i]))
