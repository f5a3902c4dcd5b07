"""A model computes the same whatever was compiled before, by whom, in which order and at the same time.

All are slow: whole models are compiled. `test_kernels.py` has the same of small kernels, in `make test`.
"""

import random

import pytest
from sequences import run

from agbench.testing import probes

N72, N81, NPK = "wofost72-wlp", "wofost81-wlp", "wofost-npk sound"
SEQUENCES = 40
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Caches that two processes filled at once, each with one model; names of their kernels are alike."""
    caches = tmp_path_factory.mktemp("two")
    for result in run([((N72,), (N81,))], caches):
        assert result == {name: probes.shipped()[name] for name in result}
    return caches


@pytest.mark.parametrize("order", [(N72, N81), (N81, N72)], ids=["72 81", "81 72"])
def test_models_kept_by_two_processes_run_in_one_in_any_order(two, order):
    (result,) = run([(order,)], two)
    assert result == {name: probes.shipped()[name] for name in order}


def test_a_third_model_runs_on_what_two_have_kept(two):
    (result,) = run([((NPK, N81, N72),)], two)
    assert result == {name: probes.shipped()[name] for name in (NPK, N81, N72)}


def test_two_processes_that_compile_at_once_do_not_harm_each_other(tmp_path):
    both = ("weather generator", "lintul3"), ("lintul3-wheat", "weather generator")
    actual = run([both, (("lintul3", "lintul3-wheat", "weather generator"),)], tmp_path)
    for result in actual:
        assert result == {name: probes.shipped()[name] for name in result}


def sequence(seed):
    """Return a random sequence of processes of four probes; one of three steps starts two at once."""
    draw = random.Random(seed)
    drawn = draw.sample(probes.names(), 4)
    steps = []
    for _ in range(draw.randint(2, 4)):
        together = 2 if draw.random() < 1 / 3 else 1
        steps.append(tuple(draw.sample(drawn, draw.randint(1, 3)) for _ in range(together)))
    met = sorted({name for step in steps for names in step for name in names})
    draw.shuffle(met)
    return [*steps, (met,)]


@pytest.mark.parametrize("name", probes.names())
def test_a_probe_in_a_process_alone_leaves_the_fingerprint_that_is_shipped(tmp_path, name):
    assert run([((name,),)], tmp_path) == [{name: probes.shipped()[name]}]


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_every_result_of_a_random_sequence_is_that_of_a_process_alone(tmp_path, seed):
    for result in run(sequence(seed), tmp_path):
        assert result == {name: probes.shipped()[name] for name in result}
