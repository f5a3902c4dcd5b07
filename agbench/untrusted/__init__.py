"""Readers of untrusted files: limits first, then bytes, then meaning; no code, no pickle.

Every refusal is a `RefusedError` that names file, field and reason.
"""

from agbench.untrusted.refusal import RefusedError

__all__ = ["RefusedError"]
