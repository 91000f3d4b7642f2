"""Mentions: what in a memory file names an observation, and what only looks so."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.text.markdown.mentions import mentions_in


def numbers(text: str) -> list[int]:
    """The numbers that a text names."""
    return [number for _, number in mentions_in(text)]


@pytest.mark.parametrize(
    "text",
    [
        "#12",
        "See: observation #12",
        "See: #12.",
        "(#12)",
        "[#12 2026-02-01] Fixed the queue",
        "**#12**, decided",
        "observation:#12",
        "why: '#12'",
        "| #12 | queue |",
        "- [#12 2026-02-01] Fixed issue as in #7",
        "1. Redis for the queue - #12",
    ],
)
def test_a_number_in_prose_names_an_observation(text: str) -> None:
    """docs/memory-files.md: an entry of MEMORY.md says `See: observation #1234`."""
    assert numbers(text) == [12]


@pytest.mark.parametrize(
    "text",
    [
        "color: #fff",
        "color: #123456",
        "background:#123456;",
        "The brand colour is #123456",
        "fill='#333'",
        "owner/repo#12",
        "https://example.org/issues#12",
        "https://example.org/#12",
        "&#12; and &#x12;",
        "[up](#12)",
        "issue #12",
        "PRs #12, #13 and #14",
        "Pull request #12",
        "message #12",
        "GH-#12",
        "##12",
        "#012",
        "#0",
        "#12abc",
        "#12-fold",
        "#12.5",
        "a`#12`b",
        "``x ` #12``",
        "<!-- #12 -->",
        "```\n#12\n```",
        "~~~css\n#12\n",
        "#1234567890123456",
        "C#12",
    ],
)
def test_what_only_looks_like_a_number_names_nothing(text: str) -> None:
    """docs/memory-files.md: code, colours, anchors and issues of other programs are no links."""
    assert numbers(text) == []


def test_each_line_names_an_observation_once_and_lines_count_from_1() -> None:
    """So that an editor opens the very line."""
    text = "# Queue\n\n#3 and #3, then #4\n```\n#5\n```\n#3"
    assert mentions_in(text) == ((3, 3), (3, 4), (7, 3))


_OTHERS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="#`~<\n"), max_size=30
)


@given(st.lists(st.tuples(_OTHERS, st.integers(1, 10**15 - 1)), max_size=5))
@example([("the colour was", 123)])
def test_only_numbers_that_are_written_so_are_named(parts: list[tuple[str, int]]) -> None:
    """Whatever stands around them: a subset of what is written, in its order, on its line."""
    text = "\n".join(f"{words} #{number} {words}" for words, number in parts)
    mentions = mentions_in(text)
    assert set(mentions) <= {(line, number) for line, (_, number) in enumerate(parts, start=1)}
    assert list(mentions) == sorted(mentions, key=lambda each: each[0])
    assert mentions_in(f"```\n{text}\n```") == ()
    assert mentions_in(text.replace(" #", " x#")) == ()


@given(st.text(alphabet="ab# `\n<!->(1)2", max_size=200))
def test_any_text_is_read(text: str) -> None:
    """Files of people are anything."""
    lines = text.split("\n")
    for line, number in mentions_in(text):
        assert f"#{number}" in lines[line - 1]


@given(st.text(max_size=100), st.integers(1, 10**6))
def test_a_number_alone_on_a_line_is_named(before: str, number: int) -> None:
    """As long as no code is open there."""
    plain = before.replace("`", "").replace("~", "")
    assert (plain.count("\n") + 2, number) in mentions_in(f"{plain}\n#{number}")
