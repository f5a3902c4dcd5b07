"""Policies on farms: those of fields, oracles, networks, and how they are tuned."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import ConfigError, UnknownNameError
from agbench.leaderboard.checks.recorded import fingerprint
from agbench.policies.field import fieldwise_tuning
from agbench.policies.field.evolution import EvolutionSettings, Evolved, _Seasons
from agbench.policies.field.fieldwise import Fieldwise, FieldwiseSettings
from agbench.policies.networks import heads, mlp
from agbench.policies.playing import actions_of, episode, returns_of_actions
from agbench.policies.registry import interface_of
from agbench.policies.tuning.cross_entropy import Search
from agbench.testing import check_policy

FARM, FIELDS, BUDGET = "sunflower-farm-v1", "sunflower-farm-fields-v1", "farm-nitrogen-v1"
PLAN = [{"date": "02-22", "amount": 40.0}, {"date": "04-05", "amount": 60.0}]
SCHEDULE = {"input": "N", "plan": PLAN}


def play(task, settings):
    """Return the nitrogen of each field [kg ha-1], step by step, under a fieldwise policy."""
    env = agbench.envs.SeasonEnv(build(task, "test"))
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
    [(FARM, "feeding"), (FIELDS, "feeding"), (FARM, "blind-calendar"), (BUDGET, "by-supply"), (BUDGET, "blind-calendar")],
)
def test_reference_policies_keep_the_contract(task, policy):
    check_policy(policy, task, "test")


@pytest.mark.parametrize("control", ["joint", "each", "choice"])
@pytest.mark.parametrize("name", [FIELDS, BUDGET])
def test_evolution_betters_what_it_starts_from(name, control):
    task = override(catalog.task(name), {"farm__control": control})
    parts = build(task, "test")
    core = BatchCore(parts, 1)
    core.seed(0, 0)
    core.reset([0], [parts.scenarios.keys[0]])
    start = core.save(0)
    settings = EvolutionSettings(start="zero", periods=3, population=16, generations=4)
    evolved = Evolved("mine", settings, interface_of(task))
    found = evolved.solve(parts, start)
    nothing = actions_of(parts, evolved._start, start)
    assert found.shape == nothing.shape
    values = returns_of_actions(BatchCore(parts, 2), start, np.stack([nothing, found]))
    assert values[1] > values[0]
    seasons = _Seasons(parts, 3, "mine")
    assert seasons.searches == (5 if (name, control) == (FIELDS, "each") else 1)


def test_a_searched_season_keeps_to_the_budget():
    parts = build(catalog.task(BUDGET), "test")
    seasons = _Seasons(parts, 4, "mine")
    actions = seasons.actions(np.full((2, 40), 9.0), 30)
    assert actions.shape == (2, 30, 10)
    doses = np.array([0.0, 20.0, 40.0, 60.0])[actions].sum(axis=1)
    spent = doses @ np.array(parts.task.areas)
    assert (spent <= 5000.0).all()
    assert (spent > 3500.0).all()


def test_schedules_and_rules_are_fitted_on_the_whole_farm():
    task = catalog.task(BUDGET).model_copy(update={"splits": {"train": catalog.task(BUDGET).splits["train"]}})
    interface = interface_of(task)
    given = FieldwiseSettings(policy="schedule", fields=dict.fromkeys(task.field_names, SCHEDULE))
    before = fieldwise_tuning._means(task, [given])[0]
    fitted, mean = fieldwise_tuning.fit(task, given, Search(candidates=12, rounds=3))
    assert mean >= before
    assert mean == pytest.approx(fieldwise_tuning._means(task, [fitted])[0])
    assert set(fitted.fields) == set(task.field_names)
    Fieldwise("fitted", fitted, interface)
    rule = {"input": "N", "amount": 20.0, "until": 60.0}
    rules = {"rules": [rule], "tune": {"0.until": [0.0, 100.0]}, "scenarios": 2}
    fitted, mean = fieldwise_tuning.fit(task, FieldwiseSettings(policy="rules", settings=rules), Search())
    assert fitted.settings["rules"][0]["until"] == 100.0
    own = FieldwiseSettings(policy="rules", fields={"loam": rules})
    with pytest.raises(ConfigError, match="the same for all fields"):
        fieldwise_tuning.fit(task, own, Search())


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
    policy = mlp.load(mlp.save(network, tmp_path / "policy.npz"), task)
    check_policy(policy, BUDGET, "test")
    actions = np.zeros((5, 10), dtype=np.int64)
    other = actions.copy()
    other[2, 3] = 1
    first, second = fingerprint([actions], task), fingerprint([other], task)
    assert first.shape == (41,)
    assert (first != second).sum() == 4
