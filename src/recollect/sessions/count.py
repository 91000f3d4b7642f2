"""Counts that callers give: limits, seqs, budgets. They may come from JSON, and be anything."""

from __future__ import annotations

from typing import overload

from recollect.core.errors import InvalidInput

LARGEST = 2**63 - 1
"""What a database can hold."""


@overload
def check_count(value: int, what: str, least: int = 0) -> int: ...
@overload
def check_count(value: int | None, what: str, least: int = 0) -> int | None: ...
def check_count(value: int | None, what: str, least: int = 0) -> int | None:
    """Return ``value``; None stands for nothing given.

    Raises:
        InvalidInput: it is no whole number from ``least`` to `LARGEST`.
    """
    if value is None:
        return None
    given: object = value
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= LARGEST:
        raise InvalidInput(
            f"{what} is no whole number from {least}", hint="leave it out, or mend it"
        )
    return value
