"""The command: a user's path through it, what it prints, and how it ends."""

import json
import os
import re
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest
from in_process import command as agbench

from agbench.cli.options import literal_console
from agbench.cli.show import _words
from agbench.data import catalog
from agbench.envs.single import AgBenchEnv
from agbench.errors import AgBenchWarning

TASK = "wheat-nitrogen-v1"
ROOT = Path(__file__).parents[2]


def in_a_process(*arguments, cwd, then=""):
    """Run the command in a process of its own, and code after it; return the finished process."""
    code = f"from agbench.cli import main\ntry:\n    main()\nfinally:\n    {then or 'pass'}"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_module_is_the_command(tmp_path):
    command = [sys.executable, "-m", "agbench", "tasks", "--suite", "core"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert TASK in ended.stdout


def test_help_names_every_verb_and_every_verb_has_an_example(tmp_path):
    printed, _ = agbench("--help", cwd=tmp_path)
    for verb in ("tasks", "show", "run", "evaluate", "compare", "check", "fit", "bench"):
        assert verb in printed
        assert "Example:" in agbench(verb, "--help", cwd=tmp_path)[0]


@pytest.mark.parametrize("group", [["weather"], ["leaderboard"], ["leaderboard", "round"]])
def test_help_of_a_group_has_an_example(tmp_path, group):
    assert f"Example: agbench {' '.join(group)} " in agbench(*group, "--help", cwd=tmp_path)[0]


@pytest.mark.parametrize("arguments", [["--help"], ["leaderboard", "--help"], ["tasks"]])
def test_help_and_the_list_of_tasks_load_no_simulator_and_no_schema(tmp_path, arguments):
    slow = {"numpy", "numba", "pandas", "casadi", "matplotlib", "gymnasium", "agbench.data.task"}
    then = f"import sys; print(sorted({slow} & set(sys.modules)), file=sys.stderr)"
    done = in_a_process(*arguments, cwd=tmp_path, then=then)
    assert (done.returncode, done.stderr) == (0, "[]\n")
    assert "tasks" in done.stdout or TASK in done.stdout


def test_the_process_ends_with_a_code(tmp_path):
    done = in_a_process("show", "wheat-nitrogen-v2", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("agbench: unknown task")


def test_pictures_are_drawn_whatever_backend_is_named(monkeypatch):
    module, named = import_module("agbench.cli.app"), []
    monkeypatch.setenv("MPLBACKEND", "none such")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(module, "app", lambda: named.append(os.environ["MPLBACKEND"]))
    module.main()
    assert named == ["agg"]


def test_run_prints_a_greenhouse_by_day_or_by_step(tmp_path, monkeypatch):
    # tests/envs/test_rendering.py draws.
    monkeypatch.setattr(AgBenchEnv, "save_picture", lambda self, path: None)
    command = (
        "run",
        "greenhouse-winter-v1",
        "-p",
        "plain-computer",
        "--scenario",
        "bleiswijk/2009-12-19",
        "-o",
        "s.png",
        "--set",
    )
    days = agbench(*command, "episode__length=2 d", cwd=tmp_path)[0].splitlines()
    assert days[1].split()[:4] == ["day", "uBoil", "uCo2", "uThScr"]
    assert [line.split()[:2] for line in days if "2009-12-20" in line] == [["2009-12-20", "1"]]
    assert len(days) < 12
    assert re.search(r"return -\d+\.\d\d EUR m-2", " ".join(days))
    steps = agbench(*command, "episode__length=1 d", "--all-steps", cwd=tmp_path)[0]
    assert steps.count("2009-12-") == 1 + 288
    assert re.search(r"2009-12-19 00:05:00 +0\.0099 ", steps)


def test_tasks_lists_the_task_with_its_references(tmp_path):
    printed, _ = agbench("tasks", "--json", cwd=tmp_path)
    (task,) = [t for t in json.loads(printed) if t["id"] == TASK]
    assert task["splits"] == {"train": 300, "validation": 100, "test": 40, "shift": 40}
    assert (task["floor"], task["expert"], task["oracle"]) == ("zero", "advisor", "ceres")


def test_a_list_of_tasks_for_another_command_has_a_task_a_line(tmp_path):
    heading, *lines = agbench("tasks", cwd=tmp_path)[0].splitlines()
    assert heading.split()[:2] == ["task", "splits"]
    assert [line.split()[0] for line in lines] == sorted(catalog.names("task"))


@pytest.mark.parametrize("width", [40, 60, 100, 120])
def test_a_list_of_tasks_fits_the_terminal(tmp_path, monkeypatch, width):
    terminal = literal_console(force_terminal=True, width=width, color_system=None)
    monkeypatch.setattr("agbench.cli.tasks.console", terminal)
    lines = agbench("tasks", cwd=tmp_path)[0].splitlines()
    names = set(catalog.names("task"))
    assert all(len(line) <= width or line in names for line in lines)  # a name is never broken
    assert {line.split()[0] for line in lines if line[:1].strip()} >= names


def test_show_names_spaces_units_splits_protocol_and_references(tmp_path):
    printed, _ = agbench("show", TASK, cwd=tmp_path)
    for word in ("DVS", "m2 m-2", "mean(IRRAD)", "40 kg ha-1 N", "1984", "1099", "mean", "ceres", "g m-2"):
        assert word in printed
    shown = json.loads(agbench("show", TASK, "--json", "--set", "beta=5.0", cwd=tmp_path)[0])
    assert len(shown["observation"]) == 12
    assert shown["reward"]["beta"] == 5.0


def test_show_shortens_a_list_of_very_many_scenarios(tmp_path):
    printed, _ = agbench("show", "greenhouse-tomato-v1", cwd=tmp_path)
    assert "generated/2/" in printed
    assert "generated/3/" not in printed
    assert "(10,000 in all)" in " ".join(printed.split())
    whole = json.loads(agbench("show", "greenhouse-tomato-v1", "--json", cwd=tmp_path)[0])
    assert len(whole["splits"]["train"]) == 10_000


def test_show_model_names_variables_and_parameters_with_units(tmp_path):
    printed, _ = agbench("show", "model", "wofost-npk", cwd=tmp_path)
    for word in ("TWSO", "kg ha-1", "TSUM1", "above 0", "apply_npk", "IRRAD", "HARVEST", "SMfromPF"):
        assert word in printed
    content = json.loads(agbench("show", "model", "greenlight", "--json", cwd=tmp_path)[0])
    assert content["presets"]["katzin_2021"]["aFlr"] == 4e4
    _, mistake = agbench("show", "model", "lintull3", cwd=tmp_path, code=2)
    assert "unknown model 'lintull3'. Did you mean 'lintul3'" in mistake


def test_run_prints_and_draws_a_season(tmp_path):
    printed, _ = agbench(
        "run", TASK, "-p", "ceres", "--scenario", "wageningen/1984", "-o", "s.png", cwd=tmp_path
    )
    assert "1984-08-20" in printed
    assert re.search(r"return 110\.2 g m-2; nitrogen 180\.0 kg ha-1", printed)
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")


def test_policies_are_evaluated_and_compared(tmp_path):
    for policy in ("zero", "advisor", "standard-practice"):
        printed, _ = agbench("evaluate", TASK, "--policy", policy, "-o", f"r/{policy}", cwd=tmp_path)
        assert f"wrote r/{policy}/" in printed
    printed, _ = agbench("compare", "r", "--figure", "c.png", cwd=tmp_path)
    rows = [line.split()[0] for line in printed.splitlines() if "[" in line][1:]
    assert rows == ["zero", "standard-practice", "advisor"]
    assert (tmp_path / "c.png").stat().st_size > 10_000
    content = json.loads(agbench("compare", "r", "--json", cwd=tmp_path)[0])
    assert [row["score"]["value"] for row in content] == pytest.approx([0.0, 83.14, 89.66], abs=0.01)


def test_evaluate_prints_json_for_machines(tmp_path):
    printed, _ = agbench("evaluate", TASK, "-p", "zero", "--json", cwd=tmp_path)
    content = json.loads(printed)
    assert content["episodes"] == 40
    assert content["summary"]["return"]["value"] == 0.0


def test_an_evaluation_whose_every_episode_fails_ends_with_1(tmp_path):
    code = """class Broken:
    name, information = "broken", "observation"

    def reset(self, seed):
        pass

    def __call__(self, observation):
        raise RuntimeError("the pump broke")
"""
    (tmp_path / "broken.py").write_text(code)
    with warnings.catch_warnings():
        warnings.simplefilter("always", AgBenchWarning)
        printed, said = agbench("evaluate", TASK, "--policy", "broken:Broken", cwd=tmp_path, code=1)
    assert f"agbench: warning: {TASK}: all 40 episodes of broken failed" in said
    assert "all 40 episodes failed, the first with RuntimeError: the pump broke" in printed


@pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_check_passes_our_files_and_fails_a_broken_copy(tmp_path, every):
    kinds = ("tasks/*", "crops/*", "sites/*", "sites/soils/*", "baselines/*/*")
    files = [path for kind in kinds for path in sorted(ROOT.glob(f"{kind}.yaml"))[::every]]
    assert len(files) >= 6
    printed, _ = agbench("check", *files, cwd=tmp_path)
    assert printed.count("good") == len(files)
    broken = tmp_path / "wheat-nitrogen-v1.yaml"
    text = (ROOT / "tasks/wheat-nitrogen-v1.yaml").read_text()
    broken.write_text(text.replace("warmup:", "warm_up:"))
    printed, _ = agbench("check", broken, cwd=tmp_path, code=1)
    assert "season: unknown key 'warm_up'. Did you mean 'warmup'?" in printed


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("DVS, TGROWTH", "DVS, TGROWHT"), "unknown variable 'TGROWHT'. Did you mean 'TGROWTH'"),
        (("site: netherlands", "site: nederlands"), "unknown site 'nederlands'. Did you mean 'netherlands'"),
        (("beta: 10.0", "beta: 1e1"), "write 1.0e1"),
        (
            ("all 1984-2023, site: netherlands", "all 1984-2024, site: netherlands"),
            "the year 2024 of netherlands is incomplete: it has 344 of 366 days",
        ),
        (("expert: advisor", "expert: adviser"), "Did you mean 'advisor'"),
        (("[0, 20, 40]", "[0, 40, 20]"), "doses must start with 0 and ascend"),
    ],
)
def test_check_reports_the_mistake_and_the_remedy(tmp_path, change, expected):
    text = (ROOT / "tasks/wheat-nitrogen-v1.yaml").read_text()
    assert change[0] in text
    broken = tmp_path / "wheat-nitrogen-v1.yaml"
    broken.write_text(text.replace(*change))
    printed, _ = agbench("check", broken, cwd=tmp_path, code=1)
    assert expected in " ".join(printed.split())


