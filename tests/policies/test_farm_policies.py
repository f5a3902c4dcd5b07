"""Policies on farms: those of fields, oracles, networks, and how they are tuned."""

from itertools import product

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import ConfigError, UnknownNameError
from agbench.leaderboard.checks.recorded import of_actions
from agbench.policies.field import fieldwise_tuning
from agbench.policies.field.fieldwise import Fieldwise, FieldwiseSettings
from agbench.policies.field.fieldwise_search import (
    FieldwiseSearch,
    FieldwiseSearchSettings,
    _Pool,
    best_within,
)
from agbench.policies.networks import heads, mlp
from agbench.policies.playing import episode, returns_of_actions
from agbench.policies.registry import interface_of
from agbench.policies.tuning.cross_entropy import Search
from agbench.running import engine_of
from agbench.testing import check_policy

FARM, FIELDS, BUDGET = "sunflower-farm-v1", "sunflower-farm-fields-v1", "farm-nitrogen-v1"
PLAN = [{"date": "02-22", "amount": 40.0}, {"date": "04-05", "amount": 60.0}]
SCHEDULE = {"input": "N", "plan": PLAN}


def play(task, settings):
    """Return the nitrogen of each field [kg ha-1], step by step, under a fieldwise policy."""
    env = agbench.envs.AgBenchEnv(build(task, "test"))
    policy = Fieldwise("mine", FieldwiseSettings(**settings), interface_of(task))
    given = [np.zeros(env.core.applied.shape[1])]
    for decision in episode(env, policy, 0, env.scenarios.keys[0]):
        if decision.action is not None:
            given.append(env.core.applied[0].copy())
    return np.diff(np.array(given), axis=0).reshape(len(given) - 1, len(task.fields), -1)[:, :, 0]


@pytest.mark.parametrize("control", ["joint", "each", "choice"])
def test_a_schedule_of_a_field_runs_on_every_farm(control):
    task = override(catalog.task(BUDGET), {"farm__control": control})
    given = play(task, {"policy": "schedule", "settings": SCHEDULE})
    if control == "choice":  # fields take turns, so that the last doses come later, or not at all
        assert ((given > 0.0).sum(axis=1) <= 1).all()
        assert given.sum(axis=0)[:4] == pytest.approx(100.0)
        assert (given.argmax(axis=0)[:4] % 10 == np.arange(4)).all()
    else:
        assert given.sum(axis=0) == pytest.approx(100.0)
        assert (given == given[:, :1]).all()


def test_a_field_may_have_settings_of_its_own():
    task = catalog.task(BUDGET)
    own = {"peat": {"input": "N", "plan": []}}
    given = play(task, {"policy": "schedule", "settings": SCHEDULE, "fields": own})
    assert given.sum(axis=0).tolist() == [100.0] * 9 + [0.0]
    with pytest.raises(UnknownNameError, match="fields: unknown field 'peet'"):
        play(task, {"policy": "schedule", "settings": SCHEDULE, "fields": {"peet": own["peat"]}})
    joint = override(task, {"farm__control": "joint"})
    with pytest.raises(ConfigError, match="one joint action is for all fields"):
        play(joint, {"policy": "schedule", "settings": SCHEDULE, "fields": own})
    with pytest.raises(ConfigError, match="ceres plans"):
        play(task, {"policy": "ceres", "settings": {"input": "N"}})


def test_a_joint_policy_sees_the_mean_over_hectares():
    task = override(catalog.task(BUDGET), {"farm__control": "joint"})
    rule = {"input": "N", "amount": 40.0, "when": "TNSOIL", "below": 4.0}
    interface = interface_of(task)
    policy = Fieldwise("mine", FieldwiseSettings(policy="rules", settings={"rules": [rule]}), interface)
    names = [f"TNSOIL.{name}" for name in task.field_names]
    seen = np.zeros(len(interface.observer.entries))
    seen[interface.columns(names)] = 4.5
    assert policy(seen) == 0
    seen[interface.observer.index("TNSOIL.loam")] = 1.0  # 8 of 50 ha: 3.94 on average
    assert policy(seen) == 2


@pytest.mark.parametrize(
    ("task", "policy"),
    [
        (FARM, "feeding"),
        (FIELDS, "feeding"),
        (FARM, "blind-calendar"),
        (BUDGET, "by-supply"),
        (BUDGET, "blind-calendar"),
    ],
)
def test_reference_policies_keep_the_contract(task, policy):
    check_policy(policy, task, "test")


