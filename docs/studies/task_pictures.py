"""The picture of a test season under a task's expert, small enough for a repository."""

import tempfile
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image
from task_standing import Standing

from agbench.data.task import Task
from agbench.envs.family import build
from agbench.evaluation.episode import run_episode
from agbench.evaluation.protocol import episodes
from agbench.files import write

_WIDTH: Final = 960  # pixels: text of 7 points stays readable
_COLOURS: Final = 256


def season(task: Task, standing: Standing | None) -> str:
    """Return the test scenario to draw: that of the expert's middle gain, else the first."""
    keys = task.scenarios("test")
    if standing is None:
        return keys[0]
    gains = standing.values["expert"] - standing.values["floor"]
    return keys[int(np.argsort(gains, kind="stable")[len(gains) // 2])]


def draw(task: Task, scenario: str, path: Path) -> None:
    """Draw a test season under the task's expert, with the protocol's seed."""
    seeds = {e.scenario: e.seed for e in reversed(episodes(task, build(task, "test").scenarios))}
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "season.png"
        run_episode(task, task.references.expert, "test", scenario, seeds[scenario], large)
        write(path, lambda draft: shrunk(large).save(draft, format="PNG", optimize=True))


def shrunk(path: Path) -> Image.Image:
    """Return a picture at a page's width, in few colours."""
    with Image.open(path) as picture:
        size = (_WIDTH, round(picture.height * _WIDTH / picture.width))
        small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    return small.quantize(_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
