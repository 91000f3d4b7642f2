"""Secrets that their carrier gives away: URLs, headers, command lines, and Base64 around others."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from itertools import chain

from recollect.text.redaction.blocks import Span, find_blocks
from recollect.text.redaction.credentials import find_credentials
from recollect.text.redaction.keyed import find_keyed, is_code, is_filler, is_random

_USER_AND_PASSWORD = re.compile(r"""[^\s/?#:@"'<>]{0,256}:([^\s/?#"'<>]{1,256})@""")
_AUTHORIZATION = re.compile(
    r"""authorization\\{0,4}["']?\]?[ \t]{0,4}[:=,][ \t]{0,4}\\{0,4}["'`]?"""
    r"""(?P<scheme>(?:apikey|basic|bearer|digest|ssws|token)\s{1,4})?(?P<value>[^\s"'`\\,;]{8,128}+)"""
)
_BEARER = re.compile(r"(?P<scheme>bearer)\s{1,4}(?P<value>[a-z0-9._~+/=-]{16,128}+)")
_COOKIE = re.compile(
    r"""cookie\\{0,4}["']?:[ \t]{0,4}["']?(?P<value>[^\s=;"'\\]{1,100}=[^\r\n"'\\]{16,128}+)"""
)
_CURL = re.compile(r"""(?:\s-u|--user)[ =]{0,4}["']?[^\s:"']{1,100}:(?P<value>[^\s"']{3,128}+)""")
_NETRC = re.compile(
    r"machine\s{1,20}\S{1,200}\s{1,20}login\s{1,20}\S{1,100}\s{1,20}password\s{1,20}"
    r"(?P<value>\S{1,128}+)"
)
_COOKIE_PARTS = re.compile(r"[\s=;]+")
_MIN_COOKIE = 16
_REST = re.compile(r"""[^\s"'`\\,;]*+""")
_BASE64 = re.compile(
    r"(?<!:[0-9a-f]{6}\])(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}+={0,2}(?!\[redacted:)"
)
"""Not beside a mark: what was one run before a redaction must not become another run after it."""
_MAX_BASE64 = 65_536
"""A longer run is a picture or an archive."""


def find_carried(text: str, folded: str) -> Iterator[Span]:
    """Yield the secrets of ``text`` in the places where secrets are sent or packed.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
    """
    if "://" in text:
        yield from _in_urls(text)
    for kind, keyword, pattern, is_sent in _CARRIERS:
        at = 0 if keyword in folded else len(folded)
        while match := pattern.search(folded, at):
            at, end = match.span("value")
            if is_sent(match, text[at:end]):
                start, at = at, _end(text, end)
                yield kind, start, at
    for run in _BASE64.finditer(text):
        inner = _kind_inside(run[0])
        if inner:
            yield inner, run.start(), run.end()


def _is_authorization(match: re.Match[str], value: str) -> bool:
    if match["scheme"] is None:
        return is_random(value) and not is_filler(value)
    return not is_filler(value) and not is_code(value)


def _is_cookie(_: re.Match[str], value: str) -> bool:
    longest = max(_COOKIE_PARTS.split(value), key=len)
    return len(longest) >= _MIN_COOKIE and is_random(longest)


def _is_password(_: re.Match[str], value: str) -> bool:
    return not is_filler(value)


_CARRIERS = (
    ("authorization", "authorization", _AUTHORIZATION, _is_authorization),
    ("authorization", "bearer", _BEARER, _is_authorization),
    ("cookie", "cookie", _COOKIE, _is_cookie),
    ("password", "curl", _CURL, _is_password),
    ("password", "machine", _NETRC, _is_password),
)
"""(kind, a word that must be there, where the value is, whether that value is a secret)."""


def _end(text: str, end: int) -> int:
    """Return where a value ends of which at most the beginning was looked at."""
    rest = _REST.match(text, end)
    return rest.end() if rest else end


def _in_urls(text: str) -> Iterator[Span]:
    at = text.find("://")
    while at >= 0:
        match = _USER_AND_PASSWORD.match(text, at + 3)
        if match and not is_filler(match[1]):
            yield "url-password", match.start(1), match.end(1)
        at = text.find("://", at + 3)


def _kind_inside(run: str) -> str | None:
    """Return the kind of the secret that ``run`` is the Base64 of, if any."""
    if len(run) > _MAX_BASE64:
        return None
    digits = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        content = base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True)
    except binascii.Error:
        return None
    if not content.isascii():
        return None
    inner = content.decode("ascii")
    lowered = inner.lower()
    named = chain(find_blocks(inner, lowered), find_keyed(inner, lowered))
    return next((kind for kind, _, _ in chain(find_credentials(inner), named)), None)
