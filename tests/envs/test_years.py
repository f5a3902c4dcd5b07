"""Years that replace those of a split: whole numbers, each once, in every family and at every door."""

import numpy as np
import pytest

import agbench
from agbench.envs.years import chosen_years
from agbench.errors import ConfigError

WHEAT, TOMATO, FARM = "wheat-nitrogen-v1", "greenhouse-tomato-v1", "sunflower-farm-v1"


@pytest.mark.parametrize("years", [[1990, 1991], (1990, 1991), range(1990, 1992), np.arange(1990, 1992)])
def test_whole_numbers_are_years_whatever_holds_them(years):
    assert chosen_years(years) == [1990, 1991]
    assert {type(year) for year in chosen_years(years)} == {int}
    keys = agbench.make(WHEAT, years=years).unwrapped.scenarios.keys
    assert {key.split("/")[1] for key in keys} == {"1990", "1991"}


@pytest.mark.parametrize(
    ("years", "words"),
    [
        (["1990"], "'1990' is no year"),
        ([1990.5], "1990.5 is no year"),
        (np.array([1990.0]), "1990.0"),
        ([True], "True is no year"),
        ([None], "None is no year"),
        ([90], "90 is no year.*four digits"),
        ([19900], "19900 is no year"),
        ([1990, 1991, 1990], "1990 is there 2 times"),
        ([], "the list is empty"),
        ("odd 1977-1999", r"must be a list of years, such as \[1990, 1991\]; got 'odd"),
        (b"ab", "must be a list of years"),
        ({1990: 1.0}, "must be a list of years"),
        (1990, r"such as \[1990\]; got 1990"),
        (1990.0, "must be a list of years"),
        (np.array(1990), "must be a list of years"),
    ],
)
def test_what_is_no_list_of_years_is_refused(years, words):
    for task in (WHEAT, TOMATO):
        with pytest.raises(ConfigError, match=words):
            agbench.make(task, years=years)


@pytest.mark.parametrize(
    "use",
    [
        lambda: agbench.make(FARM, years=["1990"]),
        lambda: agbench.make_vec(WHEAT, 2, years=["1990"]),
        lambda: agbench.evaluate(WHEAT, "zero", years=["1990"]),
        lambda: agbench.collect(WHEAT, "zero", 1, "data", years=["1990"]),
    ],
    ids=["farm", "make_vec", "evaluate", "collect"],
)
def test_every_door_refuses_a_year_in_quotes(use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="'1990' is no year"):
        use()
    assert not list(tmp_path.iterdir())
