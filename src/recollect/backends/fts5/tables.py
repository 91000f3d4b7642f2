"""The tables of one partition, created with its first words, so they cost nothing by default.

Every partition has its own, so that neither the words of another tenant nor those of a generation
that is being built count in its ranks, and all of it goes with the partition:

- ``chunk_words_N``: the prepared words of each chunk, by its id in ``chunks``;
- ``chunk_rows_N``: a view of them beside the original text, path, source and lines;
- ``chunks_fts_N``: FTS5 over that view with OpenClaw's columns; triggers keep it in step.

For example ``SELECT path, start_line, original FROM chunks_fts_1 WHERE chunks_fts_1 MATCH 'tea'``.
The tokenizer splits at spaces only: folding, stems and pairs of characters are in the words.
"""

from __future__ import annotations

from typing import LiteralString

from recollect.store.engine import Transaction

_CREATE: tuple[LiteralString, ...] = (
    "CREATE TABLE chunk_words_# (chunk INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
    "CREATE VIEW chunk_rows_# AS SELECT w.chunk AS chunk, w.text AS text,"
    " d.source || '/' || d.ref || ':' || ((c.id & 1099511627775) - d.first_chunk) AS id,"
    " CASE d.source WHEN 'memory' THEN substr(d.ref, iif(instr(d.ref, '//'),"
    " instr(d.ref, '//') + 2, 1)) ELSE d.ref END AS path, d.source AS source,"
    " coalesce(nullif(g.identity ->> '$.embedder', ''), 'fts-only') AS model,"
    " c.start_line AS start_line, c.end_line AS end_line, c.text AS original"
    " FROM chunk_words_# w JOIN chunks c ON c.id = w.chunk JOIN documents d ON d.id = c.document"
    " JOIN partitions p ON p.id = d.partition_id JOIN generations g ON g.id = p.generation",
    "CREATE VIRTUAL TABLE chunks_fts_# USING fts5(text, id UNINDEXED, path UNINDEXED,"
    " source UNINDEXED, model UNINDEXED, start_line UNINDEXED, end_line UNINDEXED,"
    " original UNINDEXED, content = 'chunk_rows_#', content_rowid = 'chunk',"
    " tokenize = \"ascii tokenchars '_'\")",
    "INSERT INTO chunks_fts_# (chunks_fts_#, rank) VALUES ('secure-delete', 1)",
    "CREATE TRIGGER chunk_words_#_put AFTER INSERT ON chunk_words_# BEGIN"
    " INSERT INTO chunks_fts_# (rowid, text) VALUES (new.chunk, new.text); END",
    "CREATE TRIGGER chunk_words_#_remove AFTER DELETE ON chunk_words_# BEGIN"
    " INSERT INTO chunks_fts_# (chunks_fts_#, rowid, text)"
    " VALUES ('delete', old.chunk, old.text); END",
    "CREATE TRIGGER chunk_words_#_change AFTER UPDATE ON chunk_words_# BEGIN"
    " INSERT INTO chunks_fts_# (chunks_fts_#, rowid, text)"
    " VALUES ('delete', old.chunk, old.text);"
    " INSERT INTO chunks_fts_# (rowid, text) VALUES (new.chunk, new.text); END",
)
_DROP: tuple[LiteralString, ...] = (
    "DROP TABLE chunks_fts_#",
    "DROP VIEW chunk_rows_#",
    "DROP TABLE chunk_words_#",
)


def of_partition(statement: LiteralString, partition: int) -> LiteralString:
    """Return a statement for the tables of a partition: ``#`` becomes its number."""
    # A table's name cannot be a parameter; an integer of our own brings nothing foreign in.
    return statement.replace("#", f"{partition:d}")


def are_there(tx: Transaction, partition: int) -> bool:
    """Return whether a partition has its tables."""
    name = (f"chunk_words_{partition:d}",)
    return tx.row("SELECT 1 FROM sqlite_schema WHERE name = ?", name) is not None


def ensure_tables(tx: Transaction, partition: int) -> None:
    """Make the tables of a partition when it has none."""
    if not are_there(tx, partition):
        for statement in _CREATE:
            tx.execute(of_partition(statement, partition))


def drop_tables(tx: Transaction, partition: int) -> None:
    """Remove the tables of a partition with all their rows."""
    for statement in _DROP:
        tx.execute(of_partition(statement, partition))
