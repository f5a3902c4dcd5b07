"""The winter wheat variant of LINTUL-3 as subclasses of PCSE's LINTUL-3 (Kallenberg et al. 2023).

It differs from PCSE's model by: mineral nitrogen in the soil at the start (TNSOILI), a constant
nitrogen supply (RTMIN, given to PCSE as RNMIN), stems that feed the grain (FRTRL), irrigation by
events, and the outputs NNI, NRF, GRF and NUPAG. Import it after `load_pcse()` only.
"""

import math
from datetime import date
from typing import Any

from pcse import signals
from pcse.crop.lintul3 import Lintul3
from pcse.soil.lintul3soil import Lintul3Soil
from pcse.traitlets import Float

MM_PER_CM = 10.0


class Lintul3Wheat(Lintul3):  # type: ignore[misc]
    """The crop and its nitrogen."""

    class Parameters(Lintul3.Parameters):  # type: ignore[misc]
        """Parameters beside those of LINTUL-3: TNSOILI [g m-2], FRTRL [-]."""

        TNSOILI = Float(-99.0)
        FRTRL = Float(-99.0)

    class Lintul3Rates(Lintul3.Lintul3Rates):  # type: ignore[misc]
        """Outputs beside those of LINTUL-3: reduction factors [-], nitrogen [g m-2]."""

        NRF = Float()
        GRF = Float()
        NUPAG = Float()

    def initialize(self, day: date, kiosk: Any, parvalues: Any) -> None:
        """Start as LINTUL-3 does, with TNSOILI in the soil."""
        super().initialize(day, kiosk, parvalues)
        self.states.unlock()
        self.states.TNSOIL = self.params.TNSOILI
        self.states.lock()

    def totalGrowthRate(self, DTR: float, TRANRF: float, NNI: float) -> float:
        """Return growth [g m-2 d-1]; report what reduces it, and the nitrogen above ground."""
        self.states.NNI = NNI
        self.rates.NRF = math.exp(-self.params.NLUE * (1.0 - NNI))
        self.rates.GRF = min(TRANRF, self.rates.NRF)
        s = self.states
        self.rates.NUPAG = s.ANLV + s.ANST + s.ANSO
        return float(super().totalGrowthRate(DTR, TRANRF, NNI))

    def relativeGrowthRates(
        self, RGROWTH: float, FLV: float, FRT: float, FST: float, FSO: float, DLV: float, DRRT: float
    ) -> tuple[float, float, float, float]:
        """Return net growth of leaves, roots, stems and grain; stem reserves move to the grain."""
        leaves, roots, stems, grain = super().relativeGrowthRates(RGROWTH, FLV, FRT, FST, FSO, DLV, DRRT)
        moved = self._stem_reserves()
        return leaves, roots, stems - moved, grain + moved

    def _stem_reserves(self) -> float:
        """Return the weight that stems give to the grain [g m-2 d-1], with today's DVR."""
        if self.pheno.get_variable("DVS") <= self.params.DVSNT:
            return 0.0
        return float(self.states.WST * self.pheno.get_variable("DVR") * self.params.FRTRL)


class Lintul3WheatSoil(Lintul3Soil):  # type: ignore[misc]
    """The soil, irrigated by events."""

    _irrigation_mm = 0.0

    def initialize(self, day: date, kiosk: Any, parvalues: Any) -> None:
        """Start as LINTUL-3's soil does, and listen to irrigation."""
        super().initialize(day, kiosk, parvalues)
        self._connect_signal(self._on_irrigate, signals.irrigate)

    def _on_irrigate(self, amount: float, efficiency: float) -> None:
        """Receive irrigation: `amount` in cm, of which the share `efficiency` arrives."""
        self._irrigation_mm += amount * MM_PER_CM * efficiency

    def _drainage_runoff_irrigation(
        self, RAIN: float, EVAP: float, TRAN: float, DELT: float, WA: float, ROOTD: float
    ) -> tuple[float, float, float]:
        """Return drainage, runoff and irrigation [mm d-1], the day's event included."""
        drain, runoff, irrigation = super()._drainage_runoff_irrigation(RAIN, EVAP, TRAN, DELT, WA, ROOTD)
        event, self._irrigation_mm = self._irrigation_mm, 0.0
        return drain, runoff, irrigation + event
