"""Claims of accounts: "I'm also @john on Telegram", in the languages that have a grammar.

What is claimed is as reliable as who claims it: it is a proposal for the owner, and no fact.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

import msgspec

from recollect.text.statements.reading import own_lines, sentences
from recollect.text.statements.recognition import book_of, words_of
from recollect.text.statements.rulebook import Rulebook, grammar_of, small_letters

_CHANNELS = {
    "telegram": "telegram テレグラム 텔레그램 电报 電報",
    "slack": "slack スラック 슬랙",
    "discord": "discord ディスコード 디스코드",
    "whatsapp": "whatsapp ワッツアップ 왓츠앱",
    "wechat": "wechat 微信 위챗",
    "kakaotalk": "kakaotalk 카카오톡 카톡 カカオトーク",
    "signal": "signal シグナル 시그널",
    "matrix": "matrix",
    "irc": "irc",
    "imessage": "imessage",
    "teams": "teams",
    "mattermost": "mattermost",
    "line": "line",
}
"""How people write the channels."""
_SPELLED = {name: channel for channel, names in _CHANNELS.items() for name in names.split()}
_CHANNEL = "(?:" + "|".join(sorted(_SPELLED, key=len, reverse=True)) + ")"
_NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9_.+-]{0,62}[A-Za-z0-9_])?(?![A-Za-z0-9_'@])"
_SERVER = r"(?::[a-z0-9-]+(?:\.[a-z0-9-]+)+)?"
_SIGNS = re.compile(
    rf"(?<![A-Za-z0-9_.@])(?:(?P<handle>[@＠]{_NAME}{_SERVER}|{_CHANNEL}:@?{_NAME}(?::{_NAME})?)"
    rf"|{_CHANNEL}(?![A-Za-z0-9_]))",
    re.IGNORECASE,
)
"""Handles and channels, each of which is one sign in what patterns read."""
_HANDLE, _PLACE = "\ue000", "\ue001"
_PARTS = {
    "<H>": f"(?P<handle>{_HANDLE})",
    "<N>": f"(?P<handle>{_HANDLE}|{_NAME})",
    "<C>": _PLACE,
}
_FIRST_SIGN = re.compile(r"^(\s*)@", re.MULTILINE)
_DOUBTS = ("hedges", "hearsay")


class Claim(msgspec.Struct, frozen=True):
    """Words of a message by which its speaker claims an account.

    Attributes:
        start: Offset of the first character of the sentence.
        end: Offset after its last one.
        claimed: The account, ``telegram:john``; ``@john`` where no channel is named.
    """

    start: int
    end: int
    claimed: str


def claims(text: str) -> list[Claim]:
    """Return what the speaker of a message claims to be, each account once.

    Questions, quotes, code, pasted text, guesses and conditions claim nothing.

    >>> [each.claimed for each in claims("Das bin auch ich, @john auf Telegram.")]
    ['telegram:john']
    """
    if not _may_claim(text):
        return []
    book = book_of(text, "user", words_of(text))
    by_account: dict[str, Claim] = {}
    # A line that begins with a mention is not one of a program, which it looks like.
    for start, line in own_lines(_FIRST_SIGN.sub(r"\1＠", text), book):
        if not _may_claim(line):
            continue
        for each in sentences(line, start):
            if not each.is_asked:
                for claimed in _claimed(each.text, book):
                    by_account.setdefault(claimed, Claim(each.start, each.end, claimed))
    return list(by_account.values())


def _may_claim(text: str) -> bool:
    if "@" in text or "＠" in text:
        return True
    lowered = text.lower()
    return any(name in lowered for name in _SPELLED)


def _claimed(sentence: str, book: Rulebook) -> Iterator[str]:
    """Yield the accounts that a sentence claims."""
    signs: list[re.Match[str]] = []

    def marked(match: re.Match[str]) -> str:
        signs.append(match)
        return _HANDLE if match["handle"] else _PLACE

    text = _SIGNS.sub(marked, sentence)
    for pattern in _patterns(book.code) if signs else ():
        for match in pattern.finditer(text):
            around = small_letters(f"{text[: match.start()]} {text[match.end() :]}")
            if not any(book.has(sign, around) for sign in _DOUBTS):
                at = sum(text.count(mark, 0, match.start("handle")) for mark in (_HANDLE, _PLACE))
                is_sign = match["handle"] == _HANDLE
                yield _account(signs[at][0] if is_sign else match["handle"], signs, at)


def _account(handle: str, signs: Sequence[re.Match[str]], at: int) -> str:
    """Return an account as it is written in settings, with the channel that is named nearest.

    One that is named after the handle, which is at a position among the signs, goes first.
    """
    handle = handle.replace("＠", "@")
    if not handle.startswith("@") and ":" in handle:
        return handle
    name = handle if ":" in handle else handle.removeprefix("@")
    for sign in (*signs[at:], *reversed(signs[:at])):
        if not sign["handle"]:
            return f"{_SPELLED[sign[0].lower()]}:{name}"
    return f"matrix:{name}" if ":" in name else f"@{name}"


@functools.cache
def _patterns(code: str) -> tuple[re.Pattern[str], ...]:
    """Return how accounts are claimed in a language."""
    return tuple(
        re.compile(_with_parts(source), re.IGNORECASE)
        for source in grammar_of(code).claims.split("\n")
        if source
    )


def _with_parts(source: str) -> str:
    for mark, part in _PARTS.items():
        source = source.replace(mark, part)
    return source
