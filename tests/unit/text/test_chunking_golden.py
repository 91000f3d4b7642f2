"""Chunks beside those of OpenClaw: 26 texts that its two versions cut, and what ours are.

Twenty are equal, text for text. Where one is not, it is meant so:

- **weights**: a Chinese character is a token, as in 2026.9.6; 2026.2.9 counted four to a token, so
  that its chunks were four times what a model reads;
- **what fits**: the overlap is the last lines that fit into it, as in 2026.9.6; 2026.2.9 took lines
  until there were enough, and repeated parts of a line without end when it was very long;
- **whole lines**: 2026.9.6 repeats the end of a line whose whole is too long for the overlap. We
  repeat all of it when it is at most half a chunk, else nothing: a chunk is what its lines say.
"""

from __future__ import annotations

import hashlib

import pytest

from recollect.text.chunking import chunk_markdown

Case = tuple[str, int, int, list[tuple[int, int]], str]
"""A text, tokens, overlap, the lines of each chunk, and a digest of lines and texts."""

FOX = "The quick brown fox jumps over the lazy dog.\n"
HAN = "今天我们讨论了记忆系统的设计方案。\n"
HANGUL = "안녕하세요 오늘 회의에서 결정했습니다.\n"
ARABIC = "مرحبا بالعالم هذا اختبار\n"
FOURS = [(4 * n + 1, 4 * n + 5) for n in range(15)]

NEW: dict[str, Case] = {
    "empty": ("", 400, 80, [(1, 1)], "5537dfde2c04432d"),
    "crlf": ("alpha\r\nbeta\r\ngamma\r\n", 400, 80, [(1, 4)], "561ed34cb48f4070"),
    "lines": (FOX * 100, 400, 80, [(1, 35), (29, 63), (57, 91), (85, 101)], "5c5076a64be2bb4f"),
    "korean": (HANGUL * 40, 100, 20, FOURS[:10], "08db43039402d75a"),
    "chinese": (HAN * 60, 100, 20, FOURS, "64459516347c5961"),
    "a long line": ("a" * 1601, 400, 0, [(1, 1)] * 2, "714c0e8344fa3e58"),
    "a few characters": ("东京和京都", 400, 80, [(1, 1)], "c8e7c52290388749"),
    "overlap as large as a chunk": (
        "0123456789\n" * 12,
        10,
        10,
        [*((n, n + 2) for n in range(1, 10)), (10, 13)],
        "e93b64ce9b42db7b",
    ),
    "two lines that fit": ("a" * 799 + "\n" + "b" * 799, 400, 0, [(1, 2)], "0d753bad9e8bae0a"),
    "arabic": (
        ARABIC * 60,
        64,
        8,
        [*((9 * n + 1, 9 * n + 10) for n in range(6)), (55, 61)],
        "d4042b4f6afff66f",
    ),
    "the smallest chunk": (
        "0123456789\n" * 10,
        1,
        0,
        [(1, 2), (3, 4), (5, 6), (7, 8), (9, 11)],
        "0ac76c7e9e9d0779",
    ),
    "emoji": ("😀" * 1000, 100, 0, [(1, 1)] * 5, "b6a6ea3d7d424798"),
}
OLD: dict[str, Case] = {
    "empty": NEW["empty"],
    "a line and its end": ("hello world\n", 400, 80, [(1, 2)], "059c3135ced07430"),
    "a long line": NEW["a long line"],
    "two lines too many": (
        "a" * 800 + "\n" + "b" * 800,
        400,
        0,
        [(1, 1), (2, 2)],
        "c9deea306dcb8685",
    ),
    "blank lines": (
        "\n" * 200,
        8,
        0,
        [*((32 * n + 1, 32 * n + 32) for n in range(6)), (193, 201)],
        "740f679c372d104a",
    ),
    "lines": (FOX * 100, 400, 0, [(1, 35), (36, 70), (71, 101)], "2cce027876c4d246"),
    "a few characters": NEW["a few characters"],
    "nul and byte order mark": (
        "\ufeff# BOM\nline\0two\n",
        400,
        80,
        [(1, 3)],
        "7bc1d853d0dc96f9",
    ),
}
DIFFERENT: dict[str, tuple[Case, list[tuple[int, int]]]] = {
    "2026.9.6, whole lines": (
        (
            "メモリ検索のテストをする。OpenClaw memory search.\n" * 30,
            100,
            10,
            [*FOURS[:7], (29, 31)],
            "12234cc9f1cd8731",
        ),
        [*FOURS[:7], (29, 31)],
    ),
    "2026.2.9, weights": (
        (HAN * 60, 100, 20, [(1, 22), (18, 39), (35, 56), (52, 61)], "ed009b3efd97c9d2"),
        FOURS,
    ),
    "2026.2.9, weights of a line": (
        ("你好世界测试" * 334, 400, 80, [(1, 1)] * 2, "fbac29f2fad86410"),
        [(1, 1)] * 6,
    ),
    "2026.2.9, weights of rare characters": (
        ("𠀀" * 500, 100, 0, [(1, 1)] * 3, "23ab987c559e9f73"),
        [(1, 1)] * 20,
    ),
    "2026.2.9, what fits": (
        (
            "👨\u200d👩\u200d👧\u200d👦 family\n" * 50,
            50,
            10,
            [*((7 * n + 1, 7 * n + 10) for n in range(6)), (43, 51)],
            "29bc43c95d4ffb60",
        ),
        [*((8 * n + 1, 8 * n + 10) for n in range(5)), (41, 51)],
    ),
    "2026.2.9, parts of a line repeated": (
        (
            "short\n" * 3 + "y" * 3300 + "\n" + "short\n" * 3,
            400,
            80,
            [(1, 3), (1, 4), (4, 4), (4, 4), (4, 5), (4, 6), (4, 7), (4, 8)],
            "dc1e44bf616c566e",
        ),
        [(1, 3), (4, 4), (4, 4), (4, 8)],
    ),
}
EQUAL = {f"2026.9.6, {name}": case for name, case in NEW.items()} | {
    f"2026.2.9, {name}": case for name, case in OLD.items()
}


def _cut(text: str, tokens: int, overlap: int) -> tuple[list[tuple[int, int]], str]:
    chunks = chunk_markdown(text, tokens, overlap)
    listing = "".join(f"{each.start_line}-{each.end_line}:{each.hash}\n" for each in chunks)
    lines = [(each.start_line, each.end_line) for each in chunks]
    return lines, hashlib.sha256(listing.encode()).hexdigest()[:16]


@pytest.mark.parametrize("case", EQUAL)
def test_texts_are_cut_as_openclaw_cuts_them(case: str) -> None:
    """Lines and hashes of every chunk."""
    text, tokens, overlap, lines, digest = EQUAL[case]
    assert _cut(text, tokens, overlap) == (lines, digest)


@pytest.mark.parametrize("case", DIFFERENT)
def test_the_differences_to_openclaw_are_those_that_are_meant(case: str) -> None:
    """Six texts; the module says why."""
    (text, tokens, overlap, lines, digest), ours = DIFFERENT[case]
    cut_text = _cut(text, tokens, overlap)
    assert cut_text[0] == ours
    assert cut_text != (lines, digest)


def test_all_cases_are_there() -> None:
    """None is lost by a name that stands twice."""
    assert (len(EQUAL), len(DIFFERENT)) == (20, 6)
