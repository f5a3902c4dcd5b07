"""Searches for rules, calendars and seasons: what they breed, what they may cost, what they never lose."""

import numpy as np
import pytest
import yaml

from agbench.data import catalog
from agbench.data.reading import read_data
from agbench.data.suites import suite
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.threads import in_threads
from agbench.errors import ConfigError
from agbench.evaluation.references import policy_name
from agbench.policies.field import calendar_tuning, tuning
from agbench.policies.field.calendar import CalendarSearch, CalendarSettings
from agbench.policies.field.calendar_tuning import fit_calendar
from agbench.policies.field.evolution import EvolutionSettings, Evolved, played
from agbench.policies.field.grids import widened
from agbench.policies.field.rules import PlannedInput, Rule, RulesSettings
from agbench.policies.field.tuning import fit_rules
from agbench.policies.playing import totals
from agbench.policies.registry import interface_of
from agbench.policies.tuning import trials
from agbench.running import engine_of, processes

WHEAT = "wheat-inputs-v1"
LIMITED = "wheat-limits-v1"
SMALL = {"population": 16, "generations": 2, "clones": 16, "rounds": 2}


def rules(amounts, budget):
    """Return a rule of nitrogen whose amount, threshold and interval are to be tuned."""
    rule = Rule(input="N", amount=0.0, when="NAVAIL", below=10.0, every="14 d", within={"DVS": [0.0, 1.0]})
    tune = {"0.amount": amounts, "0.below": [5.0, 20.0, 60.0], "0.every": ["7 d", "14 d", "28 d"]}
    return RulesSettings(rules=[rule], tune=tune, budget=budget, scenarios=3)


def test_breeding_within_a_budget_finds_what_all_combinations_have():
    settings = rules([0.0, 20.0, 40.0, 60.0], 24)  # of 36
    best, most = fit_rules(catalog.task(WHEAT), settings)
    _, of_all = fit_rules(catalog.task(WHEAT), settings.model_copy(update={"budget": 36}))
    assert most >= 0.98 * of_all
    assert best.rules[0].amount > 0.0


def test_breeding_never_loses_the_rules_as_they_are():
    best, most = fit_rules(catalog.task(WHEAT), rules([0.0, 20.0, 40.0, 60.0], 36))
    worse = {"0.amount": [0.0], "0.below": [-3.0, -2.0, -1.0]}  # which never act
    again, as_before = fit_rules(catalog.task(WHEAT), best.model_copy(update={"tune": worse, "budget": 2}))
    assert again.rules == best.rules
    assert as_before == most


def test_rules_are_fitted_alike_on_any_engine_by_workers_that_stay(monkeypatch):
    begun = []
    start = processes.ProcessPoolExecutor
    monkeypatch.setattr(processes, "ProcessPoolExecutor", lambda *given: begun.append(1) or start(*given))
    settings = rules([0.0, 20.0, 40.0, 60.0], 8)
    here = fit_rules(catalog.task(WHEAT), settings)
    assert not begun
    assert fit_rules(catalog.task(WHEAT), settings, engine_of("processes:2")) == here
    assert len(begun) == 1


def test_rules_are_not_fitted_in_threads():
    with in_threads(2), pytest.raises(ConfigError, match="rules are tried by processes: --workers 2"):
        fit_rules(catalog.task(WHEAT), rules([0.0, 20.0], 8))


DOSES = {"N": [0.0, 20.0, 40.0], "IRRIG": [0.0, 2.0]}


