"""How much it tells that an older and a newer sentence are alike: the limits, and the sum.

The numbers are of the same fit as those of `value_sentences`.
"""

from __future__ import annotations

CHATTY = 200
"""Taken off, in hundredths, for what is most often chat: then a link is only flagged."""
LEAST_STANDING = -CHATTY
LEAST_TURNING = -350 - CHATTY
"""Hundredths; with less a sentence is neither older nor newer in any link."""
NEVER = -10_000
"""The standing and turning of a sentence that has too little of it."""
ALIKE = 60
"""The sum of both and of their likeness from which the newer one replaces the older one."""
MAYBE_ALIKE = -200
"""Likewise, from which it is flagged."""
_ENOUGH = 6
_ONE_WORD = 400
"""What it takes that sentences of many words share one: two characters of a longer word, in scripts
without spaces."""


def likeness(names: int, words: int, fewer: int) -> int:
    """Return how much it tells that an older and a newer sentence share words, in hundredths.

    Args:
        names: Names, numbers and identifiers that they share.
        words: Other words that they share.
        fewer: How many words the shorter one has.
    """
    share = (names + words) / max(1, min(fewer, _ENOUGH))
    return round(
        111 * min(names, 2)
        + 34 * min(words, 3)
        + 44 * (words >= 2)
        + 23 * (names > 0 < words)
        - _ONE_WORD * (names == 0 and words == 1 and fewer > _ENOUGH)
        - 111 * share
    )
