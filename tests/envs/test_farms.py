"""Farms: fields side by side, their actions, budgets, rewards, and an agent a field."""

import sys

import numpy as np
import pytest
from gymnasium import spaces

import agbench
from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import action_map, build
from agbench.envs.field import building as field
from agbench.errors import (
    ActionError,
    ConfigError,
    MissingExtraError,
    NotApplicableError,
    SimulationError,
    UnknownNameError,
)
from agbench.testing import CHECKS

FARM, FIELDS, BUDGET = "sunflower-farm-v1", "sunflower-farm-fields-v1", "farm-nitrogen-v1"
CONTROLS = ("joint", "each", "choice")
LONG = ("response", "rendering", "another-process")
"""Checks that the tasks themselves go through; see test_tasks.py."""


def task(name=BUDGET, **overrides):
    return override(catalog.task(name), overrides)


def farm(n=1, name=BUDGET, split="test", **overrides):
    """Return the core of n farms, reset in the split's first scenario."""
    parts = build(task(name, **overrides), split)
    core = BatchCore(parts, n)
    for row in range(n):
        core.seed(row, row)
    core.reset(range(n), [parts.scenarios.keys[0]] * n)
    return core


def step(core, actions):
    return core.step(np.asarray(actions), ~core.over)


def test_a_farm_is_its_fields_to_the_last_bit():
    core = farm()
    spec = core.task
    generator = np.random.default_rng(1)
    chosen = [generator.integers(0, 4, (1, 10)) * (generator.random((1, 10)) < 0.15) for _ in range(40)]
    world, model = core.worlds[0], field.model_of(spec)
    alone = [model.simulator(1) for _ in world.fields]
    for simulator, own in zip(alone, world.fields, strict=True):
        simulator.reset([own])
        simulator.advance(np.zeros((1, 2)), spec.warmup)
    for actions in chosen:
        if core.over[0]:
            break
        inputs = core.parts.actions.inputs(actions, core)
        step(core, actions)
        for i, simulator in enumerate(alone):
            if not simulator.finished[0]:
                simulator.advance(inputs.reshape(10, 2)[i : i + 1], spec.step)
            assert simulator.state[0].tobytes() == core.simulator.batch.state[i].tobytes()
    assert core.over[0]
    assert {int(simulator.elapsed[0]) for simulator in alone} <= {*range(int(core.simulator.elapsed[0]) + 1)}


def test_the_state_of_the_fields_is_shown_without_a_copy():
    core = farm(3)
    assert core.simulator.state.base is core.simulator.batch.state
    assert np.shares_memory(core.simulator.state, core.simulator.batch.state)
    variables = core.simulator.variables
    wide = len(core.simulator.batch.variables)
    assert variables.column("WSO.loam") == 4 * wide + core.simulator.batch.variables.column("WSO")
    with pytest.raises(UnknownNameError, match=r"WSO\.loam"):
        variables.column("WSO.lomm")


def test_totals_and_means_are_over_hectares():
    core = farm()
    core.applied[:] = np.arange(20.0)
    given = np.arange(0.0, 20.0, 2.0)
    areas = np.array(core.task.areas)
    assert core.info()["nitrogen"][0] == pytest.approx(given @ areas)
    weights = core.simulator.inputs.weighted("mean(N)")
    assert sum(weight for _, weight in weights) == pytest.approx(1.0)
    assert [column for column, _ in weights] == list(range(0, 20, 2))


@pytest.mark.parametrize("kind", ["menu", "continuous"])
@pytest.mark.parametrize("control", CONTROLS)
def test_actions_come_back_from_their_inputs(control, kind):
    if (control, kind) == ("choice", "continuous"):
        with pytest.raises(ConfigError, match=r"'choice' needs action\.kind: menu"):
            task(FARM, farm__control=control, action__kind=kind)
        return
    spec = task(FARM, farm__control=control, action__kind=kind)
    actions = action_map(spec)
    actions.space.seed(3)
    table = build(spec, "train").make_simulator(1).inputs
    drawn = np.array([actions.space.sample() for _ in range(64)])
    inputs = actions.inputs(drawn)
    assert inputs.shape == (64, len(table))
    names = (
        actions.names
        if "." in actions.names[0]
        else [f"{name}.{spec.field_names[2]}" for name in actions.names]
    )
    again = actions.actions_of(inputs[:, table.columns(names)])
    assert again.dtype == drawn.dtype
    np.testing.assert_allclose(again, drawn, rtol=0, atol=1e-6)
    if kind == "menu":
        assert (again == drawn).all()
    if control == "joint":
        assert (inputs.reshape(64, 5, -1) == inputs.reshape(64, 5, -1)[:, :1]).all()


