"""Secrets that only their name gives away: `password = …`, `API_KEY=…`, `"token": "…"`.

Finds a telling name, what joins it to a value (a sign, a table cell, a tag, a second argument), and
then asks whether the value can be a secret: code and documents are full of `password: str` and
`token = get_token()`. A password needs little, a token must look random, and the weaker the joint
the more is asked of both. No rule looks at entropy alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Generator, Iterator
from itertools import islice, zip_longest
from string import ascii_letters, digits

from msgspec import Struct

from recollect.text.redaction.blocks import Span
from recollect.text.scramble import is_scrambled

_WORDS = "пароль 密码 密碼 口令 パスワード 비밀번호".split()
_ASCII = ("pass", "pw", "secret", "token", "key", "cred", "auth", "senha", "contrase")
_STEMS = (*_ASCII, *_WORDS)
"""What every telling name begins with; folded to lower case."""
KEYED_SIGNS = (*_STEMS, "|")
"""One of them is in the lower case of each text in which a name or a column tells of a value."""
_CHOSEN = (
    r"pass(?:word|wd|phrase|code|wort)s?|contrase[ñn]a|senha|passe|пароль|密码|密碼|口令|パスワード"
    r"|비밀번호"
)
_SHORT = r"pass|pwd|pword|pw"
_SHARED = r"secret[eo]?(?:[_ .-]?(?:access[_ .-]?)?key(?:[_-]base)?)?"
_QUALIFIED = (
    "account|access|api|app|application|auth|client|database|db|deploy|encryption|license|master"
    "|private|priv|secret|service|signing|storage|subscription"
)
_NO_SECRET = (
    "public|pub|primary|foreign|sort|cache|partition|bucket|schema|sequence|index|idx|hot|natural"
    "|hash|range|idempotency|object|row|item|map|lookup|group|unique|composite|meta|state|config"
    "|translation|csrf"
)
_QUALIFIERS = tuple(_QUALIFIED.split("|"))
_QUALIFIER = re.compile(rf"(?<![a-z0-9])(?!(?:{_NO_SECRET})[_.-]$)[a-z0-9]{{2,20}}[_.-]$")
_PUBLIC = re.compile(r"(?:public|csrf|jsonweb)[_-]?$")
_NAME = re.compile(
    rf"(?:(?P<password>{_CHOSEN})|(?P<short>{_SHORT})(?![a-z])|(?P<secret>{_SHARED})"
    r"|(?P<token>token|key(?:-data)?|cred(?:ential)?s?(?![a-z])|auth(?![a-z])))"
    r"""(?P<rest>[a-z0-9_.-]{0,24})(?:\\{0,4}["'`])?(?:\[\])?[\])]?[*_]{0,3}"""
    r"(?:[ \t]{0,4}(?P<sign>:[ \t]{0,2}[a-z]\w{0,15}[ \t]{0,2}=(?!=)|string[ ]=|:{1,3}=|=>|[?+.]="
    r"|\?\?=|[!=]={1,2}|=|[:：＝]|%3[ad]|\\u003[ad])"
    r"|[ \t]{1,4}(?P<says>(?:is|was|ist|es|est|lautet)\b:?)|(?P<cjk>[是は])"
    r"""|[\s,]{1,20}\\{0,4}["']?(?P<field>val(?:ue)?)\\{0,4}["']?\s{0,4}[:=]"""
    r"|(?P<tag>(?:\s[^<>]{0,80})?>)"
    r"|[ \t]{0,4}(?P<weak>[–—|,]|-(?=\s))|(?P<bare>))"
)
"""A name, what follows it within the same word, and what joins it to its value."""
_INNER = r"""\\{0,4}["'](?:value|raw|plain|text|data)\\{0,4}["']\s{0,4}:\s{0,4}(?=\\{0,4}["'])"""
_GAP = re.compile(
    r"[*_]{0,3}[ \t]{0,8}(?P<line>(?:[|>][+-]?[ \t]*)?\r?\n(?P<indent>[ \t]*)(?:-[ \t]+)?)?"
    r"""(?:(?:\[\s{0,8}|\([ \t]{0,8})(?=\\{0,4}["'`])|\[(?=[^\s"'`\[\]]{6,64}\]))?"""
    rf"(?:(?:\{{\s{{0,8}})?{_INNER})?@?"
)
"""Between the joint and the value: emphasis, a line break, a bracket, the key of an object."""
_MILD = re.compile(
    r"[_-]?(?:value|plain|text|base64|prod|dev|test|staging|live|old|new|string|data|[0-9]{1,3})?"
)
_OTHER = re.compile(
    r"^s$|(?:^s?|[_.-])(?:ids?|name|len|length|size|count|min|max|files?|path|dir|ur[il]|endpoint|type|hash"
    r"|version|expir|ttl|limit|usage|used|policy|field|label|hint|prompt|format|ref|alias|down|up"
    r"|vault|store|code|board|audience|source|variable)"
)
"""What a name goes on with that names something else: `token_type`, `passwordFile`, `key_id`."""
_FLAG = re.compile(r"-(?<![a-z0-9]-)-?[a-z0-9-]{0,40}$")
_IN_TAG = re.compile(r"<[a-z0-9_:.-]{0,60}$")
_TELLING = re.compile(
    rf"(?:(?P<password>{_CHOSEN}|(?<![a-z])(?:{_SHORT}))|(?P<secret>{_SHARED})"
    r"|(?P<token>(?<!public_)token|client-key-data|(?<![a-z])creds|credentials?"
    rf"|(?:{_QUALIFIED})[_ .-]?key|authorization|cookie|(?<![a-z])auth))"
    r"[_-]?(?:value|plain|base64)?[0-9]{0,2}$"
)
_MAX_KEY = 100
_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BEHIND = tuple(
    (literal, reach, endings, re.compile(joint + "$"), re.compile(value + joint + "$"))
    for literal, reach, endings, value, joint in (
        (
            " is ",
            32,
            " ",
            r"""["'`]?(?P<value>[^\s"'`]{6,64})["'`]?""",
            r" is (?:the|my|our|your) (?:[\w-]{1,20} )?",
        ),
        ("= ", 2, " ", r"""["'](?P<value>[^"'\s]{6,64})""", r"""["'] [!=]={1,2} [\w.]*"""),
        (
            "value",
            200,
            "\"'",
            r"""["']value\\{0,4}["']\s{0,4}:\s{0,4}\\{0,4}["'](?P<value>[^"'\\]{4,128})"""
            r"""\\{0,4}["'],\s{0,8}\\{0,4}""",
            r"""["'](?:name|key)\\{0,4}["']\s{0,4}:\s{0,4}\\{0,4}["'][\w.-]*""",
        ),
    )
)
"""Where the value comes first, then its name: (what must be there, how far before the name, what
the name follows, what joins them, both)."""
_OF_NAMES = ascii_letters + digits + "_.-"
_RULE = re.compile(
    r"(?=[ \t|:-]*+$)(?:[ \t|:]*+--[^|\n]*+\||[ \t]*+\|[ \t:]*+--)[^\n]*+", re.MULTILINE
)
_MOST_COLUMNS = 100
_CELL = re.compile(r"[^|\n]+")
_QUOTE = re.compile(r"""[bfru]{0,2}(?P<quote>\\{0,4}["'`])""", re.IGNORECASE)
_AND = r"&(?![\w.%-]*=|&|\s|$|(?:amp|quot|lt|gt);)"
_BARE = re.compile(rf"""(?:[^\s"'`,;&|<>\\]|{_AND}){{1,128}}+""")
_MAX_BARE = 128
_REST = re.compile(rf"""(?:[^\s"'`,;&|<>\\]|{_AND})*+""")
_MAX_QUOTED = 4_096
_TWO_LINES = re.compile(r"""[^\s"'`]{4,128}\r?\n[^\s"'`]{4,128}(?=["'`])""")
_ELEMENT = re.compile(r"\s*([^<>\s][^<>]{0,300}?)\s*</")

_ENV_LINE = re.compile(r"\s*(?:(?:export|set|ENV|ARG|-e|-)\s+)?[A-Z0-9_]*")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:[./:-]|->|::)[A-Za-z_$][\w$]*)*[.:]?")
_TEMPLATE = re.compile(
    r"\\*(?:<|[$%#@][{(]|\(|\{\{[^{}]*(?:\}\}|$)|\{[^{}]*\}?$|\[[a-z_ -]+\]?$|\*+$|\$[a-z_]\w*$"
    r"|\$\d$|%[a-z_]+%?$|-)"
)
_NUMBERED_WORD = re.compile(
    r"(?:password|passwd|pass|pwd|secret|token|key|arg|var|param|value|user|username|name|test|str|field|node)"
    r"[_-]?[0-9]{1,2}|sha[0-9]+|md5|utf_?8|base64|[hre]s(?:256|384|512)|oauth2?|pbkdf2|http2?"
    r"|v?[0-9.]+[a-z-]*|0x[0-9a-f]+"
)
_PATH = re.compile(r"[.~]{1,2}/|/[a-z_.-]{2,}+(?:/|$)|[A-Za-z]:[/\\]|[a-z][a-z0-9+.-]*+://")
_NUMBERS = re.compile(r"[\d.,:/_+-]+")
_DIGIT = re.compile(r"\d")
_TWO_DIGITS = re.compile(r"(?:\D*+\d){2}")
_TWO_LETTERS = re.compile(r"(?:[\W\d_]*+[^\W\d_]){2}")
_BRACKET = re.compile(r"[()\[\]{}]")
_SPACE = re.compile(r"\s")
_LETTER = re.compile(r"[^\W\d_]")
_FILLER = re.compile(
    r"example|placeholder|your[-_]?|insert|dummy|changeme|\.{3,}|…|x{4,}|\*{4,}"
    r"|my(?<![a-z]my)[-_]?|here(?<![a-z]here)[-_]?"
)
_LEAST_BESIDE_FILLER = 6
_LEAST_WEAK = {"password": 6, "secret": 8, "token": 10}
_NOT_SECRETS = frozenset(
    {
        *("any", "bool", "boolean", "bytes", "int", "integer", "number", "object", "str", "string"),
        *("false", "missing", "nil", "no", "none", "null", "off", "on", "true", "undefined", "yes"),
        *("auto", "changeme", "default", "empty", "env", "hidden", "input", "invalid", "optional"),
        *("key", "pass", "passwd", "password", "prompt", "required", "secret", "text", "token"),
        *("unset", "value", "test", "todo", "undef", "redacted", "string?", "username", "user"),
    }
)


