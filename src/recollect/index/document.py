"""What the index is given: one searchable thing, whatever kind of memory it came from."""

from __future__ import annotations

import hashlib

import msgspec

from recollect.core.scope import Scope

SOURCES = ("memory", "sessions", "observations", "facts", "episodes")
"""Kinds of memory that can be found; the position is stored, so only append."""
FILES = SOURCES[0]
"""The kind of memory files."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One indexed thing: a memory file or a message.

    Attributes:
        source: One of `SOURCES`.
        ref: Unique within the source and tenant: a path, a message id.
        group: What neighbours are taken from: the session's id, the file's path.
        order: Position in the group, ascending, not negative: the seq of a message, 0 for a file.
        text: What is searched and shown.
        at: When it was said or last changed, milliseconds UTC.
        scope: The owner of the row.
        role: Who spoke by role (``user``, ``assistant`` ...), where that applies.
        name: Who spoke by name, where it is known.
        markdown: Cut into line chunks (a file) instead of one chunk (a message).
        circle: Who hears of it, see `recollect.index.circles`; None: whoever may see its source.
        stamp: What the source needs to see that nothing changed without reading (size and mtime).
    """

    source: str
    ref: str
    group: str
    order: int
    text: str
    at: int
    scope: Scope
    role: str | None = None
    name: str | None = None
    markdown: bool = False
    circle: str | None = None
    stamp: str | None = None

    def digest(self) -> bytes:
        """Return the SHA-256 over everything that ranking or display depends on."""
        owner = (self.scope.agent, self.scope.user, self.scope.project)
        facts = (self.group, self.order, self.at, owner, self.role, self.name, self.markdown)
        state = hashlib.sha256(repr(facts).encode())
        state.update(self.text.encode("utf-8", "surrogatepass"))
        return state.digest()


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """A document that is gone from its source."""

    source: str
    ref: str
    tenant: str
