"""log, rounded, and in two parts for pow.

x = 2^k m with m between sqrt(1/2) and sqrt(2); log(m) is twice the area tangent of s = f / (2 + f) with
f = m - 1, an odd power series in s, whose coefficients are near-minimax (Chebyshev), rounded.
"""

import math

from agbench.compiled.elementary.number import Number, Truth, bits_of, usually, where

_LN2_HIGH = float.fromhex("0x1.62e42fefa3800p-1")  # ln 2 to 42 bits: its multiples are exact
_LN2_LOW = float.fromhex("0x1.ef35793c76730p-45")  # ln 2 - _LN2_HIGH
_ROOT = bits_of(math.sqrt(0.5))
_COUNT = 2.0**52

_LOG = tuple(
    map(
        float.fromhex,
        (
            *("0x1.5555555555555p-1", "0x1.9999999999a38p-2", "0x1.2492492476ba1p-2"),
            *("0x1.c71c72017a15cp-3", "0x1.745cf8f6c9119p-3", "0x1.3b1c38474d3eep-3"),
            *("0x1.0fbe478772696p-3", "0x1.0c06cf14c641bp-3"),
        ),
    )
)
"""2/3 + 2/5 z + ... for 0 <= z <= 0.02945, with an error below 2^-58."""

_TAIL = tuple(
    map(
        float.fromhex,
        (
            *("0x1.999999999999ap-3", "0x1.2492492492522p-3", "0x1.c71c71c6ea871p-4"),
            *("0x1.745d177aad02ap-4", "0x1.3b1395c881220p-4", "0x1.1118c9ee5b8a4p-4"),
            *("0x1.df7c5bc7c7563p-5", "0x1.e032e4d8436a1p-5"),
        ),
    )
)
"""1/5 + 1/7 z + ... for 0 <= z <= 0.02945, with an error below 2^-59."""

_THIRD = float.fromhex("0x1.5555555555555p-2")
_THIRD_REST = float.fromhex("0x1.5555555555555p-56")


def log(x: Number) -> Number:
    """Natural logarithm, within 1 unit in the last place; NaN below zero."""
    return usually(ordinary(x), _rounded(*_reduced(x)), lambda: _special(x, _rounded(*_reduced_tiny(x))))


def ordinary(x: Number) -> Truth:
    """Return where x is positive, normal and finite."""
    return (x >= 2.0**-1022) & (x < math.inf)


def _special(x: Number, y: Number) -> Number:
    """Return the logarithm y of x where that is positive and finite, else what C says."""
    y = where(x < math.inf, y, x)
    y = where(x.equals(0.0), -math.inf, y)
    return where(x < 0.0, math.nan, y)


def _rounded(f: Number, k: Number) -> Number:
    """Return k ln 2 + log(1 + f)."""
    s = f / (f + 2.0)
    z = s * s
    half = f * f * 0.5
    series = z.times_plus(z.polynomial(*_LOG), half)
    small = k.times_plus(_LN2_LOW, s * series)
    return k.times_plus(_LN2_HIGH, f - (half - small))


def tiny_log_in_two(x: Number) -> tuple[Number, Number]:
    """Return the logarithm of any x >= 0, zero and subnormal ones too, in two parts."""
    high, low = _two(*_reduced_tiny(x))
    return _special(x, high), low


def log_in_two(x: Number) -> tuple[Number, Number]:
    """Return the logarithm of an `ordinary` x in two parts, with a relative error below 2^-64."""
    return _two(*_reduced(x))


def _two(f: Number, k: Number) -> tuple[Number, Number]:
    """Return k ln 2 + log(1 + f) in two parts."""
    sum_ = f + 2.0
    lost = f - (sum_ - 2.0)
    inverse = 1.0 / sum_
    s = f * inverse
    s_low = (s * -1.0).times_plus(lost, (-s).times_plus(sum_, f)) * inverse
    z = s * s
    z_low = (s + s).times_plus(s_low, s.times_plus(s, -z))
    t = z * _THIRD
    t_low = z.times_plus(_THIRD, -t) + z.times_plus(_THIRD_REST, z_low * _THIRD)
    t_low = (z * z).times_plus(z.polynomial(*_TAIL), t_low)
    s, s_low = s + s, s_low + s_low
    product = s * t
    product_low = s.times_plus(t_low, s_low.times_plus(t, s.times_plus(t, -product)))
    whole = k * _LN2_HIGH
    first = whole + s
    high = first + product
    low = (s - (first - whole)) + (product - (high - first))
    low = low + k.times_plus(_LN2_LOW, s_low + product_low)
    total = high + low
    return total, low - (total - high)


def _reduced_tiny(x: Number) -> tuple[Number, Number]:
    """As `_reduced`, also for subnormal numbers."""
    tiny = x < 2.0**-1022
    f, k = _reduced(where(tiny, x * 2.0**54, x))
    return f, where(tiny, k - 54.0, k)


def _reduced(x: Number) -> tuple[Number, Number]:
    """Return m - 1 and k of x = 2^k m; what it returns for other than `ordinary` x means nothing."""
    bits = x.bits()
    # Moving the bits by those of sqrt(1/2) makes the exponent round at sqrt(2).
    moved = (bits - (_ROOT - (1024 << 52))) >> 52  # k + 1024
    m = (bits - ((moved - 1024) << 52)).as_bits()
    return m - 1.0, (moved | bits_of(_COUNT)).as_bits() - (_COUNT + 1024.0)
