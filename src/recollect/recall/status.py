"""The contents of a home and the state of its parts: the values that `recollect status` shows.

Everything is read from the home; no provider is called. `probe` does that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import msgspec

from recollect.core.clock import Clock, to_datetime
from recollect.core.decoding import decode_json
from recollect.core.errors import StoreError
from recollect.core.settings import LanguageSettings, Settings
from recollect.index.embedding.batch_health import BatchStatus
from recollect.index.index import Index, IndexStatus
from recollect.index.model.origin import SOURCE
from recollect.index.vectors.vector_index import VectorStatus
from recollect.models.languages import languages_of
from recollect.models.registry import Choice, LanguageChoice, choose_language
from recollect.observations.controls import CaptureControls, Pause
from recollect.recall.maintenance import Maintenance, SyncState
from recollect.recall.record_counts import backlog_of
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.tombstone import has_unfinished_erasure
from recollect.store.columns import typed_rows
from recollect.store.engine import Health
from recollect.store.meta import UNTOLD, drop_value, find_value
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.streams import EventsState, EventStream
from recollect.store.usage_ledger import EMBEDDING, LANGUAGE, Spent, spending_of

if TYPE_CHECKING:  # it imports what runs programs
    from recollect.recall.search_port import SearchBackend

_COUNTS: LiteralString = """
    SELECT count(*), (SELECT count(*) FROM messages), (SELECT count(*) FROM observations),
        (SELECT count(*) FROM facts), (SELECT json_group_object(status, number) FROM
            (SELECT status, count(*) AS number FROM facts GROUP BY status ORDER BY status)),
        (SELECT count(*) FROM episodes),
        (SELECT count(*) FROM replacements WHERE is_flagged = 0),
        (SELECT count(*) FROM identities WHERE made_by <> 'resolved'),
        count(CASE WHEN status <> 'deleted' AND user_id IS NOT NULL
            AND coalesce(chat_type, channel, 'direct') = 'direct'
            OR status <> 'deleted' AND coalesce(chat_type, channel) IS NULL AND EXISTS (
                SELECT 1 FROM messages m
                WHERE m.session_id = sessions.id AND m.turn_sender IS NOT NULL) THEN 1 END),
        count(CASE WHEN status <> 'deleted' AND chat_type = 'unknown' THEN 1 END)
    FROM sessions
"""


class _Counts(msgspec.Struct, frozen=True, array_like=True):
    """Counts of records, in the order of the columns."""

    sessions: int
    messages: int
    observations: int
    facts: int
    facts_by_status: str
    episodes: int
    replacements: int
    identities: int
    personal: int
    unknown: int


class SourceCount(msgspec.Struct, frozen=True, kw_only=True):
    """The indexed files (or messages) of one source, and their chunks."""

    source: str
    files: int
    chunks: int


class CacheStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The embedding cache; ``max_entries`` 0 means unlimited."""

    enabled: bool
    entries: int
    max_entries: int


class LexicalStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What finds words.

    Attributes:
        enabled: Always true.
        requested: The back end of the settings.
        backend: The one in use.
        available: Whether they are the same.
        error: Why not.
    """

    enabled: bool = True
    requested: str
    backend: str
    available: bool
    error: str | None


class Fallback(msgspec.Struct, frozen=True, kw_only=True):
    """A replacement for what the settings ask for.

    Attributes:
        origin: What they ask for; ``from`` in JSON.
        reason: Why that is not used.
    """

    origin: str = msgspec.field(name="from")
    reason: str


class BudgetStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens sent to paid providers today (UTC), and the limit; 0 means unlimited."""

    tokens_today: int
    limit: int


class UseStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What one use of the language model took today (UTC).

    Attributes:
        use: One of ``language.uses``; empty for what was counted before they were distinguished.
        is_on: Whether the settings enable it, and there is a model.
        requests: Answered requests.
        tokens_today: Tokens read and written.
        limit: Tokens at most, by ``language.budgets``; with 0 only the limit of the day applies.
        usd_today: The cost of the answers whose price is known.
        unpriced_today: Answers without a known price.
    """

    use: str
    is_on: bool
    requests: int
    tokens_today: int
    limit: int
    usd_today: float
    unpriced_today: int


class LanguageStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The model that writes summaries, and its use today (UTC).

    Attributes:
        requested: What the settings ask for.
        model: ``provider:model``; None where summaries are made by rule.
        reason: Why this one, one sentence.
        hint: What would help; empty when there is nothing to do.
        is_remote: Whether requests leave this machine and network.
        tokens_today: Tokens read and written.
        limit: Tokens at most; 0 means unlimited.
        usd_today: The cost of the answers whose price is known.
        unpriced_today: Answers without a known price.
        trouble: Why the last request of this process had no answer; None when it had one.
        uses: Its uses with what each took; also disabled ones that took something.
    """

    requested: str
    model: str | None
    reason: str
    hint: str
    is_remote: bool
    tokens_today: int
    limit: int
    usd_today: float
    unpriced_today: int
    trouble: str | None
    uses: list[UseStatus]


class CaptureStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What is not captured.

    Attributes:
        pauses: The current ones.
        left_out: How much was left out since the home was created, by reason: ``withheld``
            messages, ``calls`` of tools, events of ``hooks`` whose token may not write there, or of
            a deleted session.
        alike: Pairs of projects that may be the same, for a person to decide.
    """

    pauses: list[Pause]
    left_out: dict[str, int]
    alike: int


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The contents and the state of a home.

    Attributes:
        home: Its folder.
        workspace: The folder of the memory files, or None.
        backend: The back end of the settings for memory files.
        provider: The provider of vectors: ``local``, ``openai`` ...; ``none`` without any.
        model: Its model, or None.
        requested_provider: What the settings ask for; empty when a program gave the embedder.
        files: Memory files in the index.
        chunks: Chunks of all sources.
        dirty: Whether a sync, or a rebuild that is due, would do something.
        backlog: Changes of records that the index has not read yet.
        db_path: The path of the index.
        extra_paths: More files and folders of memory files.
        sources: What is indexed.
        source_counts: Counts of each source.
        cache: The embedding cache.
        lexical: The search by words.
        vector: The search by vectors.
        batch: The state of the provider's batches; None without an embedder.
        fallback: What replaces the embedder or the back end, if anything does.
        fallback_error: Why the configured fallback could not be used, or None.
        sync: The state of the sync.
        budget: Tokens of today.
        language: The model that writes summaries.
        spending: The use of each model today.
        sessions: Their number.
        messages: Their number.
        observations: Their number, forgotten ones included.
        facts: Their number, whatever their status.
        facts_by_status: The same by status; those that there are.
        episodes: Their number.
        replacements: Statements that others replaced.
        identities: Accounts that were linked to people, those of the settings aside.
        unowned: Sessions with people while ``sessions.owner`` is empty: all count as guests'.
        unknown_origin: Imported sessions whose hearers are unknown.
        capture: What is not captured, and which projects look alike.
        erasing: Whether an erasure is unfinished: some of the erased data may be left.
        index: The state of the rows of the index.
        embedder: ``provider:model``, or None.
        embedder_reason: Why this one, one sentence.
        embedder_hint: How to get a better one.
        embedder_languages: Its languages, as BCP 47 tags, ``mul`` for many; empty where unknown.
        records_health: The health of records.db.
        index_health: The health of index.db.
        mirror_error: The `code` of the last failure to write a transcript.
        background_error: The `code` of the last failure in the background.
        events: The state of the callbacks for events.
    """

    home: str
    workspace: str | None
    backend: str
    provider: str
    model: str | None
    requested_provider: str
    files: int
    chunks: int
    dirty: bool
    backlog: int
    db_path: str
    extra_paths: list[str]
    sources: list[str]
    source_counts: list[SourceCount]
    cache: CacheStatus
    lexical: LexicalStatus
    vector: VectorStatus
    batch: BatchStatus | None
    fallback: Fallback | None
    fallback_error: str | None
    sync: SyncState
    budget: BudgetStatus
    language: LanguageStatus
    spending: list[Spent]
    sessions: int
    messages: int
    observations: int
    facts: int
    facts_by_status: dict[str, int]
    episodes: int
    replacements: int
    identities: int
    unowned: int
    unknown_origin: int
    capture: CaptureStatus
    erasing: bool
    index: IndexStatus
    embedder: str | None
    embedder_reason: str
    embedder_hint: str
    embedder_languages: list[str]
    records_health: Health
    index_health: Health
    mirror_error: str | None
    background_error: str | None
    events: EventsState


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a memory that a status reports on."""

    home: Path
    workspace: Path | None
    extra: tuple[str, ...]
    settings: Settings
    clock: Clock
    records: SqliteDatabase
    index_database: SqliteDatabase
    index: Index
    choice: Choice
    language: LanguageChoice | None
    search_backend: SearchBackend | None
    mirror: TranscriptMirror | None
    maintenance: Maintenance
    events: EventStream
    capture: CaptureControls


def report_status(parts: Reported) -> Status:
    """Return the status of a memory.

    Raises:
        StoreError: a database cannot be read.
    """
    index, sync, choice = parts.index.status(), parts.maintenance.state(), parts.choice
    warnings = (*parts.index.notices, *_kept(parts), *sync.warnings)
    sync = msgspec.structs.replace(sync, warnings=warnings)
    (counts,) = parts.records.read(lambda tx: typed_rows(tx.all(_COUNTS), _Counts))
    provider, _, model = (choice.embedder.model if choice.embedder else "none").partition(":")
    index_health = parts.index_database.health()
    today = to_datetime(parts.clock.now_ms()).date().isoformat()
    spending = spending_of(parts.records, today, today)
    return Status(
        home=str(parts.home),
        workspace=str(parts.workspace) if parts.workspace else None,
        backend=parts.settings.search.backend,
        provider=provider,
        model=model or None,
        requested_provider=choice.requested,
        files=index.documents.get(SOURCE, 0),
        chunks=index.chunks,
        dirty=_is_dirty(parts, index, sync),
        backlog=backlog_of(parts.records, parts.index_database),
        db_path=index_health.path,
        extra_paths=list(parts.extra),
        sources=sorted(index.documents),
        source_counts=[
            SourceCount(source=source, files=files, chunks=index.source_chunks.get(source, 0))
            for source, files in index.documents.items()
        ],
        cache=_cache(parts, index),
        lexical=_lexical(parts.index),
        vector=parts.index.near.status(index.dimensions),
        batch=parts.index.batch_status(),
        fallback=_fallback(parts, index),
        fallback_error=choice.fallback_error,
        sync=sync,
        budget=_budget(parts, spending),
        language=_language(parts, spending),
        spending=spending,
        **_known(counts),
        unowned=0 if parts.settings.sessions.owner else counts.personal,
        unknown_origin=counts.unknown,
        capture=_capture(parts.capture),
        erasing=parts.records.read(has_unfinished_erasure),
        index=index,
        embedder=choice.embedder.model if choice.embedder else None,
        embedder_reason=choice.reason,
        embedder_hint=choice.hint,
        embedder_languages=list(languages_of(choice.embedder)) if choice.embedder else [],
        records_health=parts.records.health(),
        index_health=index_health,
        mirror_error=parts.mirror.last_error if parts.mirror else None,
        background_error=sync.last_error,
        events=parts.events.state(),
    )


def _known(counts: _Counts) -> dict[str, Any]:
    """Return the counts by the names that a status has for them."""
    fields = msgspec.structs.asdict(counts)
    fields["facts_by_status"] = decode_json(counts.facts_by_status, dict[str, int])
    return {name: n for name, n in fields.items() if name not in {"personal", "unknown"}}


_KEPT = {
    "sessions.plain_keys": "plain session names stay the owner's in this home: config.yaml has "
    "sessions.plain_keys: owner now; with person each is somebody of its own",
    "apart": "your agents stay apart in this home: config.yaml has apart: true now; with false "
    "they are one memory of yours",
}


def _kept(parts: Reported) -> Iterator[str]:
    """Yield once a warning for each setting that was added to those of an older home."""
    for key, words in _KEPT.items():
        if parts.records.read(partial(find_value, key=key)) == UNTOLD:
            with suppress(StoreError):
                parts.records.write(partial(drop_value, key=key))
            yield words


def _cache(parts: Reported, index: IndexStatus) -> CacheStatus:
    cache = parts.settings.embedding.cache
    return CacheStatus(enabled=cache.enabled, entries=index.cached, max_entries=cache.max_entries)


def _capture(capture: CaptureControls) -> CaptureStatus:
    alike = sum(len(project.looks_like) for project in capture.projects.list())
    return CaptureStatus(pauses=capture.pauses(), left_out=capture.counts(), alike=alike // 2)


def _is_dirty(parts: Reported, index: IndexStatus, sync: SyncState) -> bool:
    is_waiting = sync.dirty or index.waiting > 0 or index.lacks_vectors
    return is_waiting or index.outdated is not None or parts.maintenance.is_behind()


def _lexical(index: Index) -> LexicalStatus:
    choice = index.lexical
    return LexicalStatus(
        requested=choice.wanted,
        backend=choice.used,
        available=choice.error is None,
        error=choice.error,
    )


def _fallback(parts: Reported, index: IndexStatus) -> Fallback | None:
    backend = parts.search_backend
    if backend is not None and backend.trouble is not None:
        return Fallback(origin=backend.name, reason=backend.trouble)
    if parts.choice.fallback_from is not None:
        reason = parts.choice.fallback_reason or ""
        return Fallback(origin=parts.choice.fallback_from, reason=reason)
    if index.fallback_from is not None:
        return Fallback(origin=index.fallback_from, reason=index.trouble or "")
    return None


def _budget(parts: Reported, spending: list[Spent]) -> BudgetStatus:
    return BudgetStatus(
        tokens_today=sum(each.use.total for each in spending if each.kind == EMBEDDING),
        limit=parts.settings.embedding.remote.daily_tokens,
    )


def _language(parts: Reported, spending: list[Spent]) -> LanguageStatus:
    choice = parts.language or choose_language(parts.settings.language)
    spent = [each for each in spending if each.kind == LANGUAGE]
    return LanguageStatus(
        requested=choice.requested,
        model=choice.model.name if choice.model else None,
        reason=choice.reason,
        hint=choice.hint,
        is_remote=choice.model.is_remote if choice.model else False,
        tokens_today=sum(each.use.total for each in spent),
        limit=parts.settings.language.daily_tokens,
        usd_today=sum(each.usd for each in spent),
        unpriced_today=sum(each.unpriced for each in spent),
        trouble=choice.model.trouble if choice.model else None,
        uses=_uses(parts.settings.language, spent, is_there=choice.model is not None),
    )


def _uses(settings: LanguageSettings, spent: list[Spent], *, is_there: bool) -> list[UseStatus]:
    limits = msgspec.structs.asdict(settings.budgets)
    names = dict.fromkeys([*settings.uses, *(each.purpose for each in spent)])
    return [
        UseStatus(
            use=name,
            is_on=is_there and name in settings.uses,
            requests=sum(each.requests for each in entries),
            tokens_today=sum(each.use.total for each in entries),
            limit=limits.get(name, 0),
            usd_today=sum(each.usd for each in entries),
            unpriced_today=sum(each.unpriced for each in entries),
        )
        for name in names
        if (entries := [each for each in spent if each.purpose == name]) or is_there
    ]
