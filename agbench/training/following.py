"""What happens beside the learning: validation, the best agent so far, checkpoints, early stop, progress."""

from collections.abc import Callable
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from agbench.errors import TrainingError
from agbench.training.validation import Mark, Validation


class Following(BaseCallback):
    """Validates at regular steps and keeps the best agent; `keep` is called after each validation.

    Both happen before a rollout, when nothing is under way. `state` is all that a run that goes on needs.
    """

    def __init__(
        self,
        validation: Validation,
        every: int,
        patience: int | None,
        keep: Callable[["Following"], None],
        progress: Progress,
    ) -> None:
        super().__init__()
        self._validation, self._every, self._patience, self._keep = validation, every, patience, keep
        self.progress = progress
        self._line: Any = None
        self._over = False
        self.marks: list[Mark] = []
        self.best: dict[str, Any] = {}

    @property
    def state(self) -> dict[str, Any]:
        """The marks so far, and the weights of the best agent."""
        return {"marks": list(self.marks), "best": self.best}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self.marks, self.best = list(state["marks"]), state["best"]
        self._over = self._ends()

    @property
    def best_mark(self) -> Mark:
        """The mark of the best agent; of equal ones the first."""
        return max(self.marks, key=lambda mark: mark.order)

    def _on_training_start(self) -> None:
        total = self.model._total_timesteps
        self._line = self.progress.add_task("", total=total, completed=self.num_timesteps)

    def _on_rollout_start(self) -> None:
        due = len(self.marks) * self._every
        if self.num_timesteps >= due and (not self.marks or self.marks[-1].steps < self.num_timesteps):
            self._validate()
            self._keep(self)

    def _on_step(self) -> bool:
        self.progress.update(self._line, completed=self.num_timesteps)
        return not self._over

    def _on_training_end(self) -> None:
        if not self._over and self.marks[-1].steps < self.num_timesteps:
            self._validate()

    def _validate(self) -> None:
        if not is_finite(self.model):
            raise diverged(self.model)
        mark = self._validation.mark(self.model.predict, self.num_timesteps)
        if not self.marks or mark.order > self.best_mark.order:
            weights = self.model.policy.state_dict()
            self.best = {name: torch.clone(value) for name, value in weights.items()}
        self.marks.append(mark)
        self._over = self._ends()
        self.logger.record("validation/objective", mark.objective)
        self.logger.record("validation/cost", mark.cost)
        self.logger.dump(self.num_timesteps)
        text = f"{self._validation.split} {mark.objective:.1f}, best {self.best_mark.objective:.1f}"
        self.progress.update(self._line, description=text)

    def _ends(self) -> bool:
        """Return whether there have been too many validations since the best one."""
        return (
            self._patience is not None
            and len(self.marks) - 1 - self.marks.index(self.best_mark) >= self._patience
        )


def is_finite(model: Any) -> bool:
    """Return whether all weights of an agent, and of what judges it, are finite numbers."""
    modules = (model.policy, *getattr(model, "judges", ()))
    return all(bool(torch.isfinite(one).all()) for module in modules for one in module.parameters())


def diverged(model: Any) -> TrainingError:
    """Return the error that says so of an agent whose weights are no longer finite."""
    return TrainingError(
        f"after {model.num_timesteps:,} steps weights of the networks are no longer finite numbers: the "
        "training has diverged. Lower its learning rates, and look at what else --set changed."
    )


def progress_bar(shown: bool | None) -> Progress:
    """Return a bar on standard error; by default only where that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    visible = console.is_terminal if shown is None else shown
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not visible)
