"""Rounds: promised, run whole or not at all, closed, repeated; the secret is in nothing that anyone sees."""

import csv
import errno
import hashlib
import hmac
import json
import os
import shutil
import stat
from types import SimpleNamespace

import numpy as np
import pytest
import typer
import yaml
from good_submission import CARD, TASK, network
from travelling import Travelling

import agbench
from agbench import leaderboard
from agbench.cli.app import app
from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.evaluation import anchors, provenance
from agbench.files import alone
from agbench.leaderboard import beacon, rounds, standings
from agbench.leaderboard.page import build
from agbench.leaderboard.verify import hidden, round_repeating, round_running, verified
from agbench.leaderboard.verify.round_repeating import repeat, repeats
from agbench.leaderboard.verify.verifying import reproduced
from agbench.policies.networks import mlp

SECRET = "a-secret-that-nobody-knows-0123456789"
SCENARIOS = 6


def write_secret(folder):
    path = folder / "keep" / "secret"
    path.parent.mkdir(exist_ok=True)
    path.write_text(SECRET + "\n")
    return path


@pytest.fixture
def secret(tmp_path):
    return write_secret(tmp_path)


def give(root, board, agent, seeds, child, **changes):
    """Submit a learned agent of random networks, reproduce it, and return its checked submission.

    The seeds of an agent here act differently; some others, such as 31 and 32, do not.
    """
    policies, results = [], []
    for seed in seeds:
        policies.append(root / f"{seed}.npz")
        results.append(root / f"result-{seed}")
        if not policies[-1].exists():
            mlp.save(network(seed), policies[-1])
            agbench.evaluate(TASK, mlp.load(policies[-1], TASK), out=results[-1])
    card = {**CARD, "agent": agent, "authors": [agent], "contact": f"{agent}@example.org", **changes}
    submission = leaderboard.check(leaderboard.submit(results, card, board, policies), child)
    reproduced(board, submission)
    return submission


@pytest.fixture(scope="module")
def template(tmp_path_factory, child):
    """Return a folder with a board of two eligible agents, and what they are made of."""
    root = tmp_path_factory.mktemp("rounds")
    for agent, seeds in (("one", range(1, 6)), ("two", (11, 12, 13, 14, 16))):
        give(root, root / "leaderboard", agent, seeds, child)
    return root


@pytest.fixture
def board(template, tmp_path):
    shutil.copytree(template / "leaderboard", tmp_path / "leaderboard")
    return tmp_path / "leaderboard"


@pytest.fixture(scope="module")
def wider_template(template, child):
    """Return a board on which a third eligible agent is as well; no round of it was opened."""
    shutil.copytree(template / "leaderboard", template / "wider")
    give(template, template / "wider", "three", range(21, 26), child)
    return template / "wider"


@pytest.fixture(scope="module")
def ran_template(template):
    """Return a folder with a board whose round was opened and run, and with its secret and what is kept."""
    root = template / "ran"
    shutil.copytree(template / "leaderboard", root / "leaderboard")
    secret = write_secret(root)
    opened(root / "leaderboard", secret)
    run(root / "leaderboard", secret)
    return root


@pytest.fixture(scope="module")
def closed_template(template, ran_template):
    """Return such a folder after the round was closed."""
    shutil.copytree(ran_template, template / "closed")
    close(template / "closed/leaderboard", template / "closed/keep/secret")
    return template / "closed"


@pytest.fixture
def ran(ran_template, tmp_path):
    """Return a board whose round was run, and its secret."""
    shutil.copytree(ran_template, tmp_path, dirs_exist_ok=True)
    return tmp_path / "leaderboard", tmp_path / "keep/secret"


@pytest.fixture
def closed(closed_template, tmp_path):
    """Return a board with a closed round, and the round; policies run again reach what they reached."""
    shutil.copytree(closed_template, tmp_path, dirs_exist_ok=True)
    (entry,) = rounds.closed_rounds(tmp_path / "leaderboard")
    return tmp_path / "leaderboard", entry


def opened(board, secret, **changes):
    return rounds.open_round(board, [TASK], secret, **{"scenarios": SCENARIOS, **changes})


def run(board, secret):
    said = []
    tables = round_running.run(board, rounds.open_rounds(board), secret, 1, said.append)
    return tables, said


def close(board, secret):
    return round_running.close(board, rounds.open_rounds(board), secret, early=True)


def third(board, wider):
    """Submit the third agent to a copy of the board: what `give` does, done once."""
    for path in sorted(path for path in wider.rglob("three/**/*") if path.is_file()):
        place = board / path.relative_to(wider)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)


