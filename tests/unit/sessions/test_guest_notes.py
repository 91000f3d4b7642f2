"""Lines that flushes wrote for guests, found again."""

from __future__ import annotations

from pathlib import Path

from recollect.core.events import MemoryFlushed
from recollect.core.scope import Scope
from recollect.recall.guest_notes import GuestNotes, guest_notes
from tests.unit.sessions.home import NOON, Home

DAY = "memory/2026-02-10.md"


def flushed(session_id: str | None, lines: int = 1, path: str = DAY) -> MemoryFlushed:
    """Return the event of a flush."""
    return MemoryFlushed(scope=Scope(session=session_id), at=NOON, path=path, lines=lines)


def test_only_what_guests_said_is_found(home: Home, tmp_path: Path) -> None:
    """In any spelling that the flush takes for the same; in a fork also what its parent said."""
    guest = home.sessions.create(key="telegram:43").id
    owner = home.sessions.create().id
    home.sessions.append(guest, "user", "I prefer tea.")
    home.sessions.append(owner, "user", "I prefer beer.")
    fork = home.sessions.fork(guest).id
    (tmp_path / "memory").mkdir()
    (tmp_path / DAY).write_text("# d\n\n- I prefer beer.\n* i prefer TEA (ann, 12:00)\nmore\n")
    flushes = [flushed(guest), flushed(guest, 2), flushed(owner), flushed(fork)]
    assert guest_notes(home.sessions, flushes, tmp_path) == [
        GuestNotes(session_id=guest, path=DAY, written=3, lines=(4,)),
        GuestNotes(session_id=fork, path=DAY, written=1, lines=(4,)),
    ]


def test_what_cannot_be_looked_at_is_left_out(home: Home, tmp_path: Path) -> None:
    """Sessions that are gone, files that are gone or lead elsewhere, flushes that wrote nothing."""
    guest = home.sessions.create(key="telegram:43").id
    (tmp_path / "memory").mkdir()
    (tmp_path / DAY).write_text("- I prefer tea.\n")
    (tmp_path / "memory" / "link.md").symlink_to(tmp_path / DAY)
    flushes = [
        flushed("gone"),
        flushed(None),
        flushed(guest, 0),
        flushed(guest, path="memory/gone.md"),
        flushed(guest, path="memory/link.md"),
    ]
    assert guest_notes(home.sessions, flushes, tmp_path) == []


def test_what_a_model_worded_is_counted(home: Home, tmp_path: Path) -> None:
    """Nobody said it that way, so no line of it can be named."""
    guest = home.sessions.create(key="telegram:43").id
    (tmp_path / "memory").mkdir()
    (tmp_path / DAY).write_text("- Likes tea.\n")
    assert guest_notes(home.sessions, [flushed(guest, 2)], tmp_path) == [
        GuestNotes(session_id=guest, path=DAY, written=2, lines=())
    ]
