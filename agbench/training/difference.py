"""In what two runs differ, in words: the innermost keys, not the mappings that hold them."""

from collections.abc import Mapping
from typing import Any


def difference(its: Mapping[str, Any], mine: Mapping[str, Any], mark: str = "this one's ") -> str | None:
    """Return `its KEY is 1, this one's 2` of the first key of `mine` that is another in `its`; None of none.

    Of mappings in mappings the path is named, such as `settings.steps`.
    """
    for key, value in mine.items():
        other = its.get(key)
        if other != value:
            key, other, value = _apart(key, other, value)
            return f"its {key} is {other!r}, {mark}{value!r}"
    return None


def _apart(key: str, one: Any, other: Any) -> tuple[str, Any, Any]:
    """Return the path to the first value in which two mappings differ, and both values."""
    if not (isinstance(one, Mapping) and isinstance(other, Mapping)):
        return key, one, other
    names = [
        name for name in [*other, *one] if name not in one or name not in other or one[name] != other[name]
    ]
    return _apart(f"{key}.{names[0]}", one.get(names[0]), other.get(names[0]))
