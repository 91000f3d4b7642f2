"""The analysis of a question beside its words: the speaker, the time and the kind of answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.model.chunk_record import Mask
from recollect.index.model.file_names import NamedFile
from recollect.index.model.speakers import Mention, Names
from recollect.text.kinds import things_of
from recollect.text.languages.language import ASSISTANT, FIRST_PERSON, LIST, NAME, NOW, WHEN
from recollect.text.query_cues import read_question
from recollect.text.terms import query_terms

if TYPE_CHECKING:  # only where a question names times
    from recollect.text.times.ranges import TimeRange

MOST_NAMED = 2
"""A question that names more speakers is about none of them in particular."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """An analysed question.

    Attributes:
        text: The question without the names of known speakers, for the embedder: a small model
            otherwise ranks by the name alone (docs/experiments.md, names); and without relative
            times, since a text that says "yesterday" means another day. Characters of full or half
            width are normalised, as models know them.
        terms: Its distinct terms, in order.
        speakers: Whose statement it is about: the first of at most two speakers named ("What does
            Ann think of Bob's plan?"); empty when none or more are named.
        asks_assistant: It asks what the assistant said, and names no speaker.
        first_person: The user speaks of themselves and names no speaker.
        asks_of_somebody: It is about what somebody said: a speaker, the assistant or the user.
        asks_now: It asks how something is now, and names no time.
        times: Times named, but for those to come: what will be was not said then.
        asks_when: It asks for a time.
        asks_name: It asks for a person, place or thing by name.
        things: Terms of things of the kind that it wants a list of; empty if it wants none.
    """

    text: str
    terms: tuple[str, ...]
    speakers: frozenset[int]
    asks_assistant: bool
    first_person: bool
    asks_of_somebody: bool
    asks_now: bool
    times: tuple[TimeRange, ...]
    asks_when: bool
    asks_name: bool
    things: tuple[str, ...]

    @property
    def asks_of_time(self) -> bool:
        """Whether a time relative to the day of the question is named: last week."""
        return any(each.is_relative for each in self.times)

    @property
    def names_date(self) -> bool:
        """Whether a day or month of the calendar is named."""
        return any(not each.is_relative and each.unit in {"day", "month"} for each in self.times)


def analyse(
    query: str,
    names: Names,
    times: Sequence[TimeRange] = (),
    speakers: AbstractSet[int] | None = None,
) -> Question:
    """Return the analysed question.

    Args:
        query: The question.
        names: Those of the speakers.
        times: Named in it.
        speakers: Numbers of those that the caller hears; None for all.
    """
    mentions = names.mentions(query, speakers)
    times = tuple(each for each in times if not _is_name(each, mentions))
    text = _without(query, [*mentions, *(each for each in times if each.is_relative)])
    cues, content = read_question(text)
    distinct = tuple(dict.fromkeys(query_terms(content)))
    if not distinct:
        text, distinct = query, tuple(dict.fromkeys(query_terms(query)))
    speaker_sets = list(dict.fromkeys(mention.speakers for mention in mentions))
    about = speaker_sets[0] if 1 <= len(speaker_sets) <= MOST_NAMED else frozenset()
    of_assistant = not mentions and ASSISTANT in cues
    first_person = not mentions and FIRST_PERSON in cues
    return Question(
        text=unicodedata.normalize("NFKC", text),
        terms=distinct,
        speakers=about,
        asks_assistant=of_assistant,
        first_person=first_person,
        asks_of_somebody=bool(about) or of_assistant or first_person,
        asks_now=not times and NOW in cues,
        times=times,
        asks_when=WHEN in cues,
        asks_name=NAME in cues,
        things=things_of(distinct) if LIST in cues else (),
    )


def _is_name(time: TimeRange, mentions: Sequence[Mention]) -> bool:
    """Return whether an apparent time is part of a name, such as June."""
    return any(each.start <= time.start and time.end <= each.end for each in mentions)


def _without(query: str, spans: Sequence[Mention | TimeRange]) -> str:
    parts, position = [], 0
    for each in sorted(spans, key=lambda each: each.start):
        parts.append(query[position : each.start])
        position = max(position, each.end)
    parts.append(query[position:])
    return " ".join(" ".join(parts).split())


Vector = NDArray[np.float32]


class RankingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The question and the chunks to search.

    Attributes:
        question: The analysed question.
        vector: Its unit vector; None for words only.
        lexical: Whether words take part.
        visible: Which chunks the caller may see; None for all living ones.
        most: The number of chunks to return at least, if there are that many.
        named: Files that the question names; the best chunk of each comes first.
        triggered: Chunks with a trigger in the question.
        projects: Keys of the projects at hand, folded.
        near: The numbers of the paths of the project at hand; empty where none is preferred.
        now_ms: The time of the question, ms UTC.
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
    near: tuple[int, ...] = ()
    now_ms: int = 0
    with_files: bool = False


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """The best chunks, best first.

    Attributes:
        numbers: The chunks.
        scores: In [0, 1].
        ranks: 3 to 1 where the question names the file, which comes first; else 0.
        are_files: Whether each is of a memory file.
        is_all: Whether no other chunk fits the question.
        why: Returns the weighted parts of the scores at some positions.
        respelled: The terms of the question that were replaced, with their replacements.
        first: How many of them come first, whatever their scores; None for all (see `retold`).
        newest: The share that the oldest lost because newer ones fit as well; 0 where that does
            not count.
        until: Until when what a chunk says held, ms UTC, by chunk: something newer replaced it.
    """

    numbers: list[int]
    scores: list[float]
    ranks: list[int]
    are_files: list[bool]
    is_all: bool
    why: Callable[[Sequence[int]], list[dict[str, float]]]
    respelled: Mapping[str, str]
    first: int | None = None
    newest: float = 0.0
    until: Mapping[int, int] = {}

    @property
    def end(self) -> int:
        """The number of those that come first."""
        return len(self.numbers) if self.first is None else self.first

    def ordered(self, order: Sequence[int]) -> Ranked:
        """Return it in another order, given as the positions of its chunks."""
        return msgspec.structs.replace(
            self,
            numbers=[self.numbers[position] for position in order],
            scores=[self.scores[position] for position in order],
            ranks=[self.ranks[position] for position in order],
            are_files=[self.are_files[position] for position in order],
            why=lambda positions: self.why([order[position] for position in positions]),
        )
