"""Limits of untrusted files: what lies exactly on one is read, what lies one beyond it is refused."""

import io
import os
import struct
import zipfile
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agbench.untrusted import RefusedError, blocks, tables, text
from agbench.untrusted.arrays import Archive, ArrayLimits, read_npz
from agbench.untrusted.folder import is_name, read_file, read_folder
from agbench.untrusted.refusal import shown
from agbench.untrusted.text import read_yaml

LIMITS = ArrayLimits()


def archive(**members):
    """Return an npz of arrays, or of bytes that are written as they are."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, value in members.items():
            made.writestr(f"{name}.npy", value if isinstance(value, bytes) else npy(value))
    return file.getvalue()


def npy(value):
    file = io.BytesIO()
    np.save(file, value)
    return file.getvalue()


def padded(length):
    """Return a member whose header takes so many bytes."""
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }"
    head += b" " * (length - len(head) - 1) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(8)


def claiming(size):
    """Return an npz whose directory claims another unpacked size of its member."""
    content = bytearray(archive(a=np.zeros(3)))
    place = content.index(b"PK\x01\x02")
    content[place + 24 : place + 28] = struct.pack("<I", size)
    return bytes(content)


def refused(content, reason, limits=LIMITS, read=read_npz):
    with pytest.raises(RefusedError, match=reason) as caught:
        read(content, "a.npz", limits)
    assert caught.value.file == "a.npz"


def test_an_archive_has_a_thousand_members_at_most():
    value = npy(np.zeros(1))
    made = {f"a{i}": value for i in range(1000)}
    assert len(Archive(archive(**made), "a.npz", LIMITS).sizes) == 1000
    refused(archive(**made, b=value), "1,001 members; at most 1,000")


def test_an_array_has_two_million_values_at_most():
    assert read_npz(archive(a=np.zeros((2, 10**6), np.float32)), "a.npz", LIMITS)["a"].shape == (2, 10**6)
    refused(archive(a=np.zeros(2 * 10**6 + 1, np.float32)), "2,000,001 values; at most 2,000,000")


def test_an_archive_claims_64_mb_at_most():
    assert Archive(claiming(64_000_000), "a.npz", LIMITS).sizes == {"a": 64_000_000}
    refused(claiming(64_000_001), "claims 64,000,001 bytes once unpacked; at most 64,000,000", read=Archive)


def test_a_header_takes_a_thousand_bytes_at_most():
    assert read_npz(archive(a=padded(1000)), "a.npz", LIMITS)["a"].tolist() == [0.0]
    refused(archive(a=padded(1001)), "a header of 1,001 bytes")


def test_a_member_that_ends_within_its_header_is_no_array():
    assert read_npz(archive(a=npy(np.zeros(0))), "a.npz", LIMITS)["a"].size == 0
    for size in (0, 6, 9):
        refused(archive(a=npy(np.zeros(1))[:size]), "not an array of NumPy's format 1.0")
    refused(archive(a=b"\x93NUMPY\x02\x00" + npy(np.zeros(1))[8:]), "not an array of NumPy's format 1.0")


def test_texts_have_sixteen_letters_at_most_where_texts_may_be():
    texts = ArrayLimits(dtypes=("<f8", "<U"))
    assert read_npz(archive(a=np.array(["x" * 16])), "a.npz", texts)["a"].tolist() == ["x" * 16]
    refused(archive(a=np.array(["x" * 17])), "the dtype <U17; allowed: <f8, <U", texts)
    refused(archive(a=np.array(["x"])), "the dtype <U1; allowed: <i8, <f4, <f8")


@pytest.mark.parametrize("dtype", ["<i8", "<f4", "<f8"])
def test_numbers_are_read_as_they_were_in_either_order(dtype):
    value = np.arange(6).reshape(2, 3).astype(dtype)
    both = archive(rows=value, columns=np.asfortranarray(value))
    for array in read_npz(both, "a.npz", LIMITS).values():
        np.testing.assert_array_equal(array, value)
        assert array.dtype == value.dtype


def test_a_member_is_read_alone():
    content = archive(a=np.zeros(1), b=padded(1001))
    assert Archive(content, "a.npz", LIMITS).read("a").tolist() == [0.0]
    refused(content, "a header of 1,001 bytes")


@pytest.mark.parametrize("stored", [True, False])
def test_what_is_damaged_or_follows_the_data_is_refused(stored):
    save = np.savez if stored else np.savez_compressed
    file = io.BytesIO()
    save(file, a=np.arange(100.0))
    whole = file.getvalue()
    start = 30 + len("a.npy") + 20
    (packed,) = (member.compress_size for member in zipfile.ZipFile(io.BytesIO(whole)).infolist())
    for place in range(start + 130, start + packed, 37):
        changed = bytearray(whole)
        changed[place] ^= 1
        refused(bytes(changed), "damaged|not a valid npz file|shorter or longer")


def test_a_name_is_the_same_in_header_and_directory():
    whole = bytearray(archive(a=np.zeros(1)))
    whole[30] = ord("b")
    refused(bytes(whole), "a.npy: another name in its header than in the directory")


@pytest.mark.parametrize("flag", [0x1, 0x20, 0x40])
def test_encrypted_or_patched_members_are_refused(flag):
    whole = bytearray(archive(a=np.zeros(1)))
    whole[whole.rfind(b"PK\x01\x02") + 8] |= flag
    refused(bytes(whole), "encrypted, or patched")


def deflated(data, values):
    """Return an npz of one member by hand: the packed data, of these bytes unpacked."""
    sizes = struct.pack("<LLL", zlib.crc32(values), len(data), len(values))
    local = struct.pack("<4sHHHHH", b"PK\x03\x04", 20, 0, 8, 0, 33) + sizes + struct.pack("<HH", 5, 0)
    entry = struct.pack("<4sHHHHHH", b"PK\x01\x02", 20, 20, 0, 8, 0, 33) + sizes
    entry += struct.pack("<HHHHHLL", 5, 0, 0, 0, 0, 0, 0) + b"a.npy"
    body = local + b"a.npy" + data
    return body + entry + struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), len(body), 0)


def test_bytes_beside_the_deflated_data_are_refused():
    """The member claims them as its own, so that nothing lies between members."""
    values = npy(np.zeros(4))
    packing = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packing.compress(values) + packing.flush()
    assert read_npz(deflated(packed, values), "a.npz", LIMITS)["a"].tolist() == [0.0] * 4
    refused(deflated(packed + b"hidden", values), "damaged: its checksum is another, or bytes follow")
    empty = b"\x00\x00\x00\xff\xff"  # a block of nothing, whose other bits are free
    refused(deflated(empty * 1000 + packed, values), "5,... bytes for 160 unpacked: more than deflate takes")


def test_whatever_zlib_makes_of_noise_is_read():
    for size in (0, 1, 100, 100_000):
        noise = np.frombuffer(np.random.default_rng(size).bytes(8 * size), np.int64)
        for level in (0, 1, 9):
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as made:
                made.writestr("a.npy", npy(noise))
            np.testing.assert_array_equal(read_npz(file.getvalue(), "a.npz", LIMITS)["a"], noise)


@pytest.mark.parametrize("shape", [b"(1)", b"(01,)", b"(1,,)"])
def test_shapes_are_tuples_as_numpy_writes_them(shape):
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + b", }\n"
    member = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(8)
    refused(archive(a=member), "the header describes no plain array of numbers")


def test_a_shape_that_is_asked_for_is_the_only_one():
    limits = ArrayLimits(shapes={"a": (2, 3)})
    assert read_npz(archive(a=np.zeros((2, 3))), "a.npz", limits)["a"].shape == (2, 3)
    refused(archive(a=np.zeros((3, 2))), r"the shape \(3, 2\); expected \(2, 3\)", limits)


def test_the_bytes_of_a_member_are_those_of_its_shape():
    head = npy(np.zeros(3))
    refused(archive(a=head + b"\0"), r"the shape \(3,\) of float64 takes 24 bytes; the member has 25")
    refused(archive(a=head[:-1]), r"the shape \(3,\) of float64 takes 24 bytes; the member has 23")
    size = len(npy(np.zeros(4)))
    longer = bytearray(archive(a=npy(np.zeros(4))[:-8]))
    place = longer.index(b"PK\x01\x02")
    longer[place + 24 : place + 28] = struct.pack("<I", size)  # claims the fourth number, and has it not
    refused(bytes(longer), "shorter or longer than it claims|not a valid npz file")


@pytest.mark.parametrize(
    ("name", "good"),
    [("a", True), ("A_9", True), ("a" * 64, True), ("a" * 65, False), ("a-b", False), ("ä", False)],
)
def test_names_of_arrays_are_64_letters_at_most(name, good):
    if good:
        assert list(Archive(archive(**{name: np.zeros(1)}), "a.npz", LIMITS).sizes) == [name]
    else:
        refused(archive(**{name: np.zeros(1)}), "no name of an array")


@pytest.mark.parametrize(
    "name", ["a", "a.b", "a-", "9_", "x" * 64, "conan", "com", "com10", "lpt.txt", "auxiliary.yaml"]
)
def test_what_may_name_a_file(name):
    assert is_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".a",
        "-a",
        "_a",
        "a.",
        "a b",
        "x" * 65,
        "con",
        "PRN.txt",
        "aux.",
        "nul",
        "com1",
        "LPT9.yaml",
        "a\n",
        "é",
    ],
)
def test_what_may_not_name_a_file(name):
    assert not is_name(name)


def sparse(path, size):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.truncate(path, size)
    return path


def refused_folder(folder, reason):
    with pytest.raises(RefusedError, match=reason):
        read_folder(folder)


def test_a_file_has_two_million_bytes_at_most(tmp_path):
    sparse(tmp_path / "a", 2_000_000)
    assert len(read_folder(tmp_path)["a"]) == len(read_file(tmp_path, "a")) == 2_000_000
    sparse(tmp_path / "a", 2_000_001)
    refused_folder(tmp_path, "a: size: 2,000,001 bytes; at most 2,000,000")
    with pytest.raises(RefusedError, match="a: size: more than 2,000,000 bytes"):  # it grew meanwhile
        read_file(tmp_path, "a")


def test_a_folder_has_a_hundred_million_bytes_at_most(tmp_path):
    for i in range(50):
        sparse(tmp_path / f"a{i}", 2_000_000)
    assert sum(map(len, read_folder(tmp_path).values())) == 100_000_000
    sparse(tmp_path / "b", 1)
    refused_folder(tmp_path, "the files have 100,000,001 bytes in all; at most 100,000,000")


def test_a_folder_has_a_thousand_files_at_most(tmp_path):
    for i in range(1000):
        sparse(tmp_path / f"f{i % 3}" / f"a{i}", 0)
    assert len(read_folder(tmp_path)) == 1000
    sparse(tmp_path / "b", 0)
    refused_folder(tmp_path, "more than 1000 files")


def test_folders_lie_two_deep_at_most(tmp_path):
    sparse(tmp_path / "a/b/c", 3)
    assert read_folder(tmp_path) == {"a/b/c": bytes(3)}
    sparse(tmp_path / "a/b/d/e", 3)
    refused_folder(tmp_path, "a/b/d: folders lie at most 2 deep")


def test_files_come_by_their_names_in_order(tmp_path):
    for name in ("b", "a/z", "a.y"):
        sparse(tmp_path / name, 1)
    assert list(read_folder(tmp_path)) == ["a.y", "a/z", "b"]
    refused_folder(tmp_path / "none", "there is no such folder")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    refused_folder(tmp_path / "link", "the folder is a symbolic link")
    with pytest.raises(RefusedError, match="c: cannot be opened"):
        read_file(tmp_path, "c")


def test_what_became_no_file_after_it_was_listed_is_refused_when_it_is_opened(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(RefusedError, match=f"{name}: no plain file"):
            read_file(tmp_path, name)
    (tmp_path / "link").symlink_to(sparse(tmp_path / "a", 1))
    with pytest.raises(RefusedError, match="link: cannot be opened"):
        read_file(tmp_path, "link")


def framed(size, footer):
    """Return what begins and ends as parquet does, with the length of its footer."""
    return b"PAR1" + bytes(size - 12) + struct.pack("<I", footer) + b"PAR1"


def test_a_footer_takes_what_there_is_and_200_000_bytes_at_most():
    for size, footer in ((12, 0), (13, 1), (200_012, 200_000), (300_000, 200_000)):
        assert tables.check_frame(framed(size, footer)) is None
    for size, footer in ((12, 1), (100_012, 100_001), (300_000, 200_001)):
        with pytest.raises(RefusedError, match=f"footer: claims {footer:,} bytes; at most 200,000"):
            tables.check_frame(framed(size, footer))
    for content in (b"PAR1PAR1PAR", b"PAR2" + framed(20, 0)[4:], framed(20, 0)[:-1] + b"2", b""):
        with pytest.raises(RefusedError, match="PAR1 must be at both ends"):
            tables.check_frame(content)


def metadata(rows=11, groups=1, size=100, values=11, codec="SNAPPY"):
    """Return what a parquet footer says, each group with one column."""
    column = SimpleNamespace(
        total_uncompressed_size=size, num_values=values, compression=codec, path_in_schema="seed"
    )
    group = SimpleNamespace(num_columns=1, column=lambda j: column)
    return SimpleNamespace(num_rows=rows, num_row_groups=groups, row_group=lambda i: group)


@pytest.mark.parametrize(
    "good", [{}, {"groups": 16}, {"size": 20_000_000}, {"size": 0}, {"values": 0}, {"codec": "ZSTD"}]
)
def test_a_footer_within_the_limits_is_taken(good):
    assert tables._check_metadata(metadata(**good), 11) is None


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"rows": 10}, "rows: 10; the protocol has 11 episodes"),
        ({"rows": 12}, "rows: 12; the protocol has 11 episodes"),
        ({"groups": 17}, "row groups: 17; at most 16"),
        ({"size": 20_000_001}, "seed: claims 20,000,001 bytes"),
        ({"size": -1}, "seed: claims -1 bytes"),
        ({"values": 12}, "seed: more values than rows"),
        ({"values": -1}, "seed: more values than rows"),
        ({"codec": "LZO"}, "a codec that is not allowed"),
    ],
)
def test_a_footer_beyond_a_limit_is_refused(bad, reason):
    with pytest.raises(RefusedError, match=reason):
        tables._check_metadata(metadata(**bad), 11)


def asked(columns, rows, **said):
    """Return what is read of a table, by the names and types that are asked for."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    pq.write_table(pa.table(said), file)
    return tables.read_table({"rows": rows, "columns": columns}, file.getvalue())


