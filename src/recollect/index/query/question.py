"""What a question asks for, beside its words: whose statement, from when, and of what kind."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.model.chunk_record import Mask
from recollect.index.model.file_names import NamedFile
from recollect.index.model.speakers import Mention, Names
from recollect.text.query_cues import (
    asks_name,
    asks_when,
    days_in,
    is_first_person,
    months_in,
    years_in,
)
from recollect.text.terms import query_terms

MOST_NAMED = 2
"""A question that names more speakers is about none of them in particular."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """An analysed question.

    Attributes:
        text: The question without the names of known speakers, for the embedder: a small model
            otherwise ranks by the name alone (docs/experiments.md, names). Characters of full or
            half width are as they are written otherwise: models know those.
        terms: Its distinct terms, in order.
        speakers: Whose statement it is about: the first of at most two speakers named ("What does
            Ann think of Bob's plan?"); empty when none or more are named.
        first_person: The user speaks of themselves and names no speaker.
        months: Months named, 1 to 12.
        days: Days named, as (month, day of the month).
        years: Years named.
        asks_when: It asks for a time.
        asks_name: It asks for a person, place or thing by name.
    """

    text: str
    terms: tuple[str, ...]
    speakers: frozenset[int]
    first_person: bool
    months: frozenset[int]
    days: frozenset[tuple[int, int]]
    years: frozenset[int]
    asks_when: bool
    asks_name: bool


def analyse(query: str, names: Names) -> Question:
    """Return what ``query`` asks for."""
    mentions = names.mentions(query)
    text = _without(query, mentions)
    distinct = tuple(dict.fromkeys(query_terms(text)))
    if not distinct:
        text, distinct = query, tuple(dict.fromkeys(query_terms(query)))
    named = list(dict.fromkeys(mention.speakers for mention in mentions))
    return Question(
        text=unicodedata.normalize("NFKC", text),
        terms=distinct,
        speakers=named[0] if 1 <= len(named) <= MOST_NAMED else frozenset(),
        first_person=not mentions and is_first_person(query),
        months=frozenset(months_in(query)),
        days=frozenset(days_in(query)),
        years=frozenset(years_in(query)),
        asks_when=asks_when(query),
        asks_name=asks_name(query),
    )


def _without(query: str, mentions: list[Mention]) -> str:
    kept, position = [], 0
    for mention in mentions:
        kept.append(query[position : mention.start])
        position = mention.end
    kept.append(query[position:])
    return " ".join("".join(kept).split())


Vector = NDArray[np.float32]


class RankingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to search for, and where.

    Attributes:
        question: The analysed question.
        vector: Its unit vector; None for words only.
        lexical: Whether words take part.
        visible: Which chunks the caller may see; None for all living ones.
        most: How many chunks to return at least, when there are so many.
        named: Files that the question calls by their names; the best chunk of each comes first.
        triggered: Chunks with a trigger in the question.
        projects: Keys of the projects at hand, folded.
        now_ms: When it is asked, ms UTC.
        with_files: Whether the best memory files are wanted even where others are better.
    """

    question: Question
    vector: Vector | None
    lexical: bool
    visible: Mask | None
    most: int
    named: tuple[NamedFile, ...] = ()
    triggered: frozenset[int] = frozenset()
    projects: frozenset[str] = frozenset()
    now_ms: int = 0
    with_files: bool = False


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """The best chunks, best first.

    Attributes:
        numbers: The chunks.
        scores: In [0, 1].
        ranks: 3 to 1 where the question names the file, which comes first; else 0.
        are_files: Whether each is of a memory file.
        is_all: Whether nothing else fits the question.
        why: Returns the weighted parts of the scores at some places.
        respelled: Which terms of the question were taken for which others.
    """

    numbers: list[int]
    scores: list[float]
    ranks: list[int]
    are_files: list[bool]
    is_all: bool
    why: Callable[[Sequence[int]], list[dict[str, float]]]
    respelled: Mapping[str, str]
