"""Context blocks that are kept from one turn of a session to the next.

A block is made of what is known and was done, not of the transcript. So it stays as it is while
nothing but messages come in: at 100,000 messages that saves two thirds of the work of a prompt.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import LiteralString

from recollect.recall.context.block import ContextBlock
from recollect.recall.context.injections import excluded_ids
from recollect.store.columns import first_integer
from recollect.store.engine import Database, Transaction
from recollect.store.journal import last_change

MOST = 256
"""Blocks that are kept, of the sessions used last; a few kB each."""
_OTHERS: LiteralString = """
    SELECT count(*) FROM changes WHERE seq > ?
    AND NOT (op = 'put' AND kind IN ('message', 'message.rewrite'))
"""


class BlockCache:
    """The blocks of a home; safe to share between threads.

    Args:
        database: ``records.db``.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._blocks: OrderedDict[Hashable, ContextBlock] = OrderedDict()
        self._seen = self._age = 0
        """The newest change that was looked at, and how often others than messages were met."""

    def block(self, tenant: str, about: Hashable, make: Callable[[], ContextBlock]) -> ContextBlock:
        """Return a block that was made before, or make it.

        Args:
            tenant: Whose exclusions count.
            about: Of what it is made, the day among it.
            make: Makes it.
        """
        with self._lock:
            excluded = self._database.read(lambda tx: self._look(tx, tenant))
            age, key = self._age, (tenant, about, excluded)
            block = self._blocks.get(key)
            if block is not None:
                self._blocks.move_to_end(key)
                return block
        block = make()
        with self._lock:
            if self._age == age:  # else it may lack what came meanwhile
                self._blocks[key] = block
            while len(self._blocks) > MOST:
                self._blocks.popitem(last=False)
        return block

    def _look(self, tx: Transaction, tenant: str) -> frozenset[str]:
        """Drop all blocks if anything but messages came in; return what is excluded."""
        if first_integer(tx.row(_OTHERS, (self._seen,))):
            self._blocks.clear()
            self._age += 1
        self._seen = last_change(tx)
        return excluded_ids(tx, tenant)
