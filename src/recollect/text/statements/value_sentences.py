"""Value sentences: those that may give or change a value, whatever their slot, by their words.

Beside slots this is the second way by which a statement is found to replace another one: an older
sentence and a newer one share names and nouns, and the newer one has signs of change. How much that
tells is a sum of weights, fitted to sets of ``tests/fixtures/knowledge`` and to the pairs of real
talk, nearly none of which is a change; see ``docs/experiments.md``, Replaced.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec

from recollect.text.languages import all_languages
from recollect.text.statements.judge import ClauseOdds
from recollect.text.statements.likeness import CHATTY, LEAST_STANDING, LEAST_TURNING, NEVER
from recollect.text.statements.reading import Clause, own_lines, sentences
from recollect.text.statements.rulebook import UNSPACED, Rulebook, rulebook
from recollect.text.statements.statement import Statement
from recollect.text.statements.tongue import language_of
from recollect.text.statements.traits import clause_traits
from recollect.text.terms import terms

LONGEST = 700
"""Characters of a message; a longer one tells no change in passing."""
_MANY = 16
"""Words from which on more of them tell nothing more."""
_TERSE, _LONG = 80, 250
"""Characters of a message from which on it is chat, without a statement in it, and anyway."""
_WORD = re.compile(r"\w(?:\w|[.+#/'-](?=\w))*")
_UNSPACED = re.compile("[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]{2,}|[\uac00-\ud7af]{2,}")
_KATAKANA = re.compile("[\u30a0-\u30ff]+")
_HANGUL = re.compile("[\uac00-\ud7af]+")
_NAMED = re.compile(r"\d|\w[._/]\w|[a-z][A-Z]|[A-Z]{2}")
_AFTER = re.compile(r"[.!?:…\n(\"“«„¿¡]\s*$")
_ELIDED = re.compile(r"^\w{1,2}'(?=\w)|'s$")
_LATIN = re.compile(r"[A-Za-z0-9][\w.+#/-]*[A-Za-z0-9]|\d", re.ASCII)


class ValueSentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of a message that may give or change a value.

    Attributes:
        start: Offset of its first character in the text of the message.
        end: Offset after its last.
        words: Its names and nouns, in the form in which they are compared; whether each is a name,
            a number or an identifier.
        standing: How much it is like the statement of a value that holds, in hundredths.
        turning: How much it is like the statement of a change, in hundredths.
        stated: How much likelier it is that it states anything, as a logarithm in hundredths; 0 of
            one that is not like the statement of a change.
    """

    start: int
    end: int
    words: Mapping[str, bool]
    standing: int
    turning: int
    stated: int


