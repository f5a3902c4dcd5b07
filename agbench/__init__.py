"""AgBench: reinforcement learning in agriculture, under one API with fixed protocols.

>>> import agbench
>>> env = agbench.make("wheat-nitrogen-v1")
>>> observation, info = env.reset(seed=1)
>>> observation.shape
(12,)

Everything named here is stable; everything else may change.
"""

from importlib import import_module

from agbench.registration import install as _install

__version__ = "0.1.0"

TYPE_CHECKING = False  # typing itself would be most of the time that importing agbench takes
if TYPE_CHECKING:
    from agbench.data.task_list import TaskInfo, tasks
    from agbench.datasets.collecting import collect
    from agbench.envs.registry import make, make_parallel, make_vec
    from agbench.evaluation import Result, evaluate
    from agbench.policies import Policy, load_policy
    from agbench.simulation import simulate
    from agbench.simulation.many import simulate_many
    from agbench.training.run import train
    from agbench.training.sweep import sweep

_HOMES = {
    "Policy": "agbench.policies",
    "Result": "agbench.evaluation",
    "TaskInfo": "agbench.data.task_list",
    "collect": "agbench.datasets.collecting",
    "evaluate": "agbench.evaluation",
    "load_policy": "agbench.policies",
    "make": "agbench.envs.registry",
    "make_parallel": "agbench.envs.registry",
    "make_vec": "agbench.envs.registry",
    "simulate": "agbench.simulation",
    "simulate_many": "agbench.simulation.many",
    "sweep": "agbench.training.sweep",
    "tasks": "agbench.data.task_list",
    "train": "agbench.training.run",
}

__all__ = [
    "Policy",
    "Result",
    "TaskInfo",
    "collect",
    "evaluate",
    "load_policy",
    "make",
    "make_parallel",
    "make_vec",
    "simulate",
    "simulate_many",
    "sweep",
    "tasks",
    "train",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import agbench` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'agbench' has no attribute {name!r}")
    result = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return result


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


_install()
