"""`agbench doctor`: a sound installation passes, each kind of damage is named, and how to mend it."""

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agbench.cli.app import app
from agbench.compiled import cache_file, code_cache
from agbench.errors import AgBenchWarning
from agbench.testing import doctor, probes

ROOT = Path(__file__).parents[2]


@pytest.fixture
def caches(tmp_path, monkeypatch):
    """A folder of machine code of this test's own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = tmp_path / "agbench"
    folder.mkdir()
    return folder


def findings(**expected):
    return [f for f in doctor.findings() if all(getattr(f, key) == value for key, value in expected.items())]


def run(*arguments):
    return CliRunner().invoke(app, ["doctor", *arguments])


def test_every_probe_leaves_the_fingerprint_that_is_shipped():
    seen = list(doctor.self_test())
    assert [finding.name for finding in seen] == probes.names()
    assert [finding for finding in seen if not finding.good] == []


def test_this_installation_is_sound():
    done = run("--no-test", "--json")
    report = json.loads(done.stdout)
    assert report["sound"], [f for f in report["findings"] if f["good"] is False]
    assert done.exit_code == 0
    assert {f["section"] for f in report["findings"]} == {"versions", "compiled code", "extras", "data"}


def test_other_numbers_are_wrong_and_end_with_exit_code_1(monkeypatch):
    monkeypatch.setattr(probes, "shipped", lambda: {"weather change": "0" * 64})
    done = run()
    assert done.exit_code == 1
    assert "weather change" in done.stdout
    assert "differs" in done.stdout
    assert "computes something else" in done.stdout


def test_a_process_that_dies_is_a_finding(monkeypatch):
    monkeypatch.setattr(probes, "shipped", lambda: {"no such probe": "0" * 64})
    (finding,) = doctor.self_test()
    assert finding.good is False
    assert finding.name == "no such probe"
    assert "KeyError" in finding.value


def test_a_version_beside_the_declared_range_is_wrong(monkeypatch):
    real = doctor.metadata.version
    monkeypatch.setattr(doctor.metadata, "version", lambda name: "0.1" if name == "pandas" else real(name))
    (finding,) = findings(section="versions", good=False)
    assert finding.name == "pandas"
    assert finding.remedy.startswith('pip install "pandas')
    assert ">=2.2" in finding.remedy


def test_a_missing_extra_comes_with_the_command(monkeypatch):
    real = doctor.metadata.version

    def version(name):
        if name == "onnxruntime":
            raise doctor.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(doctor.metadata, "version", version)
    (finding,) = findings(section="extras", name="onnx")
    assert finding.value == "without onnxruntime"
    assert finding.remedy == 'pip install "agbench[onnx]"'


def test_a_numba_that_was_not_proved_is_wrong(monkeypatch):
    monkeypatch.setattr(doctor.numba, "__version__", "9.9.0")
    (finding,) = findings(section="compiled code", name="kept on disk")
    assert finding.good is False
    assert "pip install" in finding.remedy


def test_useless_machine_code_is_reported_and_removed(caches):
    (caches / "agbench.gone.begin-0123.kernel").write_bytes(b"half a fi")
    (finding,) = findings(section="compiled code", name="damaged")
    assert finding.value.startswith("1 file,")
    assert "removed 1 file of" in run("--clean", "--no-test").stdout
    assert code_cache.kept() == []


def test_a_folder_of_data_that_is_not_there_is_wrong(monkeypatch):
    monkeypatch.setenv("AGBENCH_PATH", "nowhere-at-all")
    with pytest.warns(AgBenchWarning):
        (finding,) = findings(section="data", good=False)
    assert "nowhere-at-all is not a folder" in finding.value


@pytest.mark.parametrize(("content", "message"), [("{", "cannot be read"), ("{}", "has no fingerprints")])
def test_damaged_fingerprints_are_a_finding(tmp_path, monkeypatch, content, message):
    path = tmp_path / "probes.json"
    path.write_text(content)
    monkeypatch.setattr(probes, "FILE", path)
    (finding,) = doctor.self_test()
    assert message in finding.value
    assert finding.good is False


def test_missing_fingerprints_are_a_finding_in_json_too(tmp_path, monkeypatch):
    monkeypatch.setattr(probes, "FILE", tmp_path / "absent.json")
    done = run("--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["sound"] is False


def test_a_cache_that_cannot_be_written_is_wrong(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    (finding,) = findings(section="compiled code", good=False)
    assert "cannot be written" in finding.value
    assert "AGBENCH_CACHE_DIR" in finding.remedy


def test_folders_links_and_old_keys_among_machine_code_are_no_trouble(caches):
    (caches / "agbench.folder-1.kernel").mkdir()
    (caches / "agbench.link-1.kernel").symlink_to(caches / "nowhere")
    cache_file.write(caches / "agbench.old-1.kernel", "no JSON", b"")
    (finding,) = findings(section="compiled code", name="damaged")
    assert finding.value.startswith("2 files")
    assert doctor.clean() == 2


def test_machine_code_of_other_packages_is_left_alone(caches):
    key = {"entry": "mine.f", "code": "", **code_cache.machine(code_cache._processor())}
    cache_file.write(caches / "mine.f-1.kernel", json.dumps(key), b"")
    assert [file.state for file in code_cache.kept()] == ["another package's"]
    assert doctor.clean() == 0


def test_a_data_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "crops").mkdir()
    (tmp_path / "crops" / "weed.yaml").write_text("{{{")
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    (finding,) = findings(section="data", good=False)
    assert finding.name == "crop weed"


def test_a_file_that_is_not_as_installed_is_wrong(tmp_path, monkeypatch):
    class File(doctor.metadata.PackagePath):
        hash = doctor.metadata.FileHash("sha256=AAAA")

        def read_binary(self):
            return b"other"

    monkeypatch.setattr(doctor.metadata, "files", lambda name: [File("agbench/_data/crops/rice-1.yaml")])
    (finding,) = findings(section="data", good=False)
    assert "rice-1.yaml" in finding.value


def test_the_extra_all_is_every_other_one_that_users_need():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (one,) = extras["all"]
    named = set(one.removeprefix("agbench[").removesuffix("]").split(","))
    assert named == set(extras) - {"all", "test", "docs", "lint"}
