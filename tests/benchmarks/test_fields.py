"""Timing field tasks in new processes."""

import pytest

from agbench.benchmarks.environments import first_calls
from agbench.errors import SimulationError


def test_a_failing_process_reports_the_reason():
    with pytest.raises(SimulationError, match=r"exit code 1: .*unknown task 'wheat-nitrogn-v1'"):
        first_calls("wheat-nitrogn-v1")
