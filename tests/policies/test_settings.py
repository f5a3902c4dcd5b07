"""Settings that no policy could follow are refused, with what would be right; never dropped in silence."""

import re

import pytest
import yaml

import agbench
from agbench.data import catalog
from agbench.errors import ConfigError, UnknownNameError

WHEAT, TEMPERATURES = "wheat-nitrogen-v1", "greenhouse-setpoint-v1"
CONTINUOUS, CONTROLS = "greenhouse-setpoint-continuous-v1", "greenhouse-tomato-v1"


def load(folder, kind, settings, task=WHEAT):
    path = folder / "mine.yaml"
    content = {"policy": kind, "summary": "s", "source": "s", "settings": settings}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return agbench.load_policy(path, task)


def plan(*doses, name="N"):
    return {"input": name, "plan": [{"date": date, "amount": amount} for date, amount in doses]}


@pytest.mark.parametrize(
    ("amount", "message"),
    [
        (-20.0, "plan.0.amount: input should be greater than or equal to 0; got -20.0"),
        (float("nan"), "plan.0.amount: .*finite number; got nan"),
        (float("inf"), "plan.0.amount: .*finite number; got inf"),
        (10**400, "plan.0.amount"),
        ("40", "plan.0.amount is the text '40', not a number"),
        (True, "plan.0.amount: .* got True"),
        (30.0, "plan.0.amount: 30 of N cannot be given; nearest are 20 and 40"),
        (3.0, "plan.0.amount: 3 of N cannot be given; nearest are 0 and 20"),
        (130.5, "plan.0.amount: 130.5 of N cannot be given; nearest are 120 and 140"),
    ],
)
def test_a_planned_dose_that_cannot_be_given_is_refused(tmp_path, amount, message):
    with pytest.raises(ConfigError, match=rf"mine\.yaml: settings: {message}"):
        load(tmp_path, "schedule", plan(("03-01", amount)))


@pytest.mark.parametrize("date", ["09-02", "12-31"])
def test_a_dose_outside_the_season_is_refused(tmp_path, date):
    with pytest.raises(ConfigError, match=r"plan\.0\.date: .* outside the season, from 01-01 to 09-01\."):
        load(tmp_path, "schedule", plan((date, 20.0)))


@pytest.mark.parametrize("date", ["02-30", "13-01", "1", "2001-03-01", ""])
def test_a_date_that_is_none_is_refused(tmp_path, date):
    with pytest.raises(ConfigError, match=r"plan\.0\.date: .* is not a day of the year such as '09-01'"):
        load(tmp_path, "schedule", plan((date, 20.0)))


def test_a_dose_larger_than_one_action_gives_is_carried_over(tmp_path):
    schedule = load(tmp_path, "schedule", plan(("01-08", 120.0), ("09-01", 0.0)))
    schedule.reset(0)
    env = agbench.make(WHEAT, "test").unwrapped
    given = [env.core.parts.actions.inputs([schedule(None)]).max() for _ in range(4)]
    assert sum(given) == 120.0


def test_an_unknown_input_names_the_nearest(tmp_path):
    for kind, settings in {
        "schedule": plan(("03-01", 20.0), name="n"),
        "ceres": {"input": "n"},
        "rules": {"rules": [{"input": "n", "amount": 20.0}]},
    }.items():
        with pytest.raises(UnknownNameError, match=r"mine\.yaml: settings: unknown input 'n'.*'N'"):
            load(tmp_path, kind, settings)


RULE = {"input": "N", "amount": 20.0}
LIGHT = {"tSpDay": 20.0, "tSpNight": 18.0}


