"""Many seasons in a batch: each as it is alone, in whatever order and company."""

import os
import shutil
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from travelling import Travelling

import agbench
from agbench.data import catalog
from agbench.errors import ConfigError, MissingExtraError, UnknownNameError, WeatherError
from agbench.simulation import batches, field
from agbench.simulation import cases as cases_of_batches
from agbench.simulation import kinds as kinds_of_cases
from agbench.simulation import many as many_of_pieces
from agbench.simulation.columns import Columns
from agbench.simulation.kinds import plain_parameters
from agbench.simulation.parameters import read_all
from agbench.simulators import models

WHEAT = {"crop": "winter-wheat-nl", "soil": "cropgym-nl", "site": "wageningen"}
FIELD = {"soil": "arable-sand", "site": "netherlands"}


def case(year, crop="wheat-1", nitrogen=0.0, **more):
    calendar = {"crop_start_date": f"{year}-03-01", "crop_start_type": "sowing", "max_duration": 250}
    events = [(f"{year}-04-10", "apply_npk", (nitrogen, 0.0, 0.0))] if nitrogen else []
    return {"start": f"{year}-03-01", "crop": crop, "calendar": calendar, "events": events, **more}


CASES = [
    case(1990),
    case(1991, nitrogen=60.0),
    case(1990, crop="maize-2", nitrogen=30.0),
    case(1993, start="1993-01-15"),
    case(1995, limitation="lw"),
]


def same_as_alone(days, number, alone):
    """Check that the days of a case are those of a season that was simulated alone."""
    compared = 0
    for name in set(days.data_vars) & set(alone.columns):
        if alone[name].dtype.kind != "f":
            continue
        ours, theirs = days[name].to_numpy()[number], alone[name].to_numpy()
        there = ~np.isnan(theirs)
        assert np.array_equal(ours[: len(theirs)][there], theirs[there]), name
        assert np.isnan(ours[len(theirs) :]).all(), name
        compared += 1
    assert compared > 20


def test_every_case_is_as_it_is_alone():
    days = agbench.simulate_many("wofost-npk", CASES, output="days", **FIELD)
    for number, one in enumerate(CASES):
        same_as_alone(days, number, agbench.simulate("wofost-npk", **one, **FIELD))


def test_lintul_too_with_events():
    cases = [{"start": "1984-01-01", "events": [("1984-02-24", "apply_n", 60.0)]}, {"start": "1985-01-01"}]
    days = agbench.simulate_many("lintul3", cases, output="days", **WHEAT)
    for number, one in enumerate(cases):
        same_as_alone(days, number, agbench.simulate("lintul3", **one, **WHEAT))


def test_neither_order_nor_batch_moves_a_bit(monkeypatch):
    whole = agbench.simulate_many("wofost-npk", CASES, **FIELD)
    turned = agbench.simulate_many("wofost-npk", CASES[::-1], **FIELD)
    monkeypatch.setattr(batches, "_MOST_ROWS", 2)
    small = agbench.simulate_many("wofost-npk", CASES, **FIELD)
    pd.testing.assert_frame_equal(whole, small, check_exact=True)
    pd.testing.assert_frame_equal(
        whole, turned[::-1].set_index(whole.index), check_exact=True, check_like=True
    )


def test_a_summary_has_ends_last_and_largest_values_and_dates():
    table = agbench.simulate_many("wofost-npk", CASES, variables=["LAI", "TWSO", "DOA"], **FIELD)
    for number, one in enumerate(CASES):
        alone = agbench.simulate("wofost-npk", **one, **FIELD)
        row = table.loc[number]
        assert row["end"] == alone.index[-1]
        assert row["days"] == len(alone)
        assert row["TWSO"] == alone["TWSO"].iloc[-1]
        assert row["max(LAI)"] == alone["LAI"].max()
        assert row["DOA"] == alone["DOA"].dropna().iloc[-1]


