"""Secrets that their carrier gives away: URLs, headers, command lines, and Base64 around others."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from recollect.text.redaction.blocks import Span, find_blocks
from recollect.text.redaction.credentials import Run, find_credentials
from recollect.text.redaction.keyed import find_keyed, is_code, is_filler, is_random, is_strong

_USER_AND_PASSWORD = re.compile(r"""([^\s/?#:@"'<>]{0,256}):([^\s/?#"'<>]{1,256})@""")
_AUTHORIZATION = re.compile(
    r"""authorization\\{0,4}["']?\]?[ \t]{0,4}[:=,][ \t]{0,4}\[?\\{0,4}["'`]?"""
    r"""(?P<scheme>(?:apikey|api-token|basic|bearer|digest|ssws|token)\s{1,4})?"""
    r"""(?P<value>[^\s"'`\\,;]{8,128}+)"""
)
_BEARER = re.compile(r"(?P<scheme>bearer)\s{1,4}(?P<value>[a-z0-9._~+/=-]{16,128}+)")
_COOKIE = re.compile(
    r"""cookie\\{0,4}["']?:[ \t]{0,4}["']?(?P<value>[^\s=;"'\\]{1,100}=[^\r\n"'\\]{3,512}+)"""
)
_COOKIE_FLAG = re.compile(
    r"""(?:^|\s)(?:-b|--cookie)[ =]{1,4}["']?(?P<value>[^\s=;"']{1,100}=[^\r\n"']{3,512}+)"""
)
_CURL = re.compile(
    r"""(?:\s-u|--user)[ =]{0,4}["']?[^\s:"']{0,100}:["']?(?P<value>[^\s"']{3,128}+)"""
)
_NETRC = re.compile(
    r"machine\s{1,20}\S{1,200}\s{1,20}login\s{1,20}\S{1,100}\s{1,20}password\s{1,20}"
    r"(?P<value>\S{1,128}+)"
)
_PGPASS = re.compile(
    r"^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:(?P<value>\S{4,128}+)$",
    re.MULTILINE,
)
_WORD = r"""["']?(?P<value>[^\s"'|;&<>]{3,128}+)"""
_ARGUMENTS = r"[^\n|;&]{0,200}?\s"
_COOKIE_PARTS = re.compile(r"[\s=;]+")
_SESSION = re.compile(r"(?:^|[\s;])[\w.-]*?(?:sess|sid|auth|token|csrf)[\w.-]*=([^\s;]{8,})")
_MIN_COOKIE = 16
_SECRET_KIND = re.compile(
    r"""^[ \t]{0,40}["']?kind["']?:[ \t]{0,4}["']?secret\b["']?[ \t]*$""", re.MULTILINE
)
_SECRET_DATA = re.compile(
    r"^([ \t]{0,40})data:[ \t]*\n(?P<lines>(?:\1[ \t]+\S[^\n]*(?:\n|$))+)", re.MULTILINE
)
_SECRET_ITEM = re.compile(
    r"""^[ \t]+[\w.-]+:[ \t]*(?:[|>][+-]?[ \t]*\n[ \t]+)?"""
    r"""["']?(?P<value>[A-Za-z0-9+/]{10,}+={0,3})["']?[ \t]*$""",
    re.MULTILINE,
)
_REST = re.compile(r"""[^\s"'`\\,;]*+""")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}+={0,2}")
_LEAST_BASE64 = 24
_MAX_BASE64 = 65_536
"""A longer run is a picture or an archive."""


def find_carried(text: str, folded: str, runs: Sequence[Run]) -> Iterator[Span]:
    """Yield the secrets of ``text`` in the places where secrets are sent or packed.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
        runs: Its long runs.
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
    if "data:" in folded and "kind" in folded:
        yield from _in_kubernetes(text, folded)
    for start, end in runs:
        if end - start < _LEAST_BASE64:
            continue
        for run in _BASE64.finditer(text, start, end):
            inner = _kind_inside(run[0])
            if inner:
                yield inner, run.start(), run.end()


def _is_authorization(match: re.Match[str], value: str) -> bool:
    if match["scheme"] is None:
        return is_random(value) and not is_filler(value)
    return not is_filler(value) and not is_code(value)


def _is_cookie(_: re.Match[str], value: str) -> bool:
    longest = max(_COOKIE_PARTS.split(value), key=len)
    if len(longest) >= _MIN_COOKIE and is_random(longest):
        return True
    return any(is_strong(part) for part in _SESSION.findall(value.casefold()))


def _is_password(_: re.Match[str], value: str) -> bool:
    return not is_filler(value)


def _is_strong(_: re.Match[str], value: str) -> bool:
    return is_strong(value)


_CARRIERS = (
    ("authorization", "authorization", _AUTHORIZATION, _is_authorization),
    ("authorization", "bearer", _BEARER, _is_authorization),
    ("cookie", "cookie", _COOKIE, _is_cookie),
    ("cookie", "-b ", _COOKIE_FLAG, _is_cookie),
    ("password", "curl", _CURL, _is_password),
    ("password", "machine", _NETRC, _is_password),
    ("password", ":5432:", _PGPASS, _is_password),
    ("password", ":*:", _PGPASS, _is_password),
    *(
        ("password", keyword, re.compile(before + _WORD), is_sent)
        for keyword, before, is_sent in (
            ("mysql", rf"mysql{_ARGUMENTS}-p", _is_password),
            ("mariadb", rf"mariadb{_ARGUMENTS}-p", _is_password),
            ("sshpass", r"sshpass\s{1,4}-p\s{0,4}", _is_password),
            ("redis-cli", rf"redis-cli{_ARGUMENTS}-a\s{{1,4}}", _is_password),
            ("docker login", rf"docker login{_ARGUMENTS}-p\s{{1,4}}", _is_password),
            (
                "htpasswd",
                r"htpasswd\s{1,4}-\w{0,4}b\w{0,4}\s{1,4}\S{1,200}\s{1,4}\S{1,100}\s{1,4}",
                _is_password,
            ),
            ("7z", rf"\b7z[ar]?{_ARGUMENTS}-p", _is_strong),
            ("zip -p", r"zip -p\s{1,4}", _is_strong),
            ("net use", rf"net use{_ARGUMENTS}/user:\S{{1,100}}\s{{1,4}}", _is_password),
            ("openssl", rf"openssl{_ARGUMENTS}-k\s{{1,4}}", _is_strong),
            ("ldap", rf"ldap\w{{3,8}}{_ARGUMENTS}-w\s{{1,4}}", _is_password),
            ("requirepass", r"requirepass\s{1,4}", _is_password),
            ("identified", r"identified (?:with \w{1,40} )?by\s{1,4}(?=[\"'])", _is_password),
            (
                "securestring",
                r"convertto-securestring\s{1,4}(?:-string\s{1,4})?(?=[\"'])",
                _is_password,
            ),
            ("auth=(", r"auth=\(\s{0,4}[\"'][^\"']{1,100}[\"'],\s{0,4}", _is_password),
            ("softlayer.com", r"api\.softlayer\.com/soap/v3(?:\.1)?/", _is_strong),
            ("contribsys__com", r"contribsys__com[=:]\s{0,4}", _is_strong),
        )
    ),
    (
        "password",
        "sudo -s",
        re.compile(rf"echo\s{{1,4}}{_WORD}[\"']?\s{{0,4}}\|\s{{0,4}}sudo\s{{1,4}}-s"),
        _is_password,
    ),
)
"""(kind, a word that must be there, where the value is, whether that value is a secret)."""


def _in_kubernetes(text: str, folded: str) -> Iterator[Span]:
    """Yield the values of a manifest whose kind is Secret, and of no other."""
    at = 0
    while at < len(text):
        end = folded.find("\n---", at)
        end = end if end >= 0 else len(text)
        if _SECRET_KIND.search(folded, at, end):
            for data in _SECRET_DATA.finditer(text, at, end):
                for item in _SECRET_ITEM.finditer(text, *data.span("lines")):
                    yield "secret", *item.span("value")
        at = end + 1


def _end(text: str, end: int) -> int:
    """Return where a value ends of which at most the beginning was looked at."""
    rest = _REST.match(text, end)
    return rest.end() if rest else end


def _in_urls(text: str) -> Iterator[Span]:
    at = text.find("://")
    while at >= 0:
        match = _USER_AND_PASSWORD.match(text, at + 3)
        if match and not is_filler(match[2]):
            is_key = len(match[1]) >= 8 and is_random(match[1])
            yield "url-password", match.start(1 if is_key else 2), match.end(2)
        at = text.find("://", at + 3)


def _kind_inside(run: str) -> str | None:
    """Return the kind of the secret that ``run`` is the Base64 of, if any."""
    if len(run) > _MAX_BASE64:
        return None
    digits = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        inner = base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    lowered = inner.lower()
    named = chain(find_blocks(inner, lowered), find_keyed(inner, lowered))
    return next(
        (kind for kind, _, _ in chain(find_credentials(inner, [(0, len(inner))]), named)), None
    )
