"""Bare physics of any model: `agbench.simulate`."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any

from agbench.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd


def simulate(model: str, **arguments: Any) -> "pd.DataFrame":
    """Simulate one season of a model and return a table, a row a step, a column a variable.

    `simulate("greenlight", ...)` takes what `agbench.simulation.greenhouse.simulate_greenhouse` takes;
    crop models (`lintul3`, `wofost72-wlp`, ...) take what `agbench.simulation.field.simulate` takes.

    Examples:
        >>> season = simulate("lintul3", crop="winter-wheat-nl", soil="cropgym-nl", site="wageningen",
        ...                   start="1984-01-01", events=[("1984-02-24", "apply_n", 60.0)])
        >>> round(season["WSO"].iloc[-1])
        238
    """
    if not isinstance(model, str):
        raise ConfigError(f"agbench.simulate: a model is named by text, such as 'lintul3'; got {model!r}.")
    if model == "greenlight":
        from agbench.simulation.greenhouse import simulate_greenhouse

        _check_arguments(simulate_greenhouse, model, arguments)
        return simulate_greenhouse(**arguments)
    from agbench.simulation import field

    _check_arguments(field.simulate, model, arguments)
    return field.simulate(model, **arguments)


def _check_arguments(function: Callable[..., Any], model: str, arguments: Mapping[str, Any]) -> None:
    """Raise `ConfigError` for an argument that a model does not take, or one that it lacks."""
    parameters = {name: p for name, p in signature(function).parameters.items() if name != "model"}
    text = f'agbench.simulate("{model}")'
    takes = f" It takes {', '.join(parameters)}."
    for name in arguments:
        if name not in parameters:
            near = did_you_mean(name, parameters) if get_close_matches(name, parameters) else ""
            raise ConfigError(f"{text}: unknown argument {name!r}.{near}{takes}")
    missing = [name for name, p in parameters.items() if p.default is p.empty and name not in arguments]
    if missing:
        raise ConfigError(f"{text}: {' and '.join(missing)} must be given.{takes}")