def everything(folder):
    """Return all that stands in the files of a folder, and their names."""
    return b"\n".join(
        str(p).encode() + (p.read_bytes() if p.is_file() else b"") for p in sorted(folder.rglob("*"))
    )


def test_a_round_promises_a_salt_and_keeps_its_promise(tmp_path):
    board, file = tmp_path / "leaderboard", tmp_path / "keep" / "drawn"
    first, second = rounds.open_round(board, [TASK, "millet-inputs-v1"], file, 7)
    drawn = file.read_text().strip()
    assert len(drawn) == 64
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert drawn.encode() not in everything(board)
    assert rounds.open_rounds(board) == [first, second]
    assert first.sha256 != second.sha256
    closed = rounds.closed(first, file)
    rounds.replace(board, [closed])
    assert rounds.closed_rounds(board) == [closed]
    assert (closed.sha256, closed.scenarios) == (first.sha256, 7)
    assert drawn.encode() not in everything(board)
    assert closed.salt != rounds.salt_of(second, file)  # one salt says nothing about another
    with pytest.raises(ConfigError, match="millet-inputs-v1 round 1 is open; close it first"):
        rounds.open_round(board, ["millet-inputs-v1"], file)
    (again,) = rounds.open_round(board, [TASK], file)
    assert again.round == 2
    assert again.sha256 != closed.sha256
    path = board / rounds.FILE
    path.write_text(path.read_text().replace(closed.salt, "f" * 64))
    with pytest.raises(ConfigError, match="not the one whose SHA-256 was published"):
        rounds.load(board)


def test_secrets_that_are_none_are_refused(tmp_path, secret):
    board = tmp_path / "leaderboard"
    short = tmp_path / "short"
    for content in ("guess me", "guess me too, 20 byte", "ab" * 40):
        short.write_text(content)
        with pytest.raises(ConfigError) as caught:
            rounds.open_round(board, [TASK], short)
        assert content not in str(caught.value)
    board.mkdir(exist_ok=True)
    (board / "secret").write_text(SECRET)
    with pytest.raises(ConfigError, match="is on the board"):
        rounds.open_round(board, [TASK], board / "secret")
    (entry,) = opened(board, secret)
    other = tmp_path / "other"
    other.write_text(SECRET + "x")
    for refuse in (lambda: run(board, other), lambda: round_running.close(board, [entry], other, True)):
        with pytest.raises(ConfigError, match="is not the secret that board-wheat-v1 round 1") as caught:
            refuse()
        assert SECRET not in str(caught.value)
    assert not standings.path(board, TASK, 1).exists()


def test_a_secret_whose_drawing_was_cut_off_is_drawn_anew(tmp_path, monkeypatch):
    secret = tmp_path / "keep" / "secret"

    class Full:
        def __init__(self, handle, *_, **__):
            os.close(handle)

        def __enter__(self):
            raise OSError(errno.ENOSPC, "No space left on device")

        def __exit__(self, *_):
            raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr(rounds.os, "fdopen", Full)
        with pytest.raises(OSError, match="No space left") as caught:
            opened(tmp_path / "leaderboard", secret)
    assert caught.value.filename == str(secret)
    assert not list(secret.parent.iterdir())
    secret.touch()  # as a killed command leaves it
    opened(tmp_path / "leaderboard", secret)
    assert len(secret.read_text()) == 65
    assert secret.stat().st_mode & 0o777 == 0o600


def test_two_commands_do_not_open_rounds_at_once(tmp_path, secret):
    board = tmp_path / "leaderboard"
    (entry,) = opened(board, secret)
    content = (board / rounds.FILE).read_bytes()
    with alone(board / rounds.FILE, RuntimeError):
        with pytest.raises(ConfigError, match="another process is writing it"):
            rounds.open_round(board, ["millet-inputs-v1"], secret)
        with pytest.raises(ConfigError, match="another process is writing it"):
            rounds.replace(board, [rounds.closed(entry, secret)])
    assert (board / rounds.FILE).read_bytes() == content


@pytest.mark.parametrize("closes", ["2026-13-45", "2026-1-5", "tomorrow", "99999-01-01", "2019-01-01"])
def test_a_day_that_is_none_opens_nothing(tmp_path, secret, closes):
    for key in (secret, None):
        with pytest.raises(ConfigError, match="is not a date such as"):
            rounds.open_round(tmp_path / "leaderboard", [TASK], key, closes=closes)
    assert not rounds.load(tmp_path / "leaderboard")


