"""Who has a rank: nobody who sees the weather to come; a row that only claims takes none out."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from agbench import leaderboard
from agbench.evaluation import provenance
from agbench.leaderboard import scoring
from agbench.leaderboard.page.entries import latest, unranked_because
from agbench.leaderboard.verify.verified import Code, Verified


@pytest.mark.parametrize(
    ("method", "information", "ranked"),
    [("mpc", "model", False), ("mpc", "forecast", True), ("rule", "state", True), ("oracle", "model", False)],
)
def test_what_sees_the_simulator_has_no_rank_whatever_its_method(made, child, method, information, ranked):
    result = leaderboard.check(made.folder, child)
    card = result.card.model_copy(update={"method": method, "information": information})
    code = Code(simulator_hash=provenance.simulator_hash(result.task), agbench="0")
    names = Verified(submission=result.digest, levels={"reproduced": code})
    row = scoring.row(replace(result, card=card), names)
    assert row.ranked is ranked
    shown = SimpleNamespace(card=card, row=row)
    assert unranked_because(shown, latest([shown])) == ("" if ranked else "looks ahead: a bound")


def entry(version, ranked):
    card = SimpleNamespace(
        task="t",
        agent="a",
        version=version,
        method="rule",
        information="observation",
        learned=False,
        training=SimpleNamespace(seeds=[0]),
    )
    return SimpleNamespace(card=card, row=SimpleNamespace(ranked=ranked))


@pytest.mark.parametrize(
    ("versions", "counts", "why"),
    [
        ({"1": True, "2": True}, "2", {"1": "earlier version", "2": ""}),
        ({"1": True, "99": False}, "1", {"1": "", "99": "not reproduced"}),
        (
            {"1": False, "2": True, "10": False},
            "2",
            {"1": "earlier version", "2": "", "10": "not reproduced"},
        ),
        ({"1.9": False, "1.10": False}, "1.10", {"1.9": "earlier version", "1.10": "not reproduced"}),
    ],
)
def test_the_newest_version_that_has_a_rank_counts(versions, counts, why):
    entries = [entry(version, ranked) for version, ranked in versions.items()]
    last = latest(entries)
    assert last == {("t", "a", counts)}
    assert {e.card.version: unranked_because(e, last) for e in entries} == why
