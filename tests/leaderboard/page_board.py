"""Boards for the tests of the page: synthetic rows, and one whose every text is hostile."""

import shutil

import yaml
from good_submission import TASK
from large_board import grade, synthetic

from agbench.leaderboard.board import CARD, CHECKED

EVIL = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\"'&{{ 7*7 }}"


def make(board, count=8):
    """Fill a board: rows of several methods and trust levels, a second version, hostile texts."""
    synthetic(board, count, learned_seeds=5, task=TASK)
    grade(board)
    shutil.rmtree(board / CHECKED)  # so that builds check, and their cache keeps what is found
    evil(sorted((board / "submissions").glob("*/*/*"))[0])
    return board


def evil(folder):
    """Put hostile texts wherever a card holds a text that is free."""
    card = yaml.safe_load((folder / CARD).read_text())
    card.update(
        authors=[EVIL, "javascript:alert(1)"],
        contact=EVIL,
        hardware=EVIL,
        notes=f"{EVIL}\n</dd></dl></main>" + "long" * 500,
        hyperparameters={"learning-rate": EVIL, "layers": [64, EVIL]},
        code="https://example.org/a?b=1&c=2",
    )
    card["training"]["data"] = EVIL
    (folder / CARD).write_text(yaml.safe_dump(card, sort_keys=False))
