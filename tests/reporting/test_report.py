"""Reports: of each kind of folder, one file that is whole by itself, on a desk and on a phone."""

import re
import shutil
from dataclasses import replace

import pytest
import yaml
from typer.testing import CliRunner

import agbench
from agbench.cli.app import app
from agbench.errors import ResultError
from agbench.evaluation.result import Result
from agbench.reporting import report
from agbench.reporting.content import section_of

TASK = "wheat-nitrogen-v1"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OUTSIDE = re.compile(r"""(?:src|href)\s*=\s*["'](?!#)|@import|url\(|\bfetch\(|XMLHttpRequest""")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Return the folder of a result, a dataset and, where it can be trained, a training run."""
    root = tmp_path_factory.mktemp("runs")
    agbench.evaluate(TASK, "advisor", out=root / "advisor", progress=False)
    agbench.collect(TASK, "advisor", 5, root / "data", epsilon=0.2, format="npz", progress=False)
    return root


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    pytest.importorskip("stable_baselines3")
    from agbench.training.run import run

    folder = tmp_path_factory.mktemp("trained") / "ppo"
    tiny = {"envs": 4, "validation.episodes": 3, "validation.every": 64, "network.layers": [8]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agbench.training.export.OBSERVATIONS", 100)
        run(TASK, "ppo", 192, 3, folder, tiny | {"n_steps": 16, "batch_size": 32}, progress=False)
    return folder


def headings(text):
    return re.findall(r"<h[12][^>]*>(.*?)</h", text)


def test_a_result_is_beside_its_references_with_its_seasons(folders, tmp_path):
    text = report(folders / "advisor", tmp_path / "r.html").read_text("utf-8")
    assert headings(text) == [f"advisor on {TASK}", "Test: 40 episodes", "Seasons of test"]
    for policy, role in (("zero", "floor"), ("advisor", "expert"), ("ceres", "oracle")):
        assert re.search(rf'class="who">{policy}</th><td>{role}', text)
    assert re.search(r'<b>advisor</b></th><td>this one</td><td class="n" data-v="95\.', text)
    assert text.count("data-season=") == 3
    assert text.count("data-plot=") == 2
    assert "netherlands/<wbr>1984" in text
    result = Result.load(folders / "advisor")
    rows = {row.role: row for row in section_of(result, seasons=0).compared}
    assert [role for role, row in rows.items() if row.less_expert is None] == ["expert"]
    assert rows["oracle"].less_expert.value > 0.0 > rows["floor"].less_expert.value


def test_a_training_shows_its_curve_and_its_settings(trained, tmp_path):
    text = report(trained, tmp_path / "r.html", seasons=1).read_text("utf-8")
    assert headings(text)[0] == f"ppo on {TASK}"
    assert {"Test: 40 episodes", "Shift: 40 episodes"} <= set(headings(text))
    assert "Learning curve" in text
    assert re.search(r'<th scope="row">n_steps</th><td>16</td>', text)
    assert text.count("data-season=") == 2


def test_a_dataset_shows_its_returns_and_seasons(folders, tmp_path):
    text = report(folders / "data", tmp_path / "r.html", seasons=2).read_text("utf-8")
    assert "Train: 5 episodes" in headings(text)
    assert "Returns of the dataset" in text
    assert "floor zero on test 0" in text
    assert text.count("data-season=") == 2
    assert "could not be simulated" not in text


@pytest.mark.parametrize("name", ["advisor", "data"])
def test_nothing_is_loaded_from_elsewhere(folders, name, tmp_path):
    text = report(folders / name, tmp_path / "r.html", seasons=0).read_text("utf-8")
    without_scripts = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert OUTSIDE.findall(without_scripts) == []
    assert "fetch(" not in text
    assert "data-season" not in without_scripts


def test_names_are_text_and_a_changed_task_has_no_references(folders, tmp_path):
    result = agbench.evaluate(TASK, "zero", years=[1985], progress=False)
    name = "<script>alert(1)</script>"
    named = replace(result, policy=name, record={**result.record, "policy": name})
    named.save(tmp_path / "own")
    text = report(tmp_path / "own", seasons=0).read_text("utf-8")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    assert "not all scenarios of the split" in text
    agbench.evaluate(TASK, "zero", out=tmp_path / "beta", progress=False, beta=5.0)
    text = report(tmp_path / "beta", seasons=1).read_text("utf-8")
    assert "The task was changed" in text
    assert re.search(r'<th scope="row">beta</th><td>5\.0', text)


def test_seasons_of_a_changed_task_are_those_of_the_change(tmp_path):
    changed = {"step": "14 d"}
    agbench.evaluate(TASK, "zero", out=tmp_path / "slow", progress=False, **changed)
    text = report(tmp_path / "slow", seasons=1).read_text("utf-8")
    assert text.count("data-season=") == 1
    assert "could not be simulated" not in text


def test_the_command_writes_beside_the_run_and_leaves_it_as_it_was(folders, tmp_path):
    shutil.copytree(folders / "advisor", tmp_path / "mine")
    printed = CliRunner().invoke(app, ["report", str(tmp_path / "mine"), "--seasons", "0"])
    assert printed.exit_code == 0
    assert (tmp_path / "mine.html").is_file()
    assert "mine.html" in printed.stdout.replace("\n", "")
    assert Result.load(tmp_path / "mine").policy == "advisor"
    assert sorted(p.name for p in (tmp_path / "mine").iterdir()) == sorted(
        p.name for p in (folders / "advisor").iterdir()
    )


@pytest.mark.parametrize("name", ["beta/page.html", "index.HTM"])
def test_a_report_takes_the_place_of_a_report_alone(folders, tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    content = b"<!doctype html><title>Wheat \xc2\xb7 AgBench leaderboard</title>"
    path.write_bytes(content)
    printed = CliRunner().invoke(app, ["report", str(folders / "advisor"), "--out", str(path)])
    assert isinstance(printed.exception, ResultError)
    assert f"{name} is there already and is not a report of AgBench's" in str(printed.exception)
    assert path.read_bytes() == content
    path.unlink()
    for _ in range(2):  # one report replaces another
        assert report(folders / "advisor", path, seasons=0) == path


def test_what_is_none_of_the_three_is_named(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ResultError, match=r"holds no result .*no training .*no dataset"):
        report(tmp_path / "empty")
    assert not (tmp_path / "empty.html").exists()


def test_a_folder_of_runs_names_one_of_them(folders, tmp_path):
    shutil.copytree(folders / "advisor", tmp_path / "runs" / "mine")
    with pytest.raises(ResultError, match=r"Name one of the folders in it, such as .*runs/mine\."):
        report(tmp_path / "runs")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_it_is_whole_in_a_browser(trained, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = report(trained, tmp_path / "r.html", seasons=1)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for width in (390, 1280):
            said = []
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.on("console", lambda message, said=said: said.append(message.text))
            page.on("pageerror", lambda error, said=said: said.append(str(error)))
            page.on("request", lambda request, said=said: said.append(request.url))
            page.goto(path.as_uri())
            page.wait_for_selector(".panels .uplot canvas")
            drawn = page.locator("[data-plot] .u-wrap canvas").count()
            assert drawn == page.locator("[data-plot]").count() >= 5
            assert page.locator(".panels .uplot").count() >= 10
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert said == [path.as_uri()]
        browser.close()


@pytest.mark.parametrize(
    ("key", "value"),
    [("machine", None), ("versions", None), ("wall_time_s", None), ("overrides", ["a"]), ("files", None)],
)
def test_a_record_that_says_something_else_is_refused_and_nothing_is_written(folders, tmp_path, key, value):
    odd = shutil.copytree(folders / "advisor", tmp_path / "odd")
    record = yaml.safe_load((odd / "result.yaml").read_text("utf-8"))
    (odd / "result.yaml").write_text(yaml.safe_dump(record | {key: value}, sort_keys=False))
    with pytest.raises(ResultError, match=r"odd.*(cannot be shown|result.yaml)"):
        report(odd, tmp_path / "r.html", seasons=0)
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n1,2,3,4\n", b"\xff"])
@pytest.mark.parametrize("file", ["progress.csv", "training.yaml"])
def test_a_training_cut_off_in_the_middle_of_a_file_is_refused(trained, tmp_path, file, content):
    odd = shutil.copytree(trained, tmp_path / "odd")
    (odd / file).write_bytes(content)
    with pytest.raises(ResultError, match=rf"odd/{file}: (not|holds no)"):
        report(odd, tmp_path / "r.html", seasons=0)


def test_a_training_cut_off_after_a_line_is_refused_by_the_key_that_is_missing(trained, tmp_path):
    odd = shutil.copytree(trained, tmp_path / "odd")
    whole = (odd / "training.yaml").read_text("utf-8")
    (odd / "training.yaml").write_text(whole[: whole.index("cpu_seconds")])
    with pytest.raises(ResultError, match=r"odd/training.yaml: the key 'cpu_seconds' is missing"):
        report(odd, tmp_path / "r.html", seasons=0)


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "cannot be read"), ('{"version": 1, "ta', "cannot be read"), ("{}", "is not the description")],
)
def test_a_dataset_whose_description_is_damaged_is_not_said_to_have_none(tmp_path, content, said):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "metadata.json").write_text(content)
    with pytest.raises(ResultError, match=rf"odd/metadata.json: {said}"):
        report(tmp_path / "odd", tmp_path / "r.html")


def test_the_current_folder_is_reported_beside_itself(folders, tmp_path, monkeypatch):
    shutil.copytree(folders / "advisor", tmp_path / "own" / "advisor")
    monkeypatch.chdir(tmp_path / "own" / "advisor")
    done = CliRunner().invoke(app, ["report", ".", "--seasons", "0"])
    assert (done.exit_code, done.output) == (0, f"wrote {tmp_path}/own/advisor.html\n")


def test_a_root_that_holds_no_run_is_named(tmp_path):
    done = CliRunner().invoke(app, ["report", "/"])
    assert isinstance(done.exception, ResultError)
    assert "/: holds no result" in str(done.exception)


@pytest.mark.parametrize("name", ["new.pdf", "new", "result.yaml", "html"])
def test_a_report_ends_as_html(folders, tmp_path, name):
    with pytest.raises(ResultError, match=rf"{name}: a report is written as \.html or \.htm, such as"):
        report(folders / "advisor", tmp_path / name, seasons=0)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("out", [".", "", "..", "old"])
def test_a_report_is_no_folder(folders, tmp_path, monkeypatch, out):
    (tmp_path / "old").mkdir()
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["report", str(folders / "advisor"), "--out", out])
    assert "is a folder; name a file in it." in str(done.exception)


def test_a_report_never_takes_the_place_of_what_it_reads(folders, tmp_path):
    run = shutil.copytree(folders / "advisor", tmp_path / "run")
    (tmp_path / "link").symlink_to("run")
    (tmp_path / "link.html").symlink_to("run/result.yaml")
    for place, out in ((run, run / "result.yaml"), (tmp_path / "link", run / "new.html"), (run, "link.html")):
        with pytest.raises(ResultError, match=r"lies in .*, which is read\. Name a file outside it\."):
            report(place, tmp_path / out, seasons=0)
    assert sorted(path.name for path in run.iterdir()) == ["actions.npz", "episodes.parquet", "result.yaml"]
    Result.load(run)
