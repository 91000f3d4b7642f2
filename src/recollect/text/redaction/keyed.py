"""Secrets that only their name gives away: `password = …`, `API_KEY=…`, `"token": "…"`.

Finds a telling name, a separator and a value, and then asks whether the value can be a secret: code
and documents are full of `password: str` and `token = get_token()`. A password needs little, a
token must look random. No rule looks at entropy alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from recollect.text.redaction.blocks import Span
from recollect.text.scramble import is_scrambled

_CHOSEN = (
    r"pass(?:word|wd|phrase|code|wort)|pwd|contraseña|senha|mot de passe|пароль"
    r"|密码|密碼|口令|パスワード|비밀번호"
)
_SHARED = r"secret(?:[_ .-]?(?:access[_ .-]?)?key)?"
_ISSUED = (
    r"token|client-key-data|credentials?|(?:account|access|api|auth|deploy|encryption|license"
    r"|master|private|service|shared[_ .-]?access|signing|storage|subscription)[_ .-]?key"
)
_HINTS = (
    "pass", "pwd", "secret", "credential", "token", "key", "contraseña", "senha", "пароль",
    "密码", "密碼", "口令", "パスワード", "비밀번호",
)  # fmt: skip
"""One of them is in every text that has a telling name; folded to lower case."""

_NAME = re.compile(
    rf"(?:(?P<password>{_CHOSEN})|(?P<secret>{_SHARED})|(?P<token>{_ISSUED}))"
    r"(?:[_-]?(?:value|plain|base64|prod|dev|test|staging|live|old|new|[0-9]{1,2}))?"
    r"""\\{0,4}["'`]?\]?[ \t]{0,4}"""
    r"(?P<separator>:[ \t]{0,2}[a-z]\w{0,15}[ \t]{0,2}=|=>|:=|={1,3}|[:：＝]|%3[ad]|\\u003[ad]"
    r"|(?:is|was)\b:?|是|は)"
    r"\s{0,4}"
)
_TELLING = re.compile(
    rf"(?:(?P<password>{_CHOSEN})|(?P<secret>{_SHARED})|(?P<token>{_ISSUED}|authorization|cookie))"
    r"[_-]?(?:value|plain|base64)?[0-9]{0,2}$"
)
_FLAG = re.compile(
    r"--[a-z-]{0,30}(?:(?P<password>password|passphrase)|(?P<token>secret|token|key))\s{1,4}"
)
_QUOTE = re.compile(r"""[bfru]{0,2}(?P<quote>\\{0,4}["'`])""", re.IGNORECASE)
_BARE = re.compile(r"""[^\s"'`,;&|<>\\]{1,128}+""")
_MAX_BARE = 128
_REST = re.compile(r"""[^\s"'`,;&|<>\\]*+""")
_MAX_QUOTED = 4_096

_ENV_LINE = re.compile(r"\s*(?:export\s+|set\s+|ENV\s+)?[A-Z0-9_]*")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:[./:-]|->|::)[A-Za-z_$][\w$]*)*[.:]?")
_TEMPLATE = re.compile(r"\\*(?:<|[$%#@]?[{(]|\*+$|\$[a-z_]\w*$|%[a-z_]+%?$)")
_NUMBERED_WORD = re.compile(
    r"(?:password|passwd|pass|pwd|secret|token|key|arg|var|param|value|user|test|str|field|node)"
    r"[_-]?[0-9]{1,2}|sha[0-9]+|md5|utf_?8|base64|[hre]s(?:256|384|512)|oauth2?|pbkdf2|http2?"
)
_PATH = re.compile(r"[.~]{1,2}/|/[a-z_.-]{2,}+(?:/|$)|[A-Za-z]:[/\\]|[a-z][a-z0-9+.-]*+://")
_NUMBERS = re.compile(r"[\d.,:/_+-]+")
_DIGIT = re.compile(r"\d")
_SPACE = re.compile(r"\s")
_LETTER = re.compile(r"[^\W\d_]")
_FILLERS = ("[redacted:", "...", "…", "xxxx", "****", "example", "placeholder", "your-", "your_")
_NOT_SECRETS = frozenset(
    {
        *("any", "bool", "boolean", "bytes", "int", "integer", "number", "object", "str", "string"),
        *("false", "missing", "nil", "no", "none", "null", "off", "on", "true", "undefined", "yes"),
        *("auto", "changeme", "default", "empty", "env", "hidden", "input", "invalid", "optional"),
        *("key", "pass", "passwd", "password", "prompt", "required", "secret", "text", "token"),
        *("unset", "value"),
    }
)


class _Value(Struct, frozen=True):
    text: str
    start: int
    is_quoted: bool
    is_variable: bool
    """Assigned without spaces to an upper-case name that starts a line, as in an ``.env`` file."""


