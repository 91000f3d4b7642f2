"""Distinguishes random letters from names: in keys, tokens and encoded data capitals are random."""

from __future__ import annotations

import re

_CHANGE = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z0-9])[a-z]")
_SAMPLE = 80
_LEAST = 8
_SHARE = 0.35
_LEAST_ENCODED = 60
_DIGITS_ENCODED = 3
_SHARE_ENCODED = 0.25


def is_scrambled(text: str) -> bool:
    """Return whether case and digits change in ``text`` as chance has it.

    A random mix changes at every second character, ``AuthenticationTokenProvider`` at every fifth.
    Looks at the first eighty characters; fewer than eight never are.
    """
    return len(text) >= _LEAST and _changes(text) >= _SHARE


def is_encoded(text: str) -> bool:
    """Return whether ``text``, an unbroken run, is a line of Base64 or the like.

    Long names in camel case change as often, but have no digits; paths and digests change less or
    have one case only. 1 line in 2,000 of random Base64 is missed.
    """
    if len(text) < _LEAST_ENCODED or text.islower() or text.isupper():
        return False
    digits = sum(map(str.isdigit, text[:_SAMPLE]))
    return digits >= _DIGITS_ENCODED and _changes(text) >= _SHARE_ENCODED


def _changes(text: str) -> float:
    """Return the share of characters at which case changes; marks do not count."""
    sample = text[:_SAMPLE]
    return len(_CHANGE.findall(sample)) / len(sample)
