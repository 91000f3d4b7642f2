"""What `recollect doctor` says of the owner: who that is, and what guests left in the notes."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.cli.doctor.check_result import CheckResult, note, sound
from recollect.cli.output.formatting import count
from recollect.core.events import MemoryFlushed
from recollect.memory import Memory
from recollect.recall.guest_notes import GuestNotes, guest_notes
from recollect.sessions.policy.owner import OWNER_HINT

MOST_LISTED = 20
"""Places in notes that are named; all are counted."""


def check_owner(memory: Memory) -> CheckResult:
    """Return whether it is known which chats are the owner's."""
    status = memory.status()
    unknown = count(status.unknown_origin, "imported session")
    more = f"; {unknown} of unknown origin" if status.unknown_origin else ""
    if status.unowned:
        detail = f"{count(status.unowned, 'chat')} with people, and no owner is named{more}"
        return note("owner", detail, OWNER_HINT)
    accounts = memory.settings.sessions.owner
    named = f"{count(len(accounts), 'account')} named"
    return sound("owner", (named if accounts else "no owner is named, and none is needed") + more)


def check_notes(memory: Memory) -> CheckResult:
    """Return what the notes of the workspace have from sessions that are not the owner's."""
    if memory.workspace is None:
        return sound("notes", "no workspace")
    flushes = [each.event for each in memory.events.since(types=["memory.flushed"])]
    flushed = [event for event in flushes if isinstance(event, MemoryFlushed)]
    found = guest_notes(memory.sessions, flushed, memory.workspace)
    # What a model worded cannot be told from what is there no more.
    found = [each for each in found if each.lines or memory.status().language.model]
    if not found:
        return sound("notes", "nothing of guests in them")
    hint = "every direct chat reads them: remove these lines, or name the owner with sessions.owner"
    return note("notes", _places(found), hint)


def _places(found: Iterable[GuestNotes]) -> str:
    places = [f"{_place(each)} from session {each.session_id}" for each in found]
    rest = len(places) - MOST_LISTED
    listed = "; ".join(places[:MOST_LISTED])
    return f"{listed}; and {rest:,} more" if rest > 0 else listed


def _place(notes: GuestNotes) -> str:
    if notes.lines:
        return f"{notes.path}:{','.join(map(str, notes.lines))}"
    return f"{notes.path}, {count(notes.written, 'line')} in the words of a model,"
