"""The limits and defaults of every file that somebody may write: none changes unnoticed.

A changed limit refuses files that were good, or lets wrong ones pass; a changed default changes what old
files mean. They are held against `tests/reference/schema_limits.yaml`; to write it anew:
`python tests/data/test_schema_limits.py`.
"""

import importlib
import pkgutil
from pathlib import Path

import yaml

from agbench.data.reading import Strict

FILE = Path(__file__).parents[1] / "reference/schema_limits.yaml"
PACKAGES = ("data", "policies", "leaderboard", "evaluation", "calibration", "envs", "simulation")
LIMITS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
    "minLength": "characters at least",
    "maxLength": "characters at most",
    "minItems": "entries at least",
    "maxItems": "entries at most",
    "pattern": "pattern",
    "default": "default",
}
"""The words of JSON schemas, and what they say."""
FORM = ("anyOf", "allOf", "items", "prefixItems", "additionalProperties")
"""Words by which JSON schemas lead into a value; releases of pydantic differ in them."""


def schemas():
    """Return all schemas of files by module and name."""
    for package in PACKAGES:
        loaded = importlib.import_module(f"agbench.{package}")
        for module in pkgutil.walk_packages(loaded.__path__, f"{loaded.__name__}."):
            importlib.import_module(module.name)
    found, left = {}, [Strict]
    while left:
        left += (made := left.pop()).__subclasses__()
        if made is not Strict and made.__module__.startswith("agbench."):
            found[f"{made.__module__}.{made.__qualname__}"] = made
    return dict(sorted(found.items()))


def limits(part, path=()):
    """Yield the limits in a part of a JSON schema: what is said of which field, and the value."""
    for key, value in part.items():
        if key in LIMITS:
            yield " ".join([*path, LIMITS[key]]), value
        elif isinstance(value, dict) and key not in ("$defs", "propertyNames"):
            yield from limits(value, path if key in FORM else (*path, key))
        elif isinstance(value, list) and key in FORM:
            for one in value:
                yield from limits(one, path)


def listed():
    """Return the limits and defaults of all fields of all schemas."""
    result = {}
    for name, schema in schemas().items():
        own = {}
        for field, part in schema.model_json_schema().get("properties", {}).items():
            for said, value in limits(part, (field,)):
                if value is not None:
                    own.setdefault(said, []).append(value)
        if own:
            result[name] = {
                said: values[0] if len(values) == 1 else sorted(values, key=repr)
                for said, values in sorted(own.items())
            }
    return result


def test_no_limit_or_default_of_a_file_changes_unnoticed():
    expected = yaml.safe_load(FILE.read_text("utf-8"))
    actual = listed()
    meant = f"if that is meant: python tests/data/{Path(__file__).name}"
    assert sorted(actual) == sorted(expected), meant
    changed = [
        f"{name}: {said}: {expected[name].get(said)} is now {actual[name].get(said)}"
        for name in expected
        for said in {**expected[name], **actual[name]}
        if expected[name].get(said) != actual[name].get(said)
    ]
    assert changed == [], meant


if __name__ == "__main__":
    FILE.write_text(yaml.safe_dump(listed(), width=110, default_flow_style=None), "utf-8")
