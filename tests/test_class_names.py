"""A class's name says which it is: no two classes of the package share one."""

import re
from collections import Counter
from pathlib import Path

import agbench

CLASS = re.compile(r"^ *class (\w+)[:(\[]", re.M)
"""A line that begins a class: to parse all files takes seconds."""


def test_no_two_classes_have_the_same_name():
    files = Path(agbench.__file__).parent.rglob("*.py")
    count = Counter(name for file in files for name in CLASS.findall(file.read_text("utf-8")))
    assert count["FieldTask"] == 1
    assert [name for name, times in count.items() if times > 1] == []
