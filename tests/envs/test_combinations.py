"""The 54 environments of the original and their 54 layered ones: each plays a season and ends properly."""

from functools import lru_cache
from itertools import chain, pairwise

import numpy as np
import pytest
from combinations import COMBINATIONS, DOSES, GROUPS, LIMITATIONS, LIMITING, PAGE, page

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.evaluation.description import describe

BY_ID = {combination.id: combination for combination in COMBINATIONS}
DRY = [limitation for limitation in LIMITATIONS if "w" in limitation]
CHAINS = (("pp", "ln", "lnpk", "lnpkw"), ("pp", "lw", "lnw", "lnpkw"), ("ln", "lnw"))
"""Limitations from few to many; the yield falls so, but for a fifth, or a hundredth of the potential."""
FIELD_CAPACITY = 0.179  # of moregon-1's layers

groups = pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.prefix or "annual")


def make(combination, num_envs=2, **kinds):
    """Return a vector environment of a combination, in steps of two weeks; of trees two years."""
    options = {**combination.options, "season__step": "14 d"}
    if "season__years" in options:
        options["season__years"] = 2
    return agbench.make_vec(combination.group.task, num_envs, **options, **kinds)


def names_in(choices):
    """Return the inputs that the choices of an action space name."""
    words = {word for choice in choices for word in choice.split()}
    return words & {*DOSES, "PLANT", "HARVEST"}


def column(envs, name):
    """Return a column of the state, of all fields side by side."""
    simulator = envs.core.simulator
    batch = getattr(simulator, "batch", simulator)
    return batch.state[:, batch.variables.column(name)]


def farmer(envs, combination):
    """Return the action of one that gives nothing, sows at once, and harvests late: fruit in autumn."""
    encode, simulator = envs.core.parts.actions.encode, envs.core.simulator
    if "perennial" in combination.id:
        due = column(envs, "AUTUMN")[0] > 0.0 and column(envs, "HWSO")[0] > 0.0
    else:
        due = simulator.elapsed[0] + envs.core.task.step >= simulator.horizon[0]
    if "HARVEST" in combination.group.work and due:
        return [encode("HARVEST", 1.0)[0]]
    if "PLANT" in combination.group.work and column(envs, "CROP")[0] == 0.0:
        return [encode("PLANT", 1.0)[0]]
    return [0]


@lru_cache(maxsize=len(COMBINATIONS))
def outcome(id):
    """Return what a season pays that is worked with nothing given, and its last state by name."""
    combination = BY_ID[id]
    envs = make(combination, 1, autoreset_mode="disabled")
    envs.reset(seed=3)
    paid, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, _ = envs.step(farmer(envs, combination))
        paid, over = paid + reward[0], terminated[0] or truncated[0]
    names = ["WBALTT", "WTRAT", "TAGP"]
    layers = [f"SM_{i}" for i in range(1, 7)] + ["WSUPPLIED"]
    return paid, {n: column(envs, n).copy() for n in (names + layers if combination.layered else names)}


def test_there_are_54_and_54_layered_ones():
    assert len(BY_ID) == len(COMBINATIONS) == 108
    assert sum(combination.layered for combination in COMBINATIONS) == 54
    assert {"lnpkw-v0", "llnpkw-v0", "plant-lpp-v0", "multi-perennial-llw-v0"} <= BY_ID.keys()


@pytest.mark.slow_except("l*npkw-v0", "*-lpp-v0", "*-llnw-v0", "lw-v0", "plant-lnpk-v0")
@pytest.mark.parametrize("combination", COMBINATIONS, ids=lambda combination: combination.id)
def test_a_season_runs_and_ends(combination):
    envs = make(combination)
    first = envs.reset(seed=1)[0]
    doses = combination.options["action__doses"].values()
    assert envs.single_action_space.n == 1 + sum(len(amounts) - 1 for amounts in doses)
    choices = envs.core.parts.actions.describe()
    assert names_in(choices) == {*combination.group.work, *LIMITING[combination.limitation]}
    envs.action_space.seed(2)
    ended, finite = np.zeros(2, bool), [np.isfinite(first).all()]
    for _ in range(100):
        observed, reward, terminated, truncated, _ = envs.step(envs.action_space.sample())
        finite.append(np.isfinite(observed).all() and np.isfinite(reward).all())
        assert observed.shape == first.shape
        ended |= terminated | truncated
        if ended.all():
            break
    assert ended.all()
    assert all(finite)


@groups
@pytest.mark.parametrize("layered", ["", "l"], ids=["single", "layered"])
def test_it_is_shown(group, layered):
    combination = BY_ID[f"{group.prefix}{layered}lnw-v0"]
    shown = describe(override(catalog.task(group.task), combination.options))
    assert shown["simulator"]["limitation"] == "lnw"
    assert shown["simulator"]["soil_water"] == ("layered" if layered else "single")
    assert names_in(shown["action"]["choices"]) == {*group.work, "N", "IRRIG"}


@pytest.mark.slow_except("single-*", "layered-annual", "layered-multi-perennial-")
@groups
@pytest.mark.parametrize("layered", ["", "l"], ids=["single", "layered"])
def test_every_limitation_costs_yield(group, layered):
    """A little drought moves dry matter from leaves to grain: biomass is largest without it, grain nearly."""
    seasons = {name: outcome(f"{group.prefix}{layered}{name}-v0") for name in LIMITATIONS}
    paid = {name: season[0] for name, season in seasons.items()}
    grown = {name: state["TAGP"].sum() for name, (_, state) in seasons.items()}
    assert grown["pp"] == max(grown.values())
    assert paid["pp"] >= 0.999 * max(paid.values())
    assert paid["pp"] > 2.0 * paid["lnpkw"] > 0.0
    for fewer, more in chain.from_iterable(map(pairwise, CHAINS)):
        assert paid[more] <= 1.2 * paid[fewer] + 0.01 * paid["pp"], (fewer, more, paid)


@groups
def test_layers_without_water_limitation_are_held_at_field_capacity(group):
    for limitation in LIMITATIONS:
        state = outcome(f"{group.prefix}l{limitation}-v0")[1]
        assert np.abs(state["WBALTT"]).max() < 1e-9
        layers = np.array([state[f"SM_{i}"] for i in range(1, 7)])
        if limitation in DRY:
            assert (state["WSUPPLIED"] == 0.0).all()
            assert layers.std() > 0.001
        else:
            assert (state["WSUPPLIED"] != 0.0).all()
            np.testing.assert_allclose(layers, FIELD_CAPACITY, atol=0.001)


def test_the_page_lists_them():
    text = PAGE.read_text()
    assert page(text) == text
    assert all(f"`{id}`" in text for id in BY_ID)