class _Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence with its language, and how many signs of each kind it has."""

    clause: Clause
    code: str
    counts: Mapping[str, int]
    signs: int
    """Of change."""
    is_stated: bool


def value_sentences(text: str, statements: Iterable[Statement]) -> list[ValueSentence]:
    """Return the sentences of a message of a person that may give or change a value.

    Args:
        text: The text of the message; nothing is found in one of more than `LONGEST` characters.
        statements: What was detected in it.
    """
    if not 2 <= len(text) <= LONGEST:
        return []
    own = _sentences(text, statements)
    signs = sum(each.signs for each in own)
    apart = sum(each.counts["apart"] for each in own)
    likely = []
    for each in own:
        of_others = signs - each.signs, apart - each.counts["apart"]
        # Words cost most: they are looked up only where some number of them would be enough.
        if _odds(each, len(text), of_others, 0, _MANY) is None:
            continue
        words = _words(each.clause.text, each.code)
        odds = _odds(each, len(text), of_others, len(words), len(words))
        if words and odds is not None:
            standing, turning = odds
            likely.append(
                ValueSentence(
                    start=each.clause.start,
                    end=each.clause.end,
                    words=words,
                    standing=standing,
                    turning=turning,
                    stated=_stated(each) if turning >= LEAST_TURNING else 0,
                )
            )
    return likely


def _odds(
    each: _Sentence, length: int, of_others: tuple[int, int], fewest: int, most: int
) -> tuple[int, int] | None:
    """Return how much a sentence is like either statement; None if it is like neither.

    More words make it more like one of a value that holds, and less like one of a change.

    Args:
        each: The sentence.
        length: Characters of its message.
        of_others: How many signs of change, and of times apart, the other sentences have.
        fewest: The fewest words that it may have.
        most: The most of them.
    """
    standing = _standing(each, length, most)
    turning = _turning(each, length, fewest, *of_others)
    has_signs = each.signs + of_others[0] > 0
    standing = standing if standing >= 0 else NEVER
    turning = turning if has_signs and turning >= LEAST_TURNING + CHATTY else NEVER
    standing -= CHATTY * (length > _TERSE and not each.is_stated)
    turning -= CHATTY * (length > _LONG)
    return (standing, turning) if standing >= LEAST_STANDING or turning >= LEAST_TURNING else None


def _standing(each: _Sentence, length: int, words: int) -> int:
    counts = each.counts
    return round(
        -119 * min(counts["hedges"], 1)
        + 191 * (counts["turns"] + counts["ends"] > 0)
        + 59 * each.is_stated
        - 266 * min(length / 300, 3)
        + 152 * min(words, _MANY) / 8
    )


def _turning(each: _Sentence, length: int, words: int, other_signs: int, other_apart: int) -> int:
    counts = each.counts
    return round(
        -92
        + 43 * min(counts["turns"], 2)
        + 79 * min(counts["nows"], 2)
        + 124 * min(counts["ends"], 2)
        - 133 * (each.signs == 0)
        - 135 * min(counts["apart"], 3)
        - 135 * min(counts["hedges"], 1)
        - 70 * min(counts["limits"], 1)
        + 79 * each.is_stated
        - 202 * min(length / 300, 3)
        - 83 * min(words, _MANY) / 8
        - 46 * min(other_apart, 2)
        + 95 * min(other_signs, 2)
    )


def _stated(each: _Sentence) -> int:
    odds = ClauseOdds(each.code, clause_traits(each.clause, "user", each.code))
    return round(100 * odds.log_odds())


def _sentences(text: str, statements: Iterable[Statement]) -> list[_Sentence]:
    """Return the sentences that are no questions, with their words and signs."""
    book = rulebook(language_of(text, _WORD.findall(text.lower())), "user")
    spans = [(each.start, each.end) for each in statements]
    return [
        _sentence(clause, book, spans)
        for start, line in own_lines(text, book)
        for clause in sentences(line, start)
        if not clause.is_asked
    ]


def _sentence(clause: Clause, book: Rulebook, spans: Sequence[tuple[int, int]]) -> _Sentence:
    counts = {sign: len(set(book.plain_signs[sign].findall(clause.lowered))) for sign in _SIGNS}
    return _Sentence(
        clause=clause,
        code=book.code,
        counts=counts,
        signs=sum(counts[sign] for sign in _OF_CHANGE),
        is_stated=any(start < clause.end and clause.start < end for start, end in spans),
    )


_OF_CHANGE = ("turns", "nows", "ends")
_DOUBTS = ("hedges", "limits")
_SIGNS = (*_OF_CHANGE, "apart", *_DOUBTS)


def words_of(text: str) -> dict[str, bool]:
    """Return the names and nouns of a text, as `ValueSentence` has those of a sentence."""
    return _words(text, language_of(text, _WORD.findall(text.lower())))


def _words(text: str, code: str) -> dict[str, bool]:
    """Return the names and nouns of a sentence with their flags."""
    words: dict[str, bool] = {}

    def add(word: str, *, is_name: bool) -> None:
        words[word] = words.get(word, False) or is_name

    if code in UNSPACED:
        for match in _UNSPACED.finditer(text):
            for piece in _pieces(match[0]):
                add(piece, is_name=_KATAKANA.fullmatch(piece) is not None)
        for match in _LATIN.finditer(text):
            if _tells(match[0].lower()):
                add(match[0].lower(), is_name=True)
        return words
    for match in _WORD.finditer(text):
        word = _ELIDED.sub("", match[0].lower())
        if not _tells(word) or _is_addressed(text, match):
            continue
        is_first = match.start() == 0 or _AFTER.search(text, 0, match.start()) is not None
        is_capital = match[0][0].isupper() and not is_first and code != "de"
        stem = next(iter(terms(word)), word)
        add(stem, is_name=is_capital or _NAMED.search(match[0]) is not None)
    return words


def _tells(word: str) -> bool:
    """Return whether a word tells of what a sentence speaks: no small number, no common word."""
    return len(word) > (2 if word.isdigit() else 1) and word not in _common()


def _is_addressed(text: str, word: re.Match[str]) -> bool:
    """Return whether a word is the name of who is spoken to."""
    return word[0][0].isupper() and (
        _greetings().search(text, 0, word.start()) is not None
        or (text[: word.start()].endswith(", ") and word.end() == len(text))
        or (word.start() == 0 and text[word.end() : word.end() + 1] == ",")
    )


def _pieces(run: str) -> Iterator[str]:
    """Yield what is compared of a run of letters of a script without spaces."""
    if _KATAKANA.fullmatch(run):
        yield run
    elif _HANGUL.fullmatch(run):
        yield run[:3]
    else:
        yield from (run[at : at + 2] for at in range(len(run) - 1))


@functools.cache
def _common() -> frozenset[str]:
    languages = all_languages()
    texts = (f"{e.function_words} {e.stop_words} {e.common_words}" for e in languages)
    times = (words for each in languages for words in each.times.values())
    return frozenset((*(word for text in texts for word in text.split()), *chain(*times)))


@functools.cache
def _greetings() -> re.Pattern[str]:
    """Return a pattern of the words that precede the name of the person spoken to."""
    words = "|".join(filter(None, (each.greetings for each in all_languages())))
    return re.compile(rf"(?i)\b(?:{words})[,!]? $")
