"""Cranfield: 1,400 abstracts and 225 judged queries; guards against breaking plain search.

Every abstract becomes one memory file: its title as the heading, then its text. The text of this
edition begins with the title again; it stays, because published figures index title and text as
they come (removing it costs plain BM25 one point of nDCG@10, .349 against .360). Judgements are
binary.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import msgspec

from benchmarks.datasets.corpus import DocumentSet, Question, TextDocument
from benchmarks.datasets.data import data_file, decode, digest, read_plain
from recollect.core.errors import InvalidInput

GROUP = "all"


class _Record(msgspec.Struct):
    id: str = msgspec.field(name="_id")
    text: str = ""
    title: str = ""


def load_cranfield(folder: Path) -> DocumentSet:
    """Return the collection of ``folder``; queries without a judged document are not asked.

    Raises:
        NotFound: the folder has no Cranfield collection.
        InvalidInput: a file is not in the expected format.
    """
    corpus = read_plain(data_file(folder, "cranfield", "corpus.jsonl.gz"))
    queries = read_plain(data_file(folder, "cranfield", "queries.jsonl"))
    judged = read_plain(data_file(folder, "cranfield", "qrels.tsv"))
    documents = tuple(
        TextDocument(key=record.id, title=record.title, text=record.text)
        for record in _records(corpus, "corpus.jsonl.gz")
    )
    known = {document.key for document in documents}
    relevant = _judgements(judged.decode("utf-8", errors="replace"))
    return DocumentSet(
        name="Cranfield",
        digest=digest(corpus, queries, judged),
        documents=documents,
        questions=tuple(
            Question(key=record.id, cluster=record.id, group=GROUP, text=record.text, gold=gold)
            for record in _records(queries, "queries.jsonl")
            if (gold := tuple(key for key in relevant.get(record.id, ()) if key in known))
        ),
    )


def as_markdown(document: TextDocument) -> str:
    """Return the document as a memory file: the title as a heading, then the text."""
    return f"# {document.title}\n\n{document.text}\n"


def _records(raw: bytes, name: str) -> list[_Record]:
    return [decode(line, _Record, name) for line in raw.splitlines() if line.strip()]


def _judgements(text: str) -> Mapping[str, list[str]]:
    relevant: defaultdict[str, list[str]] = defaultdict(list)
    for line in text.splitlines()[1:]:
        try:
            query, document, grade = line.split("\t")
            if int(grade) > 0:
                relevant[query].append(document)
        except ValueError as error:
            raise InvalidInput(
                "qrels.tsv has a line without three columns", hint="fetch the benchmark data again"
            ) from error
    return relevant
