"""Reference policies of tasks on `test`: python -m agbench.benchmarks.policies TASK...

Before the tasks, `oracles` also runs greenhouses' oracles (minutes a season), and `accuracy` compares
the two settings of greenhouses' stepper on three seasons.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Final

import agbench
from agbench import data
from agbench.benchmarks import greenhouse_policies
from agbench.policies.loading import policies
from agbench.spec.greenhouse_task import GreenhouseTask
from agbench.spec.task import Task

_WORDS: Final = ("oracles", "accuracy")
_BOUND: Final = "potential (bound)"


def table(name: str) -> Iterator[str]:
    """Return the lines of a task's table in Markdown: median and mean return, mean metrics.

    The bound is the yield of potential production, in which neither water nor nutrients limit.
    """
    task = data.task(name)
    yield f"| {name} | median return | mean | {' | '.join(task.metrics)} |"
    yield "|---" * (3 + len(task.metrics)) + "|"
    for policy in policies(task):
        yield _line(task, policy, agbench.evaluate(task, policy, progress=False))
    returns = agbench.evaluate(task, "zero", limitation="pp", progress=False).episodes["return"]
    yield f"| {_BOUND} | {returns.median():,.0f} | {returns.mean():,.0f} |{' |' * len(task.metrics)}"


def _line(task: Task, policy: str, found: agbench.Result) -> str:
    """Return one policy's line."""
    episodes = found.episodes
    returns = episodes["return"]
    means = [f"{episodes[m].mean():.{spec.digits}f}" for m, spec in task.metrics.items()]
    return f"| {policy} | {returns.median():,.0f} | {returns.mean():,.0f} | {' | '.join(means)} |"


def main(said: Sequence[str]) -> None:
    """Print the tables of tasks."""
    for name in (word for word in said if word not in _WORDS):
        task = data.task(name)
        if not isinstance(task, GreenhouseTask):
            lines = table(name)
        elif "accuracy" in said:
            lines = greenhouse_policies.accuracy(task)
        else:
            lines = greenhouse_policies.table(task, "oracles" in said)
        print(*lines, sep="\n", flush=True)
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
