"""What a calibration found: values, errors, the crop with its evidence, and the files of all this."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.calibration import report
from agbench.calibration.crop_file import crop_file
from agbench.calibration.loss import fitted_rows, rmse
from agbench.calibration.problem import Problem
from agbench.calibration.targets import days_since_epoch
from agbench.data.evidence import Evidence, FitError, FittedValue
from agbench.data.field import Crop
from agbench.data.reading import read_file
from agbench.errors import ConfigError
from agbench.files import require_kind, write, write_text
from agbench.plotting import require_place
from agbench.variables import Floats

if TYPE_CHECKING:
    import pandas as pd

FIGURE: Final = "fit.png"


@dataclass(frozen=True)
class StageFit:
    """What one stage found: its parameters' values, its loss before and after, and all it tried.

    `points` (n, parameters) lie in the unit cube of the bounds; `losses` (n,).
    """

    name: str
    parameters: list[str]
    values: Floats
    before: float
    after: float
    points: Floats
    losses: Floats


@dataclass(frozen=True)
class Calibration:
    """The result: fitted values by name, the stages, observed beside simulated, errors, and the crop.

    `pairs` has a row an observation: site, season, variable, unit, date, observed, before, simulated (dates
    in days since the season's start), held_out, reached. `evidence` holds the errors by variable.
    """

    problem: Problem
    values: dict[str, float]
    stages: Sequence[StageFit]
    pairs: "pd.DataFrame"
    evidence: Evidence
    crop: Crop

    @classmethod
    def of(cls, problem: Problem, values: Floats, stages: Sequence[StageFit]) -> "Calibration":
        """Return the result of fitted values, simulated once more beside those of the base crop."""
        problem.candidates.verify(values)
        before = np.array([d.before for d in problem.dimensions])
        simulated, reached = problem.simulate(np.stack([before, values]))
        evidence = _evidence(problem, values, simulated, stages)
        crop = crop_file(problem, values, evidence)
        named = {d.name: float(value) for d, value in zip(problem.dimensions, values, strict=True)}
        return cls(problem, named, stages, _pairs(problem, simulated, reached[1]), evidence, crop)

    @property
    def rmse(self) -> dict[str, FitError]:
        """The errors by variable."""
        return self.evidence.rmse

    def trials(self) -> "pd.DataFrame":
        """Return all that was tried: stage, number, a column a parameter, loss."""
        import pandas as pd

        bounds = {d.name: (d.low, d.high) for d in self.problem.dimensions}
        tables = []
        for stage in self.stages:
            low, high = np.array([bounds[name] for name in stage.parameters]).T
            table = pd.DataFrame(low + stage.points * (high - low), columns=stage.parameters)
            table.insert(0, "evaluation", np.arange(len(table)))
            table.insert(0, "stage", stage.name)
            tables.append(table.assign(loss=stage.losses))
        return pd.concat(tables, ignore_index=True)

    def write(self, out: Path) -> None:
        """Write `crops/NAME.yaml`, `report.md`, `pairs.csv`, `trials.csv` and `fit.png` into a folder.

        The folder can stand on `AGBENCH_PATH`; a killed run leaves no half file.
        """
        from agbench.calibration.figure import draw

        write_text(out / "crops" / f"{self.crop.crop}.yaml", report.crop_text(self.crop))
        write(out / "pairs.csv", lambda path: self.pairs.to_csv(path, index=False))
        write(out / "trials.csv", lambda path: self.trials().to_csv(path, index=False, float_format="%.6g"))
        write_text(out / "report.md", report.markdown(self))
        draw(self.pairs, self.evidence, out / FIGURE)


def require_files(out: Path, crop: str) -> None:
    """Raise `ConfigError` where one of its files lies in a folder and no calibration wrote it."""
    require_kind(out / "crops" / f"{crop}.yaml", _is_fitted, "a calibrated crop", ConfigError)
    require_kind(out / "report.md", _is_report, "a report of a calibration", ConfigError)
    require_kind(out / "pairs.csv", _begins("site,season,variable,"), "a table of a calibration", ConfigError)
    require_kind(out / "trials.csv", _begins("stage,evaluation,"), "a table of a calibration", ConfigError)
    require_place(out / FIGURE)


def _begins(columns: str) -> Callable[[Path], bool]:
    """Return what says whether a file is a table with these columns in front."""

    def begins(path: Path) -> bool:
        with path.open("rb") as file:
            return file.read(len(columns)) == columns.encode()

    return begins


def _is_fitted(path: Path) -> bool:
    try:
        return read_file(Crop, path).calibration is not None
    except ConfigError:
        return False


def _is_report(path: Path) -> bool:
    return report.is_markdown(path.read_text("utf-8", errors="replace"))


def _evidence(problem: Problem, values: Floats, simulated: Floats, stages: Sequence[StageFit]) -> Evidence:
    spec, observations = problem.spec, problem.observations
    fitted = {
        d.name: FittedValue(value=float(v), before=d.before, bounds=(d.low, d.high), prior=d.prior)
        for d, v in zip(problem.dimensions, values, strict=True)
    }
    return Evidence(
        base=spec.crop,
        model=spec.model,
        soil=spec.soil,
        sites=sorted(problem.series),
        setting=spec.setting,
        observations=observations.sha256,
        seasons=sorted({key.year for key in problem.seasons}),
        held_out=sorted(spec.hold_out),
        method=spec.method,
        budget=sum(len(stage.losses) for stage in stages),
        seed=spec.seed,
        fitted=fitted,
        rmse=_errors(problem, simulated),
    )


def _errors(problem: Problem, simulated: Floats) -> dict[str, FitError]:
    """Return the errors of each variable; `simulated` is (2, m): the base crop, and the fitted one."""
    observed = problem.observations.column("value")
    fitted = fitted_rows(problem.observations, problem.spec.hold_out)
    names = np.array([row.target.name for row in problem.observations.rows])
    units = {row.target.name: row.target.unit for row in problem.observations.rows}
    result = {}
    for name, unit in units.items():
        used, kept = (names == name) & fitted, (names == name) & ~fitted
        errors = [_rounded(rmse(run[rows], observed[rows])) for rows in (used, kept) for run in simulated]
        result[name] = FitError(
            unit=unit,
            observations=int(used.sum()),
            before=errors[0],
            after=errors[1],
            held_out_observations=int(kept.sum()),
            held_out_before=errors[2],
            held_out_after=errors[3],
        )
    return result


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def _pairs(problem: Problem, simulated: Floats, reached: Any) -> "pd.DataFrame":
    import pandas as pd

    rows = []
    for i, row in enumerate(problem.observations.rows):
        first = days_since_epoch(row.season.start) if row.target.is_date else 0
        rows.append(
            {
                "site": row.season.site,
                "season": row.season.year,
                "variable": row.target.name,
                "unit": row.target.unit,
                "date": None if row.day is None else row.day.isoformat(),
                "observed": row.value - first,
                "before": simulated[0, i] - first,
                "simulated": simulated[1, i] - first,
                "simulated_date": (
                    row.season.start + timedelta(days=int(simulated[1, i]) - first)
                ).isoformat()
                if row.target.is_date
                else None,
                "held_out": row.season.year in problem.spec.hold_out,
                "reached": bool(reached[i]),
            }
        )
    return pd.DataFrame(rows)
