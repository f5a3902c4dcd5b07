"""Offline datasets: made from any policy, verified, and loaded by the libraries that learn from them."""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agbench.datasets.checking import DatasetFinding, check
    from agbench.datasets.collecting import collect, make_recipe
    from agbench.datasets.dataset import Dataset, load

_HOMES = {
    "Dataset": "dataset",
    "DatasetFinding": "checking",
    "check": "checking",
    "collect": "collecting",
    "load": "dataset",
    "make_recipe": "collecting",
}

__all__ = ["Dataset", "DatasetFinding", "check", "collect", "load", "make_recipe"]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
