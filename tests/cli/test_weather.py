import json

import pytest
from typer.testing import CliRunner

from agbench import data
from agbench.cli.app import app
from agbench.errors import AgBenchError

runner = CliRunner()


def run(*arguments):
    found = runner.invoke(app, ["weather", *arguments])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


def test_list_tells_what_weather_each_site_has():
    sites = {site["site"]: site for site in json.loads(run("list", "--json").stdout)}
    assert sites["wageningen"]["measured"] == "at hand"
    assert sites["wageningen"]["generated"]
    assert sites["south-dakota"]["measured"].startswith("nasa-power 1984-2024")
    assert len([site for site in sites.values() if site["generated"]]) >= 17
    assert "99.00 W" in run("list").stdout


def test_show_gives_the_months_of_a_generated_season():
    text = run("show", "kiel", "--season", "17").stdout
    assert "kiel/generated/17" in text
    assert "Dec" in text


def test_check_counts_what_passes():
    found = run("check", "wageningen", "--json", "--seasons", "300")
    findings = json.loads(found.stdout)
    assert len(findings) == 177
    assert found.exit_code == (0 if all(f["passed"] for f in findings) else 1)


def test_plot_writes_a_picture(tmp_path):
    picture = tmp_path / "here.png"
    assert "here.png" in run("plot", "wageningen", "--picture", str(picture)).stdout.replace("\n", "")
    assert picture.stat().st_size > 50_000


def test_yields_agree_at_wageningen():
    found = run("yields", "wageningen")
    assert found.exit_code == 0
    assert "allowed 5%" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch", "wageningen"], "has nothing to fetch"),
        (["check", "south-dakota"], "fetch it once with: agbench weather fetch south-dakota"),
        (["plot", "wagenigen"], "Did you mean 'wageningen'"),
        (["check", "wageningen", "--repair", "magic"], "unknown repair 'magic'"),
        (["yields", "wageningen", "--crop", "rye"], "crop 'rye' must be one of wheat, maize"),
    ],
)
def test_a_slip_ends_in_one_sentence(arguments, message, tmp_path, monkeypatch):
    monkeypatch.setenv("AGBENCH_CACHE_DIR", str(tmp_path))
    with pytest.raises(AgBenchError, match=message):
        run(*arguments)


def test_fit_writes_the_climate_of_a_site_file(tmp_path, monkeypatch):
    shipped = data.find("site", "wageningen").read_text()
    folder = tmp_path / "sites"
    folder.mkdir()
    path = folder / "meadow.yaml"
    path.write_text(shipped[: shipped.index("climate:")].replace("site: wageningen", "site: meadow"))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    run("fit", "meadow")
    assert data.site("meadow").climate.occurrence.dry_dry[0] == pytest.approx(0.29, abs=0.05)
    assert path.read_text().startswith("site: meadow\nsummary: Wageningen")
