"""How to spoil a good submission: one small function a trick, each given the submission's folder."""

import io
import os
import struct
import zipfile

import numpy as np
import pandas as pd
import yaml

CARD = "submission.yaml"
FIRST = "test/seed-0"


def card(**changes):
    """Change keys of submission.yaml; a key with __ lies deeper; ... deletes it."""
    return record(CARD, **changes)


def record(file, **changes):
    def change(folder):
        content = yaml.safe_load((folder / file).read_text())
        for key, value in changes.items():
            *parents, last = key.split("__")
            target = content
            for parent in parents:
                target = target[parent]
            if value is ...:
                del target[last]
            else:
                target[last] = value
        (folder / file).write_text(yaml.safe_dump(content, sort_keys=False))

    return change


def text(file, content):
    def change(folder):
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())

    return change


def append(file, content):
    def change(folder):
        (folder / file).write_bytes((folder / file).read_bytes() + content.encode())

    return change


def cut(file, share=0.5):
    def change(folder):
        content = (folder / file).read_bytes()
        (folder / file).write_bytes(content[: int(share * len(content))])

    return change


def delete(file):
    return lambda folder: (folder / file).unlink()


def link(file, target):
    def change(folder):
        (folder / file).unlink(missing_ok=True)
        os.symlink(target, folder / file)

    return change


def fifo(file):
    return lambda folder: os.mkfifo(folder / file)


def table(change_table):
    def change(folder):
        path = folder / FIRST / "episodes.parquet"
        result = pd.read_parquet(path)
        done = change_table(result)
        (result if done is None else done).to_parquet(path, index=False)

    return change


def cell(column, row, value):
    def change(result):
        result.loc[row, column] = value

    return table(change)


def footer(length):
    def change(folder):
        path = folder / FIRST / "episodes.parquet"
        content = path.read_bytes()
        path.write_bytes(content[:-8] + struct.pack("<I", length) + b"PAR1")

    return change


def arrays(change_arrays, file=f"{FIRST}/actions.npz", **options):
    """Rewrite an npz; members may be arrays, or bytes that are written as they are."""

    def change(folder):
        with np.load(folder / file) as stored:
            result = {name: stored[name] for name in stored.files}
        done = change_arrays(result)
        write_npz(folder / file, result if done is None else done, **options)

    return change


def write_npz(path, members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, value in members.items():
            file = name if name.endswith((".npy", ".txt")) else f"{name}.npy"
            archive.writestr(file, value if isinstance(value, bytes) else npy(value))


def npy(value):
    buffer = io.BytesIO()
    np.save(buffer, value, allow_pickle=True)
    return buffer.getvalue()


def header(descr="<i8", shape="(30,)", order="False", body=b""):
    """Return the bytes of an npy file with any header at all."""
    message = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(message)) + message + body


def put(name, value, file=f"{FIRST}/actions.npz", **options):
    def change(result):
        result[name] = value

    return arrays(change, file, **options)


def take_out(name, file=f"{FIRST}/actions.npz"):
    return arrays(lambda result: {key: value for key, value in result.items() if key != name}, file)


text_member = arrays(
    lambda result: {
        ("a.txt" if k == "episode_00001" else k): (b"x" if k == "episode_00001" else v)
        for k, v in result.items()
    }
)


def swapped(result):
    result["episode_00000"], result["episode_00003"] = result["episode_00003"], result["episode_00000"]


def longer(folder):
    """Put an action after the end of the first episode, and count it."""
    arrays(lambda a: a.update(episode_00000=np.append(a["episode_00000"], a["episode_00000"][-1:])))(folder)
    cell("steps", 0, 31)(folder)


def claimed_size(size):
    """Make the archive's directory claim another unpacked size of its first member."""

    def change(folder):
        path = folder / FIRST / "actions.npz"
        content = bytearray(path.read_bytes())
        place = content.index(b"PK\x01\x02")
        content[place + 24 : place + 28] = struct.pack("<I", size)
        path.write_bytes(bytes(content))

    return change


def flags(value):
    def change(folder):
        path = folder / FIRST / "actions.npz"
        content = bytearray(path.read_bytes())
        place = content.index(b"PK\x01\x02")
        content[place + 8 : place + 10] = struct.pack("<H", value)
        path.write_bytes(bytes(content))

    return change


def bomb(folder):
    """A member of 60 MB of zeros that packs into 60 kB."""
    path = folder / FIRST / "actions.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("episode_00000.npy", "w", force_zip64=True) as member,
    ):
        member.write(header(shape="(7500000,)"))
        for _ in range(60):
            member.write(bytes(1_000_000))


def big(file):
    return lambda folder: (folder / file).write_bytes(os.urandom(2_000_001))


def many(folder):
    for i in range(1001):
        (folder / "test" / f"x{i}").write_bytes(b"")


def deep(folder):
    (folder / "test/a/b").mkdir(parents=True)
    (folder / "test/a/b/c.txt").write_text("x")


def named(name):
    return lambda folder: (folder / name).write_text("x")


def empty_folder(folder):
    (folder / "extra").mkdir()


def moved(name):
    """Move the submission to another agent's name without telling its card."""

    def change(folder):
        target = folder.parents[1] / name / folder.name
        target.parent.mkdir()
        folder.rename(target)
        return target

    return change


def steps(count):
    """Claim seasons of so many decisions, with actions to match."""

    def change(folder):
        table(lambda result: result.assign(steps=count))(folder)
        none = {f"episode_{i:05d}": np.zeros(count, np.int64) for i in range(11)}
        write_npz(folder / FIRST / "actions.npz", none)

    return change


def more_parts(members):
    """Add files of actions, each with members of invented names that unpack to 16 MB."""

    def change(folder):
        names = [f"actions-{part}.npz" for part in range(1, members)]
        for part, name in enumerate(names):
            write_npz(folder / FIRST / name, {f"zz_{part}": np.zeros(2_000_000, np.int64)})
        for file, prefix in ((f"{FIRST}/result.yaml", ""), (CARD, f"{FIRST}/")):
            content = yaml.safe_load((folder / file).read_text())
            content["files"] |= {f"{prefix}{name}": "0" * 64 for name in names}
            (folder / file).write_text(yaml.safe_dump(content, sort_keys=False))

    return change