class _Value(Struct, frozen=True):
    text: str
    start: int
    is_quoted: bool
    is_variable: bool
    """Assigned without spaces to an upper-case name that starts a line, as in an ``.env`` file."""


class _Named(Struct, frozen=True):
    """A name and its joint: what the value must be."""

    kind: str
    match: re.Match[str]
    is_weak: bool
    """The joint is a comma, a dash or nothing: the value must be no word."""
    is_other: bool
    """The name goes on: the value must look random."""


def find_keyed(text: str, folded: str) -> Iterator[Span]:
    """Yield the secrets of ``text`` that a telling name gives away.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
    """
    stems = [stem for stem in (_ASCII if text.isascii() else _STEMS) if stem in folded]
    for stem in stems:
        at = folded.find(stem)
        while at >= 0:
            match, end = _NAME.match(folded, at), at + len(stem)
            if match and (kind := _kind(text, folded, match)):
                if span := _behind(text, kind, at):
                    yield span
                if span := _ahead(text, folded, kind, match):
                    yield span
                    end = span[2]
            # Names within a value are not looked at: each could have all the rest as its value.
            at = folded.find(stem, end)
    if "|" in text and "--" in text:
        yield from _in_columns(text, folded)


def _kind(text: str, folded: str, match: re.Match[str]) -> str | None:
    """Return what a name says of its value; None where the word only resembles a telling one."""
    at = match.start()
    if match["password"]:
        return "password"
    before = folded[max(at - 24, 0) : at]
    if match["secret"]:
        return "secret"
    if match["token"] == "token":
        return None if _PUBLIC.search(before) else "token"
    if match["token"] and match["token"].startswith("key"):
        return "token" if not match["rest"][:1].isalpha() and _is_qualified(before) else None
    is_inner = before[-1:].isalpha() and not (text[at].isupper() and text[at - 1].islower())
    if is_inner and not before.endswith("key"):
        return None
    return "token" if match["token"] else "password"


