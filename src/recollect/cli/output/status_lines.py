"""A status in lines that people read: what is there, and what needs attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET, UnsetType

from recollect.audience.owner import OWNER_HINT
from recollect.cli.output.formatting import count, moment
from recollect.hook.spool import SpoolState
from recollect.models.languages import describe_languages
from recollect.observations.controls import DROPPED, Pause
from recollect.recall.probe import Probe
from recollect.recall.status import Status
from recollect.server.worker.daemon import WorkerState

LEFT_OUT = (("withheld", "message"), ("calls", "tool call"), (DROPPED, "hook event"))
RESTART_HINT = "restart it: `recollect serve stop`, then `recollect serve --daemon`"
_WATCHING = {
    "notify": "watched by the system",
    "polling": "compared now and then",
    "off": "looked at before a search",
}


class ShownStatus(Status, frozen=True, kw_only=True):
    """A status, and what is beside the memory.

    Attributes:
        spool: What of hooks waits.
        worker: How the worker is doing.
        embedding_probe: What the embedder said, where it was asked.
        vector_probe: Whether the vector store could be reached, where it was asked.
    """

    spool: SpoolState
    worker: WorkerState
    embedding_probe: Probe | UnsetType = UNSET
    vector_probe: bool | UnsetType = UNSET


def pairs_of(found: Status) -> list[tuple[str, str]]:
    """Return what is shown of a status, names and values."""
    return [
        ("home", found.home),
        ("workspace", found.workspace or "none; `recollect init --workspace DIR` names one"),
        *([("extra paths", ", ".join(found.extra_paths))] if found.extra_paths else []),
        (
            "records",
            f"{count(found.messages, 'message')} in {count(found.sessions, 'session')}, "
            f"{count(found.observations, 'observation')}",
        ),
        *([("knowledge", _knowledge(found))] if found.facts or found.episodes else []),
        *([("capture", _capture(found))] if found.capture.pauses or found.capture.left_out else []),
        ("index", _index(found)),
        ("vectors", _vectors(found)),
        ("embedder", found.embedder_reason),
        *([("languages", describe_languages(found.embedder_languages))] if found.embedder else []),
        ("language model", found.language.reason),
        ("search", _search(found)),
        ("cache", _cache(found)),
        *([("batches", _batches(found))] if found.batch and found.batch.enabled else []),
        *([("tokens today", _budget(found))] if found.index.is_paid else []),
        *([("answers today", _answers(found))] if found.language.tokens_today else []),
        *([("answers for", _uses(found))] if found.language.uses else []),
        ("sync", _sync(found)),
        ("SQLite", f"{found.records_health.sqlite_version}, {_durability(found)}"),
    ]


def _knowledge(found: Status) -> str:
    by_status = [f"{number:,} {name}" for name, number in found.facts_by_status.items()]
    facts = count(found.facts, "fact") + (f" ({', '.join(by_status)})" if by_status else "")
    others = (
        (found.replacements, "replaced statement"),
        (found.episodes, "episode"),
        (found.identities, "linked account"),
    )
    return ", ".join([facts, *(count(number, what) for number, what in others if number)])


def _index(found: Status) -> str:
    sources = []
    for each in found.source_counts:
        chunks = f" ({each.chunks:,} chunks)" if each.chunks != each.files else ""
        sources.append(f"{each.files:,} {each.source}{chunks}")
    return f"{', '.join(sources) or 'nothing yet'}; {count(found.chunks, 'chunk')}"


def _capture(found: Status) -> str:
    left_out = [
        count(found.capture.left_out[name], what)
        for name, what in LEFT_OUT
        if name in found.capture.left_out
    ]
    left = [f"{' and '.join(left_out)} left out so far"] if left_out else []
    return ", ".join([*_paused(found.capture.pauses), *left])


def _paused(pauses: Sequence[Pause]) -> list[str]:
    if not pauses:
        return []
    is_whole = any(pause.project_id is None for pause in pauses)
    return ["paused" if is_whole else f"paused for {count(len(pauses), 'project')}"]


def _vectors(found: Status) -> str:
    index = found.index
    if not (found.embedder or index.vectors):
        return "none: words only"
    size = f" of {index.dimensions}" if index.dimensions else ""
    missing = index.chunks - index.vectors - index.refused - index.withheld_chunks
    waiting = f", {missing:,} more with `recollect sync`" if missing > 0 else ""
    return f"{count(index.vectors, 'vector')}{size}{waiting}"


def _search(found: Status) -> str:
    vector = f", vectors by {found.vector.used}" if found.vector.enabled else ""
    files = f"; memory files by {found.backend}" if found.backend != "builtin" else ""
    return f"words by {found.lexical.backend}{vector}{files}"


def _cache(found: Status) -> str:
    if not found.cache.enabled:
        return "switched off"
    most = f" of {found.cache.max_entries:,}" if found.cache.max_entries else ""
    return f"{found.cache.entries:,}{most} vectors"


def _batches(found: Status) -> str:
    batch = found.batch
    if batch is None:
        return ""
    return f"{count(batch.jobs, 'job')} with {count(batch.texts, 'text')} under way"


def _budget(found: Status) -> str:
    limit = f" of {found.budget.limit:,}" if found.budget.limit else ""
    return f"{found.budget.tokens_today:,}{limit}"


def _answers(found: Status) -> str:
    language = found.language
    limit = f" of {language.limit:,}" if language.limit else ""
    unpriced = count(language.unpriced_today, "answer")
    without = f", {unpriced} without a known price" if language.unpriced_today else ""
    return f"{language.tokens_today:,}{limit} tokens, {language.usd_today:.4f} USD{without}"


def _uses(found: Status) -> str:
    return ", ".join(
        f"{each.use or 'others'} ({each.tokens_today:,}"
        f"{f' of {each.limit:,}' if each.limit else ''} tokens, {each.usd_today:.4f} USD)"
        if each.tokens_today
        else each.use
        for each in found.language.uses
    )


def _sync(found: Status) -> str:
    state = found.sync
    last = ""
    if state.last_sync_at is not None:
        last = f", last {moment(state.last_sync_at)} ({state.last_reason})"
    step = "something is new" if found.dirty else "in step"
    held = state.held_by
    by = f"; in the background by a {held.role}, process {held.pid}" if held is not None else ""
    return f"{step}{last}; files are {_WATCHING[state.watching]}{by}"


def _durability(found: Status) -> str:
    is_full = found.records_health.durability == "full"
    return "every row is on the disk at once" if is_full else "a power cut may take the last rows"


def warnings_of(found: Status) -> list[str]:
    """Return what needs attention, and how."""
    unowned = f"{count(found.unowned, 'chat')} with people, and no owner is named: {OWNER_HINT}"
    return [
        *_index_warnings(found),
        *_part_warnings(found),
        *_error_warnings(found),
        *map(paused_line, found.capture.pauses),
        *([_alike(found.capture.alike)] if found.capture.alike else []),
        *([unowned] if found.unowned else []),
        *(["an erasure is not finished: the next opening goes on"] if found.erasing else []),
    ]


def worker_lines(worker: WorkerState) -> Iterator[str]:
    """Yield what is wrong with the worker, and what to do."""
    if worker.worker is not None and not worker.answers:
        yield f"the worker does not answer, process {worker.worker.pid}: {RESTART_HINT}"


def spool_lines(spool: SpoolState) -> Iterator[str]:
    """Yield what needs attention of the events that hooks spooled."""
    if spool.oldest_at is not None:
        yield (
            f"{count(spool.events, 'event')} of hooks not stored yet, the oldest of"
            f" {moment(spool.oldest_at)}: `recollect sync` takes them in"
        )
    if spool.aside:
        yield f"{count(len(spool.aside), 'spooled file')} could not be read: see `recollect doctor`"
    if spool.lost_at is not None:
        yield f"{count(spool.lost, 'event')} of hooks lost so far, last {moment(spool.lost_at)}"


def paused_line(pause: Pause) -> str:
    """Return a line about a pause."""
    until = "" if pause.until is None else f" until {moment(pause.until)}"
    if pause.project_id is None:
        return f"nothing is captured{until}: `recollect resume` ends it"
    name = f"--project {pause.project_id}"
    return f"nothing of one project is captured{until}: `recollect resume {name}` ends it"


def _alike(pairs: int) -> str:
    what = "two projects look" if pairs == 1 else f"{pairs} pairs of projects look"
    return f"{what} like the same: `recollect projects list` shows them"


def _index_warnings(found: Status) -> Iterator[str]:
    index = found.index
    if index.consent_needed:
        yield index.consent_needed
    elif index.outdated:
        yield f"{index.outdated}: run `recollect reindex`"
    if index.rebuilding:
        yield "a rebuild of the index is not finished: `recollect reindex` goes on with it"
    if index.withheld:
        kinds = " and ".join(index.withheld)
        yield (
            f"{kinds} are found by words only: {found.embedder} is paid, and gets a new kind of"
            f" memory when `recollect config set embedding.sources` names it"
        )
    if index.refused:
        yield f"{count(index.refused, 'chunk')} refused by the embedder: only their words are found"
    if found.fallback_error is not None:
        yield f"embedding.fallback cannot take over: {found.fallback_error}"


def _part_warnings(found: Status) -> Iterator[str]:
    if found.embedder is None and found.embedder_hint:
        yield f"no search by meaning: {found.embedder_hint}"
    if found.language.hint:
        yield f"no language model: {found.language.hint}"
    if found.language.trouble:
        yield f"the language model failed: {found.language.trouble}"
    if found.fallback is not None:
        yield f"{found.fallback.origin} does not answer: {found.fallback.reason}"
    elif found.index.trouble:
        yield f"the embedder failed: {found.index.trouble}"
    if found.lexical.error:
        yield f"{found.lexical.requested} does not answer for words: {found.lexical.error}"
    if found.vector.load_error:
        yield f"{found.vector.requested} does not answer for vectors: {found.vector.load_error}"
    if found.batch is not None and found.batch.last_error:
        failures = (
            f"{found.batch.failures} of {found.batch.limit} failures ({found.batch.last_error})"
        )
        yield f"batches of {found.batch.last_provider}: {failures}"
    if found.sync.watch_error:
        yield f"files are not watched by the system: {found.sync.watch_error}"
    yield from found.sync.warnings


def _error_warnings(found: Status) -> Iterator[str]:
    errors = {
        "records.db": found.records_health.last_error,
        "index.db": found.index_health.last_error,
        "mirrors": found.mirror_error,
        "background": found.background_error,
    }
    for place, code in errors.items():
        if code:
            yield f"{place}: the last write failed ({code})"
