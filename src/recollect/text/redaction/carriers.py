"""Secrets that their carrier gives away: URLs, headers, command lines, and Base64 around others."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator
from itertools import chain

from recollect.text.redaction.blocks import Span, find_blocks
from recollect.text.redaction.credentials import find_credentials, long_words
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
_BASE64 = re.compile(
    r"[A-Za-fw-z0-9](?<![A-Za-z0-9+/_=-].)(?=[a-z+/_-]{0,22}[A-Z0-9])[A-Za-z0-9+/_-]{23,}+={0,2}"
)
"""Base64 of a text: no character begins with the bytes of ``g`` to ``v``, and no text has neither
capitals nor digits there."""
_MAX_BASE64 = 65_536
"""A longer run is a picture or an archive."""


def find_carried(text: str, folded: str, among: str) -> Iterator[Span]:
    """Yield the secrets of ``text`` in the places where secrets are sent or packed.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
        among: Its long words.
    """
    if "://" in text:
        yield from _in_urls(text)
    for gate, carriers in _CARRIERS:
        if gate in folded:
            for carrier in [each for each in carriers if each[1] in folded]:
                yield from _in_carrier(text, folded, carrier)
    if "data:" in folded and "kind" in folded:
        yield from _in_kubernetes(text, folded)
    if is_packed(among):
        for run in _BASE64.finditer(text):
            if inner := _kind_inside(run[0]):
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


_Carrier = tuple[str, str, re.Pattern[str], Callable[[re.Match[str], str], bool]]
"""(kind, a word that must be there, where the value is, whether that value is a secret)."""


def _command(
    keyword: str,
    before: str,
    is_sent: Callable[[re.Match[str], str], bool] = _is_password,
    after: str = "",
) -> _Carrier:
    return "password", keyword, re.compile(before + _WORD + after), is_sent


_CARRIERS: tuple[tuple[str, tuple[_Carrier, ...]], ...] = (
    (
        "auth",
        (
            ("authorization", "authorization", _AUTHORIZATION, _is_authorization),
            _command("auth=(", r"auth=\(\s{0,4}[\"'][^\"']{1,100}[\"'],\s{0,4}"),
        ),
    ),
    (
        "pass",
        (
            ("password", "machine", _NETRC, _is_password),
            _command("sshpass", r"sshpass\s{1,4}-p\s{0,4}"),
            _command(
                "htpasswd",
                r"htpasswd\s{1,4}-\w{0,4}b\w{0,4}\s{1,4}\S{1,200}\s{1,4}\S{1,100}\s{1,4}",
            ),
            _command("requirepass", r"requirepass\s{1,4}"),
        ),
    ),
    (
        "-p",
        (
            _command("mysql", rf"mysql{_ARGUMENTS}-p"),
            _command("mariadb", rf"mariadb{_ARGUMENTS}-p"),
            _command("docker login", rf"docker login{_ARGUMENTS}-p\s{{1,4}}"),
            _command("7z", rf"\b7z[ar]?{_ARGUMENTS}-p", _is_strong),
            _command("zip -p", r"zip -p\s{1,4}", _is_strong),
        ),
    ),
    (
        "",
        (
            ("authorization", "bearer", _BEARER, _is_authorization),
            ("cookie", "cookie", _COOKIE, _is_cookie),
            ("cookie", "-b ", _COOKIE_FLAG, _is_cookie),
            ("password", "curl", _CURL, _is_password),
            ("password", ":5432:", _PGPASS, _is_password),
            ("password", ":*:", _PGPASS, _is_password),
            _command("redis-cli", rf"redis-cli{_ARGUMENTS}-a\s{{1,4}}"),
            _command("/user:", rf"net use{_ARGUMENTS}/user:\S{{1,100}}\s{{1,4}}"),
            _command("openssl", rf"openssl{_ARGUMENTS}-k\s{{1,4}}", _is_strong),
            _command("ldap", rf"ldap\w{{3,8}}{_ARGUMENTS}-w\s{{1,4}}"),
            _command("identified", r"identified (?:with \w{1,40} )?by\s{1,4}(?=[\"'])"),
            _command("securestring", r"convertto-securestring\s{1,4}(?:-string\s{1,4})?(?=[\"'])"),
            _command("softlayer.com", r"api\.softlayer\.com/soap/v3(?:\.1)?/", _is_strong),
            _command("contribsys__com", r"contribsys__com[=:]\s{0,4}", _is_strong),
            _command(
                "sudo -s",
                r"echo\s{1,4}",
                after=r"""["']?\s{0,4}\|\s{0,4}sudo\s{1,4}-s""",
            ),
        ),
    ),
)
"""(what must be there for any of these, carriers)."""

CARRIER_SIGNS = (
    "://",
    "data:",
    *(gate for gate, _ in _CARRIERS if gate),
    # Up to the first space, which is the end of a word.
    *("".join(each[1].partition(" ")[:2]) for gate, row in _CARRIERS if not gate for each in row),
)
"""One of them is in the lower case of each text in which something is sent; see `is_packed`."""


def is_packed(among: str) -> bool:
    """Return whether a secret is in Base64 in one of some long words."""
    return any(map(_kind_inside, _BASE64.findall(among)))


def _in_carrier(text: str, folded: str, carrier: _Carrier) -> Iterator[Span]:
    kind, _, pattern, is_sent = carrier
    at = 0
    while match := pattern.search(folded, at):
        at, end = match.span("value")
        if is_sent(match, text[at:end]):
            start, at = at, _end(text, end)
            yield kind, start, at


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
        inner = binascii.a2b_base64(digits + "=" * (-len(digits) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    lowered = inner.lower()
    spans = chain(
        find_credentials(inner, long_words(inner)),
        find_blocks(inner, lowered),
        find_keyed(inner, lowered),
    )
    return next((kind for kind, _, _ in spans), None)
