"""The languages that an embedder reads, as far as known, with a description for people.

A question in a language that the model does not read is still searched by its words.
"""

from __future__ import annotations

from collections.abc import Sequence

MANY = "mul"
"""The tag for many languages. Source: ISO 639-2."""

MULTILINGUAL = "local:universal-sentence-encoder-multilingual"
"""The model of the extra ``multilingual``, as ``embedding.provider`` names it."""

_KNOWN = (
    (
        MANY,
        "multilingual gemma bge-m3 qwen3-embedding text-embedding-3 gemini-embedding voyage-3"
        " voyage-4 snowflake-arctic-embed2 granite-embedding:278m nomic-embed-text-v2 labse",
    ),
    (
        "en",
        "nomic-embed-text all-minilm mxbai-embed-large bge-large bge-small-en bge-base-en"
        " snowflake-arctic-embed granite-embedding voyage-2 e5-small-v2 e5-base-v2 e5-large-v2",
    ),
)
"""Tag -> parts of names of models; the first matching row counts. Source: the models' cards."""
_SHOWN = 6


def languages_of(embedder: object) -> tuple[str, ...]:
    """Return the BCP 47 tags of the languages that an embedder reads; empty where unknown.

    An embedder may state them in an attribute ``languages``; otherwise they follow from well-known
    names of models.
    """
    stated: Sequence[str] = getattr(embedder, "languages", ())
    if stated:
        return tuple(stated)
    name = str(getattr(embedder, "model", "")).lower()
    tags = [tag for tag, parts in _KNOWN if any(part in name for part in parts.split())]
    return tuple(tags[:1])


def describe_languages(tags: Sequence[str]) -> str:
    """Return a description of the languages of an embedder, and of how others are searched.

    >>> describe_languages(["mul"])
    'many'
    >>> describe_languages(["de", "pt"])
    'de, pt; what is in other languages is found by its words'
    """
    if not tags:
        return "not known of this model"
    if MANY in tags or len(tags) > _SHOWN:
        return "many"
    is_english = list(tags) == ["en"]
    names = "English" if is_english else ", ".join(tags)
    other = f" ({MULTILINGUAL} reads many)" if is_english else ""
    return f"{names}; what is in other languages is found by its words{other}"
