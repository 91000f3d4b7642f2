"""The third step of recall: records in full, by number or id, of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TypeAlias

import msgspec

from recollect.audience.visibility import Asker, Audience
from recollect.core.checks import MOST_IDS, check_count, check_most, check_texts
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.numbers import parse_record, show_number
from recollect.core.scope import Scope
from recollect.knowledge.fact import Fact
from recollect.knowledge.rows import find_fact, only_heard
from recollect.observations.observation import Observation
from recollect.observations.observations import find_observation
from recollect.observations.payload import cost_of, cut_to_tokens, detailed
from recollect.observations.recorder import ObservationParts
from recollect.observations.rows import as_heard
from recollect.recall.steps.detail import Detail, DetailBatch
from recollect.sessions.context.episode import Episode, heard_episode, require_episode
from recollect.sessions.record.content import TextBlock
from recollect.sessions.record.lineage import is_shown
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import DELETED, find_session, require_session
from recollect.sessions.record.transcript_rows import named_message
from recollect.store.engine import Transaction
from recollect.text.tokens import estimate_tokens

Record: TypeAlias = "Observation | Message | Episode | Fact"
"""Anything that has a short number and can be found."""


def read_details(
    parts: ObservationParts, ids: str | Sequence[str], max_tokens: int | None, asker: Asker
) -> DetailBatch:
    """Return records as far as an asker hears them; see `Memory.get`.

    Args:
        parts: The records, with their scope and audience.
        ids: Numbers such as ``#12``, or UUIDs.
        max_tokens: The most that each may cost; None returns all of it.
        asker: Who asks.
    """
    check_count(max_tokens, "a number of tokens", 1)
    names = check_texts(ids, "ids")
    check_most(len(names), MOST_IDS, "a number of ids")
    kinds = {name: kind_named(name) for name in names}

    def unit(tx: Transaction) -> dict[str, Record]:
        audience = parts.audience(tx, asker)
        matches = {
            name: find_record(tx, parts.scope, audience, name, kinds[name]) for name in names
        }
        return {name: record for name, record in matches.items() if record is not None}

    records = parts.database.read(unit)
    details = [_detail(parts, records[name], max_tokens) for name in names if name in records]
    return DetailBatch(
        found=tuple(details),
        missing=tuple(name for name in names if name not in records),
        tokens=sum(detail.tokens for detail in details),
    )


def kind_named(name: str) -> str | None:
    """Return the kind of record that a name means; None for an id.

    Raises:
        InvalidInput: it is not the form of an id or a number.
    """
    record_name = parse_record(name)
    if record_name is None:
        hint = "write #12, m88 or e3; in a shell with quotes: '#12'"
        raise InvalidInput("an id must be a UUID or a number such as #12", hint=hint)
    return record_name.kind


def find_record(
    tx: Transaction, scope: Scope, audience: Audience, name: str, kind: str | None
) -> Record | None:
    """Return the record that a name means; None where there is none, or none that is heard."""
    ways = {"observation": _observation, "message": _message, "episode": _episode, "fact": _fact}
    for each, way in ways.items():
        if kind in {None, each}:
            with suppress(NotFound):
                record = way(tx, scope, audience, name.strip())
                if record is not None:
                    return record
    return None


def _observation(
    tx: Transaction, scope: Scope, audience: Audience, name: str
) -> Observation | None:
    observation = find_observation(tx, scope, name)
    return next(iter(as_heard(tx, audience, [] if observation is None else [observation])), None)


def _message(tx: Transaction, scope: Scope, audience: Audience, name: str) -> Message | None:
    message = named_message(tx, scope, name)
    if message is None or audience.group is None:
        return message
    session = require_session(tx, scope, message.session_id)
    is_heard = audience.hears(session, message.turn_sender) and is_shown(tx, session, message.seq)
    return message if is_heard else None


def _episode(tx: Transaction, scope: Scope, audience: Audience, name: str) -> Episode | None:
    episode = require_episode(tx, scope, name)
    if audience.group is None:
        return episode
    session = find_session(tx, scope, episode.session_id)
    is_deleted = session is not None and session.status == DELETED
    view = None if is_deleted else heard_episode(episode, audience)
    return view if audience.is_owners or view is None else msgspec.structs.replace(view, deeds="")


def _fact(tx: Transaction, scope: Scope, audience: Audience, name: str) -> Fact | None:
    fact = find_fact(tx, scope, name)
    if fact is None or fact.status == "forgotten":
        return None
    return next(iter(only_heard(audience, [fact])), None)


def _detail(parts: ObservationParts, record: Record, most: int | None) -> Detail:
    """Return a record as a detail, shortened to the tokens allowed."""
    kind = "observation"
    if isinstance(record, Observation):
        record = detailed(record, most, parts.blobs)
        tokens = cost_of(record)
    elif isinstance(record, Message):
        kind, tokens = "message", _cost(record)
        if most is not None and tokens > most:
            short = cut_to_tokens(record.text, most)
            record = msgspec.structs.replace(record, text=short, blocks=(TextBlock(text=short),))
            tokens = _cost(record)
    elif isinstance(record, Fact):
        kind = "fact"
        record = msgspec.structs.replace(record, text=cut_to_tokens(record.text, most))
        tokens = estimate_tokens(record.text)
    else:
        kind = "episode"
        deeds = cut_to_tokens(record.deeds, None if most is None else most // 2)
        budget = None if most is None else most - estimate_tokens(deeds)
        summary = cut_to_tokens(record.summary, budget)
        record = msgspec.structs.replace(record, summary=summary, deeds=deeds)
        tokens = estimate_tokens(record.text)
    name = show_number(kind, record.number)
    return Detail(name=name, kind=kind, tokens=tokens, record=record)


def _cost(message: Message) -> int:
    """Return the tokens of a message: of its text, or of its blocks where it has others."""
    tokens = estimate_tokens(message.text)
    if all(type(block) is TextBlock for block in message.blocks):
        return tokens
    return max(tokens, estimate_tokens(msgspec.json.encode(message.blocks).decode()))
