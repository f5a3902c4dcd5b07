"""The confined process asks the kernel by numbers, those of its headers; its filter lets no more through."""

import errno
import hashlib
import re
import struct
from pathlib import Path

import pytest

from agbench.untrusted import seccomp

INCLUDE = Path("/usr/include")
GENERIC, X86 = INCLUDE / "asm-generic/unistd.h", INCLUDE / "x86_64-linux-gnu/asm/unistd_64.h"
PROCESSORS = {"x86_64": 0xC0000000 | 62, "aarch64": 0xC0000000 | 183}  # 64 bits, low byte first, of ELF
ALLOWED, REFUSED, KILLED = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000


def numbers(header):
    """Return the numbers of all calls that a header of the kernel defines."""
    if not header.is_file():
        pytest.skip(f"{header} is not here")
    return {name: int(n) for name, n in re.findall(r"define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())}


def test_the_calls_have_the_numbers_of_64_bit_arm():
    known = numbers(GENERIC)
    assert {name: pair[1] for name, pair in seccomp._CALLS.items()} == {n: known[n] for n in seccomp._CALLS}
    assert seccomp._ARCHITECTURES["aarch64"][1] == known["seccomp"]


def test_the_calls_have_the_numbers_of_x86_64():
    known = numbers(X86)
    assert {name: pair[0] for name, pair in seccomp._CALLS.items()} == {n: known[n] for n in seccomp._CALLS}
    assert seccomp._ARCHITECTURES["x86_64"][1] == known["seccomp"]
    own = (known[name] for name in ("poll", "select", "time", "arch_prctl"))
    assert tuple(own) == seccomp._ONLY_X86
    assert known["landlock_create_ruleset"] == seccomp._LANDLOCK_CREATE
    assert known["landlock_restrict_self"] == seccomp._LANDLOCK_RESTRICT


def test_the_numbers_are_those_that_were_held_against_headers():
    """For systems without headers."""
    said = repr((sorted(seccomp._CALLS.items()), seccomp._ONLY_X86))
    assert hashlib.sha256(said.encode()).hexdigest()[:16] == "f79b5ddf091a52ff"
    assert {name: number for name, (number, _) in seccomp._ARCHITECTURES.items()} == PROCESSORS


def answer(program, processor, call):
    """Return what the kernel's filter machine answers to a call: load, compare and jump, return."""
    lines = list(struct.iter_unpack("=HBBI", program))
    place, held = 0, None
    while True:
        code, equal, other, value = lines[place]
        if code == 0x06:
            return value
        if code == 0x20:
            held = {0: call, 4: processor}[value]
        else:
            assert code == 0x15
            place += equal if held == value else other
        place += 1


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_lets_listed_calls_through_refuses_others_and_kills_other_processors(machine):
    listed, processor = seccomp._allowed(machine), PROCESSORS[machine]
    program = seccomp._program(processor, listed)
    through = {call for call in range(500) if answer(program, processor, call) == ALLOWED}
    assert through == set(listed)
    assert {answer(program, processor, call) for call in set(range(500)) - through} == {REFUSED}
    assert {answer(program, 0x40000003, call) for call in listed} == {KILLED}  # of 32 bits
    assert len(listed) == len(seccomp._CALLS) + (4 if machine == "x86_64" else 0)


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (1, [2**13 - 1]),
        (2, [2**14 - 1]),
        (3, [2**15 - 1]),
        (4, [2**15 - 1, 0b11]),
        (5, [2**16 - 1, 0b11]),
        (6, [2**16 - 1, 0b11, 0b11]),
        (9, [2**16 - 1, 0b11, 0b11]),
    ],
)
def test_all_rights_that_a_kernel_knows_are_given_up(monkeypatch, version, words):
    asked = []

    def called(number, *arguments):
        asked.append((number, arguments))
        if number == 444:
            return version if arguments[0] is None else 99
        return 0

    monkeypatch.setattr(seccomp, "_called", called)
    monkeypatch.setattr(seccomp, "_no_new_rights", lambda: True)
    closed = []
    monkeypatch.setattr(seccomp.os, "close", closed.append)
    assert seccomp.without_files() is True
    assert asked[0] == (444, (None, 0, 1))
    number, (rules, size, flags) = asked[1]
    assert (number, size, flags) == (444, 8 * len(words), 0)
    assert list(struct.unpack(f"={len(words)}Q", rules.raw[: 8 * len(words)])) == words
    assert asked[2] == (446, (99, 0))
    assert closed == [99]


@pytest.mark.parametrize(
    ("answers", "rights"),
    [([0], True), ([-1], True), ([3], False), ([3, -1], True), ([3, 7, -1], True)],
    ids=["no version", "no landlock", "no_new_privs", "no rules", "not restricted"],
)
def test_a_kernel_that_refuses_is_said_to_have_refused(monkeypatch, answers, rights):
    left = iter(answers)
    monkeypatch.setattr(seccomp, "_called", lambda *arguments: next(left))
    monkeypatch.setattr(seccomp, "_no_new_rights", lambda: rights)
    monkeypatch.setattr(seccomp.os, "close", lambda handle: None)
    assert seccomp.without_files() is False
    assert next(left, None) is None


@pytest.mark.parametrize(("answers", "taken"), [([0], True), ([-1, 0], True), ([-1, -1], False)])
def test_an_older_kernel_is_asked_with_fewer_flags(monkeypatch, answers, taken):
    left, asked = iter(answers), []

    def called(*arguments):
        asked.append(arguments[:3])
        return next(left)

    monkeypatch.setattr(seccomp, "_called", called)
    monkeypatch.setattr(seccomp, "_no_new_rights", lambda: True)
    monkeypatch.setattr(seccomp.sys, "platform", "linux")
    monkeypatch.setattr(seccomp.os, "uname", lambda: type("Uname", (), {"machine": "aarch64"}))
    assert seccomp.without_calls() is taken
    assert asked == [(277, 1, 5), (277, 1, 1)][: len(answers)]


@pytest.mark.parametrize(
    ("platform", "machine", "rights"),
    [("darwin", "aarch64", True), ("linux", "riscv64", True), ("linux", "x86_64", False)],
)
def test_what_is_not_supported_is_not_asked_for(monkeypatch, platform, machine, rights):
    monkeypatch.setattr(seccomp, "_called", None)
    monkeypatch.setattr(seccomp, "_no_new_rights", lambda: rights)
    monkeypatch.setattr(seccomp.sys, "platform", platform)
    monkeypatch.setattr(seccomp.os, "uname", lambda: type("Uname", (), {"machine": machine}))
    assert seccomp.without_calls() is False
