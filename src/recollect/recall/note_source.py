"""Flushed notes in the index: guests' as documents of their own, and which lines are hidden.

The notes of a guest are below the home. The guest's chats and the owner hear them; no other chat
does, and they are not among the files of a workspace.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from recollect.audience.owner import Owner
from recollect.audience.visibility import Audience, Speakers, visibility_group_of
from recollect.core.errors import Denied
from recollect.core.scope import Scope
from recollect.recall.memory_source import FileOwner, NoteSource
from recollect.sessions.context.flushed_notes import folder_owners, hidden_lines
from recollect.store.engine import Database
from recollect.store.sqlite.home import GUEST_NOTES
from recollect.text.secret_redactor import SecretRedactor
from recollect.workspace.memory_folder import FileKind, MemoryFolder, Withheld
from recollect.workspace.reading import Extent, MemoryReader, ReadResult

_NOTE = re.compile(rf"{GUEST_NOTES}/[0-9a-f]{{32}}/\d{{4}}-\d{{2}}-\d{{2}}\.md")
_FOLDER = re.compile(rf"{GUEST_NOTES}(/[0-9a-f]{{32}})?")
NOTES = FileKind(
    accept=lambda path: _NOTE.fullmatch(path) is not None,
    enter=lambda path: _FOLDER.fullmatch(path) is not None,
)
"""Which files of a home are notes of guests."""


def withheld_lines(records: Database, home: Path) -> Withheld:
    """Return a function that gives the lines only deleted sessions said, by absolute path."""
    root = home.resolve()

    def withheld() -> dict[str, frozenset[bytes]]:
        by_path = records.read(hidden_lines)
        return {str(root / path): lines for path, lines in by_path.items()} if by_path else by_path

    return withheld


def guest_notes_source(
    records: Database,
    home: Path,
    scope: Scope,
    owner: Owner,
    *,
    redactor: SecretRedactor | None,
    agent: str | None,
) -> NoteSource:
    """Return the source that hands the notes of guests to the index.

    Args:
        records: Has their owners.
        home: The folder above them.
        scope: That of the memory.
        owner: The owner of the agent, and the accounts that are one person.
        redactor: As in `MemoryFolder`.
        agent: Only those of this agent; None for all.
    """

    def owners() -> dict[str, FileOwner]:
        by_folder = records.read(partial(folder_owners, tenant=scope.tenant))
        return {
            folder: _owner(scope.tenant, speakers, owner)
            for folder, speakers in by_folder.items()
            if agent in {None, speakers.agent}
        }

    withheld = withheld_lines(records, home)
    folder = MemoryFolder(home, redactor=redactor, withheld=withheld, kind=NOTES)
    return NoteSource(folder, scope, home / GUEST_NOTES, owners)


def _owner(tenant: str, speakers: Speakers, owner: Owner) -> FileOwner:
    scope = Scope(tenant=tenant, agent=speakers.agent, user=speakers.user)
    return FileOwner(scope=scope, visibility_group=visibility_group_of(speakers, owner).name)


def read_note(
    notes: NoteSource, path: str, extent: Extent, audience: Audience
) -> ReadResult | None:
    """Return lines of a guest's note; None where the path is not one.

    Raises:
        Denied: it is neither asked for the owner nor in the guest's visibility group.
    """
    if not NOTES.accept(path):
        return None
    owner = notes.owners().get(path.rpartition("/")[0])
    if owner is not None and not _is_within(owner.scope, notes.scope):
        owner = None
    group = None if owner is None else owner.visibility_group
    if not (audience.is_owners or group in audience.names(())):
        # As if it did not exist: its existence alone would reveal something.
        raise Denied("no memory file can be there", hint="give a path as searches show it")
    if owner is None:
        extent.check()
        return ReadResult(status="not_found", path=path, from_line=extent.from_line)
    return MemoryReader(notes.folder, notes.folder.workspace).read(path, extent)


def _is_within(owner: Scope, scope: Scope) -> bool:
    """Return whether a search in a scope finds what belongs to an owner."""
    return all(getattr(scope, f) in {None, getattr(owner, f)} for f in Scope.__struct_fields__)
