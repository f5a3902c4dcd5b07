"""Bad submissions: each refused for the right reason, none crashing, none changing a file."""

import pickle
import re
import sys
from pathlib import Path

import hostile as h
import numpy as np
import pytest
from good_submission import resign, snapshot
from hostile_texts import TEXTS

from agbench import leaderboard
from agbench.leaderboard.verify.reproducing import reproduce
from agbench.untrusted import RefusedError

RESULT, TABLE, ACTIONS = (f"{h.FIRST}/{n}" for n in ("result.yaml", "episodes.parquet", "actions.npz"))
POLICY = "policy/seed-0.npz"
NOTHING = "zzz: 1\n"
LONG = np.zeros(30, np.int64)


class Evil:
    def __reduce__(self):
        return (sys.exit, (13,))


# name: (how it is spoilt, whether the forger mends the hashes, the file refused, the reason)
BAD = {
    # the folder
    "symlink to a secret": (h.link("test/notes", "/etc/passwd"), False, "test/notes", "a symbolic link"),
    "symlink for a result": (h.link(TABLE, "/etc/passwd"), False, TABLE, "a symbolic link"),
    "symlink for the card": (h.link(h.CARD, "/dev/zero"), False, h.CARD, "a symbolic link"),
    "symlinked folder": (h.link("policy/more", "/etc"), False, "policy/more", "a symbolic link"),
    "named pipe": (h.fifo("test/pipe"), False, "test/pipe", "neither a file nor a folder"),
    "file too large": (h.big(TABLE), False, TABLE, "size: 2,000,001 bytes; at most 2,000,000"),
    "too many files": (h.many, False, "test", "more than 1000 files"),
    "too deep": (h.deep, False, "test/a/b", "at most 2 deep"),
    "hidden file": (h.named(".git"), False, ".git", "name: names are letters"),
    "name with a space": (h.named("a b"), False, "a b", "names are letters"),
    "HTML in a file name": (h.named("<img src=x>"), False, "<img", "names are letters"),
    "name with a newline": (h.named("a\nb"), False, "a?b", "names are letters"),
    "name of a device": (h.named("con.txt"), False, "con.txt", "names are letters"),
    "python file": (h.named("policy.py"), True, "policy.py", "does not belong"),
    "empty folder": (h.empty_folder, False, "extra", "an empty folder"),
    "unknown file in a result": (h.named(f"{h.FIRST}/x.npz"), True, "x.npz", "does not belong"),
    "another agent's place": (h.moved("someone-else"), True, h.CARD, "but the folder is 'someone-else'"),
    # the card as YAML
    "card missing": (h.delete(h.CARD), False, h.CARD, "missing"),
    "card empty": (h.text(h.CARD, ""), False, h.CARD, "expected keys and values"),
    "card not UTF-8": (h.text(h.CARD, b"\xff\xfe\x00"), False, h.CARD, "not UTF-8"),
    "card binary": (h.text(h.CARD, b"\x00\x01\x02"), False, h.CARD, "invisible character U\\+0000"),
    "python tag": (h.append(h.CARD, "x: !!python/object/apply:os.system ['id']\n"), False, h.CARD, "tag"),
    "harmless tag": (h.append(h.CARD, "x: !!binary aGk=\n"), False, h.CARD, "tags are not allowed"),
    "alias bomb": (h.text(h.CARD, "a: &a [1]\nb: [*a, *a]\n"), False, h.CARD, "anchors and aliases"),
    "deep nesting": (h.text(h.CARD, "a: " + "[" * 9000), False, h.CARD, "nested deeper than 8"),
    "endless list": (h.text(h.CARD, "a: [" + "1," * 20_000 + "]"), False, h.CARD, "more than 5000 values"),
    "card too large": (h.append(h.CARD, "#" + "x" * 100_001), False, h.CARD, "size: .* at most 100,000"),
    "number without end": (h.append(h.CARD, "n: " + "9" * 5000), False, h.CARD, "unquoted value of more"),
    "number of 65 bits": (h.card(training__steps=2**64), False, h.CARD, "more than 64 bits"),
    "month 99": (h.append(h.CARD, "d: 2001-99-99\n"), False, h.CARD, "2001-99-99 is no date"),
    "key that is a list": (h.append(h.CARD, "? [a]\n: 1\n"), False, h.CARD, "not plain YAML"),
    "key that is a number": (h.append(h.CARD, "1: 2\n"), False, h.CARD, "the key 1 is not text"),
    "key twice": (h.append(h.CARD, "agent: other\n"), False, h.CARD, "the key 'agent' appears twice"),
    "two documents": (h.append(h.CARD, "---\na: 1\n"), False, h.CARD, "not valid YAML"),
    "directive": (h.text(h.CARD, "%YAML 1.1\n---\na: 1\n"), False, h.CARD, "directives"),
    "text turned around": (
        h.card(notes="a\u202egnp.exe"),
        False,
        h.CARD,
        "notes: the invisible character U\\+202E",
    ),
    "NaN in the card": (h.card(hyperparameters={"lr": float("nan")}), False, h.CARD, "hyperparameters.lr"),
    # the card's content
    "unknown field": (h.append(h.CARD, NOTHING), False, h.CARD, "unknown key 'zzz'"),
    "score of one's own": (h.append(h.CARD, "score: 999.0\n"), False, h.CARD, "unknown key 'score'"),
    "field missing": (h.card(authors=...), False, h.CARD, "'authors' is missing"),
    "no author": (h.card(authors=[]), False, h.CARD, "authors"),
    "wrong type": (h.card(agent=7), False, h.CARD, "agent"),
    "HTML in the agent's name": (h.card(agent="<script>alert(1)</script>"), False, h.CARD, "is not a name"),
    "path in the agent's name": (h.card(agent="../../x"), False, h.CARD, "is not a name"),
    "letters that look alike": (h.card(agent="рро-small"), False, h.CARD, "is not a name"),  # Cyrillic
    "script as a link": (h.card(paper="javascript:alert(1)"), False, h.CARD, "is not an address"),
    "quote in a link": (h.card(code='https://e.org/"><b>'), False, h.CARD, "is not an address"),
    "notes too long": (h.card(notes="x " * 2500), False, h.CARD, "notes"),
    "unknown task": (h.card(task="board-wheat-v9"), False, h.CARD, "task: 'board-wheat-v9', but the folder"),
    "wrong task hash": (h.card(task_hash="0" * 64), False, h.CARD, "task_hash: not that of board-wheat"),
    "unknown method": (h.card(method="magic"), False, h.CARD, "method: 'magic' is not one of"),
    "oracle that says it sees nothing": (h.card(method="oracle"), False, h.CARD, "information"),
    "learned rule": (h.card(policy={"format": "rule", "name": "zero"}), False, h.CARD, "not learned"),
    "trained on test": (h.card(training__splits=["test"]), False, h.CARD, "training on test"),
    "trained on nothing known": (h.card(training__splits=["moon"]), False, h.CARD, "'moon' is none of"),
    "seed missing": (h.card(training__seeds=[0]), False, "policy/seed-1.npz", "does not belong"),
    "seed that has no result": (h.card(training__seeds=[0, 1, 2]), False, "policy/seed-2.npz", "missing"),
    "seed twice": (h.card(training__seeds=[0, 0]), False, h.CARD, "the training seed 0 appears twice"),
    "unknown policy format": (h.card(policy={"format": "pickle"}), False, h.CARD, "format: 'pickle'"),
    "code as a policy": (
        h.card(method="rule", policy={"format": "rule", "name": "os:system"}),
        False,
        h.CARD,
        "is not a name",
    ),
    "network said to be a rule": (h.card(method="rule"), False, h.CARD, "method: 'rule', but a network"),
    "trained rule": (
        h.card(method="rule", policy={"format": "rule", "name": "zero"}),
        False,
        h.CARD,
        "an agent of 1,000 steps is learned",
    ),
    "path outside": (h.card(files={"../../etc/passwd": "0" * 64}), False, h.CARD, "is not a path"),
    "absolute path": (h.card(files={"/etc/passwd": "0" * 64}), False, h.CARD, "is not a path"),
    "hash left out": (h.card(**{f"files__{TABLE}": ...}), False, h.CARD, "has no hash"),
    "hash of no file": (
        h.card(**{"files__test/seed-9/x": "0" * 64}),
        False,
        h.CARD,
        "is not one of the files",
    ),
    # integrity
    "file missing": (h.delete(ACTIONS), True, ACTIONS, "missing"),
    "file changed": (h.append(TABLE, "x"), False, TABLE, "SHA-256: not the one in submission.yaml"),
    # the record of a result
    "record with a python tag": (h.text(RESULT, "a: !!python/name:os.system\n"), False, RESULT, "SHA-256"),
    "record of another task": (h.record(RESULT, task="maize-v1"), True, RESULT, "task: 'maize-v1'"),
    "record with another hash": (h.record(RESULT, task_hash="1" * 64), True, RESULT, "task_hash"),
    "record of another split": (h.record(RESULT, split="train"), True, RESULT, "split: 'train'"),
    "record with overrides": (h.record(RESULT, overrides={"beta": 0.0}), True, RESULT, "overrides"),
    "cheaper nitrogen inside": (h.record(RESULT, content__reward__beta=0.0), True, RESULT, "content.reward"),
    "other physics inside": (h.record(RESULT, content__simulator__engine="pcse"), True, RESULT, "simulator"),
    "no task inside": (h.record(RESULT, content={}), True, RESULT, "content: "),
    "unknown field in a record": (h.record(RESULT, summary={"return": 1e9}), True, RESULT, "'summary'"),
    "more information than said": (h.record(RESULT, information="model"), True, RESULT, "information"),
    "failures hidden in the record": (h.record(RESULT, failed=3), True, RESULT, "3 failed; the table"),
    "fewer episodes in the record": (h.record(RESULT, episodes=5), True, RESULT, "episodes"),
    "another protocol seed": (h.record(RESULT, seed=9), True, RESULT, "seed: 9; expected 0"),
    "infinite wall time": (h.record(RESULT, wall_time_s=float("inf")), True, RESULT, "wall_time_s"),
    # the table
    "parquet cut": (h.cut(TABLE), True, TABLE, "not a complete parquet file"),
    "parquet that is text": (h.text(TABLE, "PAR1" * 5), True, TABLE, "footer"),
    "parquet that is empty": (h.text(TABLE, ""), True, TABLE, "not a complete parquet file"),
    "footer of 4 GB": (h.footer(2**32 - 1), True, TABLE, "footer: claims 4,294,967,295 bytes"),
    "footer that is garbage": (
        h.text(TABLE, b"PAR1" + b"\x7f" * 60 + b"\x20\0\0\0PAR1"),
        True,
        TABLE,
        "cannot be read",
    ),
    "row too few": (h.table(lambda t: t.iloc[:-1]), True, TABLE, "rows: 10; the protocol has 11"),
    "a million rows": (h.table(lambda t: t.loc[np.zeros(1_000_000, int)]), True, TABLE, "rows: 1,000,000"),
    "column too many": (h.table(lambda t: t.assign(score=1.0)), True, TABLE, "unknown 'score'"),
    "column too few": (h.table(lambda t: t.drop(columns="uptake")), True, TABLE, "missing 'uptake'"),
    "column of another type": (h.table(lambda t: t.astype({"yield": str})), True, TABLE, "yield: of type"),
    "swapped episodes": (h.table(lambda t: t.iloc[[1, 0, *range(2, 11)]]), True, TABLE, "scenario of row 0"),
    "best year eleven times": (h.cell("scenario", 3, "wageningen/1976"), True, TABLE, "scenario of row 3"),
    "another episode seed": (h.cell("seed", 2, 1), True, TABLE, "seed of row 2"),
    "NaN return": (h.cell("return", 4, np.nan), True, TABLE, "return"),
    "infinite metric": (h.cell("yield", 4, np.inf), True, TABLE, "yield of row 4: inf is not a finite"),
    "return beyond all numbers": (
        h.table(lambda t: t.assign(**{"return": 1e308})),
        True,
        TABLE,
        "return of row 0: 1e.308; no value may be greater",
    ),
    "return below all numbers": (
        h.table(lambda t: t.assign(**{"return": -1e308})),
        True,
        TABLE,
        "return of row 0: -1e.308",
    ),
    "return that no season gives": (h.cell("return", 7, 1e20), True, TABLE, "return of row 7: 1e.20"),
    "yield that no season gives": (h.cell("yield", 7, 1e308), True, TABLE, "yield of row 7: 1e.308"),
    "cost that no season gives": (h.cell("cost", 7, 1e10), True, TABLE, "cost of row 7: 1e.10"),
    "return below the worst": (
        h.cell("return", 7, -1401.0),
        True,
        TABLE,
        "return of row 7: -1401; no episode of this task ends below -1400",
    ),
    "season of no decision": (h.steps(0), True, TABLE, "steps of row 0: 0; an episode has 1 to 34"),
    "season of 200,000 decisions": (h.steps(200_000), True, TABLE, "steps of row 0: 200,000"),
    "failure without an error": (h.cell("failed", 5, True), True, TABLE, "error of row 5"),
    "failure that still earns": (
        h.table(lambda t: t.assign(failed=True, error="x")),
        True,
        TABLE,
        "must have -1400",
    ),
    "error of a megabyte": (
        h.table(lambda t: t.assign(error="x" * 1_000_000)),
        True,
        TABLE,
        "error: a text of more",
    ),
    "state that is no hash": (h.cell("final_state", 0, "none"), True, TABLE, "final_state of row 0"),
    # the actions
    "actions cut": (h.cut(ACTIONS), True, ACTIONS, "not a valid npz"),
    "actions that are text": (h.text(ACTIONS, "hello"), True, ACTIONS, "not a valid npz"),
    "zip bomb": (h.bomb, True, ACTIONS, "claims 60,000,... bytes once unpacked"),
    "claims 4 GB": (h.claimed_size(2**32 - 2), True, ACTIONS, "claims 4,294,9"),
    "claims less than there is": (h.claimed_size(200), True, ACTIONS, "takes 240 bytes|not a valid npz"),
    "shape of 10 GB": (
        h.put("episode_00000", h.header(shape="(999999999,)")),
        True,
        ACTIONS,
        "has 999,999,999 values",
    ),
    "shape of many factors": (
        h.put("episode_00000", h.header(shape="(99999, 99999)")),
        True,
        ACTIONS,
        "values; at most",
    ),
    "negative shape": (h.put("episode_00000", h.header(shape="(-1,)")), True, ACTIONS, "no plain array"),
    "code in a header": (
        h.put("episode_00000", h.header(shape="(__import__('os'),)")),
        True,
        ACTIONS,
        "no plain array",
    ),
    "endless header": (
        h.put("episode_00000", h.header(shape="(" + " " * 60_000 + ")")),
        True,
        ACTIONS,
        "a header of",
    ),
    "pickle in the npz": (
        h.put("episode_00000", np.array([Evil()])),
        True,
        ACTIONS,
        "objects \\(a pickle\\)",
    ),
    "pickle without a header": (h.put("episode_00000", pickle.dumps(Evil())), True, ACTIONS, "format 1.0"),
    "actions of another dtype": (h.put("episode_00000", LONG.astype("<f8")), True, ACTIONS, "the dtype <f8"),
    "big-endian actions": (h.put("episode_00000", LONG.astype(">i8")), True, ACTIONS, "no plain array"),
    "encrypted": (h.flags(1), True, ACTIONS, "encrypted"),
    "episode missing": (h.take_out("episode_00004"), True, ACTIONS, "missing"),
    "episode too many": (h.put("episode_00011", LONG), True, ACTIONS, "not one of|members"),
    "path in the npz": (h.put("../x.npy", LONG), True, ACTIONS, "members|no name of an array"),
    "episode renamed": (
        h.arrays(lambda a: a.update(evil=a.pop("episode_00004"))),
        True,
        ACTIONS,
        "evil: not one of the episodes",
    ),
    "parts of invented episodes": (h.more_parts(4), True, "actions-1.npz", "claims 16,000,"),
    "text file in the npz": (h.text_member, True, ACTIONS, "no name of an array"),
    "action outside the menu": (
        h.arrays(lambda a: a["episode_00000"].__setitem__(0, 3)),
        True,
        ACTIONS,
        "outside 0 to 2",
    ),
    "negative action": (
        h.arrays(lambda a: a["episode_00000"].__setitem__(0, -1)),
        True,
        ACTIONS,
        "outside 0 to 2",
    ),
    "action too few": (
        h.arrays(lambda a: a.update(episode_00000=a["episode_00000"][1:])),
        True,
        ACTIONS,
        "the shape \\(29,\\); expected \\(30,\\)",
    ),
    # the policy
    "policy with a pickle": (h.put("weight_0", np.array([Evil()]), POLICY), True, POLICY, "a pickle"),
    "policy of the wrong size": (
        h.put("weight_0", np.zeros((3, 8)), POLICY),
        True,
        POLICY,
        "expected floats of \\(12",
    ),
    "policy with NaN": (h.put("bias_0", np.full(8, np.nan), POLICY), True, POLICY, "not finite"),
    "unknown activation": (
        h.put("activations", np.array(["exec", "identity"]), POLICY),
        True,
        POLICY,
        "unknown 'exec'",
    ),
    "wrong head": (h.put("head", np.array("clip"), POLICY), True, POLICY, "does not fit"),
    "array too many in the policy": (
        h.put("backdoor", np.zeros(3), POLICY),
        True,
        POLICY,
        "not an array of a policy",
    ),
    "layer missing": (h.take_out("weight_1", POLICY), True, POLICY, "weight_1: missing"),
    "scale of zero": (h.put("observation_scale", np.zeros(12), POLICY), True, POLICY, "not above 0"),
    "wider than allowed": (h.put("weight_0", np.zeros((12, 1025)), POLICY), True, POLICY, "1025 outputs"),
}

