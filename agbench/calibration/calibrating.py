"""Calibration from a specification to a result: one stage after another."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agbench.calibration import dimensions, search
from agbench.calibration.loss import Loss, loss_of
from agbench.calibration.observations import read
from agbench.calibration.problem import Problem
from agbench.calibration.progress import Progress, fingerprint
from agbench.calibration.result import Calibration, StageFit, require_files
from agbench.calibration.targets import find
from agbench.data import catalog
from agbench.data.calibration import CalibrationSpec, Stage
from agbench.data.reading import read_data, read_file
from agbench.errors import AgBenchError, ConfigError
from agbench.files import alone
from agbench.simulation.parameters import read_all
from agbench.simulators import models
from agbench.simulators.threads import require_threads
from agbench.variables import Floats

if TYPE_CHECKING:
    import pandas as pd

Given = CalibrationSpec | Mapping[str, Any] | str | Path


def calibrate(
    spec: Given,
    observations: "pd.DataFrame | str | Path | None" = None,
    *,
    weather: "pd.DataFrame | Mapping[str, pd.DataFrame] | None" = None,
    out: "str | Path | None" = None,
    threads: int = 1,
    report: Callable[[str], None] = lambda line: None,
) -> Calibration:
    """Fit parameters of a crop to observations, and return what was found.

    Args:
        spec: the specification: its file, a mapping with the same keys, or a `CalibrationSpec`.
        observations: a table or a CSV file, with a row an observation; by default the file that the
            specification names, beside it. Columns: `variable`, `date`, `value`, `site`, `season`,
            `start`, `sd`, `weight`; see docs/calibration.md.
        weather: daily weather of all sites, or of each by its name, as `agbench.simulate` takes it; by
            default that of the sites.
        out: the folder for the crop's file, report, tables and figure. Stages that an earlier, broken-off
            run of the same calibration finished are taken from there.
        threads: in which seasons run side by side; the result is the same for any number of them.
        report: is called with a line after each stage.

    Raises:
        ConfigError, UnknownNameError, WeatherError, MissingExtraError: naming what is wrong and what
            would be right.
    """
    _check_output(out, report)
    require_threads(threads)
    plan, table = _read(spec, observations)
    if out is not None:
        require_files(Path(out), plan.variety)
    with located(spec):
        problem = prepare(plan, table, weather, threads)
    progress = Progress(None if out is None else Path(out), fingerprint(problem))
    with nullcontext() if out is None else alone(Path(out), ConfigError):
        result = _fitted(plan, problem, progress, report)
        if out is not None:
            result.write(Path(out))
    return result


def _fitted(
    plan: CalibrationSpec, problem: Problem, progress: Progress, report: Callable[[str], None]
) -> Calibration:
    """Fit all stages but those that are finished already."""
    low = np.array([d.low for d in problem.dimensions])
    high = np.array([d.high for d in problem.dimensions])
    values = np.array([d.before for d in problem.dimensions])
    fits = []
    for number, stage in enumerate(plan.stages):
        fit = progress.finished(stage.name)
        if fit is None:
            fit = _Stage(problem, number, values, low, high).fit()
            progress.finish(fit)
        values[[list(plan.parameters).index(name) for name in stage.parameters]] = fit.values
        fits.append(fit)
        report(f"{stage.name}: loss {fit.before:.4g} -> {fit.after:.4g} in {len(fit.losses):,} evaluations")
    return Calibration.of(problem, values, fits)


def prepare(spec: CalibrationSpec, observations: Any, weather: Any = None, threads: int = 1) -> Problem:
    """Return a specification's problem: everything read and checked, nothing fitted yet."""
    crop_type = catalog.crop(spec.crop).crop_type
    model = models.find(spec.model, soil_water=spec.soil_water, crop_type=crop_type)
    problem = Problem(spec, model, read(spec, observations, model), weather, threads)
    years = {key.year for key in problem.seasons}
    for year in spec.hold_out:
        if year not in years:
            shown = ", ".join(map(str, sorted(years)))
            raise ConfigError(f"hold_out: no observation is of the season {year}; there are {shown}.")
    for number, stage in enumerate(spec.stages):
        for name in _variables(problem, number, 1):
            loss = loss_of(problem.observations, [name], spec.hold_out)
            if not loss.chosen.any():
                raise ConfigError(f"stages: {stage.name}: all observations of {name} are held out.")
    return problem


def check(spec: CalibrationSpec, folder: Path) -> None:
    """Raise for what is wrong in a specification of a folder, and in the observations that it names.

    Of one that is given its observations from Python everything but these is checked.
    """
    if spec.observations is not None:
        prepare(spec, folder / spec.observations)
        return
    model = models.find(spec.model, soil_water=spec.soil_water, crop_type=catalog.crop(spec.crop).crop_type)
    catalog.site(spec.site)
    base = read_all(model, {"site": spec.site, "soil": spec.soil, "crop": spec.crop}, spec.setting)
    dimensions.read(model, base, spec.parameters, spec.crop)
    for stage in spec.stages:
        for name in stage.observations:
            find(model, name, f"stages: {stage.name}")


