"""Tables of variables and parameters."""

import pytest

from agbench.variables import Variable, VariableTable


def test_names_that_are_declared_twice_are_named_once_each():
    with pytest.raises(ValueError, match=r"^declared twice: DVS, LAI\.$"):
        VariableTable([Variable(name, "-", "test") for name in ("LAI", "DVS", "LAI", "SM", "DVS", "LAI")])
    with pytest.raises(ValueError, match=r"^declared twice: LAI\.$"):
        VariableTable([Variable(name, "-", "test") for name in ("LAI", "DVS", "LAI")])
