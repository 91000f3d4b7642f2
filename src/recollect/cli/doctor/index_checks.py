"""What `recollect doctor` looks at: rows, engines, locks, worker, clients, files, notes, owner."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from recollect.answers.doctor import CheckResult, State
from recollect.audience.owner import OWNER_HINT
from recollect.cli.doctor.check_result import FIX_HINT, note, sound, wrong
from recollect.cli.output.formatting import count, moment
from recollect.cli.output.status_lines import RESTART_HINT, paused_line
from recollect.core.clock import DAY_MS
from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.core.events import MemoryFlushed
from recollect.hook.spool import ASIDE, SpoolState
from recollect.index.model.locks import REINDEX, IndexLocks
from recollect.integrations.commands import has_server
from recollect.integrations.installing import Record
from recollect.memory import Memory
from recollect.recall.guest_notes import GuestNotes, guest_notes
from recollect.server.presence import is_served
from recollect.server.worker.daemon import WorkerState, start_failed_at
from recollect.store.locks import Holder
from recollect.workspace.memory_folder import CURATED, MemoryFile, MemoryFolder, MemoryListing

MOST_LISTED = 20
"""Places in notes that are named; all are counted."""
LOST_DAYS = 30
PROCESSES = Path("/proc")
_STOPPED = re.compile(r"^State:\s*[Tt]", re.MULTILINE)


def check_rows(memory: Memory, *, deep: bool) -> CheckResult:
    """Return the problems of the rows of the index.

    Args:
        memory: Of the home.
        deep: Look at every row instead of a sample.
    """
    faults = memory.checkup().examine(deep=deep)
    if not faults:
        return sound("rows", "all of them belong together" if deep else "a sample is right")
    detail = "; ".join(ailment.detail for ailment in faults)
    return wrong("rows", detail, FIX_HINT)


def check_checkpoints(memory: Memory) -> CheckResult:
    """Read all that checkpoints need; without the file of contents there is nothing to read."""
    health = memory.checkpoints.fsck()
    unfinished = [f"rewind {each.id} is {each.status}" for each in health.unfinished]
    if health.problem is not None:
        hint = "move checkpoints/contents.db away: its paths are uncaptured then"
        return wrong("checkpoints", f"contents.db: {health.problem}", hint)
    if health.broken:
        detail = f"rows of {count(len(health.broken), 'checkpoint')} are missing or damaged"
        return wrong("checkpoints", detail, "`recollect restore FILE` brings a backup back")
    if unfinished:
        return wrong("checkpoints", "; ".join(unfinished), "`recollect rewind` goes on with them")
    if health.lost_count:
        detail = f"{count(health.lost_count, 'path')} uncaptured, {health.damaged} damaged"
        return note("checkpoints", detail, "`recollect checkpoint fsck` names them")
    if health.orphans:
        detail = f"{count(health.orphans, 'content')} that nothing needs"
        return note("checkpoints", detail, f"`recollect prune`, or {FIX_HINT}")
    return sound("checkpoints", f"{count(health.contents, 'content')} as stored")


def check_engines(memory: Memory) -> CheckResult:
    """Check that the chosen back ends for words, vectors and files can be used."""
    status = memory.status()
    words, vectors = status.lexical, status.vector
    if words.error:
        detail = f"{words.requested} for words: {words.error}"
        hint = "set search.lexical.backend to postings, or use a SQLite with FTS5"
        return wrong("engines", detail, hint)
    if not vectors.available:
        detail = f"{vectors.requested} for vectors: {vectors.load_error}"
        hint = f"install what {vectors.requested} needs, or set search.vector.backend to memory"
        return wrong("engines", detail, hint)
    if status.fallback is not None:
        detail = f"{status.fallback.origin}: {status.fallback.reason}"
        hint = "another one answers in its place until it works again"
        return note("engines", detail, hint)
    if status.batch is not None and status.batch.failures >= status.batch.limit:
        batch = status.batch
        detail = f"batches of {batch.last_provider} failed ({batch.last_error})"
        hint = f"texts are sent directly for a day, or until {FIX_HINT}"
        return note("engines", detail, hint)
    return sound("engines", f"words by {words.backend}, vectors by {vectors.used}")


def check_knowledge(memory: Memory, *, deep: bool) -> CheckResult:
    """Check that facts, statements and replacements are consistent.

    Args:
        memory: Of the home.
        deep: Derive all links from nothing, and compare.
    """
    faults = memory.knowledge_checkup().examine(deep=deep)
    if faults.damaged:
        hint = "`recollect recover` reads what was remembered by hand from facts.jsonl"
        return wrong("knowledge", f"{count(faults.damaged, 'fact')} damaged", hint)
    parts = (
        (faults.dangling, "link", "of messages that are gone"),
        (faults.stray, "statement", "of messages that are gone"),
        (faults.lost, "fact", "for one that is gone"),
        (faults.wrong, "link", "that does not follow, or is missing"),
    )
    details = [f"{count(number, what)} {why}" for number, what, why in parts if number]
    if details:
        return wrong("knowledge", "; ".join(details), FIX_HINT)
    has = f"{count(faults.facts, 'fact')}, {count(faults.links, 'link')}"
    return sound("knowledge", f"{has} of what was replaced")


def check_vectors(memory: Memory) -> CheckResult:
    """Return whether every chunk has a vector, where an embedder makes any."""
    status = memory.status()
    if status.embedder is None:
        return note("vectors", status.embedder_reason, status.embedder_hint)
    index = status.index
    without = index.chunks - index.vectors - index.withheld_chunks
    if index.withheld and without <= 0:
        detail = f"{status.embedder} is paid and gets no {' and no '.join(index.withheld)}"
        return note("vectors", detail, "add them with `recollect config set embedding.sources`")
    if without > 0:
        return note("vectors", f"{count(without, 'chunk')} without a vector", "`recollect sync`")
    return sound("vectors", f"{count(status.index.vectors, 'vector')} of {status.embedder}")


def check_worker(state: WorkerState) -> CheckResult:
    """Return whether the worker answers, and whether the commands of this shell use it."""
    there = state.worker
    if there is None:
        return sound("worker", "it starts or stops" if state.running else "none runs")
    if not state.answers:
        detail = f"{there.address} does not answer, process {there.pid}"
        return wrong("worker", detail, RESTART_HINT)
    if state.unused_because is not None:
        detail = f"{there.address}; commands do not use it: {state.unused_because}"
        return note("worker", detail, RESTART_HINT)
    return sound("worker", f"serves {there.address}, process {there.pid}")


def check_spool(spool: SpoolState, folder: Path, now_ms: int) -> CheckResult:
    """Return whether events of hooks wait for a worker, or were lost.

    Args:
        spool: What is in the spool.
        folder: Where that is.
        now_ms: A loss is reported for `LOST_DAYS`.
    """
    noticed = []
    if spool.aside:
        noticed.append((f"not read: {', '.join(spool.aside)}", f"look at {folder / ASIDE}"))
    if spool.lost_at is not None and now_ms - spool.lost_at < LOST_DAYS * DAY_MS:
        loss = f"{count(spool.lost, 'event')} lost so far, last {moment(spool.lost_at)}"
        noticed.append((loss, "raise hooks.spool_events or hooks.spool_bytes, or keep a worker up"))
    if spool.oldest_at is not None:
        oldest = moment(spool.oldest_at)
        waits = f"{count(spool.events, 'event')} not stored yet, the oldest of {oldest}"
        noticed.append((waits, "`recollect sync` takes them in; so does `recollect serve`"))
    if not noticed:
        return sound("spool", "no event of a hook waits")
    return note(
        "spool", "; ".join(what for what, _ in noticed), "; ".join(how for _, how in noticed)
    )


def check_locks(locks: IndexLocks) -> CheckResult:
    """Return the holder of the rebuild lock; the system drops the locks of dead processes."""
    holder = locks.rebuild.holder()
    if holder is None:
        return sound("locks", "free")
    does = "rebuilds the index" if holder.role == REINDEX else "tidies up after a rebuild"
    detail = f"process {holder.pid} {does} since {moment(holder.since)}"
    if _is_stopped(holder):
        hint = f"it is stopped: `kill -CONT {holder.pid}`, or end it"
        return wrong("locks", detail, hint)
    return note("locks", detail, "wait for it")


def check_files(files: MemoryFolder, listing: MemoryListing, folder: str) -> CheckResult:
    """Return which memory files cannot be read.

    Args:
        files: Reads them.
        listing: All of them.
        folder: Where they are, for people.
    """
    worst: tuple[State, str] = ("ok", "")
    for file in listing.files:
        state, detail = _readable(files, file)
        if state == "wrong" or (state == "note" and worst[0] == "ok"):
            worst = (state, f"{file.ref}: {detail}")
        if state == "wrong":
            break
    unreadable = [path for path in listing.closed if path not in CURATED]
    if worst[0] == "wrong" or unreadable:
        detail = worst[1] if worst[0] == "wrong" else f"{unreadable[0]} cannot be looked into"
        return wrong("workspace", detail, "give yourself the right to read it")
    if worst[0] == "note":
        return note("workspace", worst[1], "it is not found by a search")
    if listing.warnings:
        hint = "copy what should be found; links are not followed"
        return note("workspace", listing.warnings[0], hint)
    return sound("workspace", f"{folder}, {count(len(listing.files), 'memory file')}")


def _readable(files: MemoryFolder, file: MemoryFile) -> tuple[State, str]:
    try:
        files.text(file)
    except InvalidInput as error:
        return "note", error.message
    except NotFound:
        return "ok", ""  # removed meanwhile
    except RecollectError as error:
        return "wrong", error.message
    return "ok", ""


def _is_stopped(holder: Holder) -> bool:
    try:
        status = (PROCESSES / str(holder.pid) / "status").read_text(encoding="utf-8")
    except OSError:
        return False
    return _STOPPED.search(status) is not None


def check_sharing(memory: Memory) -> CheckResult:
    """Return which agents of the owner share what they remember; ask once in an older home."""
    is_new = any("your agents stay apart" in each for each in memory.status().sync.warnings)
    walls = memory.sessions.owner.walls
    others = ", ".join(sorted(walls.exceptions))
    if not walls.everyone:
        return sound("sharing", "your agents share" + (f", without {others}" if others else ""))
    detail = "your agents are apart" + (f", without {others}" if others else "")
    hint = "`recollect config set apart false` makes them one memory of yours, `true` keeps this"
    return note("sharing", detail, hint) if is_new else sound("sharing", f"{detail}; {hint}")


def check_owner(memory: Memory) -> CheckResult:
    """Return whether it is known which chats are the owner's."""
    status = memory.status()
    unknown = count(status.unknown_origin, "imported session")
    more = f"; {unknown} of unknown origin" if status.unknown_origin else ""
    if status.unowned:
        detail = f"{count(status.unowned, 'chat')} with people, and no owner is named{more}"
        return note("owner", detail, OWNER_HINT)
    accounts = memory.settings.sessions.owner
    owners = f"{count(len(accounts), 'account')} named"
    return sound("owner", (owners if accounts else "no owner is named, and none is needed") + more)


