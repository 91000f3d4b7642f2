"""The table of names that tell of secrets, and of the joints between name and value.

A value is found by a name (`NAMES`) and a joint that ties it to the name (`JOINTS`), or by the text
between it and a name that follows (`BEHIND`). The tests of values are in `values`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct


class Rule(Struct, frozen=True):
    """The common fields of all rows of all tables."""

    name: str
    looks_for: str
    """A regular expression for text in lower case."""
    example: str
    """With its secret between « and »."""
    counterexample: str
    """A counterexample, which is left as it is."""


class NameRule(Rule, frozen=True):
    """Words that name a secret."""

    kind: str
    """password and secret: any text may be one. token: it must look random."""
    stands: Callable[[str, str], bool]
    """Whether the word names a secret after the text before it, both in their own case."""


class JointRule(Rule, frozen=True):
    """The text between a name and its value."""

    is_weak: bool = False
    """The value must be no word."""
    is_final: bool = False
    """The name must end before it: ``password_policy is`` says nothing."""
    is_spoken: bool = False
    """A line may break after it as in prose."""


class BehindRule(Rule, frozen=True):
    """The text between a value and the name that follows."""

    reach: int
    """The distance of `literal` from the name."""
    literal: str
    endings: str
    """The text that the name follows."""
    joint: re.Pattern[str]
    pattern: re.Pattern[str]


# Names

CHOSEN = (
    r"pass(?:word|wd|phrase|code|wort)s?|contrase[ñn]a|senha|passe|пароль|密码|密碼|口令|パスワード"
    r"|비밀번호|kennwort|wachtwoord"
)
SHORT = r"pass|pwd|pword|pw|psk"
SHARED = r"secret[eo]?(?:[_ .-]?(?:access[_ .-]?)?key(?:[_-]base)?)?"
QUALIFIED = (
    "account|access|api|app|application|auth|client|database|db|deploy|encryption|hmac|license"
    "|master|private|priv|secret|service|shared|signing|storage|subscription|admin|server|user|write|bot"
    "|consumer|webhook|license|licence|bearer|integration|ingest|global|recovery"
)
_NO_SECRET = (
    "public|pub|primary|foreign|sort|cache|partition|bucket|schema|sequence|index|idx|hot|natural"
    "|hash|range|idempotency|object|row|item|map|lookup|group|unique|composite|meta|state|config"
    "|translation|csrf|websocket|accept|surrogate|routing|project|issue|site|publishable|registry|host"
    "|query|event|entity|resource|verification|tracking|correlation|dedup|message|shard|join|order"
)
_QUALIFIERS = tuple(QUALIFIED.split("|"))
_QUALIFIER = re.compile(rf"(?<![a-z0-9])(?!(?:{_NO_SECRET})[_.-]$)[a-z0-9]{{2,20}}[_.-]$")
_OF_SOMETHING = re.compile(rf"(?<![a-z0-9])(?!(?:{_NO_SECRET})[ ]$)[a-z0-9]{{2,20}}[ ]$")
_POSSESSIVE = re.compile(r"(?<![a-z])(?:my|your|our|his|her|their|this)[ ]$")
_JOINED = tuple(
    "key bind root store ssh cert smtp ftp wifi ldap admin remote imap mail proxy rpc irc sasl"
    " db my"
    " user auth".split()
)
"""Words that a name is written together with: ``bindpw``, ``storepass``."""
_PUBLIC = re.compile(
    r"(?:public(?:[_-]?key)?|[cx]srf|jsonweb|page|next|continuation|sync|cursor|eos|bos|pad|unk|mask|sep"
    r"|cls|special|cancell?ation|stop|antiforgery|middleware|authenticity|requestverification)[_-]?$"
)


def _anywhere(_word: str, _before: str) -> bool:
    return True


def _unless_public(_word: str, before: str) -> bool:
    return not _PUBLIC.search(before.lower())


def _given(_word: str, before: str) -> bool:
    return not before.lower().endswith("existing")


def _qualified(_word: str, before: str) -> bool:
    """Return whether the text before the word makes it the name of a secret key."""
    if before[-1:] in {"_", ".", "-"} and _QUALIFIER.search(before.lower()):
        return True
    return before[-1:] in {"?", "&"} or before.lower().rstrip("_ .-").endswith(_QUALIFIERS)


def is_somebodys(before: str, sign: str, *, is_random: bool) -> bool:
    """Return whether a key without a qualifier is secret: that of a person, or a random one.

    Args:
        before: The text before the word, in lower case.
        sign: What joins it to its value.
        is_random: Whether the value is unmistakable.
    """
    if _POSSESSIVE.search(before):
        return sign in {":", "is", "="}
    return is_random and _OF_SOMETHING.search(before) is not None


def _begun(word: str, before: str) -> bool:
    """Return whether no other word goes on with it: ``adminPw``, but not ``bypass``."""
    is_inner = before[-1:].isalpha() and not (word[:1].isupper() and before[-1:].islower())
    return not is_inner or before.lower().endswith(_JOINED)


NAMES = tuple(
    NameRule(name, looks_for, example, counterexample, kind, stands)
    for name, kind, looks_for, stands, example, counterexample in (
        (
            "chosen",
            "password",
            CHOSEN,
            _anywhere,
            "password=«hunter2»",
            "password = settings.database.password",
        ),
        (
            "short",
            "password",
            rf"(?:{SHORT})(?![a-z])",
            _begun,
            "pw: «sunset42»",
            "bypass: sunset42",
        ),
        (
            "shared",
            "secret",
            SHARED,
            _given,
            "client_secret=«s3cr3t-value»",
            "secret santa: ann",
        ),
        (
            "token",
            "token",
            "token",
            _unless_public,
            "SERVICE_TOKEN=«abcdefgh»",
            "csrf-token=q7RtW2yUpA9sDfG4",
        ),
        (
            "key",
            "token",
            "key(?:-data)?(?![a-z])",
            _qualified,
            "api_key = '«q7RtW2yUpA9sDfG4»'",
            "primary_key: q7RtW2yUpA9sDfG4",
        ),
        (
            "login",
            "token",
            "(?:cred(?:ential)?s?|auth)(?![a-z])",
            _begun,
            "creds: «q7RtW2yUpA9sDfG4»",
            "credentials: 'include'",
        ),
    )
)
"""Names of secrets."""

# Between a name and its value

_SPACES = r"[ \t]{0,24}"


def _joint(name: str, looks_for: str, example: str, counterexample: str, *flags: str) -> JointRule:
    return JointRule(name, looks_for, example, counterexample, *(flag in flags for flag in _FLAGS))


_FLAGS = ("weak", "final", "spoken")
JOINTS = (
    _joint(
        "typed",
        _SPACES + r":[ \t]{0,2}&?[a-z]\w{0,15}[ \t]{0,2}=(?!=)",
        'password: str = "«letmein»"',
        "password: Optional[str] = None",
    ),
    _joint(
        "kind", _SPACES + "string[ ]=", 'secret string = "«letmein»"', "password string is short"
    ),
    _joint(
        "assigned",
        _SPACES + r"(?::{1,3}=|=>|[?+.]=|\?\?=|[!=]={1,2}|=)",
        'password => "«letmein»"',
        "password = getpass()",
    ),
    _joint("colon", _SPACES + "[:：＝]", "password: «hunter2»", "password: required"),
    _joint(
        "escaped", _SPACES + r"(?:%3[ad]|\\u003[ad])", "password%3D«hunter22»&x=1", "password%3A"
    ),
    _joint(
        "says",
        r"[ \t]{1,4}(?:is|was|ist|es|est|lautet)\b:?",
        "my password is «sesame417» ok?",
        "the password is wrong",
        "final",
        "spoken",
    ),
    _joint("particle", "[是は]", "パスワードは«hunter22»", "密码是 123", "final", "spoken"),
    _joint(
        "field",
        r"""[\s,]{1,20}\\{0,4}["']?val(?:ue)?\\{0,4}["']?\s{0,4}[:=]""",
        '{"name":"DB_PASSWORD","value":"«sunset42»"}',
        '{"name":"DB_PASSWORD","value":""}',
    ),
    _joint("tag", r"(?:\s[^<>]{0,80})?>", "<password>«sunset42»</password>", "password> sunset42"),
    _joint(
        "cell",
        _SPACES + r"(?:[–—|,→]|-(?=\s))",
        "| Password | «sunset42» |",
        "| password | string |",
        "weak",
        "final",
    ),
    _joint("bare", "", "user ann, password «sunset42»", "('password', 'username1')", "weak"),
)
"""Joints of a name and its value, in the order in which they are tried."""

