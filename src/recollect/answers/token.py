"""Tokens, as HTTP and ``--json`` answer them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.governance.tokens import Token


class TokenList(msgspec.Struct, frozen=True, kw_only=True):
    """Who may call the worker, and where the owner's token is."""

    tokens: Sequence[Token]
    file: str


class TokenPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where the owner's token is."""

    path: str
