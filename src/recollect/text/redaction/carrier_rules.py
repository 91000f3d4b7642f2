"""The table of headers, lines of files and commands that carry secrets."""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.text.redaction.contexts.code import CALLS
from recollect.text.redaction.contexts.devices import DEVICES
from recollect.text.redaction.contexts.shell import LABELS, PRINTED, SENT
from recollect.text.redaction.contexts.statements import CONNECTIONS, STATEMENTS
from recollect.text.redaction.rules import Rule
from recollect.text.redaction.values import is_code, is_filler, is_random, is_strong


class CarrierRule(Rule, frozen=True):
    """A header, a line of a file or a command with a secret; the group ``value`` is the secret."""

    kind: str
    gate: str
    """Must be in the text for any of several rows; empty: no requirement."""
    literal: str
    """Must be in the text."""
    is_sent: Callable[[re.Match[str], str], bool]
    """Whether the value is a secret."""
    pattern: re.Pattern[str]


_AUTHORIZATION = (
    r"""authorization\\{0,4}["']?\]?(?:[ \t]{0,4}[:=,]|(?=[ ]["']\w+ ))[ \t]{0,4}\[?\\{0,4}["'`]?"""
    r"""(?P<scheme>(?:apikey|api-token|basic|bearer|digest|ssws|token)\s{1,4})?"""
    r"""(?P<value>[^\s"'`\\,;]{8,128}+)"""
)
_BEARER = r"(?P<scheme>bearer)\s{1,4}(?P<value>[a-z0-9._~+/=-]{16,128}+)"
_COOKIE = r"""cookie\\{0,4}["']?:[ \t]{0,4}["']?(?P<value>[^\s=;"'\\]{1,100}=[^\r\n"'\\]{3,512}+)"""
_COOKIE_FLAG = (
    r"""(?:^|\s)(?:-b|--cookie)[ =]{1,4}["']?(?P<value>[^\s=;"']{1,100}=[^\r\n"']{3,512}+)"""
)
_NETRC = (
    r"machine\s{1,20}\S{1,200}\s{1,20}login\s{1,20}\S{1,100}\s{1,20}password\s{1,20}"
    r"(?P<value>\S{1,128}+)"
)
_PGPASS = (
    r"(?m:^)[\w.*-]{1,100}:(?:\d{2,5}"
    r"|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:(?P<value>\S{4,128}+)(?<!:)(?m:$)"
)
_WORD = r"""["']?(?P<value>[^\s"'|;&<>]{3,128}+)"""
_ARGUMENTS = r"[^\n|;&]{0,200}?\s"
_COOKIE_PARTS = re.compile(r"[\s=;]+")
_SESSION = re.compile(r"(?:^|[\s;])[\w.-]*?(?:sess|sid|auth|token|csrf)[\w.-]*=([^\s;]{8,})")
_MIN_COOKIE = 16
_MEASURED = re.compile(
    r"(?:^|(?<=[\s;]))(?:_ga|_gid|_gat|_gcl|_fb[pc]|__utm|_hj|awsalb|optanon|consent|cookieconsent|ajs_"
    r"|amp_|mp_|_ym|_pk_|_clck|_clsk|intercom-id|hubspotutk)[\w.-]*=[^\s;]*",
    re.IGNORECASE,
)
"""Cookies that count visits and give no access."""


def _is_authorization(match: re.Match[str], value: str) -> bool:
    if match["scheme"] is None:
        return is_random(value) and not is_filler(value)
    return not is_filler(value) and not is_code(value)


def _is_cookie(_: re.Match[str], value: str) -> bool:
    value = _MEASURED.sub("", value)
    longest = max(_COOKIE_PARTS.split(value), key=len)
    if len(longest) >= _MIN_COOKIE and is_random(longest):
        return True
    return any(is_strong(part) for part in _SESSION.findall(value.casefold()))


def _is_password(_: re.Match[str], value: str) -> bool:
    return not is_filler(value)


def _is_strong(_: re.Match[str], value: str) -> bool:
    return is_strong(value)


