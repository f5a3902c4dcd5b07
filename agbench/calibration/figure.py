"""The picture of a calibration: simulated over observed, a panel a variable."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agbench.data.evidence import Evidence, FitError
from agbench.plotting import BLUE, MUTED, ORANGE, printed, save, tidy

if TYPE_CHECKING:
    import pandas as pd

_WIDTH: Final = 3  # panels beside each other
_SIZE: Final = 3.1  # inches of a panel


def draw(pairs: "pd.DataFrame", evidence: Evidence, path: Path) -> Path:
    """Write the picture: the base crop as open circles, the fitted crop full, held-out seasons as squares."""
    from matplotlib.figure import Figure

    names = list(evidence.rmse)
    wide = min(_WIDTH, len(names))
    high = -(-len(names) // wide)
    figure = Figure(figsize=(_SIZE * wide + 0.3, _SIZE * high + 0.55), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.12)  # type: ignore[union-attr,call-arg]
    grid = figure.subplots(high, wide, squeeze=False)
    for axes, name in zip(grid.flat, names, strict=False):
        _panel(axes, pairs[pairs["variable"] == name], name, evidence.rmse[name])
    for axes in list(grid.flat)[len(names) :]:
        axes.set_visible(False)
    handles, labels = [], []
    for axes in grid.flat:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    return save(figure, path, 150)


def _panel(axes: Any, rows: "pd.DataFrame", name: str, error: FitError) -> None:
    dated = rows["date"].notna() & rows["simulated_date"].notna()
    unit = "days since the season's start" if dated.all() else printed(error.unit)
    ends = rows[["observed", "before", "simulated"]].to_numpy()
    low, high = float(ends.min()), float(ends.max())
    margin = 0.05 * (high - low) or 1.0
    axes.plot([low - margin, high + margin], [low - margin, high + margin], color=MUTED, linewidth=0.8)
    axes.plot(rows["observed"], rows["before"], "o", mfc="none", mec=MUTED, ms=4, mew=0.7, label="base crop")
    for held_out, marker, color, label in ((False, "o", BLUE, "fitted"), (True, "s", ORANGE, "held out")):
        some = rows[rows["held_out"] == held_out]
        if len(some):
            axes.plot(some["observed"], some["simulated"], marker, color=color, ms=4.5, mew=0, label=label)
    axes.set_xlim(low - margin, high + margin)
    axes.set_ylim(low - margin, high + margin)
    axes.set_aspect("equal")
    axes.set_title(f"{name}: {_errors(error)}", fontsize=8, loc="left")
    axes.set_xlabel(f"observed ({unit})", fontsize=8)
    axes.set_ylabel(f"simulated ({unit})", fontsize=8)
    tidy(axes)


def _errors(error: FitError) -> str:
    held_out = "" if error.held_out_after is None else f", held out {error.held_out_after:.3g}"
    return f"RMSE {error.before:.3g} → {error.after:.3g}{held_out}"