@pytest.mark.parametrize(
    ("path", "tried", "value", "beyond"),
    [
        ("0.below", [5.0, 20.0], 20.0, [25.0, 30.0, 40.0, 80.0, 1000.0]),
        ("0.below", [5.0, 20.0], 5.0, [3.75, 2.5, 1.25, 0.0]),
        ("0.below", [5.0, 20.0, 1000.0], 1000.0, []),
        ("0.below", [0.0, 5.0], 0.0, []),
        ("0.below", [5.0, 10.0, 20.0], 10.0, []),
        ("0.below", [20.0], 20.0, []),
        ("0.amount", [0.0, 20.0], 20.0, [40.0]),
        ("0.amount", [20.0, 40.0], 20.0, [0.0]),
        ("0.amount", [20.0, 40.0], 40.0, []),
        ("0.until", [60.0, 80.0], 80.0, [100.0, 120.0, 160.0, 320.0]),
        ("1.below", [0.2, 0.3], 0.3, [0.375, 0.45, 0.6, 1.0]),
        ("1.below", [0.2, 1.0], 1.0, []),
        ("2.below", [5.0, 20.0], 20.0, []),  # a rule that gives nothing
        ("N.below", [10.0, 40.0], 40.0, [50.0, 60.0, 80.0, 160.0, 1000.0]),
    ],
)
def test_a_grid_goes_on_beyond_the_end_where_its_best_lies(path, tried, value, beyond):
    rules = [
        Rule(input="N", amount=20.0, when="NAVAIL", below=10.0, every="14 d", until=80.0),
        Rule(input="IRRIG", amount=2.0, when="SM", below=0.2),
        Rule(input="N", amount=0.0, when="NAVAIL", below=20.0),
    ]
    planned = {"N": PlannedInput(when="NAVAIL", below=40.0)}
    settings = RulesSettings(rules=rules, planned=planned, tune={path: tried})
    settings = tuning._with_values(settings, {path: value})
    assert widened(settings, DOSES) == {path: sorted({*tried, *beyond}) if beyond else tried}


@pytest.mark.parametrize(
    ("every", "tried", "wider"),
    [
        ("21 d", ["7 d", "14 d", "21 d"], ["7 d", "14 d", "21 d", "28 d", "35 d", "42 d", "84 d", "365 d"]),
        ("7 d", ["7 d", "14 d"], ["1 d", "3 d", "7 d", "14 d"]),
        ("336 h", ["336 h", "168 h"], ["7 d", "14 d", "21 d", "28 d", "35 d", "77 d", "365 d"]),
        ("14 d", ["7 d", "14 d", "21 d"], ["7 d", "14 d", "21 d"]),
        ("365 d", ["7 d", "365 d"], ["7 d", "365 d"]),
        ("1 d", ["1 d", "7 d"], ["1 d", "7 d"]),
        ("7 d", ["7 d"], ["7 d"]),
        (None, ["7 d", "14 d"], ["7 d", "14 d"]),
    ],
)
def test_intervals_go_on_beyond_the_end_where_the_best_lies(every, tried, wider):
    rule = Rule(input="N", amount=20.0, when="NAVAIL", below=10.0, every=every)
    settings = RulesSettings(rules=[rule], tune={"0.every": tried})
    assert widened(settings, DOSES) == {"0.every": wider}


STAGES = [{"DVS": [0.3, 1.0]}, {"DVS": [0.3, 1.3]}, {"DVS": [0.5, 1.0]}, {"DVS": [0.6, 1.6]}]


@pytest.mark.parametrize(
    ("input", "own", "tried", "beyond"),
    [
        ("P", {"DVS": (0.3, 1.3)}, STAGES, [{"DVS": [0.2, 1.3]}, {"DVS": [0.1, 1.3]}]),
        ("P", {"DVS": (0.5, 1.0)}, STAGES, [{"DVS": [0.5, 0.9]}, {"DVS": [0.5, 0.8]}]),
        ("P", {"DVS": (0.5, 1.3)}, STAGES, []),
        (
            "P",
            {"DVS": (0.6, 1.6)},
            STAGES,
            [{"DVS": [0.7, 1.6]}, {"DVS": [0.8, 1.6]}, {"DVS": [0.6, 1.7]}, {"DVS": [0.6, 1.8]}],
        ),
        ("P", {"DVS": (0.0, 0.8)}, [{"DVS": [0.0, 0.8]}, {"DVS": [0.1, 0.8]}], [{"DVS": [-0.1, 0.8]}]),
        ("N", {"DVS": (0.0, 0.8)}, [{"DVS": [0.0, 0.8]}, {"DVS": [0.1, 0.8]}], []),
        ("P", {"DVS": (0.3, 1.0)}, [{"DVS": [0.3, 1.0]}], []),
        ("P", {}, STAGES, []),
        (
            "P",
            {"DVS": (0.3, 1.0), "HWSO": (200.0, 1e5)},
            [{"DVS": [0.3, 1.0], "HWSO": [200.0, 1e5]}, {"DVS": [0.3, 1.0], "HWSO": [400.0, 1e5]}],
            [{"DVS": [0.3, 1.0], "HWSO": [150.0, 1e5]}, {"DVS": [0.3, 1.0], "HWSO": [100.0, 1e5]}],
        ),
    ],
)
def test_ranges_go_on_beyond_a_bound_that_is_the_first_or_last_of_those_tried(input, own, tried, beyond):
    rule = Rule(input=input, amount=20.0, when="NAVAIL", below=10.0, within=own)
    settings = RulesSettings(rules=[rule], tune={"0.within": tried})
    assert widened(settings, DOSES) == {"0.within": [*tried, *beyond]}


