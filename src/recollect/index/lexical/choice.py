"""The back ends by name, and which one is used when the chosen one cannot work."""

from __future__ import annotations

import functools

import msgspec

from recollect.core.errors import InvalidInput, ProviderError
from recollect.core.plugins import load_plugin
from recollect.index.lexical.own_postings import OwnPostings
from recollect.index.lexical.port import Backend
from recollect.store.engine import Database

LEXICAL_ENTRY_POINTS = "recollect.lexical_backends"
"""Entry points of this group name functions without arguments that return a `Backend`."""
BUILTIN_LEXICAL = OwnPostings.name
_OWN = OwnPostings()


class LexicalChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The lexical back end, and why it is not the configured one.

    Attributes:
        wanted: The setting ``search.lexical.backend``.
        used: The one in use. error: Why it is another one; None when it is the same.
    """

    wanted: str
    used: str
    error: str | None = None


def backend(name: str) -> Backend:
    """Return the back end with a name; our own postings when no package provides that name."""
    try:
        return _named(name)
    except (InvalidInput, ProviderError):
        return _OWN


def choose(database: Database, name: str) -> LexicalChoice:
    """Return the back end to use where the settings name ``name``.

    Raises:
        InvalidInput: no package provides one with that name.
        ProviderError: it cannot be imported.
        StoreError: the index could not be read.
    """
    error = _named(name).unavailable(database)
    return LexicalChoice(wanted=name, used=BUILTIN_LEXICAL if error else name, error=error)


@functools.cache
def _named(name: str) -> Backend:
    if name == BUILTIN_LEXICAL:
        return _OWN
    backend: Backend = load_plugin(
        LEXICAL_ENTRY_POINTS, name, "lexical back end", (BUILTIN_LEXICAL,)
    )()
    return backend
