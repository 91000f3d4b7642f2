"""What the detector leaves out to be fast changes nothing that it finds."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.datasets.labelled_messages import load_labelled
from recollect.text.languages.grammars.grammar import Grammar
from recollect.text.statements.columns import Columns
from recollect.text.statements.judge import ClauseOdds
from recollect.text.statements.reading import own_lines
from recollect.text.statements.recognition import SIGNS, clauses_of
from recollect.text.statements.rulebook import LANGUAGES, rulebook, small_letters
from recollect.text.statements.traits import clause_traits

OF_CASE = {"losses"}
"""Signs that know a name by its capital."""
PLAIN = ("borders", "subjects", "hedges", "hearsay", "limits", "changes", "manners", "handovers")


def said_in(code: str) -> list[str]:
    """Return messages in a language."""
    return [each.text for each in load_labelled("seen") if each.language == code][:60]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("sign", PLAIN)
def test_a_sign_is_found_in_small_letters_as_it_is_whatever_the_case(code: str, sign: str) -> None:
    """Letters that become others, or two, in small letters as well."""
    pattern = rulebook(code, "user").plain_signs[sign]
    ignoring = re.compile(getattr(rulebook(code, "user").grammar, sign), re.IGNORECASE)
    for text in said_in(code):
        for written in (text, text.upper(), text.title(), text.replace("i", "İ"), f"ſK{text}ıẞ"):
            lowered = small_letters(written)
            assert len(lowered) == len(written)
            found = [match.span() for match in pattern.finditer(lowered)]
            assert found == [match.span() for match in ignoring.finditer(written)]


def test_all_signs_but_those_of_names_are_compared() -> None:
    """A new one has to be added above."""
    cased = {name for name in PLAIN for code in LANGUAGES if is_cased(code, name)}
    assert not cased
    assert all(is_cased("en", name) for name in OF_CASE)


def is_cased(code: str, sign: str) -> bool:
    """Return whether a pattern looks at capitals."""
    grammar: Grammar = rulebook(code, "user").grammar
    return "(?-i:" in getattr(grammar, sign)


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_cannot_prevail_does_not_whatever_signs_it_has(code: str) -> None:
    """A clause with a lower bound is given up before its signs are looked for."""
    book = rulebook(code, "user")
    subsets = [each for count in range(len(SIGNS) + 1) for each in combinations(SIGNS, count)]
    given_up = 0
    for text in said_in(code):
        for clause in clauses_of(text, "user", book, ()):
            traits = clause_traits(clause, "user", code)
            if ClauseOdds(code, traits).may_prevail(SIGNS):
                continue
            given_up += 1
            for subset in subsets:
                odds = ClauseOdds(code, traits)
                odds.add(subset)
                assert odds.judgement().probability < 0.5
    assert given_up > 10


LINES = st.sampled_from(
    [
        "The cause was a stale lock.", "- It is not fixed yet", "```", "~~~", "plain words", "",
        "   ", "From: somebody", "Here is the log:", "Translate this text: no cause", "> quoted",
        "def cause(): return 1;", "| a | cause |", "Note: still open", "cause", "\tTo: me, not you",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=12), st.sampled_from(["cause", "not", "still"]))
def test_lines_that_are_passed_over_decide_of_others_as_before(lines: list[str], cue: str) -> None:
    """Fences, mails and what is handed over end what its speaker says."""
    text, book = "\n".join(lines), rulebook("en", "assistant")
    offsets = [match.start() for match in re.finditer(cue, text)][::-1]
    starts = {text.rfind("\n", 0, at) + 1 for at in offsets}
    expected = [each for each in own_lines(text, book) if each[0] in starts]
    assert list(own_lines(text, book, offsets)) == expected


@given(st.lists(st.lists(st.integers(-(10**6), 10**6), min_size=4, max_size=4), max_size=20))
def test_a_sum_of_rows_has_the_sums_of_their_columns(rows: list[list[int]]) -> None:
    """No column takes from the next one."""
    columns = Columns(4)
    expected = tuple(map(sum, zip(*rows, strict=True))) if rows else (0, 0, 0, 0)
    assert columns.values(sum(map(columns.row, rows))) == expected
