"""The detector of statements."""

from __future__ import annotations

from recollect.text.statements.statement import Statement


def detect(text: str, role: str = "user") -> tuple[Statement, ...]:
    """Return the statements of a message, in the order of their spans, which do not overlap.

    Args:
        text: The text of the message.
        role: ``user`` or ``assistant``; of others nothing is detected.
    """
    return ()
