"""Sections: what recollect keeps between two markers of a file of the user."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.core.errors import Conflict
from recollect.text.markdown.section import (
    BEGIN,
    END,
    find_section,
    numbers_in,
    resealed,
    with_section,
    without_section,
)

LINES = ("- [#3 2026-02-01] Redis for the queue", "- [#7 2026-02-02] The pump leaked")
_FILES = st.text(st.characters(exclude_categories=["Cs"]), max_size=80).map(str.encode)


@given(_FILES, st.lists(st.sampled_from(LINES), max_size=3))
@example(b"\r", [])
def test_the_rest_of_a_file_stays_byte_for_byte(content: bytes, lines: list[str]) -> None:
    """docs/memory-files.md: written, written again with other lines, and taken out."""
    try:
        once = with_section(content, LINES)
    except Conflict:
        assert b"```" in content or b"~~~" in content or b"<!-- recollect" in content
        return
    assert with_section(once, LINES) == once
    assert with_section(with_section(once, lines), None) == content
    section = find_section(once)
    assert section is not None
    assert section.is_ours
    assert section.lines == LINES
    head, tail = once.split(BEGIN.encode())[0], once.split(END.encode())[1]
    assert head + tail.lstrip(b"\r\n") in {content, content + b"\n"}


@pytest.mark.parametrize("content", [b"", b"a", b"a\n", b"a\r\nb\r\n", b"\xff\xfe\n", b"\n\n"])
def test_a_section_comes_at_the_end_with_the_line_ends_of_the_file(content: bytes) -> None:
    """A file of another encoding, or without a last line feed, gets none of ours."""
    changed = with_section(content, LINES)
    assert changed.startswith(content)
    assert with_section(changed, None) == content
    assert (b"\r\n- [#3" in changed) == (b"\r\n" in content)


def test_a_place_that_a_person_chose_is_kept() -> None:
    """Markers without anything between them say where the section goes."""
    content = f"# Top\n{BEGIN} -->\n{END}\n\n## Below\n".encode()
    changed = with_section(content, LINES)
    assert changed.startswith(f"# Top\n{BEGIN} ".encode())
    assert changed.endswith(f"{END}\n\n## Below\n".encode())
    assert with_section(changed, None) == b"# Top\n\n## Below\n"


def test_what_a_person_changed_is_not_ours() -> None:
    """A digest of the lines stands in the first marker; line ends do not count."""
    changed = with_section(b"# Top\n", LINES)
    for edited in (
        changed.replace(b"Redis", b"Kafka"),
        changed.replace(b"- [#3", b"- mine\n- [#3"),
        changed.replace(LINES[0].encode() + b"\n", b""),
        changed.replace(b" -->\n- [#3", b"0 -->\n- [#3"),
        changed.replace("\n".join(LINES).encode() + b"\n", b""),
    ):
        assert edited != changed
        section = find_section(edited)
        assert section is not None
        assert not section.is_ours
    crlf = find_section(changed.replace(b"\n", b"\r\n"))
    assert crlf is not None
    assert crlf.is_ours


@pytest.mark.parametrize(
    "text",
    [
        f"{BEGIN} -->\n",
        f"{END}\n",
        f"{END}\n{BEGIN} -->\n",
        f"{BEGIN} -->\n{BEGIN} -->\n{END}\n",
        f"{BEGIN} -->\n{END}\n{BEGIN} -->\n{END}\n",
    ],
)
def test_markers_that_are_no_pair_are_a_conflict(text: str) -> None:
    """Nobody knows what is between them."""
    with pytest.raises(Conflict, match="pair"):
        find_section(text.encode())
    assert without_section(text) == text
    assert numbers_in(text.encode()) == frozenset()


def test_markers_in_code_are_text() -> None:
    """As on a page that explains them."""
    text = f"```\n{BEGIN} -->\n{END}\n```\n"
    assert find_section(text.encode()) is None


def test_a_section_is_not_written_into_a_block_of_code() -> None:
    """There nobody would find it again, and each run would add one more."""
    with pytest.raises(Conflict, match="block of code"):
        with_section(b"```\nmake\n", LINES)


def test_what_stands_in_a_section_is_searched_only_where_it_is_a_persons() -> None:
    """The observations themselves are found; the lines of the rest keep their numbers."""
    changed = with_section(b"# Top\n", LINES).decode()
    assert without_section(changed) == "# Top\n\n\n\n\n"
    edited = changed.replace("Redis", "Kafka")
    assert without_section(edited) == edited


def test_the_numbers_of_a_section_are_those_of_its_lines() -> None:
    """Not those that a title names."""
    lines = (*LINES, "- [#9 2026-02-03] Fixed as in #12")
    assert numbers_in(with_section(b"See #1\n", lines)) == {3, 7, 9}
    assert numbers_in(b"See #1\n") == frozenset()


def test_a_section_stays_ours_when_a_line_of_it_is_erased() -> None:
    """What recollect takes out itself is no edit of a person; after one it stays one."""
    changed = with_section(b"# Top\n", LINES)
    shorter = changed.replace(LINES[0].encode() + b"\n", b"")
    sealed = find_section(resealed(changed, shorter))
    assert sealed is not None
    assert sealed.is_ours
    assert sealed.lines == LINES[1:]
    edited = changed.replace(b"Redis", b"Kafka")
    assert resealed(edited, edited + b"x") == edited + b"x"
    assert resealed(b"a", b"b") == b"b"
