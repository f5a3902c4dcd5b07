import pytest

from agbench.simulators.pcse_reference.library import load_pcse
from agbench.weather.readers.cabo import read_cabo
from agbench.weather.readers.sources import package_folder


@pytest.fixture(scope="session")
def pcse_test_data():
    return package_folder("pcse") / "tests" / "test_data"


@pytest.fixture(scope="session")
def wageningen(pcse_test_data):
    return read_cabo(pcse_test_data, "NL1", "neighbours")


@pytest.fixture(scope="session")
def spring_wheat(pcse_test_data):
    """Spring wheat with its soil and site, as PCSE ships them with its tests."""
    load_pcse()
    from pcse.input import PCSEFileReader

    merged = {}
    for kind in ("crop", "soil", "site"):
        merged.update(PCSEFileReader(str(pcse_test_data / f"lintul3_springwheat.{kind}")))
    return merged
