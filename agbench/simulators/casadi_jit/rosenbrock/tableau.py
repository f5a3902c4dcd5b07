"""The definition of a Rosenbrock method: its coefficients, in the form that needs no matrix products.

With W = I / (h gamma) - J, stage i solves W k_i = f(x + sum_j a_ij k_j) + sum_j (c_ij / h) k_j; the
step is x + sum_i m_i k_i and its error estimate sum_i e_i k_i (Hairer and Wanner 1996, Solving
Ordinary Differential Equations II, Section IV.7, for an autonomous system).
"""

from dataclasses import dataclass

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Tableau:
    """Coefficients of one method; row i of `a` and `c` holds what stage i takes of those before."""

    name: str
    gamma: float
    a: Rows
    c: Rows
    m: tuple[float, ...]
    e: tuple[float, ...]
    order: int
    """Order of the step; the error estimate is one order lower."""

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.m)

    def new_rates(self, stage: int) -> bool:
        """Whether a stage evaluates the equations at another point than the stage before."""
        before = self.a[stage - 1] if stage else ()
        return stage > 0 and _trimmed(self.a[stage]) != _trimmed(before)


def _trimmed(row: tuple[float, ...]) -> tuple[float, ...]:
    """Return a row without zeros at its end."""
    while row and row[-1] == 0:
        row = row[:-1]
    return row
