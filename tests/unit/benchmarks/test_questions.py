"""The questions set: how it is read, replayed and counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.datasets.questions import load_year
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.questions import (
    QuestionsPlan,
    describe_questions,
    questions_grids,
    run_questions,
)
from recollect.core.errors import InvalidInput

SEEN = """= session 2025-03-10 18:00 dentist
> the dentist says the molar needs a crown
< Noted: a crown in April.
= file memory/2025-03-12.md
# Garage
The brake discs were replaced.
= observation 2025-03-14 10:00 deploy
Deployed billing-worker with a longer visibility timeout.
= questions
2025-03-11 09:00 | time | dentist.1 dentist.2 | what about the crown?
2025-03-20 09:00 | file | memory/2025-03-12.md | brake discs
2025-03-20 09:00 | observation | deploy | billing-worker timeout
2025-03-20 09:00 | across | deploy | Welche Zeitgrenze?
"""
UNSEEN = """= session 2025-03-15 10:00 bread
> the rye bread was a brick
= questions
2025-03-20 09:00 | typo | bread.1 | dentist crown
"""


def _folder(root: Path, seen: str = SEEN) -> Path:
    (root / "seen_en.txt").write_text(seen, encoding="utf-8")
    (root / "unseen_en.txt").write_text(UNSEEN, encoding="utf-8")
    return root


def test_the_set_has_four_languages_in_two_halves_over_different_threads() -> None:
    """At least 120 questions, and no thread answers questions of both halves."""
    year = load_year()

    counted = [each for each in year.questions if each.kind != "across"]
    assert len(counted) >= 120
    assert {(each.half, each.language) for each in counted} == {
        (half, language) for half in ("seen", "unseen") for language in ("en", "de", "pt", "zh")
    }
    threads = {
        half: {
            key.rpartition(".")[0] if "/" not in key else key
            for each in counted
            if each.half == half
            for key in each.gold
            if "." in key
        }
        for half in ("seen", "unseen")
    }
    assert threads["seen"].isdisjoint(threads["unseen"])


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("deploy | Welche", "nothing | Welche"),
        ("2025-03-11 09:00 | time", "2025-03-09 09:00 | time"),
        ("= observation 2025-03-14 10:00 deploy", "= remark deploy"),
        ("= observation 2025-03-14 10:00 deploy", "= observation 2025-03-14 10:00 dentist.1"),
    ],
)
def test_a_set_that_cannot_be_answered_is_refused(tmp_path: Path, was: str, becomes: str) -> None:
    """Unknown or later gold, a block of no known kind, a key that comes twice."""
    folder = _folder(tmp_path, SEEN.replace(was, becomes))

    with pytest.raises(InvalidInput):
        load_year(folder)


def test_questions_are_asked_of_what_was_there_at_their_moment(tmp_path: Path) -> None:
    """Shares by kind for the seen half, totals alone and no misses for the unseen one."""
    texts = tmp_path / "texts"
    texts.mkdir()
    run, answers = run_questions(
        describe_environment(),
        load_year(_folder(texts)),
        QuestionsPlan(modes=("lexical", "hybrid"), overrides={"embedding.provider": "none"}),
        tmp_path / "home",
        lambda *_: None,
    )

    assert set(answers[0].found) <= {"dentist.1", "dentist.2"}
    shares = {(each.half, each.of): each for each in run.shares}
    assert shares["seen", "all"].first.n == 3
    assert shares["seen", "all"].first.mean == 1.0
    assert shares["seen", "across"].among.mean == 0.0
    assert shares["seen", "observation"].among.mean == 1.0
    assert shares["unseen", "all"].first.mean == 0.0
    assert ("unseen", "typo") not in shares
    assert {miss.question for miss in run.misses} == {"seen_en.4"}
    assert run.notes == ("hybrid search was left out: ",)
    assert describe_questions(run)[0].startswith("5 messages")
    assert [grid.title for grid in questions_grids(run)] == [
        "Questions over a year",
        "First hit wrong",
    ]
