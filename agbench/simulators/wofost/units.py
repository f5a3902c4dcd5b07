"""Units of the parameters of the WOFOST models, and what their tables are functions of."""

from typing import Final

_SCALARS = """
    - : IDSL DVSI DVSM DVSEND VERNDVS REALLOC_DVS DVS_N_TRANSL DVS_NPK_STOP DVS_NPK_TRANSL
    - : Q10 CFET DEPNR IAIRDU IOX KN REALLOC_STEM_FRACTION REALLOC_LEAF_FRACTION
    - : REALLOC_EFFICIENCY NLAI_NPK NSLA_NPK NPART NLUE_NPK NPK_TRANSLRT_FR NFIX_FR IFUNRN NOTINF
    - : NMAXRT_FR PMAXRT_FR KMAXRT_FR NMAXST_FR PMAXST_FR KMAXST_FR NCRIT_FR PCRIT_FR KCRIT_FR
    degC : TBASEM TEFFMX TBASE
    degC d : TSUMEM TSUM1 TSUM2 TSUM3
    h : DLO DLC
    d : DTBEM VERNBASE VERNSAT SPAN TCNT TCPT TCKT
    d-1 : PERDL RDRLV_NPK REALLOC_STEM_RATE REALLOC_LEAF_RATE NSOILBASE_FR PSOILBASE_FR KSOILBASE_FR
    d-1 : RNABSORPTION RPABSORPTION RKABSORPTION
    degC-1 d-1 : RGRLAI RGRLAI_MIN
    kg ha-1 : TDWI NTHRESH PTHRESH KTHRESH NSOILBASE PSOILBASE KSOILBASE NAVAILI PAVAILI KAVAILI
    kg ha-1 : NMAX PMAX KMAX AMAX_LNB
    kg ha-1 d-1 : RNUPTAKEMAX RPUPTAKEMAX RKUPTAKEMAX BG_N_SUPPLY BG_P_SUPPLY BG_K_SUPPLY
    kg ha-1 d-1 : RNSOILMAX RPSOILMAX RKSOILMAX
    kg kg-1 : CVL CVO CVR CVS NMAXSO PMAXSO KMAXSO NRESIDLV NRESIDST NRESIDRT
    kg kg-1 : PRESIDLV PRESIDST PRESIDRT KRESIDLV KRESIDST KRESIDRT
    kg kg-1 d-1 : RML RMO RMR RMS
    kg ha-1 h-1 : AMAX_REF
    kg kg-1 h-1 : AMAX_SLP
    ppm : CO2 REFCO2L
    cm : RDI RDMCR RDMSOL SSMAX SSI WAV
    cm d-1 : RRI SOPE KSUB
    cm3 cm-3 : SMFCF SM0 SMW CRAIRC SMLIM
"""
_TABLES = """
    - | CO2 : CO2AMAXTB CO2EFFTB CO2TRATB
    - | DVS : KDIFTB RFSETB FRTB FLTB FSTB FOTB
    - | temperature : TMPFTB TMNFTB
    - | stress index : NSLLV_TB
    kg ha-1 h-1 | DVS : AMAXTB
    kg ha-1 h-1 per J m-2 s-1 | temperature : EFFTB
    degC | temperature : DTSMTB
    d d-1 | temperature : VERNRTB
    ha kg-1 | DVS : SLATB SSATB SPA
    d-1 | DVS : RDRRTB RDRSTB RDRSOB
    d-1 | temperature : RDRSOF
    d-1 | RFOS : RDRROS
    d-1 | surplus over threshold : RDRRNPK
    d-1 | runoff : RNPKRUNOFF
    kg kg-1 | DVS : NMAXLV_TB PMAXLV_TB KMAXLV_TB
"""


def _by_name(text: str) -> dict[str, str]:
    """Return what stands before the colon by each name after it."""
    lines = [line.rpartition(":") for line in text.strip().splitlines()]
    return {name: left.strip() for left, _, names in lines for name in names.split()}


UNITS: Final = _by_name(_SCALARS)
"""Unit of each scalar parameter."""
TABLES: Final = {
    name: (left.partition("|")[0].strip(), left.partition("|")[2].strip())
    for name, left in _by_name(_TABLES).items()
}
"""Unit of each table's values, and what it is a function of."""
