"""Random damage to a good submission: refused or, where nothing was hurt, found good; never a crash."""

import hashlib
import os
import re
import shutil
import time

import numpy as np
import pytest
from good_submission import resign

from agbench import leaderboard
from agbench.untrusted import RefusedError

SECONDS = float(os.environ.get("AGBENCH_FUZZ_SECONDS", "3600"))


def flip(content, generator):
    """Change up to eight bytes."""
    changed = bytearray(content)
    for _ in range(int(generator.integers(1, 9))):
        changed[int(generator.integers(len(changed)))] = int(generator.integers(256))
    return bytes(changed)


def cut(content, generator):
    return content[: int(generator.integers(len(content)))]


def repeat(content, generator):
    a, b = sorted(int(i) for i in generator.integers(len(content), size=2))
    return content[:b] + content[a:b] + content[b:]


def extreme(content, generator):
    """Put a large or negative number where four bytes were."""
    place = int(generator.integers(max(1, len(content) - 4)))
    word = (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\0\0")[int(generator.integers(4))]
    return content[:place] + word + content[place + 4 :]


def swap_lines(content, generator):
    lines = content.split(b"\n")
    a, b = (int(i) for i in generator.integers(len(lines), size=2))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def insert(content, generator):
    """Put in a piece that parsers stumble over."""
    pieces = (
        b"!!x ",
        b"&a ",
        b"*a",
        b"[" * 50,
        b"{",
        b"\0",
        b"<<: ",
        b"? ",
        b"\xef\xbb\xbf",
        b"9" * 500,
        b"'",
    )
    place = int(generator.integers(len(content) + 1))
    return content[:place] + pieces[int(generator.integers(len(pieces)))] + content[place:]


TRICKS = (flip, cut, repeat, extreme, swap_lines, insert)


def damage(good, folder, generator):
    """Make a copy with one file damaged, its hashes mended more often than not; return what was done."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(good, folder)
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    file = files[int(generator.integers(len(files)))]
    trick = TRICKS[int(generator.integers(len(TRICKS)))]
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


def judge(good, tmp_path, child, generator):
    """Damage, check and replay once; return whether it was refused."""
    folder = tmp_path / good.parents[1].name / good.parent.name / good.name
    done = damage(good, folder, generator)
    try:
        leaderboard.replay(leaderboard.check(folder, child))
    except RefusedError as error:
        named = bool(error.file and error.reason)
    else:
        return False
    assert named, done
    return True


def test_damaged_submissions_are_refused_and_never_crash_the_check(made, tmp_path, child):
    generator = np.random.default_rng(7)
    refused = sum(judge(made.folder, tmp_path, child, generator) for _ in range(80))
    assert refused > 50


@pytest.mark.slow
def test_an_hour_of_damage(made, tmp_path, child):
    generator = np.random.default_rng()
    end, count, refused = time.monotonic() + SECONDS, 0, 0
    while time.monotonic() < end:
        refused += judge(made.folder, tmp_path, child, generator)
        count += 1
    print(f"{count} mutations, {refused} refused")
    assert refused > 0.6 * count
