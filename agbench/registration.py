"""Registers the tasks with Gymnasium on `import agbench`, without importing Gymnasium for it.

Where Gymnasium is loaded already, the tasks are registered at once, which is how
`gymnasium.make("agbench:agbench/wheat-nitrogen-v1")` finds them. Where it is not, an import hook waits for
`gymnasium.envs`, because importing Gymnasium takes many times what `import agbench` may take.
"""

import sys
from importlib.machinery import ModuleSpec, PathFinder

_TARGET = "gymnasium.envs"


class _Finder:
    """A meta path finder that finds `gymnasium.envs` as Python would, and adds our step to it."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != _TARGET:
            return None
        spec = PathFinder.find_spec(name, path, target)  # type: ignore[arg-type]
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def run_and_register(module: object) -> None:
            run(module)  # type: ignore[arg-type]
            _register()

        spec.loader.exec_module = run_and_register  # type: ignore[method-assign]
        return spec


def _register() -> None:
    """Register the tasks; whatever is wrong with ours must not break the import of Gymnasium."""
    from agbench.envs.registry import register_with_gymnasium
    from agbench.errors import AgBenchError

    try:
        register_with_gymnasium()
    except AgBenchError as error:
        import warnings

        warnings.warn(f"agbench could not register its tasks: {error}", stacklevel=2)


def install() -> None:
    """Register now if Gymnasium is loaded, else when it will be."""
    if _TARGET in sys.modules:
        _register()
    elif not any(finder is _Finder for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder)
