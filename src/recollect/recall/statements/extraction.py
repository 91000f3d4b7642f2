"""Extraction: what messages state is read in the background, and what it replaced is derived.

It follows the outbox with a cursor of its own, the newest changes first: of a long import what was
said last is known first. What is left is a list of parts of the outbox, so that it goes on after a
kill, and messages that arrive meanwhile come before the rest. A batch is read without the lock of
the writer; what changed meanwhile has a newer change and is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import LiteralString

import msgspec

from recollect.audience.people import CHANGES, People
from recollect.audience.visibility import group_of_turn, speaker_of
from recollect.core.clock import Clock
from recollect.core.decoding import decode_json
from recollect.core.scope import ConversationTurn
from recollect.index.model.sync_report import OnProgress, Progress, ignore_progress, never
from recollect.index.model.visibility import visibility_rules
from recollect.knowledge.extracted import store
from recollect.knowledge.fact_links import follow_links, follow_withdrawals, linked_messages
from recollect.knowledge.likeness import PlacedSentence, move_sentences, update_sentences
from recollect.knowledge.realigned import fact_tenants, realign_facts
from recollect.knowledge.replacement import DERIVATION_VERSION
from recollect.knowledge.replacements import drop_dangling, move_turns, update_stated
from recollect.knowledge.stated import SALT, Hasher, StatedRow
from recollect.recall.statements.claimed import claimed_accounts
from recollect.recall.statements.messages import (
    StatementReader,
    Stating,
    changed_part,
    fact_drafts,
    only_kept,
)
from recollect.sessions.proposals import ClaimedAccount, update_proposals
from recollect.sessions.record.tombstone import is_buried
from recollect.store.columns import first_integer
from recollect.store.digests import stored_digest
from recollect.store.engine import Database, Transaction
from recollect.store.meta import find_value, persisted_random, set_value
from recollect.text.statements.statement import RULES_VERSION

CURSOR = "knowledge.extraction"
"""The key of what is left to extract."""
BATCH = 256
"""Changes that are extracted in one transaction."""
_NEWEST: LiteralString = "SELECT max(seq) FROM changes WHERE kind = 'message'"


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What is left to extract.

    Attributes:
        rules: The versions of the rules that the rest was extracted with.
        people: The digest of the identities that it was extracted with.
        known: The newest change that is extracted, or is in a part.
        parts: The parts of the outbox that are left, oldest first: after a seq, up to a seq.
    """

    rules: tuple[int, int] = (0, 0)
    people: str = ""
    known: int = 0
    parts: tuple[tuple[int, int], ...] = ()

    def reaching(self, newest: int) -> Left:
        """Return what is left with all newer changes; with all changes if the rules are others."""
        rules = (RULES_VERSION, DERIVATION_VERSION)
        if self.rules != rules:
            whole = ((0, newest),) if newest else ()
            return Left(rules=rules, people=self.people, known=newest, parts=whole)
        if newest <= self.known:
            return self
        parts = (*self.parts, (self.known, newest))
        return msgspec.structs.replace(self, known=newest, parts=parts)

    def without(self, first: int | None) -> Left:
        """Return it without the newest part from ``first`` on; None removes the whole part."""
        *others, (after, _) = self.parts
        rest = () if first is None or first - 1 <= after else ((after, first - 1),)
        return msgspec.structs.replace(self, parts=(*others, *rest))


