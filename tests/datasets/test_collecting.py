"""Making datasets: what is in them, the same bytes however they are made, and what goes wrong."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from travelling import Travelling

import agbench
from agbench.data import catalog
from agbench.data.dataset import StraightLine
from agbench.datasets import load
from agbench.datasets import plan as plans
from agbench.datasets.behaviour import strength
from agbench.datasets.collecting import make
from agbench.datasets.part import ContentHash
from agbench.datasets.plan import plan_of
from agbench.datasets.playing import Player
from agbench.envs.scaling import scaling_of
from agbench.errors import ConfigError, DatasetError, UnknownNameError
from agbench.policies.networks.made_for import made_for
from agbench.policies.networks.mlp import Network, save
from agbench.policies.registry import load_policy

TASK = "wheat-nitrogen-v1"
FORMATS = ["minari", "parquet", "npz"]


def contents(folder):
    """Return the SHA-256 of every file, by its place."""
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def small_parts(monkeypatch, rows=8):
    monkeypatch.setattr(plans, "_ROWS", rows)


def played(plan):
    """Return all episodes of a plan as one list of parts."""
    player = Player(plan)
    return [player.play(episodes) for episodes in plan.ranges]


def content_of(plan):
    total = ContentHash()
    for part in played(plan):
        total.add(part)
    return total.hexdigest()


def alone(task, policy, seed, **overrides):
    """Play an episode in a single environment, as anybody would; return observations, actions, rewards."""
    env = agbench.make(task, **overrides).unwrapped
    seen, _ = env.reset(seed=seed)
    observations, actions, rewards, over = [seen], [], [], False
    policy.reset(seed)
    while not over:
        actions.append(policy(observations[-1].copy()))
        seen, reward, terminated, truncated, _ = env.step(actions[-1])
        observations.append(seen)
        rewards.append(reward)
        over = terminated or truncated
    return np.array(observations), np.array(actions), np.array(rewards)


@pytest.mark.usefixtures("drawn")
@pytest.mark.slow_except("*-advisor", "*-feeding")
@pytest.mark.parametrize(
    ("task", "policy"),
    [(TASK, "advisor"), ("maize-inputs-v1", "random"), ("sunflower-farm-fields-v1", "feeding")],
)
def test_an_episode_is_that_of_a_single_environment_with_its_seed(tmp_path, task, policy):
    agbench.collect(task, policy, 5, tmp_path / "data", "npz", seed=3)
    data = load(tmp_path / "data")
    for number in (0, 4):
        episode = list(data.episodes())[number]
        seen, actions, rewards = alone(task, load_policy(policy, task), int(data.part.seeds[number]))
        assert np.array_equal(episode.observations, seen)
        assert np.array_equal(episode.actions, actions)
        assert np.array_equal(episode.rewards, rewards)


def test_policies_that_act_for_all_rows_act_as_they_do_alone(tmp_path):
    generator, scaling = np.random.default_rng(0), scaling_of(catalog.task(TASK))
    layers = [(12, 16), (16, 3)]
    network = Network(
        ("tanh", "identity"),
        tuple(generator.normal(size=shape) for shape in layers),
        tuple(generator.normal(size=shape[1]) for shape in layers),
        "argmax",
        mean=scaling.centre,
        scale=scaling.spread,
        made_for=made_for(TASK),
    )
    file = save(network, tmp_path / "policy.npz")
    agbench.collect(TASK, file, 5, tmp_path / "data", "npz")
    data = load(tmp_path / "data")
    assert len(set(data.actions.tolist())) > 1
    last = list(data.episodes())[4]
    _, actions, _ = alone(TASK, load_policy(file, TASK), int(data.part.seeds[4]))
    assert np.array_equal(last.actions, actions)


@pytest.mark.usefixtures("drawn")
def test_rules_of_a_greenhouse_act_for_all_rows_as_they_do_alone(tmp_path):
    agbench.collect("greenhouse-tomato-v1", "rule-based", 2, tmp_path / "data", "npz", length="1 d")
    data = load(tmp_path / "data")
    episode = list(data.episodes())[1]
    policy = load_policy("rule-based", "greenhouse-tomato-v1")
    policy.reset(0)
    steps = range(0, len(episode.actions), 7)
    assert all(np.array_equal(policy(episode.observations[i]), episode.actions[i]) for i in steps)


MIXTURE = [{"policy": "advisor", "epsilon": 0.3}, {"policy": "random", "share": 0.5}]


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_two_workers_write_the_same_bytes_as_one(tmp_path, monkeypatch, format):
    small_parts(monkeypatch)
    for workers in (1, 2):
        agbench.collect(
            TASK, MIXTURE, 21, tmp_path / f"{workers}" / "data", format, workers=workers, state=True
        )
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert sorted(os.listdir(tmp_path / "1")) == ["data"]


def test_parts_that_travel_or_are_saved_elsewhere_are_the_same_bytes(tmp_path, monkeypatch):
    small_parts(monkeypatch)
    engines = {"1": None, "saved": Travelling(), "sent": Travelling(is_here=False)}
    for name, engine in engines.items():
        agbench.collect(TASK, MIXTURE, 21, tmp_path / name / "data", "npz", on=engine, state=True)
        assert contents(tmp_path / name) == contents(tmp_path / "1")
        assert os.listdir(tmp_path / name) == ["data"]


@pytest.mark.parametrize("mix", ["episode", "step", "order"])
def test_the_content_does_not_depend_on_how_many_rows_play_together(monkeypatch, mix):
    mixture = [{"policy": "advisor", "epsilon": {"start": 1.0, "end": 0.0}}, "random", "standard-practice"]
    hashes = set()
    for rows in (4, 7, 64):
        small_parts(monkeypatch, rows)
        hashes.add(content_of(plan_of(TASK, mixture, 13, mix=mix, seed=5)))
    assert len(hashes) == 1


def test_formats_hold_the_same(tmp_path):
    for format in FORMATS:
        agbench.collect("maize-inputs-v1", "random", 3, tmp_path / format, format, state=True)
    arrays = [load(tmp_path / format).part.arrays() for format in FORMATS]
    for name, array in arrays[0].items():
        assert array.size, name
        for other in arrays[1:]:
            assert array.dtype.kind == other[name].dtype.kind
            assert np.array_equal(array, other[name]), name
    assert len({load(tmp_path / format).metadata["content"] for format in FORMATS}) == 1


_POLICIES = [{"policy": "advisor", "epsilon": 0.2}, "zero"]

_RUN = f"""
import time
import agbench
from agbench.datasets import plan
from agbench.datasets.playing import Player
once = Player.play
def waits(self, episodes):
    if episodes.start == 32:
        time.sleep(600)
    return once(self, episodes)
