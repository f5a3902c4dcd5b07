"""What a report shows of each kind of folder: a result, a training run, a dataset."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from agbench.data.reading import load_yaml
from agbench.datasets import description
from agbench.datasets.dataset import Dataset, load
from agbench.envs import AgBenchEnv
from agbench.envs.family import build, family
from agbench.errors import DatasetError, ResultError, one_line
from agbench.evaluation.result import Result
from agbench.evaluation.statistics import interval
from agbench.leaderboard import episodes
from agbench.leaderboard.page import plots
from agbench.leaderboard.page.plots import CaptionedPlot
from agbench.plotting import printed
from agbench.reporting.content import SEASONS, Content, Facts, Section, ShownSeason, section_of
from agbench.training.logs import TABLE
from agbench.training.run import RECORD

_FIRST_SPLITS: Final = ("test", "shift")
_BINS: Final = 40
_OF_TRAINING: Final = ("algorithm", "seed", "cpu_seconds", "best")
"""What is shown of every training."""


def read(folder: Path, seasons: int = SEASONS) -> Content:
    """Return what is shown of a folder; raises `ResultError` for one that is none of the three."""
    require(folder)
    if (folder / RECORD).is_file():
        return _of_training(folder, seasons)
    if (folder / "result.yaml").is_file():
        return _of_result(folder, seasons)
    return _of_dataset(folder, seasons)


def require(folder: Path) -> None:
    """Raise `ResultError` for a folder that holds none of the three."""
    if (folder / RECORD).is_file() or (folder / "result.yaml").is_file():
        return
    try:
        description.read(folder)
    except DatasetError as error:
        if (folder / description.FILE).is_file():
            raise ResultError(str(error)) from None
        raise ResultError(
            f"{folder}: holds no result (result.yaml), no training ({RECORD}) and no dataset "
            f"({description.FILE}). {_inside(folder)}"
        ) from None


def _inside(folder: Path) -> str:
    """Return what is right: one of the folders inside that hold something, or what makes such folders."""
    files = sorted(
        found for name in (RECORD, "result.yaml", description.FILE) for found in folder.glob(f"*/{name}")
    )
    if files:
        return f"Name one of the folders in it, such as {files[0].parent}."
    return "agbench evaluate, train and dataset make such folders."


def _of_result(folder: Path, seasons: int) -> Content:
    result = Result.load(folder)
    return Content(
        title=f"{result.policy} on {result.task.task}",
        kind="result",
        lead=result.task.summary,
        task=result.task,
        facts=_facts(result),
        sections=[section_of(result, seasons)],
        tables=_changes(result.record.get("overrides") or {}),
    )


def _facts(result: Result) -> Facts:
    record = result.record
    versions = record.get("versions", {})
    return {
        "Policy": result.policy,
        "Reads": result.information,
        "Split": f"{result.split}, {len(result.episodes)} episodes",
        "Seed": record.get("seed"),
        "Time": None if "wall_time_s" not in record else f"{record['wall_time_s']:,.1f} s",
        "Evaluated with": f"agbench {versions.get('agbench', '?')}, Python {versions.get('python', '?')}",
        "Machine": record.get("machine", {}).get("kind"),
    }


def _changes(overrides: Mapping[str, Any]) -> dict[str, Facts]:
    return {"Changes of the task": overrides} if overrides else {}


def _of_training(folder: Path, seasons: int) -> Content:
    record = _record_of(folder / RECORD)
    loaded = [Result.load(folder / name) for name in _FIRST_SPLITS if (folder / name).is_dir()]
    results = [replace(result, policy=str(record["algorithm"])) for result in loaded]
    if not results:
        raise ResultError(f"{folder}: this training is not finished: it has no test/. Go on with it first.")
    task = results[0].task
    facts = {
        "Algorithm": record["algorithm"],
        "Seed": record["seed"],
        "Steps": f"{record['environment_steps']:,}" if record.get("environment_steps") else None,
        "CPU time": f"{record['cpu_seconds']:,.0f} s",
        "Network": _words(record.get("network") or {}),
        "Environments": record.get("envs"),
        **(record.get("versions") or {}),
    }
    return Content(
        title=f"{record['algorithm']} on {task.task}",
        kind="training",
        lead=str(record.get("summary", "")),
        task=task,
        facts=facts,
        sections=[section_of(result, seasons) for result in results],
        plots=_learning(folder, record, task.protocol),
        tables={"Settings of the algorithm": record.get("settings") or {}},
    )


def _record_of(path: Path) -> dict[str, Any]:
    """Return what a training wrote of itself; raises `ResultError` for a file that lacks a part of it."""
    try:
        record = load_yaml(path.read_text("utf-8"), str(path))
    except UnicodeDecodeError:
        raise ResultError(f"{path}: not UTF-8 text; the file is damaged.") from None
    if not isinstance(record, dict):
        raise ResultError(f"{path}: holds no keys and values; the file is damaged or empty.")
    for key in _OF_TRAINING:
        if key not in record:
            raise ResultError(f"{path}: the key {key!r} is missing; the file is incomplete.")
    return record


def _words(content: Mapping[str, Any]) -> str:
    return "; ".join(f"{key} {value}" for key, value in content.items())


def _learning(folder: Path, record: Mapping[str, Any], protocol: Any) -> list[CaptionedPlot]:
    """Return the learning curve on validation, and the returns of training episodes."""
    unit = printed(protocol.objective_unit)
    marks = [mark for mark in record.get("curve", []) if np.isfinite(mark["objective"])]
    points = [
        {
            "name": "the policy that was kept" if mark["steps"] == record["best"]["steps"] else "validation",
            "group": "meets the constraints" if mark["feasible"] else "breaks a constraint",
            "x": mark["steps"],
            "y": plots.rounded(mark["objective"]),
        }
        for mark in marks
    ]
    result = []
    if len(points) > 1:
        curve = plots.scatter(points, "steps", f"objective on validation ({unit})", best=True)
        result.append(CaptionedPlot("Learning curve: validation; the line is the best so far", curve))
    return result + _returns_in_training(folder / TABLE)


def _returns_in_training(path: Path) -> list[CaptionedPlot]:
    """Return the mean return of training episodes, if the algorithm logs it."""
    names = ["time/total_timesteps", "rollout/ep_rew_mean"]
    if not path.is_file():
        return []
    try:
        table = pd.read_csv(path)
    except (ValueError, OSError) as error:
        raise ResultError(f"{path}: not a CSV table: {one_line(str(error))}.") from None
    if not set(names) <= set(table):
        return []
    table = table[names].dropna()
    if len(table) < 2:
        return []
    every = max(1, len(table) // 200)
    points = [
        {"name": "training", "x": float(x), "y": plots.rounded(float(y))}
        for x, y in table.iloc[::every].itertuples(index=False)
    ]
    curve = plots.scatter(points, "steps", "mean reward of an episode")
    return [CaptionedPlot("Rewards while training, as the learner sees them", curve)]


def _of_dataset(folder: Path, seasons: int) -> Content:
    data = load(folder)
    told = data.metadata
    facts = {
        "Format": told["format"],
        "Split": told.get("split"),
        "Episodes": f"{data.part.episodes:,}",
        "Transitions": f"{len(data.part.rewards):,}",
        "Behaviour": ", ".join(str(one.get("policy")) for one in told.get("behaviour", [])),
        "Seed": told.get("seed"),
        "Return": _in_numbers(told["returns"]),
        "References": _in_numbers(_means_of(told["references"])),
        "SHA-256": told.get("content"),
        "Licence": told.get("licence"),
        "Made by": told.get("command"),
    }
    return Content(
        title=str(told["id"]),
        kind="dataset",
        lead=str(told.get("summary", "")),
        task=data.task,
        facts=facts,
        sections=[_of_episodes(data, seasons)],
        plots=[_spread_of(data)],
        tables=_changes(told.get("overrides") or {}),
    )


def _in_numbers(values: Mapping[str, Any]) -> str:
    """Return numbers with their names: `mean 41.5, least -203`."""
    return ", ".join(
        f"{name} {value:.4g}" for name, value in values.items() if isinstance(value, (int, float))
    )


def _means_of(references: Mapping[str, Any] | None) -> dict[str, float]:
    """Return the mean objective of each reference that a dataset names."""
    found = {k: v for k, v in (references or {}).items() if isinstance(v, Mapping) and "mean" in v}
    return {
        f"{role} {one['policy']} on {(references or {})['split']}": one["mean"] for role, one in found.items()
    }


def _spread_of(data: Dataset) -> CaptionedPlot:
    """Return the share of episodes above a return, as a chart of one line."""
    returns = data.returns
    low, high = float(returns.min()), float(returns.max())
    places = np.linspace(low, high, _BINS)
    points = [
        {"name": "episodes", "x": plots.rounded(x), "y": plots.rounded(float((returns >= x).mean()))}
        for x in places.tolist()
    ]
    unit = printed(data.metadata["reward_unit"])
    label = "return" if unit in ("-", "\N{EN DASH}") else f"return ({unit})"
    return CaptionedPlot(
        "Returns of the dataset: share of episodes at or above a return",
        plots.scatter(points, label, "share of episodes"),
    )


def _of_episodes(data: Dataset, seasons: int) -> Section:
    """Return the metrics of a dataset's episodes, and seasons played again."""
    task, part = data.task, data.part
    metrics = {
        name: interval(part.metrics[:, i], "mean", task.protocol.bootstrap)
        for i, name in enumerate(data.metadata["metrics"])
    }
    drawn = []
    if seasons:
        env = AgBenchEnv(build(task, data.metadata["split"], years=data.metadata["years"]))
        slices = list(part.slices)
        for role, place in episodes.chosen(data.returns, seasons):
            record = episodes.simulated(
                env,
                family(task).plot(env.core),
                str(part.scenarios[place]),
                int(part.seeds[place]),
                part.actions[slices[place]],
            )
            drawn.append(ShownSeason(role, str(part.scenarios[place]), record))
    return Section(
        title=str(data.metadata["split"]),
        episodes=part.episodes,
        failed=0,
        compared=[],
        why_alone="",
        metrics=metrics,
        plots=[],
        scenarios=[],
        seasons=drawn,
    )
