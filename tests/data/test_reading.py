"""YAML is read strictly: the errors for its traps and for people's slips name file, line and remedy."""

import pytest

from agbench.data import catalog
from agbench.data.field import Crop, Soil
from agbench.data.field_task import FieldTask
from agbench.data.reading import load_yaml, read_data, read_file
from agbench.data.site import Site
from agbench.errors import ConfigError

TRAPS = {
    "an exponent without a dot": ("price: 1e-3", "bad.yaml:1: 1e-3 is text to YAML.*write 1.0e-3"),
    "a large exponent": ("price: -2E6", "write -2.0E6"),
    "a country": ("country: NO", 'bad.yaml:1: NO is true or false in YAML; write "NO"'),
    "a switch": ("lights: off", 'off is true or false in YAML; write "off"'),
    "a yes": ("lights: Yes", 'Yes is true or false in YAML; write "Yes"'),
    "a time": ("start: 18:30", 'bad.yaml:1: 18:30 is read in base 60; write "18:30"'),
    "seconds": ("start: 1:18:30", "read in base 60"),
    "a leading zero": ("code: 010", 'bad.yaml:1: 010 is read as octal; write "010" or drop the 0'),
    "inside a list": ("a:\n    - 1\n    - 1e5", "bad.yaml:3: 1e5 is text"),
    "as a key": ("a:\n    NO: 1", "bad.yaml:2: NO is true or false in YAML"),
    "a key twice": ("a: 1\nb: 2\na: 3", "bad.yaml:3: the key 'a' appears twice"),
    "a nested key twice": ("a: {b: 1, b: 2}", "bad.yaml:1: the key 'b' appears twice"),
    "a key twice in a key": ("? {b: 1, b: 2}\n: 3", r"bad\.yaml:1: "),
    "an alias": ("a: &x {b: 1}\nc: *x", r"bad.yaml:2: aliases \(\*x\) are not allowed"),
    "no YAML": ("a: [1, 2", "bad.yaml:1: not valid YAML"),
    "a tab": ("a:\n\tb: 1", "bad.yaml:2: not valid YAML"),
}


@pytest.mark.parametrize(("text", "message"), TRAPS.values(), ids=TRAPS)
def test_a_trap_of_yaml_is_refused_with_its_remedy(text, message):
    with pytest.raises(ConfigError, match=message):
        load_yaml(text, "bad.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"1e-3"', "1e-3"),
        ("1.0e-3", 0.001),
        ('"NO"', "NO"),
        ("true", True),
        ('"18:30"', "18:30"),
        ("0", 0),
        ("0.5", 0.5),
        ("10", 10),
        ("north", "north"),
        ("2.7 g MJ-1", "2.7 g MJ-1"),
    ],
)
def test_what_is_meant_plainly_is_read_plainly(text, value):
    result = load_yaml(f"key: {text}", "good.yaml")["key"]
    assert (type(result), result) == (type(value), value)


@pytest.fixture
def task():
    return load_yaml(catalog.find("task", "wheat-nitrogen-v1").read_text(), "task")


def changed(task, path, value):
    """Return a task with the key at a dotted path replaced, or removed where the value is `...`."""
    *parents, last = path.split(".")
    inner = task
    for parent in parents:
        inner = inner[parent]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return task


