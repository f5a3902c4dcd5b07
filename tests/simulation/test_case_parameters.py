"""Parameters of cases: shared as keywords, a case's own, and those that no file has."""

import pandas as pd
import pytest

import agbench
from agbench.errors import ConfigError, UnknownNameError

WHEAT = {"crop": "winter-wheat-nl", "soil": "cropgym-nl", "site": "wageningen"}
YEARS = [{"start": "1984-01-01"}, {"start": "1985-01-01"}]
WOFOST = {"crop": "winter-wheat-101-wofost81", "soil": "ec3", "site": "wageningen"}


def test_a_parameter_that_all_cases_share_is_a_keyword():
    cases = [YEARS[0], YEARS[1] | {"LUE": 3.0}, YEARS[1] | {"LUE": None}]
    own = [YEARS[0] | {"LUE": 2.2}, YEARS[1] | {"LUE": 3.0}, YEARS[1] | {"LUE": 2.2}]
    for given in (cases, pd.DataFrame(cases)):
        shared = agbench.simulate_many("lintul3", given, LUE=2.2, **WHEAT)
        pd.testing.assert_frame_equal(
            shared, agbench.simulate_many("lintul3", own, **WHEAT), check_exact=True
        )
    plain = agbench.simulate_many("lintul3", YEARS, LUE=float("nan"), **WHEAT)
    pd.testing.assert_frame_equal(plain, agbench.simulate_many("lintul3", YEARS, **WHEAT), check_exact=True)


def test_a_parameter_that_no_file_has_may_be_a_cases_own():
    days = {"output": "days", "variables": ["TWSO"]}
    cases = [{"start": "1984-01-01", "CO2": value} for value in (360.0, 720.0)]
    of_cases = agbench.simulate_many("wofost81-wlp", cases, **days, **WOFOST)["TWSO"].to_numpy()
    assert of_cases[0].max() < of_cases[1].max()
    for row, case in zip(of_cases, cases, strict=True):
        place = {"site": {"CO2": case["CO2"]}, "weather": "wageningen"}
        alone = agbench.simulate("wofost81-wlp", start=case["start"], **WOFOST | place)["TWSO"].to_numpy()
        assert (row[: len(alone)] == alone)[alone > 0].all()
    with pytest.raises(ConfigError, match=r"case 1: .*CO2 \[ppm\].* is missing"):
        agbench.simulate_many("wofost81-wlp", [cases[0], {"start": "1984-01-01"}], **WOFOST)
    with pytest.raises(ConfigError, match=r"case 1: case: CO2 .* is -5 ppm"):
        agbench.simulate_many("wofost81-wlp", [cases[0], cases[1] | {"CO2": -5.0}], **WOFOST)


def test_a_wrong_keyword_is_named_with_the_models_parameters():
    with pytest.raises(UnknownNameError, match="Did you mean 'LUE'"):
        agbench.simulate_many("lintul3", YEARS, LUES=2.0, **WHEAT)
    with pytest.raises(ConfigError, match="'engine' is no argument of a batch"):
        agbench.simulate_many("lintul3", YEARS, engine="pcse", **WHEAT)
    with pytest.raises(ConfigError, match="greenhouses are not batched"):
        agbench.simulate_many("greenlight", [{"start": "2009-11-01"}], preset="gym")


def test_a_variable_by_the_name_of_simulates_tables_is_told_its_own():
    wofost72 = {**WOFOST, "crop": "winter-wheat-101-wofost72"}
    with pytest.raises(UnknownNameError, match=r"'WDRT' is its name in tables of agbench\.simulate.*'WART'"):
        agbench.simulate_many("wofost72-wlp", YEARS[:1], variables=["LAI", "WDRT"], **wofost72)
    ours = agbench.simulate_many("wofost72-wlp", YEARS[:1], variables=["WART"], **wofost72)
    alone = agbench.simulate("wofost72-wlp", start="1984-01-01", **wofost72)
    assert ours.loc[0, "WART"] == alone["WDRT"].iloc[-1] > 0
