"""The rows of `stated` and `losses`: what messages state of slots, as keyed hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import LiteralString

import msgspec

from recollect.core.scope import ConversationTurn
from recollect.knowledge.replacement import Said
from recollect.store.columns import (
    LISTED,
    columns_of,
    first_integer,
    insert_into,
    json_cell,
    listed,
    placed_rows,
    typed_rows,
)
from recollect.store.engine import Row, Transaction

SALT = "knowledge.salt"
"""The key of the random number of a home that keys the hashes."""

SlotKey = tuple[int, int, int]
"""A slot, an audience, and a speaker in it."""


class Hasher:
    """Makes keyed hashes: positive whole numbers, equal for equal names of one home.

    Args:
        salt: The random number of the home.
    """

    def __init__(self, salt: str) -> None:
        self._key = salt.encode()[:64]
        self._known: dict[tuple[str, ...], int] = {}

    def __call__(self, *names: str) -> int:
        """Return the hash of some names; never 0."""
        number = self._known.get(names)
        if number is None:
            encoded = msgspec.json.encode(names)
            digest = blake2b(encoded, digest_size=8, key=self._key, person=b"stated").digest()
            number = max(1, int.from_bytes(digest, "big") >> 1)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[names] = number
        return number


_MOST_KNOWN = 10_000


class StatedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A statement with what only its row holds.

    Attributes:
        tenant: The tenant.
        said: The statement.
    """

    tenant: str
    said: Said


_COLUMNS = columns_of(
    Said, message="message_id", start="first_char", end="end_char", at="said_at",
    session="session_id", loses="",
)  # fmt: skip
_INSERT: LiteralString = insert_into("stated", _COLUMNS + ", tenant, rules") + " RETURNING id"
_LOSSES: LiteralString = (
    "(SELECT json_group_array(l.value) FROM losses l WHERE l.stated_id = stated.id)"
)
_READ: LiteralString = _COLUMNS.replace("is_change", _LOSSES + ", is_change")
_SELECT: LiteralString = f"SELECT {_READ} FROM "  # noqa: S608  # literals
_OF_MESSAGES: LiteralString = f"{_SELECT} {LISTED} stated ON message_id = listed"
_EVERY: LiteralString = f"{_SELECT} stated"
_EVERY_SLOT: LiteralString = (
    "SELECT DISTINCT tenant, slot, audience, speaker FROM stated WHERE slot <> 0"
)
_OF_VALUES: LiteralString = f"{_SELECT} {LISTED} stated ON value = listed"
_OF_SLOT: LiteralString = f"{_SELECT} stated WHERE slot = ? AND audience = ? AND speaker = ?"
_LOSING: LiteralString = f"""
    SELECT DISTINCT s.message_id FROM {LISTED} losses l ON l.value = listed
    JOIN stated s ON s.id = l.stated_id
"""  # noqa: S608  # literals
_TURNS: LiteralString = """
    SELECT DISTINCT t.tenant, t.session_id, t.audience, s.agent, s.user_id, s.channel, s.account,
        s.chat_type, s.peer, m.turn_sender
    FROM stated t JOIN messages m ON m.id = t.message_id JOIN sessions s ON s.id = t.session_id
"""
_OF_TURN: LiteralString = f"""
    {_SELECT} stated
    WHERE session_id = ? AND ? IS (SELECT turn_sender FROM messages WHERE id = message_id)
    AND (audience <> ? OR speaker NOT IN (0, ?))
"""  # noqa: S608  # literals
_MOVE: LiteralString = """
    UPDATE stated SET audience = ?, speaker = iif(speaker = 0, 0, ?)
    WHERE session_id = ? AND ? IS (SELECT turn_sender FROM messages WHERE id = message_id)
"""


def store_stated(tx: Transaction, rows: Iterable[StatedRow], rules: int) -> None:
    """Store rows of messages that have none.

    Args:
        tx: A write transaction.
        rows: The rows.
        rules: The version of the rules that found them.
    """
    for row in rows:
        statement = row.said
        cells = [getattr(statement, name) for name in Said.__struct_fields__ if name != "loses"]
        id_row = tx.row(_INSERT, (*cells, row.tenant, rules))
        losses = [(first_integer(id_row), value) for value in statement.loses]
        if losses:
            tx.executemany("INSERT INTO losses (stated_id, value) VALUES (?, ?)", losses)


def drop_stated(tx: Transaction, messages: Iterable[str]) -> None:
    """Remove the rows of some messages."""
    tx.executemany("DELETE FROM stated WHERE message_id = ?", [(each,) for each in messages])


def of_messages(tx: Transaction, messages: Iterable[str]) -> list[Said]:
    """Return what some messages state."""
    return _said(tx.all(_OF_MESSAGES, (listed(messages),)))


def of_slots(tx: Transaction, keys: Iterable[SlotKey]) -> Iterator[Said]:
    """Yield what is stated of some slots."""
    for key in keys:
        yield from _said(tx.all(_OF_SLOT, key))


def of_values(tx: Transaction, values: Iterable[int]) -> list[Said]:
    """Return the statements that give one of some values to a slot."""
    return _said(tx.all(_OF_VALUES, (listed(values),)))


def every_stated(tx: Transaction) -> list[Said]:
    """Return all statements of a home."""
    return _said(tx.all(_EVERY))


def every_slot(tx: Transaction) -> list[tuple[str, SlotKey]]:
    """Return all slots that anything is stated of, each with its tenant."""
    rows = typed_rows(tx.all(_EVERY_SLOT), tuple[str, int, int, int])
    return [(tenant, (slot, audience, speaker)) for tenant, slot, audience, speaker in rows]


def losing(tx: Transaction, values: Iterable[int]) -> list[Said]:
    """Return all statements of the messages that state the loss of one of some values."""
    rows = tx.all(_LOSING, (listed(values),))
    return of_messages(tx, (each for (each,) in typed_rows(rows, tuple[str])))


class StatedTurn(msgspec.Struct, frozen=True, array_like=True):
    """Turns in which something was stated: the session, and who heard it when it was read."""

    tenant: str
    session_id: str
    audience: int


def stated_turns(tx: Transaction) -> list[tuple[StatedTurn, ConversationTurn]]:
    """Return the turns in which something was stated, as their sessions are now."""
    return placed_rows(tx.all(_TURNS), StatedTurn)


def sentence_turns(tx: Transaction) -> list[tuple[StatedTurn, ConversationTurn]]:
    """Return the turns with sentences of `likeness`, as their sessions are now."""
    return placed_rows(tx.all(_TURNS.replace("FROM stated", "FROM value_sentences")), StatedTurn)


def move_stated(
    tx: Transaction, session: str, sender: str | None, audience: int, speaker: int
) -> tuple[list[Said], list[Said]]:
    """Give the statements of turns another audience and speaker; return them before and after."""
    whose = session, sender
    before = _said(tx.all(_OF_TURN, (*whose, audience, speaker)))
    if not before:
        return [], []
    tx.execute(_MOVE, (audience, speaker, *whose))
    messages = {each.message for each in before}
    return before, [each for each in of_messages(tx, messages) if each.message in messages]


def _said(rows: Sequence[Row]) -> list[Said]:
    """Return rows of `_SELECT`, whose last two columns are the losses and a sign of change."""
    converted = [(*row[:-2], json_cell(row[-2], tuple[int, ...]), bool(row[-1])) for row in rows]
    return typed_rows(converted, Said)  # type: ignore[arg-type]
