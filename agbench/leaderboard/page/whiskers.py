"""The small drawing in a table's row: a score with its interval, over marks at 0 and 100."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from agbench.evaluation.statistics import Interval

_WIDTH: Final = 110  # pixels
_HEIGHT: Final = 16
_EDGES: Final = (-60.0, 220.0)  # scores beyond are at the edge


@dataclass(frozen=True)
class WhiskerScale:
    """Maps scores from `low` to `high` to pixels; what lies outside is at the edge."""

    low: float
    high: float

    def __call__(self, value: float) -> int:
        """Return the pixel of a score."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(3 + share * (_WIDTH - 6))


def whisker_scale(intervals: Sequence[Interval]) -> WhiskerScale:
    """Return the common scale of a table's intervals: 0 and 100 are on it, far outliers are clipped."""
    low = max(min((i.low for i in intervals), default=0.0), _EDGES[0])
    high = min(max((i.high for i in intervals), default=100.0), _EDGES[1])
    return WhiskerScale(min(low, -5.0), max(high, 105.0))


def whisker(interval: Interval, scale: WhiskerScale) -> Markup:
    """Return an interval as a line with a dot; it says nothing that the numbers beside it do not."""
    middle = _HEIGHT // 2
    marks = "".join(f"M{scale(v)} 1V{_HEIGHT - 1}" for v in (0.0, 100.0))
    line = f"M{scale(interval.low)} {middle}H{scale(interval.high)}"
    size = f'width="{_WIDTH}" height="{_HEIGHT}"'
    return Markup(
        f'<svg class="whisker" {size} aria-hidden="true"><path class="zero" d="{marks}"/>'
        f'<path class="interval" d="{line}"/><circle cx="{scale(interval.value)}" cy="{middle}" r="3"/></svg>'
    )
