"""exp, expm1 and tanh.

x = n ln(2) / 2 + r with a whole n, so that exp(x) = 2^(n / 2) exp(r), |r| <= ln(2) / 4; a polynomial gives
exp(r). Its coefficients are near-minimax (Chebyshev), computed with 60 digits and rounded.
"""

import math
from dataclasses import dataclass

from agbench.compiled.elementary.number import Number, Whole, bits_of, usually, where

ROUND = 6755399441055744.0  # 1.5 * 2**52: adding and subtracting it rounds to a whole number

_STEP = float.fromhex("0x1.62e42fefa39efp-2")  # ln(2) / 2, in two parts
_STEP_REST = float.fromhex("0x1.abc9e3b39803fp-57")
_PER_STEP = float.fromhex("0x1.71547652b82fep+1")
_ROOT = float.fromhex("0x1.6a09e667f3bcdp+0")  # the root of 2
_ROOT_REST = float.fromhex("-0x1.3b3efbf5e2229p-54")  # what it lacks, relative to it

_LN_10 = float.fromhex("0x1.26bb1bbb55516p+1")  # ln(10), in two parts
_LN_10_REST = float.fromhex("-0x1.f48ad494ea3e9p-53")
_ORDINARY = 708.0  # the exponential function of what is smaller in size is a normal number
_HIGHEST = 710.0  # exp of it is beyond the greatest finite number
_LOWEST = -746.0  # exp of it is below half the least subnormal number

_EXP = tuple(
    map(
        float.fromhex,
        (
            *("0x1.555555555553cp-3", "0x1.555555555554dp-5", "0x1.111111113ddb0p-7"),
            *("0x1.6c16c16c349cep-10", "0x1.a019fc61f6cd0p-13", "0x1.a019fe21644b2p-16"),
            *("0x1.721869499391dp-19", "0x1.280bc506c46f9p-22"),
        ),
    )
)
"""(exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= 0.1733, with an error below 2^-58."""


@dataclass(frozen=True)
class _Parts:
    """exp(x) as (1 + above) times a root times a power of 2."""

    above: Number
    root: Number
    """The root of 2, or 1."""
    twice: Whole
    """The even whole number below n, plus the bits of `ROUND`."""

    @property
    def scale(self) -> Number:
        """What 1 + above is to be multiplied by; neither infinite nor subnormal."""
        return (self.root.bits() + (self.twice << 51)).as_bits()


def exp(x: Number) -> Number:
    """exp(x), within 1 unit in the last place; subnormal results within one step."""
    return _exp(x, _parts(x))


def exp_of_two(high: Number, low: Number) -> Number:
    """exp(high + low) of a number in two parts, `low` below a unit of `high`."""
    return _exp(high, _parts(high, low))


def exp10(x: Number) -> Number:
    """10 to the power of x, within 1 unit in the last place."""
    high = x * _LN_10
    return exp_of_two(high, x.times_plus(_LN_10_REST, x.times_plus(_LN_10, -high)))


def expm1(x: Number) -> Number:
    """exp(x) - 1, within 3 units in the last place."""
    parts = _parts(x)
    scale = parts.scale
    result = scale.times_plus(parts.above, scale - 1.0)
    result = where(x.absolute() < 2.0**-54, x, result)
    return usually(x.absolute() < 40.0, result, lambda: where(x <= -40.0, -1.0, exp(x)))


def tanh(x: Number) -> Number:
    """Hyperbolic tangent, within 4 units in the last place."""
    size = x.absolute()
    grown = expm1(size * 2.0)
    small = grown / (grown + 2.0)
    large = 1.0 - 2.0 / (grown + 2.0)
    return where(size < 0.55, small, large).with_sign_of(x)


def _parts(x: Number, low: Number | None = None) -> _Parts:
    """Return the parts of exp(x), or of exp(x + low)."""
    shifted = x.times_plus(_PER_STEP, ROUND)
    n = shifted - ROUND
    first = n.times_plus(-_STEP, x)  # exact
    r = n.times_plus(-_STEP_REST, first)
    odd = (shifted.bits() & 1).equals(1)
    rest = where(odd, r.constant(_ROOT_REST), 0.0)
    if low is not None:
        lost = n.times_plus(-_STEP_REST, first - r)
        rest = (low + lost).times_plus(r.polynomial(1.0, 1.0, 0.5, 1.0 / 6.0), rest)
    square = r * r
    start = square.times_plus(0.5, r + rest)
    above = (r * square).times_plus(r.polynomial(*_EXP), start)
    return _Parts(above, where(odd, r.constant(_ROOT), 1.0), shifted.bits() & -2)


def _exp(x: Number, parts: _Parts) -> Number:
    """Return exp(x) from its parts."""
    scale = parts.scale
    return usually(x.absolute() < _ORDINARY, scale.times_plus(parts.above, scale), lambda: _extreme(x, parts))


def _extreme(x: Number, parts: _Parts) -> Number:
    """Return exp(x) where it, or its scale, may be infinite, subnormal or zero; NaN stays."""
    result = parts.root.times_plus(parts.above, parts.root)
    moved = (parts.twice - (bits_of(ROUND) - 4096)) >> 1  # by 2048, the whole power of 2
    half = moved >> 1
    result = result * _power_of_two(half - 1024) * _power_of_two(moved - half - 1024)
    return where(x > _HIGHEST, math.inf, where(x < _LOWEST, 0.0, result))


def _power_of_two(k: Whole) -> Number:
    return ((k + 1023) << 52).as_bits()
