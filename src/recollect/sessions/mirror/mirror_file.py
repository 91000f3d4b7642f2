"""One mirror file: ``transcripts/<session id>.jsonl``, kept equal to what the database says.

The database is the truth. A torn tail is set aside, missing lines are added, and a file that says
something else is made again beside the old one, which it replaces in one step. The caller holds
the lock of the folder.
"""

from __future__ import annotations

import enum
import hashlib
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO

from recollect.sessions.mirror.mirror_lines import (
    BATCH_BYTES,
    OUTDATED,
    SESSION_LINE,
    MirrorPlace,
    is_of_session,
    line_at,
    lines_behind,
    mirror_lines,
    place_of,
    says_the_same,
    session_line,
)
from recollect.sessions.record.message_rows import require_gone, require_sound_session
from recollect.store.engine import Database
from recollect.store.failures import os_errors
from recollect.store.files import TORN_SUFFIX, append_lines, set_torn_tail_aside, sync_folder
from recollect.store.paths import check_id

EDITED_SUFFIX = ".edited"
"""Added, after a digest, to the name of a mirror that was edited."""

_LOOK_BACK = 64 * 1024
_LONGEST_SESSION_LINE = 1024 * 1024
"""In bytes; its metadata have 256 kB at most."""


class MirrorState(enum.StrEnum):
    """How a mirror compares with the database."""

    EQUAL = "equal"
    """Every byte is as it should be."""
    BEHIND = "behind"
    """Lines are missing at the end."""
    TORN = "torn"
    """The last line is not finished; lines may be missing after it."""
    OUTDATED = "outdated"
    """It has an older format, and says nothing that the database does not."""
    ALTERED = "altered"
    """It says something that the database does not."""


class MirrorFile:
    """The mirror of one session.

    Args:
        folder: Where the mirrors are.
        session_id: The session.
        database: The truth.
    """

    def __init__(self, folder: Path, session_id: str, database: Database) -> None:
        self.path = folder / f"{check_id(session_id)}.jsonl"
        self._session_id = session_id
        self._database = database

    def grow(self, rewritten: Iterable[int] = (), *, changed: bool = False) -> None:
        """Add what is missing, if the last line is as it should be; otherwise heal the file.

        Costs the new lines and one old one, however long the file is.

        Args:
            rewritten: The seqs of messages that were rewritten.
            changed: The session itself may have changed since its last line.

        Raises:
            StoreError: the file or the database refused.
        """
        self._clear_the_way()
        if not self.path.exists():
            _append(self.path, mirror_lines(self._database, self._session_id))
            return
        set_torn_tail_aside(self.path)
        last, session = _tail(self.path)
        position = place_of(last)
        if self._is_outdated():
            self.heal()
        elif any(map(self._says_otherwise, rewritten)):
            self.make_again()
        elif position is None or not (
            self._is_right(last, position) and self._is_of_session(session)
        ):
            self.heal()
        else:
            _append(self.path, lines_behind(self._database, self._session_id, position))
            if changed:
                self._tell_session()

    def _is_right(self, line: bytes, position: MirrorPlace) -> bool:
        is_session = position == MirrorPlace()
        return is_session or line == line_at(self._database, self._session_id, position)

    def _is_of_session(self, line: bytes) -> bool:
        now = session_line(self._database, self._session_id) if line else None
        return now is None or is_of_session(line, now)

    def _tell_session(self) -> None:
        """Add the line of the session, unless the last one says the same."""
        now = session_line(self._database, self._session_id)
        if now is not None and now != _last_session_line(self.path):
            _append(self.path, iter([now]))

    def _is_outdated(self) -> bool:
        with os_errors(self.path), self.path.open("rb") as file:
            return file.read(len(OUTDATED[0])) in OUTDATED

    def _says_otherwise(self, seq: int) -> bool:
        """Whether the file has a line of a message that is not its line."""
        line = line_at(self._database, self._session_id, MirrorPlace(seq))
        with _mapped(self.path) as whole:
            # From the end: rewritten messages are recent.
            start = whole.rfind(b'\n{"type":"message","seq":%d,' % seq) + 1
            return start > 0 and whole[start : whole.find(b"\n", start)] != line

    def state(self) -> MirrorState:
        """Compare every byte with the database; changes nothing.

        Raises:
            StoreError: the file or the database cannot be read.
        """
        return self._compare()[0]

    def heal(self) -> MirrorState:
        """Make the file equal to the database; return how it was before.

        What was written into it is kept beside it, with the ending `EDITED_SUFFIX`.

        Raises:
            StoreError: the file or the database refused.
        """
        state, matching = self._compare()
        self._clear_the_way()
        if state is MirrorState.TORN:
            set_torn_tail_aside(self.path)
        if state is MirrorState.ALTERED:
            self._keep_edited()
            self.make_again()
        elif state is MirrorState.OUTDATED:
            self.make_again()
        elif state is not MirrorState.EQUAL:
            lines = mirror_lines(self._database, self._session_id)
            _append(self.path, islice(lines, matching, None))
            self._tell_session()
        return state

    def last_seq(self) -> int:
        """Return the seq of the last message in the file; 0 where it has none.

        Raises:
            StoreError: it cannot be read.
        """
        position = place_of(_tail(self.path)[0])
        return 0 if position is None else position.seq

    def cut(self) -> None:
        """Write the file again from the database, of which something was removed.

        The file goes with its session; so does what was set aside, which may hold removed lines.
        Older lines of the session are removed as well: they may name what was removed.

        Raises:
            StoreError: the file or the database refused.
        """
        if next(mirror_lines(self._database, self._session_id), None) is None:
            self._database.read(lambda tx: require_gone(tx, self._session_id))
            self.remove()
            return
        self._clear_the_way()
        self.make_again()
        self._unlink(self._aside, *self._edits)

    def sync(self) -> None:
        """Wait until the lines are on the disk; a file that was removed meanwhile stays away.

        Raises:
            StoreError: the disk refused.
        """
        if self.path.exists():
            append_lines(self.path, [], durable=True)

    def remove(self) -> None:
        """Remove the file and what was set aside of it.

        Raises:
            StoreError: the disk refused.
        """
        self._unlink(self._draft, self._aside, *self._edits, self.path)

    def _unlink(self, *paths: Path) -> None:
        with os_errors(self.path):
            for path in paths:
                path.unlink(missing_ok=True)

    @property
    def _aside(self) -> Path:
        return self.path.with_name(self.path.name + TORN_SUFFIX)

    @property
    def _edits(self) -> list[Path]:
        return list(self.path.parent.glob(f"{self.path.name}.*{EDITED_SUFFIX}"))

    @property
    def _draft(self) -> Path:
        return self.path.with_name(f".{self.path.name}.part")

    def _compare(self) -> tuple[MirrorState, int]:
        """Return the state, and the number of lines that are right from the top."""
        if _is_odd(self.path):
            return MirrorState.ALTERED, 0
        expected = mirror_lines(self._database, self._session_id)
        with os_errors(self.path), suppress(FileNotFoundError), self.path.open("rb") as file:
            if self._is_outdated():
                lines = (line.removesuffix(b"\n") for line in file)
                same = says_the_same(lines, expected)
                return (MirrorState.OUTDATED if same else MirrorState.ALTERED), 0
            return _compare(file, expected)
        return MirrorState.BEHIND, 0

    def _clear_the_way(self) -> None:
        """Rename a link or a folder at the path of the file."""
        if _is_odd(self.path):
            token = secrets.token_hex(4)
            with os_errors(self.path):
                os.rename(self.path, self.path.with_name(f"{self.path.name}.{token}.odd"))

    def _keep_edited(self) -> None:
        """Keep the file as it is beside the one that is rebuilt; the same edit once."""
        with os_errors(self.path), suppress(FileNotFoundError, FileExistsError):
            with self.path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
            os.link(self.path, self.path.with_name(f"{self.path.name}.{digest}{EDITED_SUFFIX}"))

    def make_again(self) -> None:
        """Write the file again from the database; what was in it is not kept.

        Raises:
            StoreCorrupt: the session is damaged there; the file stays, for it is what is left.
            StoreError: the file or the database refused.
        """
        self._database.read(lambda tx: require_sound_session(tx, self._session_id))
        draft = self._draft
        with os_errors(self.path):
            draft.unlink(missing_ok=True)
            _append(draft, mirror_lines(self._database, self._session_id))
            append_lines(draft, [], durable=True)
            os.replace(draft, self.path)
            sync_folder(self.path.parent)


