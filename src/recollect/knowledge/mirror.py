"""``facts.jsonl``: the readable mirror of facts by hand, which `recollect recover` reads.

A line for each fact that was remembered or changed by hand, with its history; what was only found
in messages is found there again. It is derived: a missing one is written with the next change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import StoreCorrupt
from recollect.core.scope import Scope
from recollect.knowledge.fact import BY_HAND, Fact, FactChange
from recollect.knowledge.rows import (
    KIND,
    add_history,
    facts_by_id,
    history_of,
    restore_fact,
)
from recollect.knowledge.storing import note_source
from recollect.store.columns import typed_rows
from recollect.store.counters import raise_counter
from recollect.store.engine import Database, Transaction
from recollect.store.failures import os_errors
from recollect.store.files import write_file
from recollect.store.sqlite.home import FACTS_FILE

_KEPT: LiteralString = "SELECT tenant, id FROM facts WHERE made_by = ? OR version > 1 ORDER BY id"
_PAGE = 200


class FactLine(Fact, frozen=True, kw_only=True):
    """A fact with its history."""

    history: tuple[FactChange, ...] = ()


def line_of(tx: Transaction, fact: Fact) -> FactLine:
    """Return a fact with its history.

    Raises:
        StoreCorrupt: that is not what was stored.
    """
    return FactLine(**msgspec.structs.asdict(fact), history=history_of(tx, fact))


def store_line(tx: Transaction, line: FactLine) -> None:
    """Store a fact of a line, under its own id and number; record the change for the index."""
    fields = {name: getattr(line, name) for name in Fact.__struct_fields__}
    history = line.history
    if [each.version for each in history] != list(range(1, line.version + 1)):
        history = (_first(line),)
    fact = Fact(**fields | {"version": len(history)})
    restore_fact(tx, fact)
    add_history(tx, fact, history)
    note_source(tx, fact, fact.id)
    raise_counter(tx, fact.tenant, KIND, fact.number)


def write_facts(home: Path, database: Database) -> None:
    """Write the mirror, unless it says so already; without facts there is none.

    A damaged row leaves the mirror as it is: it may be what is left of it.

    Raises:
        StoreError: the disk refused.
    """
    path = home / FACTS_FILE
    try:
        content = database.read(lambda tx: b"".join(_lines(tx)))
    except StoreCorrupt:
        return
    with os_errors(path):
        previous = path.read_bytes() if path.is_file() else b""
        if previous and not content:
            path.unlink()
    if content and previous != content:
        write_file(path, content)


def read_facts(home: Path) -> Iterator[FactLine | None]:
    """Yield the facts of the mirror; None for a line that cannot be read."""
    path = home / FACTS_FILE
    with os_errors(path):
        lines = path.read_bytes().splitlines() if path.is_file() else []
    for line in lines:
        try:
            yield decode_json(line, FactLine)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            yield None


def recover_facts(
    home: Path, database: Database | None, was_erased: Callable[[FactLine], bool]
) -> tuple[int, int]:
    """Store the facts of the mirror in new records, if given.

    Args:
        home: The home.
        database: The new records; None for a dry run.
        was_erased: Returns whether a fact, or its session, was erased.

    Returns:
        How many, and the number of lines that cannot be read.
    """
    lines = list(read_facts(home))
    entries = [line for line in lines if line is not None and not was_erased(line)]

    def store(tx: Transaction) -> None:
        for line in entries:
            store_line(tx, line)

    if database is not None and entries:
        database.write(store)
    return len(entries), lines.count(None)


def _lines(tx: Transaction) -> Iterator[bytes]:
    by_tenant: dict[str, list[str]] = {}
    for tenant, id_ in typed_rows(tx.all(_KEPT, (BY_HAND,)), tuple[str, str]):
        by_tenant.setdefault(tenant, []).append(id_)
    for tenant, ids in by_tenant.items():
        for start in range(0, len(ids), _PAGE):
            page = ids[start : start + _PAGE]
            for fact in facts_by_id(tx, Scope(tenant=tenant), page, deleted=True):
                yield msgspec.json.encode(line_of(tx, fact)) + b"\n"


def _first(line: FactLine) -> FactChange:
    """Return the history of a fact that comes without a sound one."""
    return FactChange(
        version=1,
        action="new",
        at=line.created_at,
        actor=None,
        text=line.text,
        confidence=line.confidence,
        status=line.status,
        replaced_by=line.replaced_by,
        is_pinned=line.is_pinned,
    )