def test_parameters_of_a_case_replace_those_of_its_crop_and_soil():
    cases = [{"start": "1984-01-01"}, {"start": "1984-01-01", "LUE": 2.0}]
    usual, changed = agbench.simulate_many("lintul3", cases, **WHEAT)["WSO"]
    content = {**catalog.crop("winter-wheat-nl").values, "LUE": 2.0}
    alone = agbench.simulate("lintul3", start="1984-01-01", **{**WHEAT, "crop": content})
    assert changed == alone["WSO"].iloc[-1] != usual


@pytest.mark.parametrize(
    ("name", "crop", "where"),
    [
        ("lintul3", "winter-wheat-nl", WHEAT),
        ("wofost72-wlp", "grain-maize-201-wofost72", {"soil": "ec3", "site": "netherlands"}),
        ("wofost-npk", "wheat-1", FIELD),
        ("wofost-npk", "jujube-1", FIELD),
    ],
)
def test_a_plain_parameter_sets_nothing_but_its_field(name, crop, where):
    model = models.find(name, crop_type=catalog.crop(crop).crop_type)
    given = {"site": where["site"], "soil": where["soil"], "crop": crop}
    parameters = read_all(model, given)
    series = field.series_of(where["site"])
    season = field.prepare(
        model, parameters, series, "1990-03-01", "1990-09-01", None, None, "sound", None, name
    )
    usual = model.world(season.setup).arrays
    plain = plain_parameters(model)
    assert len(plain) > 30
    for parameter in (p for p in model.parameters if p.name in plain):
        value = parameters.get(parameter.name, parameter.default)
        if value is None:
            continue
        other = np.nextafter(value, parameter.low if value == parameter.high else parameter.high)
        changed = {**parameters, parameter.name: float(other)}
        arrays = model.world(replace(season.setup, parameters=changed)).arrays
        for array in arrays:
            if array != "parameters":
                assert arrays[array].tobytes() == usual[array].tobytes(), (parameter.name, array)
        expected = usual["parameters"].copy()
        expected[parameter.name] = other
        assert arrays["parameters"].tobytes() == expected.tobytes(), parameter.name


def test_cells_of_plain_numbers_are_those_built_one_by_one(monkeypatch):
    table = pd.DataFrame(
        {
            "start": [f"{year}-03-01" for year in (1990, 1991, 1990, 1991, 1990)],
            "calendar": [case(year)["calendar"] for year in (1990, 1991, 1990, 1991, 1990)],
            "SMW": [0.05, 0.05, 0.06, 0.07, np.nan],
            "SMFCF": [np.nan, 0.2, 0.21, 0.22, np.nan],
        }
    )
    fast = agbench.simulate_many("wofost-npk", table, crop="wheat-1", output="days", **FIELD)
    soil = catalog.soil(FIELD["soil"]).values
    for number, row in table.iterrows():
        own = row[["SMW", "SMFCF"]].dropna().to_dict()
        given = {"soil": {**soil, **own}, "site": FIELD["site"], "crop": "wheat-1"}
        same_as_alone(
            fast, number, agbench.simulate("wofost-npk", **row[["start", "calendar"]].to_dict(), **given)
        )


def test_a_plain_number_that_cannot_be_names_its_case():
    years = [case(1990, SMW=value) for value in (0.05, 0.06, 0.07)]
    with pytest.raises(ConfigError, match=r"case 2: .*SMW over SMFCF"):
        agbench.simulate_many("wofost-npk", [*years[:2], case(1990, SMW=0.5)], **FIELD)
    with pytest.raises(ConfigError, match=r"case 1: case: SMW .* is -1"):
        agbench.simulate_many("wofost-npk", [years[0], case(1990, SMW=-1.0), years[1]], **FIELD)


def test_a_table_of_cases_may_have_holes():
    table = pd.DataFrame({"start": ["1984-01-01", "1985-01-01"], "end": [None, "1985-05-01"]})
    result = agbench.simulate_many("lintul3", table, **WHEAT)
    assert result["end"].dt.strftime("%m-%d").tolist() == ["08-20", "05-01"]


