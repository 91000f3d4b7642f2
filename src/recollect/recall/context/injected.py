"""What was injected, read again: the blocks that were put into prompts, and their lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from recollect.audience.visibility import OPERATOR, Asker, Audience, Resolve
from recollect.core.checks import check_count, checked
from recollect.core.clock import Clock
from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.recall.context.block import ContextItem
from recollect.recall.context.injections import (
    Exclusion,
    Injection,
    add_exclusion,
    drop_exclusion,
    select_exclusions,
    select_injections,
)
from recollect.store.columns import Condition
from recollect.store.engine import Database, Transaction

if TYPE_CHECKING:  # imported with the first block whose lines are made again
    from recollect.recall.context.rebuilt import ReadLines


class InjectedLine(ContextItem, frozen=True, kw_only=True):
    """An item of a block that was injected.

    Attributes:
        text: Its line as it would be now; None where its record is gone, or not for the asker.
    """

    text: str | None


class InjectedBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A block that was injected, with its lines in their order."""

    injection: Injection
    lines: tuple[InjectedLine, ...]


@checked
class Injections:
    """The part of the context blocks that reads what was injected, and says what never is to be."""

    _database: Database
    _clock: Clock
    _scope: Scope
    _audience: Resolve
    _read_lines: ReadLines

    def injections(
        self,
        session_id: str | None = None,
        limit: int = 1,
        *,
        until: int | None = None,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> list[Injection]:
        """Return the last injections, newest first.

        Args:
            session_id: Only into prompts of this session.
            limit: Injections at most.
            until: Only those before this time, ms UTC.
            for_session: On behalf of this session: only what its audience was given.
            for_sender: Whom that session answers.

        Raises:
            NotFound: the scope has no session ``for_session``.
            InvalidInput: the limit is below 1, or a sender is given without a session.
        """
        check_count(limit, "a limit", 1)
        where = self._where().equal("session_id", session_id)
        if until is not None:
            where.also("at < ?", until)
        asker = Asker(for_session, for_sender)

        def unit(tx: Transaction) -> list[Injection]:
            condition = _given_to(where, self._audience(tx, asker))
            return select_injections(tx, condition, limit)

        return self._database.read(unit)

    def injected(self, injection_id: str, *, for_session: str | None = None) -> InjectedBlock:
        """Return a block that was injected, with its lines as they would be now.

        Args:
            injection_id: Which one.
            for_session: On behalf of this session: only what its audience was given and hears.

        Raises:
            NotFound: the scope has no such block, or ``for_session`` does not hear it.
        """
        asker = Asker(for_session)
        where = self._where().also("id = ?", injection_id)
        injections = self._database.read(
            lambda tx: select_injections(tx, _given_to(where, self._audience(tx, asker)), 1)
        )
        if not injections:
            hint = "list them with GET /api/context/blocks, or memory.context.injections"
            raise NotFound("the context block does not exist", hint=hint)
        lines = self.lines(injections[0].items, for_session=for_session)
        return InjectedBlock(injection=injections[0], lines=lines)

    def lines(
        self, items: Sequence[ContextItem], *, for_session: str | None = None
    ) -> tuple[InjectedLine, ...]:
        """Return items of a block with their texts as they would be now.

        Args:
            items: Of a block that was made or injected.
            for_session: On behalf of this session: the text of what it does not hear is None.

        Raises:
            NotFound: the scope has no session ``for_session``.
        """
        from recollect.recall.context.rebuilt import rebuilt_texts, text_of_file

        asker = Asker(for_session)
        texts = self._database.read(
            lambda tx: rebuilt_texts(tx, self._scope, self._audience(tx, asker), items)
        )
        return tuple(
            InjectedLine(
                **msgspec.structs.asdict(item),
                text=text_of_file(self._read_lines, item.id, for_session)
                if item.kind == "file"
                else texts.get(item.id),
            )
            for item in items
        )

    def exclude(self, name: str) -> Exclusion:
        """Never put a record into a prompt by itself again; searches still find it.

        Args:
            name: Its number or id; of lines of a memory file path and numbers, of what is open in a
                session its id, as `injected` names them.

        Raises:
            NotFound: the scope has no such record.
            InvalidInput: it is not the form of a name.
        """
        from recollect.recall.context.rebuilt import named_item

        now = self._clock.now_ms()

        def unit(tx: Transaction) -> Exclusion:
            kind, id_, number = named_item(tx, self._scope, self._audience(tx, OPERATOR), name)
            exclusion = Exclusion(id=id_, kind=kind, number=number, at=now)
            add_exclusion(tx, self._scope.tenant, exclusion)
            return exclusion

        return self._database.write(unit)

    def include(self, name: str) -> Exclusion:
        """Undo `exclude`, and return what it was.

        Args:
            name: The number or the id of the record.

        Raises:
            NotFound: it is not excluded.
        """
        return self._database.write(lambda tx: drop_exclusion(tx, self._scope.tenant, name))

    def exclusions(self) -> list[Exclusion]:
        """Return what is never put into a prompt by itself, the newest first."""
        return self._database.read(lambda tx: select_exclusions(tx, self._scope.tenant))

    def _where(self) -> Condition:
        return Condition(self._scope, "session_id")


def _given_to(where: Condition, audience: Audience) -> Condition:
    """Narrow a condition to what an audience was given; the operator sees all."""
    return where.equal("visibility_group", None if audience.group is None else audience.name)