def check_notes(memory: Memory) -> CheckResult:
    """Check the notes of the workspace for lines from sessions of guests."""
    if memory.workspace is None:
        return sound("notes", "no workspace")
    flushes = [each.event for each in memory.events.since(types=["memory.flushed"])]
    flushed = [event for event in flushes if isinstance(event, MemoryFlushed)]
    notes = guest_notes(memory.sessions, flushed, memory.workspace)
    # What a model worded cannot be distinguished from what is gone.
    notes = [each for each in notes if each.lines or memory.status().language.model]
    if not notes:
        return sound("notes", "nothing of guests in them")
    hint = "every direct chat reads them: remove these lines, or name the owner with sessions.owner"
    return note("notes", _places(notes), hint)


def _places(notes: Iterable[GuestNotes]) -> str:
    lines = [f"{_place(each)} from session {each.session_id}" for each in notes]
    rest = len(lines) - MOST_LISTED
    text = "; ".join(lines[:MOST_LISTED])
    return f"{text}; and {rest:,} more" if rest > 0 else text


def _place(notes: GuestNotes) -> str:
    if notes.lines:
        return f"{notes.path}:{','.join(map(str, notes.lines))}"
    return f"{notes.path}, {count(notes.written, 'line')} in the words of a model,"


def check_capture(memory: Memory) -> CheckResult:
    """Look whether anything is not captured now, and which settings leave something out."""
    pauses, settings = memory.capture.pauses(), memory.settings
    if pauses:
        detail, _, hint = paused_line(pauses[0]).partition(": ")
        return note("capture", detail, hint)
    rules = {
        "privacy.exclude_projects": settings.privacy.exclude_projects,
        "capture.skip_tools": settings.capture.skip_tools,
        "capture.skip_paths": settings.capture.skip_paths,
    }
    names = [name for name, patterns in rules.items() if patterns]
    return sound("capture", f"on; {' and '.join(names)} leave some out" if names else "on")