def test_a_text_has_2000_characters_at_most():
    good = {"a": ["x" * 2000, "y"], "b": [1, 2], "c": [0.5, 1.5], "d": [True, False]}
    columns = {"a": "text", "b": "whole", "c": "real", "d": "flag"}
    assert asked(columns, 2, **good) == good
    with pytest.raises(RefusedError, match="a: a text of more than 2000 characters"):
        asked(columns, 2, **{**good, "a": ["y", "x" * 2001]})


@pytest.mark.parametrize(
    ("columns", "said", "reason"),
    [
        ({"a": "whole"}, {"a": [1, None]}, "a: an empty value"),
        ({"a": "whole"}, {"a": [1.0, 2.0]}, "a: of type double; expected int64"),
        ({"a": "flag"}, {"a": [1, 2]}, "a: of type int64; expected bool"),
        ({"a": "whole"}, {"a": [1, 2], "b": [1, 2]}, "columns: unknown 'b'; expected a"),
        ({"a": "whole", "b": "whole"}, {"a": [1, 2]}, "columns: missing 'b'; expected a, b"),
        ({"a": "whole", "b": "whole"}, {"b": [1, 2], "a": [1, 2]}, "columns: in disorder; expected a, b"),
    ],
)
def test_columns_are_those_that_are_asked_for(columns, said, reason):
    with pytest.raises(RefusedError, match=reason):
        asked(columns, 2, **said)


