"""The schema of a policy's settings for one task."""

from typing import Any, Literal

from agbench.data.reading import Strict


class Baseline(Strict):
    """Which kind of policy, with which settings, and where they come from."""

    policy: Literal[
        "schedule",
        "ceres",
        "rules",
        "evolution",
        "rule-based",
        "constant",
        "light-setpoints",
        "receding-horizon",
        "mpc",
    ]
    summary: str
    source: str
    settings: dict[str, Any]
