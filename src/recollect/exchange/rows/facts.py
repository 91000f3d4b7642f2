"""Facts in an export: their lines, and how they are stored in another home."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import msgspec

from recollect.audience.visibility import Audience
from recollect.core.clock import moved_id
from recollect.core.scope import Scope
from recollect.knowledge.fact import check_kind
from recollect.knowledge.mirror import FactLine, line_of, recover_facts, store_line
from recollect.knowledge.remembering import checked_importance, checked_text
from recollect.knowledge.rows import KIND, of_facts, only_heard, select_facts
from recollect.knowledge.storing import FACT
from recollect.sessions.record.session import find_session
from recollect.sessions.record.tombstone import OURS, Tombstone, is_among, is_buried
from recollect.store.engine import Database, Transaction

if TYPE_CHECKING:  # it stores these lines
    from recollect.exchange.rows.writer import ExchangeTerms

_IS_THERE: LiteralString = "SELECT 1 FROM facts WHERE id = ?"
_PAGE = 200


class FactIds(msgspec.Struct, frozen=True):
    """What an import knows of the records around a fact.

    Attributes:
        session_of: Returns the id here of a session of the document.
        message_of: Returns the id here of a message, given that of its session here.
        number_of: Returns the short number of a record, given its own.
        lost: Ids in the document of messages that were erased here.
    """

    session_of: Callable[[str], str]
    message_of: Callable[[str | None, str], str | None]
    number_of: Callable[[str, int], int]
    lost: frozenset[str]


def fact_lines(
    tx: Transaction, scope: Scope, audience: Audience, since: int | None
) -> Iterator[FactLine]:
    """Yield the facts that an audience may read, newest first; the operator reads all."""
    where = of_facts(scope)
    if since is not None:
        where.also("created_at >= ?", since)
    offset = 0
    while page := select_facts(tx, where, _PAGE, offset=offset):
        offset += len(page)
        for fact in only_heard(audience, page):
            if audience.group is None or fact.is_found:
                yield line_of(tx, fact)


def sound_line(line: FactLine, text_of: Callable[[str], str]) -> FactLine:
    """Return a line without secrets.

    Raises:
        InvalidInput: it cannot be a fact.
    """
    check_kind(line.kind)
    checked_importance(line.importance)
    history = tuple(msgspec.structs.replace(each, text=text_of(each.text)) for each in line.history)
    texts = {
        name: None if value is None else text_of(value)
        for name in ("name", "slot", "value")
        if (value := getattr(line, name)) is not None
    }
    return msgspec.structs.replace(
        line, text=text_of(checked_text(line.text)), history=history, **texts
    )


def recover_known(
    home: Path, database: Database | None, erased: Sequence[Tombstone], unfinished: Sequence[str]
) -> tuple[int, int]:
    """Store the facts of the mirror in new records, if given, but for those that were erased.

    Args:
        home: The home.
        database: The new records; None for a dry run.
        erased: The tombstones of the home.
        unfinished: Sessions whose erasure is not finished.

    Returns:
        How many, and the number of lines that cannot be read.
    """

    def was_erased(line: FactLine) -> bool:
        origins = [(FACT, line.id), (OURS, line.session_id or "")]
        return is_among(erased, line.tenant, origins) or line.session_id in unfinished

    return recover_facts(home, database, was_erased)


def take_fact(tx: Transaction, line: FactLine, terms: ExchangeTerms, ids: FactIds) -> str:
    """Store a fact of a document; return its kind, or why it is left out.

    One of a session belongs to whoever that is of here. Others are taken only into a whole tenant:
    they could be another owner's.
    """
    scope, session_id = terms.scope, line.session_id
    own = _own_id(line.id, terms)
    if tx.row(_IS_THERE, (own,)) is not None:
        return "known"
    placed: dict[str, Any] = {
        "tenant": scope.tenant,
        "replaced_by": _follower(line, terms),
        "id": own,
    }
    if terms.is_moved:
        placed["trust"] = "imported"  # another's word for whose words they are
    if is_buried(tx, scope.tenant, [(FACT, line.id), (FACT, own)]):
        return "erased"
    if session_id is not None:
        here = ids.session_of(session_id)
        buried = is_buried(tx, scope.tenant, [(OURS, session_id), (OURS, here)])
        if buried or {line.message_id, session_id} & ids.lost:
            return "erased"
        session = find_session(tx, scope, here)
        names = ("agent", "user", "channel", "account", "chat_type", "peer")
        placed |= {} if session is None else {n: getattr(session, n) for n in names}
        if session is not None and scope.project is not None:
            placed["project"] = session.project
        placed |= {"session_id": here, "message_id": ids.message_of(line.message_id, here)}
        if session is None and not scope.is_tenant:
            return "denied"
    elif not scope.is_tenant:
        return "denied"
    if not terms.dry_run:
        number = ids.number_of(KIND, line.number)
        store_line(tx, msgspec.structs.replace(line, **placed, number=number))
    return KIND


def _own_id(id_: str, terms: ExchangeTerms) -> str:
    names = (part or "" for part in msgspec.structs.astuple(terms.scope))
    return moved_id(id_, *names) if terms.is_moved else id_


def _follower(line: FactLine, terms: ExchangeTerms) -> str | None:
    return None if line.replaced_by is None else _own_id(line.replaced_by, terms)
