"""Near-ties: another machine's last bits cost an honest row nothing, and a liar gains nothing by them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from good_submission import CARD, TASK, network
from gymnasium import spaces

import agbench
from agbench import leaderboard
from agbench.leaderboard.verify.reproducing import NEAR_TIES, _Following, _Tally, reproduce
from agbench.policies.networks import heads, mlp
from agbench.policies.simple import Recorded
from agbench.untrusted import RefusedError

DOUBLE, SINGLE = heads.ROUNDING["float64"], heads.ROUNDING["float32"]
MENU = spaces.Discrete(3)


def submitted(folder, child, policy, recorded_by, agent="ppo-small"):
    """Return the checked submission of one policy, with the actions that another one took."""
    mlp.save(policy, folder / "policy.npz")
    agbench.evaluate(TASK, recorded_by, out=folder / "result")
    card = {**CARD, "agent": agent}
    made = leaderboard.submit([folder / "result"], card, folder / "leaderboard", [folder / "policy.npz"])
    return leaderboard.check(made, child)


def shifted(result, output, by):
    """Return a network whose last layer adds a little to an output."""
    last = result.biases[-1].copy()
    last[output] += by
    return replace(result, biases=(*result.biases[:-1], last))


def indifferent(*values):
    """Return a network that sees nothing: the same outputs for every observation."""
    return replace(
        network(1), weights=(np.zeros((12, 8)), np.zeros((8, 3))), biases=(np.zeros(8), np.array(values))
    )


class Liar(Recorded):
    """Takes the first choice, but for some decisions of the first seasons: then another one."""

    def __init__(self, lies, choice=2):
        super().__init__([], "liar")
        self._left, self._choice = lies, choice

    def __call__(self, observation):
        self._left -= 1
        return np.int64(self._choice if self._left >= 0 else 0)


@pytest.fixture(scope="module")
def close(tmp_path_factory):
    """Return a network whose first decision of all is as good as tied: the second best is 1e-12 below."""
    env = agbench.make(TASK)
    seen, _ = env.reset(seed=0, options={"scenario": agbench.data.catalog.task(TASK).scenarios("test")[0]})
    result = network(1)
    values = result(seen[None])[0]
    best, second = np.argsort(values)[::-1][:2]
    result = shifted(result, second, values[best] - values[second] - 1e-12)
    assert result.actions(seen[None], MENU)[0] == best
    return result, int(second)


def test_an_honest_policy_whose_weights_are_off_by_a_last_bit_is_reproduced(tmp_path, child):
    result = network(1)
    nudged = replace(result, weights=tuple(np.nextafter(w, np.inf) for w in result.weights))
    checked = submitted(tmp_path, child, nudged, mlp.Mlp("ppo-small", result, MENU))
    assert reproduce(checked).replay.exact


def test_a_decision_within_rounding_is_replayed_as_recorded_and_counted(tmp_path, child, close):
    result, second = close
    other = shifted(result, second, 2e-12)
    checked = submitted(tmp_path, child, other, mlp.Mlp("ppo-small", result, MENU))
    ours = agbench.evaluate(TASK, mlp.Mlp("ppo-small", other, MENU)).actions[0]
    assert ours[0] == second != checked.results[0].actions[0][0]
    again = reproduce(checked)
    assert (again.near_ties, again.same_actions, again.exact) == (1, False, False)
    assert again.replay.exact


def test_a_decision_that_is_not_within_rounding_is_refused(tmp_path, child, close):
    result, second = close
    checked = submitted(tmp_path, child, shifted(result, second, 1e-6), mlp.Mlp("ppo-small", result, MENU))
    with pytest.raises(RefusedError, match=r"decision 1: the submitted policy takes others: \d, not \d"):
        reproduce(checked)


def test_a_policy_of_equal_values_takes_the_first_and_nothing_else(tmp_path, child):
    for i, values in enumerate([(0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (1e30, 1e30 + 1.0, 1e30)]):
        folder = tmp_path / str(i)
        folder.mkdir()
        checked = submitted(folder, child, indifferent(*values), Liar(1))
        with pytest.raises(RefusedError, match="the submitted policy takes others: 0, not 2"):
            reproduce(checked)


def test_a_policy_that_is_always_nearly_tied_cannot_have_taken_anything(tmp_path, child):
    """However the values are spread within rounding, no more than one in a thousand decisions may differ."""
    tied = indifferent(1.0, 1.0 - 1e-13, 1.0 - 2e-13)
    honest = agbench.evaluate(TASK, Liar(0))
    most = max(1, int(NEAR_TIES * sum(len(actions) for actions in honest.actions)))
    assert most < 5
    for lies, good in ((0, True), (most, True), (most + 1, False), (100, False)):
        folder = tmp_path / str(lies)
        folder.mkdir()
        checked = submitted(folder, child, tied, Liar(lies))
        if good:
            assert reproduce(checked).near_ties == lies
        else:
            with pytest.raises(RefusedError, match=rf"more than {most} of \d+ decisions are near-ties"):
                reproduce(checked)


@pytest.mark.parametrize(("decisions", "most"), [(20, 1), (1_999, 1), (2_000, 2), (3_999, 3)])
def test_one_decision_in_a_thousand_may_be_a_near_tie_and_one_always(decisions, most):
    checked = SimpleNamespace(columns={"steps": [decisions - 5, 5]}, split="test", seed=0)
    tally = _Tally(checked, MENU)

    def take():
        tally.take(0, np.array([1.0, 1.0 - 1e-13, 0.0]), DOUBLE, np.int64(1), "1984, decision 1")

    for _ in range(most):
        take()
    with pytest.raises(RefusedError, match=f"more than {most} of {decisions:,} decisions are near-ties"):
        take()


@pytest.mark.parametrize(
    ("values", "choice", "near"),
    [
        ([1.0, 1.0 - 1e-12, 0.0], 1, True),
        ([1.0, 1.0 - 1e-8, 0.0], 1, False),
        ([1.0, 1.0, 0.0], 1, False),  # equal values: the first is taken
        ([1.0, 1.0 - 1e-12, 0.0], 2, False),
        ([0.2, 0.1, -1e15], 1, False),  # a choice that is worth much less widens nothing
        ([1e-3, -1e-3, 1e-4], 1, False),
        ([np.inf, 0.0, 0.0], 1, False),
        ([np.inf, np.inf, 0.0], 1, False),
        ([-np.inf, -np.inf, -np.inf], 1, False),
        ([np.nan, 1.0, 1.0], 1, False),
        ([1.0, np.nan, 1.0], 1, False),
    ],
)
def test_what_is_a_near_tie_in_double_precision(values, choice, near):
    assert heads.near_tie(np.array(values), choice, DOUBLE) is near


def test_single_precision_rounds_more():
    values = np.array([1.0, 1.0 - 3e-5, 0.9])
    assert heads.near_tie(values, 1, SINGLE)
    assert not heads.near_tie(values, 1, DOUBLE)
    assert not heads.near_tie(values, 2, SINGLE)


def test_graphs_say_how_precise_they_are():
    pytest.importorskip("onnxruntime")
    files, onnx = pytest.importorskip("onnx_files"), pytest.importorskip("agbench.policies.networks.onnx")
    single = files.plain().SerializeToString()
    assert onnx.Onnx("mine", files.good(), "policy.onnx", 12, MENU).rounding == DOUBLE
    graph = onnx.Onnx("mine", single, "policy.onnx", 12, MENU)
    assert graph.rounding == SINGLE
    graph.reset(0)
    action, values = graph.decide(np.ones(12))
    assert (int(action), values.tolist()) == (0, [12.0, 12.0, 12.0])


def test_a_memory_moves_on_once_a_decision():
    cell = mlp.Cell("gru", *(np.random.default_rng(i).normal(size=s) for i, s in enumerate([(2, 9), (3, 9)])),
                    np.zeros(9), np.zeros(9))  # fmt: skip
    result = mlp.Network(("identity",), (np.eye(3),), (np.zeros(3),), "argmax", cells=(cell,))
    one, two = mlp.Mlp("one", result, MENU), mlp.Mlp("two", result, MENU)
    for seen in np.random.default_rng(3).normal(size=(5, 2)):
        action, values = one.decide(seen)
        assert action == two(seen) == np.argmax(values)


def following(own, recorded):
    """Return a policy that takes amounts of its own, following recorded ones, and the tally of it."""
    checked = SimpleNamespace(
        split="test", seed=0, columns={"steps": [len(recorded)], "scenario": ["w/1"]}, actions=[recorded]
    )
    tally = _Tally(checked, spaces.Box(-1.0, 1.0, (1,), np.float32))
    return _Following(Recorded(own), recorded, "w/1", tally), tally


def test_amounts_within_the_tolerance_go_on_as_recorded_so_that_nothing_adds_up():
    recorded = np.array([[0.1], [0.2], [0.3]], np.float32)
    policy, tally = following(recorded + np.float32(5e-6), recorded)
    policy.reset(0)
    assert [policy(None).tolist() for _ in range(3)] == recorded.tolist()
    assert (tally.near_ties, tally.same_actions) == (0, False)
    policy, _ = following(recorded + np.float32([[0.0], [2e-5], [0.0]]), recorded)
    policy.reset(0)
    policy(None)
    with pytest.raises(RefusedError, match="actions in w/1, decision 2: the submitted policy takes others"):
        policy(None)
    policy, _ = following([np.float32([np.nan])], recorded)
    policy.reset(0)
    with pytest.raises(RefusedError, match="takes others"):
        policy(None)
