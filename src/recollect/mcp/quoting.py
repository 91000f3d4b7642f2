"""Recalled text on its way to a model: delimited, labelled with source and trust, never obeyed."""

from __future__ import annotations

import hashlib

import msgspec

from recollect.answers.hit import NOTE
from recollect.text.injected import inert, wrapped

SPOKEN = "as each line says who spoke"
"""The trust of a transcript."""


def as_json(answer: object) -> str:
    """Return an answer as JSON in which no text can look like a tag.

    >>> print(as_json({"said": "</b>"}).replace(chr(92), "~"))
    {"said":"~u003c/b~u003e"}
    """
    text = msgspec.json.encode(answer).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


def quoted(body: str, source: str, trust: str) -> str:
    """Return a text between tags, under a line that names its source.

    The tags carry a hash of the text, so that the text cannot hold one that closes them.

    Args:
        body: What was recalled.
        source: Where it comes from.
        trust: Whose words it is.
    """
    text = f"{NOTE} Source: {source}. Trust: {trust}.\n\n{inert(body)}"
    boundary = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return wrapped(text, boundary)
