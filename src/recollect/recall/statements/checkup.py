"""The checkup of what is known: facts, what messages state, and which statement replaced which.

What is derived from messages is derived again by `KnowledgeCheckup.repair`; a fact whose row is not
what was stored is only reported.
"""

from __future__ import annotations

from functools import partial
from typing import LiteralString

import msgspec

from recollect.core.clock import Clock
from recollect.knowledge.likeness import every_alike, forget_sentences
from recollect.knowledge.replacement import derive
from recollect.knowledge.replacements import derive_again, derived_links
from recollect.knowledge.rows import damaged_facts
from recollect.knowledge.stated import SlotKey, every_slot, every_stated
from recollect.knowledge.storing import lost_facts, reopen_lost
from recollect.recall.statements.extraction import Extraction, Left, write_left
from recollect.store.columns import first_integer
from recollect.store.engine import Database, Transaction

_PAGE = 2_000
_DANGLING: LiteralString = """
    FROM replacements WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = older_id)
        OR NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = newer_id)
"""
_STRAY: LiteralString = """
    FROM stated WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = message_id)
"""
_ALL: tuple[tuple[str, LiteralString], ...] = (
    ("facts", "FROM facts"),
    ("links", "FROM replacements WHERE is_flagged = 0"),
    ("statements", "FROM stated"),
    ("dangling", _DANGLING),
    ("stray", _STRAY),
)


class KnowledgeFindings(msgspec.Struct, frozen=True, kw_only=True):
    """What a checkup found.

    Attributes:
        facts: Their number, whatever their status.
        links: Statements that others replaced.
        statements: What messages state of slots.
        damaged: Facts whose row or history is not what was stored.
        dangling: Links from or to messages that are gone.
        stray: Statements of messages that are gone.
        lost: Facts that made way for one that is gone.
        wrong: Links that do not follow from what is stated, or are missing; 0 without ``deep``.
    """

    facts: int
    links: int
    statements: int
    damaged: int
    dangling: int
    stray: int
    lost: int
    wrong: int = 0

    @property
    def derived(self) -> int:
        """How much is wrong of what can be derived again."""
        return self.dangling + self.stray + self.lost + self.wrong


class KnowledgeCheckup:
    """Examines what a home knows, and derives again what does not fit.

    Args:
        records: records.db.
        clock: Tells the time of a change.
        extraction: Reads the messages again.
    """

    def __init__(self, records: Database, clock: Clock, extraction: Extraction) -> None:
        self._records = records
        self._clock = clock
        self._extraction = extraction

    def examine(self, *, deep: bool = False) -> KnowledgeFindings:
        """Return what was found; nothing is changed.

        Args:
            deep: Derive all links from nothing, and compare.

        Raises:
            StoreError: the records cannot be read.
        """
        counts = self._records.read(_counts)
        wrong = self._records.read(_wrong) if deep else 0
        return KnowledgeFindings(**counts, damaged=self._damaged(), wrong=wrong)

    def repair(self, findings: KnowledgeFindings) -> list[str]:
        """Derive again what does not fit; return a sentence for what was done.

        Raises:
            StoreError: the records refused.
        """
        if not findings.derived:
            return []
        self._records.write(partial(_derive, now=self._clock.now_ms()))
        count = self._extraction.run()
        return [f"read what {count:,} messages state, and derived what it replaced, again"]

    def _damaged(self) -> int:
        after, number = "", 0
        while True:
            after, ids = self._records.read(partial(damaged_facts, after=after, most=_PAGE))
            number += len(ids)
            if not after:
                return number


def _counts(tx: Transaction) -> dict[str, int]:
    counts = {name: first_integer(tx.row("SELECT count(*) " + rows)) for name, rows in _ALL}
    return counts | {"lost": len(lost_facts(tx))}


def _wrong(tx: Transaction) -> int:
    links, undone = derived_links(tx)
    due = {each for each in derive(every_stated(tx)) if (each.older, each.newer) not in undone}
    apart = {(older.message, newer.message) for older, newer in undone}
    alike = every_alike(tx)
    due |= {each for each in alike if (each.older.message, each.newer.message) not in apart}
    return len(due ^ links)


def _derive(tx: Transaction, now: int) -> None:
    tx.execute("DELETE " + _DANGLING)
    tx.execute("DELETE " + _STRAY)
    forget_sentences(tx)
    slots: dict[str, list[SlotKey]] = {}
    for tenant, slot in every_slot(tx):
        slots.setdefault(tenant, []).append(slot)
    for tenant, keys in slots.items():
        derive_again(tx, tenant, keys)
    reopen_lost(tx, now)
    write_left(tx, Left())
