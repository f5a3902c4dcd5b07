"""A good submission, made once: two perceptrons on board-wheat-v1, submitted to a board."""

import contextlib
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import page_board
import pytest
from good_submission import CARD, TASK, network

import agbench
from agbench import leaderboard
from agbench.data.catalog import PATH_VARIABLE
from agbench.leaderboard.page import build
from agbench.policies.networks import mlp
from agbench.untrusted import tables
from agbench.untrusted.confined import confined

HERE = Path(__file__).parent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Put the task of these tests on the path while one of them, or a fixture of any scope, runs."""
    with pytest.MonkeyPatch.context() as patch:
        if HERE in item.path.parents:
            others = filter(None, [os.environ.get(PATH_VARIABLE)])
            patch.setenv(PATH_VARIABLE, os.pathsep.join([str(HERE / "board"), *others]))
        return (yield)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Return the folder of all that was made: board, results and policies of two training seeds."""
    root = tmp_path_factory.mktemp("board")
    for seed in (0, 1):
        mlp.save(network((1, 6)[seed]), root / f"policy-{seed}.npz")
        policy = mlp.load(root / f"policy-{seed}.npz", TASK)
        agbench.evaluate(TASK, policy, out=root / f"result-{seed}")
    results = [root / f"result-{seed}" for seed in (0, 1)]
    policies = [root / f"policy-{seed}.npz" for seed in (0, 1)]
    folder = leaderboard.submit(results, CARD, root / "leaderboard", policies)
    return SimpleNamespace(
        root=root, results=results, policies=policies, board=root / "leaderboard", folder=folder
    )


@pytest.fixture(scope="session")
def made_onnx(tmp_path_factory):
    """Return the folder of a submission of two ONNX policies, on a board of its own."""
    files = pytest.importorskip("onnx_files")
    root = tmp_path_factory.mktemp("onnx")
    policies = [root / f"policy-{seed}.onnx" for seed in (0, 1)]
    for seed, path in enumerate(policies):
        path.write_bytes(files.good((1, 6)[seed]))
        agbench.evaluate(TASK, str(path), out=root / f"result-{seed}", other_task=True)
    results = [root / f"result-{seed}" for seed in (0, 1)]
    card = {**CARD, "policy": {"format": "onnx"}}
    return leaderboard.submit(results, card, root / "leaderboard", policies, other_task=True)


@pytest.fixture
def copy_onnx(made_onnx, tmp_path):
    """Return a copy of the ONNX submission, in its place on a board of its own."""
    shutil.copytree(made_onnx.parents[3], tmp_path / "leaderboard")
    return tmp_path / "leaderboard" / made_onnx.relative_to(made_onnx.parents[3])


@pytest.fixture(scope="session")
def shown(tmp_path_factory):
    """Return a board of ten rows, one of them full of hostile texts, its page and its kept seasons."""
    root = tmp_path_factory.mktemp("page")
    board = root / "leaderboard"
    if "PYTEST_XDIST_WORKER" in os.environ:  # what one worker has made, which takes seconds, is there for all
        kept = tmp_path_factory.getbasetemp().parent / "page-board"
        if not kept.is_dir():
            page_board.make(root / "made", count=10)
            with contextlib.suppress(OSError):  # another was sooner
                (root / "made").rename(kept)
        shutil.copytree(kept, board)
    else:
        page_board.make(board, count=10)
    return SimpleNamespace(board=board, cache=root / "cache", built=build(board, cache=root / "cache"))


@pytest.fixture(scope="session")
def child():
    with confined(tables.READER) as process:
        yield process


@pytest.fixture
def copy(made, tmp_path):
    """Return a copy of the good submission, in its place on a board of its own."""
    target = tmp_path / "leaderboard"
    shutil.copytree(made.board, target)
    return target / made.folder.relative_to(made.board)
