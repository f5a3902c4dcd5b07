"""Tasks are found: ours, packages', and those of a user's folders; Gymnasium knows them all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.envs import AgBenchEnv, AgBenchVectorEnv
from agbench.errors import AgBenchWarning, ConfigError, UnknownNameError
from agbench.testing.data_files import check_file

TASK = "wheat-nitrogen-v1"


def in_a_fresh_process(code, **environment):
    """Run code in a new Python far from the checkout and return what it printed as JSON."""
    paths = [environment.get("PYTHONPATH", ""), os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        cwd="/",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def write_task(folder: Path, name="my-wheat-v1", **replaced):
    """Write a copy of the shipped task under another name; return its root folder."""
    text = catalog.find("task", TASK).read_text().replace(f"task: {TASK}", f"task: {name}")
    for old, new in replaced.items():
        text = text.replace(old, new)
    (folder / "tasks").mkdir(parents=True, exist_ok=True)
    (folder / "tasks" / f"{name}.yaml").write_text(text)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import gymnasium", f"agbench:agbench/{TASK}"),
        ("import gymnasium, agbench", f"agbench/{TASK}"),
        ("import agbench, gymnasium", f"agbench/{TASK}"),
        ("import agbench, gymnasium; gymnasium.register_envs(agbench)", f"agbench/{TASK}"),
        ("import gymnasium, agbench; gymnasium.register_envs(agbench)", f"agbench/{TASK}"),
    ],
)
def test_gymnasium_makes_a_task_by_each_of_its_own_ways(imports, name):
    """Two of them are below, beside files of other tasks."""
    code = f"""
import json, sys
{imports}
env = gymnasium.make("{name}")
observation, info = env.reset(seed=1)
print(json.dumps([type(env.unwrapped).__name__, observation.shape, info["scenario"]]))
"""
    (name, shape, scenario), warnings = in_a_fresh_process(code)
    assert (name, shape) == ("AgBenchEnv", [12])
    assert scenario.split("/")[0] in ("netherlands", "brabant", "limburg")
    assert "Warning" not in warnings


def test_the_start_of_python_runs_no_code_of_ours():
    code = "import json, sys; print(json.dumps([m for m in sys.modules if m.startswith('agbench')]))"
    loaded, _ = in_a_fresh_process(code)
    assert loaded == []


def test_importing_the_package_loads_neither_gymnasium_nor_numba():
    expected = "('gymnasium', 'numba', 'numpy', 'pydantic')"
    code = f"import agbench, json, sys; print(json.dumps([m for m in sys.modules if m in {expected}]))"
    loaded, _ = in_a_fresh_process(code)
    assert loaded == []


def test_making_a_field_loads_no_library_that_it_does_not_need():
    unwanted = "('casadi', 'cma', 'jinja2', 'matplotlib', 'pandas', 'pcse', 'pyarrow', 'rich', 'typer')"
    code = f"""
