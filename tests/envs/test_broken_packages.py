"""What packages add may be broken in any way: they are named, and nothing else breaks."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import agbench
from agbench.data import catalog, families, packages, places
from agbench.envs.family import Family
from agbench.envs.family import family as family_of
from agbench.errors import AgBenchWarning, ConfigError
from agbench.policies import registry
from agbench.policies.base import KINDS, policy

BATHTUB = Path(__file__).parents[1] / "bathtub"
TASK, TUB = "wheat-nitrogen-v1", "bathtub-v1"


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that makes an installed package of entry points and of modules."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(BATHTUB)
    hidden = [name for name in sys.modules if name.partition(".")[0] in ("broken", "other")]
    for name in hidden:
        monkeypatch.delitem(sys.modules, name)

    def write(points, name="broken", **modules):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(points, encoding="utf-8")
        for module, text in modules.items():
            (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        forget()

    yield write
    for name in ("broken", "other"):
        sys.modules.pop(name, None)
    forget()


def forget():
    packages._installed.cache_clear()
    places._package_roots.cache_clear()


def others_work():
    assert TASK in [task.id for task in agbench.tasks()]
    assert catalog.task(TASK).family == "field"


FAMILY = "from bathtub.family import BATHTUB\nfrom dataclasses import replace\n"


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("import nothing_of_that_name", r"the package 'broken' .*cannot be loaded: ModuleNotFoundError"),
        ("raise KeyError('x')", r"the package 'broken' .*cannot be loaded: KeyError"),
        ("import sys; sys.exit(3)", r"the package 'broken' .*cannot be loaded: SystemExit"),
        ("OTHER = 1", r"the package 'broken' .*cannot be loaded: AttributeError"),
        ("BASIN = None", r"the package 'broken' .*None is no family"),
        ("BASIN = type('B', (), {'name': 'basin', 'schema': dict})", r"subclass of agbench.data.task.Task"),
        (FAMILY + "BASIN = BATHTUB", r"the family is called 'bathtub'; the two names must be equal"),
        ("from agbench.envs.family import Family\nBASIN = Family(name='basin')", r"missing .*'schema'"),
        (FAMILY + "BASIN = replace(BATHTUB, name='basin', build=3)", "build must be functions"),
        (FAMILY + "BASIN = replace(BATHTUB, name='basin', step_seconds=0)", "at least 1; got 0"),
    ],
)
def test_a_broken_family_is_named_when_a_task_asks_for_it(install, module, message):
    install("[agbench.families]\nbasin = broken:BASIN\n", broken=module)
    with pytest.raises(ConfigError, match=r"mine\.yaml: .*") as raised:
        families.read_task({"family": "basin"}, "mine.yaml")
    assert raised.match(message)
    others_work()


def test_an_object_that_is_no_family_is_named(install, monkeypatch):
    from bathtub.family import BATHTUB as bathtub

    monkeypatch.setattr(families, "_registered", {})
    families.register(SimpleNamespace(name="basin", schema=bathtub.schema))
    with pytest.raises(ConfigError, match="'basin' is a SimpleNamespace; it must be an"):
        family_of(SimpleNamespace(family="basin"))
    for wrong in (None, object(), SimpleNamespace(name="basin"), SimpleNamespace(name=3, schema=None)):
        with pytest.raises(ConfigError, match="register: "):
            families.register(wrong)
    assert isinstance(replace(bathtub, name="sink"), Family)


def test_a_family_under_a_name_of_ours_is_passed_over(install):
    install("[agbench.families]\nfield = bathtub.family:BATHTUB\n")
    text = catalog.find("task", TASK)
    with pytest.warns(AgBenchWarning, match=r"the package 'broken' .* is passed over: 'field' is a family"):
        assert families.read_task_file(text).family == "field"


def test_two_families_of_one_name_are_both_named(install):
    install("[agbench.families]\nbasin = broken:A\n", broken="")
    install("[agbench.families]\nbasin = other:A\n", name="other", other="")
    with pytest.raises(ConfigError, match=r"'broken' .* and the package 'other' .* Uninstall one"):
        families.find("basin")
    assert families.names().count("basin") == 1
    others_work()


def test_a_task_of_a_broken_family_is_listed_and_kills_no_list(install, monkeypatch, tmp_path):
    install("[agbench.families]\nbathtub = broken:BATHTUB\n", broken="1/0")
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(BATHTUB)])
    forget()
    monkeypatch.setenv("AGBENCH_PATH", str(BATHTUB))
    assert TUB in [task.id for task in agbench.tasks()]
    with pytest.raises(ConfigError, match=r"the package 'broken' .*ZeroDivisionError"):
        agbench.make(TUB)
    others_work()


def test_records_of_packages_that_cannot_be_read_break_nothing(install, tmp_path):
    install("[agbench.data]\nno sense at all\n= = =\n[[[\n")
    (tmp_path / "broken-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe[agbench.data]\n\x00")
    code = f"import agbench, gymnasium, json; print(json.dumps('agbench/{TASK}' in gymnasium.registry))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) is True
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "place", ["nowhere_at_all", "nowhere.at.all", "broken", "broken.part", "", ":x", "a b"]
)
def test_a_folder_of_data_that_a_package_does_not_have_is_named(install, place):
    install(f"[agbench.data]\nfarm = {place}\n", broken="1/0")
    with pytest.warns(AgBenchWarning, match=r"the package 'broken' .*there is no package"):
        others_work()


def test_a_folder_that_is_none_costs_no_other(monkeypatch, tmp_path):
    text = os.pathsep.join([str(tmp_path / "nowhere"), str(tmp_path), str(BATHTUB)])
    monkeypatch.setenv("AGBENCH_PATH", text)
    with pytest.warns(AgBenchWarning) as warnings:
        names = catalog.names("task")
    assert {TASK, TUB} <= set(names)
    message = " ".join(str(warning.message) for warning in warnings)
    assert f"AGBENCH_PATH: {tmp_path / 'nowhere'} is not a folder" in message
    assert f"AGBENCH_PATH: {tmp_path} holds none of the folders tasks/, crops/" in message


POLICY = "from agbench.policies.base import policy\n"


def settings(folder, kind):
    path = folder / "mine.yaml"
    path.write_text(f"policy: {kind}\nsummary: s\nsource: s\nsettings: {{}}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("import nothing_of_that_name", "cannot be loaded: ModuleNotFoundError"),
        ("", "cannot be loaded: AttributeError"),
        ("class Weekly: ...", r"registers no kind of policy of that name: .*@policy\('weekly'\)"),
        (POLICY + "@policy\nclass Weekly: ...", r"write @policy\(\"weekly\"\)"),
        (
            POLICY + "@policy('zero')\nclass Weekly: ...",
            r"'zero' already, agbench\.policies\.simple:Zero; give broken:Weekly another name",
        ),
    ],
)
def test_a_broken_policy_is_named_when_a_file_asks_for_it(install, tmp_path, module, message):
    install("[agbench.policies]\nweekly = broken:Weekly\n", broken=module)
    with pytest.raises(ConfigError, match=message) as raised:
        agbench.load_policy(settings(tmp_path, "weekly"), TASK)
    assert raised.match("the package 'broken'")
    assert agbench.load_policy("standard-practice", TASK).name == "standard-practice"


def test_what_makes_no_policy_is_refused(install, tmp_path):
    module = "from agbench.policies.base import policy\n@policy('weekly')\ndef make(*given): return 3"
    install("[agbench.policies]\nweekly = broken:make\n", broken=module)
    try:
        with pytest.raises(ConfigError, match="3 is not a policy"):
            agbench.load_policy(settings(tmp_path, "weekly"), TASK)
    finally:
        del KINDS["weekly"]


def test_a_policy_under_a_name_of_ours_is_passed_over(install):
    install("[agbench.policies]\nschedule = broken:Mine\n", broken="1/0")
    with pytest.warns(AgBenchWarning, match="'broken' .*passed over: 'schedule' is a kind of policy"):
        assert registry.kind("schedule").is_ours


def test_a_policy_is_registered_once(monkeypatch):
    monkeypatch.setattr("agbench.policies.base.KINDS", {})

    def first(name, settings, interface): ...
    def second(name, settings, interface): ...

    policy("monthly")(first)
    policy("monthly")(first)
    with pytest.raises(ConfigError, match=r"'monthly' already, .*first; give .*second another name"):
        policy("monthly")(second)
    second.__module__, second.__qualname__ = "agbench.policies.field.monthly", "Monthly"
    with pytest.warns(
        AgBenchWarning, match=r"first is passed over: 'monthly' is a kind of policy of agbench"
    ):
        policy("monthly")(second)
    with pytest.raises(ConfigError, match=r"families is a list; write \['field'\]"):
        policy("yearly", families="field")
    with pytest.raises(ConfigError, match="settings is a subclass of Strict"):
        policy("yearly", settings={"dose": float})
