"""Made-up secrets, grown from shapes by a seed: nothing that a scanner could take for a live key.

A shape is a text with places such as ``<A36>``: an alphabet and a length. ``{}`` in a carrier is
the place of the secret, and ``<:>`` a colon, which keeps the addresses of others out of our files.
"""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

_LOWER, _UPPER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_ALPHABETS = {
    "l": _LOWER,
    "L": _LOWER + _UPPER,
    "d": _DIGITS,
    "a": _LOWER + _DIGITS,
    "A": _LOWER + _UPPER + _DIGITS,
    "U": _UPPER + _DIGITS,
    "h": _DIGITS + "abcdef",
    "H": _DIGITS + "ABCDEF",
    "w": _LOWER + _UPPER + _DIGITS + "_-",
    "b": _LOWER + _UPPER + _DIGITS + "+/",
    "p": _LOWER + _UPPER + _DIGITS + "!@#%^*-_+~.",
}
_WORDS = (
    "amber river falcon marble sunset copper willow harbor velvet ember cobalt meadow pepper "
    "lantern orchid thunder saffron glacier walnut cinder"
).split()
_PLACE = re.compile(r"<(?:([lLdaAUhHwbp])(\d{1,3})|(word|Word|uuid|:))>")
_UUID = "<h8>-<h4>-4<h3>-a<h3>-<h12>"
_EDGES = _LOWER + _UPPER + _DIGITS


class SecretCase(msgspec.Struct, frozen=True, kw_only=True):
    """A text or JSON value, and what of it must go.

    Attributes:
        half: ``named``: from our own list; ``unseen``: from what others published.
        carrier: What kind of place the secret stands in, or what a look-alike resembles.
        value: Text, or a value of lists, mappings and texts.
        secret: What must not be left, not even eight characters of it; None: nothing may go.
    """

    half: str
    carrier: str
    value: object
    secret: str | None


Carriers = Mapping[str, tuple[tuple[str, ...], tuple[object, ...]]]
"""Carrier -> (shapes of its secrets, texts or values with ``{}`` in the place of the secret)."""


def grow(shape: str, chance: random.Random) -> str:
    """Return a text of a shape; a body neither begins nor ends with a mark of punctuation."""

    def grown(match: re.Match[str]) -> str:
        alphabet, length, word = match.groups()
        if word == ":":
            return word
        if word == "uuid":
            return grow(_UUID, chance)
        if word:
            chosen = chance.choice(_WORDS)
            return chosen.capitalize() if word == "Word" else chosen
        letters = chance.choices(_ALPHABETS[alphabet], k=int(length))
        edges = [each for each in _ALPHABETS[alphabet] if each in _EDGES]
        letters[0], letters[-1] = chance.choice(edges), chance.choice(edges)
        return "".join(letters)

    return _PLACE.sub(grown, shape)


def placed(carrier: object, secret: str) -> object:
    """Return a text or value with the secret in its place."""
    if isinstance(carrier, str):
        return carrier.replace("{}", secret)
    if isinstance(carrier, Mapping):
        return {key: placed(inner, secret) for key, inner in carrier.items()}
    if isinstance(carrier, tuple | list):
        return [placed(inner, secret) for inner in carrier]
    return carrier


def packed(text: str) -> str:
    """Return the Base64 of a text."""
    return base64.b64encode(text.encode()).decode()


def secrets_in(
    half: str, carriers: Carriers, rounds: int, chance: random.Random
) -> Iterator[SecretCase]:
    """Yield at least ``rounds`` cases of every carrier; every text and every shape once or more."""
    for name, (shapes, texts) in carriers.items():
        for turn in range(max(rounds, len(texts), len(shapes))):
            secret = grow(shapes[turn % len(shapes)], chance)
            text = placed(texts[turn % len(texts)], secret)
            yield SecretCase(half=half, carrier=name, value=_grown(text, chance), secret=secret)


def look_alikes_in(
    half: str, texts: Mapping[str, Iterable[object]], rounds: int, chance: random.Random
) -> Iterator[SecretCase]:
    """Yield every text so often that each kind has at least ``rounds``; again only among others."""
    for name, each in texts.items():
        shapes = tuple(each)
        for turn in range(max(rounds, len(shapes))):
            value = shapes[turn % len(shapes)]
            if turn >= len(shapes):
                value = _each_text(value, lambda text: f"<Word>, <word>.\n{text}\n<Word>, too")
            value = _grown(value, chance)
            yield SecretCase(half=half, carrier=name, value=value, secret=None)


def _grown(value: object, chance: random.Random) -> object:
    return _each_text(value, lambda text: grow(text, chance))


def _each_text(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _each_text(inner, change) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_each_text(inner, change) for inner in value]
    return value
