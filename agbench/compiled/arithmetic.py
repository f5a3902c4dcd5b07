"""How all kernels calculate: what Numba is told of arithmetic."""

from typing import Any, Final

IEEE: Final[dict[str, Any]] = {"error_model": "numpy", "fastmath": False}
"""Division by zero gives infinity or NaN; nothing is reordered, contracted or left out."""
