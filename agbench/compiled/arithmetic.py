"""Arithmetic of all kernels: the options passed to Numba."""

from typing import Any, Final

IEEE: Final[dict[str, Any]] = {"error_model": "numpy", "fastmath": False}
"""Division by zero gives infinity or NaN; nothing is reordered, contracted or left out."""
