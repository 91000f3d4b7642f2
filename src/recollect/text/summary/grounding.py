"""Checks the claims of a model about a text: their files, numbers, ids and addresses."""

from __future__ import annotations

from recollect.text.statements.sentences import specifics

_QUOTES = "`'\"()[]<>"


def ungrounded(claim: str, source: str) -> frozenset[str]:
    """Return the files, numbers, ids and addresses of a claim that its source does not have.

    >>> ungrounded("Raised the limit in src/kettle.py to 90", "kettle: src/kettle.py, limit = 90")
    frozenset()
    >>> sorted(ungrounded("Fixed src/spout.py in 3 places", "edited src/kettle.py"))
    ['3', 'src/spout.py']
    """
    folded = source.casefold()
    claims = (each.strip(_QUOTES) for each in specifics(claim))
    return frozenset(each for each in claims if each and each.casefold() not in folded)
