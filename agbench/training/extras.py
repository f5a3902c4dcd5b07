"""What imitation and offline learning need beside the base: how it is installed, and what is said without it.

imitation 1.0.1 declares versions of Gymnasium and Stable-Baselines3 that are years old, and runs on the
newest ones: it is installed without what it declares, and what it truly imports beside it. d3rlpy 2.8.1
declares one version of Gymnasium; 2.8.0 goes with all since 1.0.
"""

import contextlib
import io
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module, invalidate_caches, metadata
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from agbench.errors import ConfigError, MissingExtraError, unknown


@dataclass(frozen=True)
class Extra:
    """Packages that belong together.

    `library` is the one whose version matters. `bare` are installed without what they declare to need,
    `needed` with it. `modules` are imported to see whether all of it is there.
    """

    name: str
    library: str
    purpose: str
    needed: tuple[str, ...]
    bare: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


EXTRAS: Final = {
    "il": Extra(
        "il",
        "imitation",
        "imitation: bc, dagger, gail, airl",
        ("tqdm", "datasets", "jsonpickle", "scikit-learn", "tensorboard"),
        ("imitation==1.0.1",),
        ("imitation.algorithms.dagger", "imitation.algorithms.adversarial.gail"),
    ),
    "offline": Extra(
        "offline",
        "d3rlpy",
        "offline learning: offline-bc, cql, iql of amounts, td3bc",
        ("d3rlpy==2.8.0",),
        modules=("d3rlpy",),
    ),
}


def import_gym_quietly() -> None:
    """Import gym if it is there: Stable-Baselines3 and d3rlpy do, and it prints four lines of advice then."""
    if find_spec("gym") is not None:
        with contextlib.suppress(ImportError), contextlib.redirect_stderr(io.StringIO()):
            import_module("gym")


def require(name: str) -> None:
    """Import an extra's modules; raises `MissingExtraError`, which prints the command, where one lacks."""
    import_gym_quietly()
    for module in EXTRAS[name].modules:
        try:
            import_module(module)
        except ImportError as error:
            raise MissingExtraError(
                f"{EXTRAS[name].purpose}: {error.name or error} is not installed. Install it with: "
                f"agbench setup {name}"
            ) from None


def setup(name: str) -> list[str]:
    """Install an extra into the environment that runs, and return what was installed, as `package==version`.

    What is installed keeps its version. Raises `UnknownNameError` for an unknown extra, `ConfigError` where
    pip fails.
    """
    if name not in EXTRAS:
        raise unknown("extra", name, EXTRAS)
    extra, before = EXTRAS[name], _installed()
    if find_spec("pip") is None:
        raise ConfigError(f"{sys.executable} has no pip. Install it with: {sys.executable} -m ensurepip")
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "kept.txt"
        kept.write_text("".join(f"{one}=={version}\n" for one, version in before.items() if one != "agbench"))
        for command in _commands(extra, kept):
            _run(command, name)
    after = _installed()
    return sorted(f"{one}=={version}" for one, version in after.items() if before.get(one) != version)


def _commands(extra: Extra, kept: Path) -> list[list[str]]:
    """Return pip's arguments, one call after another."""
    base = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    commands = [[*base, "--no-deps", *extra.bare]] if extra.bare else []
    return [*commands, [*base, "--constraint", str(kept), *extra.needed]]


def _run(command: Sequence[str], name: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise ConfigError(f"agbench setup {name}: {' '.join(command)}: {' '.join(lines[-3:])}")


def _installed() -> dict[str, str]:
    """Return the public versions of what is installed, by name: torch's `2.13.0+cpu` is 2.13.0."""
    invalidate_caches()
    found = ((str(one.metadata["Name"]), one.version) for one in metadata.distributions())
    return {name.lower().replace("_", "-"): version.partition("+")[0] for name, version in found}