def yaml_refused(text, reason):
    content = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(RefusedError, match=reason):
        read_yaml(content, "a.yaml")


def test_lists_lie_eight_deep_at_most():
    assert read_yaml(b"[[[[[[[[1]]]]]]]]", "a.yaml") == [[[[[[[[1]]]]]]]]
    yaml_refused("[[[[[[[[[1]]]]]]]]]", "line 1: nested deeper than 8")
    assert len(read_yaml(b"a: {b: [1]}\nc: {d: [2]}\n" * 1, "a.yaml")) == 2
    side_by_side = "\n".join(f"k{i}: {{a: [1]}}" for i in range(20))
    assert len(read_yaml(side_by_side.encode(), "a.yaml")) == 20  # one after the other is not deeper


def test_a_text_has_5000_values_at_most():
    assert len(read_yaml(b"[" + b"1," * 4999 + b"]", "a.yaml")) == 4999
    yaml_refused("[" + "1," * 5000 + "]", "more than 5000 values")
    assert len(read_yaml(b"[" + b"[]," * 4999 + b"]", "a.yaml")) == 4999
    for nothing in ("[],", "{},"):
        yaml_refused("[" + nothing * 5000 + "]", "more than 5000 values")


def test_an_unquoted_value_has_400_characters_at_most():
    assert read_yaml(b"x" * 400, "a.yaml") == "x" * 400
    assert read_yaml(b"'" + b"x" * 401 + b"'", "a.yaml") == "x" * 401
    yaml_refused("a: 1\nb: " + "x" * 401, "line 2: an unquoted value of more than 400 characters")


