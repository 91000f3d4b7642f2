"""Tokens and the audit, as HTTP and ``--json`` answer them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.governance.tokens import Right, Token
from recollect.store.audit import AuditEntry


class TokenPage(msgspec.Struct, frozen=True, kw_only=True):
    """Who may call the worker."""

    tokens: Sequence[Token]


class TokenList(TokenPage, frozen=True, kw_only=True):
    """Who may call the worker, and where the owner's token is."""

    file: str


class AuditList(msgspec.Struct, frozen=True, kw_only=True):
    """What was done and refused, oldest first."""

    entries: Sequence[AuditEntry]


class TokenPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where the owner's token is."""

    path: str


class OneTimeCode(msgspec.Struct, frozen=True, kw_only=True):
    """A code for one exchange.

    Attributes:
        code: Its text, which is stored nowhere.
        expires_at: Ms UTC.
    """

    code: str
    expires_at: int


class ViewerToken(msgspec.Struct, frozen=True, kw_only=True):
    """The token of a page.

    Attributes:
        token: Its text, which is stored nowhere.
        name: Under which it is listed and revoked.
        rights: The greatest right that it has.
        expires_at: Ms UTC.
    """

    token: str
    name: str
    rights: Right
    expires_at: int
