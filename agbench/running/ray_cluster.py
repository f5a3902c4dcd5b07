"""Ray: the cores of many machines. Ray brings retries, transport and monitoring; see docs/cluster.md."""

import logging
import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from agbench.errors import MissingExtraError, WorkerError
from agbench.running.cores import cores
from agbench.running.work import Parcel, Results, Work, answered, function_of, packed

TRIES: Final = 4
"""How often an item is tried whose worker dies."""
_AHEAD: Final = 2  # items a core that are sent before it asks


class RayCluster:
    """The cluster at an address such as `ray://10.0.0.1:10001`; without one that of this machine.

    Where this machine belongs to none, one of its own cores is started, which ends with this process.
    """

    is_here = False

    def __init__(self, address: str | None = None) -> None:
        self._address = address
        self._ray = _ray()
        self.workers = 0

    def run(self, work: Work, items: Iterable[Any]) -> Results:
        """Yield results as they come; see `agbench.running.engines.Engine`."""
        ray = self._ray
        self._connect()
        parcel = packed(work)
        contents = {digest: ray.put(content) for digest, content in parcel.contents.items()}
        task = ray.remote(_work).options(num_cpus=1, max_retries=TRIES - 1)
        waiting = enumerate(items)
        running: dict[Any, int] = {}
        try:
            while True:
                while len(running) < max(1, self.workers) * (1 + _AHEAD):
                    number, item = next(waiting, (-1, None))
                    if number < 0:
                        break
                    # References inside a mapping are not fetched before the worker asks for them.
                    running[task.remote(parcel, contents, item)] = number
                if not running:
                    return
                done, _ = ray.wait(list(running), num_returns=1)
                number = running.pop(done[0])
                yield number, self._result(done[0])
        finally:
            for one in running:
                ray.cancel(one, force=True)

    def kept(self) -> AbstractContextManager[None]:
        """Do nothing: the workers are the cluster's, which keeps them and what they prepared."""
        return nullcontext()

    def _result(self, reference: Any) -> Any:
        """Return what came of an item, or raise what it raised."""
        try:
            good, result = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise WorkerError(
                f"a worker of the Ray cluster died {TRIES} times over one piece of work, or could not be "
                f"started: {_first_line(error)} What is finished is kept."
            ) from None
        if not good:
            raise result
        return result

    def _connect(self) -> None:
        """Reach the cluster, or start one; raises `WorkerError` where that fails."""
        ray = self._ray
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if not ray.is_initialized() and not self._is_reached(options):
            try:
                ray.init(address="local", num_cpus=cores(), include_dashboard=False, **options)
            except Exception as error:  # Ray raises many kinds
                raise WorkerError(f"Ray cannot start on this machine: {_first_line(error)}") from None
        self.workers = int(ray.cluster_resources().get("CPU", 1))

    def _is_reached(self, options: dict[str, Any]) -> bool:
        """Return whether there is a cluster; raises `WorkerError` where nothing answers at an address."""
        try:
            self._ray.init(address=self._address or "auto", **options)
        except Exception as error:  # Ray raises many kinds
            if self._address is None:
                return False
            raise WorkerError(
                f"{self._address}: no Ray cluster answers there ({_first_line(error)}) Start one on its "
                "first machine with: ray start --head --ray-client-server-port=10001"
            ) from None
        return True


def _ray() -> Any:
    """Return the library; raises `MissingExtraError` without it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise MissingExtraError(
            'Ray is not installed here. Install it with: pip install "agbench[cluster]"'
        ) from None
    return ray


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return (text[0] if text else type(error).__name__).rstrip(".") + "."


def _work(parcel: Parcel, contents: Mapping[str, Any], item: Any) -> tuple[bool, Any]:
    """Run an item in a worker of the cluster, which fetches what it lacks."""
    import ray

    return answered(lambda: function_of(parcel, lambda digest: ray.get(contents[digest]))(item))