PLAIN = ["a: 1", "b: x y", "c:\n  d: z\n  e: 1.5", "f:\n- g\n- h", "i: {}", "j: k\n  l", "m:", "n:\n  - o: p"]
ODD = [
    "...",
    "---",
    "a: 'q",
    "b: r'",
    's: "t',
    'u"',
    "'v': w",
    "[x",
    "y]",
    "z: |",
    "<<: {a: 1}",
    "# a",
    "",
    " ",
]
ODD += [
    "1: 2",
    "a : b",
    "é: ü",
    "=",
    "a: =",
    "b: 010",
    "b: 1:30",
    "c: no",
    "d: 2026-11-28",
    "e: &f 1",
    "true: 1",
]
ODD += [
    "a",
    "b: c: d",
    "  g: h",
    "- - i",
    "a:b",
    "\tc: d",
    "e: *f",
    "? g",
    "h: >",
    "i: ~",
    "j: [k,",
    '"l": m',
    "}",
]


def nested(depth):
    """Return lines of mappings within each other, a space further each; the last holds a word."""
    return "".join(f"{' ' * i}w{i}:\n" for i in range(depth)) + " " * depth + "w"


ODD += [nested(7), nested(8), f"w: {'x ' * 99}x\n  {'y' * 200}", f"w: {'x ' * 99}x\n  {'y' * 201}"]
ODD += [f"w: 1.{'0' * 399}", f"w: {'1' * 18}", f"w: {'1' * 20}", "- " + "- ".join("abc")]


