"""What an engine costs beside the work: the first result of a worker, and each further one.

$ python docs/studies/cluster_latency.py processes:2
$ python docs/studies/cluster_latency.py ray
"""

import os
import sys
import time

from agbench.data import catalog
from agbench.datasets.collecting import _Job
from agbench.datasets.plan import plan_of
from agbench.running import engine_of

ITEMS = 400


class Nothing:
    """Work that is none: an item's result is the process that ran it."""

    def files(self):
        """Return none."""
        return []

    def prepare(self, place):
        """Return a function that does nothing."""
        return lambda item: os.getpid()


def timed(engine, work, items):
    """Return the seconds until the first result, those of each further one, and all results."""
    began = time.perf_counter()
    results, first = [], 0.0
    for _, result in engine.run(work, items):
        first = first or time.perf_counter() - began
        results.append(result)
    rest = time.perf_counter() - began - first
    return first, rest / max(len(results) - 1, 1), results


def main():
    """Print the figures of an engine."""
    engine = engine_of(sys.argv[1])
    first, each, results = timed(engine, Nothing(), range(ITEMS))
    print(f"{sys.argv[1]}: {len(set(results))} workers")
    print(f"    first result after {first:.2f} s, each further one {1e3 * each:.2f} ms")
    task = catalog.task("wheat-nitrogen-v1")
    plan = plan_of(task, {"policy": "advisor"}, 2048, scenarios="split")
    items = [(one, None) for one in plan.ranges]
    first, each, parts = timed(engine, _Job(plan), items)
    count = sum(len(part.rewards) for part in parts)
    print(
        f"    a dataset of {count:,} transitions: first part after {first:.2f} s, each further {each:.2f} s"
    )
    began = time.process_time()
    alone = timed(engine_of(), _Job(plan), items)
    print(f"    in this process: {alone[0]:.2f} s, {alone[1]:.2f} s; {time.process_time() - began:.1f} CPU s")


if __name__ == "__main__":
    main()
