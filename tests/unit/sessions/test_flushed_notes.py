"""Flushed notes: a line goes and comes with the sessions that said it."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.audience.identity_links import NOBODY_LINKED
from recollect.audience.owner import NOBODY_NAMED, read_owner
from recollect.audience.people import People
from recollect.audience.visibility import visibility_group_of
from recollect.core.errors import Conflict
from recollect.core.scope import Scope
from recollect.sessions.context.flushed_notes import (
    ErasedNotes,
    erase_lines,
    folder_owners,
    guest_notes_place,
    hidden_lines,
)
from recollect.sessions.context.summary import WindowParts
from recollect.sessions.sessions import Sessions
from recollect.text.withheld import line_hash, without_lines
from tests.unit.sessions.home import Home

DAY = "memory/2026-02-10.md"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty workspace."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def sessions(home: Home, workspace: Path) -> Sessions:
    """Sessions that flush; 42 on Telegram is the owner."""
    return flushing(home, workspace)


def flushing(home: Home, workspace: Path, tenant: str = "local") -> Sessions:
    """Return sessions of a tenant that flush."""
    owner = read_owner(["telegram:42"], NOBODY_LINKED)
    parts = WindowParts(workspace=workspace, home=home.path, people=People(owner))
    return home.sessions_of(Scope(tenant=tenant), window=parts)


def flushed(sessions: Sessions, *texts: str, key: str | None = None) -> str:
    """Return a session whose user said something that was flushed."""
    session_id = sessions.create(key=key).id
    sessions.append_many(session_id, [("user", text) for text in texts])
    assert sessions.flush(session_id).outcome in {"flushed", "nothing_new"}
    return session_id


def hidden(home: Home) -> dict[str, frozenset[bytes]]:
    """Return what is hidden."""
    return home.database.read(hidden_lines)


def erased(home: Home, *session_ids: str, dry_run: bool = False) -> list[ErasedNotes]:
    """Erase what sessions said."""
    return list(erase_lines(home.database, home.path, session_ids, dry_run=dry_run))


def test_a_guest_is_noted_in_the_home(home: Home, sessions: Sessions, workspace: Path) -> None:
    """One folder for each visibility group; other programs index the workspace."""
    ann, bob = (flushed(sessions, "I prefer tea.", key=key) for key in ("slack:ann", "slack:bob"))
    places = {}
    for session_id in (ann, bob):
        session = sessions.get(session_id)
        group = visibility_group_of(session, NOBODY_NAMED)
        places[session_id] = home.path / guest_notes_place(home.path, "local", group).folder
        note = places[session_id] / "2026-02-10.md"
        assert note.read_text() == "# 2026-02-10\n\n- I prefer tea. (12:00)\n"
        assert (note.stat().st_mode & 0o777, note.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert len(set(places.values())) == 2
    assert not list(workspace.iterdir())
    owners = home.database.read(lambda tx: folder_owners(tx, "local"))
    assert {speakers.peer for speakers in owners.values()} == {"ann", "bob"}
    assert not home.database.read(lambda tx: folder_owners(tx, "other"))


def test_a_shared_session_is_noted_by_turn(home: Home, sessions: Sessions, workspace: Path) -> None:
    """The owner's turns in the workspace, a guest's where a chat with the guest is noted."""
    chat = flushed(sessions, "I prefer milk.", key="telegram:99")
    main = sessions.create(key="agent:main:main").id
    for sender, said in (("telegram:99", "tea"), ("telegram:42", "coffee"), (None, "juice")):
        sessions.append(main, "user", f"I prefer {said}.", sender=sender)
    done = sessions.flush(main)
    assert (done.outcome, done.lines) == ("flushed", 3)
    own = (workspace / "memory" / "2026-02-10.md").read_text("utf-8")
    group = visibility_group_of(sessions.get(chat), NOBODY_NAMED)
    folder = home.path / guest_notes_place(home.path, "local", group).folder
    guests = (folder / "2026-02-10.md").read_text("utf-8")
    assert ("tea" in own, "coffee" in own, "juice" in own) == (False, True, True)
    assert ("tea" in guests, "milk" in guests, "coffee" in guests, "juice" in guests) == (
        *(True, True),
        *(False, False),
    )


def test_two_tenants_with_one_guest_have_two_folders(home: Home, workspace: Path) -> None:
    """The tenant is a part of who hears it."""
    for tenant in ("local", "other"):
        flushed(flushing(home, workspace, tenant), "I prefer tea.", key="slack:ann")
    assert len(list((home.path / "notes").iterdir())) == 2


def test_a_line_is_hidden_while_all_who_said_it_are_deleted(
    home: Home, sessions: Sessions, workspace: Path
) -> None:
    """Another session that says it later brings it back; restoring does too."""
    first = flushed(sessions, "I prefer tea.", "I never eat nuts.")
    second = flushed(sessions, "i prefer TEA")
    path = f"{workspace}/{DAY}"
    sessions.set_status(first, "deleted")
    assert hidden(home) == {path: frozenset({line_hash(b"- I never eat nuts. (12:00)")})}
    sessions.set_status(second, "deleted")
    assert len(hidden(home)[path]) == 2
    flushed(sessions, "I never eat nuts!")
    assert hidden(home) == {path: frozenset({line_hash(b"- I prefer tea. (12:00)")})}
    sessions.set_status(second, "active")
    assert hidden(home) == {}


def test_a_line_that_a_person_wrote_is_nobodys(
    home: Home, sessions: Sessions, workspace: Path
) -> None:
    """A session that says the same neither hides nor erases it."""
    (workspace / "memory").mkdir()
    (workspace / DAY).write_text("- I prefer tea.\n")
    session_id = flushed(sessions, "I prefer tea.")
    sessions.set_status(session_id, "deleted")
    assert hidden(home) == {}
    assert erased(home, session_id) == []
    assert (workspace / DAY).read_text() == "- I prefer tea.\n"


def test_a_line_of_yesterday_is_said_today_too(
    home: Home, sessions: Sessions, workspace: Path
) -> None:
    """It is not written again, and has one more who said it."""
    first = flushed(sessions, "I prefer tea.")
    home.clock.now += 86_400_000
    second = flushed(sessions, "I prefer tea.")
    sessions.set_status(first, "deleted")
    assert hidden(home) == {}
    assert erased(home, first)[0].shared == 1
    assert erased(home, second) == [ErasedNotes(path=f"{workspace}/{DAY}", removed=1)]


def test_erasing_removes_what_only_these_sessions_said(
    home: Home, sessions: Sessions, workspace: Path
) -> None:
    """Lines of others stay, and lines that were edited; both are told. Again does no harm."""
    first = flushed(sessions, "I prefer tea.", "I never eat nuts.", "I always walk.")
    second = flushed(sessions, "I always walk.", "I never swim.")
    note = workspace / DAY
    note.write_text(note.read_text().replace("nuts", "walnuts") + "my own line\n")
    note.chmod(0o640)
    before = note.read_bytes()
    receipt = ErasedNotes(path=str(note), removed=1, shared=1, edited=1, edited_lines=(3,))
    assert erased(home, first, dry_run=True) == [receipt]
    assert note.read_bytes() == before
    assert erased(home, first) == [receipt]
    assert note.read_text() == (
        "# 2026-02-10\n\n- I never eat walnuts. (12:00)\n- I always walk. (12:00)\n"
        "- I never swim. (12:00)\nmy own line\n"
    )
    assert note.stat().st_mode & 0o777 == 0o640
    assert erased(home, first) == []
    assert [each.removed for each in erased(home, second)] == [2]
    assert [each.name for each in note.parent.iterdir()] == ["2026-02-10.md"]


def test_sessions_that_are_erased_together_share_nothing_with_themselves(
    home: Home, sessions: Sessions, workspace: Path
) -> None:
    """A fork and its parent."""
    parent = flushed(sessions, "I prefer tea.")
    fork = sessions.fork(parent).id
    sessions.append(fork, "user", "I prefer tea.")
    sessions.flush(fork)
    assert [each.removed for each in erased(home, parent, fork)] == [1]
    assert not (workspace / DAY).exists()


def test_the_last_note_of_a_guest_takes_its_folder_along(home: Home, sessions: Sessions) -> None:
    """And who it was; an edited line keeps both."""
    session_id = flushed(sessions, "I prefer tea.", key="slack:ann")
    (note,) = home.path.glob("notes/*/*.md")
    assert erased(home, session_id) == [
        ErasedNotes(path=str(note.relative_to(home.path)), removed=1)
    ]
    assert not list((home.path / "notes").iterdir())
    assert not home.database.read(lambda tx: folder_owners(tx, "local"))
    session_id = flushed(sessions, "I prefer tea.", key="slack:ann")
    note.write_text(note.read_text().replace("tea", "mint tea"))
    assert [each.edited for each in erased(home, session_id)] == [1]
    assert len(home.database.read(lambda tx: folder_owners(tx, "local"))) == 1


def test_a_file_that_cannot_be_changed_is_told_and_tried_again(
    home: Home, sessions: Sessions, workspace: Path
) -> None:
    """A link in its place, a workspace that is not there now; a file that is gone has nothing."""
    session_id = flushed(sessions, "I prefer tea.")
    note, aside = workspace / DAY, workspace.with_name("aside")
    note.rename(workspace / "kept.md")
    note.symlink_to(workspace / "kept.md")
    assert erased(home, session_id) == [ErasedNotes(path=str(note), error="denied")]
    note.unlink()
    (workspace / "kept.md").rename(note)
    workspace.rename(aside)
    assert erased(home, session_id) == [ErasedNotes(path=str(note), error="not_found")]
    aside.rename(workspace)
    assert [each.removed for each in erased(home, session_id)] == [1]
    session_id = flushed(sessions, "I prefer tea.")
    note.unlink()
    assert erased(home, session_id) == [ErasedNotes(path=str(note))]
    assert erased(home, session_id) == []


def test_a_session_that_is_deleted_during_a_flush_writes_nothing(
    home: Home, workspace: Path
) -> None:
    """Its lines would stay in sight."""

    class Deleting:
        def notes(self, utterances: object) -> list[object]:
            from recollect.sessions.context.flush import Note

            sessions.set_status(session_id, "deleted")
            return [Note(text="I prefer tea.")]

    parts = WindowParts(workspace=workspace, notes=Deleting())  # type: ignore[arg-type]
    sessions = home.sessions_of(Scope(), window=parts)
    session_id = sessions.create().id
    sessions.append(session_id, "user", "I prefer tea.")
    with pytest.raises(Conflict):
        sessions.flush(session_id)
    assert not (workspace / DAY).read_bytes()


def test_hidden_lines_leave_empty_ones() -> None:
    """So that all others keep their numbers, also with Windows line ends."""
    content = b"# d\r\n- one\r\n- two\r\n"
    assert without_lines(content, {line_hash(b"- one")}) == b"# d\r\n\n- two\r\n"


def test_notes_of_turns_that_a_rewind_took_out_are_hidden(home: Home, sessions: Sessions) -> None:
    """What stays is written again at the next flush; the undo brings the others back."""
    session = sessions.create().id
    sessions.append(session, "user", "I prefer tea.")
    home.clock.now += 1_000
    sessions.append(session, "user", "We decided to sell the boat.")
    home.clock.now += 1_000
    assert sessions.flush(session).lines == 2
    home.clock.now += 1_000
    rewind = sessions.rewind(session, 1)
    assert len(hidden(home)[next(iter(hidden(home)))]) == 2
    home.clock.now += 1_000
    assert sessions.flush(session).outcome == "nothing_new"
    (lines,) = hidden(home).values()
    assert lines == {line_hash(b"- We decided to sell the boat. (12:00)")}
    sessions.undo_rewind(rewind.id)
    assert hidden(home) == {}
