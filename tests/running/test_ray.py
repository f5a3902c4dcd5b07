"""Ray: the bytes of this process, whoever dies; skipped where Ray is not installed."""

import filecmp
import os

import cloudpickle
import pytest
import work_of_tests
from work_of_tests import Squares

import agbench
from agbench.errors import SimulationError, WorkerError
from agbench.running import engine_of, in_order
from agbench.running.ray_cluster import RayCluster

ray = pytest.importorskip("ray")
cloudpickle.register_pickle_by_value(work_of_tests)  # a module that workers do not have


@pytest.fixture(scope="module")
def cluster():
    """The cluster of RAY_ADDRESS, else one of two workers, which ends with the tests."""
    if "RAY_ADDRESS" in os.environ:
        ray.init(log_to_driver=False)
    else:
        ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield engine_of("ray")
    ray.shutdown()


def test_results_are_the_same_in_the_same_order(cluster, tmp_path):
    assert isinstance(cluster, RayCluster)
    assert list(in_order(cluster.run(Squares(tmp_path), range(25)))) == [i * i for i in range(25)]
    assert 1 <= len(list(tmp_path.glob("prepared-*"))) <= cluster.workers + 1


def test_an_item_whose_worker_dies_is_run_again(cluster, tmp_path):
    results = cluster.run(Squares(tmp_path), [1, "die once", 3])
    assert list(in_order(results)) == [1, "lives", 9]


def test_what_an_item_raises_comes_through_as_itself(cluster, tmp_path):
    with pytest.raises(SimulationError, match="row 3 is not plausible"):
        list(cluster.run(Squares(tmp_path), [1, "raise", 2]))


def test_workers_that_die_again_and_again_end_in_a_sentence(cluster, tmp_path):
    with pytest.raises(WorkerError, match="died 4 times over one piece of work"):
        list(cluster.run(Squares(tmp_path), ["die"]))


def test_evaluation_and_dataset_have_the_bytes_of_this_process(cluster, tmp_path):
    years = [1984, 1985, 1986]
    for name, on in (("here", None), ("there", "ray")):
        agbench.evaluate(
            "wheat-nitrogen-v1", "advisor", out=tmp_path / name, years=years, on=on, progress=False
        )
        folder = tmp_path / f"{name}-data"
        agbench.collect("wheat-nitrogen-v1", "random", 5, folder, "npz", years=years, on=on, progress=False)
    for name in ("actions.npz", "episodes.parquet"):
        assert filecmp.cmp(tmp_path / "here" / name, tmp_path / "there" / name, shallow=False)
    for name in ("transitions.npz", "episodes.parquet", "metadata.json", "README.md"):
        assert filecmp.cmp(tmp_path / "here-data" / name, tmp_path / "there-data" / name, shallow=False)


def test_where_nothing_answers_a_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)

    def refused(**_):
        raise ConnectionError("ray client connection timeout")

    monkeypatch.setattr(ray, "init", refused)
    with pytest.raises(WorkerError, match=r"no Ray cluster answers there .*ray start --head"):
        list(engine_of("ray://127.0.0.1:1").run(Squares(tmp_path), [1]))
