"""What `recollect doctor` looks at inside of an open memory: rows, engines, locks and files."""

from __future__ import annotations

import re
from pathlib import Path

from recollect.cli.doctor.check_result import FIX_HINT, CheckResult, State, sound
from recollect.cli.output.formatting import count, moment
from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.index.model.locks import IndexLocks
from recollect.memory import Memory
from recollect.store.locks import Holder
from recollect.workspace.memory_folder import CURATED, MemoryFile, MemoryFolder, MemoryListing

PROCESSES = Path("/proc")
_STOPPED = re.compile(r"^State:\s*[Tt]", re.MULTILINE)


def check_rows(memory: Memory, *, deep: bool) -> CheckResult:
    """Return what is wrong with the rows of the index.

    Args:
        memory: Of the home.
        deep: Look at every row instead of a sample.
    """
    found = memory.checkup().examine(deep=deep)
    if not found:
        return sound("rows", "all of them belong together" if deep else "a sample is right")
    detail = "; ".join(ailment.detail for ailment in found)
    return CheckResult(name="rows", state="wrong", detail=detail, hint=FIX_HINT)


def check_engines(memory: Memory) -> CheckResult:
    """Return whether what the settings choose for words, vectors and files can be used."""
    status = memory.status()
    words, vectors = status.lexical, status.vector
    if words.error:
        detail = f"{words.requested} for words: {words.error}"
        hint = "set search.lexical.backend to postings, or use a SQLite with FTS5"
        return CheckResult(name="engines", state="wrong", detail=detail, hint=hint)
    if not vectors.available:
        detail = f"{vectors.requested} for vectors: {vectors.load_error}"
        hint = f"install what {vectors.requested} needs, or set search.vector.backend to memory"
        return CheckResult(name="engines", state="wrong", detail=detail, hint=hint)
    if status.fallback is not None:
        detail = f"{status.fallback.origin}: {status.fallback.reason}"
        hint = "another one answers in its place until it works again"
        return CheckResult(name="engines", state="note", detail=detail, hint=hint)
    if status.batch is not None and status.batch.failures >= status.batch.limit:
        batch = status.batch
        detail = f"batches of {batch.last_provider} failed ({batch.last_error})"
        hint = f"texts are sent directly for a day, or until {FIX_HINT}"
        return CheckResult(name="engines", state="note", detail=detail, hint=hint)
    return sound("engines", f"words by {words.backend}, vectors by {vectors.used}")


def check_locks(locks: IndexLocks) -> CheckResult:
    """Return who holds the lock of a rebuild; the system drops the locks of dead processes."""
    holder = locks.rebuild.holder()
    if holder is None:
        return sound("locks", "free")
    detail = f"process {holder.pid} rebuilds the index since {moment(holder.since)}"
    if _is_stopped(holder):
        hint = f"it is stopped: `kill -CONT {holder.pid}`, or end it"
        return CheckResult(name="locks", state="wrong", detail=detail, hint=hint)
    return CheckResult(name="locks", state="note", detail=detail, hint="wait for it")


def check_files(files: MemoryFolder, listing: MemoryListing, place: str) -> CheckResult:
    """Return which memory files cannot be read.

    Args:
        files: Reads them.
        listing: All of them.
        place: Where they are, for people.
    """
    worst: tuple[State, str] = ("ok", "")
    for file in listing.files:
        state, detail = _readable(files, file)
        if state == "wrong" or (state == "note" and worst[0] == "ok"):
            worst = (state, f"{file.ref}: {detail}")
        if state == "wrong":
            break
    closed = [path for path in listing.closed if path not in CURATED]
    if worst[0] == "wrong" or closed:
        detail = worst[1] if worst[0] == "wrong" else f"{closed[0]} cannot be looked into"
        hint = "give yourself the right to read it"
        return CheckResult(name="workspace", state="wrong", detail=detail, hint=hint)
    if worst[0] == "note":
        hint = "it is not found by a search"
        return CheckResult(name="workspace", state="note", detail=worst[1], hint=hint)
    if listing.warnings:
        hint = "copy what should be found; links are not followed"
        return CheckResult(name="workspace", state="note", detail=listing.warnings[0], hint=hint)
    return sound("workspace", f"{place}, {count(len(listing.files), 'memory file')}")


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
