import errno
import io
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path

import answers
import pytest

from agbench.data.site import Download, Place
from agbench.errors import WeatherError
from agbench.files import alone
from agbench.weather.readers import fetched

DOWNLOAD = Download(reader="nasa-power", first=2001, last=2001)
PLACE = Place(latitude=52.0, longitude=5.0, elevation=3.5)


class Answer(io.BytesIO):
    """What `urlopen` returns, with the length that the service announces."""

    def __init__(self, content, announced=None):
        super().__init__(content)
        self.headers = Message()
        self.headers["Content-Length"] = str(len(content) if announced is None else announced)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("AGBENCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(fetched, "_PAUSE", 0.0)
    return tmp_path / "weather"


@pytest.fixture
def service(monkeypatch):
    """A service that gives these answers in turn; errors are raised."""

    def serve(*replies):
        waiting = list(replies)

        def reply(address, timeout):
            result = waiting.pop(0)
            if isinstance(result, Exception):
                raise result
            return result

        monkeypatch.setattr(urllib.request, "urlopen", reply)

    return serve


def fetch():
    return fetched.fetch("here", DOWNLOAD, PLACE)


def load():
    return fetched.load_fetched("here", DOWNLOAD, PLACE)


def good():
    return Answer(answers.power_json().encode())


def test_what_was_not_fetched_names_the_command():
    with pytest.raises(WeatherError, match=r"fetch it once with: agbench weather fetch here$"):
        load()


def test_a_series_is_fetched_once(service):
    service(good())
    assert fetch() == fetch()
    series = load()
    assert series.name == "here"
    assert len(series.values) == 3
    assert len(series.provenance["file sha256"]) == 64


@pytest.mark.parametrize("at", [1, 2])
def test_a_fetch_that_is_cut_off_is_made_again(service, cache, monkeypatch, at):
    """`at`: before which of the two files, the checksum and the series, gets its name."""
    service(good(), good())
    moved, usual = [], Path.replace

    def replace(temporary, path):
        moved.append(path)
        if len(moved) == at:
            raise OSError(errno.ENOSPC, "No space left on device")
        return usual(temporary, path)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace)
        with pytest.raises(OSError, match="No space left"):
            fetch()
    assert fetch().parent == cache
    assert len(load().values) == 3


def test_a_series_that_another_process_fetches_is_refused(service):
    service(good(), good())
    path = fetched.cached_path(DOWNLOAD, PLACE)
    with alone(path, RuntimeError), pytest.raises(WeatherError, match="another process is writing it"):
        fetch()
    fetch()


def test_a_failing_connection_is_tried_again(service):
    service(urllib.error.URLError("no route"), Answer(b"{", announced=10), good())
    fetch()
    assert len(load().values) == 3


def test_being_offline_is_an_error_and_leaves_nothing(service, cache):
    service(*[urllib.error.URLError("no route")] * fetched.ATTEMPTS)
    with pytest.raises(WeatherError, match=r"did not answer in 4 attempts \(no route\).*online\?"):
        fetch()
    assert not cache.exists()


def test_a_refusal_is_not_tried_again(service):
    service(urllib.error.HTTPError("address", 422, "Unprocessable", Message(), None))
    with pytest.raises(WeatherError, match=r"refused .*: 422 Unprocessable"):
        fetch()


def test_a_malformed_answer_leaves_nothing(service, cache):
    service(Answer(b"<html>maintenance</html>"))
    with pytest.raises(WeatherError, match="not an answer of the daily point service of NASA POWER"):
        fetch()
    assert list(cache.iterdir()) == []


def test_a_damaged_file_is_refused(service):
    service(good())
    path = fetch()
    path.write_text(answers.power_json(WS2M=(1.0, 1.0, 1.0)))
    with pytest.raises(WeatherError, match="is damaged: its SHA-256"):
        load()


def test_progress_is_reported(service):
    service(good())
    progress = []
    fetched.fetch("here", DOWNLOAD, PLACE, lambda size, total: progress.append((size, total)))
    assert progress[-1][0] == progress[-1][1]