def test_a_fit_leaves_no_setting_at_an_end_that_could_go_on(monkeypatch):
    task = catalog.task(WHEAT)
    doses = tuning.doses_of(build(task, "test"))
    best, most = fit_rules(task, rules([0.0, 20.0], 36))
    assert widened(best, doses) == best.tune
    assert len(best.tune["0.amount"]) > 2
    monkeypatch.setattr(tuning, "_WIDENINGS", 0)
    narrow, least = fit_rules(task, rules([0.0, 20.0], 36))
    assert widened(narrow, doses) != narrow.tune
    assert most >= least


LAWFUL = "wheat-nitrogen-v1"  # its grids end at what the law allows, see below
OURS = {*suite("core").ids, *suite("field").ids, *suite("crops").ids}
WIDENED = sorted({*OURS, *suite("replication").ids} - {LAWFUL})


@pytest.mark.parametrize("name", WIDENED)
def test_no_expert_lies_at_an_end_of_what_was_tried(name):
    task = catalog.task(name)
    expert = catalog.find_baseline(name, policy_name(task, "expert"))
    settings = yaml.safe_load(expert.read_text())["settings"]
    settings = settings.get("settings", settings)
    if "tune" not in settings or "rules" not in settings:
        pytest.skip("its expert is not tuned by grids")
    read = RulesSettings.model_validate(settings)
    assert widened(read, tuning.doses_of(build(task, "test"))) == read.tune


def test_only_what_the_law_allows_ends_the_grids_of_the_nitrogen_expert():
    task = catalog.task(LAWFUL)
    settings = yaml.safe_load(catalog.find_baseline(task.task, "advisor").read_text())["settings"]
    read = RulesSettings.model_validate(settings)
    wider = widened(read, tuning.doses_of(build(task, "test")))
    assert {path for path in wider if wider[path] != read.tune[path]} == {"1.until"}
    assert (
        max(rule.until for rule in read.rules)
        <= 220.0
        < min(set(wider["1.until"]) - set(read.tune["1.until"]))
    )


