"""Sets of scenarios: which one an episode draws, which worlds are kept, and what a wrong key is told."""

import numpy as np
import pytest

from agbench.envs.scenarios import ScenarioSet, episode_seed
from agbench.errors import UnknownNameError


@pytest.fixture
def built():
    """Return the keys of the worlds that were built, in order."""
    return []


@pytest.fixture
def scenarios(built):
    """Return a function that makes a set whose worlds tell their key and a drawn number."""

    def world(key, generator):
        built.append(key)
        return key, None if generator is None else int(generator.integers(1000))

    return lambda keys, all_keys=(), **options: ScenarioSet("test", keys, all_keys, world, **options)


def test_every_scenario_is_as_likely(scenarios):
    own, generator = scenarios(["a", "b", "c"]), np.random.default_rng(0)
    drawn = [own.draw(generator) for _ in range(3000)]
    assert all(abs(drawn.count(key) - 1000) < 100 for key in own)
    assert len(own) == 3


def test_one_scenario_draws_as_much_as_two(scenarios):
    one, two = np.random.default_rng(0), np.random.default_rng(0)
    for _ in range(5):
        assert scenarios(["a"]).draw(one) == "a"
        scenarios(["a", "b"]).draw(two)
    assert one.integers(1 << 60) == two.integers(1 << 60)


def test_a_drawn_key_may_be_another_one_instead(scenarios):
    own = scenarios(["a", "b"], drawn={"a": lambda key, generator: f"{key}{generator.integers(10)}"})
    keys = {own.draw(np.random.default_rng(seed)) for seed in range(50)}
    assert "a" not in keys
    assert "b" in keys
    assert len(keys) > 5


def test_a_world_is_built_once_and_no_more_are_kept_than_told(scenarios, built):
    own = scenarios(["a", "b", "c"], most=2)
    for key in ("a", "b", "a", "b"):
        assert own.world(key) == (key, None)
    assert built == ["a", "b"]
    own.world("c")  # in the place of the first
    own.world("b")
    assert built == ["a", "b", "c"]
    own.world("a")
    assert built == ["a", "b", "c", "a"]


def test_random_worlds_are_built_anew_by_the_generator_of_the_episode(scenarios, built):
    own = scenarios(["a"], random=True)
    assert own.world("a", np.random.default_rng(1)) == own.world("a", np.random.default_rng(1))
    assert own.world("a", np.random.default_rng(1)) != own.world("a", np.random.default_rng(2))
    assert len(built) == 4
    assert own.world("a") == ("a", None)  # without an episode it is the usual one, kept
    assert own.world("a") == ("a", None)
    assert len(built) == 5
    assert scenarios(["a"]).world("a", np.random.default_rng(1)) == ("a", None)


def test_keys_beyond_the_split_are_built_every_time(scenarios, built):
    own = scenarios(["a"], ["b"], beyond=lambda key: key.startswith("x"))
    for key in ("b", "b", "x1", "x1"):
        own.world(key)
    assert built == ["b", "x1", "x1"]
    with pytest.raises(UnknownNameError, match="split 'test': unknown scenario 'y'"):
        own.world("y")
    far = scenarios(["a"], random=True, beyond=lambda key: True)
    assert far.world("y", np.random.default_rng(0)) != ("y", None)
    assert scenarios(["a"], beyond=lambda key: True).world("y", np.random.default_rng(0)) == ("y", None)


@pytest.mark.parametrize(("count", "hint"), [(50, "Did you mean 'key-7'"), (51, "Keys are such as key-0")])
def test_fifty_keys_are_few_enough_to_name_the_nearest(scenarios, count, hint):
    with pytest.raises(UnknownNameError, match=hint):
        scenarios([f"key-{i}" for i in range(count)]).world("key7")


def test_the_seed_of_an_episode_follows_from_its_name_alone():
    """By hand: the first four bytes of `printf 0/wageningen/1984/0 | sha256sum`, halved."""
    assert episode_seed(0, "wageningen/1984", 0) == 1205193197
    assert len({episode_seed(*one) for one in ((0, "a", 0), (1, "a", 0), (0, "b", 0), (0, "a", 1))}) == 4
    assert all(0 <= episode_seed(0, "a", k) < 2**31 for k in range(100))
