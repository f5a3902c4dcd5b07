"""Where the settings `published` and `sound` compute different things: a pair of functions a repair.

docs/wofost.md lists the defects of the original under the keys used here. The parameters of a world have a
switch for each, so that one batch holds worlds of both settings and a study can repair a single defect.
"""

from collections.abc import Callable
from typing import Any

from agbench.compiled import inlined, kernel

Kernel = Callable[..., Any]


def repaired(defect: str, published: Kernel, sound: Kernel) -> Kernel:
    """Return the kernel that is `sound` in worlds where a defect is repaired, and `published` in others.

    `defect` is a key such as N7, or SOUND for what only the whole setting repairs. All three take the
    parameters p, then further arguments alike.
    """
    switch = defect if defect == "SOUND" else f"REPAIR_{defect}"

    @inlined
    def process(p: Any, *arguments: Any) -> Any:
        if p[switch] > 0.0:
            return sound(p, *arguments)
        return published(p, *arguments)

    return process


@kernel
def unchanged(p: Any, s: Any) -> None:
    """Leave everything as it is."""
