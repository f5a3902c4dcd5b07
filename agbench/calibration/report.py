"""A calibration in words: the crop's file as YAML, and the report as Markdown."""

import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from agbench.data.field import Crop

if TYPE_CHECKING:
    from agbench.calibration.result import Calibration

_METHOD: Final = re.compile(r"(?m)^Method \S+, seed \d+, [\d,]+ evaluations\.$")
_EDGE: Final = 0.005  # of the bounds' width: nearer to a bound than this is at it


def crop_text(crop: Crop) -> str:
    """Return the file of a crop; what it reads is equal to the last bit."""
    content = _plain(crop.model_dump(exclude_defaults=True))
    return yaml.dump(content, Dumper=_Indented, sort_keys=False, width=120, indent=4, allow_unicode=True)


class _Indented(yaml.SafeDumper):
    """Writes lists of numbers on one line, each under its key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        """Indent lists below their key."""
        return super().increase_indent(flow, False)


def _represent_list(dumper: Any, value: list[Any]) -> Any:
    flow = all(isinstance(entry, (int, float, str)) for entry in value)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=flow)


_Indented.add_representer(list, _represent_list)


def _plain(content: Any) -> Any:
    """Return data without tuples, which YAML has no word for."""
    if isinstance(content, dict):
        return {key: _plain(value) for key, value in content.items()}
    return [_plain(value) for value in content] if isinstance(content, (list, tuple)) else content


def is_markdown(text: str) -> bool:
    """Return whether a text is a report: a line of it says how was searched."""
    return _METHOD.search(text) is not None


def parameter_lines(result: "Calibration") -> list[str]:
    """Return the table of the fitted parameters."""
    lines = [
        "| parameter | meaning | unit | before | fitted | bounds | prior | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for d in result.problem.dimensions:
        value, width = result.values[d.name], d.high - d.low
        at = "at its bound" if min(value - d.low, d.high - value) < _EDGE * width else ""
        meaning = f"factor on: {d.parameter.meaning}" if d.is_factor else d.parameter.meaning
        numbers = f"{d.before:.6g} | {value:.6g} | {d.low:.6g} to {d.high:.6g}"
        prior = "" if d.prior is None else f"{d.prior[0]:.6g} ± {d.prior[1]:.6g}"
        lines.append(f"| {d.name} | {meaning} | {d.unit} | {numbers} | {prior} | {at} |")
    return lines


def error_lines(result: "Calibration") -> list[str]:
    """Return the table of the errors by variable."""
    lines = [
        "| variable | unit | n | before | fitted | n held out | before | fitted |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, e in result.rmse.items():
        fit = f"{e.observations} | {_number(e.before)} | {_number(e.after)}"
        kept = f"{e.held_out_observations} | {_number(e.held_out_before)} | {_number(e.held_out_after)}"
        lines.append(f"| {name} | {e.unit} | {fit} | {kept} |")
    return lines


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def missed(result: "Calibration") -> str:
    """Return how many observed stages the fitted crop does not reach, empty if it reaches all."""
    pairs = result.pairs[~result.pairs["reached"]]
    if pairs.empty:
        return ""
    return (
        f"Not reached by the fitted crop: {len(pairs)} of {len(result.pairs)} observations, of"
        f" {', '.join(sorted(set(pairs['variable'])))}. They count as the day after the last of their season."
    )


def markdown(result: "Calibration") -> str:
    """Return the report."""
    spec, evidence = result.problem.spec, result.evidence
    kept = f"; held out: {', '.join(map(str, evidence.held_out))}" if evidence.held_out else ""
    lines = [
        f"# {spec.calibration}",
        "",
        f"{spec.crop} of {spec.model} on {spec.soil} at {', '.join(evidence.sites)}, setting {spec.setting};"
        f" seasons {evidence.seasons[0]} to {evidence.seasons[-1]} ({len(evidence.seasons)}){kept}.",
        f"Method {spec.method}, seed {spec.seed}, {evidence.budget:,} evaluations.",
        f"Observations: {spec.source} SHA-256 {evidence.observations}.",
        "",
        *parameter_lines(result),
        "",
        "Root mean square errors:",
        "",
        *error_lines(result),
        "",
        "| stage | loss before | loss after | evaluations |",
        "|---|---|---|---|",
        *(f"| {s.name} | {s.before:.4g} | {s.after:.4g} | {len(s.losses):,} |" for s in result.stages),
    ]
    if note := missed(result):
        lines += ["", note]
    return "\n".join(lines) + "\n"
