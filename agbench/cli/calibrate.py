"""`agbench calibrate SPEC`: fit a crop's parameters to observations."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import JsonOption, ThreadsOption, console, print_json


def calibrate(
    spec: Annotated[
        Path, typer.Argument(metavar="SPEC", help="YAML file: model, crop, parameters, stages, method.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for crop, report, tables and figure.")
    ],
    observations: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Observations; by default the file that SPEC names.")
    ] = None,
    threads: ThreadsOption = 1,
    json: JsonOption = False,
) -> None:
    """Fit parameters of a crop to observations; the fitted crop is a file for AGBENCH_PATH.

    A run that was broken off goes on after its last finished stage.

    Example: `agbench calibrate docs/studies/calibration/wheat.yaml --out runs/wheat`
    """
    from agbench.calibration import calibrate as fit
    from agbench.calibration.report import error_lines, missed, parameter_lines

    silent = json or not console.is_terminal
    report = (lambda line: None) if silent else console.print
    result = fit(spec, observations, out=out, threads=threads, report=report)
    if json:
        print_json({"values": result.values, "evidence": result.evidence.model_dump()})
        return
    for line in [*parameter_lines(result), "", *error_lines(result)]:
        console.print(line, soft_wrap=True)
    if note := missed(result):
        console.print(f"    {note}", soft_wrap=True)
    console.print(
        f"    wrote {out / 'crops' / result.crop.crop}.yaml; AGBENCH_PATH={out} finds it", soft_wrap=True
    )
