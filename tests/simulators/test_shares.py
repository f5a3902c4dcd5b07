"""Partition tables must share out all growth: what does not add up is refused, as PCSE refuses it."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.simulation.parameters import check_crop
from agbench.simulators.field.shares import SHARES_OF_ALL, SHARES_OF_SHOOT, wrong_shares

SEASON = {"site": "wageningen", "start": "1984-01-01", "end": "1984-08-01"}


def table(*pairs):
    x, y = np.array(pairs[::2], float), np.array(pairs[1::2], float)
    return np.stack([x, y, np.append(np.diff(y) / np.diff(x), 0.0)])


def wofost(leaves=0.6):
    return {
        "FRTB": table(0, 0.5, 1.0, 0.0),
        "FLTB": table(0, leaves, 0.5, 0.5, 2, 0),
        "FSTB": table(0, 0.4, 0.5, 0.5, 1, 2 / 3, 2, 0),
        "FOTB": table(0.5, 0.0, 1, 0.0, 2, 1),
    }


def test_shares_of_the_shoot_add_up():
    assert wrong_shares(wofost(), SHARES_OF_SHOOT) is None
    message = wrong_shares(wofost(0.7), SHARES_OF_SHOOT)
    assert message.endswith(
        "at 0 they are FRTB 0.5, FLTB 0.7, FSTB 0.4, FOTB 0: "
        "FRTB + (FLTB + FSTB + FOTB) x (1 - FRTB) is 1.05."
    )


def test_a_sum_is_checked_where_any_table_bends():
    """FOTB bends at DVS 1.5, where no other table has a point."""
    bent = wofost() | {"FOTB": table(0.5, 0, 1, 0, 1.5, 0.6, 2, 1)}
    assert "at 1.5 they are" in wrong_shares(bent, SHARES_OF_SHOOT)


@pytest.mark.parametrize(("off", "wrong"), [(0.9e-4, False), (2.2e-4, True)])
def test_the_tolerance_is_that_of_pcse(off, wrong):
    """A share of the shoot counts by what the roots leave: half of the growth at DVS 0."""
    assert (wrong_shares(wofost(0.6 + off), SHARES_OF_SHOOT) is not None) == wrong


def test_families_add_up_at_every_age():
    young, old = wofost(), wofost(0.8)
    wide = {name: max(young[name].shape[1], 2) for name in young}
    families = {}
    for name, width in wide.items():
        directory = np.zeros((3, width))
        directory[:, :2] = [[0, 10], [1, 2], [0, 0]]
        directory[0, 2:], directory[1, 2:] = 10, 2
        families[name] = np.stack([directory, young[name], old[name] if name == "FLTB" else young[name]])
    assert "at 0 they are" in wrong_shares(families, SHARES_OF_SHOOT)
    families["FLTB"][2] = young["FLTB"]
    assert wrong_shares(families, SHARES_OF_SHOOT) is None


def test_without_one_of_the_tables_nothing_is_said():
    assert wrong_shares({"FLTB": table(0, 2, 1, 2)}, SHARES_OF_SHOOT) is None


@pytest.mark.parametrize(
    ("model", "crop", "soil", "changed"),
    [
        ("wofost72-pp", "wheat-1", "oregon-1", {"FOTB": [0.0, 0.2, 2.0, 1.0]}),
        ("wofost-npk", "wheat-1", "oregon-1", {"FLTB": [0.0, 0.1, 2.0, 0.0]}),
        ("lintul3", "winter-wheat-nl", "cropgym-nl", {"FSTTB": [0.0, 0.5, 2.1, 0.5]}),
    ],
)
def test_simulate_refuses_shares_that_do_not_add_up(model, crop, soil, changed):
    parameters = {**catalog.soil(soil).values, **catalog.crop(crop).values, **changed}
    name = next(iter(changed))
    with pytest.raises(ConfigError, match=rf"crop: shares of growth .* at .* they are .*{name}"):
        agbench.simulate(model, crop=parameters, soil=soil, **SEASON)


@pytest.mark.parametrize("name", ["wheat-1", "winter-wheat-nl"])
def test_check_refuses_a_crop_file_whose_shares_do_not_add_up(name):
    crop = catalog.crop(name)
    check_crop(crop, "mine.yaml")
    leaves = "FLTB" if "FLTB" in crop.tables else "FLVTB"
    (x, y), *others = crop.tables[leaves].points
    fewer = crop.tables[leaves].model_copy(update={"points": [(x, y - 0.05), *others]})
    changed = crop.model_copy(update={"tables": {**crop.tables, leaves: fewer}})
    with pytest.raises(ConfigError, match=r"mine.yaml: shares of growth must add up to 1 .* at 0 "):
        check_crop(changed, "mine.yaml")


def test_tables_of_lintul_add_up_alike():
    tables = dict(zip(SHARES_OF_ALL, (table(0, 0.25, 2, 0.25) for _ in range(4)), strict=True))
    assert wrong_shares(tables, SHARES_OF_ALL) is None
    tables["FRTTB"] = table(0, 0.25, 2, 0.3)
    assert "at 2 they are" in wrong_shares(tables, SHARES_OF_ALL)


def test_the_original_is_left_as_it_is():
    """The pear of WOFOSTGym shares out a tenth of its growth at the end of a year."""
    crop = catalog.crop("pear-1")
    tables = {name: table(*crop.published_values[name][1]) for name in SHARES_OF_SHOOT}
    assert "at 2 they are" in wrong_shares(tables, SHARES_OF_SHOOT)
    check_crop(crop, "pear")
