"""pow: exp(y log |x|) with the logarithm and the product in two parts."""

import math

from agbench.compiled.elementary.exponential import exp_of_two
from agbench.compiled.elementary.logarithm import log_in_two, ordinary, tiny_log_in_two
from agbench.compiled.elementary.number import Number, usually, where


def pow(x: Number, y: Number) -> Number:
    """x to the power of y, within 1 unit in the last place, 2 beyond 1e-30 to 1e30; specials as in C."""
    usual = ordinary(x) & (y.absolute() < math.inf)
    return usually(usual, _raised(y, *log_in_two(x)), lambda: _special(x, y))


def _raised(y: Number, high: Number, low: Number) -> Number:
    """Return exp(y (high + low))."""
    product = y * high
    return exp_of_two(product, y.times_plus(low, y.times_plus(high, -product)))


def _special(x: Number, y: Number) -> Number:
    """Return the power of any x and y."""
    size = x.absolute()
    result = _raised(y, *tiny_log_in_two(size))
    result = where(size.equals(1.0), 1.0, result)
    halved = y * 0.5
    odd = halved.floor().differs(halved)
    broken = y.floor().differs(y)
    result = where(broken, result, where(odd, result.with_sign_of(x), result))
    undefined = (x < 0.0) & x.differs(-math.inf) & broken
    result = where(undefined, math.nan, result)
    result = where(y.undefined(), y, result)
    return where(x.equals(1.0) | y.equals(0.0), 1.0, result)