def test_check_does_not_call_hidden_seasons_wrong_where_there_is_no_secret(tmp_path, monkeypatch):
    monkeypatch.delenv("AGBENCH_SECRET_FILE", raising=False)
    text = (ROOT / "tasks/wheat-nitrogen-v1.yaml").read_text()
    before, after = re.split(r"^splits:.*\n", text, flags=re.MULTILINE)
    with_secret = tmp_path / "wheat-nitrogen-v1.yaml"
    with_secret.write_text(f"{before}splits:\n    secret: {{hidden: 5}}\n{after}")
    printed, _ = agbench("check", with_secret, cwd=tmp_path)
    assert "good" in printed
    assert "not tried: the split secret" in " ".join(printed.split())
    with_secret.write_text(f"{before}splits:\n    secret: {{hidden: none}}\n{after}")
    agbench("check", with_secret, cwd=tmp_path, code=1)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("show", "wheat-nitrogen-v2"), "unknown task 'wheat-nitrogen-v2'. Did you mean"),
        (("evaluate", TASK, "-p", "cerres"), "unknown policy 'cerres'. Did you mean 'ceres'"),
        (("evaluate", TASK, "-p", "zero", "--split", "tset"), "unknown split 'tset'"),
        (("evaluate", TASK, "-p", "zero", "-s", "betta=5"), "unknown key 'betta'. Did you mean 'beta'"),
        (
            ("run", TASK, "-p", "zero", "--scenario", "wageningen/1990"),
            "the year 1990 of wageningen is incomplete",
        ),
        (("compare", "nowhere"), "there is no such result folder"),
    ],
)
def test_a_mistake_ends_with_one_sentence_and_code_2(tmp_path, arguments, expected):
    _, error = agbench(*arguments, cwd=tmp_path, code=2)
    assert expected in error
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == []


MARKUP = "[old] :x: [/b]"
"""A text that Rich would read as tags and an emoji."""


@pytest.fixture
def marked_task(tmp_path, monkeypatch):
    """Write a task with `MARKUP` in its texts to a folder on AGBENCH_PATH; return its id."""
    text = (ROOT / f"tasks/{TASK}.yaml").read_text().replace(TASK, "rye-v1")
    text = re.sub(r"(?m)^(summary|source):.*", rf'\1: "Rye {MARKUP}"', text)
    text = text.replace("objective_unit: g m-2", f'objective_unit: "{MARKUP}"')
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/rye-v1.yaml").write_text(text)
    for policy in (ROOT / f"baselines/{TASK}").glob("*.yaml"):
        if policy.stem in ("advisor", "standard-practice", "ceres"):
            (tmp_path / "baselines/rye-v1").mkdir(parents=True, exist_ok=True)
            (tmp_path / f"baselines/rye-v1/{policy.name}").write_text(policy.read_text())
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    return "rye-v1"


def test_texts_of_files_are_printed_as_they_are(tmp_path, monkeypatch, marked_task):
    assert f"Rye {MARKUP}" in agbench("tasks", cwd=tmp_path)[0]
    printed, _ = agbench("show", marked_task, cwd=tmp_path)
    assert printed.count(f"Rye {MARKUP}") == 2
    printed, _ = agbench("evaluate", marked_task, "-p", "zero", "-o", "runs[b]/r:x:", cwd=tmp_path)
    assert f"] {MARKUP}" in " ".join(printed.split())
    assert "wrote runs[b]/r:x:/" in printed
    printed, _ = agbench("compare", "runs[b]/r:x:", "--figure", "[/b]:x:.png", cwd=tmp_path)
    assert MARKUP in printed
    assert "wrote [/b]:x:.png" in printed
    monkeypatch.setattr("agbench.cli.tasks.console", literal_console(force_terminal=True, width=200))
    assert f"Rye {MARKUP}" in agbench("tasks", cwd=tmp_path)[0]