def test_a_wrong_clock_is_noticed(tmp_path, secret, monkeypatch):
    board = tmp_path / "leaderboard"
    (entry,) = opened(board, secret)
    before = (board / rounds.FILE).read_bytes()
    monkeypatch.setattr(rounds, "today", lambda: "2021-01-01")
    with pytest.raises(ConfigError, match=r"round 1: .*is a clock wrong\?"):
        rounds.closed(entry, secret)
    monkeypatch.undo()
    rounds.replace(board, [rounds.closed(entry, secret)])
    good = (board / rounds.FILE).read_text()
    monkeypatch.setattr(rounds, "today", lambda: "2021-01-01")
    for key in (secret, None):
        with pytest.raises(ConfigError, match=f"{TASK} round 1 closed on .*: is the clock right"):
            rounds.open_round(board, [TASK], key)
    assert (board / rounds.FILE).read_text() == good != before.decode()
    content = yaml.safe_load(good)
    second = {key: value for key, value in content["rounds"][0].items() if key not in ("closed", "salt")}
    content["rounds"].append({**second, "round": 2, "opened": "2021-01-01"})
    (board / rounds.FILE).write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigError, match="opens before the one before it has closed"):
        rounds.load(board)


def test_rounds_that_are_out_of_order_are_refused(tmp_path, secret):
    board = tmp_path / "leaderboard"
    opened(board, secret)
    path = board / rounds.FILE
    content = yaml.safe_load(path.read_text())
    content["rounds"][0]["round"] = 2
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigError, match="its rounds must be 1, 2, 3"):
        rounds.load(board)


def test_all_that_an_episode_draws_follows_from_the_salt():
    task = catalog.task("greenhouse-winter-v1")
    one, two = (hidden.with_hidden(task, 4, salt) for salt in (b"1" * 32, b"2" * 32))
    assert len(one.scenarios("hidden")) == len(two.scenarios("hidden")) == 4
    days = [[key.rsplit("/", 1)[1] for key in split.scenarios("hidden")] for split in (one, two)]
    assert days[0] != days[1]
    assert one.protocol.seed != two.protocol.seed
    assert one.protocol.seed != task.protocol.seed
    field = catalog.task("wheat-inputs-v1")
    assert len(hidden.with_hidden(field, 4, b"1" * 32).scenarios("hidden")) == 4


def test_the_secret_decides_the_seasons(tmp_path, secret):
    task, runs = catalog.task(TASK), {}
    for text in (SECRET, SECRET + "2", SECRET):
        secret.write_text(text)
        (entry,) = opened(tmp_path / f"board-{len(runs)}{text[-1]}", secret)
        with rounds.salt_file(rounds.salt_of(entry, secret)) as salt:
            result = hidden.run_reference(task, "expert", entry, salt)
        assert runs.setdefault(text, result) == result
        assert len(set(result.objective[0])) == SCENARIOS
    assert runs[SECRET].objective != runs[SECRET + "2"].objective


def test_an_open_round_shows_means_with_intervals_and_nothing_else(ran):
    board, secret = ran
    table = standings.load(board, TASK, 1)
    assert [row.agent for row in table.rows if row.reference] == ["expert", "floor"]
    assert {row.agent for row in table.rows} == {"expert", "floor", "one", "two"}
    kept = next((secret.parent / "secret.runs").rglob("*.json")).read_text()
    assert "objective" in kept
    shown = (everything(board / "rounds") + (board / rounds.FILE).read_bytes()).decode()
    assert "objective" not in shown
    assert not list(board.rglob("rounds/**/*.csv"))
    for row in table.rows:
        assert row.details is None
        width = row.score[2] - row.score[1]
        for value in row.score:
            assert width < 1e-6 or abs(value * 10 - round(value * 10)) < 1e-6
    assert SECRET not in shown


def test_rows_are_ranked_among_references_and_the_worse_ones_stand_below(ran):
    """Random networks lose to the floor, whatever nobody else was run: hidden is no rank by itself."""
    table = standings.load(ran[0], TASK, 1)
    ranks = {row.agent: row.rank for row in table.rows}
    assert ranks["expert"] < ranks["one"]
    assert ranks["floor"] < ranks["one"]
    tracks = {row.agent: row.track_ranks for row in table.rows}
    assert tracks["expert"] == {"rules": 1}
    assert set(tracks["one"]) == {"online-rl", "budgeted"}
    assert min(tracks["one"]["online-rl"], tracks["two"]["online-rl"]) == 1


