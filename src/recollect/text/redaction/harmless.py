"""Finds the signs in the words of a text, most of which were seen before.

Every rule asks for a sign that is within one word: a stem such as ``pass``, a carrier such as
``://``, the name of a command, or a long word that may be a credential. The signs of a word are
looked up once; a text whose words have none has no secret, whatever their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from recollect.text.redaction.blocks import BLOCK_SIGNS
from recollect.text.redaction.carriers import (
    ANCHOR_SIGNS,
    CARRIER_SIGNS,
    PACKED,
    is_anchored,
    is_packed,
)
from recollect.text.redaction.commands import HEADS, HEADS_ALONE, OPTIONS
from recollect.text.redaction.contexts.phrases import PHRASE_SIGNS
from recollect.text.redaction.credentials import SHORTEST, may_hold
from recollect.text.redaction.keyed import COLUMN, FOLDED_TO_S, KEYED_SIGNS
from recollect.text.redaction.said import CAPITALS, SAID_SIGNS, may_say
from recollect.text.redaction.spoken import SPOKEN_SIGNS
from recollect.text.tokens import LONGEST_SPLIT, words_of

MARK_BEGINS = "[redacted:"
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
"""Characters that hide a sign from a search."""

_CREDENTIAL, _HIDDEN = "credential", "hidden"
_ALONE = frozenset(
    {
        MARK_BEGINS,
        *BLOCK_SIGNS,
        *CARRIER_SIGNS,
        *KEYED_SIGNS,
        *SPOKEN_SIGNS,
        *CAPITALS,
        *PHRASE_SIGNS,
    }
)
_OPTIONS = frozenset(OPTIONS)
PARTS = (*sorted(_ALONE), *sorted({*OPTIONS, *SAID_SIGNS} - _ALONE))
"""Searched in the lower case of a word with a space before and after it."""
LOOKS = frozenset({_CREDENTIAL, _HIDDEN, PACKED})
"""The results that the form of a word can give."""
_TELLING = _ALONE | LOOKS
_ANCHORS = ANCHOR_SIGNS - {
    *BLOCK_SIGNS,
    *(set(KEYED_SIGNS) - {COLUMN}),
    *SPOKEN_SIGNS,
    *CAPITALS,
    *PHRASE_SIGNS,
    *SAID_SIGNS,
}
"""Signs of carriers and of columns alone, each of which counts only with another one."""
_RUN = re.compile(r"[\w.-]++")
LONGEST_KEPT = 128
MOST_KEPT = 32_768
"""About 6 MB; then it is emptied, as the other caches of words are."""


class Signs(Struct, frozen=True):
    """The secrets that a text may hold, judged by its words."""

    folded: str
    """The text in lower case, with every character at the same offset."""
    rule_signs: frozenset[str]
    """The signs of rules."""
    heads: frozenset[str]
    """The names of commands."""
    among: str
    """The words in which a credential can be, in any order, a space between them."""


_Told = tuple[frozenset[str], frozenset[str]]

_UNKNOWN: _Told = LOOKS, frozenset()

known_words: set[str] = set()
"""Words without a sign, of all threads; they do not depend on the home."""
_telling_words: dict[str, _Told] = {}
"""Words with signs, of all threads."""


def is_harmless(text: str) -> bool:
    """Return whether none of the words of a text holds a sign; False says nothing.

    A long text holds a sign more often than not, and the search for one would be lost.
    """
    if len(text) > LONGEST_SPLIT:
        return False
    return signs_in(text) is None


def signs_in(text: str) -> Signs | None:
    """Return the signs in the words of a text; None: no rule matches.

    Args:
        text: Any text; a NUL counts as the space between words.
    """
    spaced = text.replace("\0", " ")
    words = words_of(spaced) if len(text) <= LONGEST_SPLIT else spaced.split()
    rest = set(words).difference(known_words)
    signs, heads, fresh = set[str](), set[str](), list[str]()
    for word in rest:
        result = _telling_words.get(word)
        if result is None:
            fresh.append(word)
        else:
            signs |= result[0]
            heads |= result[1]
    for word_signs, names in _looked_at(fresh) if fresh else ():
        signs |= word_signs
        heads |= names
    lowered = folded(text) if signs or heads else ""
    if not (lowered and _may_tell(lowered, signs, heads)):
        return None
    is_long = _CREDENTIAL in signs
    among = " ".join(filter(_may_hold_one, rest)) if is_long else ""
    return Signs(lowered, frozenset(signs), frozenset(heads), among)


def _may_hold_one(word: str) -> bool:
    """Return whether a credential may be in a word; unknown for the longest words."""
    return len(word) >= SHORTEST and _CREDENTIAL in _telling_words.get(word, _UNKNOWN)[0]


def _may_tell(lowered: str, signs: set[str], heads: set[str]) -> bool:
    # An escape may hide the other sign.
    if not heads and signs <= _ANCHORS and "\\" not in lowered:
        return is_anchored(lowered, signs) or any(each in lowered for each in FOLDED_TO_S)
    if not (signs.isdisjoint(_TELLING) and heads.isdisjoint(HEADS_ALONE)):
        return True
    if heads and not signs.isdisjoint(_OPTIONS):
        return True
    return not signs.isdisjoint(SAID_SIGNS) and may_say(lowered, signs)


def folded(text: str) -> str:
    """Return ``text`` in lower case with every character at the same offset.

    U+0130 is the only character that Unicode lowers to two.
    """
    return text.replace("\u0130", "I").lower()


def _looked_at(words: Sequence[str]) -> list[_Told]:
    """Return the results for those of some words that hold a sign, and remember the short ones."""
    lowered = [f" {folded(word)} " for word in words]  # some signs begin or end a word
    whole = "".join(lowered)
    parts = [part for part in PARTS if part in whole]
    heads = HEADS.intersection(_words_apart(whole))
    is_hidden = not whole.isascii() and bool(INVISIBLE.search(whole))
    is_long = bool(_of_long(" ".join([word for word in words if len(word) >= SHORTEST])))
    if not (parts or heads or is_hidden or is_long):
        _remember(words, None)
        return []
    results: list[_Told] = []
    for word, shape in zip(words, lowered, strict=True):
        signs = {part for part in parts if part in shape}
        if is_long and SHORTEST <= len(word) <= LONGEST_KEPT:
            signs.update(_of_long(word))
        if is_hidden and INVISIBLE.search(word):
            signs.add(_HIDDEN)
        names = heads.intersection(_words_apart(shape)) if heads else heads
        if signs or names:
            results.append((frozenset(signs), names))
        _remember([word], results[-1] if signs or names else None)
    if is_long:
        rest = " ".join([word for word in words if len(word) > LONGEST_KEPT])
        results.append((frozenset(_of_long(rest)), frozenset()))
    return results


def _words_apart(text: str) -> list[str]:
    """Return the words of a text without surrounding punctuation, including a mark of a diff."""
    return [word.lstrip("-") for word in _RUN.findall(text)]


def _of_long(among: str) -> list[str]:
    """Return the signs of the form of some long words."""
    if not among:
        return []
    signs = [_CREDENTIAL] if may_hold(among) else []
    return [*signs, PACKED] if is_packed(among) else signs


def _remember(words: Sequence[str], result: _Told | None) -> None:
    if len(known_words) + len(_telling_words) >= MOST_KEPT:
        known_words.clear()
        _telling_words.clear()
    short = [word for word in words if len(word) <= LONGEST_KEPT]
    if result is None:
        known_words.update(short)
    else:
        _telling_words.update(dict.fromkeys(short, result))