def _is_qualified(before: str) -> bool:
    """Return whether what precedes the word makes it the name of a secret key."""
    if before[-1:] in {"_", ".", "-"} and _QUALIFIER.search(before):
        return True
    return before[-1:] in {"?", "&"} or before.rstrip("_ .-").endswith(_QUALIFIERS)


def _ahead(text: str, folded: str, kind: str, match: re.Match[str]) -> Span | None:
    """Return the secret that follows a name, if one does."""
    end = match.end()
    if text[end : end + 20].lstrip(" \"'`").startswith("[redacted:"):
        return None
    rest, joint = match["rest"], match.lastgroup
    is_other = bool(rest) and not _MILD.fullmatch(rest)
    if is_other and (_OTHER.search(rest) or joint in {"says", "weak", "cjk"}):
        return None
    at = match.start()
    before = folded[max(at - 60, 0) : at]
    if joint == "tag" and not _IN_TAG.search(before):
        return None
    is_weak = joint in {"weak", "bare"} and not ("-" in before and _FLAG.search(before))
    if joint == "bare" and not _goes_on(
        text, end, is_long=bool(match["password"]), is_weak=is_weak
    ):
        return None
    start = end
    if joint != "tag" and (gap := _GAP.match(text, end)):
        start = gap.end()
        if gap["line"] and joint not in {"says", "cjk"}:
            is_weak = is_weak or match["sign"] not in {":", "："} or not gap["indent"]
            if match["sign"] and match["sign"][-1] == "=":
                return None
    named = _Named(kind=kind, match=match, is_weak=is_weak, is_other=is_other)
    value = _element(text, end) if joint == "tag" else _value(text, named, start)
    if value and _is_secret(named, value):
        return kind, value.start, _end(text, value)
    return None