def test_a_round_that_breaks_publishes_nothing_and_goes_on_later(board, secret, monkeypatch):
    opened(board, secret)
    real, calls = hidden.run_submission, []

    def breaks(submission, *rest):
        calls.append(submission.card.agent)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(submission, *rest)

    monkeypatch.setattr(hidden, "run_submission", breaks)
    with pytest.raises(KeyboardInterrupt):
        run(board, secret)
    assert not standings.path(board, TASK, 1).exists()
    run(board, secret)
    assert sorted(calls) == sorted(["one", "two", calls[1]])  # the one that was done was not run again
    assert standings.path(board, TASK, 1).exists()


def test_a_row_that_comes_later_is_run_alone(ran, wider_template, monkeypatch):
    board, secret = ran
    before = standings.load(board, TASK, 1)
    third(board, wider_template)
    real, calls = hidden.run_submission, []
    monkeypatch.setattr(hidden, "run_submission", lambda s, *r: calls.append(s.card.agent) or real(s, *r))
    (after,), _ = run(board, secret)
    assert calls == ["three"]
    scores = {row.agent: row.score for row in after.rows}
    assert {row.agent: row.score for row in before.rows}.items() <= scores.items()


@pytest.mark.slow_except("who0")
@pytest.mark.parametrize(
    "who", [{"authors": ["Other", "ONE"]}, {"contact": "One+three@example.org"}], ids=list
)
def test_an_author_has_a_quota_of_versions(board, template, secret, child, who):
    opened(board, secret, versions=1)
    give(template, board, "three", range(21, 26), child, **who)
    (table,), said = run(board, secret)
    agents = {row.agent for row in table.rows}
    assert "two" in agents
    assert len(agents & {"one", "three"}) == 1
    assert sum("beyond the quota of 1 versions an author and round" in text for text in said) == 1
    (again,), _ = run(board, secret)
    assert {row.agent for row in again.rows} == agents


def test_who_names_others_as_authors_takes_no_place_of_theirs():
    def row(agent, submitted, authors):
        return SimpleNamespace(
            card=SimpleNamespace(agent=agent, submitted=submitted, authors=["S", *"ABC"][:authors])
        )

    rows = [
        (row("aaa1", "2026-11-28", 3), False),
        (row("aaa2", None, 1), False),
        (row("late", "2026-11-29", 4), True),
        (row("sched", "2026-11-28", 1), False),
        (row("bc", "2026-11-28", 1), False),
        (row("zero", "2026-11-27", 2), False),
    ]
    turns = sorted(rows, key=lambda one: round_running._turn(*one))
    assert [one.card.agent for one, _ in turns] == ["late", "zero", "bc", "sched", "aaa1", "aaa2"]


def test_who_shares_a_name_with_two_is_one_author_with_both():
    def row(digest, contact, *authors):
        return SimpleNamespace(digest=digest, card=SimpleNamespace(authors=authors, contact=contact))

    others = [
        row("a", "a@b.org", "A. Grower"),
        row("b", "b@b.org", "B. Farmer"),
        row("c", "c@b.org", "C. Third"),
    ]
    same = round_running._by_author(
        [*others, row("d", "d@b.org", "farmer, b", "Α. Gröwеr"), row("e", "C+x@b.org", "E")]
    )
    assert same["a"] == same["b"] == same["d"]
    assert same["c"] == same["e"] != same["a"]
    assert len({*round_running._by_author(others).values()}) == 3


def test_the_newest_version_is_ranked_and_the_earlier_ones_stay_in_the_table(ran, template, child):
    board, secret = ran
    give(template, board, "one", range(21, 26), child, version="2.0")
    (table,), _ = run(board, secret)
    versions = {row.version: row for row in table.rows if row.agent == "one"}
    assert (versions["1.0"].rank, versions["1.0"].earlier) == (None, True)
    assert versions["2.0"].rank is not None


def test_what_is_not_eligible_is_not_run(board, secret, template, child, monkeypatch):
    opened(board, secret)
    submissions = round_running._rows(board, [TASK])[TASK]
    verified.withdraw(board, submissions[0])
    (table,), _ = run(board, secret)
    assert {row.agent for row in table.rows} == {"expert", "floor", submissions[1].card.agent}