import agbench, json, sys
agbench.make("{TASK}")
print(json.dumps([m for m in sys.modules if m in {unwanted}]))
"""
    loaded, _ = in_a_fresh_process(code)
    assert loaded == []


def test_gymnasium_makes_vectors_by_both_roads():
    ours = gymnasium.make_vec(f"agbench/{TASK}", 3, vectorization_mode="vector_entry_point")
    assert isinstance(ours, AgBenchVectorEnv)
    theirs = gymnasium.make_vec(f"agbench/{TASK}", 3, vectorization_mode="sync")
    first, second = ours.reset(seed=4)[0], theirs.reset(seed=4)[0]
    np.testing.assert_array_equal(first, second)
    theirs.close()


def test_tasks_are_listed_with_their_splits():
    (result,) = [task for task in agbench.tasks() if task.id == TASK]
    assert result.splits == {"train": 300, "validation": 100, "test": 40, "shift": 40}
    assert (result.floor, result.expert, result.oracle) == ("zero", "advisor", "ceres")
    assert "nitrogen" in result.tags


def test_make_gives_gymnasiums_own_wrappers_around_the_field():
    env = agbench.make(TASK, "test", beta=2.0)
    assert isinstance(env.unwrapped, AgBenchEnv)
    assert env.unwrapped.task.reward.beta == 2.0
    assert env.spec.id == f"agbench/{TASK}"


def test_a_task_in_a_user_folder_is_registered(tmp_path, monkeypatch):
    monkeypatch.setenv("AGBENCH_PATH", str(write_task(tmp_path)))
    assert "my-wheat-v1" in [task.id for task in agbench.tasks()]
    env = agbench.make("my-wheat-v1")
    assert env.reset(seed=0)[0].shape == (12,)


def test_a_task_of_ones_own_may_use_a_crop_of_ones_own(tmp_path, monkeypatch):
    text = catalog.find("crop", "winter-wheat-nl").read_text()
    (tmp_path / "crops").mkdir()
    (tmp_path / "crops" / "lush-wheat.yaml").write_text(
        text.replace("crop: winter-wheat-nl", "crop: lush-wheat").replace("K: 0.6 ", "K: 0.9 ")
    )
    root = write_task(tmp_path, **{"crop: winter-wheat-nl": "crop: lush-wheat"})
    monkeypatch.setenv("AGBENCH_PATH", str(root))
    grown = {}
    for task in (TASK, "my-wheat-v1"):
        env = agbench.make(task)
        env.reset(options={"scenario": "wageningen/1983"})
        over = False
        while not over:
            *_, terminated, truncated, info = env.step(0)
            over = terminated or truncated
        grown[task] = info["yield"]
    assert grown[TASK] != grown["my-wheat-v1"]


def test_a_task_defined_twice_names_both_files(tmp_path, monkeypatch):
    roots = [write_task(tmp_path / "a"), write_task(tmp_path / "b")]
    monkeypatch.setenv("AGBENCH_PATH", os.pathsep.join(map(str, roots)))
    message = r"'my-wheat-v1' is defined twice: .*/a/.* and .*/b/"
    with pytest.raises(ConfigError, match=message):
        agbench.make("my-wheat-v1")
    with pytest.warns(AgBenchWarning, match=message):
        assert {"my-wheat-v1", TASK} <= {task.id for task in agbench.tasks()}


def test_a_file_that_cannot_be_listed_is_named_and_hides_no_other(tmp_path, monkeypatch):
    root = write_task(tmp_path)
    (root / "tasks" / "empty-v1.yaml").write_text("")
    monkeypatch.setenv("AGBENCH_PATH", str(root))
    with pytest.warns(AgBenchWarning, match=r"empty-v1\.yaml: .*there is nothing\. It is not listed"):
        names = [task.id for task in agbench.tasks()]
    assert {"my-wheat-v1", TASK} <= {*names}
    assert "empty-v1" not in names


def test_the_same_folder_named_twice_is_one_folder(tmp_path, monkeypatch):
    root = write_task(tmp_path)
    monkeypatch.setenv("AGBENCH_PATH", os.pathsep.join([str(root), str(root) + os.sep]))
    assert "my-wheat-v1" in catalog.names("task")


def test_a_file_must_bear_the_name_it_gives_itself(tmp_path, monkeypatch):
    root = write_task(tmp_path)
    (root / "tasks" / "my-wheat-v1.yaml").rename(root / "tasks" / "other-v1.yaml")
    monkeypatch.setenv("AGBENCH_PATH", str(root))
    with pytest.raises(ConfigError, match=r"task: 'my-wheat-v1' must be the file's own name, 'other-v1'"):
        catalog.task("other-v1")


def test_a_changed_file_is_read_again(tmp_path, monkeypatch):
    root = write_task(tmp_path)
    monkeypatch.setenv("AGBENCH_PATH", str(root))
    assert catalog.task("my-wheat-v1").reward.beta == 10.0
    path = root / "tasks" / "my-wheat-v1.yaml"
    path.write_text(path.read_text().replace("beta: 10.0", "beta: 3.0"))
    os.utime(path, ns=(1, 1))
    assert catalog.task("my-wheat-v1").reward.beta == 3.0


def test_an_installed_package_adds_its_tasks(tmp_path):
    """Gymnasium finds them by the name of this package, which nothing has imported."""
    package = tmp_path / "site" / "farm_tasks"
    write_task(package, "farm-wheat-v1")
    (package / "__init__.py").write_text("")
    info = tmp_path / "site" / "farm_tasks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: farm-tasks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[agbench.data]\nfarm = farm_tasks\n")
    code = """
import json, gymnasium
env = gymnasium.make("agbench:agbench/farm-wheat-v1")
import agbench
print(json.dumps([env.reset(seed=0)[0].shape, [t.id for t in agbench.tasks()]]))
"""
    (shape, tasks), _ = in_a_fresh_process(code, PYTHONPATH=str(tmp_path / "site"))
    assert shape == [12]
    assert {"farm-wheat-v1", TASK} <= set(tasks)


def test_an_entry_point_to_no_package_warns_and_breaks_nothing(tmp_path):
    info = tmp_path / "lost-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lost\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[agbench.data]\nlost = lost_tasks\n")
    code = 'import json, agbench, gymnasium; print(json.dumps(gymnasium.make("CartPole-v1").spec.id))'
    result, text = in_a_fresh_process(code, PYTHONPATH=str(tmp_path))
    assert result == "CartPole-v1"
    assert "entry point 'lost' of agbench.data: lost_tasks): there is no package 'lost_tasks'" in text


@pytest.mark.parametrize(
    ("kind", "name", "nearest"),
    [("crop", "winter-wheat", "winter-wheat-nl"), ("site", "wageninge", "wageningen")],
)
def test_an_unknown_file_names_the_nearest(kind, name, nearest):
    with pytest.raises(UnknownNameError, match=f"unknown {kind} '{name}'.*{nearest}"):
        catalog.find(kind, name)


def test_files_whose_names_cannot_be_an_id_hide_no_other_task(tmp_path):
    wrong = ["my wheat-v1", "wheat-nitrogen", "Blé-v1", "wheat-nitrogen-v01"]
    *_, folder = [write_task(tmp_path, name) for name in wrong]
    code = f"""
import agbench, gymnasium, json
env = gymnasium.make("agbench/{TASK}")
print(json.dumps([env.spec.id, type(env.unwrapped).__name__, env.reset(seed=1)[0].shape]))
"""
    made, warnings = in_a_fresh_process(code, AGBENCH_PATH=str(folder))
    assert made == [f"agbench/{TASK}", "AgBenchEnv", [12]]
    assert "Warning" not in warnings
    for name in wrong:
        assert "task" in check_file(folder / "tasks" / f"{name}.yaml")