@pytest.mark.parametrize(
    ("kind", "task", "settings", "message"),
    [
        ("rules", WHEAT, {"rules": [RULE | {"amount": 30.0}]}, "rules.0.amount: 30 of N .*are 20 and 40"),
        ("rules", WHEAT, {"rules": [RULE | {"amount": 900.0}]}, r"rules.0.amount: 900 of N .*is \d+\."),
        ("rules", WHEAT, {"rules": [RULE | {"until": -1.0}]}, "rules.0.until: .*greater than or equal to 0"),
        ("rules", WHEAT, {"rules": [RULE | {"after": 400}]}, "rules.0.after: .*less than or equal to 366"),
        ("rules", WHEAT, {"rules": [RULE | {"within": {"DVS": [2, 1]}}]}, "DVS: from 2 to 1 is no range"),
        ("rules", WHEAT, {"rules": [RULE | {"every": "7"}]}, "'7' is not a duration such as '7 d'"),
        ("rules", WHEAT, {"rules": [RULE | {"when": "DVS", "below": float("nan")}]}, "below: .*finite"),
        ("rules", WHEAT, {"rules": [RULE], "seed": -1}, "seed: .*greater than or equal to 0"),
        ("ceres", WHEAT, {"input": "N", "largest_total": -5.0}, "largest_total: .*greater than 0"),
        ("ceres", WHEAT, {"input": "N", "grid": 0.0}, "grid: .*greater than 0"),
        ("ceres", WHEAT, {"input": "N", "grid": 5000.0}, "grid: 5000 is no step of largest_total, 1000"),
        ("ceres", WHEAT, {"input": "N", "tolerance": 0.0}, "tolerance: .*greater than 0"),
        ("evolution", WHEAT, {"start": "zero", "seed": -1}, "seed: .*greater than or equal to 0"),
        ("constant", TEMPERATURES, {"values": {"tSpDay": 18.5}}, "values.tSpDay: 18.5 .*are 18 and 19"),
        ("constant", TEMPERATURES, {"values": {"tSpDay": 40.0}}, "values.tSpDay: 40 .*nearest is 28"),
        ("constant", CONTINUOUS, {"values": {"co2SpDay": 0.08}}, "values.co2SpDay: 0.08 .*nearest is 400"),
        ("constant", CONTROLS, {"values": {"uBoil": 50.0}}, "values.uBoil: 50 of uBoil .*nearest is 1"),
        ("light-setpoints", TEMPERATURES, {"values": LIGHT | {"tSpDay": 295.0}}, "10 to 35 degC"),
        ("light-setpoints", TEMPERATURES, {"values": LIGHT, "gains": {"tSpDay": float("inf")}}, "finite"),
        ("rule-based", CONTROLS, {"tSpDay": 295.0}, "tSpDay is 295; it must lie within -50 to 60 degC"),
        ("rule-based", CONTROLS, {"lampOn": 25.0}, "lampOn is 25; it must lie within 0 to 24 h"),
        ("rule-based", CONTROLS, {"rhMax": "85 %"}, "rhMax is '85 %', not a number in %"),
        ("receding-greenhouse", CONTINUOUS, {"start": "middle", "reach": 2.0}, "reach: .*less than or equal"),
    ],
)
def test_a_setting_out_of_its_bounds_is_refused(tmp_path, kind, task, settings, message):
    with pytest.raises(ConfigError, match=rf"mine\.yaml: settings: .*{message}"):
        load(tmp_path, kind, settings, task)


@pytest.mark.parametrize(
    ("kind", "task", "settings"),
    [
        ("constant", CONTROLS, {"values": {"uBoiler": 0.5}}),
        ("light-setpoints", TEMPERATURES, {"values": {"tSpDai": 20.0, "tSpNight": 18.0}}),
        ("rule-based", CONTROLS, {"tSpDai": 20.0}),
    ],
)
def test_an_unknown_setting_of_a_greenhouse_names_the_nearest(tmp_path, kind, task, settings):
    with pytest.raises(UnknownNameError, match=r"mine\.yaml: settings: .*Did you mean '(uBoil|tSpDay)'"):
        load(tmp_path, kind, settings, task)


def test_a_policy_that_starts_from_itself_is_refused(tmp_path, monkeypatch):
    root = tmp_path / "baselines" / WHEAT
    root.mkdir(parents=True)
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    for name, start in (("chicken", "egg"), ("egg", "chicken")):
        text = f"policy: evolution\nsummary: s\nsource: s\nsettings: {{start: {start}}}\n"
        (root / f"{name}.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"chicken\.yaml: settings: .*egg\.yaml.*starts from itself"):
        agbench.load_policy("chicken", WHEAT)


def test_every_value_to_be_tuned_could_be_followed(tmp_path):
    from agbench.policies.field.rules import RulesSettings
    from agbench.policies.field.tuning import _with_values

    tried = 0
    for task, name in [(each, name) for each in catalog.names("task") for name in catalog.baselines(each)]:
        text = catalog.find_baseline(task, name).read_text(encoding="utf-8")
        if tried <= 40 and text.startswith("policy: rules"):
            content = yaml.safe_load(text)
            amounts = {k: v for k, v in content["settings"].get("tune", {}).items() if re.search("amount", k)}
            settings = RulesSettings.model_validate(content["settings"])
            for path, values in amounts.items():
                for value in values:
                    rules = _with_values(settings, {path: value}).model_dump(exclude_none=True)["rules"]
                    load(tmp_path, "rules", yaml.safe_load(yaml.safe_dump({"rules": _plain(rules)})), task)
                    tried += 1
    assert tried > 40


def _plain(rules):
    return [{k: _lists(v) for k, v in rule.items()} for rule in rules]


def _lists(value):
    return {k: list(v) for k, v in value.items()} if isinstance(value, dict) else value
