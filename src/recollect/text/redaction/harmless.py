"""Proves of a text that no rule finds a secret in it, by its words, most of which were seen before.

Every rule asks for a sign that is within one word: a stem such as ``pass``, a carrier such as
``://``, or a long word that may be a credential. A text whose words hold no sign has no secret,
however the words stand; and whether a word holds one is looked up once.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import filterfalse

from recollect.text.redaction.blocks import BLOCK_SIGNS
from recollect.text.redaction.carriers import CARRIER_SIGNS, is_packed
from recollect.text.redaction.commands import may_command
from recollect.text.redaction.credentials import SHORTEST, may_hold
from recollect.text.redaction.keyed import KEYED_SIGNS
from recollect.text.redaction.spoken import SPOKEN_SIGNS, may_tell_a_code
from recollect.text.tokens import LONGEST_SPLIT, words_of

MARK_BEGINS = "[redacted:"
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
"""Characters that hide a sign from whoever looks for it."""

_EVERY = {MARK_BEGINS, *BLOCK_SIGNS, *CARRIER_SIGNS, *KEYED_SIGNS, *SPOKEN_SIGNS}
_SIGNS = tuple(sorted(one for one in _EVERY if not any(o != one and o in one for o in _EVERY)))
"""Without those that hold another one."""
LONGEST_KEPT = 24
MOST_KEPT = 32_768
"""About 4 MB; then it starts again, as the other caches of words do."""

known_words: set[str] = set()
"""Words without a sign, of all threads: what is one depends on no home."""


def is_harmless(text: str) -> bool:
    """Return whether none of the words of a text holds a sign; False says nothing.

    A long text holds a sign more often than not, and the search for one would be lost.
    """
    if len(text) > LONGEST_SPLIT:
        return False
    if may_tell_a_code(folded(text)):
        return False
    fresh = list(filterfalse(known_words.__contains__, words_of(text)))
    if fresh and _has_sign(fresh):
        return False
    if len(known_words) >= MOST_KEPT:
        known_words.clear()
    known_words.update([word for word in fresh if len(word) <= LONGEST_KEPT])
    return True


def folded(text: str) -> str:
    """Return ``text`` in lower case with every character at the same offset.

    U+0130 is the only character that Unicode lowers to two.
    """
    return text.replace("\u0130", "I").lower()


def _has_sign(words: Collection[str]) -> bool:
    told = f" {' '.join(words)} "  # some signs begin or end a word
    lowered = folded(told)
    for sign in _SIGNS:
        if sign in lowered:
            return True
    if may_command(lowered) or (not told.isascii() and INVISIBLE.search(told)):
        return True
    among = " ".join([word for word in words if len(word) >= SHORTEST])
    return bool(among) and (may_hold(among) or is_packed(among))