WRONG = {
    "unknown at the top": ("rewards", 1, "bad.yaml: unknown key 'rewards'. Did you mean 'reward'"),
    "another family's word": ("episode", {}, "unknown key 'episode'. Did you mean 'season'"),
    "unknown below": ("season.begin", "01-01", "season: unknown key 'begin'. Known: age, crop_start, end"),
    "unknown in a metric": (
        "metrics.yield.digit",
        1,
        "metrics.yield: unknown key 'digit'. Did you mean 'digits'",
    ),
    "unknown in a split": (
        "splits.test.leave_out",
        [1990],
        "splits.test: unknown key 'leave_out'. Did you mean 'leaving_out'",
    ),
    "missing": ("summary", ..., "the key 'summary' is missing"),
    "missing below": ("simulator.crop", ..., "the key 'simulator.crop' is missing"),
    "one of several": (
        "reward.kind",
        "growth-above-ref",
        "reward.kind: 'growth-above-ref' is not one of its values. Did you mean 'growth-above-reference'",
    ),
    "a text for a number": ("reward.beta", "ten", "reward.beta is the text 'ten', not a number"),
    "a negative price of beta": ("reward.beta", -1.0, "reward.beta: .*greater than or equal to 0"),
    "an input that pays": (
        "reward.prices.N",
        -0.1,
        "reward.prices.N: .*greater than or equal to 0; got -0.1",
    ),
    "a product that costs": (
        "reward.product_price",
        -0.2,
        "reward.product_price: .*greater than or equal to 0",
    ),
    "a price beyond numbers": (
        "reward.product_price",
        1e300,
        "reward.product_price: .*less than or equal to 1000000",
    ),
    "a crop that costs": (
        "reward.crop_prices",
        {"a": -1.0},
        "reward.crop_prices.a: .*greater than or equal to 0",
    ),
    "a sowing that pays": (
        "reward.crop_costs",
        {"a": -1.0},
        "reward.crop_costs.a: .*greater than or equal to 0",
    ),
    "a limit below nothing": ("reward.limits", {"N": -5.0}, "reward.limits.N: .*greater than or equal to 0"),
    "a limit that is no number": ("reward.limits", {"N": float("nan")}, "reward.limits.N: .*finite number"),
    "a limit without end": ("reward.limits", {"N": float("inf")}, "reward.limits.N: .*finite number"),
    "a tolerated gain": ("reward.tolerated", -1.0, "reward.tolerated: .*greater than or equal to 0"),
    "a heat beyond weather": ("simulator.warming", 25.0, "simulator.warming: .*less than or equal to 10"),
    "a forecast better than true": (
        "observation.forecast",
        {"days": 2, "variables": ["RAIN"], "error": {"RAIN": -0.1}},
        "observation.forecast.error.RAIN: .*greater than or equal to 0",
    ),
    "a number for a text": ("summary", 5, "summary: .*valid string.*got 5"),
    "a task id": ("task", "Wheat", "'Wheat' is not a task id such as"),
    "a day of the year": ("season.end", "31-12", "season.end: '31-12' is not a day of the year such as"),
    "a duration": ("season.step", "7", "season.step: '7' is not a duration such as '7 d'"),
    "a duration's number": ("season.step", 14, "season.step: 14 has no unit; write one of .* '14 d'"),
    "a duration's unit": ("season.step", "1 week", "'1 week' is not a duration .*units: s, min, h, d"),
    "half a day": ("season.step", "12 h", "'12 h' must be a whole number of days"),
    "doses that fall": ("action.doses", {"N": [0, 40, 20]}, "N: doses must start with 0 and ascend"),
    "doses without nothing": ("action.doses", {"N": [20, 40]}, "N: doses must start with 0"),
    "no doses": ("action.doses", {}, "action.doses: .*at least 1"),
    "recovery": ("action.recovery", 1.7, "action.recovery: .*less than or equal to 1"),
    "years": ("splits.train.years", "odd 1976", "'odd 1976' is not a list of years or text such as"),
    "a metric of two": (
        "metrics.yield.input",
        "N",
        "metrics.yield: a metric needs exactly one of 'state', 'input' and 'total'",
    ),
    "an objective": ("protocol.objective", "profit", "'profit' is not one of return, nitrogen, yield"),
}


@pytest.mark.parametrize(("path", "value", "message"), WRONG.values(), ids=WRONG)
def test_a_slip_in_a_task_is_named_with_its_key(task, path, value, message):
    with pytest.raises(ConfigError, match=message):
        read_data(FieldTask, changed(task, path, value), "bad.yaml")


def test_several_mistakes_are_reported_at_once(task):
    changed(changed(task, "summary", ...), "reward.beta", "ten")
    with pytest.raises(ConfigError, match=r"'summary' is missing.*reward.beta is the text 'ten'"):
        read_data(FieldTask, task, "bad.yaml")


@pytest.mark.parametrize("text", ["", "- a\n- b", "just a word", "5"])
def test_a_file_without_keys_is_refused(tmp_path, text):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"bad.yaml: expected keys and values"):
        read_file(FieldTask, path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none.yaml: No such file"):
        read_file(FieldTask, tmp_path / "none.yaml")


def test_a_file_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_bytes("summary: Käse".encode("latin-1"))
    with pytest.raises(ConfigError, match="not UTF-8"):
        read_file(FieldTask, path)


@pytest.mark.parametrize(("kind", "schema"), [("crop", Crop), ("soil", Soil), ("site", Site)])
def test_every_shipped_file_is_sound_and_names_its_source(kind, schema):
    assert catalog.names(kind)
    for name in catalog.names(kind):
        result = read_file(schema, catalog.find(kind, name))
        assert result.source
        assert getattr(result, kind) == name


def test_every_name_in_a_shipped_task_exists():
    on_fields = [task for task in map(catalog.task, catalog.names("task")) if isinstance(task, FieldTask)]
    assert on_fields
    for task in on_fields:
        simulator = task.simulator
        assert catalog.find("crop", simulator.crop)
        assert catalog.find("soil", simulator.soil)
        assert catalog.find("site", simulator.site)


def test_a_file_that_is_no_text_is_refused_with_its_name(tmp_path):
    path = tmp_path / "task.yaml"
    path.write_bytes(b"task: a\0b")
    with pytest.raises(ConfigError, match=r"task\.yaml: not text"):
        read_file(FieldTask, path)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("sum\u200bmary", r"bad.yaml:2: the key 'sum.u200bmary' has the invisible character U.200B"),
        ("summary\u00a0", r"bad.yaml:2: the key 'summary.xa0' has U.00A0 in the place of a usual space"),
        ("sum\ufe0fmary", r"bad.yaml:2: the key 'sum.ufe0fmary' has the invisible character U.FE0F"),
    ],
)
def test_a_key_with_an_invisible_character_is_named_with_its_line(key, message):
    with pytest.raises(ConfigError, match=message):
        load_yaml(f"crop: x\n{key}: Wheat\n", "bad.yaml")
    assert load_yaml("crop: Zuckerr\u00fcbe\nsummary: a\u00a0b\n", "good.yaml")