def test_a_closed_round_shows_every_value_and_can_be_repeated(closed):
    board, entry = closed
    shutil.rmtree(board.with_name("keep"))  # the secret, and what is kept beside it
    table = standings.load(board, TASK, 1)
    values = standings.read_values(board, TASK, 1)
    assert set(values) == {row.name for row in table.rows}
    assert [len(run.objective) for name, run in values.items() if name.startswith("one")] == [5]
    results = repeat(board, entry)
    assert all(result.good and result.exact and result.wrong == () for result in results)
    assert {result.values for result in results} == {2 * SCENARIOS, 2 * 5 * SCENARIOS}
    ((_, by_workers),) = repeats(board, [entry], Travelling())
    assert by_workers == results
    path = standings.values_path(board, TASK, 1)
    lines = path.read_text().splitlines()
    cells = lines[3].split(",")
    cells[4] = repr(float(cells[4]) + 1.0)
    path.write_text("\n".join([*lines[:3], ",".join(cells), *lines[4:]]))
    results = repeat(board, entry)
    assert [result.good for result in results].count(False) == 1
    assert any(result.wrong for result in results)


def test_a_row_that_is_gone_is_named_where_its_round_is_repeated(closed):
    board, entry = closed
    shutil.rmtree(board / "submissions" / TASK / "one")
    with pytest.raises(ConfigError, match=r"one/1.0 is no longer on the board: there is no folder .*one/1.0"):
        repeat(board, entry)


def test_a_quota_that_the_table_exceeds_is_noticed_where_its_round_is_repeated(closed, monkeypatch):
    board, entry = closed
    monkeypatch.setattr(round_running, "_by_author", lambda rows: {row.digest: 0 for row in rows})
    with pytest.raises(ConfigError, match=r"rows that it did not run. .* beyond the quota of 1 versions"):
        repeat(board, entry.model_copy(update={"versions": 1}))


def changed(board, agent, change):
    """Change the row of an agent in the table of a board's round, as an editor would."""
    path = standings.path(board, TASK, 1)
    content = yaml.safe_load(path.read_text())
    change(next(row for row in content["rows"] if row["agent"] == agent))
    path.write_text(yaml.safe_dump(content))


def test_a_table_that_does_not_follow_from_the_values_is_named(closed, capsys):
    board, entry = closed
    row = next(row for row in standings.load(board, TASK, 1).rows if row.agent == "one")

    def worse(row):
        row["rank"] += 1
        row["score"][1] -= 1.0
        row["details"]["mean"][0] += 2.0
        row["details"]["metrics"]["yield"] += 3.0
        row["details"]["less_expert"][2] *= 1.0 + 1e-12  # sums in another order

    changed(board, "one", worse)
    (wrong,) = (result.wrong for result in repeat(board, entry) if result.wrong)
    at, low, mean = row.rank, row.score[1], row.details.mean[0]
    harvest = row.details.metrics["yield"]
    assert set(wrong) == {
        f"rank is {at + 1} in the table; the values give {at}",
        f"score, lower end is {low - 1.0:.10g} in the table; the values give {low:.10g}",
        f"mean is {mean + 2.0:.10g} in the table; the values give {mean:.10g}",
        f"metrics yield is {harvest + 3.0:.10g} in the table; running it again gives {harvest:.10g}",
    }
    assert app(["leaderboard", "round", "repeat", TASK, "--board", str(board)], standalone_mode=False) == 1
    said = capsys.readouterr().out
    assert all(f"one/1.0: {sentence}\n" in said for sentence in wrong)
    assert (
        "4 equal to the last bit, 0 different\n4 numbers of the tables do not follow from the values\n"
        in said
    )


def test_when_a_reference_was_run_anew_is_told_beside_its_row(closed):
    board, entry = closed
    changed(board, "expert", lambda row: row.update(rerun="2027-05-01"))
    assert [result.wrong for result in repeat(board, entry)] == [()] * 4
    build(board, episodes=0)
    page = (board / "site" / "tasks" / f"{TASK}.html").read_text("utf-8")
    assert page.count("run on 2027-05-01, when the scenarios were public") == 1


def test_a_row_cannot_leave_the_table_or_its_part_in_the_ranks(closed):
    board, entry = closed
    path = standings.path(board, TASK, 1)
    whole = path.read_text()
    content = yaml.safe_load(whole)
    content["rows"] = [row for row in content["rows"] if row["agent"] != "one"]
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigError, match=r"one/1\.0 is among the values and not once in the table"):
        repeat(board, entry)
    path.write_text(whole)
    changed(board, "one", lambda row: row.update(earlier=True))
    assert {w for r in repeat(board, entry) for w in r.wrong} == {
        "earlier is True in the table; the values give False"
    }
    path.write_text(whole)
    changed(board, "floor", lambda row: row.pop("reference"))
    with pytest.raises(ConfigError, match="the table has no row of the reference 'floor'"):
        repeat(board, entry)
    path.write_text(whole.replace(f"scenarios: {SCENARIOS}", "scenarios: 5"))
    with pytest.raises(ConfigError, match="5 scenarios in the table, 6 promised"):
        repeat(board, entry)
    path.write_text(whole)
    values = standings.values_path(board, TASK, 1)
    values.write_text("\n".join(values.read_text().splitlines()[:-1]) + "\n")
    with pytest.raises(ConfigError, match=r"seed 4 of two/1\.0 has 5 values for 6 scenarios"):
        repeat(board, entry)


