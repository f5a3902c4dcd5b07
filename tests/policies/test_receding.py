"""Search over action sequences: edits, the receding oracle, the blind calendar."""

import numpy as np
import pytest
import yaml
from gymnasium import spaces

from agbench.compiled.closure import closure_hash
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.rollout import play
from agbench.errors import ConfigError, UnknownNameError
from agbench.evaluation import references
from agbench.policies.field import calendar_tuning
from agbench.policies.field.calendar import Calendar, CalendarSettings
from agbench.policies.field.calendar_tuning import _entries, fit_calendar
from agbench.policies.field.receding import Receding, RecedingSettings
from agbench.policies.field.solver import Found, SearchingSolver, SolverSettings
from agbench.policies.playing import returns_of_actions, returns_of_policies, spread
from agbench.policies.registry import interface_of, load_policy
from agbench.policies.tuning import fitting, menu_edits, sequences
from agbench.policies.tuning.blind import calendars
from agbench.policies.tuning.fitting import fit_file
from agbench.policies.tuning.search import number_of_decisions
from agbench.policies.tuning.sequences import Edits, improve, simplified

TASK = "maize-sow-harvest-v1"
SCENARIO = "wageningen/1984"


@pytest.fixture(scope="module")
def task():
    return catalog.task(TASK)


@pytest.fixture(scope="module")
def parts(task):
    return build(task, "test")


def sequence(parts, **events):
    """Return 84 decisions with menu actions at some of them, `at_12=1`."""
    result = np.zeros(84, dtype=np.int64)
    for when, action in events.items():
        result[int(when.removeprefix("at_"))] = action
    return result


def test_edits_keep_to_their_window_and_to_the_menu(parts):
    edits, generator = Edits(parts), np.random.default_rng(0)
    elite = np.stack([sequence(parts, at_12=1, at_30=3, at_70=2), sequence(parts, at_14=1, at_75=2)])
    candidates = edits.candidates(elite, 300, 20, 60, generator)
    assert candidates.shape == (300, 84)
    outside = np.r_[0:20, 60:84]
    assert all(any((c[outside] == e[outside]).all() for e in elite) for c in candidates)
    assert (candidates[:, 20:60] != elite[0][20:60]).any(axis=1).sum() > 200
    assert set(np.unique(candidates)) <= set(range(parts.actions.space.n))


def edited(parts, monkeypatch, kind, plans):
    """Return plans after one edit of one kind each, without those that it leaves as they are."""
    shares = np.zeros(5)
    shares[kind] = 1.0
    for name in ("_SHARES", "_SHARES_OF_WORK"):
        monkeypatch.setattr(menu_edits, name, shares)
    monkeypatch.setattr(sequences, "_MORE", 0.0)
    result = Edits(parts).candidates(np.stack(plans), 400, 0, 84, np.random.default_rng(0))
    changed = [one for one in result if all((one != plan).any() for plan in plans)]
    assert len(changed) > 30
    return changed


def test_each_kind_of_edit_changes_what_it_says(parts, monkeypatch):
    plan, other = sequence(parts, at_22=1, at_30=5, at_31=6, at_50=2), sequence(parts, at_40=7)
    given = plan[plan > 0].tolist()
    for one in edited(parts, monkeypatch, menu_edits._CHANGE, [plan]):
        assert (one != plan).sum() == 1
    for one in edited(parts, monkeypatch, menu_edits._MOVE, [plan]):
        assert (one != plan).sum() == 2
        assert sorted(one[one > 0].tolist()) == sorted(given)
    for one in edited(parts, monkeypatch, menu_edits._SPLICE, [plan, other]):
        assert ((one == plan) | (one == other)).all()
    for one in edited(parts, monkeypatch, menu_edits._SHIFT, [plan]):
        assert len(given) - 1 <= len(left := one[one > 0].tolist()) <= len(given)
        assert not set(left) - set(given)
    for one in edited(parts, monkeypatch, menu_edits._SEASON, [plan]):
        doses = ~np.isin(one, [0, 1, 2])
        assert (one[doses] == plan[doses]).all()
        assert 1 in one


@pytest.mark.parametrize(
    ("way", "kept", "shifted"),
    [
        (0.2, 0.9, [4, 1, 0, 2, 9]),
        (0.2, 0.1, [4, 1, 3, 2, 9]),
        (0.7, 0.9, [4, 1, 3, 0, 9]),
        (0.7, 0.1, [4, 1, 3, 2, 9]),
    ],
)
def test_a_shift_of_all_that_follows_ends_with_its_window(way, kept, shifted):
    """Decisions 1 to 3 may change: 2 gives place to what comes later, or to what comes sooner."""
    plan = np.array([4, 1, 2, 3, 9])
    shift = getattr(menu_edits._shift, "py_func", menu_edits._shift)
    shift(plan, 2, 1, 4, np.array([0.5, 0.2, way, kept]))
    assert plan.tolist() == shifted


def test_a_changed_dose_may_be_the_next_of_its_input(parts):
    beside = menu_edits._beside(parts.actions)
    doses = parts.actions.doses("N")
    first, second = (parts.actions.encode("N", dose)[0] for dose in doses[1:3])
    last = parts.actions.encode("N", doses[-1])[0]
    assert beside[first].tolist() == [0, second]
    assert beside[last, 1] == last
    assert beside[0].tolist() == [0, 0]


def test_the_same_seed_makes_the_same_edits(parts):
    elite = sequence(parts, at_12=1, at_70=2)[None]
    draws = [Edits(parts).candidates(elite, 20, 0, 84, np.random.default_rng(3)) for _ in range(2)]
    np.testing.assert_array_equal(*draws)


@pytest.mark.parametrize("space", ["box", "many"])
def test_continuous_and_joint_actions_are_edited_too(task, space):
    parts = build(override(task, {"action__kind": "continuous"}), "test")
    edits = Edits(parts)
    if space == "many":
        edits._space, edits.nothing = spaces.MultiDiscrete([3, 4]), np.zeros(2, dtype=np.int64)
        elite = np.zeros((1, 10, 2), dtype=np.int64)
    else:
        elite = np.repeat(np.asarray(edits.nothing)[None, None], 10, axis=1)
    candidates = edits.candidates(elite, 50, 2, 8, np.random.default_rng(0))
    assert (candidates != elite).any()
    assert all(edits._space.contains(action) for action in candidates.reshape(-1, *elite.shape[2:]))
    assert (candidates[:, :2] == elite[:, :2]).all()


def test_a_search_finds_the_best_of_an_easy_problem_and_never_gets_worse(parts):
    wanted = sequence(parts, at_3=1, at_9=4)
    values = []

    def value(candidates):
        values.append(-(candidates != wanted).sum(axis=1).astype(float))
        return values[-1]

    best, reached, generator = sequence(parts)[None], [-1.0], np.random.default_rng(0)
    while reached[0] < 0.0 and sum(map(len, values)) < 150 * 64:  # a search that stands still is begun again
        before = reached[0] if values else -np.inf
        best, reached = improve(value, Edits(parts), best, (0, 12), 64, 150, generator)
        assert reached[0] >= before
    np.testing.assert_array_equal(best[0], wanted)
    assert reached[0] == 0.0
    assert (np.diff(reached) < 0.0).all()
    with_noise = wanted.copy()
    with_noise[50] = 5

    def without_50(candidates):
        return -(np.delete(candidates != wanted, 50, axis=1)).sum(axis=1).astype(float)

    np.testing.assert_array_equal(simplified(without_50, with_noise, 0), wanted)


def solved(task, parts, **settings):
    """Return the oracle's actions and their return, and that of the expert."""
    fast = {"start": "agronomist", "clones": 16, "rounds": 2, "commit": "84 d"}
    chosen = RecedingSettings(**{**fast, **settings})
    core = BatchCore(parts, 1)
    core.seed(0, 0)
    core.reset([0], [SCENARIO])
    start = core.save(0)
    actions = Receding("receding", chosen, interface_of(task)).solve(parts, start)
    expert = returns_of_policies(parts, [load_policy("agronomist", task)], [SCENARIO])[0]
    return actions, float(returns_of_actions(BatchCore(parts, 1), start, actions[None])[0]), float(expert)


def test_the_receding_oracle_betters_its_start_and_repeats_itself(task, parts):
    first, value, expert = solved(task, parts)
    again, *_ = solved(task, parts)
    np.testing.assert_array_equal(first, again)
    assert value > expert