def test_a_choice_reaches_one_field():
    actions = action_map(task(FARM, farm__control="choice"))
    assert isinstance(actions.space, spaces.Discrete)
    assert actions.space.n == 1 + 5 * 16
    inputs = actions.inputs(np.arange(81)).reshape(81, 5, -1)
    assert ((inputs > 0.0).sum(axis=(1, 2)) == [0, *[1] * 80]).all()
    assert (inputs[actions.on_field(3, 2)] > 0.0).any(axis=1).tolist() == [False, False, False, True, False]
    assert actions.on_field(3, 0) == 0


def test_a_spent_budget_is_shared_in_the_ratio_of_what_was_asked():
    core = farm()
    areas = np.array(core.task.areas)
    ask = np.array([[3, 1, 0, 0, 0, 0, 0, 0, 0, 0]])
    left = core.parts.observer.index("left(N)")
    assert core.observations[0, left] == 5000.0
    for _ in range(2):  # 60 kg ha-1 of 50 ha, twice
        step(core, np.full((1, 10), 3))
    assert core.observations[0, left] == 0.0
    assert core.info()["nitrogen"][0] == pytest.approx(5000.0)
    assert core.applied.reshape(10, 2)[:, 0] == pytest.approx(100.0)
    step(core, ask)
    assert core.info()["nitrogen"][0] == pytest.approx(5000.0)
    assert core.info()["cost"][0] == 0.0
    core = farm(farm__budgets={"N": 70.0})
    step(core, ask)
    applied = core.applied.reshape(10, 2)[:, 0]
    assert applied @ areas == pytest.approx(70.0)
    assert applied[0] == pytest.approx(3.0 * applied[1])


def test_overspending_can_cost_instead():
    core = farm(farm__overspending="costs")
    costs = []
    for _ in range(3):
        step(core, np.full((1, 10), 2))
        costs.append(core.info()["cost"][0])
    assert costs == pytest.approx([0.0, 0.0, 1000.0])
    assert core.info()["nitrogen"][0] == pytest.approx(6000.0)
    assert core.observations[0, core.parts.observer.index("left(N)")] == 0.0


def test_a_farm_that_rests_overspends_nothing():
    core = farm(2, farm__overspending="costs", farm__budgets={"N": 20.0})
    core.step(np.full((2, 10), 2), np.array([True, False]))
    over = 40.0 * sum(core.task.areas) - 20.0
    assert core.info()["cost"].tolist() == pytest.approx([over, 0.0])
    assert core.reward.totals["over_budget"].tolist() == pytest.approx([over, 0.0])


def test_a_penalty_for_overspending_is_shared_by_what_was_applied():
    paying = {"reward__kind": "threshold", "reward__limits": {"N": 1e6}, "reward__penalty": 2.0}
    costly = {**paying, "farm__overspending": "costs", "farm__budgets": {"N": 20.0}}
    agents, core = agbench.make_parallel(FIELDS, **costly), farm(name=FIELDS, split="train", **costly)
    agents.reset(seed=0, options={"scenario": str(core.scenario[0])})
    doses = [0, 3, 1, 0, 0]
    _, alone, *_ = agents.step(dict(zip(agents.agents, doses, strict=True)))
    together = step(core, [doses])[0][0]
    areas, given = np.array(core.task.areas), np.array([0.0, *core.task.action.doses["N"][1:]])[doses]
    over = (areas * given).sum() - 20.0
    assert core.info()["cost"][0] == pytest.approx(over)
    free = farm(name=FIELDS, split="train", farm__overspending="costs", farm__budgets={"N": 20.0})
    step(free, [doses])
    paid = free.reward.of_fields[0] - list(alone.values())
    assert paid == pytest.approx(2.0 * over * areas * given / (areas * given).sum())
    assert sum(alone.values()) == pytest.approx(together)


