"""Anchors: stored for the task as it is, reproduced by simulating again, and what scores make of them."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.data.task import ReferencesSpec
from agbench.envs.family import observer
from agbench.errors import ConfigError
from agbench.evaluation import anchors, evaluate, provenance, references
from agbench.evaluation.blindness import check_blind
from agbench.evaluation.description import describe
from agbench.policies.registry import load_policy

FLOOR_AND_EXPERT = ReferencesSpec(floor="zero", expert="advisor")
TASK = catalog.task("wheat-nitrogen-v1")


CHEAP = ("wheat-nitrogen-v1", "millet-inputs-v1", "wheat-limits-v1")


@pytest.mark.parametrize("name", CHEAP)
@pytest.mark.parametrize("role", ["floor", "expert"])
def test_stored_anchors_are_what_simulating_again_gives(name, role):
    task = catalog.task(name)
    stored = anchors.load(task).splits["test"]
    again = evaluate(task, references.policy_name(task, role), progress=False)
    assert list(stored) == task.scenarios("test")
    assert again.objective == pytest.approx([getattr(v, role) for v in stored.values()], rel=1e-9, abs=1e-9)
    if role == "expert":
        assert again.by_scenario("cost") == pytest.approx([v.cost for v in stored.values()])


@pytest.mark.slow
def test_the_stored_oracle_is_what_searching_again_gives():
    stored = anchors.load(TASK).splits["test"]
    again = evaluate(TASK, TASK.references.oracle, progress=False)
    assert again.objective == pytest.approx([v.oracle for v in stored.values()], rel=1e-9, abs=1e-9)


def test_reported_splits_have_anchors_in_the_order_of_the_split_and_others_say_so():
    result = anchors.of_split(TASK, "test")
    assert result.floor.shape == result.expert.shape == result.cost.shape == (len(TASK.scenarios("test")),)
    assert result.oracle.mean() >= result.expert.mean() > result.floor.mean()
    with pytest.raises(
        ConfigError, match="only test and shift have anchors; train has none and is not scored"
    ):
        anchors.of_split(TASK, "train")


def test_the_limit_of_constraint_costs_is_a_tenth_above_the_experts():
    task = override(catalog.task("potato-runoff-v1"), {"reward__tolerated": 0.0})
    result = anchors.compute(task.model_copy(update={"references": FLOOR_AND_EXPERT}), ["test"])
    cost = np.mean([values.cost for values in result.splits["test"].values()])
    assert result.limits["test"] == pytest.approx(1.1 * cost)


def test_a_greenhouse_tolerates_a_fiftieth_of_its_season_whatever_the_expert_violates():
    task = catalog.task("greenhouse-winter-v1")
    assert task.feasible_cost(1.4) == pytest.approx(0.02 * 30 * 24)
    assert task.feasible_cost(100.0) == pytest.approx(110.0)


def test_the_floor_scores_0_and_the_oracle_100_on_test():
    result = anchors.of_split(TASK, "test")
    assert result.scores(result.floor).tolist() == [0.0] * len(result.floor)
    assert result.scores(result.oracle).mean() == pytest.approx(100.0, rel=1e-12)
    assert 0.0 < result.scores(result.blind).mean() < result.scores(result.expert).mean() < 100.0


def test_a_point_is_the_same_amount_in_every_split():
    test, shift = (anchors.of_split(TASK, split) for split in ("test", "shift"))
    more = test.gain / 100.0
    for split in (test, shift):
        assert (split.scores(split.floor + more)).tolist() == pytest.approx([1.0] * len(split.floor))
    assert test.gain == shift.gain == pytest.approx((test.oracle - test.floor).mean())
    assert shift.oracle is None


def test_scores_divide_by_a_constant_and_compare_with_the_floor_of_the_same_scenario():
    floor = np.array([-5.0, 5.0])
    result = anchors.SplitAnchors(floor, floor + 1.0, floor + 4.0, np.zeros(2), 0.0, gain=4.0)
    assert result.scores(np.array([-3.0, 7.0])).tolist() == [50.0, 50.0]
    assert result.scores(np.array([[0.0, 0.0], [-9.0, 9.0]])).tolist() == [[125.0, -125.0], [-100.0, 100.0]]


def test_a_task_without_an_oracle_is_scored_by_its_expert():
    known = anchors.load(TASK)
    without = {
        split: {key: value.model_copy(update={"oracle": None}) for key, value in values.items()}
        for split, values in known.splits.items()
    }
    reached = known.splits["test"].values()
    assert anchors.gain(known.model_copy(update={"splits": without})) == pytest.approx(
        np.mean([value.expert - value.floor for value in reached])
    )
    with pytest.raises(ConfigError, match="the anchors have no split test"):
        anchors.gain(known.model_copy(update={"splits": {"shift": known.splits["shift"]}}))


def test_anchors_of_another_version_of_the_task_are_refused():
    with pytest.raises(ConfigError, match=r"another version .* agbench anchors wheat"):
        anchors.load(override(TASK, {"beta": 5.0}))


def test_a_task_whose_expert_beats_nothing_is_no_task():
    useless = override(TASK, {"beta": 1000.0})
    quick = ReferencesSpec(floor="zero", expert="standard-practice")
    useless = useless.model_copy(update={"references": quick})
    with pytest.raises(ConfigError, match="beats the floor zero by -"):
        anchors.compute(useless, ["test"])


def test_an_expert_that_is_just_as_good_as_the_floor_is_refused():
    """At exactly the floor nothing could be scored; by the least more, it could."""
    quick = ReferencesSpec(floor="zero", expert="standard-practice")
    task = TASK.model_copy(update={"references": quick})
    floor = evaluate(task, "zero", progress=False)
    results = {(role, "test"): replace(floor, episodes=floor.episodes.copy()) for role in ("floor", "expert")}
    with pytest.raises(
        ConfigError, match="the expert standard-practice beats the floor zero by 0 g m-2 on test"
    ):
        anchors.assemble(task, results)
    results["expert", "test"].episodes["return"] += 1e-9
    assert anchors.gain(anchors.assemble(task, results)) == pytest.approx(1e-9)


def test_anchors_are_written_and_read(tmp_path, monkeypatch):
    path = anchors.save(anchors.load(TASK), tmp_path)
    assert path == tmp_path / "baselines/wheat-nitrogen-v1/anchors.yaml"
    monkeypatch.setattr(catalog, "roots", lambda: [tmp_path])
    assert anchors.load(TASK).task == TASK.task


def test_results_of_references_are_kept_and_used_again(tmp_path, monkeypatch):
    task = "millet-inputs-v1"
    real = references.policy_name
    monkeypatch.setattr(
        references, "policy_name", lambda t, role: None if role == "oracle" else real(t, role)
    )
    part = references.Part(task, "expert", "test")
    folder, _ = references.run(part, tmp_path)
    assert references.kept(part, tmp_path) is not None
    result = anchors.of_kept(task, tmp_path)
    written = (folder / "result.yaml").stat().st_mtime_ns
    assert result.splits == anchors.of_kept(task, tmp_path).splits
    assert (folder / "result.yaml").stat().st_mtime_ns == written
    monkeypatch.setattr(references, "settings_hash", lambda task, name: "other" + name)
    assert references.kept(part, tmp_path) is None


ROTATION, CONTINUOUS = "wheat-maize-rotation-v1", "greenhouse-setpoint-continuous-v1"


@pytest.mark.parametrize(
    ("name", "begun_from"),
    [(ROTATION, ("agronomist", "found")), (CONTINUOUS, ("phase-setpoints-tuned", "light-setpoints-tuned"))],
    ids=[ROTATION, CONTINUOUS],
)
def test_an_oracle_that_begins_from_something_else_is_another(name, begun_from, monkeypatch):
    task, part = catalog.task(name), references.Part(name, "oracle", "test")
    before, real = references.place(part), references.read_file
    known = references.data_hash(task)
    monkeypatch.setattr(references, "data_hash", lambda task: known)  # once: it reads all weather
    assert anchors.outdated(task) is None
    for stem in begun_from:

        def changed(model, path, stem=stem):
            read = real(model, path)
            more = {"settings": {**read.settings, "changed": True}}
            return read.model_copy(update=more) if path.stem == stem else read

        monkeypatch.setattr(references, "read_file", changed)
        assert references.place(part) != before
        assert "references_hash: other policies" in anchors.outdated(task)


@pytest.mark.slow_except("wheat-layered-v1", "cowpea-inputs-v1")
@pytest.mark.parametrize(
    "name",
    [
        *(ROTATION, "wheat-layered-v1", "jujube-orchard-v1"),
        *("wheat-inputs-v1", "sunflower-inputs-v1", "cowpea-inputs-v1", "cassava-inputs-v1"),
    ],
)
def test_an_oracle_is_no_worse_than_the_plans_that_it_knows(name):
    found = evaluate(name, "found").episodes
    stored = anchors.of_split(catalog.task(name), "test")
    assert (found["return"].to_numpy() <= stored.oracle + 1e-6).all()


def test_anchors_made_with_other_policies_are_outdated(monkeypatch):
    assert anchors.outdated(TASK) is None
    monkeypatch.setattr(references, "settings_hash", lambda task, name: "other" + name)
    assert "references_hash: other policies than those" in anchors.outdated(TASK)


BLIND = {"policy": "calendar", "summary": "Two dates.", "source": "test"}
PLAN = [{"date": "03-15", "input": "N", "amount": 60.0}, {"date": "05-10", "input": "N", "amount": 60.0}]


@pytest.fixture
def with_blind(tmp_path, monkeypatch):
    """Return the function that gives the task a blind calendar of some name; `dates` is one."""
    folder = tmp_path / "baselines" / TASK.task
    folder.mkdir(parents=True)
    (folder / "dates.yaml").write_text(yaml.safe_dump({**BLIND, "settings": {"plan": PLAN}}))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    spec = TASK.references.model_dump() | {"oracle": None}
    return lambda name: TASK.model_copy(update={"references": ReferencesSpec(**(spec | {"blind": name}))})


def test_a_blind_calendar_is_anchored_between_floor_and_oracle(with_blind, tmp_path, monkeypatch):
    task = with_blind("dates")
    made = anchors.compute(task, ["test"])
    reached = evaluate(task, "dates", progress=False).objective
    assert [values.blind for values in made.splits["test"].values()] == reached.tolist()
    path = anchors.save(made, tmp_path)
    assert "blind:" in path.read_text()
    monkeypatch.setattr(catalog, "find_anchors", lambda name: path)
    assert anchors.of_split(task, "test").blind.tolist() == reached.tolist()
    means = describe(task)["anchors"]["test"]
    assert list(means) == ["floor", "blind", "expert"]
    assert means["blind"][1] == pytest.approx(anchors.of_split(task, "test").scores(reached).mean())


def test_a_policy_that_looks_is_no_blind_calendar(with_blind):
    with pytest.raises(ConfigError, match=r"references.blind: random is not blind: in \S+/\d+ its decision"):
        anchors.compute(with_blind("random"), ["test"])


class Shy:
    """A daily calendar of a greenhouse that opens a vent when the air is warm."""

    information = "observation"

    def __init__(self, task):
        self.name, self._own = "shy", load_policy("blind-calendar", task)
        self._air = [entry.name for entry in observer(task).entries].index("tAir")

    def reset(self, seed):
        self._own.reset(seed)

    def __call__(self, observation):
        action = self._own(observation)
        action[3] = 1.0 if observation[self._air] > 21.0 else action[3]
        return action


def test_a_calendar_may_know_the_day_of_the_year_and_nothing_else(monkeypatch):
    task = override(catalog.task("greenhouse-winter-v1"), {"episode__length": "1 d"})
    seasons = ["schiphol/2008-11-01", "schiphol/2009-01-20", "schiphol/2010-12-01"]
    task = task.model_copy(
        update={
            "splits": {
                "test": task.splits["test"].model_copy(
                    update={"starts": [key.partition("/")[2] for key in seasons]}
                )
            }
        }
    )
    blind = evaluate(task, "blind-calendar", progress=False)
    assert (blind.actions[0] != blind.actions[1]).any()
    check_blind(task, blind)
    shy = evaluate(task, Shy(task), progress=False)
    monkeypatch.setattr("agbench.evaluation.blindness.load_policy", lambda name, task: Shy(task))
    with pytest.raises(
        ConfigError, match=r"is not blind: in schiphol/\S+ its decision \d+ is not what it decides"
    ):
        check_blind(task, shy)


def test_a_task_without_a_blind_calendar_has_the_hashes_that_it_always_had(with_blind):
    assert "blind" not in provenance.identity(with_blind(None))["references"]
    assert provenance.task_hash(with_blind("dates")) != provenance.task_hash(with_blind(None))
    assert references.references_hash(with_blind("dates")) != references.references_hash(with_blind(None))