def test_of_several_policies_the_receding_oracle_starts_from_the_best(task, parts):
    """The search may change nothing in its window, so that it plays the best start as it is."""
    short = {"window": "3 d", "commit": "400 d", "rounds": 1}
    _, alone, expert = solved(task, parts, **short)
    _, with_nothing, _ = solved(task, parts, start=["zero", "agronomist"], **short)
    assert with_nothing == alone == expert > 0.0


def test_restarts_grow_plans_from_random_calendars_beside_the_start(task, parts):
    """The search may change nothing in its window: what is above doing nothing has grown before it."""
    short = {"start": "zero", "window": "3 d", "commit": "400 d", "clones": 8}
    actions, value, _ = solved(task, parts, restarts=2, **short)  # 17 plans, more than clones
    again, *_ = solved(task, parts, restarts=2, **short)
    np.testing.assert_array_equal(actions, again)
    assert value > 0.0 == solved(task, parts, **short)[1]


@pytest.mark.slow
def test_of_several_searches_the_best_counts(task, parts):
    """Each with its own seed, as if it were alone."""
    alone = [solved(task, parts, seed=seed)[:2] for seed in (3, 4, 5)]
    values = [value for _, value in alone]
    assert len(set(values)) == 3
    actions, value, _ = solved(task, parts, seed=3, searches=3)
    assert value == max(values)
    np.testing.assert_array_equal(actions, alone[int(np.argmax(values))][0])


def test_what_several_searches_found_is_joined(task, parts):
    """A last search goes on from all of them, and loses nothing of the best."""
    apart, best, _ = solved(task, parts, seed=7, searches=2)
    actions, value, _ = solved(task, parts, seed=7, searches=2, joined=8)
    assert value > best
    assert (actions != apart).any()
    again, *_ = solved(task, parts, seed=7, searches=2, joined=8)
    np.testing.assert_array_equal(actions, again)


def test_anchors_hang_on_all_policies_that_an_oracle_starts_from(tmp_path, monkeypatch):
    """Other settings of any of them make another hash."""
    folder = tmp_path / "baselines" / TASK
    folder.mkdir(parents=True)
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    rule = (
        "policy: rules\nsummary: own\nsource: test\nsettings:\n    rules:\n    -   {{input: N, amount: {}}}\n"
    )
    oracle = (
        "policy: receding\nsummary: a search\nsource: test\nsettings:\n    start: [agronomist, own-rule]\n"
    )
    (folder / "own-oracle.yaml").write_text(oracle)
    (folder / "own-rule.yaml").write_text(rule.format(30.0))
    task = catalog.task(TASK)
    before = references.settings_hash(task, "own-oracle")
    code = ["receding:Receding", "rules:Rules"]
    assert references.code_hash(task, "own-oracle") == closure_hash(
        *(f"agbench.policies.field.{c}" for c in code)
    )
    (folder / "own-rule.yaml").write_text(rule.format(60.0))
    assert references.settings_hash(task, "own-oracle") != before


def test_a_short_horizon_is_looked_at_alone(task, parts):
    """Valued over a month, dressings before the harvest are costs and go; nothing is sown in vain."""
    _, value, expert = solved(task, parts, horizon="30 d", commit="30 d")
    assert value < expert


def test_a_calendar_does_what_its_entries_say_one_a_decision(task):
    plan = [
        {"year": 1, "date": "04-24", "input": "PLANT", "amount": 1},
        {"year": 1, "date": "04-24", "input": "N", "amount": 60},
        {"year": 1, "date": "10-01", "input": "HARVEST", "amount": 1},
    ]
    interface = interface_of(task)
    calendar = Calendar("calendar", CalendarSettings.model_validate({"plan": plan}), interface)
    actions = [calendar(None) for _ in range(84)]
    done = {i: interface.actions.describe()[a] for i, a in enumerate(actions) if a}
    assert done == {11: "PLANT", 12: "60 kg ha-1 N", 64: "HARVEST"}  # decisions every 3 d from 23 March
    calendar.reset(0)
    assert [calendar(None) for _ in range(84)] == actions


