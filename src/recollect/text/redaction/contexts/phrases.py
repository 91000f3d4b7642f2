"""Secrets recognised by their grouping: words of a wallet, keys of an authenticator.

Twelve short words or more in a row without an article or a sign make no sentence; beside a word
such as "seed" they open a wallet. Groups of four letters and digits near "authenticator" are keys.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from recollect.text.redaction.blocks import Span

_OF_WORDS = (
    "seed mnemonic phrase ledger trezor metamask wallet semilla semente récupération merkwörter"
    " recovery 助记词 シード ニーモニック 니모닉 시드"
).split()
_OF_GROUPS = "totp authenticator 2fa two-factor scan otp mfa geheimschlüssel".split()
PHRASE_SIGNS = (*_OF_WORDS, *_OF_GROUPS)
"""One of them is in the lower case of each text with such a secret."""
_SIGNS = frozenset(PHRASE_SIGNS)
_BEFORE, _AFTER = 160, 400
_LEAST_WORDS = 11
_ITEM = r"(?:(?:\(?\d{1,2}[.):]?|[-*#])[ \t]*)?"
_ONE = r"[a-záéíóúñç]{3,9}"
_WORDS = re.compile(
    rf"(?<![\w-]){_ITEM}(?P<first>{_ONE})(?:(?:\s{{1,8}}{_ITEM}{_ONE}){{{_LEAST_WORDS},}}+"
    rf"|(?:[ ]?[,;|]\s{{0,8}}{_ITEM}{_ONE}){{{_LEAST_WORDS},}}+)(?![\w-])"
)
_OF_SENTENCES = re.compile(
    r"\b(?:the|and|for|with|are|was|not|but|has|his|her|from|these|which|should|would|its|been|were"
    r"|your|our|have|had|into|because|der|die|das|und|ist|mit|eine?|les|des|est|une|que|los|las|con|para|una|uma|per|che)\b"
)
_GROUPS = re.compile(
    r"(?<![A-Za-z0-9+/=-])(?:(?:[A-Z2-7]{4}[ -]){2,15}[A-Z2-7]{1,8}"
    r"|(?:[a-z2-7]{4}[ -]){3,15}[a-z2-7]{1,8}"
    r"|[A-Z2-7]{16,64})(?![A-Za-z0-9+/-])"
)
_FIGURE = re.compile(r"[2-7]")


def find_phrases(text: str, folded: str, signs: Collection[str]) -> Iterator[Span]:
    """Yield the phrases of wallets and the keys of authenticators.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
        signs: Those of `PHRASE_SIGNS` that are in it, among others.
    """
    if _SIGNS.isdisjoint(signs):
        return
    for begin, end in _near(folded, [sign for sign in _OF_WORDS if sign in signs]):
        for words in _WORDS.finditer(folded, begin, end):
            if not _OF_SENTENCES.search(words[0]):
                yield "recovery-phrase", words.start("first"), words.end()
    for begin, end in _near(folded, [sign for sign in _OF_GROUPS if sign in signs]):
        for groups in _GROUPS.finditer(text, begin, end):
            if len(_FIGURE.findall(groups[0])) >= (1 if groups[0].isupper() else 2):
                yield "token", *groups.span()


def _near(folded: str, signs: list[str]) -> list[tuple[int, int]]:
    """Return the ranges around signs, joined where they overlap."""
    ranges = sorted(
        (max(at.start() - _BEFORE, 0), at.end() + _AFTER)
        for sign in signs
        for at in re.finditer(re.escape(sign), folded)
    )
    joined: list[tuple[int, int]] = []
    for begin, end in ranges:
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined
