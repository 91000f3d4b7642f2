"""Secrets that span lines: text that a person put between `<private>` tags, and private keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[str, int, int]
"""(kind, start, end) of a span to redact; offsets in code points."""

_TAG = re.compile(r"(?!(?<=`)<[^<>`]{0,108}>`)<(/?)(?i:private)(?:\s[^<>]{0,100})?>")
"""A tag in backticks is mentioned, not used."""
_BEGIN = "-----BEGIN "
_KEY_HEADER = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s:,%-]|\\[nr])*+")
_KEY_FOOTER = re.compile(r"-----END[A-Z0-9 ]{0,60}-{0,5}")
_PUTTY = "PuTTY-User-Key-File-"
_PUTTY_KEY = re.compile(
    r"Private-Lines:[ \t]*\d{1,4}(?:\s|\\[nr])+(?:[A-Za-z0-9+/=]++(?:\s|\\[nr]|$)++)*+"
)
_SSH2 = "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"
_SSH2_KEY = re.compile(
    _SSH2 + r"""(?:[\w+/=\s:,"%@.]|\\[nr"]|-(?!--))*+(?:---- END SSH2[A-Z ]{0,40} ----)?"""
)
BLOCK_SIGNS = ("<private", _BEGIN.lower(), _PUTTY.lower(), "ssh2")
"""One of them is in the lower case of each text with a block or a key."""
_MAX_KEY_CHARS = 65_536
"""An RSA key of 16,384 bits has 13,000; the end of a key is not searched beyond this."""


def is_private(text: str) -> bool:
    """Return whether a text consists only of `<private>` blocks.

    >>> is_private(" <private>a <private>b</private></private>"), is_private("a <private>b")
    (True, False)
    """
    at = 0
    for _, start, end in _private_blocks(text):
        if text[at:start].strip():
            return False
        at = end
    return at > 0 and not text[at:].strip()


def find_blocks(text: str, folded: str) -> Iterator[Span]:
    """Yield every ``<private>`` block and private key of ``text``; blocks of a kind in order.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
    """
    if "<private" in folded:
        yield from _private_blocks(folded)
    if _BEGIN in text:
        yield from _private_keys(text)
    if _SSH2 in text:
        yield from (("private-key", *match.span()) for match in _SSH2_KEY.finditer(text))
    if _PUTTY in text:
        yield from (("private-key", *match.span()) for match in _PUTTY_KEY.finditer(text))


def _private_blocks(folded: str) -> Iterator[Span]:
    """Yield the outermost blocks; one that is not closed goes to the end of the text."""
    start = depth = 0
    for tag in _TAG.finditer(folded):
        if not tag[1]:
            start = tag.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                yield "private", start, tag.end()
    if depth:
        yield "private", start, len(folded)


def _private_keys(text: str) -> Iterator[Span]:
    """Yield each key from header to footer, or as far as a key could go when the footer is cut."""
    at = text.find(_BEGIN)
    while at >= 0:
        end = at + len(_BEGIN)
        header = _KEY_HEADER.match(text, at)
        if header:
            end = _end_of_key(text, header.end())
            yield "private-key", at, end
        at = text.find(_BEGIN, end)


def _end_of_key(text: str, start: int) -> int:
    footer = text.find("-----END", start, start + _MAX_KEY_CHARS)
    end = (_KEY_BODY if footer < 0 else _KEY_FOOTER).match(text, max(start, footer))
    return end.end() if end else start
