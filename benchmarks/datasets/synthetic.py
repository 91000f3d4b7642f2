"""Synthetic conversations and memory files of any size, made as they are read.

Words are drawn from 200,000: the commonest are English function words, so that two words in five of
a message are ones that a search leaves out, as in real talk; the rest are made of syllables. How
often a rank comes up is `WordLaw`. A message has 38 to 52 words (about 60 tokens), a session 30
messages. Every session is made from the seed and its number alone: nothing is held, and any part
can be made again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import product
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets.corpus import DatedSession, Turn
from recollect.core.clock import to_ms

VOCABULARY = 200_000
SESSION_MESSAGES = 30
MESSAGE_WORDS = (38, 52)
QUERY_WORDS = (3, 8)
LINE_WORDS = 14
CHUNK_LINES = 20
"""Lines of a memory file that make one more chunk: 320 tokens of four characters are new in a chunk
of 400 that repeats 80."""

_SPOKEN = """
the and to of a in i is that it you was for on with my as have but we me so this be are at not he
they what like just do about or up out if there can one your when from had all how were no she more
an get her some them his then been know who would their will time our did him by has really could
now which its only into also where than here very after any too why us before because these those
over am does being off again each both while same through once during
"""

FUNCTION_WORDS = tuple(_SPOKEN.split())
"""The first ranks of the vocabulary, by their usual order in spoken English."""

_SYLLABLES = tuple("".join(pair) for pair in product("bdfgklmnprstvzj", "aeiou"))
_STRIDE = 2_654_435_761
"""Odd and coprime to every power of the syllable count; spreads neighbouring ranks."""

_FIRST_DAY = to_ms(datetime(2024, 1, 1, tzinfo=UTC))
_HOUR_MS = 3_600_000
_MINUTE_MS = 60_000


WordLaw = Literal["natural", "zipf"]
"""``zipf``: a word of rank r comes up in proportion to 1/r, to the last of 200,000. ``natural``:
the same to rank 3,000, and r ** -1.8 behind, as real text falls (Ferrer i Cancho and Sole, 2001).
Of 640,000 words 30,000 are then different. In LoCoMo, BEAM and LongMemEval together it is 14,000;
under one law to the end 97,000, which measures the stemmer and makes common words too rare."""

NATURAL_KNEE = 3_000
NATURAL_TAIL = 1.8


class TargetedQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query of content words of one message, and the text of that message."""

    text: str
    target: str


