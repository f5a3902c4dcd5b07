"""Importing PCSE without its side effects on output, logging and the module path."""

import contextlib
import functools
import importlib
import io
import logging.config
import sys
import warnings
from collections.abc import Iterator


@functools.cache
def load_pcse() -> None:
    """Import PCSE: nothing is printed, logging and `sys.path` stay as they were.

    PCSE creates `.pcse` in the home directory on its first import on a machine.
    """
    with _quiet(), _logging_untouched(), _path_untouched():
        importlib.import_module("pcse")
        importlib.import_module("pcse.models")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _logging_untouched() -> Iterator[None]:
    """Keep PCSE from configuring the root logger, which would disable everybody's loggers."""
    configure = logging.config.dictConfig
    logging.config.dictConfig = lambda *args, **kwargs: None
    try:
        yield
    finally:
        logging.config.dictConfig = configure


@contextlib.contextmanager
def _path_untouched() -> Iterator[None]:
    before = list(sys.path)
    try:
        yield
    finally:
        sys.path[:] = before
