"""Random damage to a good submission: refused or, where nothing was hurt, found good; never a crash."""

import hashlib
import json
import os
import re
import shutil
import time
from dataclasses import asdict

import numpy as np
import pytest
from good_submission import resign

from agbench import leaderboard
from agbench.leaderboard.page import entries
from agbench.leaderboard.page.building import render
from agbench.leaderboard.verify.reproducing import reproduce
from agbench.testing.fuzzing.damage import TRICKS
from agbench.untrusted import RefusedError

SECONDS = float(os.environ.get("AGBENCH_FUZZ_SECONDS", "3600"))


def rewire(content, generator):
    """Change one thing in an ONNX graph that stays well-formed as a file."""
    from onnx import ModelProto
    from onnx_files import helper

    from agbench.untrusted.onnx_graph import OPERATORS

    model = ModelProto.FromString(content)
    graph = model.graph
    node = graph.node[int(generator.integers(len(graph.node)))]
    tensor = graph.initializer[int(generator.integers(len(graph.initializer)))]
    names = [name for n in graph.node for name in (*n.input, *n.output)]
    some = names[int(generator.integers(len(names)))]
    size = int(generator.choice([-1, 0, 1, 2, 12, 10**5, 2**31, 2**62]))
    change = int(generator.integers(8))
    if change == 0:
        node.op_type = str(generator.choice(sorted(OPERATORS)))
    elif change == 1:
        node.input[int(generator.integers(len(node.input)))] = some
    elif change == 2:
        node.input.append(some)
    elif change == 3:
        node.output[0] = some
    elif change == 4:
        node.attribute.append(
            helper.make_attribute(str(generator.choice(["axis", "to", "alpha", "perm"])), size)
        )
    elif change == 5:
        tensor.dims[:] = [*tensor.dims[1:], size]
    elif change == 6:
        tensor.data_type = int(generator.integers(0, 24))
    else:
        value = (*graph.input, *graph.output)[int(generator.integers(2))]
        value.type.tensor_type.shape.dim[int(generator.integers(2))].dim_value = size
    return model.SerializeToString()


def damage(good, folder, generator):
    """Make a copy with one file damaged, its hashes mended more often than not; return what was done."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(good, folder)
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    file = files[int(generator.integers(len(files)))]
    trick = TRICKS[int(generator.integers(len(TRICKS)))]
    if file.suffix == ".onnx" and generator.random() < 0.7:
        trick = rewire
    file.write_bytes(trick(file.read_bytes(), generator))
    if file.name not in ("submission.yaml", "result.yaml") and generator.random() < 0.9:
        resign(folder)
    elif file.name == "result.yaml":
        mend_card(folder, file)
    return f"{trick.__name__} {file.relative_to(folder)}"


def mend_card(folder, file):
    """Give the card the hash of a record, without reading the record."""
    card = folder / "submission.yaml"
    name = re.escape(file.relative_to(folder).as_posix())
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    card.write_text(re.sub(rf"({name}: )\S+", rf"\g<1>{digest}", card.read_text()))


def show(submission, root):
    """Score a submission that was found good, as JSON too, and draw its pages."""
    entry = entries.entry(root, submission, 0)
    json.dumps(asdict(entry.row), allow_nan=False)
    (root / "site").mkdir(exist_ok=True)
    _, tasks, failed = render(root / "site", [entry], root, "..")
    assert (tasks, failed) == (1, [])


def judge(good, tmp_path, child, generator):
    """Damage, check, score, draw and replay once, and run a damaged policy; return whether it was refused.

    What the check accepts must have a row and pages, whatever it says.
    """
    folder = tmp_path / good.parents[1].name / good.parent.name / good.name
    done = damage(good, folder, generator)
    try:
        submission = leaderboard.check(folder, child)
        show(submission, tmp_path)
        leaderboard.replay(submission)
        if "policy/" in done:
            reproduce(submission)
    except RefusedError as error:
        named = bool(error.file and error.reason)
    else:
        return False
    assert named, done
    return True


def test_damaged_submissions_are_refused_and_never_crash_the_check(made, made_onnx, tmp_path, child):
    generator = np.random.default_rng(7)
    refused = sum(judge(made.folder, tmp_path, child, generator) for _ in range(24))
    refused += sum(judge(made_onnx, tmp_path, child, generator) for _ in range(12))
    assert refused > 0.6 * 36


@pytest.mark.slow
def test_an_hour_of_damage(made, made_onnx, tmp_path, child):
    """Say how long by AGBENCH_FUZZ_SECONDS, and the seed of a run to be repeated by AGBENCH_FUZZ_SEED."""
    seed = int(os.environ.get("AGBENCH_FUZZ_SEED", time.time_ns()))
    generator = np.random.default_rng(seed)
    end, count, refused = time.monotonic() + SECONDS, 0, 0
    while time.monotonic() < end:
        for good in (made.folder, made_onnx):
            refused += judge(good, tmp_path, child, generator)
            count += 1
        if count % 100 == 0:
            print(f"seed {seed}: {count} mutations, {refused} refused", flush=True)
    print(f"seed {seed}: {count} mutations, {refused} refused")
    assert refused > 0.6 * count
