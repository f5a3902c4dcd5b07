"""The schema of a policy's settings for one task."""

from typing import Any

from agbench.data.reading import Strict


class Baseline(Strict):
    """Which kind of policy, with which settings, and where they come from.

    A kind registers itself, with a schema of its settings, where it is written (`agbench.policies.base`).
    """

    policy: str
    summary: str
    source: str
    settings: dict[str, Any]
