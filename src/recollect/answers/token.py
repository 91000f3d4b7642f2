"""Tokens and the audit, as HTTP and ``--json`` answer them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.governance.tokens import Token
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
