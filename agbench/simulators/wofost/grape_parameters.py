"""What grape vines read beyond the perennial crops: chilling, heat units, hardiness, frost."""

from functools import partial
from typing import Final

from agbench.variables import ABOVE_0, Parameter

WOFOSTGYM: Final = "WOFOSTGym, grape phenology (Solow et al. 2025)"
ZAPATA: Final = "Zapata et al. 2017, heat units of grapevine cultivars, as WOFOSTGym has them"
BRIN: Final = "Garcia de Cortazar-Atauri et al. 2009, BRIN model of bud break"
FERGUSON: Final = "Ferguson et al. 2011, 2014, cold hardiness of dormant grapevine buds"
MILLS: Final = "assumption, after the LTE10 and LTE90 of Mills et al. 2006"
PROEBSTING: Final = "third leaf of Concord: Proebsting, in Snyder and de Melo-Abreu 2005 (FAO), Table 4.8"

LEAF_FALL: Final = "assumption: 20 October at 46 N, unless frost comes first"

_p = partial(Parameter, part="crop", source=WOFOSTGYM)
_brin = partial(Parameter, part="crop", source=BRIN)
_cold = partial(Parameter, part="crop", source=FERGUSON)

UNUSED: Final = frozenset(("IDSL", "DLO", "DLC", "DTSMTB", "VERNBASE", "VERNSAT", "VERNDVS", "VERNRTB"))
"""What annual crops read of development, and grape vines do not."""

GRAPE: Final = (
    _p("AGEI", "-", "age at the start of the crop in years", 0, 200),
    _p("TSUM4", "degC d", "temperature sum of a unit of DVS in ripe and resting vines", ABOVE_0, 20_000),
    _p("MLDORM", "h", "day length of autumn at which buds close", 0, 24),
    _p("MLFALL", "h", "day length of autumn at which leaves fall", 0, 24, default=11.25, source=LEAF_FALL),
    _brin("Q10C", "-", "fall of chilling per 10 degC, as a factor", ABOVE_0, 10),
    _brin("CSUMDB", "-", "chilling units that end endodormancy", 0, 10_000),
    _cold("HCINIT", "degC", "hardiness of buds at the start of dormancy", -60, 0),
    _cold("HCMIN", "degC", "least hardiness of buds", -60, 0),
    _cold("HCMAX", "degC", "greatest hardiness of buds", -60, 0),
    _cold("TENDO", "degC", "base temperature of hardening in endodormancy", -20, 40),
    _cold("TECO", "degC", "base temperature of hardening in ecodormancy", -20, 40),
    _cold("ENACCLIM", "-", "hardening per degree-day of cold in endodormancy", 0, 10),
    _cold("ECACCLIM", "-", "hardening per degree-day of cold in ecodormancy", 0, 10),
    _cold("ENDEACCLIM", "-", "softening per degree-day of warmth in endodormancy", 0, 10),
    _cold("ECDEACCLIM", "-", "softening per degree-day of warmth in ecodormancy", 0, 10),
    _cold("THETA", "-", "shape of softening in ecodormancy", ABOVE_0, 100),
    _cold("HCBB", "degC", "hardiness at which bud break is predicted", -60, 0, default=-2.2),
    _cold("LTESPAN", "degC", "from LTE10 to LTE90 of dormant buds", ABOVE_0, 50, default=4.0, source=MILLS),
    _cold("LTGREEN", "degC", "temperature that kills half of the shoots", -60, 0, -2.75, source=PROEBSTING),
    _cold("LTGSPAN", "degC", "the same from 10 to 90 %", ABOVE_0, 50, default=1.1, source=PROEBSTING),
)
"""What grape vines read beyond the perennial crops."""