@st.composite
def mostly_plain(draw):
    """Draw a text of plain lines with at most two that may be anything."""
    lines = draw(st.lists(st.sampled_from(PLAIN), unique=True, max_size=5))
    for odd in draw(st.lists(st.sampled_from(ODD + PLAIN), max_size=2)):
        lines.insert(draw(st.integers(0, len(lines))), odd)
    return "\n".join(lines) + draw(st.sampled_from(["\n", "\n", "\n", ""]))


def said(read):
    """Return what reading a text says: its data with the order of keys, or why it is refused."""
    try:
        return repr(read())
    except RefusedError as error:
        return error.field, error.reason


@settings(max_examples=300, deadline=None)
@given(mostly_plain())
def test_a_text_read_by_blocks_says_what_it_says_whole(content):
    whole = said(lambda: text._read(content, "a.yaml"))
    assert [said(lambda: read_yaml(content.encode(), "a.yaml")) for _ in range(2)] == [whole, whole]


@pytest.mark.parametrize(
    ("within", "beyond", "reason"),
    [
        (nested(8), nested(9), "nested deeper than 8"),
        (f"w: {'x' * 199}\n  {'y' * 200}", f"w: {'x' * 200}\n  {'y' * 200}", "more than 400 characters"),
        (
            "".join(f"a{i}:\n" for i in range(2499)),
            "".join(f"a{i}:\n" for i in range(2500)),
            "more than 5000 values",
        ),
    ],
)
def test_blocks_have_the_limits_of_a_whole_text(within, beyond, reason):
    for read in text._read, text._read_plain:
        assert read(f"{within}\n", "a.yaml")
        with pytest.raises(RefusedError, match=reason):
            read(f"{beyond}\n", "a.yaml")