BAD |= {name: (spoil, False, h.CARD, reason) for name, (spoil, reason) in TEXTS.items()}

# what only simulating again can tell
FORGED = {
    "forged return": (h.cell("return", 2, 500.0), "return of wageningen/1980: claims 500"),
    "return a little better": (h.table(lambda t: t.assign(**{"return": t["return"] + 0.01})), "return of"),
    "forged yield": (h.cell("yield", 0, 12.0), "yield of wageningen/1976: claims 12"),
    "less nitrogen than given": (h.cell("nitrogen", 0, 1.0), "nitrogen of wageningen/1976: claims 1,"),
    "edited action": (
        h.arrays(lambda a: a["episode_00000"].__setitem__(0, 1 - a["episode_00000"][0] // 2)),
        "claims",
    ),
    "swapped actions": (h.arrays(h.swapped), "claims|simulated again|wanted"),
    "action beyond the season's end": (h.longer, "claims 31, simulating its actions again gives 30"),
    "a bad year called failed": (
        h.table(lambda t: t.assign(failed=True, error="oops", **{"return": -1400.0})),
        "failed",
    ),
}


def refused(folder, child):
    """Return the refusal of a submission; its files must stay as they were."""
    before = snapshot(folder)
    with pytest.raises(RefusedError) as caught:
        leaderboard.replay(leaderboard.check(folder, child))
    assert snapshot(folder) == before
    return caught.value


@pytest.mark.parametrize("name", BAD)
def test_a_bad_submission_is_refused_with_file_and_reason(copy, child, name):
    spoil, mend, file, reason = BAD[name]
    moved = spoil(copy)
    folder = moved if isinstance(moved, Path) else copy
    if mend:
        resign(folder)
    result = refused(folder, child)
    assert file in result.file
    assert re.search(reason, str(result)), str(result)
    assert len(str(result)) < 800
    assert str(result).isprintable()


@pytest.mark.parametrize("name", FORGED)
def test_replay_detects_a_forgery(copy, child, name):
    spoil, reason = FORGED[name]
    spoil(copy)
    resign(copy)
    result = refused(copy, child)
    assert re.search(reason, str(result)), str(result)


ONNX_BAD = ("loop", "unknown operator", "memory that doubles", "weight of 10 GB", "weights elsewhere", "NaN")


@pytest.mark.parametrize("name", ONNX_BAD)
def test_an_onnx_that_loops_or_eats_memory_is_refused_in_its_submission(copy_onnx, child, name):
    files = pytest.importorskip("onnx_files")
    made, reason = files.BAD[name]
    (copy_onnx / "policy/seed-1.onnx").write_bytes(files.written(made))
    resign(copy_onnx)
    result = refused(copy_onnx, child)
    assert result.file == "policy/seed-1.onnx"
    assert re.search(reason, str(result)), str(result)


def test_an_onnx_that_takes_its_time_is_stopped_when_it_is_reproduced(copy_onnx, child, monkeypatch):
    files = pytest.importorskip("onnx_files")
    monkeypatch.setattr("agbench.policies.networks.onnx.SECONDS", 0.02)
    (copy_onnx / "policy/seed-0.onnx").write_bytes(files.written(lambda: files.labour(3, 1000)))
    resign(copy_onnx)
    submission = leaderboard.check(copy_onnx, child)
    before = snapshot(copy_onnx)
    with pytest.raises(RefusedError, match=r"policy/seed-0.onnx: it took longer than 0.02 s"):
        reproduce(submission)
    assert snapshot(copy_onnx) == before


def test_there_are_enough_of_them():
    assert len(BAD) + len(FORGED) >= 60
