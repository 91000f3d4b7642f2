"""Secrets in set phrases: logins, answers to questions of security, networks, lists of codes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from recollect.text.redaction.blocks import Span
from recollect.text.redaction.spoken import (
    DIGITS_SAID,
    ENDS,
    QUOTED,
    WORD,
    around,
    is_mixed,
    is_word,
    said,
)
from recollect.text.redaction.spoken_words import ANSWER, NUMBER_STEMS, STOP

_NUMBER_SIGNS = frozenset(NUMBER_STEMS)
_LOGIN_SIGNS = frozenset(
    {
        *("unlock", "log ", "login", "sign ", "signin", "opens ", "melde ", "anmeldung"),
        *("entra ", "entre ", "accedi ", "connecte-toi", "creden", "admin:", "root:"),
        "keypad",
    }
)
_ANSWER_SIGNS = frozenset({"security", "secret", "sicherheitsfrage", "maiden", "mädchenname"})
SAID_SIGNS = _NUMBER_SIGNS | _LOGIN_SIGNS | {" / ", "security", "sicherheitsfrage"}
"""One of them is in the lower case of each text in which a code or a login is said: `may_say`."""
_CAPITAL = re.compile(
    r"(?:capital|uppercase|großem|mayúscula|majuscule|maiúscula|maiuscola)\b[^:\n\0]{0,20}:[ ]"
)
CAPITALS = frozenset(
    ("capital", "uppercase", "großem", "mayúscula", "majuscule", "maiúscula", "maiuscola")
)
"""One of them is in the lower case of each text in which a capital is named."""
_HOLDER = re.compile(r"\b(?:cred|login|account|zugang|admin|user|root)")
_FIGURES = re.compile(r"\d[\d -]{2,}|\d[a-z]?\d")
_OF_PAIRS = ("login", "log-in", "creds", "credentials")
_SLASHED = re.compile(
    r"\b(?:log-?ins?|creds|credentials)\b"
    r"(?:[^\n:=/(]{0,30}[:=(][ ]?[\w.@-]{2,40}[:/]|(?:[ ](?:are|is)|:)[ ][\w.@-]{2,40}[ ]and[ ])"
    r"(?P<value>[^\s/,;\"]{6,64})(?=[\s,;\"]|$)"
)
_OF_ADMIN = re.compile(
    r"(?:admin|root):(?<![\w/:@.-]admin:)(?<![\w/:@.-]root:)"
    r"(?P<value>[^\s:/@,;\"'`]{6,64})(?=[\s,;)\"'`]|$)"
)
_ADMINS = ("admin:", "root:")
_WITH_USER = re.compile(r"(?:user )?[\w.@-]{2,40}[ ](?:and|und|y|e|et)[ ](?=\S{6,64}(?:\s|$))")
_OF_USE = re.compile(
    r"(?:use|enter|type|punch in|press)[ ](?P<value>[#*]?\d{3}[ -]?\d{1,5}[#*]?)[ ]"
    r"(?:(?:to|and)[ ](?:log|sign|unlock|verify|confirm|reset)|(?:on|at|into)[ ](?:the )?keypad)"
)
_USES = ("use ", "enter ", "type ", "punch in ", "press ")
_ANSWER = re.compile(ANSWER)
_ANSWER_WORDS = re.compile(r"[\w'-]+(?: [\w'-]+){1,3}(?=[.!]?(?:$|[\n\"]|[ ][—–(]))")
_NETWORKS = frozenset({"wifi", "wi-fi", "wlan", "ssid"})
_OF_NETWORK = re.compile(
    r"(?:wi-?fi|wlan|ssid)\b[^\n]{0,80}?\b(?:key|schlüssel|clé|llave|chave|chiave|code)"
    r"(?:[ ](?:is|ist|est|es|é|è)|:|=|)[ ](?=\S)"
)
_CODE_WORD = "code word"
_PAIRED = re.compile(r" / (?P<value>[^\s,;\"]{4,64})")
_LOGIN = re.compile(
    r"(?:(?:log ?in|sign ?in|unlocks?|melde dich|anmeldung)\b[^.\n\0]{0,40}?|opens)"
    r"[ ](?:with|mit)[ ]"
    r"|(?:entra con|entre com|accedi con|connecte-toi avec)[ ]"
)
_LOGINS = tuple(
    "log in,login,sign in,signin,unlock,melde dich,anmeldung,opens ,entra con,entre com,accedi con"
    ",connecte-toi".split(",")
)
"""One of them is before each value that `_LOGIN` ends at."""
_RECOVERY = re.compile(
    r"(?:recovery|backup|scratch|emergency|one-time|wiederherstellungs|rettungs|notfall|backup-)"
    r"[ -]?(?:codes?|schlüssel)|códigos de (?:recuperaci|respaldo|seguran|backup)"
    r"|codes de (?:récup|secours)|codici di (?:recup|backup)|резервные коды|恢复代?码|备用验?证?码"
    r"|バックアップコード|リカバリーコード|백업 코드|복구 코드"
)
_RECOVERIES = (
    "recovery backup scratch emergency one-time wiederherstellungs rettungs notfall códigos codes"
    " codici резервные 恢复 备用 バックアップ リカバリー 백업 복구"
).split()
"""What `_RECOVERY` begins with."""
_OF_RECOVERY = ("codes", "códigos de", "codici di", "коды", "码", "コード", "코드")
_LISTED = re.compile(
    r"(?<![\w-])[A-Z2-9]{4,6}(?:-[A-Z2-9]{4,6}){1,3}(?![\w-])"
    r"|(?<![\w-])(?=[a-z]*\d)[a-z0-9]{4,10}(?:[ -](?=[a-z]*\d)[a-z0-9]{4,10}){0,3}(?![\w-])",
    re.IGNORECASE,
)


def find_said(text: str, folded: str, signs: Collection[str]) -> Iterator[Span]:
    """Yield the secrets of ``text`` in set phrases.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
        signs: Those of `SAID_SIGNS`, `CAPITALS` and of networks that are in it, among others.
    """
    if not _NUMBER_SIGNS.isdisjoint(signs):
        yield from _listed(text, folded)
    if not _LOGIN_SIGNS.isdisjoint(signs):
        yield from _of_logins(text, folded)
    if not CAPITALS.isdisjoint(signs):
        yield from _corrected(text, folded)
    if not _ANSWER_SIGNS.isdisjoint(signs):
        for question in _ANSWER.finditer(folded):
            yield from _answered(text, question.end())
    if not _NETWORKS.isdisjoint(signs):
        for network in _OF_NETWORK.finditer(folded):
            yield from said(text, network.end(), is_number=False, tie="verb")
    if "code" in signs and (at := folded.find(_CODE_WORD)) >= 0:
        yield from around(text, folded, at, at + len(_CODE_WORD), is_number=False)
    if " / " in signs:
        yield from _pairs(text, folded)


def _of_logins(text: str, folded: str) -> Iterator[Span]:
    for match in _logins(folded):
        user = _WITH_USER.match(text, match.end())
        at = user.end() if user else match.end()
        is_number = text[at : at + 1].isdigit() and "og" not in match[0][:3]
        yield from said(text, at, is_number=is_number, tie="bare")
    for words, pattern in ((_OF_PAIRS, _SLASHED), (_ADMINS, _OF_ADMIN)):
        for pair in _at_words(folded, words, pattern):
            value = text[slice(*pair.span("value"))].rstrip(ENDS)
            if is_mixed(value, tie="bare"):
                yield "password", pair.start("value"), pair.start("value") + len(value)
    for used in _at_words(folded, _USES, _OF_USE):
        yield "code", *used.span("value")


def _at_words(
    folded: str, words: Iterable[str], pattern: re.Pattern[str]
) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begin with one of some words, word by word."""
    for word in words:
        at = folded.find(word)
        while at >= 0:
            if match := pattern.match(folded, at):
                yield match
            at = folded.find(word, at + len(word))