class SyntheticCorpus:
    """Makes sessions, files and queries.

    Args:
        seed: The same seed makes the same corpus.
        vocabulary: How many different words.
        law: How often they come up.
        lengths: Words of a message, from the fewest to the most.
    """

    def __init__(
        self,
        seed: int,
        *,
        vocabulary: int = VOCABULARY,
        law: WordLaw = "natural",
        lengths: tuple[int, int] = MESSAGE_WORDS,
    ) -> None:
        self._seed = seed
        self._lengths = lengths
        self._words = np.array(make_vocabulary(vocabulary), dtype=object)
        self._cumulative = _cumulative_shares(vocabulary, law)

    def session(self, number: int, messages: int = SESSION_MESSAGES) -> DatedSession:
        """Return session ``number`` with that many messages of two speakers."""
        random = np.random.default_rng((self._seed, 0, number))
        least, most = self._lengths
        lengths = random.integers(least, most + 1, size=SESSION_MESSAGES)
        words = self._draw(random, int(lengths.sum()))
        ends = np.cumsum(lengths)
        start = _FIRST_DAY + number * _HOUR_MS
        return DatedSession(
            key=str(number),
            turns=tuple(
                Turn(
                    key=f"{number}/{position}",
                    role="assistant" if position % 2 else "user",
                    name=None,
                    text=_as_sentences(words[ends[position] - lengths[position] : ends[position]]),
                    at=start + position * _MINUTE_MS,
                )
                for position in range(messages)
            ),
        )

    def sessions(self, messages: int) -> Iterator[DatedSession]:
        """Yield sessions until they hold ``messages``; the last one may be shorter."""
        for number, first in enumerate(range(0, messages, SESSION_MESSAGES)):
            yield self.session(number, min(SESSION_MESSAGES, messages - first))

    def queries(self, messages: int, count: int) -> list[TargetedQuery]:
        """Return ``count`` queries, their messages evenly spread over the first ``messages``."""
        found: list[TargetedQuery] = []
        for number in range(count):
            session, position = divmod(number * messages // count, SESSION_MESSAGES)
            target = self.session(session).turns[position].text
            found.append(TargetedQuery(text=self._query_for(target, number), target=target))
        return found

    def asked(self, messages: int, count: int) -> list[TargetedQuery]:
        """Return queries of eight words: four of a message, and four of the commonest.

        The common ones are none that a search leaves out: each is in one of 25 messages or more.
        """
        found: list[TargetedQuery] = []
        for number, query in enumerate(self.queries(messages, count)):
            random = np.random.default_rng((self._seed, 3, number))
            content = random.permutation(content_words(query.target))[:4]
            common = random.permutation(self._words[len(FUNCTION_WORDS) :][:40])[:4]
            words = [word for pair in zip(common, content, strict=False) for word in pair]
            found.append(TargetedQuery(text=" ".join(words), target=query.target))
        return found

    def file(self, number: int, chunks: int) -> str:
        """Return a memory file of about ``chunks`` chunks, a heading before each."""
        random = np.random.default_rng((self._seed, 1, number))
        parts: list[str] = []
        for _ in range(chunks):
            parts.append(f"## {' '.join(self._draw(random, 4))}\n")
            words = self._draw(random, LINE_WORDS * (CHUNK_LINES - 2))
            parts += [
                _as_sentences(words[first : first + LINE_WORDS])
                for first in range(0, len(words), LINE_WORDS)
            ]
        return "\n".join(parts) + "\n"

    def _draw(self, random: np.random.Generator, count: int) -> list[str]:
        ranks: NDArray[np.intp] = np.searchsorted(self._cumulative, random.random(count))
        return list(self._words[np.minimum(ranks, len(self._words) - 1)])

    def _query_for(self, target: str, number: int) -> str:
        random = np.random.default_rng((self._seed, 2, number))
        content = content_words(target)
        wanted = int(random.integers(QUERY_WORDS[0], QUERY_WORDS[1] + 1))
        return " ".join(random.permutation(content)[:wanted])


def content_words(text: str) -> list[str]:
    """Return the different words of ``text`` that are not function words, in order."""
    words = (word.strip(".").lower() for word in text.split())
    return list(dict.fromkeys(word for word in words if word not in FUNCTION_WORDS))


def _cumulative_shares(vocabulary: int, law: WordLaw) -> NDArray[np.float64]:
    ranks = np.arange(1, vocabulary + 1, dtype=np.float64)
    weights = 1.0 / ranks
    if law == "natural":
        rare = ranks > NATURAL_KNEE
        weights[rare] = (NATURAL_KNEE / ranks[rare]) ** NATURAL_TAIL / NATURAL_KNEE
    return np.asarray(np.cumsum(weights / weights.sum()))


def make_vocabulary(size: int) -> list[str]:
    """Return ``size`` different words, the commonest first: function words, then made-up ones.

    >>> make_vocabulary(110)[:3]
    ['the', 'and', 'to']
    """
    words = list(FUNCTION_WORDS[:size])
    taken = set(words)
    for syllables in (2, 3, 4):
        room = len(_SYLLABLES) ** syllables
        for rank in range(room):
            if len(words) == size:
                return words
            word = _spell(rank * _STRIDE % room, syllables)
            if word not in taken:
                words.append(word)
    return words


def _spell(number: int, syllables: int) -> str:
    parts: list[str] = []
    for _ in range(syllables):
        number, digit = divmod(number, len(_SYLLABLES))
        parts.append(_SYLLABLES[digit])
    return "".join(parts)


def _as_sentences(words: Sequence[str]) -> str:
    sentences = (
        " ".join(words[first : first + LINE_WORDS]) for first in range(0, len(words), LINE_WORDS)
    )
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)
