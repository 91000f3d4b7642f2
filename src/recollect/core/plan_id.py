"""The id of a plan: what is done is refused where it is not what was looked at."""

from __future__ import annotations

import hashlib

import msgspec


def plan_id_of(decided: object) -> str:
    """Return 32 hex digits that change with anything that was decided.

    Args:
        decided: What msgspec encodes as JSON; the order of mappings and sets does not matter.
    """
    return hashlib.sha256(msgspec.json.encode(decided, order="sorted")).hexdigest()[:32]
