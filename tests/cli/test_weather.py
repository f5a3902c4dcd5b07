import io
import json
from functools import partial

import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

import agbench
from agbench.cli.app import app
from agbench.data import catalog
from agbench.errors import AgBenchError, AgBenchWarning, UnknownNameError, WeatherError
from agbench.simulation import generated_yields
from agbench.weather.generator import calibrate, figure

runner = CliRunner()


def run(*arguments):
    result = runner.invoke(app, ["weather", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_list_shows_the_weather_of_each_site():
    sites = {site["site"]: site for site in json.loads(run("list", "--json").stdout)}
    assert sites["wageningen"]["measured"] == "at hand"
    assert sites["wageningen"]["generated"]
    assert sites["south-dakota"]["measured"] == "1984-2024, at hand"
    assert len([site for site in sites.values() if site["generated"]]) >= 20
    assert "99.00 W" in run("list").stdout


def test_a_site_to_fetch_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("AGBENCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    (tmp_path / "sites").mkdir()
    place = "place: {latitude: 40, longitude: 5, elevation: 0}"
    download = "download: {reader: nasa-power, first: 1984, last: 2024}"
    text = f"site: island\nsummary: An island.\nsource: nowhere\n{place}\n{download}\n"
    (tmp_path / "sites" / "island.yaml").write_text(text)
    sites = {site["site"]: site for site in json.loads(run("list", "--json").stdout)}
    assert sites["island"]["measured"] == "nasa-power 1984-2024, not fetched"
    with pytest.raises(WeatherError, match="fetch it once with: agbench weather fetch island"):
        run("check", "island")


def test_soils_shows_what_every_soil_holds_layered_ones_too():
    result = {soil["soil"]: soil for soil in json.loads(run("soils", "--json").stdout)}
    assert set(result) == set(catalog.names("soil"))
    layered = result["moregon-1"]
    assert layered["layers"] == 6
    assert layered["wilting"] == pytest.approx(0.036)
    assert layered["available"] == pytest.approx((0.179 - 0.036) * 120.0)
    assert all(0 < s["wilting"] < s["capacity"] < s["saturation"] < 1 for s in result.values())
    shown = run("soils").stdout
    assert all(name in shown for name in result)


def test_show_gives_the_months_of_a_generated_season():
    text = run("show", "kiel", "--season", "17").stdout
    assert "kiel/generated/17" in text
    assert "Dec" in text


def test_show_gives_the_months_of_a_measured_year():
    assert "wageningen/1984" in run("show", "wageningen", "1984").stdout
    shown = json.loads(run("show", "wageningen", "1984", "--json").stdout)
    assert shown["year"] == 1984
    assert len(shown["months"]["TMIN"]) == 12
    for year, message in (("1990", "lacks 4 days"), ("1950", "covers"), ("99999", "no year")):
        with pytest.raises(WeatherError, match=message):
            run("show", "wageningen", year)


def test_check_counts_what_passes():
    result = run("check", "wageningen", "--json", "--seasons", "300")
    findings = json.loads(result.stdout)
    assert len(findings) == 177
    assert result.exit_code == (0 if all(f["passed"] for f in findings) else 1)


def test_plot_writes_a_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(figure, "_SEASONS", 100)
    picture = tmp_path / "here.png"
    assert "here.png" in run("plot", "wageningen", "--picture", str(picture)).stdout.replace("\n", "")
    assert picture.stat().st_size > 50_000


@pytest.mark.parametrize("seasons", [120, pytest.param(generated_yields.SEASONS, marks=pytest.mark.slow)])
def test_yields_agree_at_wageningen(seasons, monkeypatch):
    some = partial(generated_yields.compare_yields, count=seasons)
    monkeypatch.setattr(generated_yields, "compare_yields", some)
    result = run("yields", "wageningen")
    assert result.exit_code == 0
    assert "allowed 5%" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch", "wageningen"], "has nothing to download"),
        (["fetch", "south-dakota"], "nothing to download; its measured weather: 1984-2024, at hand"),
        (["plot", "wagenigen"], "Did you mean 'wageningen'"),
        (["check", "wageningen", "--repair", "magic"], "unknown repair 'magic'"),
        (["yields", "wageningen", "--crop", "rye"], "crop 'rye' must be one of wheat, maize"),
        (["check", "wageningen", "--seasons", "0"], "at least 2 generated seasons"),
        (["check", "wageningen", "--seasons", "1"], "at least 2 generated seasons"),
        (["plot", "wageningen", "--picture", "here.doc"], "cannot write a picture in the format .doc"),
        (["check", "bleiswijk"], "a row every five minutes, and no daily one"),
        (["plot", "bleiswijk"], "a row every five minutes, and no daily one"),
        (["show", "bleiswijk"], "the site bleiswijk has no generator"),
    ],
)
def test_a_slip_ends_in_one_sentence(arguments, message, tmp_path, monkeypatch):
    monkeypatch.setenv("AGBENCH_CACHE_DIR", str(tmp_path))
    with pytest.raises(AgBenchError, match=message):
        run(*arguments)


def test_brackets_in_a_name_are_no_style_of_the_bar(monkeypatch):
    monkeypatch.setattr("agbench.cli.weather.console", Console(file=io.StringIO(), force_terminal=True))
    with pytest.raises(UnknownNameError, match=r"unknown site '\[/bold\]'"):
        run("fetch", "[/bold]")


def test_a_greenhouse_s_weather_is_not_listed_as_daily():
    sites = {site["site"]: site for site in json.loads(run("list", "--json").stdout)}
    assert sites["bleiswijk"]["measured"] == "every five minutes, for greenhouses only"
    assert sites["schiphol"]["measured"] == "every hour, for greenhouses only"
    with pytest.raises(WeatherError, match="no daily one"):
        agbench.make("wofostgym-wheat-v1", site="bleiswijk")
    with pytest.raises(WeatherError, match="no daily one"):
        agbench.simulate("wofost-npk", crop="wheat-1", soil="oregon-1", site="bleiswijk", start="2009-11-01")


def test_a_fit_to_too_few_years_ends_in_one_sentence(tmp_path):
    days = pd.date_range("1984-01-01", "1984-03-01", name="DAY")
    table = pd.DataFrame({"IRRAD": 5e6, "TMIN": 1.0, "TMAX": 5.0, "VAP": 7.0, "WIND": 2.0, "RAIN": 0.1}, days)
    table.assign(LAT=51.97, LON=5.67, ELEV=7.0).to_csv(tmp_path / "short.csv")
    with pytest.raises(AgBenchError, match="0 complete years are too few"):
        run("fit", "wageningen", "--observations", str(tmp_path / "short.csv"))


def test_fit_writes_the_climate_of_a_site_file(tmp_path, monkeypatch):
    shipped = catalog.find("site", "wageningen").read_text()
    folder = tmp_path / "sites"
    folder.mkdir()
    path = folder / "meadow.yaml"
    path.write_text(shipped[: shipped.index("climate:")].replace("site: wageningen", "site: meadow"))
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    monkeypatch.setattr(calibrate, "_ROUGH", (1, 200))  # tests/weather/generator proves the whole fit
    monkeypatch.setattr(calibrate, "_FINE", (1, 200))
    run("fit", "meadow")
    assert catalog.site("meadow").climate.occurrence.dry_dry[0] == pytest.approx(0.29, abs=0.05)
    assert path.read_text().startswith("site: meadow\nsummary: Wageningen")


@pytest.mark.parametrize("command", ["soils", "list"])
def test_a_wrong_file_does_not_stop_a_list(command, tmp_path, monkeypatch):
    (tmp_path / "sites" / "soils").mkdir(parents=True)
    (tmp_path / "sites" / "soils" / "mire.yaml").write_text("soil: mire\n")
    (tmp_path / "sites" / "bog.yaml").write_text("site: bog\n")
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    with pytest.warns(AgBenchWarning, match="passed over"):
        assert json.loads(run(command, "--json").stdout)
