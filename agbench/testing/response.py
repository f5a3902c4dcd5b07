"""Response: more of an action moves yield and cost the way an agronomist expects."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.family import build, family

if TYPE_CHECKING:
    import pandas as pd


def check_response(
    task: str,
    split: str = "train",
    *,
    weather: "pd.DataFrame | None" = None,
    years: Sequence[int] | None = None,
    **overrides: Any,
) -> None:
    """Check that every action acts as the task's family says it must (fields: `agbench.envs.field.response`).

    Raises `ContractError` for one that does not, `NotApplicableError` for a family that says nothing.
    """
    spec = override(catalog.task(task), overrides)
    family(spec).check_response(spec, build(spec, split, weather=weather, years=years))
