"""Secrets revealed by their carrier: URLs, headers, command lines, and Base64 around others."""

from __future__ import annotations

import binascii
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from recollect.text.redaction.blocks import Span, find_blocks
from recollect.text.redaction.carrier_rules import ANCHORED, CARRIERS, AnchorRule, CarrierRule
from recollect.text.redaction.credentials import find_credentials, long_words
from recollect.text.redaction.keyed import find_keyed
from recollect.text.redaction.values import is_filler, is_random

_USER_AND_PASSWORD = re.compile(r"""([^\s/?#:@"'<>]{0,256}):([^\s/?#"'<>]{1,256})@""")
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


def find_carried(text: str, folded: str, signs: Collection[str]) -> Iterator[Span]:
    """Yield the secrets of ``text`` in the carriers in which secrets are sent or packed.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
        signs: Those of `CARRIER_SIGNS` that are in it, and `PACKED`.
    """
    if "://" in signs:
        yield from _in_urls(text)
    for gate, rules in _CARRIERS.items():
        if gate in signs:
            for rule in [each for each in rules if each.literal in folded]:
                yield from _in_carrier(text, folded, rule)
    yield from _at_signs(text, folded, signs)
    if "data:" in signs and "kind" in folded:
        yield from _in_kubernetes(text, folded)
    if PACKED in signs:
        for run in _BASE64.finditer(text):
            if inner := _kind_inside(run[0]):
                yield inner, run.start(), run.end()


def _gate(rule: CarrierRule) -> str:
    # Up to the first space, which is the end of a word.
    return rule.gate or "".join(rule.literal.partition(" ")[:2])


_CARRIERS = {
    gate: tuple(rule for rule in CARRIERS if _gate(rule) == gate)
    for gate in dict.fromkeys(map(_gate, CARRIERS))
}
PACKED = "packed"
"""The sign of a long word that is the Base64 of a secret, see `is_packed`."""
_ANCHORED = {
    gate: tuple(rule for rule in ANCHORED if rule.gate == gate)
    for gate in dict.fromkeys(rule.gate for rule in ANCHORED)
}
_LONGEST_SIGN = max(len(rule.sign) for rule in ANCHORED)
_ORDER = {gate: number for number, gate in enumerate(_ANCHORED)}
ANCHOR_SIGNS = frozenset(_ANCHORED) - {"://", "data:", *_CARRIERS}
"""Signs of locations that begin with a longer sign, see `is_anchored`."""
CARRIER_SIGNS = ("://", "data:", *_CARRIERS, *_ANCHORED)
"""Any text in which something is sent contains one of them in lower case; see `is_packed`."""


def is_anchored(folded: str, signs: Iterable[str]) -> bool:
    """Return whether a location of a secret may be in a text, in lower case, with these signs."""
    return any(rule.sign in folded for gate in signs for rule in _ANCHORED[gate])


def is_packed(among: str) -> bool:
    """Return whether a secret is in Base64 in one of some long words."""
    return any(map(_kind_inside, _BASE64.findall(among)))


def _at_signs(text: str, folded: str, signs: Collection[str]) -> Iterator[Span]:
    for gate in sorted(_ANCHORED.keys() & signs, key=_ORDER.__getitem__):
        near = _around(folded, gate)  # most signs have the gate in them
        for rule in _ANCHORED[gate]:
            if rule.sign in (near if gate in rule.sign else folded):
                yield from _at_sign(text, folded, rule)


def _around(folded: str, gate: str) -> str:
    """Return the text around a gate, long enough for every longer sign that contains it."""
    near: list[str] = []
    at = folded.find(gate)
    while at >= 0:
        near.append(folded[max(at - _LONGEST_SIGN, 0) : at + 2 * _LONGEST_SIGN])
        at = folded.find(gate, at + _LONGEST_SIGN)
    return "\n".join(near)


def _at_sign(text: str, folded: str, rule: AnchorRule) -> Iterator[Span]:
    at = folded.find(rule.sign)
    while at >= 0:
        end = at + len(rule.sign)
        match = rule.pattern.match(text, at)
        if match and rule.is_sent(match, match["value"]):
            yield rule.kind, *match.span("value")
            end = match.end("value")
        at = folded.find(rule.sign, end)


def _in_carrier(text: str, folded: str, rule: CarrierRule) -> Iterator[Span]:
    at = 0
    while match := rule.pattern.search(folded, at):
        at, end = match.span("value")
        if rule.is_sent(match, text[at:end]):
            start, at = at, _end(text, end)
            yield rule.kind, start, at


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
    """Return the end of a value of which at most the beginning was read."""
    rest = None if text.startswith("@", end) else _REST.match(text, end)
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
