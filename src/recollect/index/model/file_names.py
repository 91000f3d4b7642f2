"""Finds memory files that a question names: exactly, with one lookup for each name.

Three ranks as in OpenClaw: the whole path, the name, the name without its ending.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from recollect.index.model.chunk_record import Ints
from recollect.store.columns import typed_rows
from recollect.store.engine import SqlValue, Transaction

PATH, NAME, STEM = 3, 2, 1
MOST_NAMES = 8
"""Words of a question that are looked up as names of files."""
MOST_FILES = 20
"""Files of one name; `index.md` may be in every folder."""

_QUOTES = "\"'`“”‘’«»「」()[]<>"
_FILE_NAME = re.compile(r"\S+\.[A-Za-z][A-Za-z0-9]{0,7}")


class NamedFile(msgspec.Struct, frozen=True):
    """A file that a question names: how exactly (1 to 3), and its chunks."""

    rank: int
    chunks: Ints


def names_of(path: str) -> list[tuple[str, int]]:
    """Return the possible names of a file, folded, each with its highest rank.

    >>> names_of("memory/Tea.md")
    [('tea', 1), ('tea.md', 2), ('memory/tea.md', 3)]
    """
    name = path.rsplit("/", 1)[-1]
    stem = name.rsplit(".", 1)[0] or name
    return list({folded(stem): STEM, folded(name): NAME, folded(path): PATH}.items())


def folded(name: str) -> str:
    """Return a name without case, in one normal form of accents."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def file_name_rows(partition: int, path: str, document: int) -> list[tuple[SqlValue, ...]]:
    """Return the rows of a file, for `add_file_names` and `remove_file_names`."""
    return [(partition, name, rank, document) for name, rank in names_of(path)]


def add_file_names(tx: Transaction, rows: Sequence[Sequence[SqlValue]]) -> None:
    """Write the names of new files."""
    tx.executemany(
        "INSERT INTO file_names (partition_id, name, rank, document) VALUES (?, ?, ?, ?)", rows
    )


def remove_file_names(tx: Transaction, rows: Sequence[Sequence[SqlValue]]) -> None:
    """Remove the names of files that are gone."""
    tx.executemany(
        "DELETE FROM file_names WHERE partition_id = ? AND name = ? AND rank = ? AND document = ?",
        rows,
    )


def named_files(
    tx: Transaction, partition: int, query: str, visible: Callable[[Ints], Ints] | None = None
) -> list[NamedFile]:
    """Return the files that ``query`` names, the most exact first, each once.

    The whole question may be a path, a name or a name without ending; a word of it with an ending,
    such as ``tea.md``, a path or a name.

    Args:
        tx: The snapshot.
        partition: The row of `partitions`.
        query: The question.
        visible: Maps chunks to those the caller may hear, by their numbers there; None for all.
            A file without such a chunk does not displace another.
    """
    best: dict[int, NamedFile] = {}
    for name, least in _called(query):
        rows = tx.all(
            "SELECT f.document, f.rank, d.first_chunk, d.chunk_count FROM file_names f"
            " JOIN documents d ON d.id = f.document"
            " WHERE f.partition_id = ? AND f.name = ? AND f.rank >= ?"
            " ORDER BY f.rank DESC, d.ref LIMIT ?",
            (partition, name, least, MOST_FILES if visible is None else -1),
        )
        files: dict[int, NamedFile] = {}
        for document, rank, first, count in typed_rows(rows, tuple[int, int, int, int]):
            chunks = np.arange(first, first + count)
            chunks = chunks if visible is None else visible(chunks)
            if len(chunks) and len(files) < MOST_FILES:
                files.setdefault(document, NamedFile(rank, chunks))
        for document, file in files.items():
            if document not in best or best[document].rank < file.rank:
                best[document] = file
    return sorted(best.values(), key=lambda file: -file.rank)


def _called(query: str) -> Iterator[tuple[str, int]]:
    """Yield the names that a question may mean, each with the least rank that it requires."""
    whole = folded(query.strip().strip(_QUOTES).strip()).removeprefix("./")
    if whole and whole.isprintable():
        yield whole, STEM
    words = (word.strip(_QUOTES + ",;:!?").rstrip(".") for word in folded(query).split())
    file_names = [word for word in words if _FILE_NAME.fullmatch(word) and word.isprintable()]
    for word in list(dict.fromkeys(file_names))[:MOST_NAMES]:
        if word != whole:
            yield word, NAME
