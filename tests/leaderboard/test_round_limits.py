"""Rounds on the edge: days, promises, secrets and pulses; what counts as the same where one is repeated."""

import pytest
from good_submission import TASK

from agbench.data.reading import read_data
from agbench.errors import ConfigError
from agbench.leaderboard import beacon, rounds
from agbench.leaderboard.rounds import LeaderboardRound, Rounds
from agbench.leaderboard.verify import round_repeating
from agbench.leaderboard.verify.hidden import HiddenRun

ZEROS = "0" * 64


def test_the_first_pulse_after_a_day_begins_when_it_has_ended():
    """24 August 2023, 0 h UTC, is 1,692,835,200 s: 31,833 s after pulse 1, every 3 s another."""
    assert beacon.first_after("2023-08-23") == 1 + 31_833 // 3
    assert beacon.first_after("2023-08-24") == 1 + 31_833 // 3 + 28_800


def test_a_pulse_is_a_short_file(tmp_path):
    path = tmp_path / "pulse"
    said = '{"round": 7, "signature": "%s"}' % ("ab" * 48)
    path.write_text(said + " " * (10_000 - len(said)))
    assert beacon.read(path, 7).round == 7
    path.write_text(" " * (10_001 - len(said)) + said)
    with pytest.raises(ConfigError, match=r"is no pulse. Save it from https://api.drand.sh/52db.*/public/7"):
        beacon.read(path, 7)
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        beacon.read(tmp_path / "none", 7)


def entry(**changes):
    """Return a round as `rounds.yaml` tells it."""
    content = {"task": TASK, "round": 1, "opened": "2026-01-10", "closes": "2026-02-09", "scenarios": 50}
    content |= {"versions": 3, "task_hash": ZEROS, "sha256": rounds._sha256("salt")} | changes
    return {key: value for key, value in content.items() if value is not None}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"closes": "2026-01-10"},
        {"closed": "2026-01-10", "salt": "salt"},
        {"scenarios": 1000, "versions": 1000},
        {"scenarios": 1, "versions": 1},
        {"sha256": None, "pulse": beacon.first_after("2026-02-09")},
    ],
)
def test_a_round_may_last_a_day(changes):
    assert read_data(LeaderboardRound, entry(**changes), "r").round == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"closes": "2026-01-09"}, "it opens before it closes"),
        ({"closed": "2026-01-09", "salt": "salt"}, "it opens before it closes"),
        ({"closed": "2026-02-09"}, "'closed' and 'salt' must both be present"),
        ({"salt": "salt"}, "'closed' and 'salt' must both be present"),
        ({"closed": "2026-02-09", "salt": "other"}, "not the one whose SHA-256 was published"),
        ({"sha256": None}, "give either 'sha256' or 'pulse'"),
        ({"pulse": 10**9}, "give either 'sha256' or 'pulse'"),
        ({"signature": "ab" * 48}, "'signature' belongs to a closed round with a 'pulse'"),
        ({"sha256": None, "pulse": beacon.first_after("2026-02-09") - 1}, "known before the day after"),
        ({"scenarios": 1001}, "scenarios"),
        ({"scenarios": 0}, "scenarios"),
        ({"versions": 1001}, "versions"),
        ({"versions": 0}, "versions"),
        ({"round": 0}, "round"),
    ],
)
def test_a_round_that_breaks_its_promise_is_refused(changes, reason):
    with pytest.raises(ConfigError, match=reason):
        read_data(LeaderboardRound, entry(**changes), "r")


CLOSED = {"closed": "2026-02-09", "salt": "salt"}


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ([entry(**CLOSED), entry(round=2, opened="2026-02-09", closes="2026-02-10")], None),
        ([entry(**CLOSED), entry(task="rice-inputs-v1")], None),
        (
            [entry(), entry(round=2, opened="2026-02-09", closes="2026-02-10")],
            "only its last round may be open",
        ),
        ([entry(**CLOSED), entry(round=2, opened="2026-02-08")], "before the one before it has closed"),
        ([entry(**CLOSED), entry(round=3, opened="2026-02-09")], "must be 1, 2, 3"),
        ([entry(round=2)], "must be 1, 2, 3"),
    ],
)
def test_rounds_follow_one_another(told, reason):
    if reason is None:
        assert len(read_data(Rounds, {"rounds": told}, "r").rounds) == 2
    else:
        with pytest.raises(ConfigError, match=reason):
            read_data(Rounds, {"rounds": told}, "r")


@pytest.mark.parametrize(
    ("text", "good"),
    [("0123456789" + "a" * 22, True), ("0123456789" + "a" * 21, False), ("012345678" + "a" * 23, True),
     ("012345678" + "8" * 23, False), ("01234567", False), ("", False)],
)  # fmt: skip
def test_a_secret_has_32_characters_and_ten_different_ones(tmp_path, text, good):
    (tmp_path / "secret").write_text(text)
    if good:
        assert rounds._secret(tmp_path / "secret") == text.encode()
    else:
        with pytest.raises(ConfigError, match="at least 32 random letters and digits"):
            rounds._secret(tmp_path / "secret")


def test_a_round_lasts_30_days_with_50_scenarios_and_three_versions_of_an_author(tmp_path, monkeypatch):
    monkeypatch.setattr(rounds, "today", lambda: "2026-01-31")
    (opened,) = rounds.open_round(tmp_path / "board", [TASK], tmp_path / "secret")
    assert (opened.scenarios, opened.versions) == (50, 3)
    assert (opened.opened, opened.closes, opened.round) == ("2026-01-31", "2026-03-02", 1)


def hidden_run(objective, cost=(0.0, 0.0)):
    return HiddenRun(objective={0: [1.0, objective]}, cost={0: list(cost)})


@pytest.mark.parametrize(
    ("objective", "good", "exact"),
    [(3.0, True, True), (3.0 + 2.9e-4, True, False), (3.0 + 3.2e-4, False, False)],
)
def test_a_round_is_repeated_to_a_ten_thousandth(objective, good, exact):
    found = round_repeating._compared("a", hidden_run(3.0), hidden_run(objective))
    assert (found.good, found.exact, found.values) == (good, exact, 4)


def test_another_number_of_scenarios_is_not_the_same_and_repeats_count_by_their_mean():
    one = HiddenRun(objective={0: [1.0]}, cost={0: [0.0]})
    found = round_repeating._compared("a", hidden_run(3.0), one)
    assert (found.good, found.exact) == (False, False)
    several = hidden_run(3.0, (1.0, 3.0, 5.0, 5.0))
    assert round_repeating._compared("a", hidden_run(3.0, (2.0, 5.0)), several).exact


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1.0, 1.0 + 9e-5, True), (1.0, 1.0 + 1.1e-4, False), (0.0, 0.9e-9, True), (0.0, 1.1e-9, False),
     (None, 1.0, False), (None, None, True), ("a", "a", True), (1, 2, False)],
)  # fmt: skip
def test_what_a_table_says_is_the_same_within_rounding(one, other, same):
    assert round_repeating._same(one, other, 1e-4, 1e-9) is same


def test_what_a_row_says_is_named_in_words():
    said = dict(
        round_repeating._statements({"rank": 2, "score": [1.0, 0.5, 1.5], "details": {"worst_tenth": 3.0}})
    )
    assert said["rank"] == 2
    assert said["worst tenth"] == 3.0
    assert sorted(value for name, value in said.items() if name.startswith("score")) == [0.5, 1.0, 1.5]
    assert [round_repeating._said(one) for one in (None, 0.1, 3, "a")] == ["missing", "0.1", "3", "a"]
