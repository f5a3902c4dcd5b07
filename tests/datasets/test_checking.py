"""Checking datasets: damage, forgery and age are found, and named."""

import contextlib
import json
import shutil
import zipfile

import numpy as np
import pytest

import agbench
from agbench.datasets import check, checking, collecting, description, load
from agbench.datasets.part import ContentHash, PlayedPart
from agbench.datasets.sample import Sample
from agbench.errors import ConfigError, DatasetError
from agbench.files import sha256

TASK = "wheat-nitrogen-v1"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with a dataset in each format."""
    root = tmp_path_factory.mktemp("made")
    for format in ("minari", "parquet", "npz"):
        agbench.collect(TASK, {"policy": "advisor", "epsilon": 0.3}, 4, root / format, format)
    return root


@pytest.fixture
def copied(made, tmp_path):
    """Return the same in a folder of the test's own."""
    return shutil.copytree(made, tmp_path / "copied")


def problems(folder, **options):
    return {one.what.split()[-1]: one.problem for one in check(folder, **options) if one.problem}


def forge(folder, **changed):
    """Change arrays of an npz dataset, and its hashes with them, as who knows the format can."""
    arrays = PlayedPart.load(folder / "transitions.npz").arrays()
    part = PlayedPart(**{**arrays, **changed})
    with zipfile.ZipFile(folder / "transitions.npz", "w") as archive:
        for name, array in part.arrays().items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array)
    told = json.loads((folder / "metadata.json").read_text())
    total = ContentHash()
    total.add(part)
    sample = Sample()
    sample.add(part)
    told |= {"content": total.hexdigest(), "returns": sample.returns()}
    told["files"]["transitions.npz"] = sha256(folder / "transitions.npz")
    write_sealed(folder / "metadata.json", told)
    return part


def write_sealed(path, told):
    """Write a description with its own SHA-256, as who knows the format can."""
    path.write_text(description.text(description.sealed(told)))


@pytest.mark.parametrize("format", ["minari", "parquet", "npz"])
def test_what_was_made_is_right_all_of_it(made, format):
    findings = check(made / format, None)
    assert [one.problem for one in findings] == [None] * 5
    assert findings[-1].what == "4 episodes simulated again"


def test_a_changed_byte_is_found(copied):
    path = copied / "parquet" / "transitions.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert "transitions.parquet has the SHA-256" in problems(copied / "parquet")["files"]


def test_forged_rewards_are_found_by_simulation(copied):
    part = load(copied / "npz").part
    forge(copied / "npz", rewards=part.rewards + np.where(np.arange(len(part.rewards)) == 40, 1e-9, 0.0))
    assert "step" in problems(copied / "npz")["again"]
    assert "the reward is" in problems(copied / "npz")["again"]


def test_forged_actions_costs_seeds_and_lengths_are_found(copied):
    part = load(copied / "npz").part
    last = part.final_observations.copy()
    last[2, 0] += np.float32(0.01)
    lengths = part.episode_lengths.copy()
    lengths[0] -= 1
    lengths[1] += 1
    for changed in (
        {"actions": np.where(part.actions == 2, 1, part.actions)},
        {"costs": part.costs + 1.0},
        {"seeds": part.seeds[::-1]},
        {"final_observations": last},
        {"terminations": np.zeros_like(part.terminations)},
        {"episode_lengths": lengths},
    ):
        forge(copied / "npz", **{**part.arrays(), **changed})
        assert "again" in problems(copied / "npz"), list(changed)


def test_a_dataset_of_other_physics_or_of_another_task_version_is_said_to_be_one(copied):
    path = copied / "npz" / "metadata.json"
    told = json.loads(path.read_text())
    write_sealed(path, told | {"simulator_hash": "0" * 64})
    assert problems(copied / "npz") == {"physics": "the code of the simulator changed since it was made."}
    write_sealed(path, told | {"task_hash": "0" * 64})
    assert "the definition of the task" in problems(copied / "npz")["physics"]