def test_a_field_that_is_ripe_takes_and_pays_nothing():
    core = farm(name=FIELDS)
    while not core.simulator.batch.finished.any():
        step(core, np.zeros((1, 5), np.int64))
    ripe = core.simulator.batch.finished.copy()
    assert not core.over[0]
    assert not ripe.all()
    before = core.applied.copy()
    step(core, np.full((1, 5), 4))
    given = (core.applied - before).reshape(5, -1)
    assert (given[ripe] == 0.0).all()
    assert (given[~ripe].sum(axis=1) == 80.0).all()
    assert (core.reward.of_fields[0][ripe] == 0.0).all()


def test_a_farm_earns_what_its_fields_earn_times_their_areas():
    core = farm()
    total, of_fields = 0.0, np.zeros(10)
    for i in range(30):
        rewards, *_ = step(core, np.full((1, 10), 1 if i in (5, 10) else 0))
        info = core.info()
        shares = np.array([info[f"reward.{name}"][0] for name in core.task.field_names])
        assert rewards[0] == pytest.approx(shares.sum())
        total, of_fields = total + rewards[0], of_fields + shares
        if core.over[0]:
            break
    returns = [core.reward.totals[f"return.{name}"][0] for name in core.task.field_names]
    assert returns == pytest.approx(of_fields.tolist())
    column = core.simulator.batch.variables.column("WSO")
    grain = core.simulator.batch.state[:, column] * 10.0 - 5.0 * 40.0
    assert of_fields == pytest.approx(grain * core.task.areas)


def test_each_field_draws_parameters_of_its_own():
    noise = {"TSUM1": {"share": 0.1}}
    core = farm(2, name=FARM, randomisation__parameters=noise)
    drawn = [[float(f.arrays["parameters"]["TSUM1"]) for f in world.fields] for world in core.worlds]
    given = [900.0, 970.0, 1050.0, 1050.0, 1100.0]
    for own in drawn:
        assert all(abs(a / b - 1.0) <= 0.1 for a, b in zip(own, given, strict=True))
    assert len({*drawn[0], *drawn[1]}) == 10


def test_a_field_keeps_the_soil_that_it_names():
    own = {"name": "own", "soil": "loam-npk", "area": 1.0}
    core = farm(8, name=FARM, fields=[own, {"name": "any"}], randomisation__soils=["arable-sand", "oregon-1"])
    drawn = [tuple(float(f.arrays["parameters"]["SMW"]) for f in world.fields) for world in core.worlds]
    assert len({kept for kept, _ in drawn}) == 1
    assert len({other for _, other in drawn} - {drawn[0][0]}) == 2


def test_a_field_may_be_sown_later():
    spec = task(FARM)
    late = spec.fields[0].model_copy(update={"crop_start": "05-15"})
    core = BatchCore(build(spec.model_copy(update={"fields": [late, *spec.fields[1:]]}), "test"), 1)
    core.reset([0], [core.parts.scenarios.keys[0]])
    stages = []
    for _ in range(6):
        step(core, [0])
        stages.append(core.simulator.batch.state[:2, core.simulator.batch.variables.column("DVS")].copy())
    assert (np.array(stages)[:4, 0] <= 0.0).all()
    assert stages[-1][1] > stages[-1][0] > 0.0


def test_wrong_farms_are_refused():
    content = catalog.task(BUDGET).content()

    def refused(match, **changes):
        with pytest.raises((ConfigError, UnknownNameError), match=match):
            build(read_task({**content, **changes}, "mine.yaml"), "train")

    twice = [*content["fields"], content["fields"][0]]
    refused("a name stands for one field", fields=twice)
    refused("P is none of the inputs N", farm={**content["farm"], "budgets": {"P": 5.0}})
    own = {**content["fields"][0], "parameters": {"TNSOLI": 1.0}}
    others = content["fields"][1:]
    refused("field poor-sand: changed parameters: unknown parameter 'TNSOLI'", fields=[own, *others])
    own = {**content["fields"][0], "name": "Poor Sand"}
    refused("is not a field's name", fields=[own, *others])
    refused("metrics.yield_poorest: poor-sand is none of the fields", fields=others)
    own = {**content["fields"][0], "crop_start": "12-24"}
    refused("crop_start 12-24 lies outside the season", fields=[own, *others])
    refused("fields: input should be a valid list; got None", fields=None)
    content = catalog.task("maize-sow-harvest-v1").content()
    farmed = {**content, "family": "farm", "fields": [{"name": "a"}]}
    refused("HARVEST is work", **farmed, farm={"budgets": {"HARVEST": 1.0}})


