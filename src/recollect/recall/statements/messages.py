"""What messages state, as rows: whose words count, who hears them, and what the agent echoes."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import LiteralString, TypeVar

import msgspec

from recollect.audience.account import SUBAGENT
from recollect.audience.people import People
from recollect.audience.visibility import VisibilityGroup, group_of_turn, speaker_of
from recollect.core.scope import ConversationTurn
from recollect.knowledge.extracted import FactDraft
from recollect.knowledge.fact import RULE, FactTrust
from recollect.knowledge.likeness import PlacedSentence
from recollect.knowledge.replacement import USER, Said
from recollect.knowledge.stated import Hasher, StatedRow
from recollect.sessions.record.content import only_said
from recollect.sessions.record.lineage import SHOWN_BY
from recollect.sessions.record.message import decode_content
from recollect.store.columns import listed, placed_rows
from recollect.store.engine import Row, Transaction
from recollect.text.injected import TAG, without_injected
from recollect.text.statements.claims import Claim
from recollect.text.statements.detector import detect, is_command
from recollect.text.statements.likeness import NEVER
from recollect.text.statements.statement import Statement
from recollect.text.statements.value_sentences import LONGEST, value_sentences, words_of

ECHOES = 3
"""Messages after a statement in which the agent's repeat its value, and so share its fate."""
MOST_CHARS = 8_000
"""Characters of a message that are read: what is longer is a paste, and may take seconds."""
ASSISTANT = "assistant"
_OF_AGENT = frozenset({"technical", "open_end"})
"""Kinds of facts that the agent's words give: what it found out, and what is left to do."""
_SENTENCE = re.compile(r"[.!?](?=\s)|[。！？\n]")
MESSAGE_COLUMNS: LiteralString = f"""
    t.id, t.tenant, t.agent, s.user_id, t.project, t.session_id, t.seq, t.role, t.text,
    t.created_at, json_extract(s.metadata, '$.subagent') IS NOT NULL,
    {SHOWN_BY} IS NOT NULL, iif(t.content LIKE '[%', t.content, NULL),
    s.agent, s.user_id, s.channel, s.account, s.chat_type, s.peer, t.turn_sender
"""
_CHANGED: LiteralString = f"""
    SELECT c.seq, c.tenant, c.ref, {MESSAGE_COLUMNS}
    FROM (SELECT seq, tenant, ref FROM changes WHERE kind = 'message' AND seq > ? AND seq <= ?
        ORDER BY seq DESC LIMIT ?) c
    LEFT JOIN messages t ON t.id = c.ref LEFT JOIN sessions s ON s.id = t.session_id
    ORDER BY c.seq DESC
"""  # noqa: S608  # literals
_NEAR: LiteralString = f"""
    SELECT {MESSAGE_COLUMNS} FROM messages t JOIN sessions s ON s.id = t.session_id
    WHERE t.session_id = ? AND t.seq IN (SELECT value FROM json_each(?))
"""  # noqa: S608  # literals
_LAST: LiteralString = f"""
    SELECT {MESSAGE_COLUMNS} FROM messages t JOIN sessions s ON s.id = t.session_id
    WHERE t.session_id = ? AND t.role = 'user' ORDER BY t.seq DESC LIMIT ?
"""  # noqa: S608  # literals
_KEPT: LiteralString = """
    SELECT id FROM messages WHERE id IN (SELECT value FROM json_each(?))
        AND session_id NOT IN (SELECT session_id FROM prunings)
"""