def test_a_dataset_that_its_recipe_no_longer_makes_is_found(copied):
    path = copied / "npz" / "metadata.json"
    told = json.loads(path.read_text()) | {"recipe": "wheat-nitrogen/medium-v1"}
    write_sealed(path, told)
    assert "the recipe wheat-nitrogen/medium-v1 has another" in problems(copied / "npz")["recipe"]
    write_sealed(path, told | {"recipe": "wheat-nitrogen/medum-v1"})
    assert "Did you mean 'wheat-nitrogen/medium-v1'" in problems(copied / "npz")["recipe"]


def test_what_is_no_dataset_or_of_another_version_is_refused(copied, tmp_path):
    with pytest.raises(DatasetError, match="is not a folder"):
        load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match=r"has no metadata\.json: it is no dataset, or not whole"):
        load(tmp_path / "empty")
    path = copied / "npz" / "metadata.json"
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told | {"version": 2}))
    with pytest.raises(DatasetError, match=r"has the version 2; this AgBench reads 1.*agbench dataset wheat"):
        load(copied / "npz")
    for key, value in (("format", "hdf4"), ("format", None), ("task", 5), ("files", None)):
        path.write_text(json.dumps(told | {key: value}))
        with pytest.raises(DatasetError, match=r"unknown format|is not the description"):
            load(copied / "npz")
    path.write_text(json.dumps(told)[:-200])
    with pytest.raises(DatasetError, match="cannot be read"):
        load(copied / "npz")
    path.write_text("[]")
    with pytest.raises(DatasetError, match="is not the description"):
        load(copied / "npz")
    with pytest.raises(DatasetError, match=r"metadata\.json is not a folder"):
        load(path)


def test_a_dataset_of_a_task_that_is_not_here_names_the_way_to_it(copied, monkeypatch):
    path = copied / "npz" / "metadata.json"
    write_sealed(path, json.loads(path.read_text()) | {"task": "my-wheat-v3"})
    for read in (load, check):
        with pytest.raises(DatasetError, match=r"task 'my-wheat-v3', which is in no .* in AGBENCH_PATH"):
            read(copied / "npz")


def test_what_was_simulated_again_is_counted(made):
    assert [one.what for one in check(made / "npz", 1)][-1] == "1 episode simulated again"
    assert [one.what for one in check(made / "npz", 2)][-1] == "2 episodes simulated again"


@pytest.mark.parametrize(
    ("format", "file"),
    [
        ("minari", "data/main_data.hdf5"),
        ("minari", "episodes.parquet"),
        ("parquet", "transitions.parquet"),
        ("npz", "transitions.npz"),
    ],
)
@pytest.mark.parametrize("damage", ["missing", "cut", "empty"])
def test_an_interrupted_file_is_an_error_that_names_the_remedy(copied, format, file, damage):
    path = copied / format / file
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"")
    with pytest.raises(DatasetError, match=str(copied / format)):
        load(copied / format)
    assert "files" in problems(copied / format)


@pytest.mark.parametrize("change", ["one less", "one more"])
def test_a_file_of_minari_with_other_episodes_than_its_table_is_refused(copied, change):
    h5py = pytest.importorskip("h5py")
    from agbench.datasets import minari_format

    with h5py.File(copied / "minari/data/main_data.hdf5", "r+") as file:
        if change == "one less":
            del file["episode_3"]
        else:
            file.copy("episode_3", "episode_4")
    with pytest.raises(DatasetError, match=r"main_data\.hdf5: has not 4 episodes"):
        minari_format.read(copied / "minari")


def test_fewer_episodes_are_simulated_again_evenly_spread(made, monkeypatch):
    chosen = []
    once = checking._replay
    monkeypatch.setattr(checking, "_replay", lambda c, p, e, s: chosen.extend(e) or once(c, p, e, s))
    assert problems(made / "npz", episodes=2) == {}
    assert chosen == [0, 2]


