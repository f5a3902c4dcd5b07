"""Fuzzing: it finds what is planted, says how to find it again, and finds nothing in what ships."""

import json
import re
import shlex
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
import yaml
from gymnasium import spaces
from typer.testing import CliRunner

import agbench
from agbench.cli.app import app
from agbench.data import catalog
from agbench.envs import AgBenchVectorEnv
from agbench.envs.actions import Menu
from agbench.errors import AgBenchError, ConfigError, UnknownNameError
from agbench.testing.data_files import check_file
from agbench.testing.fuzzing import cases, draw_case, files, fuzz_files, fuzz_task
from agbench.testing.fuzzing.actions import DRAWS, wrong_actions
from agbench.testing.fuzzing.damage import damaged, flawed
from agbench.testing.fuzzing.tasks import play_cases

ROOT = Path(__file__).parents[2]
TASKS = ("wheat-nitrogen-v1", "wofostgym-wheat-v1", "sunflower-farm-fields-v1", "greenhouse-setpoint-v1")
SPACES = (
    spaces.Discrete(5),
    spaces.MultiDiscrete([3, 2, 9]),
    spaces.Box(-1.0, 1.0, (4,), np.float32),
    spaces.Box(np.array([0.0, 10.0], np.float32), np.array([0.5, 30.0], np.float32)),
)


def run(*words):
    return CliRunner().invoke(app, ["fuzz", *map(str, words)])


@pytest.mark.parametrize("task", TASKS)
def test_nothing_is_found_in_a_task_of_each_family(task):
    seed = (
        309 if task.startswith("greenhouse") else 7
    )  # two cases of a few rows, not one of 64, which is dear
    report = fuzz_task(task, 800, seed)
    assert report.failures == []
    assert report.steps >= 800
    assert report.wrong > 20


CLOSED = {
    "action.kind": "absolute",
    "action.controls": ["uCo2"],
    "observation.state": ["co2Air", "co2Top"],
    "episode.step": "1 h",
}
"""CO2 is dosed for days, and vents are never opened."""
SELDOM = {"action.kind": "absolute", "episode.length": "60 d", "episode.step": "10 d"}
"""Decisions of ten days, and so sums of ten days."""

OUTERMOST = {
    "TOTIRRIG": ("wheat-limits-v1", "train", "edge", 1, 327, 916787936, "same_step", {"season.step": "1 d"}),
    "co2_ppm": ("greenhouse-winter-v1", "shift", "extreme", 7, 160, 1869195295, "next_step", {}),
    "co2Air": ("greenhouse-winter-v1", "train", "extreme", 1, 400, 5, "next_step", CLOSED),
    "boilIn": ("greenhouse-winter-v1", "train", "extreme", 1, 6, 3, "next_step", SELDOM),
    "LAI": ("farm-nitrogen-v1", "test", "edge", 64, 30, 1, "next_step", {"simulator.setting": "published"}),
}
"""A case in which each variable went far: task, split, actions, rows, steps, seed, mode, changes."""


@pytest.mark.slow_except("TOTIRRIG", "co2*", "LAI")
@pytest.mark.parametrize("variable", OUTERMOST)
def test_the_outermost_that_was_ever_seen_lies_in_its_space(variable):
    task, split, actions, rows, steps, seed, mode, changes = OUTERMOST[variable]
    case = cases.FuzzCase(task, split, actions, rows, steps, seed, mode, overrides=changes)
    report = play_cases(catalog.task(task), [case], rows * steps)
    assert (report.failures, report.refused, report.steps) == ([], 0, rows * steps)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("rows", [1, 3])
def test_rows_that_end_are_reset_in_every_mode(mode, rows):
    case = cases.FuzzCase(TASKS[0], "train", "edge", rows, 90, 0, mode)
    report = play_cases(catalog.task(TASKS[0]), [case], rows * 90)
    assert (report.failures, report.steps) == ([], rows * 90)
    assert mode in run("tasks", "--help").stdout