CARRIERS = tuple(
    CarrierRule(
        name,
        looks_for,
        example,
        counterexample,
        kind,
        gate,
        literal,
        is_sent,
        re.compile(looks_for),
    )
    for name, kind, gate, literal, looks_for, is_sent, example, counterexample in (
        (
            "authorization",
            "authorization",
            "auth",
            "authorization",
            _AUTHORIZATION,
            _is_authorization,
            "Authorization: Basic «YW5uOnN1bnNldA»",
            "Authorization: required",
        ),
        (
            "requests",
            "password",
            "auth",
            "auth=(",
            r"auth=\(\s{0,4}[\"'][^\"']{1,100}[\"'],\s{0,4}" + _WORD,
            _is_password,
            'get(url, auth=("ann", "«sunset42»"))',
            'get(url, auth=("ann", "****"))',
        ),
        (
            "netrc",
            "password",
            "pass",
            "machine",
            _NETRC,
            _is_password,
            "machine host login ann password «sunset»",
            "machine host login ann",
        ),
        (
            "htpasswd",
            "password",
            "pass",
            "htpasswd",
            r"htpasswd\s{1,4}-\w{0,4}b\w{0,4}\s{1,4}\S{1,200}\s{1,4}\S{1,100}\s{1,4}" + _WORD,
            _is_password,
            "htpasswd -b users ann «sunset»",
            "htpasswd -c users ann",
        ),
        (
            "redis.conf",
            "password",
            "pass",
            "requirepass",
            r"requirepass\s{1,4}(?!foobared)" + _WORD,
            _is_password,
            "requirepass «sunset»",
            "requirepass <sunset>",
        ),
        (
            "bearer",
            "authorization",
            "",
            "bearer",
            _BEARER,
            _is_authorization,
            "bearer «q7RtW2yUpA9sDfG4»",
            "bearer of the message",
        ),
        (
            "cookie",
            "cookie",
            "",
            "cookie",
            _COOKIE,
            _is_cookie,
            "Cookie: «sid=q7RtW2yUpA9sDfG4»",
            "Cookie: theme=dark",
        ),
        (
            "cookie option",
            "cookie",
            "",
            "-b ",
            _COOKIE_FLAG,
            _is_cookie,
            "curl -b «sid=q7RtW2yUpA9sDfG4»",
            "curl -b theme=dark",
        ),
        (
            "pgpass",
            "password",
            "",
            ":5432:",
            _PGPASS,
            _is_password,
            "db.host:5432:app:ann:«sunset»",
            "db.host:5432:app",
        ),
        (
            "pgpass, any port",
            "password",
            "",
            ":*:",
            _PGPASS,
            _is_password,
            "db.host:*:app:ann:«sunset»",
            "db.host:*:app",
        ),
        (
            "net use",
            "password",
            "",
            "/user:",
            rf"net use{_ARGUMENTS}/user:\S{{1,100}}[ \t]{{1,4}}(?!/){_WORD}",
            _is_password,
            "net use z: //host/s /user:ann «sunset»",
            "net use z: //host/s /user:ann",
        ),
        (
            "net use, before the user",
            "password",
            "",
            "/user:",
            r"net use[ \t]\S{1,80}[ \t]\S{3,200}[ \t](?P<value>[^\s/*\"']\S{2,128})[ \t]/user:",
            _is_password,
            "net use z: //host/s «sunset» /user:ann",
            "net use z: //host/s * /user:ann",
        ),
        (
            "connection of Go",
            "password",
            "",
            "@tcp(",
            r"(?<![^\s\"'`=])[\w.-]{1,40}:(?P<value>[^\s@\"'`]{3,128})@tcp\(",
            _is_password,
            "dsn=ann:«sunset»@tcp(db:3306)/x",
            "dsn=ann:<sunset>@tcp(db:3306)/x",
        ),
        (
            "identified by",
            "password",
            "",
            "identified",
            rf"identified (?:with \w{{1,40}} )?by\s{{1,4}}(?=[\"']){_WORD}",
            _is_password,
            "CREATE USER ann IDENTIFIED BY '«sunset»'",
            "identified by the team",
        ),
        (
            "account of a database",
            "password",
            "pass",
            " password",
            r"(?:alter|create)\s{1,4}(?:role|user|login)\s[^\n;]{1,200}?\spassword\s{0,4}=?\s{0,4}n?"
            r"'(?P<value>[^'\n]{3,128}+)",
            _is_password,
            "ALTER ROLE ann WITH ENCRYPTED PASSWORD '«sun set»'",
            "ALTER ROLE ann WITH PASSWORD NULL",
        ),
        (
            "powershell",
            "password",
            "",
            "securestring",
            rf"convertto-securestring\s{{1,4}}(?:-string\s{{1,4}})?(?=[\"']){_WORD}",
            _is_password,
            "ConvertTo-SecureString '«sunset»' -AsPlainText",
            "ConvertTo-SecureString $it",
        ),
        (
            "softlayer",
            "password",
            "",
            "softlayer.com",
            r"api\.softlayer\.com/soap/v3(?:\.1)?/" + _WORD,
            _is_strong,
            "api.softlayer.com/soap/v3/«sunset42»",
            "api.softlayer.com/soap/v3/services",
        ),
        (
            "sidekiq",
            "password",
            "",
            "contribsys__com",
            r"contribsys__com[=:]\s{0,4}" + _WORD,
            _is_strong,
            "BUNDLE_GEMS__CONTRIBSYS__COM=«cafe42be»",
            "BUNDLE_GEMS__CONTRIBSYS__COM=short",
        ),
        (
            "sudo",
            "password",
            "",
            "sudo -s",
            rf"""echo\s{{1,4}}{_WORD}["']?\s{{0,4}}\|\s{{0,4}}sudo\s{{1,4}}-s""",
            _is_password,
            "echo «sunset» | sudo -S ls",
            "echo done; sudo -s",
        ),
    )
)
"""Headers, files and commands with a secret, those of one gate together."""


class AnchorRule(Rule, frozen=True):
    """A location of a secret; ``looks_for`` begins with the sign and has the group ``value``."""

    kind: str
    gate: str
    """Must be in the text, in lower case."""
    sign: str
    """The pattern to search for, in lower case."""
    is_sent: Callable[[re.Match[str], str], bool]
    """Whether the value is a secret."""
    pattern: re.Pattern[str]


ANCHORED = tuple(
    AnchorRule(
        name,
        looks_for,
        example,
        counterexample,
        kind,
        gate,
        sign,
        is_sent,
        re.compile(looks_for, re.IGNORECASE),
    )
    for name, kind, gate, sign, looks_for, is_sent, example, counterexample in (
        *PRINTED,
        *SENT,
        *LABELS,
        *CONNECTIONS,
        *STATEMENTS,
        *CALLS,
        *DEVICES,
    )
)
"""Locations of secrets."""