Player.play = waits
plan._ROWS = 8
agbench.collect({TASK!r}, {_POLICIES!r}, 44, "data", FORMAT)
"""


@pytest.mark.usefixtures("drawn")
@pytest.mark.slow_except("npz")
@pytest.mark.parametrize("format", ["minari", "npz"])
def test_a_run_that_was_killed_goes_on_to_the_same_bytes(tmp_path, monkeypatch, format):
    small_parts(monkeypatch)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
    agbench.collect(TASK, _POLICIES, 44, whole / "data", format)
    code = _RUN.replace("FORMAT", repr(format))
    process = subprocess.Popen([sys.executable, "-c", code], cwd=cut)
    partial = cut / ".data.partial"
    while not (partial / "000003.npz").is_file():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (cut / "data").exists()
    kept = {path.name: path.stat().st_mtime_ns for path in partial.glob("0*.npz")}
    assert len(kept) == 4
    before, played = time.time_ns(), []
    once = Player.play
    monkeypatch.setattr(Player, "play", lambda self, these: played.append(these) or once(self, these))
    agbench.collect(TASK, _POLICIES, 44, cut / "data", format)
    assert max(kept.values()) < before
    assert played == [range(32, 40), range(40, 44)]
    assert contents(cut / "data") == contents(whole / "data")
    assert os.listdir(cut) == ["data"]


def test_finished_parts_are_not_played_again(tmp_path, monkeypatch):
    small_parts(monkeypatch)
    plan = plan_of(TASK, "zero", 24)
    stopped = []
    once = Player.play

    def stops(self, episodes):
        if episodes.start == 16:
            raise KeyboardInterrupt
        return once(self, episodes)

    monkeypatch.setattr(Player, "play", stops)
    with pytest.raises(KeyboardInterrupt):
        make(plan, tmp_path / "data", "npz")
    left = sorted(path.name for path in (tmp_path / ".data.partial").iterdir())
    assert left == ["000000.npz", "000001.npz", "identity.json"]
    monkeypatch.setattr(
        Player, "play", lambda self, episodes: stopped.append(episodes) or once(self, episodes)
    )
    make(plan, tmp_path / "data", "npz")
    assert stopped == [range(16, 24)]


def test_two_processes_do_not_make_one_dataset(tmp_path, monkeypatch):
    once, said = Player.play, []

    def another_starts(self, episodes):
        with pytest.raises(DatasetError, match="another process is writing it") as error:
            make(plan_of(TASK, "zero", 2, seed=1), tmp_path / "data", "npz")
        said.append(error)
        return once(self, episodes)

    monkeypatch.setattr(Player, "play", another_starts)
    make(plan_of(TASK, "zero", 2), tmp_path / "data", "npz")
    assert len(said) == 1
    assert len(load(tmp_path / "data").episode_lengths) == 2
    assert os.listdir(tmp_path) == ["data"]


def test_what_is_left_of_a_run_that_was_killed_at_its_very_end_goes(tmp_path):
    make(plan_of(TASK, "zero", 2), tmp_path / "data", "npz")
    (tmp_path / ".data.partial" / "assembled").mkdir(parents=True)
    assert make(plan_of(TASK, "zero", 2), tmp_path / "data", "npz") == tmp_path / "data"
    assert os.listdir(tmp_path) == ["data"]


def test_parts_of_another_plan_are_thrown_away(tmp_path, monkeypatch):
    small_parts(monkeypatch)
    once = Player.play

    def stops(self, episodes):
        if episodes.start:
            raise KeyboardInterrupt
        return once(self, episodes)

    monkeypatch.setattr(Player, "play", stops)
    with pytest.raises(KeyboardInterrupt):
        make(plan_of(TASK, "zero", 16, seed=1), tmp_path / "data", "npz")
    monkeypatch.setattr(Player, "play", once)
    make(plan_of(TASK, "zero", 16, seed=2), tmp_path / "data", "npz")
    make(plan_of(TASK, "zero", 16, seed=2), tmp_path / "fresh", "npz")
    assert contents(tmp_path / "data") == contents(tmp_path / "fresh")


def test_a_dataset_that_is_there_is_left_as_it_is_and_another_is_not_overwritten(tmp_path):
    out = agbench.collect(TASK, "zero", 3, tmp_path / "data", "npz")
    written = (out / "transitions.npz").stat().st_mtime_ns
    assert agbench.collect(TASK, "zero", 3, tmp_path / "data", "npz") == out
    assert (out / "transitions.npz").stat().st_mtime_ns == written
    with pytest.raises(DatasetError, match=r"another dataset.*seed"):
        agbench.collect(TASK, "zero", 3, tmp_path / "data", "npz", seed=1)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("years of work")
    with pytest.raises(DatasetError, match="is not a dataset"):
        agbench.collect(TASK, "zero", 3, tmp_path / "thesis", "npz")
    assert (tmp_path / "thesis" / "thesis.tex").read_text() == "years of work"


def test_scenarios_are_drawn_or_taken_in_turn_or_named(tmp_path):
    def keys(**options):
        return [str(key) for part in played(plan_of(TASK, "zero", 4, **options)) for key in part.scenarios]

    assert len(set(keys())) == 4
    assert all("/generated/" in key for key in keys())
    measured = keys(split="test", scenarios="split")
    assert measured == list(agbench.make(TASK, split="test").unwrapped.scenarios.keys[:4])
    named = ["netherlands/1990", "belgium/1991"]
    assert keys(scenarios=named) == named * 2
    assert keys(split="test", scenarios="split", years=[1999]) == ["netherlands/1999"] * 4


def test_overrides_and_years_reach_the_environment(tmp_path):
    out = agbench.collect(TASK, "zero", 2, tmp_path / "data", "npz", years=[1990], step="14 d")
    data = load(out)
    assert set(data.part.scenarios) <= {"netherlands/1990", "brabant/1990", "limburg/1990"}
    assert data.episode_lengths.max() <= 17
    assert data.metadata["overrides"] == {"step": "14 d"}


def test_epsilon_draws_that_share_of_actions_uniformly():
    (part,) = played(plan_of(TASK, {"policy": "zero", "epsilon": 0.4}, 200))
    drawn = part.behaviours == -1
    assert drawn.mean() == pytest.approx(0.4, abs=0.02)
    assert np.bincount(part.actions[drawn]) / drawn.sum() == pytest.approx([1 / 3] * 3, abs=0.03)
    assert not part.actions[~drawn].any()


def test_epsilon_falls_along_its_line():
    line = {"start": 1.0, "end": 0.0}
    (part,) = played(plan_of(TASK, {"policy": "zero", "epsilon": line}, 200))
    share = [float((part.behaviours[steps] == -1).mean()) for steps in part.slices]
    assert share[0] == 1.0
    assert share[-1] == 0.0
    assert np.mean(share[90:110]) == pytest.approx(0.5, abs=0.08)
    assert strength(StraightLine(start=1.0, end=0.0), np.array([0.0, 0.25, 1.0])).tolist() == [1.0, 0.75, 0.0]


class Steady:
    """Always gives the same amount, of -1 to 1."""

    name = "steady"
    information = "observation"

    def __init__(self, amount):
        self.amount = np.full(1, amount, np.float32)

    def reset(self, seed):
        pass

    def __call__(self, observation):
        return self.amount


def test_noise_is_normal_within_the_bounds_of_amounts():
    amounts = {"action__kind": "continuous"}
    plans_of = (
        plan_of(TASK, {"policy": Steady(amount), "noise": 0.1}, 60, overrides=amounts)
        for amount in (0.2, 1.0)
    )
    (inside,), (at_the_bound,) = map(played, plans_of)
    assert inside.actions.std() == pytest.approx(0.1, rel=0.1)
    assert inside.actions.mean() == pytest.approx(0.2, abs=0.01)
    assert at_the_bound.actions.max() == 1.0
    assert (at_the_bound.actions == 1.0).mean() == pytest.approx(0.5, abs=0.05)
    assert at_the_bound.actions.min() < 0.8


def test_behaviours_are_mixed_by_episode_by_step_or_in_order():
    two = [{"policy": "zero", "share": 3}, {"policy": "random", "share": 1}]

    def who(mix):
        (part,) = played(plan_of(TASK, two, 200, mix=mix))
        return [part.behaviours[steps] for steps in part.slices]

    by_episode = who("episode")
    assert all(len(set(one.tolist())) == 1 for one in by_episode)
    assert np.mean([one[0] for one in by_episode]) == pytest.approx(0.25, abs=0.1)
    by_step = who("step")
    assert np.mean(np.concatenate(by_step)) == pytest.approx(0.25, abs=0.03)
    assert all(len(set(one.tolist())) == 2 for one in by_step[:20])
    in_order = [int(one[0]) for one in who("order")]
    assert in_order == [0] * 150 + [1] * 50


class Raising:
    """Raises in the third decision of whichever episode it is in."""

    name = "raising"
    information = "observation"

    def reset(self, seed):
        self.step = 0

    def __call__(self, observation):
        self.step += 1
        if self.step == 3:
            raise ZeroDivisionError("no rain")
        return 0


class Half(Raising):
    """Gives half a dose, which a menu does not have."""

    name = "half"

    def __call__(self, observation):
        return 0.5


class Outside(Raising):
    name = "outside"

    def __call__(self, observation):
        return 7


class Locked(Raising):
    name = "locked"

    def __deepcopy__(self, memo):
        raise TypeError("a lock cannot be copied")


def test_a_policy_that_cannot_be_copied_is_made_for_each_row_from_its_name(monkeypatch):
    class Always(Locked):
        made = 0

        def __init__(self):
            type(self).made += 1

        def __call__(self, observation):
            return 1

    monkeypatch.setitem(sys.modules, "own", SimpleNamespace(Always=Always))
    (part,) = played(plan_of(TASK, "own:Always", 5))
    assert (part.actions == 1).all()
    assert Always.made >= 5


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Raising(), r"raising.*ZeroDivisionError: no rain.*generated"),
        (Half(), r"half.*0\.5.*whole numbers"),
        (Outside(), r"outside.*7\] lies outside the menu"),
        (Locked(), r"locked cannot be copied"),
    ],
)
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_policy_that_raises_leaves_no_dataset(tmp_path, monkeypatch, policy, words, workers):
    if workers == 2 and policy.name != "raising":
        pytest.skip("one way through processes is enough")
    small_parts(monkeypatch)
    if workers == 2:  # of this module, which a new process cannot import
        (tmp_path / "own.py").write_text(
            "class Raising:\n    name, information = 'raising', 'observation'\n"
            "    def reset(self, seed):\n        pass\n"
            "    def __call__(self, observation):\n        raise ZeroDivisionError('no rain')\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
        policy = "own:Raising"
    with pytest.raises(DatasetError, match=words):
        agbench.collect(TASK, policy, 17, tmp_path / "data", "npz", workers=workers)
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / ".data.partial").exists()  # no part was finished


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"episodes": 0}, "episodes must be a whole number, at least 1; got 0"),
        ({"seed": -1}, "seed must be"),
        ({"mix": "stp"}, "Did you mean 'step'"),
        ({"split": "trian"}, "Did you mean 'train'"),
        ({"scenarios": "netherlands/1990"}, r"a list of keys such as \['netherlands/1990'\]"),
        ({"scenarios": []}, "empty"),
        ({"scenarios": ["atlantis/1990"]}, "atlantis"),
        ({"epsilon": 1.5}, "1.5 is no number from 0 to 1"),
        ({"epsilon": {"start": 1.0}}, "no number from 0 to 1"),
        ({"noise": 0.1}, "noise is for amounts"),
        ({"policy": []}, "no policy"),
        ({"policy": "advisr"}, "Did you mean 'advisor'"),
        ({"policy": {"policy": "zero", "shares": 2}}, "Did you mean 'share'"),
        ({"policy": {"policy": "zero", "share": 0}}, "share"),
        ({"policy": [{"policy": "zero", "share": 1e308}, {"policy": "random", "share": 1e308}]}, "share"),
        ({"format": "hdf5"}, "unknown format 'hdf5'"),
        ({"workers": 0}, "workers"),
        ({"years": "1990"}, r"years must be a list of years, such as \[1990\]; got '1990'"),
        ({"years": 1990}, r"years must be a list of years, such as \[1990\]; got 1990"),
        ({"years": [1990.7]}, r"years: 1990.7 is no year.*four digits"),
        ({"state": ["DVS", "LAI"]}, r"state must be True or False.*observation\.state"),
        ({"policy": ["random"] * 128, "mix": "step"}, "128 policies are named; a dataset has 100 at most"),
        ({"bta": 5.0}, "bta"),
    ],
)
def test_wrong_input_is_refused_before_anything_is_written(tmp_path, options, words):
    arguments = {"policy": "zero", "episodes": 2, "out": tmp_path / "x" / "data", "format": "npz"} | options
    with pytest.raises((ConfigError, UnknownNameError), match=words):
        agbench.collect(TASK, **arguments)
    assert not (tmp_path / "x" / "data").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DatasetError, match=r"file/data: cannot be written: Not a directory.*can be written"):
        agbench.collect(TASK, "zero", 2, tmp_path / "file" / "data", "npz")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_the_right_to_write_is_named(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DatasetError, match="Permission denied"):
            agbench.collect(TASK, "zero", 2, tmp_path / "data", "npz")
    finally:
        tmp_path.chmod(0o700)


def test_hdf5_is_not_begun_on_a_disk_that_may_not_hold_it(tmp_path, monkeypatch):
    """A write that HDF5 could not end leaves its library unusable: the space is asked for before."""
    full = SimpleNamespace(free=1)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: full)
        with pytest.raises(DatasetError, match=r"data: cannot be written: No space left on device\. Free"):
            agbench.collect(TASK, "zero", 2, tmp_path / "data")
    assert not (tmp_path / "data").exists()
    assert len(load(agbench.collect(TASK, "zero", 2, tmp_path / "data"))) > 0


@pytest.mark.slow_except("parquet")
@pytest.mark.parametrize("format", FORMATS)
def test_a_disk_without_space_leaves_nothing_half_written_and_the_run_can_go_on(tmp_path, format):
    """No file may grow beyond a limit, as on a full disk: parts fit, the dataset's own file does not."""
    code = (
        "import resource, signal\n"
        "from agbench.datasets import plan, collecting\n"
        "from agbench.errors import DatasetError\n"
        "import agbench, numba\n"
        "from agbench.datasets import card\n"
        "card.draw = lambda told, sample, path: path.write_bytes(b'')\n"
        "plan._ROWS = 8\n"
        "made = plan.plan_of('wheat-nitrogen-v1', 'advisor', 64)\n"
        "from agbench.datasets.playing import Player\n"
        "Player(made).play(range(8))\n"  # compiled before the limit
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, resource.RLIM_INFINITY))\n"
        "try:\n"
        f"    collecting.make(made, __import__('pathlib').Path('data'), {format!r})\n"
        "except DatasetError as error:\n"
        "    print(error)\n"
        "else:\n"
        "    print('no error')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "print(__import__('os').path.exists('data'))\n"
        f"collecting.make(made, __import__('pathlib').Path('data'), {format!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said, there = done.stdout.strip().splitlines()[-2:]
    assert "data: cannot be written" in said
    assert "the same command goes on" in said
    assert there == "False"
    assert os.listdir(tmp_path) == ["data"]
    assert len(load(tmp_path / "data")) > 0