@pytest.mark.parametrize("name", [TASK, "wheat-maize-rotation-v1"])
def test_entries_and_sequences_are_the_same_plan(name):
    """Also across years, and across the turn of a calendar year."""
    task = catalog.task(name)
    interface = interface_of(task)
    steps = 84 if name == TASK else 200
    codes = np.zeros(steps, dtype=np.int64)
    codes[[0, 5, steps // 4, steps // 2, steps - 2]] = [1, 3, 2, 4, 2]
    entries = _entries(task.season, interface.actions, codes.tolist())
    calendar = Calendar("calendar", CalendarSettings(plan=entries), interface)
    np.testing.assert_array_equal([calendar(None) for _ in range(steps)], codes)


@pytest.fixture
def impatient(monkeypatch):
    """Let searches of calendars end after few that are no better, and without moving to neighbours."""
    monkeypatch.setattr(calendar_tuning, "_PATIENCE", 24)
    monkeypatch.setattr(calendar_tuning, "neighbours", lambda actions, sequence: [])


@pytest.mark.usefixtures("impatient")
def test_fitting_betters_a_calendar_in_training(task):
    """A round on three of the training years, and what is left of the plan has an effect."""
    start = load_policy("blind-calendar", task)
    parts = build(task, "train")
    keys = spread(parts.scenarios.keys, 3)
    late = [{"year": 1, "date": "06-06", "input": "PLANT", "amount": 1}]
    late += [{"year": 1, "date": "10-20", "input": "HARVEST", "amount": 1}]
    settings = CalendarSettings.model_validate(
        {"plan": late, "coarse": 3, "scenarios": 3, "search": {**BUDGET, "clones": 8}}
    )
    fitted, mean = fit_calendar(task, settings)
    before = returns_of_policies(parts, [Calendar("late", settings, interface_of(task)) for _ in keys], keys)
    after = returns_of_policies(parts, [Calendar("fit", fitted, interface_of(task)) for _ in keys], keys)
    assert mean > before.mean()
    assert after.mean() >= mean
    assert start.information == "observation"


def test_a_calendar_with_an_input_that_is_none_is_refused(task):
    plan = [{"date": "04-24", "input": "PLNT", "amount": 1}]
    with pytest.raises(UnknownNameError, match="PLANT"):
        Calendar("calendar", CalendarSettings.model_validate({"plan": plan}), interface_of(task))


BUDGET = {"calendars": 40, "generations": 8, "clones": 8, "rounds": 1}


@pytest.mark.usefixtures("impatient")
@pytest.mark.slow_except("wheat-nitrogen-v1")
@pytest.mark.parametrize("name", ["wheat-nitrogen-v1", TASK])
def test_a_calendar_fitted_from_nothing_betters_the_random_ones_that_it_begins_with(name):
    task = catalog.task(name)
    parts = build(task, "train")
    keys = spread(parts.scenarios.keys, 3)
    drawn = calendars(parts, 40, number_of_decisions(parts), np.random.default_rng(0))
    core = BatchCore(parts, len(drawn) * len(keys))
    core.reset(range(core.n), [*keys] * len(drawn))
    rows = drawn.repeat(len(keys), axis=0)
    returns = play(core, lambda _, number: rows[:, min(number, rows.shape[1] - 1)])
    means = returns.reshape(len(drawn), len(keys)).mean(axis=1)
    settings = CalendarSettings.model_validate({"search": BUDGET, "coarse": 3, "scenarios": 3})
    fitted, mean = fit_calendar(task, settings)
    assert mean > means.max()
    again = [Calendar("fit", fitted, interface_of(task)) for _ in keys]
    assert returns_of_policies(parts, again, keys).mean() >= mean - 1e-9


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_fitted(tmp_path, monkeypatch):
    monkeypatch.setattr(fitting, "_fitted", None)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"file is a file, not a folder"):
        fit_file(catalog.task("wheat-inputs-v1"), "blind-calendar", root=tmp_path / "file")


@pytest.mark.usefixtures("impatient")
def test_a_fit_is_written_to_another_folder_and_a_policy_without_a_file_needs_a_kind(tmp_path, monkeypatch):
    task = catalog.task("wheat-nitrogen-v1")
    own = tmp_path / "own" / "baselines" / task.task
    own.mkdir(parents=True)
    settings = {"search": {**BUDGET, "calendars": 8, "generations": 2}, "scenarios": 2}
    text = {"policy": "calendar", "summary": "none yet", "source": "test", "settings": settings}
    (own / "dates.yaml").write_text(yaml.safe_dump(text))
    monkeypatch.setenv(catalog.PATH_VARIABLE, str(tmp_path / "own"))
    path, mean = fit_file(task, "dates", root=tmp_path / "other")
    assert path == tmp_path / "other" / "baselines" / task.task / "dates.yaml"
    assert "plan" not in (own / "dates.yaml").read_text()
    fitted = load_policy(path, task)
    parts = build(task, "train")
    keys = spread(parts.scenarios.keys, 2)
    reached = returns_of_policies(parts, [load_policy(path, task) for _ in keys], keys).mean()
    assert reached >= mean - 1e-9
    assert fitted.name == "dates"
    before = path.read_bytes()
    assert fit_file(task, "dates", root=tmp_path / "other", threads=2) == (path, mean)
    assert path.read_bytes() == before
    with pytest.raises(ConfigError, match="a calendar is fitted in one batch, which threads split"):
        fit_file(task, "dates", root=tmp_path / "other", workers=2)
    with pytest.raises(ConfigError, match="threads must be a whole number, at least 1; got 0"):
        fit_file(task, "dates", root=tmp_path / "other", threads=0)
    with pytest.raises(ConfigError, match="Name its kind"):
        fit_file(task, "no-such-file")
    again, _ = fit_file(task, "from-dates", root=tmp_path / "other", start="dates")
    content = yaml.safe_load(again.read_text())
    assert again.name == "from-dates.yaml"
    assert content["source"] == "agbench fit wheat-nitrogen-v1 from-dates --start dates"
    assert content["settings"] == yaml.safe_load(path.read_text())["settings"]
    with pytest.raises(ConfigError, match="'no-such-file' to start from"):
        fit_file(task, "from-dates", start="no-such-file")


@pytest.mark.slow
def test_a_policy_without_a_file_starts_from_the_defaults_of_its_kind(tmp_path):
    task = catalog.task("wheat-nitrogen-v1")
    path, mean = fit_file(task, "blind-calendar", kind_name="calendar", root=tmp_path)
    assert mean > 80.0  # the expert, itself a schedule, has 83.4 g m-2 in training
    assert load_policy(path, task).name == "blind-calendar"


def test_the_longest_episode_counts_where_a_leap_day_makes_one_longer():
    parts = build(catalog.task("wheat-maize-rotation-v1"), "test")
    core = BatchCore(parts, len(parts.scenarios.keys))
    core.reset(range(core.n), parts.scenarios.keys)
    decisions = -(-(core.simulator.horizon - parts.task.warmup) // parts.task.step)
    assert decisions.min() < decisions.max() == number_of_decisions(parts)


class Counted(SearchingSolver):
    """A solver whose attempts find what is written down."""

    def __init__(self, values, **settings):
        super().__init__("counted", SolverSettings(**settings))
        self.values, self.seeds = values, []

    def search(self, parts, start, generator):
        raise NotImplementedError

    def attempt(self, parts, start, number):
        self.seeds.append(list(self._seeds(number)))
        return Found(np.array([number]), self.values[number])


@pytest.mark.parametrize(
    ("values", "made", "best"),
    [
        ([100.0, 100.5], 2, 1),  # less than 1 % more: settled, and the better one counts
        ([100.0, 90.0], 2, 0),
        ([100.0, 102.0, 102.5], 3, 2),
        ([-100.0, -98.0, -97.5], 3, 2),  # values may be negative
        ([1.0, 2.0, 3.0, 4.0], 3, 2),  # at most three attempts
    ],
)
def test_a_solver_searches_until_another_attempt_fails_to_beat_it(parts, values, made, best):
    solver = Counted(values, settled=0.01, attempts=3, searches=2, seed=5)
    assert solver.solve(parts, None).tolist() == [best]
    assert solver.seeds == [[5, 6], [7, 8], [9, 10]][:made]


def test_without_a_share_a_solver_makes_one_attempt(parts):
    solver = Counted([1.0, 2.0])
    assert solver.solve(parts, None).tolist() == [0]
    assert solver.seeds == [[0]]
