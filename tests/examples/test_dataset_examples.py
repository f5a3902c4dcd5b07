"""The examples of datasets run as they stand."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from in_process import script

import agbench

EXAMPLES = Path(__file__).parents[2] / "examples"
NEEDS = {
    "datasets_pandas": "pandas",
    "datasets_torch": "torch",
    "datasets_sb3": "stable_baselines3",
    "datasets_imitation": "imitation",
    "datasets_d3rlpy": "d3rlpy",
    "datasets_minari": "minari",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with small datasets where those of the examples would lie."""
    root = tmp_path_factory.mktemp("examples")
    for name in ("medium-v1", "expert-v1"):
        out = root / "runs/datasets/wheat-nitrogen" / name
        agbench.collect("wheat-nitrogen-v1", {"policy": "advisor", "epsilon": 0.3}, 12, out)
    return root


def test_every_example_of_datasets_is_run_here():
    assert {path.stem for path in EXAMPLES.glob("datasets_*.py")} == set(NEEDS)


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_an_example_runs(folder, name):
    if find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    script(EXAMPLES / f"{name}.py", cwd=folder, MINARI_DATASETS_PATH="runs/datasets")
