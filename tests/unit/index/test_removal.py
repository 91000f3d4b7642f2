"""Removal: nothing of a removed text is left, in any table or any byte of the file."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from recollect.core.scope import Scope
from recollect.index.model.document import Document
from recollect.store.engine import Transaction
from tests.unit.index.conftest import Open
from tests.unit.index.corpus import OpenIndex, ScriptedFeed, WordEmbedder, gone, note, said

MARK = "xyzzyq"
"""Stands in nothing else; its stem and its terms begin with it."""
TABLES = (
    "documents",
    "chunks",
    "terms",
    "tail",
    "postings",
    "vectors",
    "vector_queue",
    "code_rows",
    "embedding_cache",
    "names",
    "chunk_groups",
    "annotations",
    "file_names",
)
OWNER = Scope(user=f"{MARK}user", agent=f"{MARK}agent", project=f"{MARK}project")


def marked(number: int) -> Document:
    """Return a message whose every part carries the mark."""
    return said(
        f"{MARK}ref{number}",
        f"{MARK}a{number} tea {MARK}b{number}",
        group=f"{MARK}session",
        order=number,
        scope=OWNER,
        name=f"{MARK}speaker",
    )


def plain(number: int) -> Document:
    """Return a message that stays."""
    return said(f"plain{number}", f"tea and rain {number}", group="stays", order=number)


def annotated(number: int) -> Document:
    """Return a memory file whose name and every part carry the mark."""
    said_of_it = f"<!-- trigger: {MARK}t --> <!-- project: {MARK}p --> <!-- importance: 7 -->"
    return note(f"memory/{MARK}{number}.md", f"{MARK} tea {said_of_it}")


def counts(opened: OpenIndex) -> dict[str, int]:
    """Return the rows of every table that holds anything of a text."""

    def read(tx: Transaction) -> dict[str, int]:
        return {t: len(list(tx.rows(f"SELECT * FROM {t}"))) for t in TABLES}  # noqa: S608  # names of ours

    return opened.database.read(read)


def files_with(opened: OpenIndex, word: str) -> list[str]:
    """Close the index and return the files beside it that hold a word."""
    opened.index.sync()
    assert opened.database.cut_log()
    opened.close()
    files: list[Path] = sorted(path for path in opened.folder.iterdir() if path.is_file())
    return [path.name for path in files if word.encode() in path.read_bytes().lower()]


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("seed", range(6))
def test_no_byte_of_a_removed_text_is_left(seed: int, open_index: Open) -> None:
    """Design: deletion rewrites what held the row, terms and names included."""
    chance = random.Random(seed)
    feed = ScriptedFeed(batch=chance.choice((1, 4, 100)))
    opened = open_index(feed, WordEmbedder())
    changes = [document(number) for number in range(40) for document in (marked, plain)]
    changes += map(annotated, range(5))
    chance.shuffle(changes)
    for change in changes:
        feed.add(change)
        if chance.random() < 0.2:
            opened.index.sync()
    opened.index.sync()
    feed.add(*[gone(marked(number)) for number in chance.sample(range(40), 40)])
    feed.add(*[gone(annotated(number)) for number in range(5)])
    assert files_with(opened, MARK) == []


@pytest.mark.usefixtures("tiny")
def test_tables_shrink_to_what_they_were(open_index: Open) -> None:
    """Also what carries no text: vectors, codes, the cache."""
    feed = ScriptedFeed(*map(plain, range(9)))
    opened = open_index(feed, WordEmbedder())
    opened.index.sync()
    before = counts(opened)
    feed.add(*map(marked, range(9)), *map(annotated, range(3)))
    opened.index.sync()
    there = counts(opened)
    assert (there["names"], there["annotations"], there["file_names"]) == (4, 3, 9)
    feed.add(*[gone(marked(number)) for number in range(9)])
    feed.add(*[gone(annotated(number)) for number in range(3)])
    opened.index.sync()
    after = counts(opened)
    # Rows of the tail and of codes turn into segments and blocks as they will.
    for moving in ("tail", "postings", "code_rows"):
        before.pop(moving)
        after.pop(moving)
    assert after == before


@pytest.mark.usefixtures("tiny")
def test_an_edited_text_leaves_no_byte_of_the_older_version(open_index: Open) -> None:
    """An edit removes what was, and keeps what stayed."""
    feed = ScriptedFeed(note("memory/a.md", f"{MARK} was here"), *map(plain, range(9)))
    opened = open_index(feed, WordEmbedder())
    opened.index.sync()
    feed.add(note("memory/a.md", "nothing was here"))
    assert files_with(opened, MARK) == []


def test_an_edited_text_keeps_the_vectors_of_what_stayed(open_index: Open) -> None:
    """Only the changed chunks of a file are embedded again, and one that came back is not."""
    lines = [f"line {number} " + "tea " * 300 for number in range(6)]
    embedder = WordEmbedder()
    feed = ScriptedFeed(note("memory/a.md", "\n".join(lines)))
    opened = open_index(feed, embedder)
    opened.index.sync()
    assert len(embedder.texts) > 3
    embedder.texts.clear()
    feed.add(note("memory/a.md", "\n".join([*lines[:-1], "other words"])))
    opened.index.sync()
    assert len(embedder.texts) == 1


def test_a_renamed_file_keeps_its_vectors(open_index: Open) -> None:
    """It comes and goes in one batch."""
    embedder = WordEmbedder()
    feed = ScriptedFeed(note("memory/a.md", "green tea"))
    opened = open_index(feed, embedder)
    opened.index.sync()
    feed.add(note("memory/b.md", "green tea"), gone(note("memory/a.md", "")))
    opened.index.sync()
    assert embedder.texts == ["green tea"]
    assert opened.refs("tea") == ["memory/b.md"]


def test_a_removed_document_is_not_found_and_one_unknown_is_passed_over(open_index: Open) -> None:
    """A removal may come twice, or for what was never there."""
    feed = ScriptedFeed(plain(1), plain(2))
    opened = open_index(feed)
    opened.index.sync()
    feed.add(gone(plain(1)), gone(marked(1)))
    report = opened.index.sync()
    assert report.removed == 1
    feed.add(gone(plain(1)))
    assert opened.index.sync().removed == 0
    assert opened.refs("rain") == ["plain2"]


def test_a_document_that_is_removed_and_put_at_once_is_put(open_index: Open) -> None:
    """Whoever hands both over means the document."""
    feed = ScriptedFeed(plain(1))
    opened = open_index(feed)
    opened.index.sync()
    feed.add(gone(plain(1)), plain(1))
    opened.index.sync()
    assert opened.refs("rain") == ["plain1"]
