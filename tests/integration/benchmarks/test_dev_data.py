"""The real development data, where it is present: the counts of the protocol."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.datasets.beam import load_beam
from benchmarks.datasets.cranfield import load_cranfield
from benchmarks.datasets.locomo import load_locomo
from benchmarks.datasets.longmemeval import load_longmemeval


def test_locomo_has_the_questions_of_the_protocol(bench_data: Path) -> None:
    """Four conversations: 582 questions in categories 1 to 4, 755 with the adversarial ones."""
    found = load_locomo(bench_data)

    groups = Counter(question.group for question in found.questions)
    assert groups == {
        "single-hop": 311,
        "temporal": 130,
        "multi-hop": 111,
        "open-domain": 30,
        "adversarial": 173,
    }
    assert len(found.session_of()) == 419 + 369 + 663 + 629


def test_audit_changes_gold_but_no_counts(bench_data: Path) -> None:
    """Variant B of the gold."""
    plain, audited = load_locomo(bench_data), load_locomo(bench_data, gold="audited")

    changed = [
        one.key
        for one, other in zip(plain.questions, audited.questions, strict=True)
        if one.gold != other.gold
    ]
    assert 30 < len(changed) < 69


def test_beam_has_the_questions_of_the_protocol(bench_data: Path) -> None:
    """Nine types of 16 in eight chats of 100K; one without ids in four of 500K."""
    small, large = load_beam(bench_data), load_beam(bench_data, "500K")

    assert (len(small.conversations), len(small.questions)) == (8, 144)
    assert set(Counter(question.group for question in small.questions).values()) == {16}
    assert (len(large.conversations), len(large.questions)) == (4, 71)


def test_cranfield_is_whole(bench_data: Path) -> None:
    """1,400 abstracts, 225 queries."""
    found = load_cranfield(bench_data)

    assert (len(found.documents), len(found.questions)) == (1400, 225)


def test_longmemeval_record_is_whole(bench_data: Path) -> None:
    """53 sessions in the order of their dates."""
    found = load_longmemeval(bench_data)

    (conversation,) = found.conversations
    starts = [session.turns[0].at for session in conversation.sessions]
    assert len(starts) == 53
    assert starts == sorted(starts)
