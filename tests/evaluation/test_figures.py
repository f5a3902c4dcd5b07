"""The comparison figure, drawn from made-up results."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure
from matplotlib.image import imread
from typer.testing import CliRunner

from agbench import plotting
from agbench.cli.app import app
from agbench.data import catalog
from agbench.errors import ConfigError, ResultError
from agbench.evaluation import figures
from agbench.evaluation.figures import compare_figure
from agbench.policies import playing


@pytest.fixture
def task():
    return catalog.task("wheat-nitrogen-v1")


@pytest.fixture
def drawn(monkeypatch):
    """The figure that was saved, kept for a look at its axes."""
    kept = []
    save = figures.save

    def keep(figure, path, dpi):
        kept.append(figure)
        return save(figure, path, dpi)

    monkeypatch.setattr(figures, "save", keep)
    return kept


def result(task, policy, level, repeats=1, scenarios=6):
    noise = np.random.default_rng(len(policy))
    keys = np.repeat([f"wageningen/{1976 + 2 * i}" for i in range(scenarios)], repeats)
    columns = {"scenario": keys, "repeat": np.tile(range(repeats), scenarios)}
    columns["return"] = level + noise.normal(0, 20, len(keys))
    for i, name in enumerate(task.metrics):
        columns[name] = 10.0 * (i + 1) + level / 10 + noise.normal(0, 1, len(keys))
    episodes = pd.DataFrame(columns)
    summary = {
        name: tuple(np.quantile(episodes[name], (0.5, 0.2, 0.8))) for name in ("return", *task.metrics)
    }
    return SimpleNamespace(policy=policy, task=task, episodes=episodes, summary=summary)


def points(axes: Axes) -> list[int]:
    """The number of points of each scatter."""
    return [len(c.get_offsets()) for c in axes.collections if len(c.get_offsets()) > 1]


def test_the_figure_is_written_as_a_picture(task, tmp_path):
    made = [result(task, "zero", 0.0), result(task, "ceres", 120.0)]
    path = compare_figure(made, tmp_path / "new" / "compare.png")
    picture = imread(path)
    assert picture.shape[1] == 1500
    assert picture[..., :3].std() > 0.05
    assert [p.name for p in path.parent.iterdir()] == ["compare.png"]


def test_policies_are_drawn_in_order_with_their_numbers(task, tmp_path, drawn):
    compare_figure([result(task, "zero", 0.0), result(task, "ceres", 120.0)], tmp_path / "a.png")
    labels = [label.get_text() for label in drawn[0].axes[0].get_yticklabels()]
    assert [label.partition("\n")[0] for label in labels] == ["zero", "ceres"]
    assert all("[" in label for label in labels)
    assert drawn[0].axes[0].get_xlabel() == "return (g m⁻²)"


def test_the_trade_off_is_the_first_input_against_the_first_state(task, tmp_path, drawn):
    compare_figure([result(task, "zero", 0.0)], tmp_path / "a.png")
    right = drawn[0].axes[1]
    assert right.get_xlabel() == "nitrogen applied (kg ha⁻¹)"
    assert right.get_ylabel() == "grain dry matter (t ha⁻¹)"


def test_repeats_of_a_scenario_are_one_point(task, tmp_path, drawn):
    compare_figure([result(task, "zero", 0.0, repeats=5)], tmp_path / "a.png")
    assert points(drawn[0].axes[0]) == [6]
    assert points(drawn[0].axes[1]) == [6]


def test_a_task_without_inputs_is_shown_scenario_by_scenario(task, tmp_path, drawn):
    states = {name: m for name, m in task.metrics.items() if m.input is None}
    bare = task.model_copy(update={"metrics": states})
    compare_figure([result(bare, "a", 0.0), result(bare, "bb", 9.0)], tmp_path / "a.png")
    right = drawn[0].axes[1]
    assert len(right.lines) == 2
    assert right.get_xlabel() == "wageningen"
    assert right.get_xticklabels()[0].get_text() == "1976"


def test_twelve_policies_and_one_scenario_can_be_drawn(task, tmp_path):
    many = [result(task, "p" * (i + 1), 10.0 * i, scenarios=1) for i in range(12)]
    assert compare_figure(many, tmp_path / "a.svg").stat().st_size > 1000


def test_no_two_policies_look_alike():
    styles = [figures._style(lane) for lane in range(35)]
    assert len(set(styles)) == 35


@pytest.mark.parametrize("kind", sorted({*FigureCanvasBase.get_supported_filetypes()} - {"raw", "rgba"}))
def test_a_picture_takes_the_place_of_a_picture_of_its_kind_alone(kind, tmp_path):
    path, figure = tmp_path / f"picture.{kind}", Figure(figsize=(1, 1))
    for mine in (b"a thesis", b"<data/>", b"%", b"\x89PNG"):
        path.write_bytes(mine)
        with pytest.raises(ConfigError, match=rf"is there already and is not a \.{kind} picture"):
            plotting.save(figure, path, 10)
        assert path.read_bytes() == mine
    path.unlink()
    try:
        figure.savefig(tmp_path / f"other.{kind}", dpi=10)
    except (RuntimeError, OSError, KeyError):
        pytest.skip("what draws these is not installed")
    for _ in range(2):
        assert plotting.save(figure, path, 10) == path


@pytest.mark.parametrize(
    "words",
    [
        ["run", "wheat-nitrogen-v1", "-p", "advisor", "--out"],
        ["compare", "runs/none", "--figure"],
        ["weather", "plot", "wageningen", "-p"],
    ],
    ids=" ".join,
)
def test_another_file_is_named_before_the_work_begins(words, tmp_path, monkeypatch):
    monkeypatch.setattr(playing, "episode", None)
    path = tmp_path / "thesis.pdf"
    path.write_text("thesis")
    done = CliRunner().invoke(app, [*words, str(path)])
    assert "thesis.pdf is there already and is not a .pdf picture" in str(done.exception)
    assert path.read_text() == "thesis"


def test_nothing_to_compare_is_refused(tmp_path):
    with pytest.raises(ResultError, match="nothing to compare"):
        compare_figure([], tmp_path / "a.png")


def test_results_of_different_tasks_are_refused(task, tmp_path):
    other = task.model_copy(update={"task": "maize-nitrogen-v1"})
    with pytest.raises(ResultError, match="maize-nitrogen-v1, wheat-nitrogen-v1"):
        compare_figure([result(task, "a", 0.0), result(other, "b", 0.0)], tmp_path / "a.png")
