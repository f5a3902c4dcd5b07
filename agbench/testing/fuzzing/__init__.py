"""Fuzzing: tasks under any action, and data files under any damage; seeded, and each failure repeatable."""

from agbench.testing.fuzzing.cases import FuzzCase, draw_case
from agbench.testing.fuzzing.damage import damaged, flawed
from agbench.testing.fuzzing.files import FileFailure, FilesReport, fuzz_files
from agbench.testing.fuzzing.tasks import Failure, TaskReport, fuzz_task

__all__ = [
    "Failure",
    "FileFailure",
    "FilesReport",
    "FuzzCase",
    "TaskReport",
    "damaged",
    "draw_case",
    "flawed",
    "fuzz_files",
    "fuzz_task",
]
