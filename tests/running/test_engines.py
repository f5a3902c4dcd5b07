"""Engines: the same results in order, what is raised comes through, workers that die are replaced."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from work_of_tests import Squares

from agbench.data.places import PATH_VARIABLE
from agbench.errors import ConfigError, MissingExtraError, SimulationError, WorkerError
from agbench.running import engine_of, in_order, mapping, work
from agbench.running.engines import Here
from agbench.running.processes import Processes


@pytest.mark.parametrize(
    ("on", "workers", "kind", "count"),
    [
        (None, 1, Here, 1),
        (None, 3, Processes, 3),
        ("processes:1", 1, Here, 1),
        ("processes:5", 1, Processes, 5),
    ],
)
def test_a_text_names_an_engine(on, workers, kind, count):
    engine = engine_of(on, workers)
    assert isinstance(engine, kind)
    assert engine.workers == count
    assert engine_of(engine) is engine


@pytest.mark.parametrize(
    ("on", "workers", "message"),
    [
        ("process", 1, "--on 'process' is no engine; write processes, processes:4, ray, or ray://HOST:10001"),
        ("processes:0", 1, "'processes:0' is no engine.*10001.$"),
        ("processes:-2", 1, "is no engine"),
        ("rai", 1, "Did you mean 'ray'"),
        ("ray:/head", 1, "is no engine"),
        ("ray://head", 1, "'ray://head' is no engine.*ray://HOST:10001.$"),
        ("ray://head:10001x", 1, "is no engine"),
        ("", 1, "is no engine"),
        ("processes:2", 2, "give workers \\(2\\) or an engine to run on \\(processes:2\\), not both"),
        (None, 0, "workers must be a whole number, at least 1; got 0"),
        (None, 1.5, "workers must be a whole number"),
        (None, True, "workers must be a whole number"),
    ],
)
def test_what_is_no_engine_is_refused(on, workers, message):
    with pytest.raises(ConfigError, match=message):
        engine_of(on, workers)


class RayHere:
    """What is asked of Ray, done in this process as it is sent."""

    exceptions = SimpleNamespace(RayError=RuntimeError)
    most = 0  # references that are waited for together

    def is_initialized(self):
        return True

    def cluster_resources(self):
        return {"CPU": 2.0}

    def put(self, content):
        return SimpleNamespace(value=content)

    def get(self, reference):
        return reference.value

    def remote(self, function):
        task = SimpleNamespace(remote=lambda *given: Reference(function(*given)))
        return SimpleNamespace(options=lambda **_: task)

    def wait(self, references, num_returns):
        if num_returns > len(references):
            raise ValueError("num_returns cannot be greater than the number of ray_waitables")
        self.most = max(self.most, len(references))
        return references[:num_returns], references[num_returns:]

    def cancel(self, reference, force):
        """Do nothing: what was sent is done."""


class Reference:
    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize(("count", "most"), [(1, 1), (20, 6)])
def test_ray_is_sent_three_items_a_core_and_gives_each_result(count, most, monkeypatch, tmp_path):
    ray = RayHere()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setenv(PATH_VARIABLE, "")
    results = engine_of("ray").run(Squares(tmp_path), range(count))
    assert list(in_order(results)) == [i * i for i in range(count)]
    assert ray.most == most


def test_without_ray_one_line_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r'pip install "agbench\[cluster\]"') as caught:
        engine_of("ray")
    assert "\n" not in str(caught.value)


def test_one_worker_prepares_its_job_once(tmp_path):
    results = engine_of(None, 1).run(Squares(tmp_path), iter(range(17)))
    assert list(in_order(results)) == [i * i for i in range(17)]
    assert len(list(tmp_path.glob("prepared-*"))) == 1


def test_nothing_to_do_is_done():
    assert list(engine_of(None, 2).run(Squares("."), [])) == []


def test_what_an_item_raises_comes_through_as_itself(tmp_path):
    """From processes too: see the workers that are kept, below."""
    with pytest.raises(SimulationError, match="row 3 is not plausible"):
        list(engine_of(None, 1).run(Squares(tmp_path), [1, "raise", 2]))


@pytest.mark.slow
def test_workers_that_die_again_and_again_end_in_a_sentence(tmp_path):
    with pytest.raises(WorkerError, match="ended without a word 3 times one after the other"):
        list(Processes(1).run(Squares(tmp_path), ["die"]))


def test_a_search_asks_again_and_again_and_the_job_is_prepared_once(tmp_path):
    """By processes too: see the workers that die, below."""
    with mapping(engine_of(None, 1), Squares(tmp_path)) as square:
        for first in range(4):
            assert square([first, first + 1, first + 2]) == [i * i for i in range(first, first + 3)]
        assert square([]) == []
    assert len(list(tmp_path.glob("prepared-*"))) == 1


def test_workers_that_die_between_two_questions_or_in_one_are_replaced(tmp_path):
    engine = Processes(1)
    with mapping(engine, Squares(tmp_path)) as square:
        assert square([1, 2, 3]) == [1, 4, 9]
        assert square([2, 3]) == [4, 9]
        assert square([]) == []
        assert len(list(tmp_path.glob("prepared-*"))) == 1
        _, pool = engine._held
        for pid in list(pool._processes):
            os.kill(pid, signal.SIGKILL)
        assert square([4, "die once", 5]) == [16, "lives", 25]
    assert engine._held is None


def test_kept_workers_change_with_the_job_and_end_after_an_error(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    engine = Processes(1)
    with engine.kept():
        for name in "aba":
            assert list(in_order(engine.run(Squares(tmp_path / name), [3]))) == [9]
        assert [len(list((tmp_path / name).glob("prepared-*"))) for name in "ab"] == [2, 1]
        with pytest.raises(SimulationError, match="row 3 is not plausible"):
            list(engine.run(Squares(tmp_path / "a"), [1, "raise", 2]))
        assert engine._held is None
        assert list(engine.run(Squares(tmp_path / "a"), [4])) == [(0, 16)]


MAIN = """
from agbench.running import engine_of, in_order
class Mine:
    def files(self): return []
    def prepare(self, place): return lambda item: item + 1
