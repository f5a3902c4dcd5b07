"""What holds for all tests: threads, PCSE's folders, garbage, YAML, the order of files, slow cases."""

import contextlib
import gc
import os
import warnings
from fnmatch import fnmatchcase
from functools import partial
from importlib import import_module

import pytest
import yaml

yaml.safe_load = partial(yaml.load, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
"""LibYAML reads as PyYAML does, in a tenth of the time."""

# Two workers with all threads of torch and BLAS each wait for one another: small networks are slower by far.
if "PYTEST_XDIST_WORKER" in os.environ:
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
else:
    # PCSE makes its folders in the home folder at its first import, which fails in two workers at once.
    with contextlib.suppress(ImportError):
        import pcse  # noqa: F401

LONGEST = (
    "tests/leaderboard/test_browser.py",
    "tests/envs/test_tasks.py",
    "tests/training",
    "tests/leaderboard",
    "tests/examples",
    "tests/docs",
    "tests/envs",
    "tests/test_",
    "tests/compiled",
)
"""Begin with these, so that no worker has a long file left at the end while the other is idle."""

LIBRARIES = (
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "casadi",
    "pcse",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_agg",
    "pandas",
    "pyarrow.parquet",
    "scipy.optimize",
    "scipy.stats",
    "cma",
    "bayes_opt",
    "optuna",
    "xarray",
    "zarr",
    "pvlib",
    "onnxruntime",
    "hypothesis",
)
"""What a worker uses sooner or later and keeps: hundreds of thousands of objects."""


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without a look for garbage: there is next to none, and to look takes a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark the cases that `slow_except` does not name, and put the longest files first."""
    named, met = set(), set()
    for item in items:
        for mark in item.iter_markers("slow_except"):
            test, case = item.nodeid.split("[", 1)
            named |= {(test, pattern) for pattern in mark.args}
            fitting = {(test, p) for p in mark.args if fnmatchcase(case.removesuffix("]"), p)}
            met |= fitting
            if not fitting:
                item.add_marker(pytest.mark.slow)
    if named - met and not any("::" in word for word in config.args):
        lines = "\n".join(f"{test}: no case is like {pattern!r}" for test, pattern in sorted(named - met))
        raise pytest.UsageError(f"slow_except names what is not there:\n{lines}")
    items.sort(key=lambda item: _place(item.nodeid))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Let the collector of garbage leave alone what stays to the end: libraries and the tests themselves.

    PCSE looks for garbage at the end of every crop. Where libraries are loaded, that takes a third of a
    second, longer than its season.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        _load(LIBRARIES)
    gc.set_threshold(50_000, 20, 20)
    _settle()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """At the end of a file what is there has come to stay, such as caches and libraries."""
    result = yield
    if nextitem is None or nextitem.path != item.path:
        _settle()
    return result


def _settle():
    """Look for garbage, and let the collector leave alone what stays."""
    gc.collect()
    gc.freeze()


def _load(libraries):
    """Import those that are installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in libraries:
            with contextlib.suppress(ImportError):
                import_module(name)


def _place(nodeid):
    """Return where the file of an item stands: the place of its first name in `LONGEST`, else the end."""
    return next((i for i, name in enumerate(LONGEST) if nodeid.startswith(name)), len(LONGEST))
