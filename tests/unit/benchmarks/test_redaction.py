"""The corpus of made-up secrets, and what the redactor makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.datasets.secret_shapes import SecretCase
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.redaction import (
    SIZES,
    corpus,
    is_right,
    redacted,
    redaction_grids,
    run_redaction,
    score,
    share,
)
from recollect.text.redaction import Redactor

HALVES = ("named", "unseen")
SECRETS = [case for case in corpus(7) if case.secret is not None]
LOOK_ALIKES = [case for case in corpus(7) if case.secret is None]


@pytest.mark.parametrize("half", HALVES)
def test_of_a_hundred_secrets_two_stay_at_most(half: str) -> None:
    """In each half by itself; `python -m benchmarks redaction` shows which."""
    assert share(score(SECRETS), half) >= 0.98


@pytest.mark.parametrize("half", HALVES)
def test_of_two_hundred_look_alikes_one_goes_at_most(half: str) -> None:
    """What is not a secret can be found again."""
    assert share(score(LOOK_ALIKES), half) >= 0.995


def test_the_corpus_is_large_enough() -> None:
    """Four hundred secrets in forty carriers, four hundred look-alikes, none of them twice."""
    assert len(SECRETS) >= 400
    assert len({(case.half, case.carrier) for case in SECRETS}) >= 40
    assert len({str(case.value) for case in LOOK_ALIKES}) >= 400


def test_the_same_seed_makes_the_same_corpus() -> None:
    """And another one other secrets."""
    assert corpus(3) == corpus(3)
    assert corpus(3) != corpus(7)


def test_the_redacted_corpus_is_left_as_it_is() -> None:
    """What is stored can be stored again."""
    redactor = Redactor(b"salt")
    for case in corpus(11):
        once = redacted(redactor, case.value)
        assert redacted(redactor, once) == once, case


PIECES = [case.value for case in corpus(13) if isinstance(case.value, str)]


@given(
    st.lists(
        st.sampled_from(PIECES) | st.sampled_from(["\n", " ", ", ", '"', "|", "=", ""]), max_size=8
    )
)
def test_redacting_again_changes_nothing_however_the_corpus_is_joined(pieces: list[str]) -> None:
    """A mark may end the word, the line or the table before it."""
    redactor = Redactor(b"salt")
    once = redactor.redact("".join(pieces)).text
    assert redactor.redact(once).findings == ()


def test_a_piece_of_a_secret_that_is_left_counts_as_all_of_it() -> None:
    """Eight characters of it are too many."""
    token = "ghp_" + 36 * "a"
    right = SecretCase(half="named", carrier="x", value=f"a {token} b", secret=token)
    assert is_right(Redactor(), right)
    left = SecretCase(half="named", carrier="x", value="abcdefghi", secret="xabcdefgh")
    assert not is_right(Redactor(), left)


def test_the_report_names_each_half_and_carrier() -> None:
    """A table of each, and the speeds of every source."""
    run = run_redaction(describe_environment(), 7, None, 1)
    halves, secrets, _, speeds = redaction_grids(run)
    assert [row[0] for row in halves.rows] == list(HALVES)
    assert len(secrets.rows) == len(run.secrets)
    kinds = ["prose, here", "code, here", "secrets, here"]
    assert [row[:2] for row in speeds.rows] == [(kind, f"{n:,}") for kind in kinds for n in SIZES]
