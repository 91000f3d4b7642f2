"""The proof that a text holds no secret: wherever it is given, the rules find nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.quality.redaction import corpus
from recollect.text.redaction import Redactor, harmless, redactor
from recollect.text.redaction.commands import HEADS
from recollect.text.redaction.harmless import Signs, folded, is_harmless, signs_in
from tests.unit.text.redaction.secrets_made_up import SHAPED
from tests.unit.text.redaction.test_redactor import FRAGMENTS

REDACTOR = Redactor(b"salt")
EVERY_SIGN = frozenset({*harmless.PARTS, *harmless.LOOKS})
PROSE = "the plan for Tuesday moved; understanding it took well-organised people three days, sudo"
WORDS = [*PROSE.split(), "internationalization", "0b5e2f1c-7a33-4c55-9f1e-6a1b2c3d4e5f", "Ärger"]


def _by_rules(value: object) -> object:
    """Redact with every rule looking at every text, whatever signs it holds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            redactor, "signs_in", lambda text: Signs(folded(text), EVERY_SIGN, HEADS, text)
        )
        patch.setattr(redactor, "is_harmless", lambda _: False)
        return Redactor(b"salt").redact_value(value)


@given(st.lists(st.sampled_from([*FRAGMENTS, *WORDS, " ", "\n"]), max_size=12).map("".join))
def test_the_quick_way_tells_what_the_rules_tell(text: str) -> None:
    """Source: fragments of secrets and of what is around them, between words of prose."""
    assert REDACTOR.redact_value(text) == _by_rules(text)


@given(st.text(max_size=80))
def test_so_it_does_of_any_text(text: str) -> None:
    """Whatever script it is in."""
    assert REDACTOR.redact_value(text) == _by_rules(text)


@pytest.mark.slow
def test_so_it_does_of_the_corpus_of_the_benchmark() -> None:
    """Secrets and look-alikes of both halves, each alone and among words that are known."""
    assert is_harmless(PROSE.removesuffix(", sudo"))
    for case in corpus(7):
        assert REDACTOR.redact_value(case.value) == _by_rules(case.value)
        if isinstance(case.value, str):
            line = f"the plan for Tuesday moved; {case.value} took people"
            assert REDACTOR.redact_value(line) == _by_rules(line)


@pytest.mark.parametrize(
    "text",
    [
        *["sudo -S", "x -b sid=abcdefgh12345678", "<prİvate>", "a\u200bb", "| echo a", "K\u212aEY"],
        *["-----BEGIN X", "see [redacted:x:aaaaaa]", "密码 x", "PuTTY-User-Key-File-2", "a://b"],
        *[secret for _, secret in SHAPED.values()],
    ],
)
def test_a_text_with_a_sign_is_not_proven(text: str) -> None:
    """Signs are the ends of words too, in any case and behind characters that nobody sees."""
    assert not is_harmless(text)
    assert not is_harmless(f"the plan {text} for Tuesday")


def test_words_that_were_seen_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is what makes it quick, for words with signs too."""
    before = signs_in("several ordinary words about a token")
    assert before
    monkeypatch.setattr(harmless, "_looked_at", lambda _: pytest.fail("they were known"))
    assert is_harmless("ordinary words, several"[:14])
    now = signs_in("about a token words")
    assert now
    assert now.rule_signs == before.rule_signs == {"token"}


def test_the_memory_of_words_is_bounded() -> None:
    """It starts again, and texts of new words are harmless as before."""
    harmless.known_words.update(f"n{number}" for number in range(harmless.MOST_KEPT))
    assert is_harmless("a word that is nowhere but here, such as glimmerwick")
    assert len(harmless.known_words) < 20


def test_long_words_are_not_kept_and_long_texts_not_tried() -> None:
    """They would not come again, and hold a sign more often than not."""
    long = "internationalizationalisms" * 5
    assert is_harmless(long)
    assert long not in harmless.known_words
    assert not is_harmless("word " * 1_000)