def test_a_file_holds_what_memory_would(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "_MOST_ROWS", 2)
    years = [{"start": f"{year}-01-01"} for year in range(1984, 1989)]
    kept = agbench.simulate_many("lintul3", years, out=tmp_path / "a.parquet", **WHEAT)
    inside = agbench.simulate_many("lintul3", years, **WHEAT)
    pd.testing.assert_frame_equal(pd.read_parquet(kept), inside, check_exact=True)
    path = agbench.simulate_many(
        "lintul3", years, output="days", variables=["LAI"], out=tmp_path / "b.parquet", **WHEAT
    )
    days = pd.read_parquet(path)
    assert list(days.columns) == ["case", "day", "date", "LAI"]
    assert len(days) == inside["days"].sum()


@pytest.mark.parametrize(
    ("cases", "error", "words"),
    [
        ([], ConfigError, "there is none"),
        ("1984", ConfigError, "a list of mappings"),
        ([{}], ConfigError, "case 0: start must be given"),
        ([{"start": "1984-01-01"}, {"start": "1984-01-01", "RGRL": -5.0}], ConfigError, "case 1.*RGRL"),
        ([{"start": "1984-01-01", "strat": 1}], UnknownNameError, "Did you mean 'start'"),
        ([{"start": "1984-01-01", "external": 1}], ConfigError, "no argument of a batch"),
        ([{"start": "1984-01-01", "crop": "wheet"}], UnknownNameError, "case 0.*wheet"),
        ([{"start": "1990-01-01"}], WeatherError, "case 0.*before the crop"),
        ([{"start": "1890-01-01"}], WeatherError, "case 0.*no data on the first day"),
    ],
)
def test_a_wrong_case_is_named(cases, error, words):
    with pytest.raises(error, match=words):
        agbench.simulate_many("lintul3", cases, **WHEAT)


def test_wrong_options_are_named(tmp_path):
    years = [{"start": "1984-01-01"}]
    for options, words in (
        ({"output": "sumary"}, "Did you mean 'summary'"),
        ({"variables": ["LIA"]}, "Did you mean 'LAI'"),
        ({"variables": "LAI"}, "a list of names"),
        ({"out": tmp_path / "x.csv"}, r"must end in \.parquet, \.nc or \.zarr"),
        ({"engin": "pcse"}, "unknown argument"),
    ):
        with pytest.raises((ConfigError, UnknownNameError), match=words):
            agbench.simulate_many("lintul3", years, **options, **WHEAT)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ConfigError, match="rotations are not batched"):
        agbench.simulate_many("wofost-npk-rotation", years, **WHEAT)