def _is_odd(path: Path) -> bool:
    """Whether something is there that is not a file."""
    with os_errors(path), suppress(FileNotFoundError):
        return not stat.S_ISREG(path.lstat().st_mode)
    return False


def _compare(file: BinaryIO, expected: Iterator[bytes]) -> tuple[MirrorState, int]:
    """Return the state, and the number of expected lines that are there, the session's included."""
    current = next(expected, b"")
    session, matching = b"", 0
    while True:
        line = next(expected, b"")
        actual = _read(file, line)
        while actual.startswith(SESSION_LINE) and actual.endswith(b"\n"):
            if actual[:-1] == session or not is_of_session(actual, current):
                return MirrorState.ALTERED, matching
            session, matching = actual[:-1], max(matching, 1)
            actual = _read(file, line)
        if not actual:
            is_equal = not line and session == current
            return (MirrorState.EQUAL if is_equal else MirrorState.BEHIND), matching
        if not line or not matching or actual != line + b"\n":
            return _tail_state(file, actual), matching
        matching += 1


def _read(file: BinaryIO, expected: bytes) -> bytes:
    return file.readline(max(len(expected) + 2, _LONGEST_SESSION_LINE))


def _tail_state(file: BinaryIO, tail: bytes) -> MirrorState:
    """Return TORN if ``tail`` is the end of the file and no whole line, otherwise ALTERED."""
    while not tail.endswith(b"\n"):
        tail = file.readline(_LOOK_BACK)
        if not tail:
            return MirrorState.TORN
    return MirrorState.ALTERED


def _append(path: Path, lines: Iterator[bytes]) -> None:
    batch: list[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line)
        if size > BATCH_BYTES:
            append_lines(path, batch, durable=False)
            batch, size = [], 0
    if batch:
        append_lines(path, batch, durable=False)


@contextmanager
def _mapped(path: Path) -> Iterator[mmap | bytes]:
    """Map a file for reading; one without bytes cannot be."""
    with os_errors(path), path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            yield b""
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as whole:
            yield whole


def _tail(path: Path) -> tuple[bytes, bytes]:
    """Return the last line that is a message or a compaction, and that of the session after it.

    The second is empty where there is none; so is the first, unless all lines are the session's.
    """
    with _mapped(path) as whole:
        last, session, end = b"", b"", len(whole) - 1
        while end > 0 and (not last or last.startswith(SESSION_LINE)):
            start = whole.rfind(b"\n", 0, end) + 1
            last, end = whole[start:end], start - 1
            session = session or (last if last.startswith(SESSION_LINE) else b"")
    return last, session


def _last_session_line(path: Path) -> bytes:
    """Return the last line of the session; empty without any."""
    with _mapped(path) as whole:
        start = whole.rfind(b"\n" + SESSION_LINE) + 1
        line = whole[start : max(whole.find(b"\n", start), 0)]
    return line if line.startswith(SESSION_LINE) else b""