@pytest.mark.parametrize("format", ["minari", "parquet", "npz"])
def test_no_file_of_a_dataset_can_change_or_go_unseen_nor_another_come(copied, format):
    folder = copied / format
    for name in description.files_in(folder):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content.replace(b"advisor", b"adviser") + b" ")
        if name != "metadata.json" or b"adviser" in (folder / name).read_bytes():
            assert name in problems(folder)["files"], name
        (folder / name).unlink()
        if name != "metadata.json":
            assert problems(folder) == {"files": f"{name} is missing."}
        (folder / name).write_bytes(content)
    (folder / ".DS_Store").write_text("of a file manager")
    assert problems(folder) == {}
    (folder / "notes.txt").write_text("mine")
    assert problems(folder) == {"files": "notes.txt in its folder: not part of the dataset."}


@pytest.mark.parametrize("format", ["minari", "parquet", "npz"])
def test_a_damaged_array_is_not_loaded(copied, format):
    name = {"minari": "data/main_data.hdf5", "parquet": "transitions.parquet", "npz": "transitions.npz"}[
        format
    ]
    content = bytearray((copied / format / name).read_bytes())
    for place in range(len(content) // 3, len(content) // 2, 97):  # a reader of Parquet notices few of them
        content[place] ^= 1
        (copied / format / name).write_bytes(content)
        with pytest.raises(DatasetError, match=rf"{name} has the SHA-256.*Make it again: agbench dataset"):
            load(copied / format)
        content[place] ^= 1
    (copied / format / "README.md").unlink()
    (copied / format / name).write_bytes(content)
    assert len(load(copied / format)) > 0


def test_returns_that_the_episodes_do_not_have_are_found(copied):
    path = copied / "npz" / "metadata.json"
    told = json.loads(path.read_text())
    write_sealed(path, told | {"returns": told["returns"] | {"mean": 100.0}})
    assert "says {'mean': 100.0" in problems(copied / "npz")["content"]


def test_a_description_that_lacks_something_is_refused_with_what(copied):
    path = copied / "npz" / "metadata.json"
    told = json.loads(path.read_text())
    for key in told.keys() - {"format", "task", "version", "content"}:
        write_sealed(path, {name: value for name, value in told.items() if name not in (key, "sha256")})
        with contextlib.suppress(DatasetError):
            check(copied / "npz", 1)
            load(copied / "npz").to_pandas()
            continue
        for use in (check, load):
            with pytest.raises(DatasetError, match=f"it lacks {key}"):
                use(copied / "npz")


def test_a_dataset_of_a_task_that_observes_something_else_now_is_told_so(copied):
    path = copied / "npz" / "metadata.json"
    told = json.loads(path.read_text())
    write_sealed(path, told | {"overrides": {"observation.state": ["DVS"]}})
    assert "observations now; the dataset has 12" in problems(copied / "npz")["again"]
    with pytest.raises(DatasetError, match=r"observations now and the dataset 12: they cannot be scaled"):
        load(copied / "npz", scaled=True)
    assert load(copied / "npz").observations.shape[1] == 12


@pytest.mark.slow
def test_a_recipe_whose_policy_has_other_settings_now_makes_another_dataset(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = collecting.make(collecting.plan_of_recipe("wheat-nitrogen/medium-v1"), tmp_path / "data", "npz")
    assert problems(made, episodes=1) == {}
    told = json.loads((made / "metadata.json").read_text())
    old = [{key: value for key, value in one.items() if key != "sha256"} for one in told["behaviour"]]
    write_sealed(made / "metadata.json", told | {"behaviour": old})  # as datasets were before
    assert problems(made, episodes=1) == {}
    other = [one | {"sha256": "0" * 64} for one in told["behaviour"]]
    write_sealed(made / "metadata.json", told | {"behaviour": other})
    assert "has another behaviour now" in problems(made, episodes=1)["recipe"]


@pytest.mark.parametrize("place", [None, 5, ["runs"]])
def test_what_is_no_path_is_no_folder(place):
    for use in (load, check, lambda out: agbench.collect(TASK, "zero", 2, out, "npz")):
        with pytest.raises(ConfigError, match="must be the path of a folder"):
            use(place)
