"""Scope: what a caller may see, and who owns a row."""

from __future__ import annotations

import msgspec

LOCAL_TENANT = "local"
"""The tenant of an embedded home; one home serves one person unless told otherwise."""


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """A selection of rows by owner. A field that is None does not narrow; the tenant always does.

    The same value is the owner of a row when it is stored (then None means "nobody in particular").
    """

    tenant: str = LOCAL_TENANT
    agent: str | None = None
    user: str | None = None
    project: str | None = None
    session: str | None = None
