"""Scripts of docs/studies as modules."""

import importlib.util
from pathlib import Path

STUDIES = Path(__file__).parents[2] / "docs/studies"


def loaded(name, monkeypatch):
    """Return a script as a module; it names its folder in AGBENCH_PATH, for one test alone."""
    monkeypatch.setenv("AGBENCH_PATH", "")
    spec = importlib.util.spec_from_file_location(f"study_{Path(name).stem}", STUDIES / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