def test_no_fields_and_parts_of_a_field_are_refused_where_a_task_is_overridden():
    with pytest.raises(ConfigError, match="fields: input should be a valid list; got None"):
        task(fields=None)
    with pytest.raises(ConfigError, match=r"fields is .* and has no parts. Give it whole"):
        task(fields__0__area=3.0)
    with pytest.raises(ConfigError, match=r"fields.0: expected keys and values; got 3"):
        task(fields=[3])


def test_a_state_of_another_farm_is_refused_and_changes_nothing():
    whole, fewer = (agbench.make(BUDGET, **o).unwrapped for o in ({}, {"fields": [{"name": "peat"}]}))
    other = agbench.make(FARM).unwrapped
    seen, _ = whole.reset(seed=0)
    for env, match in ((fewer, "with other overrides"), (other, f"one of {FARM}; this runs {BUDGET}")):
        env.reset(seed=0)
        with pytest.raises(SimulationError, match=match):
            whole.load_state(env.save_state())
    assert (whole.load_state(whole.save_state()) == seen).all()


def test_other_fields_leave_out_the_metrics_of_those_that_are_gone():
    own = task(fields=[{"name": "peat"}])
    assert own.field_names == ["peat"]
    assert list(own.metrics) == ["yield", "nitrogen", "uptake", "yield_richest"]


@pytest.mark.slow_except("choice-*", "*-actions-outside-refused", "*-rows-equal-single")
@pytest.mark.parametrize(
    "check", [c for c in CHECKS if c not in ("response", "rendering", "another-process")]
)
@pytest.mark.parametrize(
    "overrides",
    [
        {"farm__control": "choice"},
        {"farm__control": "joint", "action__kind": "continuous", "farm__overspending": "costs"},
        {"farm__control": "each", "action__kind": "continuous"},
        {"randomisation__parameters": {"TNSOILI": {"share": 0.3}}},
    ],
    ids=["choice", "joint amounts", "amounts of each", "random fields"],
)
def test_a_variant_keeps_the_contract(overrides, check):
    CHECKS[check](BUDGET, **overrides)


def test_pcse_runs_a_farm_too():
    spec = task(BUDGET, engine="pcse", season__end="03-15")
    core = BatchCore(build(spec, "test"), 1)
    core.reset([0], [core.parts.scenarios.keys[0]])
    ours = farm(season__end="03-15")
    for action in (2, 0):
        step(core, np.full((1, 10), action))
        step(ours, np.full((1, 10), action))
    seen = [core.parts.observer.index(name) for name in ("DVS.loam", "mean(RAIN)")]
    assert core.observations[0, seen] == pytest.approx(ours.observations[0, seen], rel=1e-5)


pettingzoo = pytest.importorskip("pettingzoo")


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", [FARM, FIELDS, BUDGET])
def test_pettingzoo_finds_no_fault(name, shared, capsys):
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    parallel_api_test(agbench.make_parallel(name, shared_reward=shared), num_cycles=100)
    parallel_seed_test(lambda: agbench.make_parallel(name, shared_reward=shared), num_cycles=20)


def test_agents_do_together_what_one_does_for_all():
    agents, env = agbench.make_parallel(FIELDS), agbench.make(FIELDS).unwrapped
    seen, _ = agents.reset(seed=5)
    whole, _ = env.reset(seed=5)
    entries = [entry.name for entry in env.observation_entries]
    own = [entry.name for entry in agents.observation_entries]
    assert own[:2] == ["DVS", "WSO"]
    env.action_space.seed(0)
    left = []
    while agents.agents:
        action = env.action_space.sample()
        here = list(agents.agents)
        before = {agent: i for i, agent in enumerate(agents.possible_agents)}
        seen, rewards, ended, stopped, infos = agents.step({a: int(action[before[a]]) for a in here})
        whole, reward, *_, info = env.step(action)
        assert sum(rewards.values()) == pytest.approx(reward)
        for agent in here:
            names = [f"{n}.{agent}" if f"{n}.{agent}" in entries else n for n in own]
            assert (seen[agent] == whole[[entries.index(n) for n in names]]).all()
            assert rewards[agent] == info[f"reward.{agent}"]
            assert not stopped[agent]
            assert infos[agent]["yield"] == info["yield"]
        left += [agent for agent in here if ended[agent]]
    assert sorted(left) == sorted(agents.possible_agents)
    assert left[0] == "early"


