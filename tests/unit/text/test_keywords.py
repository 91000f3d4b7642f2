"""Keywords of questions in several languages, beside those that OpenClaw 2026.9.6 extracts.

OpenClaw cuts Chinese, Japanese and Korean into words where it can, and keeps the words of its
question as they were written. Ours are the terms of the index. Intended differences:

- words are folded and stemmed (`configuracion`, `solut`), because the index holds them so;
- scripts without spaces become pairs of characters only: a single character finds too much, and a
  whole block (OpenClaw's trigram mode) finds nothing that is written otherwise;
- a Korean word keeps its particle's pair unless the particle is a needless word itself: `회의에서`
  becomes `회의` and `의에`, where OpenClaw has `회의에서` and `회의`;
- numbers and short words stay (`42`, `ab`): they name versions, ports and people;
- Japanese verbs keep their pairs around a kanji (`を設`); they match only what was written so.
"""

from __future__ import annotations

import pytest

from recollect.text.keywords import telling
from recollect.text.terms import query_terms

CASES = [
    # question, OpenClaw's keywords that ours must reach, what must be gone
    ("ما هو الحل", ["الحل"], ["هو"]),
    ("怎么部署到服务器", ["部署", "服务", "务器"], ["怎么"]),
    ("¿dónde está la configuración?", ["configuración"], ["dónde", "la"]),
    ("", [], []),
    ("メモリ検索のテスト", ["検索"], []),
    ("サーバーを設定する", ["設定"], ["する"]),
    ("HTTP2 v3 42 ab", ["http2", "v3"], []),
    ("what was the solution for the bug", ["solution", "bug"], ["what", "was", "the", "for"]),
    ("어제 회의에서 결정한 것", ["회의"], ["어제", "것", "에서"]),
]


def keywords(question: str) -> list[str]:
    """Return what FTS5 is asked for any of."""
    return telling(list(dict.fromkeys(query_terms(question))))


@pytest.mark.parametrize(("question", "reached", "gone"), CASES)
def test_the_keywords_of_openclaw_are_reached(
    question: str, reached: list[str], gone: list[str]
) -> None:
    """By the terms that they become in the index; function words are gone."""
    words = keywords(question)
    for word in reached:
        assert set(keywords(word)) <= set(words)
    assert not set(gone) & set(words)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿dónde está la configuración?", ["configuracion"]),
        ("what was the solution for the bug", ["solut", "bug"]),
        ("HTTP2 v3 42 ab", ["http2", "v3", "42", "ab"]),
        ("어제 회의에서 결정한 것", ["회의", "의에", "결정", "정한"]),
        ("メモリ検索のテスト", ["メモ", "モリ", "リ検", "検索", "索の", "のテ", "テス", "スト"]),
        ("", []),
    ],
)
def test_ours_are_terms_of_the_index(question: str, expected: list[str]) -> None:
    """In the order of the question."""
    assert keywords(question) == expected


def test_a_question_of_needless_words_keeps_them() -> None:
    """Otherwise nothing would be looked for."""
    assert keywords("とは何ですか これ")
    assert telling(["que"]) == ["que"]
    assert telling(["que", "tea"]) == ["tea"]