# Before the name

BEHIND = tuple(
    BehindRule(
        name,
        value + joint,
        example,
        counterexample,
        reach,
        literal,
        endings,
        re.compile(joint + "$"),
        re.compile(value + joint + "$"),
    )
    for name, literal, reach, endings, value, joint, example, counterexample in (
        (
            "is the",
            " is ",
            32,
            " ",
            r"""["'`]?(?P<value>[^\s"'`]{6,64})["'`]?""",
            r" is (?:the|my|our|your) (?:[\w-]{1,20} )?",
            "«sunset42» is the password",
            "it is the password",
        ),
        (
            "compared",
            "= ",
            2,
            " ",
            r"""["'](?P<value>[^"'\s]{6,64})""",
            r"""["'] [!=]={1,2} [\w.]*""",
            '"«sunset42»" == my_password',
            '"sunset" == my_password',
        ),
        (
            "value first",
            "value",
            200,
            "\"'",
            r"""["']value\\{0,4}["']\s{0,4}:\s{0,4}\\{0,4}["'](?P<value>[^"'\\]{4,128})"""
            r"""\\{0,4}["'],\s{0,8}\\{0,4}""",
            r"""["'](?:name|key)\\{0,4}["']\s{0,4}:\s{0,4}\\{0,4}["'][\w.-]*""",
            '{"value":"«sunset42»","name":"DB_PASSWORD"}',
            '{"value":"sunset","name":"DB_PASSWORD"}',
        ),
    )
)
"""Joints where the value comes first, then its name."""
