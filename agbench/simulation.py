"""Bare physics of any model: `agbench.simulate`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def simulate(model: str, **arguments: Any) -> "pd.DataFrame":
    """Simulate one season of a model and return a table, a row a step, a column a variable.

    `simulate("greenlight", ...)` takes what `agbench.greenhouse_season.simulate_greenhouse` takes;
    crop models (`lintul3`, `wofost72-wlp`, ...) take what `agbench.field_season.simulate` takes.

    >>> season = simulate("lintul3", crop="winter-wheat-nl", soil="cropgym-nl", site="wageningen",
    ...                   start="1984-01-01", events=[("1984-02-24", "apply_n", 60.0)])
    >>> round(season["WSO"].iloc[-1])
    238
    """
    if model == "greenlight":
        from agbench.greenhouse_season import simulate_greenhouse

        return simulate_greenhouse(**arguments)
    from agbench import field_season

    return field_season.simulate(model, **arguments)