if __name__ == "__main__":
    print(list(in_order(engine_of("processes:2").run(Mine(), [1, 2, 3]))))
"""


@pytest.mark.slow
def test_work_of_a_script_of_no_module_runs_in_processes():
    done = subprocess.run([sys.executable, "-c", MAIN], capture_output=True, text=True, check=True)
    assert done.stdout == "[2, 3, 4]\n"


SCRIPT = """
import sys, time
sys.path.insert(0, {here!r})
from work_of_tests import Sleeps
from agbench.running import engine_of
if __name__ == "__main__":
    list(engine_of("processes:2").run(Sleeps({folder!r}), [1, 2]))
"""


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return (
        not Path(f"/proc/{pid}/status").exists() or "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    )


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_workers_end_with_a_process_that_is_killed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(here=str(Path(__file__).parent), folder=str(tmp_path)))
    process = subprocess.Popen([sys.executable, str(script)])
    while len(found := list(tmp_path.glob("pid-*"))) < 2:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    workers = [int(path.name.removeprefix("pid-")) for path in found]
    for _ in range(400):
        if not any(map(alive, workers)):
            return
        time.sleep(0.05)
    pytest.fail(f"{workers} live on")


def test_a_job_travels_once_with_its_files_and_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("AGBENCH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(work, "_prepared", work.OrderedDict())
    (tmp_path / "own/crops").mkdir(parents=True)
    (tmp_path / "own/crops/mine.yaml").write_text("crop: mine\n")
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path / "own"))
    (tmp_path / "note.txt").write_text("n")
    parcel = work.packed(Squares(tmp_path, str(tmp_path / "note.txt")))
    assert parcel == work.packed(Squares(tmp_path, str(tmp_path / "note.txt")))
    fetched = []

    def fetch(digest):
        fetched.append(digest)
        return parcel.contents[digest]

    function = work.function_of(parcel, fetch)
    assert function(3) == "n9"
    assert sorted(fetched) == sorted({parcel.job, *parcel.files.values(), *parcel.folders})
    (sent,) = os.environ["AGBENCH_PATH"].split(os.pathsep)
    assert Path(sent, "crops/mine.yaml").read_text() == "crop: mine\n"
    assert work.function_of(parcel, fetch) is function
    work._prepared.clear()  # as in another process on the same machine
    fetched.clear()
    work.function_of(parcel, fetch)
    assert fetched == [parcel.job]


def test_a_worker_takes_nothing_from_the_job_before(tmp_path, monkeypatch):
    monkeypatch.setenv("AGBENCH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(work, "_prepared", work.OrderedDict())
    (tmp_path / "own/crops").mkdir(parents=True)
    note = tmp_path / "note.txt"
    parcels = []
    for text, folder in (("n", str(tmp_path / "own")), ("m", "")):
        note.write_text(text)
        monkeypatch.setenv("AGBENCH_PATH", folder)
        parcels.append(work.packed(Squares(tmp_path, str(note))))
    assert parcels[0].job == parcels[1].job
    for parcel, expected, folders in ((parcels[0], "n9", 1), (parcels[1], "m9", 0), (parcels[0], "n9", 1)):
        assert work.function_of(parcel, parcel.contents.__getitem__)(3) == expected
        assert len(os.environ["AGBENCH_PATH"].split()) == folders


def test_a_worker_with_other_code_refuses(tmp_path, monkeypatch):
    parcel = work.packed(Squares(tmp_path))
    monkeypatch.setattr(work, "_prepared", work.OrderedDict())
    monkeypatch.setattr(work, "code_digest", lambda: "0" * 64)
    with pytest.raises(WorkerError, match="has other code of AgBench"):
        work.function_of(parcel, parcel.contents.__getitem__)


def test_workers_prepare_a_job_once_and_end_by_themselves_when_all_results_are_taken(tmp_path, monkeypatch):
    engine, started = engine_of(None, 2), []
    make = engine._pool

    def watched(job):
        pool = make(job)
        started.append(pool)
        return pool

    monkeypatch.setattr(engine, "_pool", watched)
    results = engine.run(Squares(tmp_path), iter(range(17)))
    assert list(in_order(next(results) for _ in range(17))) == [i * i for i in range(17)]
    assert 1 <= len(list(tmp_path.glob("prepared-*"))) <= 2
    children = list(started[0]._processes.values())
    results.close()
    assert [child.exitcode for child in children] == [0] * len(children)