def check_channels(memory: Memory) -> CheckResult:
    """Look whether a channel has failed, or an answer may not have arrived."""
    status = memory.channels.status()
    failed = [each for each in status.channels if each.state == "failed"]
    if failed and failed[0].name in status.enabled:
        return note("channels", f"{failed[0].name}: {failed[0].error}", failed[0].hint or "")
    unknown = status.deliveries.get("unknown", 0)
    if unknown:
        detail = f"{count(unknown, 'answer')} may not have arrived"
        return note("channels", detail, "`recollect channels status` lists them")
    return sound("channels", ", ".join(status.enabled) or "none")


def check_client(home: Path, name: str, record: Record, memory: Memory) -> CheckResult:
    """Return whether memory is on in an agent program, in one line."""
    if record.token is None:
        return sound(name, "on: it has the tools, and reports nothing")
    if any(pause.project_id is None for pause in memory.capture.pauses()):
        return note(name, "off: the memory is paused", "`recollect resume`")
    if is_served(home):
        return sound(name, "on: the worker runs")
    if not has_server():
        detail = "off: the packages of the worker are not installed"
        return wrong(name, detail, "run pip install 'recollect[server]'")
    failed_at = start_failed_at(home)
    if failed_at is not None:
        detail = f"off: the worker could not start at {moment(failed_at)}"
        return wrong(name, detail, "`recollect serve` shows why")
    if memory.settings.worker.autostart:
        return sound(name, "on: the worker starts with the first event")
    hint = "`recollect config set worker.autostart true`, or `recollect serve --daemon`"
    return note(name, "off: no worker runs, and none starts by itself", hint)