def test_values_are_those_of_the_table_and_of_the_scenarios_that_the_salt_gives(closed, tmp_path):
    board, entry = closed
    path = standings.values_path(board, TASK, 1)
    whole = path.read_text()
    third = whole.splitlines()[3].split(",")
    path.write_text(whole.replace(f",{third[3]},", ",paris/1789,"))
    with pytest.raises(ConfigError, match=f"scenario 2 is paris/1789; the round's salt gives {third[3]}"):
        repeat(board, entry)
    for cell, what in ((4, "mean score"), (5, "mean constraint cost")):
        cells = [*third[:cell], repr(float(third[cell]) + 1.0), *third[cell + 1 :]]
        path.write_text(whole.replace(",".join(third), ",".join(cells)))
        with pytest.raises(ConfigError, match=rf"1\.csv: what .*/1 reached has the {what} .* says"):
            build(board, tmp_path / "site", episodes=0)
    assert not (tmp_path / "site").exists()
    path.write_text(whole)
    build(board, tmp_path / "site", episodes=0)


def test_a_round_closes_on_its_day_and_only_when_all_has_run(board, secret, wider_template):
    (entry,) = opened(board, secret)
    with pytest.raises(ConfigError, match=r"closes on .*; to close it before that: --early"):
        round_running.close(board, [entry], secret)
    with pytest.raises(ConfigError, match="was not run with this version"):
        round_running.close(board, [entry], secret, early=True)
    run(board, secret)
    third(board, wider_template)
    with pytest.raises(ConfigError, match=r"three 1\.0 was not run with this version"):
        round_running.close(board, [entry], secret, early=True)
    assert rounds.open_rounds(board) == [entry]
    assert not standings.values_path(board, TASK, 1).exists()


def test_the_table_of_a_closed_round_follows_from_its_values(closed):
    """An own recomputation in plain NumPy: score, interval, difference to the expert, probability."""
    board, _ = closed
    with standings.values_path(board, TASK, 1).open() as file:
        rows = list(csv.DictReader(file))

    def of(agent):
        own = [row for row in rows if row["agent"] == agent]
        seeds = sorted({int(row["seed"]) for row in own})
        return np.array([[float(r["objective"]) for r in own if int(r["seed"]) == seed] for seed in seeds])

    stored = anchors.load(catalog.task(TASK)).splits["test"].values()
    constant = np.mean([value.oracle - value.floor for value in stored])
    one, expert, floor = of("one"), of("expert"), of("floor")
    points, theirs = 100.0 * (one - floor) / constant, 100.0 * (expert - floor) / constant
    generator = np.random.default_rng(5)
    drawn, less = [], []
    for _ in range(4000):
        chosen = generator.integers(0, SCENARIOS, SCENARIOS)
        seeds = generator.integers(0, 5, 5)
        middle = np.sort(points[seeds][:, chosen].mean(axis=1))[1:4].mean()
        drawn.append(middle)
        less.append(middle - theirs[0, chosen].mean())
    row = next(row for row in standings.load(board, TASK, 1).rows if row.agent == "one")
    assert row.score[0] == pytest.approx(np.sort(points.mean(axis=1))[1:4].mean())
    for shown, values in ((row.score, drawn), (row.details.less_expert, less)):
        low, high = np.quantile(values, [0.025, 0.975])
        assert shown[1:] == pytest.approx([low, high], abs=0.08 * (high - low))
    assert row.details.beats_expert[0] == pytest.approx(
        np.mean((one > expert) + 0.5 * (one == expert)), abs=1e-12
    )


