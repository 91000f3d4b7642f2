"""Pieces: the lines that a chunk names, and how files and messages are cut."""

from __future__ import annotations

import pytest

from recollect.core.scope import Scope
from recollect.index.indexing.prepared_chunk import PreparedDocument, prepare
from recollect.index.model import chunk_record
from recollect.index.model.document import Document
from recollect.index.model.generation import Identity
from recollect.index.model.origin import qualified
from recollect.text.markdown.annotations import Annotation
from tests.unit.index.scripted import NOON, note, said


def cut(document: Document, *, entries: bool = True, tokens: int = 400) -> PreparedDocument:
    """Return a document in pieces."""
    identity = Identity(terms=1, pieces=1, tokens=tokens, overlap=0, entries=entries)
    return prepare(document, b"", identity)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n", (1, 2)),
        ("a\nb", (1, 2)),
        ("a\n", (1, 1)),
        ("a", (1, 1)),
        ("a\n\n\n", (1, 3)),
        ("\n\na\n", (1, 3)),
    ],
)
def test_the_last_line_is_one_that_an_editor_shows(text: str, expected: tuple[int, int]) -> None:
    """Behind a final line break there is no line, though the cutting counts one."""
    (piece,) = cut(note("memory/a.md", text)).pieces
    assert (piece.start_line, piece.end_line) == expected


def test_a_final_chunk_of_nothing_is_none() -> None:
    """Every line full: the empty one behind them is not a piece."""
    pieces = cut(note("memory/a.md", "x" * 32 + "\n" + "y" * 32 + "\n"), tokens=8).pieces
    assert [(piece.start_line, piece.end_line) for piece in pieces] == [(1, 1), (2, 2)]


@pytest.mark.parametrize("ref", ["MEMORY.md", "USER.md", qualified("/home/ann/work", "MEMORY.md")])
def test_curated_files_are_cut_per_entry(ref: str) -> None:
    """In any workspace; unless the setting says otherwise."""
    document = note(ref, "- one\n- two\n")
    assert [piece.text for piece in cut(document).pieces] == ["- one", "- two"]
    assert [piece.text for piece in cut(document, entries=False).pieces] == ["- one\n- two\n"]


@pytest.mark.parametrize("ref", ["memory/MEMORY.md", "/home/ann/MEMORY.md", "memory/a.md"])
def test_other_files_are_cut_by_size(ref: str) -> None:
    """Only the root of a workspace is curated."""
    assert len(cut(note(ref, "- one\n- two\n")).pieces) == 1


def test_a_piece_has_what_its_lines_say() -> None:
    """A comment belongs to the entry that it stands in; on a heading alone it is for none."""
    text = (
        "# All <!-- importance: 9 -->\n- one\n  <!-- importance: 3 -->\n"
        "- two <!-- project: tea -->\n- three <!-- trigger: -->"
    )
    prepared = cut(note("MEMORY.md", text))
    assert [piece.annotation for piece in prepared.pieces] == [
        Annotation(importance=3),
        Annotation(projects=("tea",)),
        None,
    ]
    assert [piece.text for piece in prepared.pieces] == [
        "# All\n- one",
        "# All\n- two",
        "# All\n- three",
    ]
    assert prepared.ignored == 2


@pytest.mark.parametrize(
    ("ref", "ages"), [("MEMORY.md", False), ("memory/2026-02-10.md", True), ("memory/a.md", False)]
)
def test_what_does_not_age_is_marked(ref: str, ages: bool) -> None:
    """The flag is all that the ranking sees of a name."""
    (piece,) = cut(note(ref, "tea")).pieces
    assert bool(piece.flags & chunk_record.EVERGREEN) is not ages


def test_a_message_keeps_its_comments_and_its_order() -> None:
    """Annotations are for memory files."""
    document = said("m7", "tea <!-- importance: 9 -->?")
    (piece,) = cut(document).pieces
    assert (piece.start_line, piece.end_line, piece.text) == (7, 7, document.text)
    assert piece.annotation is None
    assert piece.flags & chunk_record.QUESTION
    assert piece.flags & chunk_record.FROM_USER


def test_a_long_message_is_cut_at_paragraphs() -> None:
    """All of its pieces are of the same message."""
    text = "\n\n".join("tea " * 1_000 for _ in range(8))
    document = Document(
        source="sessions", ref="m", group="s", order=3, text=text, at=NOON, scope=Scope()
    )
    pieces = cut(document).pieces
    assert len(pieces) > 1
    assert {(piece.start_line, piece.end_line) for piece in pieces} == {(3, 3)}
