"""Files that PCSE's users have: crops, CABO files, management."""

import pytest

import agbench
from agbench.errors import ConfigError, UnknownNameError
from agbench.simulation.pcse_files import read_agromanagement, read_cabo, read_crop

FIELD = {"soil": "arable-sand", "site": "netherlands"}
CASE = {
    "start": "1991-03-01",
    "crop": "wheat-1",
    "calendar": {"crop_start_date": "1991-03-01", "crop_start_type": "sowing", "max_duration": 250},
}

CROP = """
Version: 1.0.0
CropParameters:
    GenericC3: &generic
        CO2EFFTB:
        - [40., 0.0, 360., 1.00]
        - "text"
        - ["-"]
    Varieties:
        spring:
            <<: *generic
            Metadata: {summary: none}
            TSUM1: [800.0, "temperature sum", ["C.d"]]
"""

MANAGEMENT = """
Version: 1.0
AgroManagement:
- 1990-03-01:
    CropCalendar:
        crop_name: wheat
        variety_name: spring
        crop_start_date: 1990-03-01
        crop_start_type: sowing
        crop_end_date:
        crop_end_type: maturity
        max_duration: 250
    TimedEvents:
    -   event_signal: apply_npk
        name: first dressing
        comment: kg/ha
        events_table:
        - 1990-04-10: {N_amount: 60.0, P_amount: 5.0, N_recovery: 0.6}
    -   event_signal: irrigate
        name: water
        comment: cm
        events_table:
        - 1990-05-10: {amount: 2.0, efficiency: 0.8}
    StateEvents: null
- 1991-03-01:
    CropCalendar:
        {crop_start_date: 1991-03-01, crop_start_type: sowing, crop_end_type: maturity, max_duration: 250}
    TimedEvents: null
    StateEvents: null
- 1992-01-01:
"""


def test_campaigns_of_pcse_become_cases_that_run(tmp_path):
    path = tmp_path / "agro.yaml"
    path.write_text(MANAGEMENT)
    cases = read_agromanagement(path)
    assert [str(one["start"]) for one in cases] == ["1990-03-01", "1991-03-01"]
    assert [event[1:] for event in cases[0]["events"]] == [
        ("apply_npk", (60.0, 5.0, 0.0), (0.6, 0.7, 0.7)),
        ("irrigate", 2.0, 0.8),
    ]
    table = agbench.simulate_many("wofost-npk", cases, crop="wheat-1", **FIELD)
    alone = agbench.simulate("wofost-npk", **cases[0], crop="wheat-1", **FIELD)
    assert table.loc[0, "TWSO"] == alone["TWSO"].iloc[-1]