def find_keyed(text: str, folded: str) -> Iterator[Span]:
    """Yield the secrets of ``text`` that follow a telling name.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
    """
    if not any(hint in folded for hint in _HINTS):
        return
    for pattern in (_NAME, _FLAG):
        at = 0
        while match := pattern.search(folded, at):
            at = match.end()
            kind = next(name for name in _TESTS if match.groupdict().get(name))
            value = _value(text, match, kind)
            if value and _TESTS[kind](value):
                at = _end(text, value)
                yield kind, value.start, at


def telling_kind(key: str, value: object) -> str | None:
    """Return what ``key`` says of ``value``: its kind as a secret, or None.

    A key is telling when it ends in a telling name. Then any text or number is a password, but
    only an unbroken text of some length is a token: ``"token": "the"`` is a word of a sentence.
    """
    match = _TELLING.search(key.casefold())
    if match is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value)
    kind = next(name for name in _TESTS if match[name])
    if is_filler(text):
        return None
    is_token = len(text) >= 8 and not _SPACE.search(text) and isinstance(value, str)
    return kind if kind != "token" or is_token else None


def _value(text: str, match: re.Match[str], kind: str) -> _Value | None:
    """Return what follows a name and its separator, at most the beginning; None: nothing."""
    quote = _QUOTE.match(text, match.end())
    start = quote.end() if quote else match.end()
    if quote:
        end = _closing_quote(text, start, quote["quote"])
        if end:
            return _Value(text[start:end], start, is_quoted=True, is_variable=False)
    bare = _BARE.match(text, start)
    if not bare:
        return None
    name = slice(match.start(kind), match.end(kind))
    is_variable = text[name].isupper() and _is_assigned(text, match)
    return _Value(bare[0].rstrip(".:)]}"), start, is_quoted=False, is_variable=is_variable)


def _closing_quote(text: str, start: int, quote: str) -> int:
    """Return where the quoted text ends; 0 when it does not end soon or on its line."""
    limit = text.find("\n", start, start + _MAX_QUOTED)
    limit = limit if limit >= 0 else start + _MAX_QUOTED
    end = text.find(quote, start, limit)
    while end > start and len(quote) == 1 and text[end - 1] == "\\":
        end = text.find(quote, end + 1, limit)
    return max(end, 0)


def _is_assigned(text: str, match: re.Match[str]) -> bool:
    line = text.rfind("\n", max(match.start() - 200, 0), match.start()) + 1
    return match[0][-1:] == "=" and bool(_ENV_LINE.fullmatch(text, line, match.start()))


def _end(text: str, value: _Value) -> int:
    end = value.start + len(value.text)
    if value.is_quoted or len(value.text) < _MAX_BARE:
        return end
    rest = _REST.match(text, end)
    return rest.end() if rest else end


def _is_password(value: _Value) -> bool:
    text = value.text
    if is_filler(text) or _SPACE.search(text):
        return False
    if value.is_quoted or value.is_variable:
        return len(text) >= 4 and not _PATH.match(text)
    if len(text) < 6 or is_code(text):
        return False
    return not text.isalpha() or _is_no_name(text)


def _is_token(value: _Value) -> bool:
    text = value.text
    if len(text) < 8 or is_filler(text) or _SPACE.search(text):
        return False
    if _PATH.match(text) or _NUMBERS.fullmatch(text):
        return False
    if value.is_variable:
        return True
    return (value.is_quoted or not is_code(text)) and is_random(text)


_TESTS = {"password": _is_password, "secret": _is_password, "token": _is_token}


def is_filler(text: str) -> bool:
    """Return whether ``text`` is a placeholder for a value."""
    folded = text.casefold()
    if len(set(folded)) <= 1 or _TEMPLATE.match(folded):
        return True
    return folded in _NOT_SECRETS or any(filler in folded for filler in _FILLERS)


def is_code(text: str) -> bool:
    """Return whether ``text`` is an expression, or a name without a password's look."""
    if any(mark in text for mark in "()[]{}"):
        return True
    if _PATH.match(text) or _NUMBERED_WORD.fullmatch(text.casefold()):
        return True
    is_name = _IDENTIFIER.fullmatch(text) and not _DIGIT.search(text)
    return bool(is_name) and not _is_no_name(text)


def is_random(text: str) -> bool:
    """Return whether no person would choose ``text`` as a name: digits among letters, or length."""
    if len(_DIGIT.findall(text)) >= 2 and len(_LETTER.findall(text)) >= 2:
        return True
    return _is_no_name(text)


def _is_no_name(text: str) -> bool:
    is_run = len(text) >= 20 and text.isalpha() and (text.islower() or text.isupper())
    return is_run or is_scrambled(text)
