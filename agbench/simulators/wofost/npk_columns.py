"""The columns of nitrogen, phosphorus and potassium, and what else the N-P-K model adds."""

from collections.abc import Iterable
from typing import Final

from agbench.simulators.wofost.columns import parse
from agbench.variables import Variable

NUTRIENTS: Final = ("N", "P", "K")
_ORGANS = ("LV", "ST", "RT", "SO")
_WORDS = {"LV": "leaves", "ST": "stems", "RT": "roots", "SO": "storage organs"}
ELEMENTS = {"N": "nitrogen", "P": "phosphorus", "K": "potassium"}


STATES_NPK = parse("""
    DOP | date | day on which the crop started
    HWSO | kg ha-1 | storage organs that can be harvested
    LHW | kg ha-1 | storage organs taken at the last harvest
    HARVESTED | kg ha-1 | storage organs that left the field (sound setting)
    TOTIRRIG | cm | gross irrigation since the start | -1000 100000
    WSUPPLIED | cm | water that potential production brings in since the start (sound setting)
    WBALRT | cm | what the water balance of the root zone does not explain
    WBALTT | cm | what the water balance of the whole soil does not explain
""")
RATES_NPK = parse("""
    DSLV4 | kg ha-1 d-1 | death of leaves by lack of nutrients
    DRRT1 | d-1 | relative death of roots by age
    DRRT2 | d-1 | relative death of roots by lack of oxygen
    DRRT3 | d-1 | relative death of roots by surplus of nutrients
    DHSO | kg ha-1 d-1 | death of the storage organs that can be harvested
    NPKI | - | nutrition index: the least of NNI, PNI, KNI
    RFNPK | - | reduction of assimilation by lack of nutrients
    RNFIXATION | kg ha-1 d-1 | nitrogen fixation
""")
MEMORY_NPK = parse("""
    SURPLUS_N | kg ha-1 | nitrogen on the surface that counts as surplus, -1 where it does not
""")


def _nutrient_states(x: str) -> str:
    """Return the lines of the states of one nutrient, in crop and soil."""
    word = ELEMENTS[x]
    organs = [f"{x}AMOUNT{o} | kg ha-1 | {word} in {_WORDS[o]}" for o in _ORGANS]
    movable = [f"{x}TRANSLOCATABLE{o} | kg ha-1 | {word} that {_WORDS[o]} can hand over" for o in _ORGANS[:3]]
    return (
        "\n".join(organs + movable)
        + f"""
    {x}TRANSLOCATABLE | kg ha-1 | {word} that can be handed to storage organs
    {x}UPTAKETOTAL | kg ha-1 | {word} taken up since the start
    {x}lossesTotal | kg ha-1 | {word} lost with dead organs since the start
    {x}HARVESTED | kg ha-1 | {word} that left the field with the harvest (sound setting)
    {x}SOIL | kg ha-1 | {word} in the base pool of the soil
    {x}AVAIL | kg ha-1 | {word} available to the crop
    SURFACE_{x} | kg ha-1 | {word} fertiliser on the surface
    TOT{x} | kg ha-1 | {word} applied since the start, gross
    TOT{x}_RUNOFF | kg ha-1 | {word} lost by surface runoff since the start
    {x}SPILLED | kg ha-1 | {word} applied since the start that recovery leaves out
    {x}LEACHED | kg ha-1 | {word} above the capacity of the available pool since the start
    {x}SUPPLIED | kg ha-1 | {word} that unlimited supply brings in since the start"""
    )


def _nutrient_rates(x: str) -> str:
    """Return the lines of the rates of one nutrient, in crop and soil."""
    word, lines = ELEMENTS[x], []
    for o in _ORGANS:
        where = _WORDS[o]
        lines += [
            f"{x}DEMAND{o} | kg ha-1 | {word} demand of {where}",
            f"R{x}UPTAKE{o} | kg ha-1 d-1 | {word} allotted to {where}",
            f"R{x}AMOUNT{o} | kg ha-1 d-1 | change of {word} in {where}",
            f"R{x}DEATH{o} | kg ha-1 d-1 | {word} lost with dead {where}",
        ]
    for o in _ORGANS[:3]:
        lines.append(f"R{x}TRANSLOCATION{o} | kg ha-1 d-1 | {word} handed over by {_WORDS[o]}")
    return (
        "\n".join(lines)
        + f"""
    {x}NI | - | {word} nutrition index
    {x}DEMAND | kg ha-1 | {word} demand of leaves, stems and roots
    R{x}UPTAKE | kg ha-1 d-1 | {word} uptake from the soil
    R{x}LOSS | kg ha-1 d-1 | {word} lost with dead organs
    R{x}SOIL | kg ha-1 d-1 | change of the base pool of {word}
    R{x}AVAIL | kg ha-1 d-1 | change of the available {word}, before its cap
    FERT_{x}_SUPPLY | kg ha-1 d-1 | effective {word} fertiliser
    RRUNOFF_{x} | kg ha-1 d-1 | {word} lost by surface runoff
    R{x}SUBSOIL | kg ha-1 d-1 | {word} that moves from the surface to the available pool"""
    )


def _npk(lines: Iterable[str]) -> list[Variable]:
    """Return the variables of the three nutrients."""
    return [variable for text in lines for variable in parse(text)]


NUTRIENT_STATES = [
    *_npk(_nutrient_states(x) for x in NUTRIENTS),
    Variable("NFIXTOTAL", "kg ha-1", "nitrogen fixed since the start", 0.0, 2e5),
]
NUTRIENT_RATES = _npk(_nutrient_rates(x) for x in NUTRIENTS)
