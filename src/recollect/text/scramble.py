"""Tells random letters from names: in keys, tokens and encoded data capitals stand by chance."""

from __future__ import annotations

from itertools import pairwise

_SAMPLE = 40
_LEAST = 8
_SHARE = 0.35


def is_scrambled(text: str) -> bool:
    """Return whether case and digits change in ``text`` as chance has it.

    A random mix changes at every second character, ``AuthenticationTokenProvider`` at every fifth.
    Looks at the first forty characters; fewer than eight never are.
    """
    sample = text[:_SAMPLE]
    changes = sum(one.islower() != two.islower() for one, two in pairwise(sample))
    return len(sample) >= _LEAST and changes >= _SHARE * len(sample)
