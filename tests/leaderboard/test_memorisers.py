"""Memorisers: above the expert on public test, without rank before a round, below the expert within one."""

import numpy as np
import pytest
from good_submission import CARD, TASK
from test_rounds import SECRET

import agbench
from agbench import leaderboard
from agbench.data import catalog
from agbench.evaluation import anchors
from agbench.leaderboard import eligible, rounds, scoring, standings
from agbench.leaderboard.page import build
from agbench.leaderboard.verify import round_running, verified
from agbench.leaderboard.verify.verifying import reproduced
from agbench.policies.networks import mlp

memorisers = pytest.importorskip("memorisers")


@pytest.fixture(scope="module")
def board(tmp_path_factory, child):
    """Return a board with both kinds of memorisers, reproduced."""
    root = tmp_path_factory.mktemp("memorisers")
    for seed in range(5):
        mlp.save(memorisers.fitted(seed), root / f"{seed}.npz")
        agbench.evaluate(TASK, mlp.load(root / f"{seed}.npz", TASK), out=root / f"mlp-{seed}")
    (root / "0.onnx").write_bytes(memorisers.looked_up(memorisers.oracle_episodes()))
    agbench.evaluate(TASK, str(root / "0.onnx"), out=root / "onnx-0")
    for kind, suffix, seeds, policy in (("mlp", "npz", 5, "mlp"), ("onnx", "onnx", 1, "onnx")):
        card = {**CARD, "agent": f"memory-{kind}", "policy": {"format": policy}}
        results, policies = (
            [root / f"{name}" for name in names]
            for names in (
                [f"{kind}-{seed}" for seed in range(seeds)],
                [f"{seed}.{suffix}" for seed in range(seeds)],
            )
        )
        folder = leaderboard.submit(results, card, root / "leaderboard", policies)
        reproduced(root / "leaderboard", leaderboard.check(folder, child))
    return root / "leaderboard"


@pytest.fixture(scope="module")
def page(board, tmp_path_factory):
    """Return the text of the task's page before any round."""
    root = tmp_path_factory.mktemp("page")
    site = build(board, root / "site", episodes=0, cache=root / "cache").site
    return (site / "tasks" / f"{TASK}.html").read_text()


def row(board, agent, child):
    submission = leaderboard.check(board / "submissions" / TASK / agent / "1.0", child)
    return submission, scoring.row(submission, verified.load(board, submission))


def test_what_is_learned_by_heart_is_what_the_oracle_does():
    _, returns = memorisers.played(memorisers.searched())
    assert returns == pytest.approx(anchors.of_split(catalog.task(TASK), "test").oracle, abs=1e-9)


@pytest.mark.slow
def test_the_oracle_finds_it_again():
    found = agbench.evaluate(TASK, "ceres", progress=False).actions
    assert all(np.array_equal(*both) for both in zip(found, memorisers.searched(), strict=True))


@pytest.mark.parametrize("agent", ["memory-mlp", "memory-onnx"])
def test_a_memoriser_beats_the_expert_on_test_and_has_no_rank(board, page, agent, child):
    submission, found = row(board, agent, child)
    expert = scoring.measured(submission, "test").expert
    floor = scoring.measured(submission, "test").floor
    assert found.level == "reproduced"
    assert found.scores["test"].iqm.value > 1.2 * 100.0 * (expert - floor).mean() / gain(submission)
    assert standings.last_rank(board, submission) is None
    assert "No round was run yet, so that nobody has a rank." in page
    assert "Public test: can be overfitted" in page


def gain(submission):
    return scoring.measured(submission, "test").gain


def test_a_memoriser_is_below_the_expert_in_a_round_and_flagged(board, child, tmp_path):
    secret = tmp_path / "keep" / "secret"
    secret.parent.mkdir()
    secret.write_text(SECRET)
    rounds.open_round(board, [TASK], secret, 20)
    (table,) = round_running.run(board, rounds.open_rounds(board), secret, 1, print)
    by_agent = {one.agent: one for one in table.rows}
    memory, expert = by_agent["memory-mlp"], by_agent["expert"]
    assert memory.seeds == 5
    assert memory.rank == max(one.rank for one in table.rows) > expert.rank == 1
    assert memory.score[0] < by_agent["floor"].score[0] < expert.score[0]
    assert memory.far_above
    assert not expert.far_above
    assert "memory-onnx" not in by_agent  # one seed of a learned agent
    submission, found = row(board, "memory-onnx", child)
    assert eligible.obstacle(submission, verified.load(board, submission)) == "1 of 5 seeds"
    assert found.not_eligible == "1 of 5 seeds"


def test_a_graph_that_looks_plans_up_is_below_the_expert_in_hidden_scenarios(board, child, tmp_path):
    """Were it eligible, it would stand below the expert: plans of the nearest public year."""
    from agbench.leaderboard.verify import hidden

    submission, _ = row(board, "memory-onnx", child)
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    (entry,) = rounds.open_round(tmp_path / "other", [TASK], secret, 20)
    with rounds.salt_file(rounds.salt_of(entry, secret)) as salt:
        runs = {
            role: hidden.run_reference(submission.task, role, entry, salt) for role in ("floor", "expert")
        }
        runs["memory"] = hidden.run_submission(submission, entry, salt)
    reached = {name: standings.measured(submission.task, runs, name) for name in ("memory", "expert")}
    assert reached["memory"].points.mean() < reached["expert"].points.mean()
    assert standings.is_far_above(submission, reached["memory"], reached["expert"])


def test_seeds_that_know_the_same_are_one_seed(tmp_path, child):
    """A network, and twice the same with its hidden units in another order."""
    network = memorisers.fitted(0)
    for seed in range(3):
        mlp.save(memorisers.permuted(network, seed), tmp_path / f"{seed}.npz")
        agbench.evaluate(TASK, mlp.load(tmp_path / f"{seed}.npz", TASK), out=tmp_path / f"result-{seed}")
    results = [tmp_path / f"result-{seed}" for seed in range(3)]
    policies = [tmp_path / f"{seed}.npz" for seed in range(3)]
    board = tmp_path / "leaderboard"
    submission = leaderboard.check(leaderboard.submit(results, CARD, board, policies), child)
    assert submission.distinct_seeds == (0,)
    assert submission.objective("test").shape == (1, 11)
    reproduced(board, submission)
    found = scoring.row(submission, verified.load(board, submission))
    assert found.not_eligible == "1 of 5 seeds (3 given, 2 act like others)"
    site = build(board, episodes=0, cache=tmp_path / "cache").site
    text = (site / "tasks" / f"{TASK}.html").read_text()
    assert "of 3 given: the others act alike" in text