def test_what_was_read_by_blocks_can_be_changed():
    content = b"task: w\nlist:\n- 1\nown:\n  a: b\n"
    assert blocks.blocks_of(content.decode()).keys() == {"task", "list", "own"}
    for _ in range(3):
        data = read_yaml(content, "a.yaml")
        assert data == {"task": "w", "list": [1], "own": {"a": "b"}}
        data["list"].append(2)
        data["own"]["c"] = "d"


def test_whole_numbers_have_64_bits():
    for number in (2**63 - 1, -(2**63) + 1, 0):
        assert read_yaml(str(number).encode(), "a.yaml") == number
    for number in (2**63, -(2**63) - 1):
        yaml_refused(f"a: [1, {number}]", "a.1: a whole number of more than 64 bits")
    yaml_refused("a: {b: .inf}", "a.b: inf is not a finite number")
    yaml_refused("a: .nan", "a: nan is not a finite number")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: 1\nb: &x 2", "line 2: anchors and aliases are not allowed"),
        ("a: !!str 1", "line 1: the tag 'tag:yaml.org,2002:str'; tags are not allowed"),
        ("%YAML 1.1\n---\na: 1", "directives are not allowed"),
        ("1: a", "the key 1 is not text"),
        ("a: {2: b}", "a: the key 2 is not text"),
        ("a: 1\na: 2", "a"),
        ("a: [", "not valid YAML"),
        (b"a: \xff", "not UTF-8 text: byte 3"),
        ("a: 1\nb: x\u200by", "line 2"),
        ('a: "x\\u200by"', "a.yaml: a: "),
    ],
)
def test_what_is_more_than_plain_yaml_is_refused_with_its_place(text, reason):
    yaml_refused(text, reason)


def test_what_was_refused_is_shown_in_one_short_line():
    error = RefusedError("a\nb", "", "x" * 401)
    assert str(error) == f"a?b: {'x' * 397}..."
    assert str(RefusedError("a", "f", "x" * 400)) == f"a: f: {'x' * 400}"
    assert shown("x" * 120) == "x" * 120
    assert shown("x" * 121) == "x" * 117 + "..."