def test_a_last_campaign_without_a_crop_ends_the_one_before_as_in_pcse(tmp_path):
    path = tmp_path / "agro.yaml"
    path.write_text(MANAGEMENT.replace("- 1992-01-01:", "- 1991-07-01:"))
    cases = read_agromanagement(path)
    assert [one["calendar"]["max_duration"] for one in cases] == [250, 122]
    table = agbench.simulate_many("wofost-npk", cases, crop="wheat-1", **FIELD)
    whole = agbench.simulate("wofost-npk", **CASE, **FIELD)
    assert str(table.loc[1, "end"].date()) == "1991-07-01"
    assert table.loc[1, "TWSO"] == whole.loc["1991-07-01", "TWSO"] < whole["TWSO"].iloc[-1]
    path.write_text(MANAGEMENT.replace("crop_end_type: maturity, max_duration: 250}",
                                       "crop_end_type: harvest, crop_end_date: 1991-06-01}"))  # fmt: skip
    assert read_agromanagement(path)[1]["calendar"].get("max_duration") is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("- 1992-01-01:", "- {}", "{} is no campaign, which is a mapping of its first day"),
        ("- 1992-01-01:", "- later", "'later' is no campaign"),
        ("- 1992-01-01:", "- spring:", "campaign spring: 'spring' is not a date like"),
        ("- 1992-01-01:", "- 1992-01-01: fallow", "campaign 1992-01-01: 'fallow' is no mapping"),
        ("- 1992-01-01:", "- 1992-01-01: {CropCalendar: wheat}", "CropCalendar: 'wheat' is no mapping"),
        ("    StateEvents: null\n- 1991", "    StateEvents: none\n- 1991", "StateEvents: 'none' is no list"),
        ("    TimedEvents: null", "    TimedEvents: [irrigate]", "TimedEvents: 'irrigate' is no mapping"),
        ("- 1990-05-10: {amount: 2.0, efficiency: 0.8}", "- 1990-05-10", "events_table: .* is no mapping"),
        ("{amount: 2.0, efficiency: 0.8}", "2.0", "irrigate on 1990-05-10: 2.0 is no mapping"),
        ("{amount: 2.0, efficiency: 0.8}", "{amount: 2 cm}", "irrigate on 1990-05-10: '2 cm' is no number"),
        ("{amount: 2.0, efficiency: 0.8}", "{mm: 2}", "irrigate on 1990-05-10: no amount is given, but mm"),
        ("{amount: 2.0, efficiency: 0.8}", "{}", "no amount is given, but nothing"),
        ("N_amount: 60.0", "N_amount: many", "apply_npk on 1990-04-10: 'many' is no number"),
        ("CropCalendar", "Calendar", "none of its campaigns has a crop"),
        ("- 1992-01-01:", "- 1990-12-01:", "campaign 1990-12-01: comes after campaign 1991-03-01"),
        ("- 1991-03-01:", "- 1990-03-01:", "campaign 1990-03-01: comes after campaign 1990-03-01"),
        ("- 1990-05-10: {", "- 1991-03-01: {", "irrigate on 1991-03-01: .* is no day of the campaign.* 1991"),
        ("- 1990-05-10: {", "- 1990-02-28: {", "irrigate on 1990-02-28: .* is no day of the campaign"),
        ("crop_start_date: 1990-03-01", "crop_start_date: 1991-03-02", "1991-03-02 is no day"),
        ("{crop_start_date: 1991-03-01", "{crop_start_date: 1991-02-01", "which begins on 1991-03-01"),
    ],
)
def test_management_that_pcse_does_not_have_is_refused_by_name(tmp_path, old, new, words):
    path = tmp_path / "agro.yaml"
    assert old in MANAGEMENT
    path.write_text(MANAGEMENT.replace(old, new))
    with pytest.raises(ConfigError, match=rf"agro\.yaml: .*{words}"):
        read_agromanagement(path)


def test_unknown_events_are_refused(tmp_path):
    path = tmp_path / "agro.yaml"
    path.write_text(MANAGEMENT.replace("event_signal: irrigate", "event_signal: mow"))
    with pytest.raises(UnknownNameError, match="mow"):
        read_agromanagement(path)
    path.write_text("[")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_agromanagement(path)


def test_a_variety_of_a_crop_file_of_pcse_is_a_mapping(tmp_path):
    path = tmp_path / "wheat.yaml"
    path.write_text(CROP)
    assert read_crop(path, "spring") == {"CO2EFFTB": [40.0, 0.0, 360.0, 1.0], "TSUM1": 800.0}
    with pytest.raises(UnknownNameError, match="'spring'"):
        read_crop(path, "sprng")
    path.write_text("Version: 1.0")
    with pytest.raises(ConfigError, match=r"CropParameters\.Varieties"):
        read_crop(path, "spring")


def test_a_cabo_file_is_a_mapping(tmp_path):
    path = tmp_path / "soil.new"
    path.write_text("** a soil\nSMW = 0.104  ! wilting point\nSMTAB = -1.0, 0.57,\n          1.0, 0.53\n")
    assert read_cabo(path) == {"SMW": 0.104, "SMTAB": [-1.0, 0.57, 1.0, 0.53]}
    with pytest.raises(ConfigError, match="no such file"):
        read_cabo(tmp_path / "none")


@pytest.mark.parametrize("table", ["0.5,", "0.0, 1.0, 2.0", "0.0, 1.0, 2.0, 3.0, 4.0", "0.0, 1.0, 2.0, 3.0,"])
def test_a_cabo_table_that_is_no_pairs_is_refused_by_name(tmp_path, table):
    path = tmp_path / "soil.new"
    path.write_text(f"SMW = 0.104\nSMTAB = {table}\n")
    with pytest.raises(
        ConfigError, match=r"soil\.new: is no CABO file: .*SMTAB.*two or more pairs of numbers"
    ):
        read_cabo(path)


@pytest.mark.parametrize("path", [None, 5, b"wheat.cab"])
def test_what_is_no_path_of_a_file_is_refused(path):
    for read in (read_cabo, read_agromanagement, lambda path: read_crop(path, "spring")):
        with pytest.raises(ConfigError, match="path must be that of a file"):
            read(path)