@pytest.mark.slow
def test_nothing_is_found_in_any_task():
    """All tasks, splits and changes that a hundred thousand steps meet."""
    found = [f for name in catalog.names("task") for f in fuzz_task(name, 100_000 // 50, seed=11).failures]
    assert [failure.command for failure in found] == []


@pytest.mark.parametrize("space", SPACES, ids=str)
@pytest.mark.parametrize("kind", DRAWS)
def test_drawn_actions_are_inside_and_wrong_ones_are_not(kind, space):
    drawn = DRAWS[kind](space, 200, np.random.default_rng(0))
    assert all(space.contains(one) for one in drawn)
    assert len(np.unique(drawn, axis=0)) > 1
    assert not any(space.contains(wrong) for wrong in wrong_actions(space) if isinstance(wrong, np.ndarray))


def test_a_case_follows_from_seed_and_number():
    task = catalog.task(TASKS[0])
    drawn = [draw_case(task, 5, number) for number in range(40)]
    assert drawn == [draw_case(task, 5, number) for number in range(40)]
    assert {case.actions for case in drawn} == set(DRAWS)
    assert {case.split for case in drawn} == set(task.splits)
    assert len({str(case.overrides) for case in drawn}) > 5


def test_every_change_fits_some_task():
    def fits(name, change):
        try:
            agbench.make_vec(name, 1, **change)
        except AgBenchError:
            return False
        return True

    tasks = ("wheat-nitrogen-v1", "wheat-inputs-v1", "sunflower-farm-v1", "greenhouse-winter-v1")
    for change in cases.CHANGES:
        assert any(fits(name, change) for name in tasks), change


def one_case():
    """Play one case, of one row: where each fails at once, many would follow it."""
    task = catalog.task(TASKS[0])
    return play_cases(task, [draw_case(task, 30, 0)], 50)


@pytest.fixture
def no_number(monkeypatch):
    """Make the second observation of row 1 no number from the 30th step on."""
    usual, counted = AgBenchVectorEnv.step, {}

    def step(self, actions):
        observed, *rest = usual(self, actions)
        counted[id(self)] = counted.get(id(self), 0) + 1
        if counted[id(self)] >= 30 and self.num_envs > 1:
            observed[1, 1] = np.nan
        return observed, *rest

    monkeypatch.setattr(AgBenchVectorEnv, "step", step)


def test_what_is_no_number_is_found_and_its_command_finds_it_again(no_number):
    report = fuzz_task(TASKS[0], 2000, seed=1)
    (failure, *_) = report.failures
    assert "step 30, row 1: the observation" in failure.found
    words = shlex.split(failure.command)
    assert words[:2] == ["agbench", "fuzz"]
    printed = run(*words[2:])
    assert printed.exit_code == 1
    assert failure.found in printed.stdout.replace("\n", " ")
    assert failure.command in printed.stdout.replace("\n", " ")


def test_a_wrong_action_that_is_accepted_is_found(monkeypatch):
    usual = Menu.inputs
    monkeypatch.setattr(
        Menu, "inputs", lambda self, actions, core=None: usual(self, np.zeros(len(actions), int), core)
    )
    report = one_case()
    assert any("were accepted" in failure.found for failure in report.failures)


def test_an_exception_is_found_with_its_place(monkeypatch):
    def broken(self, actions, core=None):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(Menu, "inputs", broken)
    (failure,) = one_case().failures
    assert "ZeroDivisionError at test_fuzzing.py" in failure.found


def test_the_command_prints_a_table(tmp_path):
    printed = run(*TASKS[:2], "--steps", 600, "--seed", 3)
    assert printed.exit_code == 0, printed.output
    lines = printed.stdout.splitlines()
    assert lines[0].split() == [
        "task",
        "cases",
        "refused",
        "steps",
        "wrong",
        "actions",
        "seconds",
        "failures",
    ]
    assert [line.split()[0] for line in lines[1:4]] == [*TASKS[:2], "all"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--actions", "foo"], "unknown kind of actions 'foo'. Known: alike, edge, extreme, random."),
        (["--split", "nosuch"], "unknown split 'nosuch'. Known: shift, test, train, validation."),
        (["--mode", "nosuch"], "autoreset_mode 'nosuch' is unknown. Known: disabled, next_step, same_step."),
        (["--set", "beta=.inf"], "reward.beta: input should be a finite number; got inf."),
        (["--set", "farm.control=joint"], "unknown key 'farm.control'"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_one_case_that_a_task_refuses_is_an_error_that_says_what_is_wrong(options, said):
    printed = run(TASKS[0], "--steps", 1, "--actions", "random", *options)
    assert isinstance(printed.exception, AgBenchError)
    assert said in str(printed.exception)


def test_one_case_has_as_many_rows_as_memory_has_room_for():
    printed = run(TASKS[0], "--steps", 1, "--actions", "random", "--rows", 100_001)
    assert printed.exit_code == 2


def test_a_task_that_is_named_twice_is_played_once():
    printed = run(TASKS[0], TASKS[0], "--steps", 1, "--actions", "random", "--rows", 1, "--json")
    assert [report["task"] for report in json.loads(printed.stdout)] == [TASKS[0]]


def test_options_of_a_case_without_its_actions_are_an_error():
    assert "name its kind of --actions" in str(run("tasks", TASKS[0], "--set", "beta=1.0").exception)


@pytest.mark.parametrize("kind", files.KINDS)
def test_damaged_files_are_refused_with_a_sentence_or_good(kind):
    report = fuzz_files(kind, files.files_of(kind), 12, seed=2)
    assert report.files > 0
    assert report.tried == 12
    assert report.failures == []
    assert report.refused > 3


def test_damage_changes_a_file_and_follows_from_the_seed():
    content = (ROOT / "tasks/wheat-nitrogen-v1.yaml").read_bytes()
    for trick in (damaged, flawed):
        made = [trick(content, np.random.default_rng(seed)) for seed in range(30)]
        assert made == [trick(content, np.random.default_rng(seed)) for seed in range(30)]
        assert sum(one != content for one, _ in made) > 25
        assert len({done for _, done in made}) > 5


def test_a_check_that_breaks_is_found_and_its_command_finds_it_again(monkeypatch):
    usual = files.check_file

    def breaks(path):
        if b"beta" not in path.read_bytes():
            raise KeyError("beta")
        return usual(path)

    monkeypatch.setattr(files, "check_file", breaks)
    path = ROOT / "tasks/wheat-nitrogen-v1.yaml"
    report = fuzz_files("task", [path], 60, seed=4)
    (failure, *_) = report.failures
    assert "KeyError: 'beta'" in failure.found
    printed = run(*shlex.split(failure.command)[2:])
    assert printed.exit_code == 1
    assert "KeyError: 'beta'" in printed.stdout
    assert run("files", "nowhere.yaml").exit_code != 0


def test_a_window_of_a_million_years_is_refused_before_it_takes_memory(tmp_path):
    """`window: 1e9 d` is a number that YAML and units allow: 8 GB for the days alone."""
    message = r"observation.window: 1,000,000,000 d; it must be at most 3,653 d"
    with pytest.raises(ConfigError, match=message):
        agbench.make("mungbean-inputs-v1", window="1000000000 d")
    text = (ROOT / "tasks/mungbean-inputs-v1.yaml").read_text().replace("window: 7 d", "window: 1000000000 d")
    path = tmp_path / "tasks" / "mungbean-inputs-v1.yaml"
    path.parent.mkdir()
    path.write_text(text)
    assert re.search(message, check_file(path))
    assert agbench.make("mungbean-inputs-v1", window="3653 d").unwrapped.task.observation.window_days == 3653


@pytest.mark.parametrize("name", ["potato-runoff-v1", "greenhouse-winter-v1"])
def test_a_metric_of_a_total_that_is_not_kept_is_refused(tmp_path, monkeypatch, name):
    task = yaml.safe_load((ROOT / f"tasks/{name}.yaml").read_text())
    task["task"] = "own-v1"
    metric, own = next((key, value) for key, value in task["metrics"].items() if "total" in value)
    message = rf"metrics.{metric}: unknown total 'x{own['total']}'. Did you mean '{own['total']}'"
    own["total"] = f"x{own['total']}"
    path = tmp_path / "tasks" / "own-v1.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(task))
    assert re.search(message, check_file(path))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    with pytest.raises(UnknownNameError, match=message):
        agbench.make("own-v1")
    with pytest.raises(UnknownNameError, match=message):
        agbench.make_vec("own-v1", 2)


def test_a_name_too_long_for_a_file_is_refused(tmp_path):
    path = tmp_path / "baselines" / "cowpea-inputs-v1" / "own.yaml"
    path.parent.mkdir(parents=True)
    text = (ROOT / "baselines/cowpea-inputs-v1/evolved.yaml").read_text()
    path.write_text(re.sub(r"(?m)^(\s+start:).*$", rf"\1 {'n' * 300}", text))
    assert re.search(
        r"own.yaml: .*'n{300}'. Known: advisor, blind-calendar, early-calendar, evolved", check_file(path)
    )


@pytest.mark.parametrize(("key", "kind"), [("[a, b]", "list"), ("{a: 1}", "mapping")])
def test_a_key_that_is_no_word_is_refused_with_its_line(tmp_path, key, kind):
    path = tmp_path / "own.yaml"
    path.write_text(f"task: own\nsplits:\n- test:\n    ? {key}\n    : 1\n")
    assert check_file(path) == f"{path}:4: a key is a {kind}; a key must be one word or number."


@pytest.mark.parametrize(
    ("table", "points", "message"),
    [
        ("FLVTB", [[0.0, 1e308], [1.0, 0.5]], r"FLVTB \(share of .*\) is 1e\+308; it must be 0 to 1."),
        ("FLVTB", [[0.0, -1e308], [1.0, 1e308]], r"FLVTB \(share of .*\) is -1e\+308; it must be 0 to 1."),
        (
            "DTSMTB",
            [[0.0, 0.0], [1e-320, 50.0]],
            r"DTSMTB goes from 0 at temperature 0 to 50 at 9.99989e-321: its slope, or the way between",
        ),
        ("DTSMTB", [[-1e308, 0.0], [1e308, 50.0]], r"DTSMTB goes from 0 at temperature -1e\+308 to 50 at 1e"),
        ("DTSMTB", [[0.0, 1e308], [50.0, -1e308]], r"DTSMTB "),
        ("DTSMTB", [[0.0, 0.0], [50.0, 50.0]], None),
    ],
)
def test_a_table_beyond_all_numbers_is_refused_without_a_warning(tmp_path, table, points, message):
    crop = yaml.safe_load((ROOT / "crops/winter-wheat-nl.yaml").read_text())
    crop["tables"][table]["points"] = points
    path = tmp_path / "crops" / "winter-wheat-nl.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(crop))
    with warnings.catch_warnings(action="error"):
        found = check_file(path)
    assert found is None if message is None else re.search(message, found)


@pytest.mark.parametrize(
    ("element", "key", "value", "message"),
    [
        ("TMIN", "sd", 1e6, r"climate: (its seasons have values that are no|of a season that it gives)"),
        ("TMIN", "mean", 500.0, r"climate: of a season that it gives, .*TMIN"),
    ],
)
def test_a_climate_of_another_planet_is_refused(tmp_path, monkeypatch, element, key, value, message):
    site = yaml.safe_load((ROOT / "sites/wageningen.yaml").read_text()) | {"site": "meadow"}
    site["climate"]["elements"][element][key] = [value] * 12
    path = tmp_path / "sites" / "meadow.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(site))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    assert re.search(message, check_file(path))


def test_a_crop_whose_roots_have_no_depth_is_refused(tmp_path):
    text = (ROOT / "crops/winter-wheat-nl.yaml").read_text()
    path = tmp_path / "crops" / "winter-wheat-nl.yaml"
    path.parent.mkdir()
    path.write_text(text.replace("ROOTDM: 1.2 m", "ROOTDM: 0.0 m"))
    assert check_file(path) == f"{path}: ROOTDM is 0; models divide by it: it must be greater."


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("9" * 5000, ":1: '9{40}' is not a whole number of at most 4,300 digits."),
        ("!!int foo", ":1: 'foo' is not a whole number"),
        ("!!int ''", ":1: '' is not a whole number"),
        ("!!float foo", ":1: 'foo' is not a number."),
        ("!!bool foo", ":1: 'foo' is not true or false."),
        ("!!timestamp foo", ":1: 'foo' is not a date or a time"),
        ("!!str [a]", ":1: expected text, found a list or keys"),
        ("!!map [a]", ":1: expected keys and values"),
        ("!!set a", ":1: expected keys and values"),
        ("[" * 1_000, ": has more brackets within brackets than can be read."),
    ],
)
def test_values_that_yaml_cannot_make_are_refused_with_their_line(tmp_path, value, message):
    path = tmp_path / "x.yaml"
    path.write_text(f"task: {value}\n")
    assert re.match(re.escape(str(path)) + message, check_file(path))


@pytest.mark.parametrize("package", ["data/703165TY", "Miami, a typical year", 273, "a.b", ""])
def test_what_is_no_name_of_a_package_is_refused(tmp_path, package):
    site = yaml.safe_load((ROOT / "sites/miami.yaml").read_text())
    site["series"]["package"] = package
    path = tmp_path / "sites" / "miami.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(site))
    assert check_file(path) == (
        f"{path}: series.package: {package!r} is not the name of a Python package, such as pvlib."
    )


@pytest.mark.parametrize("task", ["greenhouse-gym-v1", "wheat-nitrogen-v1"])
@pytest.mark.parametrize("years", ["", "\0", "1999", "odd 1977"])
def test_years_in_words_that_say_none_are_refused(tmp_path, task, years):
    content = yaml.safe_load((ROOT / f"tasks/{task}.yaml").read_text())
    content["splits"]["train"] = {"years": years}
    path = tmp_path / "tasks" / f"{task}.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(content))
    assert check_file(path).startswith(
        f"{path}: splits.train.years: {years!r} is not a list of years or text"
    )


def test_yaml_is_damaged_in_every_way():
    content = yaml.safe_dump({"name": "a", "inner": {"amount": 3.0, "unit": "d"}}).encode()
    said = {flawed(content, np.random.default_rng(seed))[1].split(",")[0] for seed in range(200)}
    expected = "left out unit", "renamed unit", "the key [unit]", "unit = that of", "amount times", "unit = '"
    for words in expected:
        assert any(one.startswith(words) for one in said), words


@pytest.mark.parametrize("where", ["{}", "./{}", "../tasks/{}", "{folder}/{}"])
def test_a_file_is_damaged_in_a_copy_however_it_is_named(tmp_path, monkeypatch, where):
    folder = tmp_path / "own" / "tasks"
    folder.mkdir(parents=True)
    path = folder / "wheat-nitrogen-v1.yaml"
    path.write_bytes(catalog.find("task", path.stem).read_bytes())
    before = path.read_bytes()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    done = run("files", where.format(path.name, folder=folder), "--count", 3)
    assert done.exit_code == 0, done.output
    assert path.read_bytes() == before
    assert not list((tmp_path / "temporary").iterdir())


@pytest.mark.parametrize(
    "options", [["--split", "test"], ["--rows", 3], ["--mode", "same_step"], ["--scaled"]]
)
def test_options_of_one_case_need_its_actions(options):
    done = run(TASKS[0], "--steps", 1, *options)
    assert isinstance(done.exception, ConfigError)
    assert str(done.exception) == f"{options[0]} is of one case; name its kind of --actions too."
