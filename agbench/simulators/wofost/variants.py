"""The WOFOST models and their properties; no other code depends on the name of a model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from agbench.errors import ConfigError, unknown
from agbench.simulators.wofost.variables import SOIL_NAMES

_HERE: Final = __name__.rpartition(".")[0]
CROP_TYPES: Final = ("annual", "perennial", "grape")
_PCSE_NAMES: Final = MappingProxyType({"WC": "W", "WART": "WDRT"})
_FERTILISING: Final = {"apply_n": ("N",), "apply_npk": ("N", "P", "K"), "irrigate": ("IRRIG",)}
"""The inputs by which events act; a harvest has no amount."""
_PCSE_END_TYPES: Final = ("maturity", "harvest", "earliest")
_NITROGEN_SOIL: Final = frozenset({"NSOIL", "RNSOIL", "RNAVAIL", "FERT_N_SUPPLY"})
_WITHOUT_BALANCE: Final = SOIL_NAMES - {"SM", "WTRAT", "EVST", "EVS", "WTRA", "NAVAIL"}


@dataclass(frozen=True)
class Variant:
    """A WOFOST model: its kernels, what limits growth in it, and how its tables name columns.

    `kernels` and `layered_kernels` are the modules of its code on a soil with a single layer and with
    several, for annual crops; `lifecycles` has both for the other types of crops that it supports.
    Models with the same kernels share a batch. A model with `limitations` offers a choice of what
    limits growth, follows the crop to its death, adds up what is applied on one day, and lets inputs sow
    and harvest; it has defects that the setting `sound` repairs. The others are PCSE's, in either setting.
    """

    name: str
    summary: str
    kernels: str
    layered_kernels: str | None = None
    limits_water: bool = True
    limits_nitrogen: bool = False
    limitations: tuple[str, ...] = ()
    end_types: tuple[str, ...] = _PCSE_END_TYPES
    events: tuple[str, ...] = ()
    lifecycles: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    lacks: frozenset[str] = frozenset()
    """Columns of the soil that the model does not compute."""
    names: Mapping[str, str] = field(default_factory=lambda: _PCSE_NAMES)
    """Names of columns in tables, where they differ."""
    rotates: bool = False
    """Whether crops follow one another on the field."""
    crops_of: str = ""
    """The model whose crop files it reads, where these are not its own."""

    @property
    def has_repairs(self) -> bool:
        """Whether the setting `sound` computes something else than `published`."""
        return bool(self.limitations)

    @property
    def crop_types(self) -> tuple[str, ...]:
        """The types of crops that the model supports."""
        return ("annual", *self.lifecycles)

    @property
    def ignores(self) -> frozenset[str]:
        """The inputs that have no effect, because the model has nothing that they act on."""
        acting = {name for event in self.events for name in _FERTILISING.get(event, ())}
        return frozenset({"N", "P", "K", "IRRIG"} - acting) | (
            frozenset() if self.limitations else {"HARVEST", "PLANT"}
        )

    def events_of(self, crop_type: str) -> tuple[str, ...]:
        """Return the management events that a crop of this type understands."""
        return self.events if crop_type == "annual" else (*self.events, "prune", "replant")

    def kernels_on(self, soil_water: str, crop_type: str = "annual") -> str:
        """Return the module with the model's kernels for a crop type, on a `single` or a `layered` soil.

        Raises `ConfigError` where the model has none.
        """
        if crop_type not in CROP_TYPES:
            raise unknown("crop_type", crop_type, CROP_TYPES, where=self.name)
        if crop_type not in self.crop_types:
            able = ", ".join(v.name for v in VARIANTS.values() if crop_type in v.crop_types)
            raise ConfigError(f"{self.name} knows no {crop_type} crops; {able or 'no model'} does.")
        modules = {"annual": (self.kernels, self.layered_kernels), **self.lifecycles}[crop_type]
        module = modules[soil_water == "layered"]
        if module is None:
            raise ConfigError(f"{self.name} has no {soil_water} soil for {crop_type} crops.")
        return f"{_HERE}.{module}"


VARIANTS: Final = {
    variant.name: variant
    for variant in (
        Variant(
            "wofost72-pp",
            "WOFOST 7.2, potential production, as PCSE 6 has it (de Wit et al. 2019)",
            "wofost72",
            limits_water=False,
            lacks=_WITHOUT_BALANCE,
        ),
        Variant(
            "wofost72-wlp",
            "WOFOST 7.2, water-limited, classic water balance",
            "wofost72",
            events=("irrigate",),
            lacks=_NITROGEN_SOIL,
        ),
        Variant(
            "wofost81-pp",
            "WOFOST 8.1, potential production, with nitrogen in the crop",
            "wofost81",
            limits_water=False,
            lacks=_WITHOUT_BALANCE,
        ),
        Variant(
            "wofost81-wlp",
            "WOFOST 8.1, water-limited",
            "wofost81",
            "wofost81_layered",
            events=("irrigate",),
            lacks=_NITROGEN_SOIL,
        ),
        Variant(
            "wofost81-nwlp",
            "WOFOST 8.1, limited by water and nitrogen",
            "wofost81",
            "wofost81_layered",
            limits_nitrogen=True,
            events=("apply_n", "irrigate"),
        ),
        Variant(
            "wofost-npk",
            "WOFOST 8.0 with N, P, K, as WOFOSTGym extends it (Solow et al. 2025); trees and grape vines too",
            "wofost_npk",
            "wofost_npk_layered",
            lifecycles={
                "perennial": ("wofost_perennial", "wofost_perennial_layered"),
                "grape": ("wofost_grape", "wofost_grape_layered"),
            },
            limitations=("pp", "lw", "ln", "lnw", "lnpk", "lnpkw"),
            end_types=("emergence", "maturity", "harvest", "death", "max_duration"),
            events=("apply_n", "apply_npk", "irrigate", "harvest"),
            names={},
        ),
        Variant(
            "wofost-npk-rotation",
            "wofost-npk with crops that follow one another, their residues and the leaching of nitrogen",
            "wofost_npk_rotation",
            limitations=("pp", "lw", "ln", "lnw", "lnpk", "lnpkw"),
            end_types=("harvest",),
            events=("apply_n", "apply_npk", "irrigate"),
            names={},
            rotates=True,
            crops_of="wofost-npk",
        ),
    )
}
"""All WOFOST models by name."""


def find(name: str) -> Variant:
    """Return a model by its name; raises `UnknownNameError` with the nearest names."""
    if name not in VARIANTS:
        raise unknown("model", name, VARIANTS)
    return VARIANTS[name]
