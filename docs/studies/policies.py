"""Reference policies of tasks on `test`: python docs/studies/policies.py --help."""

import argparse
from pathlib import Path

import field_policies
import greenhouse_policies

from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.errors import AgBenchError


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python docs/studies/policies.py",
        description="Print a table in Markdown of every policy's test seasons for each task. Takes some "
        "seconds for a field task, a minute or more for a greenhouse, and hours for its oracles.",
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="ids, such as wheat-inputs-v1")
    parser.add_argument(
        "--oracles", action="store_true", help="greenhouses: the oracles too (minutes a season)"
    )
    parser.add_argument(
        "--accuracy",
        action="store_true",
        help="greenhouses: compare the stepper's two settings on three seasons",
    )
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="write field tasks, all if none is named, to a Markdown page",
    )
    arguments = parser.parse_args()
    if not arguments.tasks and arguments.page is None:
        parser.error("name the tasks, such as wheat-inputs-v1, or a --page.")
    return arguments


def main() -> None:
    """Print the tables of tasks, or write them to a page."""
    arguments = _arguments()
    tasks = [catalog.task(name) for name in arguments.tasks or catalog.names("task")]
    if arguments.page is not None:
        field_policies.page(arguments.page, [task.task for task in tasks if isinstance(task, FieldTask)])
        return
    for task in tasks:
        if not isinstance(task, GreenhouseTask):
            lines = field_policies.table(field_policies.play(task.task))
        elif arguments.accuracy:
            lines = greenhouse_policies.accuracy(task)
        else:
            lines = greenhouse_policies.table(task, arguments.oracles)
        print(*lines, sep="\n", flush=True)
        print()


if __name__ == "__main__":
    try:
        main()
    except AgBenchError as error:
        raise SystemExit(f"error: {error}") from None