class StatedMessage(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A message with what decides whose words it holds.

    Its text has only what its speaker says; of what `blocks` have beside it there are spaces.
    """

    id: str
    tenant: str
    agent: str | None
    user: str | None
    project: str | None
    session_id: str
    seq: int
    role: str
    text: str
    at: int
    is_of_subagent: int
    is_shown: int
    blocks: str | None

    @property
    def place(self) -> tuple[str, int]:
        """Its session and its position there."""
        return self.session_id, self.seq


Placed = tuple[StatedMessage, ConversationTurn]
Span = TypeVar("Span", Statement, Claim)


class ChangedPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the outbox, from its end.

    Attributes:
        first: The seq of the first change; all from it to the end of the part are here.
        tenants: The tenant of each message that changed.
        messages: Those that are there, and who hears them.
    """

    first: int
    tenants: Mapping[str, str]
    messages: Sequence[Placed]


def changed_part(tx: Transaction, after: int, last: int, most: int) -> ChangedPart | None:
    """Return the newest ``most`` changes of messages between two seqs; None without any."""
    rows = tx.all(_CHANGED, (after, last, most))
    if not rows:
        return None
    tenants = {str(row[2]): str(row[1]) for row in rows}
    present = {row[2]: row[3:] for row in rows if row[3] is not None}
    first = min(int(row[0]) for row in rows if isinstance(row[0], int))
    return ChangedPart(
        first=first, tenants=tenants, messages=placed_messages(list(present.values()))
    )


def placed_messages(rows: Sequence[Row]) -> list[Placed]:
    """Return rows of `MESSAGE_COLUMNS` as messages."""
    return [(_only_said(message), turn) for message, turn in placed_rows(rows, StatedMessage)]


def _only_said(message: StatedMessage) -> StatedMessage:
    if message.blocks is None:
        return message
    text = only_said(message.text, decode_content(message.blocks))
    return msgspec.structs.replace(message, text=text, blocks=None)


def last_said(tx: Transaction, session_id: str, most: int) -> list[Placed]:
    """Return the last messages of people in a session, the newest first."""
    return placed_messages(tx.all(_LAST, (session_id, most)))


def only_kept(tx: Transaction, statings: Sequence[Stating]) -> list[Stating]:
    """Return what is stated by messages that were not removed since it was read."""
    ids = listed({each.message.id for each in statings})
    existing_ids = {row[0] for row in tx.all(_KEPT, (ids,))}
    return [each for each in statings if each.message.id in existing_ids]


class Stating(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of a message, with where it was said.

    Attributes:
        message: The message.
        turn: Its place, and the sender of its turn.
        group: Who hears it.
        statement: What it states.
    """

    message: StatedMessage
    turn: ConversationTurn
    group: VisibilityGroup
    statement: Statement


class StatementReader:
    """Reads what some messages state; for one batch, since it keeps what it read.

    Args:
        tx: A snapshot.
        people: The owner of the agent, and the accounts that are one person.
        hasher: Hashes the names.
    """

    def __init__(self, tx: Transaction, people: People, hasher: Hasher) -> None:
        self._tx = tx
        self._hash = hasher
        self._loaded: dict[tuple[str, int], Placed | None] = {}
        self._found: dict[str, tuple[Statement, ...]] = {}
        self._groups: dict[tuple[str, str | None], VisibilityGroup] = {}
        self._owner = functools.cache(partial(people.at, tx))
        self._sentences: dict[str, list[PlacedSentence]] = {}

    def rows(self, messages: Sequence[Placed]) -> dict[str, list[StatedRow]]:
        """Return the rows of messages, and of replies near them that echo them, by message."""
        self._loaded.update((each[0].place, each) for each in messages)
        rows = {each[0].id: list(self._of_user(each)) for each in messages}
        ahead = list(self._ahead(messages, rows))
        self._load([*ahead, *(position for each, _ in messages for position in _before(each))])
        replies = [*messages, *filter(None, map(self._loaded.get, ahead))]
        for placed in replies:
            if placed[0].role == ASSISTANT:
                rows[placed[0].id] = list(self._echoes(placed))
        return rows

    def value_sentences(
        self, messages: Sequence[Placed]
    ) -> list[tuple[str, str, list[PlacedSentence]]]:
        """Return the tenant and id of messages, and of replies near them, with their sentences.

        Call it after `rows`, which loads the messages near them.
        """
        by_message = {each[0].id: self._sentences_of(each) for each in messages}
        tenants = {each.id: each.tenant for each, _ in messages}
        ahead = [
            (message.session_id, message.seq + number)
            for message, _ in messages
            if any(each.is_standing for each in by_message[message.id])
            for number in range(1, ECHOES + 1)
        ]
        self._load([*ahead, *(position for each, _ in messages for position in _before(each))])
        for placed in (*messages, *filter(None, map(self._loaded.get, ahead))):
            if placed[0].role == ASSISTANT:
                by_message[placed[0].id] = list(self._repeats(placed))
                tenants[placed[0].id] = placed[0].tenant
        return [(tenants[name], name, sentences) for name, sentences in by_message.items()]

    def _sentences_of(self, placed: Placed) -> list[PlacedSentence]:
        name = placed[0].id
        if name not in self._sentences:
            self._sentences[name] = self._placed_sentences(placed)
        return self._sentences[name]

    def _placed_sentences(self, placed: Placed) -> list[PlacedSentence]:
        message, turn = placed
        if message.role != USER or len(message.text) > LONGEST:
            return []
        statements = self._statements(message, turn)
        who = speaker_of(turn, self._group(message, turn), self._owner(message.tenant))
        if who is None or not says_itself(message, turn) or TAG in message.text:
            return []
        hashed, project = self._hash, message.project or ""
        return [
            PlacedSentence(
                message=message.id,
                start=each.start,
                end=each.end,
                at=message.at,
                session=message.session_id,
                seq=message.seq,
                audience=self._audience(message, turn),
                speaker=hashed("speaker", who) if who else 0,
                standing=each.standing,
                turning=each.turning,
                stated=each.stated,
                words=tuple(
                    sorted(
                        (hashed("word", project, word), is_name)
                        for word, is_name in each.words.items()
                    )
                ),
            )
            for each in value_sentences(message.text, statements)
        ]

    def _repeats(self, placed: Placed) -> Iterator[PlacedSentence]:
        """Yield what a reply repeats of the sentences shortly before it."""
        message, turn = placed
        if not _is_heard(message) or len(message.text) > LONGEST:
            return
        before = filter(None, map(self._loaded.get, _before(message)))
        sentences = [each for placed in before for each in self._sentences_of(placed)]
        standing = [each for each in sentences if each.is_standing]
        hashed, project = self._hash, message.project or ""
        words = words_of(message.text) if standing else ()
        has = {hashed("word", project, word) for word in words}
        for each in standing:
            shared = sum(word in has for word, _ in each.words)
            is_heard_alike = each.audience == self._audience(message, turn)
            if is_heard_alike and 2 * shared > len(each.words):
                yield msgspec.structs.replace(
                    each,
                    message=message.id,
                    start=0,
                    end=len(message.text),
                    at=message.at,
                    seq=message.seq,
                    role=ASSISTANT,
                    turning=NEVER,
                    stated=0,
                )
                return

    def statings(self, messages: Sequence[Placed]) -> Iterator[Stating]:
        """Yield all that messages state, with and without a slot."""
        for message, turn in messages:
            for each in self._statements(message, turn):
                group = self._group(message, turn)
                yield Stating(message=message, turn=turn, group=group, statement=each)

    def _ahead(
        self, messages: Sequence[Placed], rows: Mapping[str, Sequence[StatedRow]]
    ) -> Iterator[tuple[str, int]]:
        """Yield the positions of what may echo the user."""
        for message, _ in messages:
            if any(row.said.value for row in rows[message.id]):
                for ahead in range(1, ECHOES + 1):
                    yield message.session_id, message.seq + ahead

    def _load(self, positions: Iterable[tuple[str, int]]) -> None:
        missing: defaultdict[str, set[int]] = defaultdict(set)
        for session, seq in positions:
            if seq > 0 and (session, seq) not in self._loaded:
                missing[session].add(seq)
                self._loaded[session, seq] = None
        for session, seqs in missing.items():
            for placed in placed_messages(self._tx.all(_NEAR, (session, listed(seqs)))):
                self._loaded[placed[0].place] = placed

    def _of_user(self, placed: Placed) -> Iterator[StatedRow]:
        message, turn = placed
        if message.role != USER:
            return
        for each in self._statements(message, turn):
            row = self._row(placed, each) if each.is_asserted else None
            if row is not None:
                yield row

    def _echoes(self, placed: Placed) -> Iterator[StatedRow]:
        """Yield a row for each value of a message shortly before that a reply repeats."""
        message, turn = placed
        if not _is_heard(message):
            return
        lowered = message.text.lower()
        seen: set[int] = set()
        for position in _before(message):
            original = self._loaded.get(position)
            if original is None or original[0].role != USER:
                continue
            for each in self._statements(*original):
                span = _span_of(each.value or "", message.text, lowered)
                row = self._row(original, each) if each.is_asserted and span else None
                if row is None or span is None or row.said.slot in seen:
                    continue
                if self._audience(message, turn) != row.said.audience:
                    continue
                seen.add(row.said.slot)
                yield _echo(row, message, span)

    def _statements(self, message: StatedMessage, turn: ConversationTurn) -> tuple[Statement, ...]:
        statements = self._found.get(message.id)
        if statements is None:
            is_said = says_itself(message, turn)
            find = partial(detect, role=message.role)
            statements = outside_injected(message.text, find) if is_said else ()
            self._found[message.id] = statements
        return statements

    def _group(self, message: StatedMessage, turn: ConversationTurn) -> VisibilityGroup:
        key = message.session_id, turn.turn_sender
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = group_of_turn(turn, self._owner(message.tenant))
        return group

    def _audience(self, message: StatedMessage, turn: ConversationTurn) -> int:
        return self._hash("audience", message.tenant, self._group(message, turn).name)

    def _row(self, placed: Placed, each: Statement) -> StatedRow | None:
        """Return the row of a statement; None without a slot, or where its speaker is unknown."""
        message, turn = placed
        slot = each.slot if each.value or each.is_change else None
        if slot is None and not each.loses:
            return None
        is_personal = each.subject in {"speaker", "other"}
        group, owner = self._group(message, turn), self._owner(message.tenant)
        who = speaker_of(turn, group, owner) if is_personal else ""
        if who is None:
            return None
        about = (
            (each.subject, each.name or "") if is_personal else ("project", message.project or "")
        )
        hashed = self._hash
        utterance = Said(
            message=message.id,
            start=each.start,
            end=each.end,
            sentence=sum(1 for _ in _SENTENCE.finditer(message.text, 0, each.start)),
            at=message.at,
            session=message.session_id,
            seq=message.seq,
            audience=self._audience(message, turn),
            speaker=hashed("speaker", who) if who else 0,
            slot=hashed("slot", *about, slot.name) if slot else 0,
            arity=slot.arity if slot else "many",
            value=hashed("value", each.value) if slot and each.value else 0,
            value_type=each.value_type,
            loses=tuple(sorted({hashed("value", value) for value in each.loses})),
            is_change=each.is_change,
        )
        return StatedRow(tenant=message.tenant, said=utterance)


def fact_drafts(statings: Iterable[Stating]) -> list[FactDraft]:
    """Return drafts of the facts among what messages state, in the order of their saying.

    What is only asked, planned or conditional is none; what others ask for is no standing rule.
    """
    drafts = [_fact_draft(each) for each in statings if _is_fact(each)]
    return sorted(drafts, key=lambda draft: draft.said_at)


def _is_fact(each: Stating) -> bool:
    kind, trust = each.statement.kind, _trust_of(each)
    is_given = kind in _OF_AGENT if trust == "agent" else kind != RULE or trust == "owner"
    return each.statement.is_asserted and is_given


def _trust_of(each: Stating) -> FactTrust:
    if each.message.role == ASSISTANT:
        return "agent"
    return "owner" if each.group.is_owners else "group"


def _fact_draft(each: Stating) -> FactDraft:
    message = each.message
    return FactDraft(
        tenant=message.tenant,
        agent=message.agent,
        user=message.user,
        project=message.project,
        session_id=message.session_id,
        message_id=message.id,
        turn_sender=each.turn.turn_sender,
        said_at=message.at,
        trust=_trust_of(each),
        statement=each.statement,
    )


def _before(message: StatedMessage) -> Iterator[tuple[str, int]]:
    """Yield the positions of what a reply may echo, the newest first."""
    for back in range(1, ECHOES + 1):
        yield message.session_id, message.seq - back


def _echo(row: StatedRow, message: StatedMessage, span: tuple[int, int]) -> StatedRow:
    utterance = msgspec.structs.replace(
        row.said,
        message=message.id,
        start=span[0],
        end=span[1],
        sentence=0,
        at=message.at,
        session=message.session_id,
        seq=message.seq,
        role=ASSISTANT,
        loses=(),
        is_change=False,
    )
    return StatedRow(tenant=message.tenant, said=utterance)


def _span_of(value: str, text: str, lowered: str) -> tuple[int, int] | None:
    """Return the sentence of a text that holds a value as whole words; None without any."""
    if not value or len(lowered) != len(text) or value not in lowered:
        return None
    match = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", lowered)
    if match is None and value.isascii():
        return None
    at = match.start() if match else lowered.index(value)
    ends = [mark.end() for mark in _SENTENCE.finditer(text)]
    start = max((end for end in ends if end <= at), default=0)
    return start, min((end for end in ends if end > at), default=len(text))


def _is_heard(message: StatedMessage) -> bool:
    return bool(message.is_shown) and message.role in {USER, ASSISTANT}


def says_itself(message: StatedMessage, turn: ConversationTurn) -> bool:
    """Return whether a message has words of a person, or of the agent that speaks with them."""
    is_of_subagent = bool(message.is_of_subagent) or SUBAGENT in (turn.peer or "").split(":")
    is_of_program = message.role == USER and is_command(message.text)
    return _is_heard(message) and not is_of_subagent and not is_of_program


def outside_injected(text: str, find: Callable[[str], Iterable[Span]]) -> tuple[Span, ...]:
    """Return what is found outside of injected blocks, with its offsets in the whole text."""
    if TAG not in text:
        return tuple(find(text[:MOST_CHARS]))
    own = without_injected(text)[:MOST_CHARS]
    return tuple(map(partial(_moved, text, own), find(own)))


def _moved(text: str, own: str, each: Span) -> Span:
    start = max(each.start, text.find(own[each.start : each.end], each.start))
    return msgspec.structs.replace(each, start=start, end=start + each.end - each.start)