def search(task, **settings):
    """Return the best season found for the first test scenario, and the returns of nothing and of that."""
    parts = build(task, "test")
    core = BatchCore(parts, 1)
    core.seed(0, 0)
    core.reset([0], [parts.scenarios.keys[0]])
    start = core.save(0)
    settings = {"start": ["zero"], "clones": 16, "rounds": 6} | settings
    searching = FieldwiseSearch("mine", FieldwiseSearchSettings(**settings), interface_of(task))
    found = searching.solve(parts, start)
    nothing = np.zeros_like(found)
    both = BatchCore(parts, 2)
    return found, returns_of_actions(both, start, np.stack([nothing, found])), both


@pytest.mark.slow_except(f"{FIELDS}-each", f"{FIELDS}-choice", f"{BUDGET}-joint")
@pytest.mark.parametrize("control", ["joint", "each", "choice"])
@pytest.mark.parametrize("name", [FIELDS, BUDGET])
def test_the_search_of_a_farm_betters_what_it_starts_from(name, control):
    found, (before, after), _ = search(override(catalog.task(name), {"farm__control": control}))
    assert after > before
    assert found.shape[1:] == ((len(catalog.task(name).fields),) if control == "each" else ())


@pytest.mark.slow_except("*-joint", f"{BUDGET}-*")
@pytest.mark.parametrize(("name", "control"), [(FIELDS, "joint"), (FIELDS, "each"), (BUDGET, "each")])
def test_restarts_from_random_calendars_better_a_search(name, control):
    """From nothing a round of edits finds little; calendars bring plans, and the budgets hold."""
    task = override(catalog.task(name), {"farm__control": control})
    _, (_, alone), _ = search(task, rounds=1)
    _, (_, restarted), core = search(task, rounds=1, restarts=2)
    assert restarted > alone
    assert (core.simulator.left >= -1e-9).all()


@pytest.mark.slow_except("each")
@pytest.mark.parametrize("control", ["joint", "each"])
def test_of_several_searches_the_best_counts(control):
    task = override(catalog.task(FIELDS), {"farm__control": control})
    alone = [search(task, rounds=1, seed=seed)[1][1] for seed in (3, 4, 5)]
    assert len(set(alone)) > 1
    _, (_, together), _ = search(task, rounds=1, seed=3, searches=3)
    assert together == max(alone)


@pytest.mark.parametrize("control", ["joint", "each"])
def test_a_searched_season_keeps_to_a_budget_that_could_be_overspent(control):
    own = {"farm__control": control, "farm__overspending": "costs", "farm__budgets": {"N": 1000.0}}
    _, (before, after), core = search(override(catalog.task(BUDGET), own))
    assert core.simulator.left[1, 0] >= -1e-9
    assert core.simulator.left[1, 0] < 200.0
    assert after > before