@pytest.mark.usefixtures("drawn")
def test_the_description_says_what_a_reader_needs(tmp_path):
    out = agbench.collect(TASK, {"policy": "advisor", "epsilon": 0.1}, 3, tmp_path / "data", "npz", seed=4)
    told = json.loads((out / "metadata.json").read_text())
    assert [entry["name"] for entry in told["observations"]][:3] == ["DVS", "TGROWTH", "LAI"]
    assert told["observations"][1]["unit"] == "g m-2"
    assert told["actions"]["labels"] == ["nothing", "20 kg ha-1 N", "40 kg ha-1 N"]
    assert told["references"]["expert"]["policy"] == "advisor"
    assert told["references"]["floor"]["mean"] < told["references"]["expert"]["mean"]
    assert told["command"] == (
        f"agbench dataset {TASK} --policy advisor --epsilon 0.1 --episodes 3 --seed 4 --split train "
        "--format npz"
    )
    card = (out / "README.md").read_text()
    assert card.count("advisor") > 1
    assert "| choice | share |\n|---|---|\n| nothing | " in card
    assert (out / "card.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({}, "advisor"),
        ({"epsilon": 0.2}, "advisor, epsilon 0.2"),
        ({"epsilon": {"start": 1.0, "end": 0.1}, "noise": 0.3}, "advisor, epsilon 1 to 0.1, noise 0.3"),
    ],
)
def test_picture_says_how_a_behaviour_is_disturbed(changes, label):
    from agbench.datasets.figure import named

    assert named({"policy": "advisor", "epsilon": 0.0, "noise": 0.0, **changes}) == label
