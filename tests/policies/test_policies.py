"""Policies: they load by name, act inside the space, and do what their names say."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.actions import Amounts, Menu
from agbench.envs.family import action_map, build
from agbench.errors import ConfigError, ResultError, SimulationError, UnknownNameError
from agbench.evaluation.episode import run_episode
from agbench.policies import registry
from agbench.policies.field.schedule import Schedule, ScheduleSettings, season_day
from agbench.policies.registry import as_policy, interface_of, policies
from agbench.policies.simple import Recorded
from agbench.policies.tuning import search

TASK = "wheat-nitrogen-v1"
CONTINUOUS = {"action.kind": "continuous", "action.limit": {"N": 1000.0}}


def season(policy, scenario="netherlands/1984", **overrides):
    """Return the amounts given at each decision [kg ha-1] and the return."""
    task = override(catalog.task(TASK), overrides)
    result = agbench.evaluate(task, policy, years=[int(scenario.split("/")[1])])
    inputs = action_map(task).inputs(result.actions[0])[:, 0]
    return inputs, float(result.episodes["return"].iloc[0])


def schedule(*plan, **overrides):
    task = override(catalog.task(TASK), overrides)
    settings = ScheduleSettings(input="N", plan=[{"date": d, "amount": a} for d, a in plan])
    return Schedule("plan", settings, interface_of(task))


def test_the_task_has_the_named_policies():
    assert {"zero", "random", "standard-practice", "standard-practice-three-dates", "ceres"} <= set(
        policies(TASK)
    )


def test_zero_gives_nothing_and_earns_nothing():
    values, earned = season("zero")
    assert values.sum() == 0.0
    assert earned == 0.0


def test_zero_gives_nothing_with_continuous_amounts():
    values, earned = season("zero", **CONTINUOUS)
    assert values.sum() == 0.0
    assert earned == 0.0


def test_random_draws_depend_on_the_seed_alone():
    policy = agbench.load_policy("random", TASK)
    draws = []
    for seed in (7, 8, 7):
        policy.reset(seed)
        draws.append([policy(None) for _ in range(30)])
    assert draws[0] == draws[2] != draws[1]
    assert set(draws[0]) == {0, 1, 2}


def test_a_schedule_gives_its_doses_on_their_dates():
    values, _ = season(schedule(("02-24", 20.0), ("04-29", 40.0)))
    season_spec = catalog.task(TASK).season
    days = [7 + 7 * i for i in np.flatnonzero(values)]
    assert values[values > 0].tolist() == [20.0, 40.0]
    for day, expected in zip(days, ("02-24", "04-29"), strict=True):
        assert 0 <= day - season_day(season_spec, expected) < 7


def test_a_dose_larger_than_the_menu_is_carried_over():
    values, _ = season(schedule(("03-01", 100.0)))
    assert values[values > 0].tolist() == [40.0, 40.0, 20.0]


def test_a_schedule_gives_all_at_once_where_amounts_are_continuous():
    values, _ = season(schedule(("01-08", 170.7), **CONTINUOUS), **CONTINUOUS)
    assert values[0] == pytest.approx(170.7, abs=1e-4)
    assert values[1:].max() < 1e-6


@pytest.fixture(scope="module")
def practice():
    """Return standard practice as amounts, the menu of doses, and what schedules return in training."""
    parts = build(catalog.task(TASK), "train")
    policy = agbench.load_policy("standard-practice", TASK)
    policy.reset(0)
    menu = search.doses(parts, "N")
    amounts = np.array([menu[policy(None)] for _ in range(search.number_of_decisions(parts))])

    def value(schedules):
        return search.returns(parts, "N", schedules, parts.scenarios.keys).mean(axis=1)

    return amounts, menu, value


@pytest.mark.slow
def test_standard_practice_cannot_be_bettered_by_one_change_on_training_years(practice):
    amounts, menu, value = practice
    improved, best = search.improve(amounts, menu, value)
    assert improved.tolist() == amounts.tolist()
    assert best > value(np.zeros_like(amounts)[None])[0] + 50.0


def test_standard_practice_is_better_than_with_a_dose_moved_omitted_or_given_beside(practice):
    amounts, menu, value = practice
    doses = np.flatnonzero(amounts)
    others = []
    for at in doses:
        for away in (-1, 1):
            others.append(amounts.copy())
            others[-1][[at, at + away]] = others[-1][[at + away, at]]
        others.append(np.where(np.arange(len(amounts)) == at, 0.0, amounts))
    for at in (0, doses[0] - 3, doses[-1] + 3):
        others.append(np.where(np.arange(len(amounts)) == at, menu[1], amounts))
    values = value(np.array([amounts, *others, np.zeros_like(amounts)]))
    assert values[1:].max() <= values[0] + 1e-9
    assert values[0] > values[-1] + 50.0


@pytest.mark.slow_except("1984")
@pytest.mark.parametrize("year", [1984, 1994, 2004])
def test_ceres_is_never_below_any_schedule(year):
    key = f"netherlands/{year}"
    _, oracle = season("ceres", key)
    for plan in ([], [("01-08", 100.0)], [("03-01", 160.0)], [("02-24", 60.0), ("04-29", 60.0)]):
        assert oracle >= season(schedule(*plan), key)[1] - 1e-9


def test_ceres_finds_the_same_optimum_as_a_fine_grid_of_totals():
    """Continuous form: every total from 0 to 400 kg/ha in steps of 2, all at once."""
    task = override(catalog.task(TASK), CONTINUOUS)
    parts = build(task, "test")
    oracle = agbench.load_policy("ceres", task)
    amounts = oracle.solve(parts, "netherlands/1984")
    totals = np.arange(0.0, 401.0, 2.0)
    schedules = np.zeros((len(totals), len(amounts)))
    schedules[:, 0] = totals
    values = search.returns(parts, "N", schedules, ["netherlands/1984"])[:, 0]
    best = search.returns(parts, "N", amounts[None], ["netherlands/1984"])[0, 0]
    assert best >= values.max()
    assert abs(amounts.sum() - totals[values.argmax()]) <= 2.0


def test_returns_of_schedules_are_those_of_episodes():
    task = catalog.task(TASK)
    parts = build(task, "test")
    amounts = np.array([search.early(100.0, 40.0, search.number_of_decisions(parts), first=7)])
    quick = search.returns(parts, "N", amounts, ["netherlands/1984"])[0, 0]
    menu = search.doses(parts, "N")
    slow = season(Recorded([menu.index(a) for a in amounts[0]]))[1]
    assert quick == slow


def test_recorded_actions_that_end_too_soon_say_so():
    policy = Recorded([0, 0])
    policy.reset(0)
    policy(None), policy(None)
    with pytest.raises(SimulationError, match="holds 2 actions"):
        policy(None)


def test_the_menu_encodes_the_largest_dose_that_is_not_too_much():
    actions = action_map(catalog.task(TASK))
    assert isinstance(actions, Menu)
    assert [actions.encode("N", a)[1] for a in (0.0, 19.0, 20.0, 39.9, 500.0)] == [0, 0, 20, 20, 40]


def test_amounts_encode_and_decode_alike():
    actions = action_map(override(catalog.task(TASK), CONTINUOUS))
    assert isinstance(actions, Amounts)
    action, values = actions.encode("N", 123.0)
    assert values == 123.0
    assert actions.inputs(action[None])[0, 0] == pytest.approx(123.0, rel=1e-6)


def test_a_policy_loads_from_code(monkeypatch, tmp_path):
    (tmp_path / "my_policies.py").write_text(
        "class Mine:\n    name = 'mine'\n    information = 'observation'\n"
        "    def reset(self, seed): pass\n    def __call__(self, observation): return 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert agbench.load_policy("my_policies:Mine", TASK).name == "mine"


@pytest.mark.parametrize(
    ("message", "expected"),
    [("standart-practice", "Did you mean 'standard-practice'"), ("nothing-like-it", "Known: ")],
)
def test_an_unknown_policy_names_the_nearest(message, expected):
    with pytest.raises(UnknownNameError, match=expected):
        agbench.load_policy(message, TASK)


@pytest.mark.parametrize(
    ("message", "expected"),
    [("no_such_module_:Mine", "No module named"), ("agbench.errors:Nope", "has no 'Nope'")],
)
def test_missing_code_is_an_error(message, expected):
    with pytest.raises(ConfigError, match=expected):
        agbench.load_policy(message, TASK)


def test_code_that_needs_more_than_the_task_is_an_error():
    with pytest.raises(ConfigError, match=r"Schedule needs name, settings, .*loaded from a settings file"):
        agbench.load_policy("agbench.policies.field.schedule:Schedule", TASK)


def test_an_object_that_is_no_policy_is_refused():
    class Half(agbench.Policy):
        def __call__(self, observation):
            return 0

    with pytest.raises(ConfigError, match="is not a policy: it needs name, information"):
        agbench.evaluate(TASK, Half())
    with pytest.raises(ConfigError, match="is not a policy"):
        as_policy(object(), catalog.task(TASK))


def test_wrong_settings_name_file_and_key(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "policy: schedule\nsummary: x\nsource: x\nsettings: {input: N, plam: []}\n", encoding="utf-8"
    )
    with pytest.raises(ConfigError, match=r"mine\.yaml: settings: .*unknown key 'plam'. Did you mean 'plan'"):
        agbench.load_policy(path, TASK)


def test_settings_for_an_input_that_the_task_lacks_are_refused(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "policy: schedule\nsummary: x\nsource: x\nsettings: {input: P, plan: []}\n", encoding="utf-8"
    )
    with pytest.raises(UnknownNameError, match="unknown input 'P'"):
        agbench.load_policy(path, TASK)


BROKEN = {
    "import": ("raise SystemExit(3)", "importing .* raised SystemExit: 3 .broken_import.py, line 1"),
    "making": (
        "class Broken:\n    def __init__(self):\n        self.x = 1 / 0",
        "making it raised ZeroDivisionError: division by zero .broken_making.py, line 3",
    ),
    "ending": (
        "def Broken():\n    raise SystemExit",
        "making it raised SystemExit .broken_ending.py, line 2",
    ),
}


@pytest.mark.parametrize(("kind", "code", "message"), [(k, *v) for k, v in BROKEN.items()], ids=BROKEN)
def test_code_that_raises_is_an_error_with_its_place(kind, code, message, tmp_path, monkeypatch):
    (tmp_path / f"broken_{kind}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=message):
        registry.load_policy(f"broken_{kind}:Broken", TASK)


def test_a_file_is_named_as_a_module(tmp_path, monkeypatch):
    (tmp_path / "own_rule.py").write_text("class Mine:\n    pass")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=r"A module has no ending: write own_rule:Mine\.$"):
        registry.load_policy("own_rule.py:Mine", TASK)
    with pytest.raises(ConfigError, match=r"No module named 'own_rules'\. Is its folder on PYTHONPATH\?$"):
        registry.load_policy("own_rules:Mine", TASK)


class Ending:
    """A policy that ends the process, or its episode."""

    name, information = "ending", "observation"

    def reset(self, seed):
        """Do nothing."""

    def __call__(self, observation):
        raise SystemExit(3)


def test_a_policy_that_ends_the_process_fails_its_episode_alone(tmp_path):
    result = agbench.evaluate(TASK, Ending(), years=[1984])
    assert result.episodes["error"].tolist() == ["SystemExit: 3"]
    with pytest.raises(ResultError, match=r"policy ending: it raised SystemExit: 3 .*, at decision 1 of"):
        run_episode(catalog.task(TASK), Ending(), picture=tmp_path / "season.png")


@pytest.mark.parametrize("name", [None, 5, "", " ", "two\nlines", "\x1b[31m"])
def test_a_policy_needs_a_name(name):
    policy = Ending()
    policy.name = name
    with pytest.raises(ConfigError, match=r"its name is .*; it must be a text"):
        as_policy(policy, catalog.task(TASK))