@contextmanager
def located(spec: Any) -> Iterator[None]:
    """Name the file of a specification in an error that does not."""
    try:
        yield
    except AgBenchError as error:
        if not isinstance(spec, (str, Path)) or str(spec) in str(error):
            raise
        raise type(error)(f"{spec}: {error}") from None


def _shown(value: Any) -> str:
    """Return what was given in the place of something else, in few words."""
    return "None" if value is None else f"a value of type {type(value).__name__!r}"


def _check_output(out: Any, report: Any) -> None:
    """Refuse what cannot be a folder, and a report that cannot be called, before anything is computed."""
    if out is not None and not isinstance(out, (str, Path)):
        raise ConfigError(f"out: give the path of a folder, or None; got {_shown(out)}.")
    if not callable(report):
        raise ConfigError(
            f"report: give a function of one line of text, such as print; got {_shown(report)}."
        )


def _read(spec: Given, observations: Any) -> tuple[CalibrationSpec, Any]:
    """Return the specification and the observations, those beside it where none are given."""
    folder = Path()
    if isinstance(spec, (str, Path)):
        folder = Path(spec).parent
        plan = read_file(CalibrationSpec, Path(spec))
    elif isinstance(spec, Mapping):
        plan = read_data(CalibrationSpec, dict(spec), "spec")
    elif isinstance(spec, CalibrationSpec):
        plan = spec
    else:
        raise ConfigError(
            "spec: give the specification's file, a mapping with its keys, or a CalibrationSpec; got"
            f" {_shown(spec)}."
        )
    if observations is not None:
        return plan, observations
    if plan.observations is None:
        raise ConfigError("observations: name a CSV file in the specification, or give a table.")
    return plan, folder / plan.observations


def stage_loss(problem: Problem, number: int) -> Loss:
    """Return the loss of a stage: over its own variables and those of the stages before it."""
    spec = problem.spec
    own = _variables(problem, number, 1)
    return loss_of(problem.observations, _variables(problem, number, spec.stages_in_loss), spec.hold_out, own)


def _variables(problem: Problem, number: int, count: int) -> list[str]:
    """Return the variables of a stage and of those before it, `count` stages in all."""
    stages = problem.spec.stages[max(0, number + 1 - count) : number + 1]
    names = [find(problem.model, name, stage.name).name for stage in stages for name in stage.observations]
    return list(dict.fromkeys(names))


def _distance(priors: Sequence[tuple[float, float] | None]) -> Callable[[Floats], Floats]:
    """Return what sums the squared distances of values (n, parameters) from their priors, (n,)."""
    stated = [j for j, prior in enumerate(priors) if prior is not None]
    mean, deviation = np.array([prior for prior in priors if prior is not None]).reshape(-1, 2).T

    def distance(values: Floats) -> Floats:
        result: Floats = (((values[:, stated] - mean) / deviation) ** 2).sum(axis=1)
        return result

    return distance


@dataclass(frozen=True)
class _Stage:
    """One stage: its parameters move, the others stay at `values`."""

    problem: Problem
    number: int
    values: Floats
    low: Floats
    high: Floats

    def fit(self) -> StageFit:
        """Return what the search found, in six digits; the start is always tried first."""
        spec = self.problem.spec
        stage: Stage = spec.stages[self.number]
        free = [list(spec.parameters).index(name) for name in stage.parameters]
        low, width = self.low[free], (self.high - self.low)[free]
        loss = stage_loss(self.problem, self.number)
        distance = _distance([self.problem.dimensions[j].prior for j in free])

        def losses(some: Floats) -> Floats:
            values = np.repeat(self.values[np.newaxis], len(some), axis=0)
            values[:, free] = some
            return loss(self.problem.simulate(values, loss.chosen)[0], distance(some))

        def objective(points: Floats) -> Floats:
            return losses(np.clip(low + points * width, low, low + width))

        before = float(losses(self.values[np.newaxis, free])[0])
        start = np.clip((self.values[free] - low) / width, 0.0, 1.0)
        seed = spec.seed + self.number
        if spec.method == "bayesian":
            trials = search.bayesian(objective, start, spec.evaluations, seed)
        else:
            trials = search.cma(objective, start, spec.evaluations, spec.population, seed)
        best = _rounded(low + trials.points[trials.best] * width, low, low + width)
        after = float(losses(best[np.newaxis])[0])
        return StageFit(stage.name, list(stage.parameters), best, before, after, trials.points, trials.losses)


def _rounded(values: Floats, low: Floats, high: Floats) -> Floats:
    """Return values in six significant digits, which is what the crop's file says, inside their bounds."""
    digits = np.array([float(f"{value:.6g}") for value in values])
    result: Floats = np.clip(digits, low, high)
    return result