def test_what_a_round_was_repeated_with_is_recorded_where_all_is_right(closed, monkeypatch, capsys):
    board, entry = closed
    now = provenance.simulator_hash(catalog.task(TASK))
    path = standings.path(board, TASK, 1)
    content = yaml.safe_load(path.read_text())
    content["code"]["simulator_hash"] = "0" * 64
    path.write_text(yaml.safe_dump(content))
    assert not standings.load(board, TASK, 1).holds(now)
    rows = round_running._rows(board, [TASK])[TASK]
    for row in rows:
        file = verified._path(board, row.card)
        file.write_text(file.read_text().replace(now, "a" * 64))
        assert verified.standing(verified.load(board, row), now).stale
    command = ["leaderboard", "round", "repeat", TASK, "--record", "--board", str(board)]
    assert app(command, standalone_mode=False) is None
    assert f"recorded in {path}" in capsys.readouterr().out
    table = standings.load(board, TASK, 1)
    assert table.holds(now)
    assert table.holds("0" * 64)
    assert table.repeated.exact
    assert table.code.simulator_hash == "0" * 64
    assert all(verified.load(board, row).holds("hidden", now) for row in rows)
    changed(board, "one", lambda row: row.update(rank=row["rank"] + 1))
    wrong = path.read_bytes()
    assert round_repeating.record(board, entry, repeat(board, entry)) is None
    assert path.read_bytes() == wrong


def test_the_commands_open_run_close_and_repeat_a_round(board, tmp_path, secret, capsys):
    def say(*words, code=None):
        assert app(["leaderboard", *words, "--board", str(board)], standalone_mode=False) == code
        printed = capsys.readouterr()
        return printed.out + printed.err

    said = say("round", "open", TASK, "--secret", str(secret), "--scenarios", "4", "--closes", "2099-01-01")
    assert f"next: agbench leaderboard round run --secret {secret} --board {board}" in said
    said += say("round", "run", "--secret", str(secret))
    said += say("score")
    said += say("round", "close", "--secret", str(secret), "--early")
    assert "board-wheat-v1 round 1: 4 policies in 4 hidden scenarios" in said
    assert SECRET not in said
    assert SECRET.encode() not in everything(board)
    secret.unlink()
    said = say("round", "repeat", TASK)
    assert "4 policies run again: 4 equal to the last bit, 0 different\n0 numbers of the tables" in said
    levels = {
        file.stem: yaml.safe_load(file.read_text())["levels"] for file in board.rglob("verified/**/1.0.yaml")
    }
    assert list(levels["1.0"]) == ["replayed", "reproduced", "hidden"]
    with pytest.raises(ConfigError, match="no round is open"):
        say("round", "run", "--secret", str(secret))


def test_tasks_without_a_generator_say_so(tmp_path, secret):
    with pytest.raises(ConfigError, match="greenhouse-gym-v1 has no hidden scenarios: the site schiphol"):
        hidden.with_hidden(catalog.task("greenhouse-gym-v1"), 5)
    line = ["leaderboard", "round", "open", "greenhouse-gym-v1", "--secret", str(secret)]
    with pytest.raises(ConfigError, match="has no hidden scenarios"):
        app([*line, "--board", str(tmp_path / "leaderboard")], standalone_mode=False)
    assert not (tmp_path / "leaderboard").exists()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ((57.34, 50.1, 64.7), (57.0, 50.0, 65.0)),
        ((57.34, 37.1, 78.7), (60.0, 40.0, 80.0)),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        ((12.3456, 12.3, 12.4), (12.35, 12.3, 12.4)),
        ((-0.2, -8.0, 7.0), (0.0, -8.0, 7.0)),
    ],
)
def test_an_open_round_rounds_to_what_the_interval_supports(value, shown):
    assert standings.supported(standings.Interval(*value)) == pytest.approx(list(shown))
    assert str(standings.supported(standings.Interval(*value))[0])[0] != "-" or shown[0] < 0


def test_a_policy_that_is_stopped_is_shown_without_rank_and_does_not_hold_the_round_up(
    board, secret, monkeypatch
):
    real = hidden.run_submission

    def stopped(submission, *rest):
        if submission.card.agent == "one":
            return hidden.HiddenRun(refused="it took longer than 60 s.")
        return real(submission, *rest)

    monkeypatch.setattr(hidden, "run_submission", stopped)
    opened(board, secret)
    (table,), _ = run(board, secret)
    row = next(row for row in table.rows if row.agent == "one")
    assert (row.rank, row.score, row.refused) == (None, None, "it took longer than 60 s.")
    (one,) = (s for s in round_running._rows(board, [TASK])[TASK] if s.card.agent == "one")
    assert "hidden" not in verified.load(board, one).levels


PULSE = {"round": 28493212, "signature": "8f" * 48}