def _goes_on(text: str, at: int, *, is_long: bool, is_weak: bool) -> bool:
    """Return whether a value may follow a name with nothing but a space or a quote between."""
    following = text[at : at + 8]
    opening = following.lstrip(" \t")[:1]
    if opening in {'"', "'", "`"}:
        return True
    return following[:1].isspace() and (is_long or not is_weak)


def _behind(text: str, kind: str, at: int) -> Span | None:
    """Return the secret that precedes its name, if one does."""
    before = text[max(at - 200, 0) : at]
    head = before.rstrip(_OF_NAMES)
    for literal, reach, endings, joint, pattern in _BEHIND:
        if head[-1:] not in endings or literal not in head[-reach:] or not joint.search(before):
            continue
        if match := pattern.search(before):
            start = at - len(before) + match.start("value")
            value = match["value"]
            if is_strong(value) and (kind != "token" or is_random(value)):
                return kind, start, start + len(value)
    return None


def _in_columns(text: str, folded: str) -> Iterator[Span]:
    """Yield the secrets of tables whose header is a telling name."""
    rules = list(_rules(text))
    stops = [*(start for start, _ in rules[1:]), len(text)]
    kinds: list[str | None] = []
    at = -1
    for (start, end), stop in zip(rules, stops, strict=False):
        header = folded[folded.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
        cells = islice(_CELL.finditer(header.strip("\n |")), _MOST_COLUMNS)
        told = [key_kind(cell[0].strip(" *`_")) for cell in cells]
        # Rows that go on below another rule are under both headers: each row is looked at once.
        above = kinds if at == start else []
        kinds = [new or old for new, old in zip_longest(told, above)]
        at = yield from _in_rows(text, end + 1, stop, kinds)


def _rules(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the lines between the header of a table and its rows start and end."""
    at = text.find("--")
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = end if end >= 0 else len(text)
        if _RULE.match(text, start):
            yield start, end
        at = text.find("--", end)


def _in_rows(text: str, at: int, stop: int, kinds: list[str | None]) -> Generator[Span, None, int]:
    """Yield the secrets of the rows from ``at`` to ``stop``; return where no row is any more."""
    while any(kinds) and at < stop:
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        if "|" not in text[at:end]:
            break
        yield from _in_row(text, at, end, kinds)
        at = end + 1
    return at


def _in_row(text: str, at: int, end: int, kinds: list[str | None]) -> Iterator[Span]:
    first = at + len(text[at:end]) - len(text[at:end].lstrip(" |"))
    for kind, cell in zip(kinds, _CELL.finditer(text, first, end), strict=False):
        value = cell[0].strip(" \t`*_")
        if kind and is_strong(value):
            start = cell.start() + cell[0].index(value)
            yield kind, start, start + len(value)


@functools.lru_cache(4_096)
def key_kind(key: str) -> str | None:
    """Return the kind of secret that is under ``key``, or None; it ends in a telling name then."""
    match = _TELLING.search(_INNER_CAPITAL.sub("_", key[-_MAX_KEY:]).casefold())
    return match and next(kind for kind in _TESTS if match[kind])


def telling_kind(key: str, value: object) -> str | None:
    """Return what ``key`` says of ``value``: its kind as a secret, or None.

    Any text or number under a password's name is one, but only an unbroken text of some length is
    a token: ``"token": "the"`` is a word of a sentence.
    """
    kind = key_kind(key)
    if kind is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value)
    if is_filler(text):
        return None
    is_token = len(text) >= 8 and not _SPACE.search(text) and isinstance(value, str)
    return kind if kind != "token" or is_token else None


def _value(text: str, named: _Named, start: int) -> _Value | None:
    """Return what follows a name and its joint, at most the beginning; None: nothing."""
    quote = _QUOTE.match(text, start)
    start = quote.end() if quote else start
    if quote:
        end = _closing_quote(text, start, quote["quote"])
        if end:
            return _Value(text[start:end], start, is_quoted=True, is_variable=False)
    bare = _BARE.match(text, start)
    if not bare:
        return None
    match = named.match
    name = slice(match.start(), match.start("rest"))
    is_variable = text[name].isupper() and _is_assigned(text, match)
    return _Value(bare[0].rstrip(".:)]}*"), start, is_quoted=False, is_variable=is_variable)


def _element(text: str, start: int) -> _Value | None:
    """Return the text of an XML element."""
    inner = _ELEMENT.match(text, start)
    return inner and _Value(inner[1], inner.start(1), is_quoted=False, is_variable=False)


def _closing_quote(text: str, start: int, quote: str) -> int:
    """Return where the quoted text ends; 0 when it does not end soon, or breaks like prose."""
    limit = text.find("\n", start, start + _MAX_QUOTED)
    limit = limit if limit >= 0 else start + _MAX_QUOTED
    end = text.find(quote, start, limit)
    while end > start and len(quote) == 1 and text[end - 1] == "\\":
        end = text.find(quote, end + 1, limit)
    if (
        end < 0
        and (broken := _TWO_LINES.match(text, start))
        and text.startswith(quote, broken.end())
    ):
        return broken.end()
    return max(end, 0)


def _is_assigned(text: str, match: re.Match[str]) -> bool:
    line = text.rfind("\n", max(match.start() - 200, 0), match.start()) + 1
    is_joined = match["sign"] == "=" and not _SPACE.search(text, match.end() - 2, match.end() + 1)
    return is_joined and bool(_ENV_LINE.fullmatch(text, line, match.start()))


def _end(text: str, value: _Value) -> int:
    end = value.start + len(value.text)
    if value.is_quoted or len(value.text) < _MAX_BARE:
        return end
    rest = _REST.match(text, end)
    return max(end, rest.end()) if rest else end


def _is_secret(named: _Named, value: _Value) -> bool:
    text = value.text
    if "\n" in text:
        text = re.sub(r"\s+", "", text)
        value = _Value(text, value.start, is_quoted=True, is_variable=False)
    if is_filler(text) or _SPACE.search(text):
        return False
    if named.is_other and not (len(text) >= 10 and is_random(text)):
        return False
    if named.is_weak and (len(text) < _LEAST_WEAK[named.kind] or not _is_no_word(text)):
        return False
    return _TESTS[named.kind](value)


def is_strong(text: str) -> bool:
    """Return whether ``text`` is not a word of prose: letters and digits in one run."""
    return not is_filler(text) and not _SPACE.search(text) and _is_no_word(text)


def _is_no_word(text: str) -> bool:
    if len(text) < 6 or "/" in text or text.startswith(":") or is_code(text):
        return False
    return bool(_DIGIT.search(text) and _LETTER.search(text)) or is_scrambled(text)


def _is_password(value: _Value) -> bool:
    text = value.text
    if value.is_quoted or value.is_variable:
        return len(text) >= 4 and not _PATH.match(text)
    if len(text) < 6 or is_code(text):
        return False
    return not text.isalpha() or _is_no_name(text)


def _is_token(value: _Value) -> bool:
    text = value.text
    if _PATH.match(text) or _NUMBERS.fullmatch(text):
        return False
    if value.is_variable:
        return len(text) >= 8 or _is_no_word(text)
    if len(text) < 8:
        return False
    return (value.is_quoted or not is_code(text)) and is_random(text)


_TESTS = {"password": _is_password, "secret": _is_password, "token": _is_token}
"""What a value without fillers and spaces must pass, by the kind of its name."""


def is_filler(text: str) -> bool:
    """Return whether ``text`` is a placeholder for a value; what only holds one is none."""
    folded = text.casefold()
    if folded == folded[:1] * len(folded) or "[redacted:" in folded or _TEMPLATE.match(folded):
        return True
    if folded.strip("<>[]{}") in _NOT_SECRETS:
        return True
    if not _FILLER.search(folded):
        return False
    left = _FILLER.sub("", folded)
    is_beside = len(left) >= _LEAST_BESIDE_FILLER and _DIGIT.search(left) and _LETTER.search(left)
    return not is_beside


def is_code(text: str) -> bool:
    """Return whether ``text`` is an expression, or a name without a password's look."""
    if _BRACKET.search(text) or _PATH.match(text) or _NUMBERED_WORD.fullmatch(text.casefold()):
        return True
    is_name = _IDENTIFIER.fullmatch(text) and not _DIGIT.search(text)
    return bool(is_name) and not _is_no_name(text)


def is_random(text: str) -> bool:
    """Return whether no person would choose ``text`` as a name: digits among letters, or length."""
    return bool(_TWO_DIGITS.match(text) and _TWO_LETTERS.match(text)) or _is_no_name(text)


def _is_no_name(text: str) -> bool:
    is_run = len(text) >= 20 and text.isalnum() and (text.islower() or text.isupper())
    return is_run or is_scrambled(text)
