"""sin, cos and their inverses.

An angle loses a multiple of pi/2 that is known to 159 bits; odd or even polynomials of what remains,
|r| <= pi/4, have near-minimax (Chebyshev) coefficients, rounded.
"""

import math

from agbench.compiled.elementary.exponential import ROUND
from agbench.compiled.elementary.number import Number, Whole, where

FARTHEST = 2.0**30
"""Largest angle [rad] that sin and cos accept; beyond it they give NaN."""

_PER_QUARTER = float.fromhex("0x1.45f306dc9c883p-1")  # 2 / pi
_QUARTER = float.fromhex("0x1.921fb54442d18p+0")  # pi / 2, in three parts
_QUARTER_REST = float.fromhex("0x1.1a62633145c07p-54")
_QUARTER_LAST = float.fromhex("-0x1.f1976b7ed8fbcp-110")

_SIN = tuple(
    map(
        float.fromhex,
        (
            *("-0x1.5555555555555p-3", "0x1.1111111111110p-7", "-0x1.a01a01a019936p-13"),
            *("0x1.71de3a5460533p-19", "-0x1.ae64541251e39p-26", "0x1.61217eaffbfdbp-33"),
            "-0x1.ab179e14267cdp-41",
        ),
    )
)
"""(sin(r) - r) / r^3 in r^2 <= 0.617, with an error below 2^-60."""

_COS = tuple(
    map(
        float.fromhex,
        (
            *("0x1.5555555555555p-5", "-0x1.6c16c16c16966p-10", "0x1.a01a019f4e7d9p-16"),
            *("-0x1.27e4fa179895fp-22", "0x1.1eeb68a508535p-29", "-0x1.907d724680d4ep-37"),
        ),
    )
)
"""(cos(r) - 1 + r^2 / 2) / r^4 in r^2 <= 0.617, with an error below 2^-60."""

_ASIN = tuple(
    map(
        float.fromhex,
        (
            *("0x1.5555555555556p-3", "0x1.3333333332ec4p-4", "0x1.6db6db6e3292ep-5"),
            *("0x1.f1c71c1d4aa0dp-6", "0x1.6e8bb1d89492bp-6", "0x1.1c4d343fa57f6p-6"),
            *("0x1.c9cf3759fd8ffp-7", "0x1.78246f32d075cp-7", "0x1.524ea8b3aad31p-7"),
            *("0x1.653a8f8cfd43cp-8", "0x1.1d661531b222ep-6", "-0x1.e7a24f548c99fp-7"),
            "0x1.d78189767524ep-6",
        ),
    )
)
"""(asin(x) - x) / x^3 in x^2 <= 1/4, with an error below 2^-57."""

_ATAN = tuple(
    map(
        float.fromhex,
        (
            *("-0x1.5555555555555p-2", "0x1.9999999999953p-3", "-0x1.249249248d768p-3"),
            *("0x1.c71c71c2fe5d9p-4", "-0x1.745d165cb83aap-4", "0x1.3b1392b641b06p-4"),
            *("-0x1.110e858a72e28p-4", "0x1.e199da4156fd9p-5", "-0x1.ac78ec6b8cb98p-5"),
            *("0x1.74d64aa665b0ap-5", "-0x1.1b2058fb5da30p-5", "0x1.0aa87c56e3eb5p-6"),
        ),
    )
)
"""(atan(x) - x) / x^3 in x^2 <= 0.1717, with an error below 2^-60."""


def sin(x: Number) -> Number:
    """Sine of an angle [rad], within 0.9 units in the last place; NaN beyond `FARTHEST`."""
    r, low, quarters = _reduced(x)
    result = where((quarters & 1).equals(0), _sin(r, low), _cos(r, low))
    result = where((quarters & 2).equals(0), result, -result)
    result = where(x.absolute() < 2.0**-27, x, result)
    return where(x.absolute() <= FARTHEST, result, math.nan)


def cos(x: Number) -> Number:
    """Cosine of an angle [rad], within 0.9 units in the last place; NaN beyond `FARTHEST`."""
    r, low, quarters = _reduced(x)
    result = where((quarters & 1).equals(0), _cos(r, low), _sin(r, low))
    result = where(((quarters + 1) & 2).equals(0), result, -result)
    return where(x.absolute() <= FARTHEST, result, math.nan)


def asin(x: Number) -> Number:
    """Angle [rad] of a sine, within 1 unit in the last place; NaN beyond -1 and 1.

    Above 1/2 it is pi/2 - 2 asin(t) with t^2 = (1 - x) / 2.
    """
    size = x.absolute()
    near = size < 0.5
    z = where(near, size * size, (1.0 - size) * 0.5)
    t = where(near, size, z.square_root())
    bend = t * z * z.polynomial(*_ASIN)
    lost = (-t).times_plus(t, z) / (t + t + 1e-300)  # what the root lost by rounding
    twice = t + t
    first = _QUARTER - twice
    far = first + (((_QUARTER - first) - twice) + (_QUARTER_REST - (lost + lost + bend + bend)))
    result = where(near, t + bend, far)
    return where(size <= 1.0, result, math.nan).with_sign_of(x)


def atan(x: Number) -> Number:
    """Angle [rad] of a tangent, within 2.2 units in the last place."""
    size = x.absolute()
    far = size > 1.0
    turned = where(far, -1.0 / size, size)
    angle = where(far, turned.constant(_QUARTER), 0.0)
    rest = where(far, turned.constant(_QUARTER_REST), 0.0)
    # Between tan(pi/8) and 1, in size, an eighth of a turn goes first.
    steep = turned.absolute() > 0.414
    sign = turned.constant(1.0).with_sign_of(turned)
    eased = (turned - sign) / turned.times_plus(sign, 1.0)
    t = where(steep, eased, turned)
    angle = where(steep, angle + sign * (0.5 * _QUARTER), angle)
    rest = where(steep, rest + sign * (0.5 * _QUARTER_REST), rest)
    z = t * t
    result = angle + (t + (t * z).times_plus(z.polynomial(*_ATAN), rest))
    return where(size < 2.0**-27, x, result.with_sign_of(x))


def atan2(y: Number, x: Number) -> Number:
    """Angle [rad] of the point (x, y), finite and not both zero, within 2.5 units in the last place."""
    result = atan(y / x)
    half = y.constant(2.0 * _QUARTER).with_sign_of(y)
    return where(x < 0.0, result + half, where(x.equals(0.0), half * 0.5, result))


def _reduced(x: Number) -> tuple[Number, Number, Whole]:
    """Return what remains of an angle in two parts, and how many times pi/2 it lost."""
    shifted = x.times_plus(_PER_QUARTER, ROUND)
    n = shifted - ROUND
    first = n.times_plus(-_QUARTER, x)  # exact
    second = n * _QUARTER_REST
    second_low = n.times_plus(_QUARTER_REST, -second)
    r = first - second
    part = r - first
    lost = (first - (r - part)) - (second + part)
    return r, lost - n.times_plus(_QUARTER_LAST, second_low), shifted.bits()


def _sin(r: Number, low: Number) -> Number:
    z = r * r
    slope = z.times_plus(-0.5, 1.0)
    return r + (r * z).times_plus(z.polynomial(*_SIN), low * slope)


def _cos(r: Number, low: Number) -> Number:
    z = r * r
    half = z * 0.5
    first = 1.0 - half
    rest = (z * z).times_plus(z.polynomial(*_COS), -(r * low))
    return first + (((1.0 - first) - half) + rest)