@pytest.mark.slow_except(BUDGET)
@pytest.mark.parametrize("name", [BUDGET, FIELDS])
def test_a_search_is_the_same_from_the_same_seed(name):
    task = catalog.task(name)
    first, again, other = (search(task, rounds=1, restarts=1, seed=seed)[0] for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_of_plans_that_spend_alike_the_best_eight_are_kept_each_value_once():
    spent = np.array([0.0] * 12 + [5.0] * 3 + [60.0] * 10)
    values = np.array([*range(12), 7.0, 7.0, 1.0, *range(100, 110)], dtype=float)
    plans, some = np.arange(25)[:, None], np.arange(25) % 2 == 0
    pool = _Pool(plans[some], values[some], spent[some, None])
    pool.add(plans[~some], values[~some], spent[~some, None])
    assert sorted(zip(pool.spent[:, 0], pool.values, strict=True)) == [
        *((0.0, float(value)) for value in range(4, 12)),
        *((5.0, value) for value in (1.0, 7.0)),
        *((60.0, float(value)) for value in range(102, 110)),
    ]
    assert (values[pool.plans[:, 0]] == pool.values).all()


@pytest.mark.parametrize("budgets", [[], [7.0], [7.0, 4.0]])
def test_the_best_plans_within_budgets_are_those_of_all_combinations(budgets):
    generator = np.random.default_rng(4)
    values = [generator.normal(size=4) for _ in range(4)]
    spent = [generator.integers(0, 4, size=(4, len(budgets))).astype(float) for _ in range(4)]
    for own in spent:
        own[0] = 0.0
    chosen = best_within(values, spent, np.array(budgets))
    sums = {
        picks: sum(v[i] for v, i in zip(values, picks, strict=True))
        for picks in product(range(4), repeat=4)
        if (sum(s[i] for s, i in zip(spent, picks, strict=True)) <= budgets).all()
    }
    assert len(sums) < 4**4 or not budgets
    assert tuple(chosen) == max(sums, key=sums.get)


@pytest.mark.parametrize(("beyond", "chosen"), [(0.0, 1), (0.95e-6, 1), (1.05e-6, 0)])
def test_a_millionth_beyond_a_budget_is_rounding(beyond, chosen):
    spent = np.array([[0.0], [10.0 + beyond]])
    assert best_within([np.array([1.0, 2.0])], [spent], np.array([10.0])) == [chosen]


@pytest.mark.slow
def test_schedules_and_rules_are_fitted_on_the_whole_farm():
    few = catalog.task(BUDGET).splits["train"].model_copy(update={"generated": (0, 19)})
    task = catalog.task(BUDGET).model_copy(update={"splits": {"train": few}})
    interface = interface_of(task)
    given = FieldwiseSettings(policy="schedule", fields=dict.fromkeys(task.field_names, SCHEDULE))
    fitted, mean = fieldwise_tuning.fit(task, given, Search(candidates=6, rounds=2))
    with fieldwise_tuning._tried(task, engine_of()) as worth:
        before, after = worth([given, fitted])
    assert mean >= before
    assert mean == pytest.approx(after)
    assert set(fitted.fields) == set(task.field_names)
    Fieldwise("fitted", fitted, interface)
    rule = {"input": "N", "amount": 20.0, "until": 60.0}
    rules = {"rules": [rule], "tune": {"0.until": [0.0, 100.0]}, "scenarios": 2}
    fitted, mean = fieldwise_tuning.fit(task, FieldwiseSettings(policy="rules", settings=rules), Search())
    assert fitted.settings["rules"][0]["until"] == 100.0
    own = {field: {"rules": [rule | {"until": 100.0}]} for field in task.field_names}
    own["poor-loam"] = {"rules": [rule | {"until": 0.0}], "tune": {"0.until": [100.0]}}
    given = FieldwiseSettings(policy="rules", fields=own)
    fitted, mean = fieldwise_tuning.fit(task, given, Search(candidates=4, rounds=1))
    assert [own["rules"][0]["until"] for own in fitted.fields.values()] == [100.0] * 10
    with fieldwise_tuning._tried(task, engine_of()) as worth:
        assert [mean, True] == [*worth([fitted]), mean > worth([given])[0]]
    with pytest.raises(ConfigError, match="no field has values to tune"):
        fieldwise_tuning.fit(
            task, FieldwiseSettings(policy="rules", fields={"peat": rules | {"tune": {}}}), Search()
        )
    with pytest.raises(ConfigError, match="not constant"):
        fieldwise_tuning.fit(task, FieldwiseSettings(policy="constant"), Search())


@pytest.mark.slow
def test_rules_of_farms_are_tried_by_processes_and_calendars_are_not():
    few = catalog.task(BUDGET).splits["train"].model_copy(update={"generated": (0, 2)})
    task = catalog.task(BUDGET).model_copy(update={"splits": {"train": few}})
    rules = {"rules": [{"input": "N", "amount": 20.0, "until": 60.0}], "tune": {"0.until": [0.0, 100.0]}}
    given = FieldwiseSettings(policy="rules", settings=rules)
    here = fieldwise_tuning.fit(task, given, Search())
    assert fieldwise_tuning.fit(task, given, Search(), engine_of("processes:2")) == here
    for kind in ("calendar", "schedule"):
        with pytest.raises(ConfigError, match=f"{BUDGET}: a {kind} is fitted in one batch"):
            fieldwise_tuning.fit(task, FieldwiseSettings(policy=kind), Search(), engine_of("processes:2"))


def test_a_network_chooses_from_every_menu():
    space = build(catalog.task(BUDGET), "train").actions.space
    assert heads.outputs(space) == 40
    assert heads.default_head(space) == "argmax"
    out = np.random.default_rng(2).normal(size=(7, 40))
    actions = heads.actions(out, "argmax", space)
    assert actions.shape == (7, 10)
    assert (actions == out.reshape(7, 10, 4).argmax(axis=2)).all()
    assert [part.shape for part in heads.of_menus(out, space)] == [(7, 4)] * 10


def test_a_network_of_menus_is_saved_and_acts(tmp_path):
    task = catalog.task(BUDGET)
    inputs = len(interface_of(task).observer.entries)
    generator = np.random.default_rng(3)
    weight, bias = generator.normal(size=(inputs, 40)) / 100.0, generator.normal(size=40)
    network = mlp.Network(("identity",), (weight,), (bias,), "argmax")
    policy = mlp.load(mlp.save(network, tmp_path / "policy.npz"), task, other_task=True)
    check_policy(policy, BUDGET, "test")
    actions = np.zeros((5, 10), dtype=np.int64)
    other = actions.copy()
    other[2, 3] = 1
    first, second = (of_actions([played], task).fingerprint for played in (actions, other))
    assert first.shape == (41,)
    assert (first != second).sum() == 4
