"""The back ends by name, and which one is used when the chosen one cannot work."""

from __future__ import annotations

import functools

import msgspec

from recollect.index.lexical.own_postings import OwnPostings
from recollect.index.lexical.port import Backend
from recollect.store.engine import Database, Transaction

DEFAULT = OwnPostings.name
_OWN = OwnPostings()


class LexicalChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What finds words, and why it is not what the settings name.

    Attributes:
        wanted: The setting ``search.lexical.backend``.
        used: What is used.
        error: Why it is another one; None when it is the same.
    """

    wanted: str
    used: str
    error: str | None = None


def backend(name: str) -> Backend:
    """Return the back end with a name; our postings when this version knows none of that name."""
    return _fts5() if name == "fts5" else _OWN


@functools.cache
def _fts5() -> Backend:
    from recollect.backends.fts5.backend import Fts5

    return Fts5()


def choose(database: Database, wanted: str) -> LexicalChoice:
    """Return which back end is used where the settings name ``wanted``.

    Raises:
        StoreError: the index could not be read.
    """
    if wanted == DEFAULT or database.read(has_fts5):
        return LexicalChoice(wanted=wanted, used=wanted)
    return LexicalChoice(wanted=wanted, used=DEFAULT, error="this SQLite was built without FTS5")


def has_fts5(tx: Transaction) -> bool:
    """Return whether the SQLite library holds FTS5."""
    return tx.row("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") is not None