def _logins(folded: str) -> Iterator[re.Match[str]]:
    """Yield the matches of phrases that precede login credentials."""
    if any(each in folded for each in (" with ", " mit ", " con ", " com ", " avec ")):
        yield from _at_words(folded, _LOGINS, _LOGIN)


def _pairs(text: str, folded: str) -> Iterator[Span]:
    """Yield the passwords of "user / password" behind a word for both."""
    at = folded.find(" / ")
    while at >= 0:
        pair = _PAIRED.match(text, at)
        holder = _HOLDER.search(folded, max(at - 60, 0), at)
        if pair and holder and is_mixed(pair["value"], tie="bare"):
            yield "password", *pair.span("value")
        at = folded.find(" / ", at + 3)


def _answered(text: str, at: int) -> Iterator[Span]:
    """Yield the answer to a security question, of any words."""
    if quoted := QUOTED.match(text, at):
        inner = next(filter(None, quoted.groups()))
        yield "password", at + 1, at + 1 + len(inner)
    elif (word := WORD.match(text, at)) and word[0].rstrip(ENDS).casefold() not in STOP:
        words = _ANSWER_WORDS.match(text, at)
        end = words.end() if words else at + len(word[0].rstrip(ENDS))
        yield "password", at, end


def _corrected(text: str, folded: str) -> Iterator[Span]:
    """Yield the words that are repeated "with a capital S: …"."""
    for match in _CAPITAL.finditer(folded):
        word = WORD.match(text, match.end())
        value = word[0].rstrip(ENDS) if word else ""
        if is_mixed(value, tie="verb") or is_word(value):
            yield "password", match.end(), match.end() + len(value)


def _listed(text: str, folded: str) -> Iterator[Span]:
    """Yield recovery codes below or behind their name."""
    if not any(sign in folded for sign in _OF_RECOVERY):
        return
    end = 0
    for name in sorted(_at_words(folded, _RECOVERIES, _RECOVERY), key=re.Match.start):
        if name.start() < end:
            continue
        end = name.end()
        for code in _LISTED.finditer(text, name.end(), name.end() + 400):
            if sum(map(str.isdigit, code[0])) >= 3 or (code[0].isupper() and "-" in code[0]):
                yield "code", *code.span()


def may_say(folded: str, signs: Collection[str]) -> bool:
    """Return whether a code or a login may be said in a text, in lower case, with these signs."""
    if " / " in signs and _HOLDER.search(folded):
        return True
    if not _NUMBER_SIGNS.isdisjoint(signs) and _may_say_code(folded):
        return True
    if not _ANSWER_SIGNS.isdisjoint(signs) and _ANSWER.search(folded):
        return True
    if _LOGIN_SIGNS.isdisjoint(signs):
        return False
    return (
        any(_logins(folded))
        or any(_at_words(folded, _OF_PAIRS, _SLASHED))
        or any(_at_words(folded, _ADMINS, _OF_ADMIN))
        or any(_at_words(folded, _USES, _OF_USE))
    )


def _may_say_code(folded: str) -> bool:
    return bool(_CODE_WORD in folded or _FIGURES.search(folded) or DIGITS_SAID.search(folded))