def test_with_a_shared_reward_all_stay_and_get_the_same():
    agents = agbench.make_parallel(FIELDS, shared_reward=True)
    agents.reset(seed=5)
    counts = []
    while agents.agents:
        counts.append(len(agents.agents))
        _, rewards, *_ = agents.step(dict.fromkeys(agents.agents, 0))
        assert len({*rewards.values()}) == 1
    assert {*counts} == {5}


def test_what_agents_must_not_do_is_said():
    agents = agbench.make_parallel(FIELDS)
    agents.reset(seed=1)
    with pytest.raises(ActionError, match="no action for the field early"):
        agents.step({})
    with pytest.raises(ActionError, match="is not in Discrete"):
        agents.step({agent: [1, 2] for agent in agents.agents})
    with pytest.raises(ActionError, match="its parts differ in length"):
        agents.step({agent: [1, [2, 3]] for agent in agents.agents})
    with pytest.raises(NotApplicableError, match="wheat-nitrogen-v1 has one agent"):
        agbench.make_parallel("wheat-nitrogen-v1")


def test_without_pettingzoo_the_command_is_printed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "agbench.envs.farm.parallel", raising=False)
    with pytest.raises(MissingExtraError, match=r'pip install "agbench\[farm\]"'):
        agbench.make_parallel(FARM)


@pytest.mark.slow_except("sunflower-farm-v1-*")
@pytest.mark.parametrize(("name", "applied"), [(FARM, ["all fields"]), (FIELDS, None)])
def test_a_picture_names_each_field_once(name, applied):
    env = agbench.make(name, render_mode="rgb_array")
    env.reset(seed=0)
    env.step(env.action_space.sample())
    assert env.render().std() > 5.0
    plot = env.unwrapped._plot
    (legend,) = plot._figure.legends
    fields = env.unwrapped.core.task.field_names
    assert [text.get_text() for text in legend.get_texts()] == fields
    assert all(axes.get_legend() is None for axes in plot._figure.axes)
    nitrogen = next(panel for panel in plot.panels() if panel.title.startswith("N applied"))
    assert [curve.name for curve in nitrogen.curves] == (applied or fields)


def test_a_picture_shows_rain_and_every_observed_state_of_the_fields():
    env = agbench.make(FIELDS, render_mode="rgb_array")
    env.reset(seed=0)
    for _ in range(4):
        env.step(env.action_space.sample())
    env.render()
    core, plot = env.unwrapped.core, env.unwrapped._plot
    panels = {panel.title.rpartition(" [")[0]: panel.curves for panel in plot.panels()}
    (rain,) = panels["Rain"]
    sky = core.simulator.weather_variables.columns(["RAIN"])
    fallen = core.simulator.weather(int(core.simulator.elapsed[0]) + 1, sky)[0, :, 0]
    assert fallen.sum() > 0.0
    assert sum(rain.y) == pytest.approx(fallen.sum(), rel=1e-3)
    sums = {"TOTN", "TOTP", "TOTK", "TOTIRRIG"}
    assert set(core.task.observation.state) - sums <= panels.keys()
    assert not sums & panels.keys()
    drawn = [axes for axes in plot._figure.axes if axes.axison]
    assert len(drawn) == len(panels)
    (stage,) = (axes for axes in drawn if axes.get_title(loc="left").startswith("DVS"))
    assert stage.get_ylabel() == ""


def test_forecasts_of_a_farm_err_by_its_own_seed():
    forecast = {"days": 2, "variables": ["TEMP"]}
    exact, core = (
        farm(3, FARM, observation__forecast=forecast | {"error": error}) for error in ({}, {"TEMP": 3.0})
    )
    places = [i for i, entry in enumerate(core.parts.observer.entries) if entry.name.startswith("TEMP[+")]
    errors = (core.observations - exact.observations)[:, places]
    assert len(places) == 2
    assert len(np.unique(errors, axis=0)) == 3
    assert (errors != 0.0).all()


@pytest.mark.parametrize("kind", ["menu", "continuous"])
def test_an_amount_of_one_field_is_an_action_that_gives_the_others_nothing(kind):
    actions = action_map(task(FIELDS, **({} if kind == "menu" else {"action__kind": kind})))
    name = actions.names[3]
    amount = actions.nearest(name, 25.0)[0]
    action, given = actions.encode(name, amount)
    assert actions.space.contains(action)
    assert given == pytest.approx(amount)
    inputs = actions.inputs(action[None])[0]
    assert inputs.max() == inputs.sum() == pytest.approx(amount)
