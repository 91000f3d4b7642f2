"""Warnings of searches that a person reads: each once a day, not beside every answer.

Only digests of them are kept, in the home, so that all calls of the command line share them.
"""

from __future__ import annotations

import hashlib

import msgspec

from recollect.core.clock import Clock
from recollect.core.decoding import decode_json
from recollect.core.errors import StoreError
from recollect.index.query.hit import SearchResult
from recollect.index.query.search_service import DAMAGED_WORDS
from recollect.recall.healing import DAMAGED
from recollect.store.engine import Database, Transaction
from recollect.store.meta import find_value, set_value

REST_MS = 24 * 60 * 60 * 1000
"""For how long a warning is not repeated."""
_KEY = "warnings.given"


def unheard_warnings(records: Database, clock: Clock, result: SearchResult) -> list[str]:
    """Return the warnings of an answer not given in the last day; from now on they count as given.

    An answer without hits keeps all its warnings, as one of them may be the reason; damage is
    reported each time, as is everything in a home that cannot be written.
    """
    digests = {each: _digest(each) for each in result.warnings if not _is_damage(each)}
    now = clock.now_ms()

    def unit(tx: Transaction) -> set[str]:
        times = _given(tx, now)
        new = set(digests.values()) - times.keys()
        set_value(tx, _KEY, msgspec.json.encode(times | dict.fromkeys(new, now)).decode())
        return new

    try:
        new = set(digests.values()) - records.read(lambda tx: _given(tx, now)).keys()
        new = records.write(unit) if new else new
    except StoreError:
        return result.warnings
    if not result.hits:
        return result.warnings
    return [each for each in result.warnings if digests.get(each) in {None, *new}]


def _given(tx: Transaction, now: int) -> dict[str, int]:
    """Return the times of the warnings given in the last day, ms UTC, by their digests."""
    times = decode_json(find_value(tx, _KEY) or "{}", dict[str, int])
    return {digest: at for digest, at in times.items() if 0 <= now - at < REST_MS}


def _is_damage(warning: str) -> bool:
    return warning == DAMAGED_WORDS or warning.startswith(DAMAGED)


def _digest(warning: str) -> str:
    return hashlib.blake2b(warning.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