class Extraction:
    """Extracts what the messages of a home state.

    Args:
        records: records.db.
        people: The owner of the agent, and the accounts that are one person.
        clock: Tells the time of recording.
    """

    def __init__(self, records: Database, people: People, clock: Clock) -> None:
        self._records = records
        self._people = people
        self._clock = clock

    def is_behind(self) -> bool:
        """Return whether there is something to extract; a cheap check."""

        def look(tx: Transaction) -> bool:
            rest = read_left(tx).reaching(newest_message(tx))
            return bool(rest.parts) or rest.people != self._identities(tx)

        return self._records.read(look)

    def run(self, stopping: Callable[[], bool] = never, tell: OnProgress = ignore_progress) -> int:
        """Extract what is left, the newest first; return how many messages were read.

        Messages that arrive meanwhile are left for the next time: taken one by one, each would
        cost a transaction.

        Args:
            stopping: Polled between batches; after True the rest is left for the next time.
            tell: Called after every batch.

        Raises:
            StoreError: the database refused.
        """
        if not self.is_behind():
            return 0
        hasher = Hasher(persisted_random(self._records, SALT))
        self._records.write(partial(self._align, hasher=hasher))
        newest, count = self._records.read(newest_message), 0
        while not stopping():
            size = self._batch(hasher, newest)
            if size is None:
                break
            count += size
            rest = self._records.read(read_left)
            tell(Progress(stage="extracting", done=count, left=sum(b - a for a, b in rest.parts)))
        return count

    def _batch(self, hasher: Hasher, newest: int) -> int | None:
        """Extract one batch of what is left up to a change; return how many messages it had.

        None when nothing is left.
        """

        def read(tx: Transaction) -> tuple[Left, _Extracted | None]:
            rest = read_left(tx).reaching(newest)
            return rest, self._extract(tx, rest, hasher) if rest.parts else None

        rest, extracted = self._records.read(read)
        if extracted is None:
            return None
        is_stored = self._records.write(partial(self._store, rest=rest, extracted=extracted))
        return extracted.count if is_stored else 0

    def _extract(self, tx: Transaction, rest: Left, hasher: Hasher) -> _Extracted:
        after, last = rest.parts[-1]
        part = changed_part(tx, after, last, BATCH)
        if part is None:
            return _Extracted(first=None)
        reader = StatementReader(tx, self._people, hasher)
        rows: dict[str, dict[str, list[StatedRow]]] = {}
        for message, tenant in part.tenants.items():
            rows.setdefault(tenant, {})[message] = []
        for message, message_rows in reader.rows(part.messages).items():
            whose = message_rows[0].tenant if message_rows else part.tenants.get(message)
            if whose is not None:
                rows.setdefault(whose, {})[message] = message_rows
        sentences: dict[str, dict[str, list[PlacedSentence]]] = {
            tenant: {name: [] for name in of_tenant} for tenant, of_tenant in rows.items()
        }
        for tenant, name, own in reader.value_sentences(part.messages):
            sentences.setdefault(tenant, {})[name] = own
        return _Extracted(
            first=part.first,
            count=len(part.tenants),
            rows=rows,
            sentences=sentences,
            statings=tuple(reader.statings(part.messages)),
            claimed=claimed_accounts(tx, self._people, part.messages),
        )

    def _store(self, tx: Transaction, rest: Left, extracted: _Extracted) -> bool:
        """Store a batch, unless another process extracted it meanwhile."""
        if read_left(tx).reaching(rest.known) != rest:
            return False
        survivors = only_kept(tx, extracted.statings)
        for tenant, rows in extracted.rows.items():
            touched = {*rows, *linked_messages(tx, rows)}  # also by links that go now
            update_stated(tx, rows, tenant, RULES_VERSION)
            update_sentences(tx, extracted.sentences[tenant], tenant, RULES_VERSION)
            drop_dangling(tx, rows)
            update_proposals(tx, tenant, rows, extracted.claimed.get(tenant, ()))
            statings = [each for each in survivors if each.message.tenant == tenant]
            owner, now = self._people.at(tx, tenant), self._clock.now_ms()
            store(tx, fact_drafts(statings), owner, now, is_buried)
            follow_links(tx, tenant, touched, owner, now)
            follow_withdrawals(tx, tenant, now)
        write_left(tx, rest.without(extracted.first))
        return True

    def _identities(self, tx: Transaction) -> str:
        """Return a digest of who is the owner, of which agents, and who is linked to whom."""
        owner = self._people.configured
        links = [f"{account}={name}" for account, name in owner.links.people.items()]
        links += [f"{id_}={name}" for id_, name in owner.links.anywhere.items()]
        rules = visibility_rules(links, map(str, owner.accounts))
        walls = ",".join([str(owner.walls.everyone), *sorted(owner.walls.exceptions)])
        return f"{rules}:{walls}:{stored_digest(tx, 'identities')}:{find_value(tx, CHANGES) or 0}"

    def _align(self, tx: Transaction, hasher: Hasher) -> None:
        """Move statements to the audiences and speakers that the current identities give them."""
        rest, people = read_left(tx), self._identities(tx)
        if rest.people == people:
            return

        def hashes(tenant: str, turn: ConversationTurn) -> tuple[int, int]:
            owner = self._people.at(tx, tenant)
            group = group_of_turn(turn, owner)
            who = speaker_of(turn, group, owner)
            return hasher("audience", tenant, group.name), hasher("speaker", who) if who else 0

        moved, alike = move_turns(tx, hashes), move_sentences(tx, hashes)
        now = self._clock.now_ms()
        for tenant in fact_tenants(tx):
            owner = self._people.at(tx, tenant)
            touched = {*moved.get(tenant, ()), *alike.get(tenant, ())}
            follow_links(tx, tenant, touched, owner, now)
            realign_facts(tx, tenant, owner, now)
        write_left(tx, msgspec.structs.replace(rest, people=people))


class _Extracted(msgspec.Struct, frozen=True, kw_only=True):
    """A batch: its first change (None for an empty one), and the rows by tenant and message."""

    first: int | None
    count: int = 0
    rows: dict[str, dict[str, list[StatedRow]]] = {}
    sentences: dict[str, dict[str, list[PlacedSentence]]] = {}
    statings: tuple[Stating, ...] = ()
    claimed: Mapping[str, Sequence[ClaimedAccount]] = {}


def newest_message(tx: Transaction) -> int:
    """Return the seq of the newest change of a message; 0 before the first."""
    row = tx.row(_NEWEST)
    return 0 if row is None or row[0] is None else first_integer(row)


def read_left(tx: Transaction) -> Left:
    """Return what is left to extract, as it was stored."""
    value = find_value(tx, CURSOR)
    return Left() if value is None else decode_json(value, Left)


def write_left(tx: Transaction, rest: Left) -> None:
    """Store what is left to extract."""
    set_value(tx, CURSOR, msgspec.json.encode(rest).decode())