def test_breeding_plays_no_more_than_the_budget(monkeypatch):
    played = []
    monkeypatch.setattr(tuning, "_one_by_one", lambda best, most, *_: (best, most))
    usual = trials.totals_of_policies

    def counted(parts, policies, keys):
        played.append(len(policies) // 3)
        return usual(parts, policies, keys)

    monkeypatch.setattr(trials, "totals_of_policies", counted)
    fit_rules(catalog.task(WHEAT), rules([0.0, 20.0, 40.0, 60.0], 20))
    assert sum(played) == 20


def calendar(task, **search):
    """Return a calendar fitted with a small budget, and its mean return in training."""
    budget = {"calendars": 30, "generations": 2, "rounds": 2, "clones": 16} | search
    return fit_calendar(task, CalendarSettings(search=CalendarSearch(**budget), scenarios=3))


def test_a_blind_calendar_keeps_the_limits_of_a_season(monkeypatch):
    monkeypatch.setattr(calendar_tuning, "neighbours", lambda actions, sequence: [])  # takes longest
    task = catalog.task(LIMITED)
    fitted, mean = calendar(task, calendars=12, rounds=1, clones=8)
    given = dict.fromkeys(task.reward.limits, 0.0)
    for entry in fitted.plan:
        given[entry.input] += entry.amount
    assert mean > 0.0
    assert fitted.plan
    assert all(given[name] <= most + 1e-9 for name, most in task.reward.limits.items())


def solved(task_name, start, **settings):
    """Return an oracle's season in the first test scenario, its return and its cost."""
    task = catalog.task(task_name)
    parts = build(task, "test")
    core = BatchCore(parts, 1)
    core.start([parts.scenarios.keys[0]], [0])
    saved = core.save(0)
    chosen = EvolutionSettings(start=start, **(SMALL | settings))
    season = Evolved("mine", chosen, interface_of(task)).solve(parts, saved)
    total, cost = played(BatchCore(parts, 1), saved, season[None])
    return season, float(total[0]), float(cost[0])


def test_an_oracle_is_no_worse_than_any_policy_that_it_starts_from():
    alone = [solved(WHEAT, name, generations=1, rounds=1)[1] for name in ("zero", "advisor")]
    assert solved(WHEAT, ["zero", "advisor"], generations=1, rounds=1)[1] >= alone[1] - 1e-9 > alone[0]


def test_edits_go_on_where_amounts_end():
    _, without, _ = solved(WHEAT, "advisor", rounds=1)
    _, edited, _ = solved(WHEAT, "advisor", rounds=12)
    assert edited > without


def test_an_oracle_keeps_the_limits_of_a_season():
    _, total, cost = solved(LIMITED, ["advisor"], rounds=8, clones=64)
    assert cost <= 1e-9
    assert total > 0.0


def test_a_price_of_costs_stands_in_for_the_limit_of_each_season():
    runoff, budget = "potato-runoff-v1", {"rounds": 8, "clones": 64}
    _, within, allowed = solved(runoff, ["advisor"], **budget)
    _, free, most = solved(runoff, ["advisor"], cost_price=0.0, **budget)
    _, _, least = solved(runoff, ["advisor"], cost_price=1e4, **budget)
    assert free > within
    assert most > allowed > least


def test_sequences_that_are_too_short_go_on_with_their_last_action():
    parts = build(catalog.task(WHEAT), "test")
    core = BatchCore(parts, 2)
    nothing = parts.actions.encode("N", 0.0)[0]
    results = []
    for steps in (1, 60):
        core.start([parts.scenarios.keys[0]] * 2, [0, 0])
        results.append(totals(core, np.full((2, steps), nothing))[0])
    np.testing.assert_array_equal(*results)


def test_restarts_never_lose_what_was_found():
    _, without, _ = solved(WHEAT, "advisor", rounds=4)
    _, with_restarts, _ = solved(WHEAT, "advisor", rounds=4, restarts=2)
    assert with_restarts >= without


@pytest.mark.slow
def test_plans_of_other_scenarios_are_joined(monkeypatch):
    """In few rounds the plans of other seasons bring more than that of one; each is searched once."""
    searched = []
    search = Evolved.search

    def counted(self, parts, start, generator):
        searched.append(start.scenario)
        return search(self, parts, start, generator)

    monkeypatch.setattr(Evolved, "search", counted)
    few = {"generations": 1, "rounds": 1, "joined": 4, "clones": 64}
    _, alone, _ = solved(LIMITED, "advisor", **few)
    searched.clear()
    _, together, cost = solved(LIMITED, "advisor", neighbours=True, **few)
    assert together > alone
    assert sorted(searched) == sorted(build(catalog.task(LIMITED), "test").scenarios.keys)
    assert cost == 0.0
    with pytest.raises(ConfigError, match="joined says for how many rounds"):
        read_data(EvolutionSettings, {"start": "advisor", "neighbours": True}, "mine")


def test_more_sequences_than_rows_are_played_in_turn():
    parts = build(catalog.task(WHEAT), "test")
    core = BatchCore(parts, 4)
    core.start([parts.scenarios.keys[0]] * 4, [0] * 4)
    saved = core.save(0)
    sequences = np.random.default_rng(0).integers(0, parts.actions.space.n, size=(11, 45))
    returns, costs = played(core, saved, sequences)
    alone = [played(BatchCore(parts, 1), saved, one[None]) for one in sequences]
    assert returns.tolist() == [float(value[0]) for value, _ in alone]
    assert costs.tolist() == [float(cost[0]) for _, cost in alone]
