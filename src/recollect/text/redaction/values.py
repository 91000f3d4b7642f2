"""Tests whether a value is a secret, or instead a filler, code or a word."""

from __future__ import annotations

import re

from recollect.text.redaction.spoken_words import STOP
from recollect.text.scramble import is_scrambled

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:[./:-]|->|::)[A-Za-z_$][\w$]*)*[.:]?")
_TEMPLATE = re.compile(
    r"\\*(?:<|[$%#@][{(]|@?\w*@@|(?:id|src)=|@microsoft\.keyvault|\{cipher\}|vault:|ref\+|\("
    r"|\{\{[^{}]*(?:\}\}|$)|\{[^{}]*\}?$|\[[a-z_ -]+\]?$|\*+$|\$[a-z_]\w*$"
    r"|\$\d$|%[a-z_]+%?$|![a-z_]+(?:\s|$)|-|\d+(?:文字|桁|位|자리))"
)
_NUMBERED_WORD = re.compile(
    r"(?:password|passwd|pass|pwd|secret|token|key|arg|var|param|value|user|username|name|test|str|field|node)"
    r"[_-]?[0-9]{1,2}|sha[0-9]+|md5|utf_?8|base64|[hre]s(?:256|384|512)|oauth2?|pbkdf2|http2?"
    r"|v?[0-9.]+[a-z-]*|0x[0-9a-f]+|\d{4}-\d\d-\d\d(?:t.*)?"
)
PATH = re.compile(r"[.~]{1,2}/|/[a-z_.-]{2,}+(?:/|$)|[A-Za-z]:[/\\]|[a-z][a-z0-9+.-]*+://")
NUMBERS = re.compile(r"[\d.,:/_+-]+")
_DIGIT = re.compile(r"\d")
_TWO_DIGITS = re.compile(r"(?:\D*+\d){2}")
_TWO_LETTERS = re.compile(r"(?:[\W\d_]*+[^\W\d_]){2}")
_LONG_VALUE = re.compile(r"[ \t]{1,4}(?P<value>[A-Za-z0-9_~+-]{16,200}+)=*+(?=[\s,;.)\"'`]|$)")
_HEX_DIGITS = re.compile("[0-9a-f]+|[0-9A-F]+")
_FIGURE = re.compile(r"(?<=[A-Za-z])[0-9]")
_MANY_FIGURES, _SOME_FIGURES = 4, 2
"""Figures after a letter in a value that is random; of which no name in camel case has so many."""
_BRACKET = re.compile(r"[()\[\]{}]")
SPACE = re.compile(r"\s")
_LETTER = re.compile(r"[^\W\d_]")
_FILLER = re.compile(
    r"example|placeholder|your[-_]?|insert|dummy|(?:please[-_]?)?(?:change|replace)[-_]?(?:me|it|this)|\.{3,}|…|x{4,}|\*{4,}"
    r"|my(?<![a-z]my)[-_]?|here(?<![a-z]here)[-_]?"
)
_LEAST_BESIDE_FILLER = 6
_NOT_SECRETS = frozenset(
    {
        *("any", "bool", "boolean", "bytes", "int", "integer", "number", "object", "str", "string"),
        *("false", "missing", "nil", "no", "none", "null", "off", "on", "true", "undefined", "yes"),
        *("auto", "changeme", "default", "empty", "env", "hidden", "input", "invalid", "optional"),
        *("key", "pass", "passwd", "password", "prompt", "required", "secret", "text", "token"),
        *("passwort", "kennwort", "contraseña", "senha", "wachtwoord", "hasło", "пароль"),
        *("unset", "value", "test", "todo", "undef", "redacted", "string?", "username", "user"),
    }
)


def is_strong(text: str) -> bool:
    """Return whether ``text`` is not a word of prose: letters and digits in one run."""
    return not is_filler(text) and not SPACE.search(text) and is_no_word(text)


def is_no_word(text: str) -> bool:
    """Return whether ``text`` has letters and digits, or is scrambled; as `is_strong`."""
    if len(text) < 6 or "/" in text or text.startswith(":") or is_code(text):
        return False
    return bool(_DIGIT.search(text) and _LETTER.search(text)) or is_scrambled(text)


def is_filler(text: str) -> bool:
    """Return whether ``text`` is a placeholder for a value; what only holds one is none."""
    folded = text.casefold()
    if text.endswith(("EXAMPLE", "EXAMPLEKEY")):
        return True
    if folded == folded[:1] * len(folded) or "[redacted:" in folded or _TEMPLATE.match(folded):
        return True
    if folded.strip("<>[]{}") in _NOT_SECRETS:
        return True
    if not _FILLER.search(folded):
        return False
    remainder = _FILLER.sub("", folded)
    is_beside = (
        len(remainder) >= _LEAST_BESIDE_FILLER
        and _DIGIT.search(remainder)
        and _LETTER.search(remainder)
    )
    return not is_beside


def is_code(text: str) -> bool:
    """Return whether ``text`` is an expression, or a name without a password's look."""
    if _BRACKET.search(text) or PATH.match(text) or _NUMBERED_WORD.fullmatch(text.casefold()):
        return True
    is_name = _IDENTIFIER.fullmatch(text) and not _DIGIT.search(text)
    return bool(is_name) and not is_no_name(text)


def is_random(text: str) -> bool:
    """Return whether no person would choose ``text`` as a name: digits among letters, or length."""
    return bool(_TWO_DIGITS.match(text) and _TWO_LETTERS.match(text)) or is_no_name(text)


def is_no_name(text: str) -> bool:
    """Return whether ``text`` is a long run of one case, or is scrambled."""
    is_run = len(text) >= 20 and text.isalnum() and (text.islower() or text.isupper())
    return is_run or is_scrambled(text)


def is_unmistakable(text: str, at: int) -> bool:
    """Return whether a value follows that is neither a word nor a name, whatever is said of it."""
    match = _LONG_VALUE.match(text, at)
    if match is None or _HEX_DIGITS.fullmatch(value := match["value"]):
        return False
    figures = len(_FIGURE.findall(value))
    if value.islower() or value.isupper():
        return figures >= _MANY_FIGURES and value.isalnum()
    is_random = figures >= _MANY_FIGURES or (figures >= _SOME_FIGURES and is_scrambled(value))
    return len(value) >= 20 and is_random


def is_phrase(text: str) -> bool:
    """Return whether ``text``, in quotes, is a secret of words and no sentence about one."""
    words = [word.strip(".,!?:") for word in text.casefold().split()]
    common = sum(word in STOP for word in words)
    most = len(words) // 3 if text[:1].islower() or _DIGIT.search(text) else 0
    if len(words) > 24 or common > most or not _OF_MESSAGES.isdisjoint(words):
        return False
    has_figures = _DIGIT.search(text) is not None
    return (has_figures or len(words) >= 3) and not _TEMPLATED.search(text)


_TEMPLATED = re.compile(
    r"[{}<>()$]|(?i:pass|secret|token|kennwort|senha|clave|contrase|cred|login|auth)|: "
)
_OF_MESSAGES = frozenset(
    "must should required invalid incorrect wrong enter type please forgot change reset confirm"
    " minimum maximum least characters character letters digits your you use used using contains"
    " match new old current repeat field hint show hide need needs asks ask login see same than"
    " will be cannot can't don't failed error".split()
)
"""Words of labels and messages, which no password has."""