def test_a_beacon_gives_the_salt_after_the_last_day(tmp_path):
    assert beacon.first_after("2026-04-19") == 27946612  # 2026-04-20 00:00 UTC, by the network's own client
    (entry,) = rounds.open_round(tmp_path / "leaderboard", [TASK], None, 5, closes="2026-12-24")
    assert (entry.sha256, entry.pulse) == (None, beacon.first_after("2026-12-24"))
    file = tmp_path / "pulse.json"
    file.write_text(json.dumps({**PULSE, "round": entry.pulse}))
    closed = rounds.closed(entry, file)
    key = hashlib.sha256(bytes.fromhex(PULSE["signature"])).digest()
    message = f"agbench round {TASK} 1".encode()
    assert closed.salt == hmac.new(key, message, hashlib.sha256).hexdigest()
    path = tmp_path / "leaderboard" / rounds.FILE
    rounds.replace(path.parent, [closed])
    good = path.read_text()
    assert rounds.closed_rounds(path.parent) == [closed]
    for old, new, match in (
        ("8f8f", "8f8e", "does not follow from the signature of the pulse"),
        (f"pulse: {entry.pulse}", f"pulse: {entry.pulse - 1}", "is known before the day after 'closes'"),
        (f"pulse: {entry.pulse}", f"sha256: {closed.salt}", "'signature' belongs to a closed round"),
    ):
        path.write_text(good.replace(old, new, 1))
        with pytest.raises(ConfigError, match=match):
            rounds.load(path.parent)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("<html>", "is no pulse. Save it from https://api.drand.sh/52db9ba7"),
        (json.dumps({**PULSE, "round": 7}), "is pulse 7; wanted is 28493212, from https"),
        (json.dumps({**PULSE, "signature": "8f" * 47}), "signature"),
        (json.dumps({**PULSE, "randomness": "0" * 64}), "is not the SHA-256 of 'signature'"),
    ],
)
def test_what_is_not_the_pulse_is_refused(tmp_path, content, match):
    file = tmp_path / "pulse.json"
    file.write_text(content)
    with pytest.raises(ConfigError, match=match):
        beacon.read(file, PULSE["round"])


def test_what_was_submitted_when_the_pulse_was_known_does_not_take_part(board, tmp_path, monkeypatch):
    monkeypatch.setattr(rounds, "today", lambda: "2024-05-01")
    (entry,) = rounds.open_round(board, [TASK], None, SCENARIOS, closes="2024-05-02")
    rows = round_running._rows(board, [TASK])[TASK]
    chosen, beyond = round_running.taking_part(board, entry, rows)
    assert not chosen
    assert "one 1.0: not submitted by 2024-05-02, the round's last day" in beyond[0]
    later = entry.model_copy(update={"closes": "2099-01-01"})
    assert len(round_running.taking_part(board, later, rows)[0]) == 2


def test_the_commands_open_run_close_and_repeat_a_round_of_a_beacon(board, tmp_path, capsys):
    def say(*words):
        app(["leaderboard", "round", *words, "--board", str(board)], standalone_mode=False)
        printed = capsys.readouterr()
        return printed.out + printed.err

    last = rounds.today()
    said = say("open", TASK, "--beacon", "--scenarios", "3", "--closes", last)
    (entry,) = rounds.open_rounds(board)
    assert f"salt from drand quicknet pulse {entry.pulse}" in said
    assert f"after {last}: save {beacon.address(entry.pulse)} as FILE" in said
    file = tmp_path / "pulse.json"
    file.write_text(json.dumps({**PULSE, "round": entry.pulse}))
    assert "4 policies in 3 hidden scenarios" in say("run", "--pulse", str(file))
    say("close", "--pulse", str(file))
    assert "4 policies run again: 4 equal to the last bit, 0 different" in say("repeat", TASK)
    for words, match in (
        (("open", TASK), "give --secret FILE or --beacon"),
        (("run",), "give --secret FILE, or --pulse FILE"),
        (("close", "--secret", str(file), "--pulse", str(file)), "not both"),
    ):
        with pytest.raises(typer.BadParameter, match=match):
            say(*words)


def test_the_first_page_leads_to_no_task_without_rows(board):
    other = "maize-sow-harvest-v1"
    rounds.open_round(board, [TASK, other], None, SCENARIOS, closes="2099-01-01")
    build(board, episodes=0)
    page = (board / "site/index.html").read_text("utf-8")
    assert f'<a href="tasks/{TASK}.html">' in page
    assert other in page
    assert f"tasks/{other}.html" not in page
    assert not (board / f"site/tasks/{other}.html").exists()


def test_a_changed_task_is_not_run_in_its_round(tmp_path, secret):
    task = catalog.task(TASK)
    (entry,) = opened(tmp_path / "leaderboard", secret)
    other = task.model_copy(update={"splits": {"train": task.splits["train"]}})
    with pytest.raises(ConfigError, match="has changed since the round was opened"):
        rounds.check_task(entry, other)
