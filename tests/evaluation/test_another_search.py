"""Searches like an oracle's with other random numbers: whom they hold an oracle against, what is kept."""

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from agbench.cli.app import app
from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.reading import read_file
from agbench.errors import ConfigError
from agbench.evaluation import another_search, evaluate
from agbench.evaluation.another_search import FILE, another, searching
from agbench.policies.field.evolution import Evolved
from agbench.policies.field.found import read
from agbench.policies.registry import kind
from agbench.policies.simple import Recorded

LIMITED = "barley-limits-v1"


def settings_of(solver):
    return solver._joining


def test_another_search_draws_other_numbers_and_knows_no_plan():
    task = catalog.task("sorghum-inputs-v1")
    path = catalog.find_baseline(task.task, "evolved")
    own = kind("evolution").read(read_file(Baseline, path).settings, str(path))
    assert own.neighbours
    first, second = (settings_of(searching(task, seed)) for seed in (1, 2))
    alone = settings_of(searching(task, 1, alone=True))
    assert len({own.seed, first.seed, second.seed}) == 3
    used = own.searches * own.attempts
    assert min(abs(first.seed - own.seed), abs(second.seed - first.seed)) > used
    assert (first.neighbours, alone.neighbours) == (True, False)
    assert first.known is None
    assert first.model_copy(update={"seed": own.seed, "known": own.known}) == own


@pytest.mark.parametrize("task", ["wheat-nitrogen-v1", "greenhouse-tomato-v1"])
def test_an_oracle_that_does_not_search_so_is_refused(task):
    with pytest.raises(ConfigError, match=f"{task}: its oracle, .* there is no other search like it"):
        searching(catalog.task(task), 1)


def test_options_that_do_not_fit_end_the_command_before_it_searches(monkeypatch):
    monkeypatch.setattr(another_search, "others", None)
    runner = CliRunner()
    for arguments, words in (
        (["farm-nitrogen-v1", "--again", "--keep"], "plans cannot be kept"),
        ([LIMITED, "--keep"], "--every and --keep are for --again"),
        ([LIMITED, "--again", "--search", "3"], "leave --search out"),
    ):
        result = runner.invoke(app, ["challenge", *arguments])
        assert result.exit_code != 0
        assert words in result.output + str(result.exception)


@pytest.fixture
def small(monkeypatch):
    """Make the second search small."""
    make = Evolved.__init__

    def smaller(self, name, settings, interface):
        budget = {"population": 16, "generations": 2, "clones": 16, "rounds": 3, "joined": 0, "restarts": 0}
        make(self, name, settings.model_copy(update={**budget, "settled": None}), interface)

    monkeypatch.setattr(Evolved, "__init__", smaller)


def test_what_is_found_is_played_as_the_protocol_plays_it_and_kept_where_it_is_better(small, tmp_path):
    result = another(LIMITED, every=12)
    task = catalog.task(LIMITED)
    assert result.scenarios == task.scenarios("test")[::12]
    for key, plan, reached in zip(result.scenarios, result.plans, result.objective, strict=True):
        season = evaluate(task, Recorded(plan.tolist()), years=[int(key.split("/")[1])], progress=False)
        assert season.objective.tolist() == [reached]
    assert not result.beaten
    assert another_search.keep(result, tmp_path) is None
    assert not list(tmp_path.rglob("*.yaml"))

    low = replace(result.references, oracle=result.references.floor + 1.0)
    beaten = replace(result, references=low)
    assert beaten.beaten == result.scenarios
    path, count = another_search.keep(beaten, tmp_path)
    assert (path, count) == (tmp_path / "baselines" / LIMITED / f"{FILE}.yaml", len(result.scenarios))
    plans = read_file(Baseline, path).settings["plans"]
    for key, plan in zip(result.scenarios, result.plans, strict=True):
        kept = read(plans[key])
        np.testing.assert_array_equal(kept, plan[: len(kept)])
        assert not plan[len(kept) :].any()
    idle = [np.zeros_like(plan) for plan in result.plans]
    worse = replace(beaten, plans=idle, objective=low.oracle[::12] + 1.0)
    assert another_search.keep(worse, tmp_path) is None
