"""Bare physics of any model: `agbench.simulate`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def simulate(model: str, **arguments: Any) -> "pd.DataFrame":
    """Simulate one season of a model and return a table, a row a step, a column a variable.

    `simulate("greenlight", ...)` takes what `agbench.greenhouse_season.simulate_greenhouse` takes;
    crop models (`lintul3`, `wofost72-wlp`, ...) take what `agbench.field_season.simulate` takes.
    """
    if model == "greenlight":
        from agbench.greenhouse_season import simulate_greenhouse

        return simulate_greenhouse(**arguments)
    from agbench import field_season

    return field_season.simulate(model, **arguments)
