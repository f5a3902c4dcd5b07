"""The study of mutations changes what it says, and leaves out what no run depends on."""

from mutants import mutants

SOURCE = b'''"""A docstring with 1 number."""

from agbench.compiled import kernel

LIMITS: tuple[int, int] = (0, 2.0)
__all__ = ["a" + "b"]


@kernel
def rate(x: float) -> float:
    """Return 3."""
    return x * 2.0


def amount(x, last=True):
    if x >= 4 and not last:
        raise ValueError("more than " + str(5))
    x += 1
    return None if last else f"{x + 6}"
'''


def found(source=SOURCE):
    return [(m.function, m.kind, m.before, m.after) for m in mutants(source, "agbench/x.py")]


def test_every_kind_of_change_is_made_once_where_it_belongs():
    assert sorted(found()) == sorted(
        [
            ("", "number", "0", "1"),
            ("", "number", "2.0", "2.2"),
            ("rate", "return None", "return x * 2.0", "return None"),
            ("rate", "arithmetic", "x * 2.0", "(x / 2.0)"),
            ("rate", "number", "2.0", "2.2"),
            ("amount", "true/false", "True", "False"),
            ("amount", "negated", "x >= 4 and not last", "(not (x >= 4 and (not last)))"),
            ("amount", "and/or", "x >= 4 and not last", "(x >= 4 or not last)"),
            ("amount", "comparison", "x >= 4", "(x > 4)"),
            ("amount", "number", "4", "5"),
            ("amount", "raise removed", 'raise ValueError("more than " + str(5))', "pass"),
            ("amount", "arithmetic", "x += 1", "x -= 1"),
            ("amount", "number", "1", "2"),
            ("amount", "return None", 'return None if last else f"{x + 6}"', "return None"),
            ("amount", "negated", "last", "(not last)"),
        ]
    )


def test_numbers_that_change_nothing_are_left_alone():
    source = b"lru_cache(maxsize=3)(f)\nx.reshape(-1, 4).sum(-1, keepdims=5)\nprint(6)\n"
    assert [before for _, _, before, _ in found(source)] == ["4", "1", "5"]


def test_a_mutant_changes_its_place_alone_and_knows_whether_it_is_compiled():
    for mutant in mutants(SOURCE, "agbench/x.py"):
        changed = mutant.apply(SOURCE)
        assert changed != SOURCE
        compile(changed, "x.py", "exec")
        assert (
            SOURCE[: mutant.start] + SOURCE[mutant.end :]
            == changed[: mutant.start] + changed[mutant.start + len(mutant.after) :]
        )
        assert mutant.inside == (mutant.function == "rate")


def test_names_stay_where_lines_move_and_differ_from_one_another():
    names = [m.name for m in mutants(SOURCE, "agbench/x.py")]
    moved = [
        m.name
        for m in mutants(SOURCE.replace(b"\n\n\n@kernel", b"\n\n\nOTHER = None\n\n\n@kernel"), "agbench/x.py")
    ]
    assert names == moved
    assert len(set(names)) == len(names)