def test_texts_of_users_are_printed_as_they_are(tmp_path):
    long = f"runs[old]/{'wheat ' * 30}/x:x:.yaml"
    printed, _ = agbench("check", "[/red]", long, cwd=tmp_path, code=1)
    assert printed.startswith("wrong  [/red]\n")
    assert f"wrong  {long}\n" in printed
    for arguments in (("show", MARKUP), ("evaluate", TASK, "-p", f"nomod:X{MARKUP}"), ("compare", MARKUP)):
        assert MARKUP in agbench(*arguments, cwd=tmp_path, code=2)[1]
    assert MARKUP in agbench(MARKUP, cwd=tmp_path, code=2)[1]


def test_a_result_beyond_the_limits_says_that_its_points_do_not_count(tmp_path):
    calendar = str(ROOT / "baselines/wheat-inputs-v1/blind-calendar.yaml")
    told, _ = agbench("evaluate", "wheat-limits-v1", "-p", calendar, cwd=tmp_path)
    assert "infeasible: " in told
    assert "where none is allowed; the leaderboard counts no point above 0" in told
    printed, _ = agbench("evaluate", "wheat-limits-v1", "-p", calendar, "--json", cwd=tmp_path)
    found = json.loads(printed)
    assert found["cost"] == pytest.approx(100.0)  # 40 kg of N and 60 of K too many
    assert (found["limit"], found["feasible"]) == (0.0, False)
    assert "infeasible" not in agbench("evaluate", "wheat-limits-v1", "-p", "advisor", cwd=tmp_path)[0]


def test_lists_of_more_than_four_numbers_are_shown_as_their_range():
    assert _words([1, 2.5, 3, 4]) == "1 2.5 3 4"
    assert _words([4, 2.5, 3, 1, 2]) == "5 values from 1 to 4"
    assert _words({"names": ["a", "b", "c", "d", "e"]}) == "(names a b c d e)"


def test_a_current_folder_that_is_gone_is_said_in_a_sentence(tmp_path):
    code = "import os\nfrom agbench.cli import main\nos.rmdir(os.getcwd())\nmain()"
    (tmp_path / "gone").mkdir()
    command = [sys.executable, "-c", code, "tasks"]
    ended = subprocess.run(command, cwd=tmp_path / "gone", capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert " ".join(ended.stderr.split()) == (
        "agbench: the current folder was removed or replaced. Go to one that is there, with cd."
    )
