"""Reference policies of tasks on `test`: python docs/studies/policies.py --help."""

import argparse

import field_policies
import greenhouse_policies

from agbench.data import catalog
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.errors import AgBenchError


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python docs/studies/policies.py",
        description="Print a table in Markdown of every policy's test seasons for each task. Takes some "
        "seconds for a field task, a minute or more for a greenhouse, and hours for its oracles.",
    )
    parser.add_argument("tasks", nargs="+", metavar="TASK", help="ids, such as wheat-inputs-v1")
    parser.add_argument(
        "--oracles", action="store_true", help="greenhouses: the oracles too (minutes a season)"
    )
    parser.add_argument(
        "--accuracy",
        action="store_true",
        help="greenhouses: compare the stepper's two settings on three seasons",
    )
    return parser.parse_args()


def main() -> None:
    """Print the tables of tasks."""
    arguments = _arguments()
    tasks = [catalog.task(name) for name in arguments.tasks]
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
