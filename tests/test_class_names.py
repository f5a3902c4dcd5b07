"""A class's name says which it is: no two classes of the package share one."""

import ast
from collections import Counter
from pathlib import Path

import agbench


def test_no_two_classes_have_the_same_name():
    files = Path(agbench.__file__).parent.rglob("*.py")
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    count = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert count["FieldTask"] == 1
    assert [name for name, times in count.items() if times > 1] == []
