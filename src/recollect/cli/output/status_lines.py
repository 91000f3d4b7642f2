"""A status in lines that people read: what is there, and what needs attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.audience.owner import OWNER_HINT
from recollect.checkpoints.checkpoints import CheckpointState
from recollect.cli.output.formatting import count, moment, size
from recollect.hook.spool import SpoolState
from recollect.models.languages import describe_languages
from recollect.observations.controls import DROPPED, Pause
from recollect.recall.status import Status
from recollect.server.worker.daemon import WorkerState

LEFT_OUT = (
    ("withheld", "message"),
    ("calls", "tool call"),
    (DROPPED, "hook event"),
    ("outside_roots", "file outside of checkpoints.roots"),
)
RESTART_HINT = "restart it: `recollect serve stop`, then `recollect serve --daemon`"
_WATCHING = {
    "notify": "watched by the system",
    "polling": "compared now and then",
    "off": "looked at before a search",
}


def pairs_of(status: Status) -> list[tuple[str, str]]:
    """Return the names and values of a status to be shown."""
    return [
        ("home", status.home),
        ("workspace", status.workspace or "none; `recollect init --workspace DIR` names one"),
        *([("extra paths", ", ".join(status.extra_paths))] if status.extra_paths else []),
        (
            "records",
            f"{count(status.messages, 'message')} in {count(status.sessions, 'session')}, "
            f"{count(status.observations, 'observation')}",
        ),
        *([("knowledge", _knowledge(status))] if status.facts or status.episodes else []),
        *(
            [("capture", _capture(status))]
            if status.capture.pauses or status.capture.left_out
            else []
        ),
        ("index", _index(status)),
        ("vectors", _vectors(status)),
        ("embedder", status.embedder_reason),
        *(
            [("languages", describe_languages(status.embedder_languages))]
            if status.embedder
            else []
        ),
        ("language model", status.language.reason),
        ("search", _search(status)),
        ("cache", _cache(status)),
        *([("batches", _batches(status))] if status.batch and status.batch.enabled else []),
        *([("tokens today", _budget(status))] if status.index.is_paid else []),
        *([("answers today", _answers(status))] if status.language.tokens_today else []),
        *([("answers for", _uses(status))] if status.language.uses else []),
        ("sync", _sync(status)),
        ("SQLite", f"{status.records_health.sqlite_version}, {_durability(status)}"),
    ]


def _knowledge(status: Status) -> str:
    by_status = [f"{number:,} {name}" for name, number in status.facts_by_status.items()]
    facts = count(status.facts, "fact") + (f" ({', '.join(by_status)})" if by_status else "")
    others = (
        (status.replacements, "replaced statement"),
        (status.episodes, "episode"),
        (status.identities, "linked account"),
    )
    return ", ".join([facts, *(count(number, what) for number, what in others if number)])


def _index(status: Status) -> str:
    sources = []
    for each in status.source_counts:
        chunks = f" ({each.chunks:,} chunks)" if each.chunks != each.files else ""
        sources.append(f"{each.files:,} {each.source}{chunks}")
    return f"{', '.join(sources) or 'nothing yet'}; {count(status.chunks, 'chunk')}"


def _capture(status: Status) -> str:
    left_out = [
        count(status.capture.left_out[name], what)
        for name, what in LEFT_OUT
        if name in status.capture.left_out
    ]
    withheld = [f"{' and '.join(left_out)} left out so far"] if left_out else []
    return ", ".join([*_paused(status.capture.pauses), *withheld])


def _paused(pauses: Sequence[Pause]) -> list[str]:
    if not pauses:
        return []
    is_whole = any(pause.project_id is None for pause in pauses)
    return ["paused" if is_whole else f"paused for {count(len(pauses), 'project')}"]


def _vectors(status: Status) -> str:
    index = status.index
    if not (status.embedder or index.vectors):
        return "none: words only"
    size = f" of {index.dimensions}" if index.dimensions else ""
    without = index.chunks - index.vectors - index.refused - index.withheld_chunks
    waiting = f", {without:,} more with `recollect sync`" if without > 0 else ""
    return f"{count(index.vectors, 'vector')}{size}{waiting}"


def _search(status: Status) -> str:
    vector = f", vectors by {status.vector.used}" if status.vector.enabled else ""
    files = f"; memory files by {status.backend}" if status.backend != "builtin" else ""
    return f"words by {status.lexical.backend}{vector}{files}"


def _cache(status: Status) -> str:
    if not status.cache.enabled:
        return "switched off"
    most = f" of {status.cache.max_entries:,}" if status.cache.max_entries else ""
    return f"{status.cache.entries:,}{most} vectors"


def _batches(status: Status) -> str:
    batch = status.batch
    if batch is None:
        return ""
    return f"{count(batch.jobs, 'job')} with {count(batch.texts, 'text')} under way"


def _budget(status: Status) -> str:
    limit = f" of {status.budget.limit:,}" if status.budget.limit else ""
    return f"{status.budget.tokens_today:,}{limit}"


def _answers(status: Status) -> str:
    language = status.language
    limit = f" of {language.limit:,}" if language.limit else ""
    unpriced = count(language.unpriced_today, "answer")
    without = f", {unpriced} without a known price" if language.unpriced_today else ""
    return f"{language.tokens_today:,}{limit} tokens, {language.usd_today:.4f} USD{without}"


def _uses(status: Status) -> str:
    return ", ".join(
        f"{each.use or 'others'} ({each.tokens_today:,}"
        f"{f' of {each.limit:,}' if each.limit else ''} tokens, {each.usd_today:.4f} USD)"
        if each.tokens_today
        else each.use
        for each in status.language.uses
    )


def _sync(status: Status) -> str:
    state = status.sync
    last = ""
    if state.last_sync_at is not None:
        last = f", last {moment(state.last_sync_at)} ({state.last_reason})"
    step = "something is new" if status.dirty else "in step"
    who = state.held_by
    by = f"; in the background by a {who.role}, process {who.pid}" if who is not None else ""
    return f"{step}{last}; files are {_WATCHING[state.watching]}{by}"


def _durability(status: Status) -> str:
    is_full = status.records_health.durability == "full"
    return "every row is on the disk at once" if is_full else "a power cut may take the last rows"


def warnings_of(status: Status) -> list[str]:
    """Return warnings, each with what to do."""
    unowned = f"{count(status.unowned, 'chat')} with people, and no owner is named: {OWNER_HINT}"
    return [
        *_index_warnings(status),
        *_part_warnings(status),
        *_error_warnings(status),
        *map(paused_line, status.capture.pauses),
        *([_alike(status.capture.alike)] if status.capture.alike else []),
        *([unowned] if status.unowned else []),
        *(["an erasure is not finished: the next opening goes on"] if status.erasing else []),
    ]


def worker_lines(worker: WorkerState) -> Iterator[str]:
    """Yield problems of the worker, each with what to do."""
    if worker.worker is not None and not worker.answers:
        yield f"the worker does not answer, process {worker.worker.pid}: {RESTART_HINT}"


def spool_lines(spool: SpoolState) -> Iterator[str]:
    """Yield warnings about events that hooks spooled."""
    if spool.oldest_at is not None:
        yield (
            f"{count(spool.events, 'event')} of hooks not stored yet, the oldest of"
            f" {moment(spool.oldest_at)}: `recollect sync` takes them in"
        )
    if spool.aside:
        yield f"{count(len(spool.aside), 'spooled file')} could not be read: see `recollect doctor`"
    if spool.lost_at is not None:
        yield f"{count(spool.lost, 'event')} of hooks lost so far, last {moment(spool.lost_at)}"


def checkpoint_pair(state: CheckpointState) -> tuple[str, str]:
    """Return whether what agent programs change is kept, and how much is."""
    text = "off; `recollect config set checkpoints.enabled true` keeps what agents change"
    if state.enabled:
        text = f"on, in {', '.join(state.roots)}" if state.roots else "on, but in no folder"
    amount = f"; {count(state.checkpoints, 'checkpoint')}, {size(state.stored_bytes)}"
    return "checkpoints", text + (amount if state.checkpoints else "")


def checkpoint_lines(state: CheckpointState) -> Iterator[str]:
    """Yield problems of checkpoints, each with what to do."""
    if state.interrupted:
        what = count(state.interrupted, "rewind")
        yield f"{what} cut off by a crash: `recollect rewind --list` names what is left"
    if state.enabled and not state.roots:
        yield "checkpoints are on, but for no folder: `recollect checkpoint roots --add DIR`"


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


def _index_warnings(status: Status) -> Iterator[str]:
    index = status.index
    if index.consent_needed:
        yield index.consent_needed
    elif index.outdated:
        yield f"{index.outdated}: run `recollect reindex`"
    if index.rebuilding:
        yield "a rebuild of the index is not finished: `recollect reindex` goes on with it"
    if index.withheld:
        kinds = " and ".join(index.withheld)
        yield (
            f"{kinds} are found by words only: {status.embedder} is paid, and gets a new kind of"
            f" memory when `recollect config set embedding.sources` names it"
        )
    if index.refused:
        yield f"{count(index.refused, 'chunk')} refused by the embedder: only their words are found"
    if status.fallback_error is not None:
        yield f"embedding.fallback cannot take over: {status.fallback_error}"


def _part_warnings(status: Status) -> Iterator[str]:
    if status.embedder is None and status.embedder_hint:
        yield f"no search by meaning: {status.embedder_hint}"
    if status.language.hint:
        yield f"no language model: {status.language.hint}"
    if status.language.trouble:
        yield f"the language model failed: {status.language.trouble}"
    if status.fallback is not None:
        yield f"{status.fallback.origin} does not answer: {status.fallback.reason}"
    elif status.index.trouble:
        yield f"the embedder failed: {status.index.trouble}"
    if status.lexical.error:
        yield f"{status.lexical.requested} does not answer for words: {status.lexical.error}"
    if status.vector.load_error:
        yield f"{status.vector.requested} does not answer for vectors: {status.vector.load_error}"
    if status.batch is not None and status.batch.last_error:
        failures = (
            f"{status.batch.failures} of {status.batch.limit} failures ({status.batch.last_error})"
        )
        yield f"batches of {status.batch.last_provider}: {failures}"
    if status.sync.watch_error:
        yield f"files are not watched by the system: {status.sync.watch_error}"
    yield from status.sync.warnings


def _error_warnings(status: Status) -> Iterator[str]:
    errors = {
        "records.db": status.records_health.last_error,
        "index.db": status.index_health.last_error,
        "mirrors": status.mirror_error,
        "background": status.background_error,
    }
    for part, code in errors.items():
        if code:
            yield f"{part}: the last write failed ({code})"