@pytest.mark.parametrize("ending", [".parquet", ".nc", ".zarr"])
def test_a_place_that_cannot_be_written_is_named(tmp_path, ending):
    years = [{"start": "1984-01-01"}]
    (tmp_path / "file").write_text("")
    (tmp_path / f"folder{ending}").mkdir()
    for name, words in (
        (f"folder{ending}", "is a folder|is no Zarr store"),
        (f"file/x{ending}", "cannot be written"),
    ):
        with pytest.raises(ConfigError, match=f"out: .*{ending}:? .*({words})"):
            agbench.simulate_many("lintul3", years, out=tmp_path / name, **WHEAT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", f"folder{ending}"]


def test_netcdf_is_not_begun_on_a_disk_that_may_not_hold_it(monkeypatch, tmp_path):
    full = SimpleNamespace(free=1)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    with pytest.raises(ConfigError, match=r"x\.nc cannot be written: No space left on device"):
        agbench.simulate_many("lintul3", [{"start": "1984-01-01"}], out=tmp_path / "x.nc", **WHEAT)
    assert not list(tmp_path.iterdir())


def test_a_variable_that_is_named_twice_is_there_once_and_a_file_has_a_path():
    cases = [{"start": "1984-01-01"}]
    days = agbench.simulate_many("lintul3", cases, variables=["WSO", "WSO"], output="days", **WHEAT)
    assert sorted(days.data_vars) == ["WSO", "date"]
    with pytest.raises(ConfigError, match="out must be the path of a file"):
        agbench.simulate_many("lintul3", cases, out=5, **WHEAT)


def test_columns_of_parquet_have_units(tmp_path):
    for output in ("summary", "days"):
        file = agbench.simulate_many(
            "lintul3", [{"start": "1984-01-01"}], output=output, out=tmp_path / "x.parquet", **WHEAT
        )
        schema = pq.read_schema(file)
        assert schema.field("WSO").metadata[b"unit"] == b"g m-2"
        assert b"storage organs" in schema.field("WSO").metadata[b"meaning"]
        assert len(pd.read_parquet(file)) == (1 if output == "summary" else 233)


@pytest.mark.parametrize("model", ["wofost-npk", "lintul3"])
def test_composed_worlds_have_the_bits_of_worlds_built_one_by_one(model, monkeypatch):
    field = FIELD if model == "wofost-npk" else WHEAT
    name, values = ("SMW", (0.05, 0.06, 0.07)) if model == "wofost-npk" else ("LUE", (2.4, 2.8, 3.0))
    made = case if model == "wofost-npk" else lambda year, **own: {"start": f"{year}-01-01", **own}
    cases = [made(year, **{name: v}) for v in values for year in (1984, 1985, 1986)]
    composed = agbench.simulate_many(model, cases, **field)
    seen = []
    whole = batches._whole
    monkeypatch.setattr(batches, "_whole", lambda *case: seen.append(case) or whole(*case))
    monkeypatch.setattr(
        kinds_of_cases.CaseKind, "_check", lambda kind, _: setattr(kind, "is_composed", False)
    )
    alone = agbench.simulate_many(model, cases, **field)
    assert len(seen) == len(cases)
    pd.testing.assert_frame_equal(composed, alone, check_exact=True)


def test_what_depends_on_season_and_cell_is_built_by_itself():
    kind = kinds_of_cases.CaseKind(None)
    kind.fields_of_seasons, kind._fields_of_cells = {"LAST_DAY"}, {"SMW"}
    kind._check(True)
    assert kind.is_composed
    kind._fields_of_cells.add("LAST_DAY")
    kind._check(True)
    assert not kind.is_composed


def test_forgetting_what_was_built_moves_nothing(monkeypatch):
    cases = [case(year, SMW=0.05) for year in (1985, 1988, 1990, 1991)]
    whole = agbench.simulate_many("wofost-npk", cases, **FIELD)
    monkeypatch.setattr(cases_of_batches, "_MOST_WORLDS", 1)
    monkeypatch.setattr(many_of_pieces, "_PIECE", 1)
    pd.testing.assert_frame_equal(
        whole, agbench.simulate_many("wofost-npk", cases, **FIELD), check_exact=True
    )


@pytest.mark.parametrize(
    "engine", [Travelling(), pytest.param("processes:2", marks=pytest.mark.slow)], ids=["sent", "processes"]
)
def test_other_engines_give_the_same_bytes(monkeypatch, tmp_path, engine):
    cases = [case(year, SMW=v) for v in (0.05, 0.06) for year in (1985, 1988, 1990)]
    monkeypatch.setattr(many_of_pieces, "_PIECE", 2)
    files = [tmp_path / name for name in ("one.parquet", "two.parquet")]
    for file, on in zip(files, (None, engine), strict=True):
        agbench.simulate_many("wofost-npk", cases, out=file, on=on, output="days", **FIELD)
    assert files[0].read_bytes() == files[1].read_bytes()


def grid():
    return [case(year, SMW=v) for v in (0.05, 0.06) for year in (1985, 1988, 1990)]


@pytest.mark.parametrize("ending", [".nc", ".zarr"])
@pytest.mark.parametrize("output", ["summary", "days"])
def test_netcdf_and_zarr_hold_what_memory_would(monkeypatch, tmp_path, ending, output):
    pytest.importorskip("h5netcdf" if ending == ".nc" else "zarr")
    xarray = pytest.importorskip("xarray")
    monkeypatch.setattr(many_of_pieces, "_PIECE", 2)
    kept = {"output": output, "variables": ["LAI", "TWSO", "DOA"], **FIELD}
    inside = agbench.simulate_many("wofost-npk", grid(), **kept)
    path = agbench.simulate_many("wofost-npk", grid(), out=tmp_path / f"a{ending}", **kept)
    opened = xarray.open_dataset(path, engine="h5netcdf") if ending == ".nc" else xarray.open_zarr(path)
    with opened as found:
        assert found["LAI"].attrs["units"] == "ha ha-1"
        if output == "summary":
            table = found.to_dataframe()[list(inside.columns)]
            pd.testing.assert_frame_equal(table.astype(inside.dtypes.to_dict()), inside, check_exact=True)
        else:
            for name in ("LAI", "TWSO", "DOA"):
                assert np.array_equal(found[name].to_numpy(), inside[name].to_numpy(), equal_nan=True)
            dates = found["date"].to_numpy().astype("datetime64[ms]")
            assert np.array_equal(dates, inside["date"].to_numpy(), equal_nan=True)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", [".parquet", ".nc", ".zarr"])
def test_a_case_that_fails_in_the_middle_leaves_no_file(monkeypatch, tmp_path, ending):
    pytest.importorskip({".nc": "h5netcdf", ".zarr": "zarr", ".parquet": "pyarrow"}[ending])
    monkeypatch.setattr(many_of_pieces, "_PIECE", 2)
    with pytest.raises(ConfigError, match="case 6"):
        agbench.simulate_many(
            "wofost-npk",
            [*grid(), case(1990, SMW=0.9)],
            out=tmp_path / f"a{ending}",
            variables=["LAI", "TWSO"],
            **FIELD,
        )
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_no_store_is_not_written_over(tmp_path):
    pytest.importorskip("zarr")
    (tmp_path / "a.zarr").mkdir()
    with pytest.raises(ConfigError, match="no Zarr store"):
        agbench.simulate_many("lintul3", [{"start": "1984-01-01"}], out=tmp_path / "a.zarr", **WHEAT)


def test_a_store_is_replaced_whole_and_never_what_lies_beside_its_arrays(tmp_path):
    pytest.importorskip("zarr")
    out, drafts = tmp_path / "a.zarr", tmp_path / ".a.zarr.replacing"
    (tmp_path / "link.zarr").symlink_to("a.zarr")
    (tmp_path / "dangling.zarr").symlink_to("nowhere")

    def stored(year, name="a.zarr"):
        kept = {"out": tmp_path / name, "variables": ["WSO"]}
        agbench.simulate_many("lintul3", [{"start": f"{year}-01-01"}], **kept, **WHEAT)
        return {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}

    first = stored(1984)
    second = stored(1985, "link.zarr")
    assert first != second
    (out / "notes").mkdir()
    with pytest.raises(ConfigError, match=r"out: .*a\.zarr has notes, which is no part of a Zarr store"):
        stored(1984)
    (out / "notes").rmdir()
    drafts.mkdir()
    out.rename(drafts / "old")  # as a run leaves it that is killed now
    assert stored(1984) == first
    with pytest.raises(ConfigError, match=r"out: .*dangling\.zarr is a symbolic link to .*nowhere"):
        stored(1984, "dangling.zarr")
    assert sorted(os.listdir(tmp_path)) == ["a.zarr", "dangling.zarr", "link.zarr"]


@pytest.mark.parametrize(("ending", "library"), [(".nc", "h5netcdf"), (".zarr", "zarr")])
def test_a_format_without_its_library_names_the_remedy(monkeypatch, tmp_path, ending, library):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=rf"needs {library}.*agbench\[data\]"):
        agbench.simulate_many("lintul3", [{"start": "1984-01-01"}], out=tmp_path / f"a{ending}", **WHEAT)


def test_columns_of_plain_numbers_are_read_as_such():
    columns = Columns(3, {"a": [1, None, np.float64(2.5)], "b": [1, "x", 2], "c": [True, 0, 1]})
    assert np.array_equal(columns.numbers("a"), [1.0, np.nan, 2.5], equal_nan=True)
    assert columns.numbers("b") is columns.numbers("c") is None
