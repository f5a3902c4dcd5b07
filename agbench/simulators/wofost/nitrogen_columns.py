"""The columns that WOFOST 8.1 has beyond WOFOST 7.2: reallocation of dry weight, nitrogen in crop and soil.

Names are those of PCSE 6.
"""

from typing import Final

from agbench.simulators.wofost.columns import parse

STATES81: Final = parse("""
    LV_REALLOCATED | kg ha-1 | dry weight moved out of leaves
    ST_REALLOCATED | kg ha-1 | dry weight moved out of stems
    NamountLV | kg ha-1 | nitrogen in leaves
    NamountST | kg ha-1 | nitrogen in stems
    NamountRT | kg ha-1 | nitrogen in roots
    NamountSO | kg ha-1 | nitrogen in storage organs
    NuptakeTotal | kg ha-1 | nitrogen taken up since the start
    NfixTotal | kg ha-1 | nitrogen fixed since the start
    NlossesTotal | kg ha-1 | nitrogen lost with dead organs since the start
    NSOIL | kg ha-1 | nitrogen in the soil that mineralises
    NAVAIL | kg ha-1 | nitrogen available to the crop
""")
RATES81: Final = parse("""
    REALLOC_LV | kg ha-1 d-1 | dry weight moved out of leaves
    REALLOC_ST | kg ha-1 d-1 | dry weight moved out of stems
    REALLOC_SO | kg ha-1 d-1 | dry weight that storage organs gain from leaves and stems
    NSLLV | - | factor on leaf death by nitrogen stress | 0 100
    RFRGRL | - | factor on juvenile leaf growth by nitrogen stress | -10 10
    NTranslocatableLV | kg ha-1 | nitrogen that leaves can hand over
    NTranslocatableST | kg ha-1 | nitrogen that stems can hand over
    NTranslocatableRT | kg ha-1 | nitrogen that roots can hand over
    NTranslocatable | kg ha-1 | nitrogen that can be handed to storage organs
    NdemandLV | kg ha-1 | nitrogen demand of leaves
    NdemandST | kg ha-1 | nitrogen demand of stems
    NdemandRT | kg ha-1 | nitrogen demand of roots
    NdemandSO | kg ha-1 | nitrogen demand of storage organs
    Ndemand | kg ha-1 | nitrogen demand of the crop
    RNtranslocationLV | kg ha-1 d-1 | nitrogen handed over by leaves
    RNtranslocationST | kg ha-1 d-1 | nitrogen handed over by stems
    RNtranslocationRT | kg ha-1 d-1 | nitrogen handed over by roots
    RNtranslocation | kg ha-1 d-1 | nitrogen handed to storage organs
    RNuptakeLV | kg ha-1 d-1 | nitrogen uptake allotted to leaves
    RNuptakeST | kg ha-1 d-1 | nitrogen uptake allotted to stems
    RNuptakeRT | kg ha-1 d-1 | nitrogen uptake allotted to roots
    RNuptakeSO | kg ha-1 d-1 | nitrogen uptake allotted to storage organs
    RNuptake | kg ha-1 d-1 | nitrogen uptake from the soil
    RNfixation | kg ha-1 d-1 | nitrogen fixation
    RNdeathLV | kg ha-1 d-1 | nitrogen lost with dead leaves
    RNdeathST | kg ha-1 d-1 | nitrogen lost with dead stems
    RNdeathRT | kg ha-1 d-1 | nitrogen lost with dead roots
    RNloss | kg ha-1 d-1 | nitrogen lost with dead organs
    RNamountLV | kg ha-1 d-1 | change of nitrogen in leaves
    RNamountST | kg ha-1 d-1 | change of nitrogen in stems
    RNamountRT | kg ha-1 d-1 | change of nitrogen in roots
    RNamountSO | kg ha-1 d-1 | change of nitrogen in storage organs
    RNSOIL | kg ha-1 d-1 | change of the nitrogen that mineralises
    RNAVAIL | kg ha-1 d-1 | change of the nitrogen available to the crop
    FERT_N_SUPPLY | kg ha-1 d-1 | effective nitrogen fertiliser
""")
MEMORY81: Final = parse("""
    WLV_REALLOC | kg ha-1 | leaf weight that can be moved, -1 before it is known
    WST_REALLOC | kg ha-1 | stem weight that can be moved, -1 before it is known
""")
