"""The 108 environments of WOFOSTGym as options of tasks, and the tables of docs/combinations.md.

`python docs/studies/combinations.py` writes the tables into the page, between its marks; `--check` only says
whether they are there. `tests/envs/test_combinations.py` plays all of them.
"""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

PAGE: Final = Path(__file__).parents[1] / "combinations.md"
LIMITATIONS: Final = ("lnpkw", "pp", "lnpk", "ln", "lnw", "lw")

_NUTRIENT: Final = [0.0, 2.0, 4.0, 6.0, 8.0]  # kg ha-1
_WATER: Final = [0.0, 0.5, 1.0, 1.5, 2.0]  # cm
DOSES: Final = MappingProxyType({"N": _NUTRIENT, "P": _NUTRIENT, "K": _NUTRIENT, "IRRIG": _WATER})
LIMITING: Final = MappingProxyType(
    {
        "lnpkw": ("N", "P", "K", "IRRIG"),
        "pp": ("N", "P", "K", "IRRIG"),
        "lnpk": ("N", "P", "K"),
        "ln": ("N",),
        "lnw": ("N", "IRRIG"),
        "lw": ("IRRIG",),
    }
)
"""The inputs of a menu: those that can be short. Where none can, all are there, and none has an effect."""

_TREES: Final = {"simulator__crop": "jujube-1", "reward__kind": "growth"}
_FARM: Final = {
    "simulator__crop": "jujube-1",
    "simulator__site": "lodi",
    "season__start": "01-01",
    "season__end": "12-31",
    "season__management": "orchard",
    "season__years": 3,
    "season__age": 8,
}
_PICKED: Final = {"reward__variable": "HARVESTED"}
_GROWN: Final = {"reward__variable": "TWSO"}
_VINES: Final = {
    **_TREES,
    "simulator__crop": "grape-riesling",
    "simulator__site": "washington-state",
    "simulator__soil": "washington-1",
    "season__start_type": "endodorm",
}
_TREE_FIELDS: Final = [
    {"name": "young-jujube", "parameters": {"AGEI": 4.0}},
    {"name": "old-jujube", "parameters": {"AGEI": 12.0}},
    {"name": "pear", "crop": "pear-1"},
]


@dataclass(frozen=True)
class Group:
    """A group of environments: what its ids begin with, the task it comes from, and what differs.

    `work` are the inputs with which the agent sows and harvests; `rest` the changed options.
    """

    prefix: str
    summary: str
    task: str
    work: tuple[str, ...] = ()
    rest: Mapping[str, Any] = field(default_factory=dict)


GROUPS: Final = (
    Group("", "annual crop, fed and watered", "wofostgym-wheat-v1"),
    Group("plant-", "the agent also sows and harvests", "wheat-planting-v1", ("PLANT", "HARVEST")),
    Group(
        "harvest-",
        "the agent also harvests",
        "wofostgym-wheat-v1",
        ("HARVEST",),
        {"season__management": "harvest", **_PICKED},
    ),
    Group("perennial-", "three years of trees; fruit falls", "wofostgym-pear-limits-v1", (), _TREES),
    Group(
        "perennial-plant-",
        "the agent also replants and picks",
        "wofostgym-pear-limits-v1",
        ("PLANT", "HARVEST"),
        _TREES | _PICKED,
    ),
    Group(
        "perennial-harvest-",
        "the agent also picks, every year",
        "wofostgym-pear-limits-v1",
        ("HARVEST",),
        _TREES | _PICKED,
    ),
    Group("grape-", "three years of vines; fruit falls", "wofostgym-pear-limits-v1", (), _VINES),
    Group("multi-", "five fields, one action for all", "wofostgym-sunflower-farm-v1"),
    Group(
        "multi-perennial-",
        "three orchards, one action for all",
        "wofostgym-sunflower-farm-v1",
        (),
        {**_FARM, **_GROWN, "fields": _TREE_FIELDS},
    ),
)


@dataclass(frozen=True)
class Combination:
    """An environment of the original: its id there, and the task and the options that make it here."""

    id: str
    group: Group
    limitation: str
    layered: bool

    @property
    def options(self) -> dict[str, Any]:
        """What `agbench.make` changes of the task."""
        work = {name: [0.0, 1.0] for name in self.group.work}
        doses = {name: DOSES[name] for name in LIMITING[self.limitation]}
        soil = {"simulator__soil": "moregon-1", "simulator__soil_water": "layered"} if self.layered else {}
        return {
            **self.group.rest,
            "simulator__limitation": self.limitation,
            **soil,
            "action__doses": work | doses,
        }


COMBINATIONS: Final = tuple(
    Combination(f"{group.prefix}{'l' * layered}{limitation}-v0", group, limitation, layered)
    for layered in (False, True)
    for group in GROUPS
    for limitation in LIMITATIONS
)
"""All of them; a layered soil is an `l` before the limitation."""


def _code(value: Any) -> str:
    return f"`{value}`"


def _options_of_groups() -> list[str]:
    rows = ["| ids | what | task | options |", "|---|---|---|---|"]
    for group in GROUPS:
        options = ", ".join(f"`{key}={value!r}`" for key, value in group.rest.items() if key != "fields")
        if "fields" in group.rest:
            options += ", `fields=[...]`: " + ", ".join(one["name"] for one in group.rest["fields"])
        work = ", ".join(f"`{name}`" for name in group.work)
        cells = (options, f"doses {work}" if work else "")
        text = "; ".join(cell for cell in cells if cell)
        rows.append(f"| `{group.prefix}*` | {group.summary} | `{group.task}` | {text} |")
    return rows


def _ids(layered: bool) -> list[str]:
    rows = ["| what | " + " | ".join(LIMITATIONS) + " |", "|---" * (len(LIMITATIONS) + 1) + "|"]
    for group in GROUPS:
        row = [c.id for c in COMBINATIONS if c.group is group and c.layered == layered]
        rows.append(f"| {group.summary} | " + " | ".join(map(_code, row)) + " |")
    return rows


def page(text: str) -> str:
    """Return the page with its tables between the marks."""
    for name, rows in (("groups", _options_of_groups()), ("single", _ids(False)), ("layered", _ids(True))):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, rest = text.split(begin)
        text = before + begin + "\n" + "\n".join(rows) + "\n\n" + end + rest.split(end)[1]
    return text


def main() -> None:
    """Write the tables, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page differs")
    chosen = parser.parse_args()
    old = PAGE.read_text()
    new = page(old)
    if chosen.check and new != old:
        sys.exit(f"{PAGE.name} differs: run python docs/studies/combinations.py")
    if not chosen.check:
        PAGE.write_text(new)


if __name__ == "__main__":
    main()
