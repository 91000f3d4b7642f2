"""The processes that the durability tests start, and kill.

Each speaks in lines on its pipes: it acknowledges on stdout, one write for each line, and takes
orders on stdin.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec

import recollect
from recollect.core.clock import IdSource
from recollect.core.errors import StoreError
from recollect.core.settings import SessionSettings, StoreSettings
from recollect.exchange.recover import recover
from recollect.governance.selection import Selection
from recollect.hook.keeping import keep
from recollect.server.spooling import drain_home
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.sessions import Sessions
from recollect.store.files import append_lines, write_file
from recollect.store.locks import OwnerLock
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import open_records
from recollect.store.sqlite.home import find_home_id
from recollect.testing.vfs_disk import FileName
from tests.durability.ledger import CLOCK, append, open_home
from tests.durability.lifecycle_player import Player
from tests.unit.governance.kept_home import KeptHome

WORDS = {"embedding.provider": "none"}
MANY = 1_000_000_000
MOST_KEPT = 100
"""Messages that a session keeps when it is pruned."""


def say(line: str) -> None:
    """Send a line at once, also when the process is killed right after."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def write_until_killed(home: str, name: str) -> None:
    """Write from four threads and acknowledge every row."""
    say("starting")
    database = open_home(Path(home), Tuning(checkpoint_pages=50, idle_s=0.01))

    def write(thread: int) -> None:
        number = 0
        while True:
            event_id = f"{name}-{thread}-{number}"
            database.write(append(event_id))
            say(event_id)
            number += 1

    for thread in range(4):
        threading.Thread(target=write, args=(thread,)).start()


def write_many(home: str, name: str, count: str) -> None:
    """Write rows one after the other; say how long each took, in ms."""
    database = open_home(Path(home), Tuning())
    say("ready")
    sys.stdin.readline()
    for number in range(int(count)):
        began = time.perf_counter()
        database.write(append(f"{name}-{number}"))
        say(f"{(time.perf_counter() - began) * 1000:.3f}")
    database.close()


def write_session(home: str, name: str, session_id: str, count: str) -> None:
    """Append to a session that others append to, and fork it; say seq, ms, id and event id."""
    database = open_records(Path(home), StoreSettings(), CLOCK)
    mirror = TranscriptMirror(Path(home), database)
    sessions = Sessions(
        SessionAccess(
            database=database,
            clock=CLOCK,
            ids=IdSource(CLOCK),
            settings=SessionSettings(),
            drafts=DraftMaker(CLOCK, IdSource(CLOCK), None),
            mirror=mirror,
        )
    )
    say("ready")
    sys.stdin.readline()
    for number in range(int(count)):
        event_id = f"{name}-{number}"
        if number % 10 == 4:
            fork = sessions.fork(session_id)
            sessions.append(fork.id, "user", "in the fork")
        began = time.perf_counter()
        if number % 10 == 7:
            message = sessions.append_stream(session_id, ["line\n", event_id], event_id=event_id)
        else:
            message = sessions.append(session_id, "user", event_id, event_id=event_id)
        say(f"{(time.perf_counter() - began) * 1000:.3f} {message.seq} {event_id}")
    mirror.close()
    database.close()


def start_sessions(home: str, _: str, count: str) -> None:
    """Start one new session id after the other, as others do; say when each one began."""
    database = open_records(Path(home), StoreSettings(), CLOCK)
    sessions = Sessions(
        SessionAccess(
            database=database,
            clock=CLOCK,
            ids=IdSource(CLOCK),
            settings=SessionSettings(),
            drafts=DraftMaker(CLOCK, IdSource(CLOCK), None),
        )
    )
    say("ready")
    sys.stdin.readline()
    for number in range(int(count)):
        session = sessions.start(session_id=f"new-{number}")
        sessions.append(session.id, "user", "hello")
        say(f"{session.id} {session.created_at}")
    database.close()


def stream_until_killed(home: str, session_id: str) -> None:
    """Stream an answer for ever; say after each piece how many lines were given so far."""
    database = open_records(Path(home), StoreSettings(), CLOCK)
    sessions = Sessions(
        SessionAccess(
            database=database,
            clock=CLOCK,
            ids=IdSource(CLOCK),
            settings=SessionSettings(),
            drafts=DraftMaker(CLOCK, IdSource(CLOCK), None),
        )
    )
    reply, number = sessions.stream(session_id), 0
    while True:
        reply.add(f"line {number} ends\nli")  # a last word of digits may be half of a token
        reply.flush()
        number += 1
        say(f"{number}")
        reply.add("ne of two pieces\n")


def open_cold(home: str, name: str) -> None:
    """Wait for the order, then open a home that may not exist yet and write one row."""
    say("ready")
    sys.stdin.readline()
    database = open_home(Path(home), Tuning())
    database.write(append(name))
    database.close()
    say("done")


def open_new(home: str, durability: str) -> None:
    """Open a home for the first time, and say something in it."""
    settings = {"embedding.provider": "none", "store.durability": durability}
    say("starting")
    memory = recollect.open(home, overrides=settings)
    memory.sessions.append(memory.sessions.create().id, "user", "hello")
    say("said")
    memory.search("hello")
    memory.close()
    sys.stdin.readline()


def open_at_once(home: str, _: str) -> None:
    """Wait for the order, make a home as others do, say something in it and tell its id."""
    say("ready")
    sys.stdin.readline()
    with recollect.open(home, overrides={"embedding.provider": "none"}) as memory:
        memory.sessions.append(memory.sessions.create().id, "user", "hello")
        memory.search("hello")
    records = open_records(Path(home), StoreSettings(), CLOCK)
    say(str(records.read(find_home_id)))
    records.close()


def race_for_lock(path: str) -> None:
    """For each line on stdin: try to become the owner, say so, and let go at the next line."""
    lock = OwnerLock(Path(path), CLOCK)
    for _ in sys.stdin:
        say("won" if lock.acquire("racer") else "lost")
        sys.stdin.readline()
        lock.release()
        say("released")


def append_many(path: str, name: str, count: str) -> None:
    """Append long lines to a file that others append to."""
    say("ready")
    sys.stdin.readline()
    for number in range(int(count)):
        line = f"{name}:{number}:".encode() + name[-1:].encode() * 60_000
        append_lines(Path(path), [line], durable=False)
    say("done")


def rewrite_until_killed(path: str) -> None:
    """Replace a whole file again and again, each time with other content."""
    number = 0
    while True:
        write_file(Path(path), f"{number}\n".encode() * 20_000)
        say(f"{number}")
        number += 1


def run_out_of_memory(home: str) -> None:
    """Write with less and less memory for SQLite, then with enough; say what was acknowledged."""
    database = open_home(Path(home), Tuning(cache_kib=256))
    database.write(append("first"))
    say("first")
    number = 0
    for kib in range(600, 0, -4):
        apsw.hard_heap_limit(kib * 1024)
        for _ in range(3):
            number += 1
            try:
                database.write(append(f"m{number}"))
                say(f"m{number}")
            except StoreError as error:
                say(f"refused {error.code}")
    apsw.hard_heap_limit(0)
    database.write(append("last"))
    say("last")
    database.close()


def play(home: str, fresh: str) -> None:
    """Do each command that comes as a line, and answer with what it gave."""
    player = Player(Path(home), fresh)
    say("ready")
    for line in sys.stdin:
        say(msgspec.json.encode(player.perform(msgspec.json.decode(line))).decode())


def prune_and_die(home: str, commits: str) -> None:
    """Prune a home and end without a word after so many commits; say so when there are fewer."""
    kept = KeptHome(Path(home))
    _die_after(kept, int(commits))
    kept.retention(days=5, max_messages=MOST_KEPT).prune()
    say("finished")


def erase_and_die(home: str, session_id: str, commits: str) -> None:
    """Erase a session and end without a word after so many commits; say so when there are fewer."""
    kept = KeptHome(Path(home))
    _die_after(kept, int(commits))
    kept.eraser().erase(Selection(session_id=session_id))
    say("finished")


def _die_after(kept: KeptHome, commits: int) -> None:
    left = iter(range(commits))

    def count() -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    for database in (kept.records, kept.index_database):
        database.listen(count)


class DyingVfs(apsw.VFS):
    """The system's VFS, for all files; the process is killed ahead of one call to the disk.

    Args:
        calls: How many calls it lives to see.
    """

    def __init__(self, calls: int) -> None:
        self.system = apsw.vfs_names()[0]
        super().__init__("dying", self.system, makedefault=True)
        self.left = calls

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # SQLite's
        """Open a file that counts its calls."""
        return DyingFile(name, flags, self)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802  # SQLite's
        """Delete a file."""
        self.count()
        super().xDelete(filename, syncdir)

    def count(self) -> None:
        """Count a call; die when it is the last."""
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1


class DyingFile(apsw.VFSFile):
    """A file of `DyingVfs`."""

    def __init__(self, name: FileName, flags: list[int], vfs: DyingVfs) -> None:
        super().__init__(vfs.system, name, flags)
        self._vfs = vfs

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # SQLite's
        """Write at ``offset``."""
        self._vfs.count()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's
        """Sync the file."""
        self._vfs.count()
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  # SQLite's
        """Cut to ``newsize``."""
        self._vfs.count()
        super().xTruncate(newsize)


def migrate_and_die(home: str, calls: str) -> None:
    """Open the records of an older recollect and die after so many calls to the disk.

    Says how many calls were left when it was open and closed again.
    """
    vfs = DyingVfs(int(calls))
    open_records(Path(home), StoreSettings(), CLOCK).close()
    say(f"{vfs.left}")


def recover_and_die(dies: str, home: str) -> None:
    """Recover lost records."""
    _until_death(dies, home, lambda: recover(home))


def erase_until_death(dies: str, home: str, session_id: str) -> None:
    """Erase a session."""

    def erase() -> None:
        with recollect.open(home, overrides=WORDS, live=False) as memory:
            memory.erase(session_id=session_id)

    _until_death(dies, home, erase)


def scrub_until_death(dies: str, home: str, secret: str) -> None:
    """Scrub a home of a secret."""

    def scrub() -> None:
        with recollect.open(
            home, overrides={**WORDS, "privacy.patterns": (secret,)}, live=False
        ) as memory:
            memory.scrub()

    _until_death(dies, home, scrub)


def keep_until_death(dies: str, home: str, payload: str) -> None:
    """Spool an event, as the process behind a hook does."""
    _until_death(
        dies, home, lambda: keep(Path(home), "claude-code", "PostToolUse", 1, payload.encode())
    )


def drain_until_death(dies: str, home: str) -> None:
    """Take in what is spooled."""
    _until_death(dies, home, lambda: drain_home(Path(home)))


def back_up_and_die(dies: str, home: str, target: str) -> None:
    """Back a home up."""

    def back_up() -> None:
        with recollect.open(home, overrides=WORDS, live=False) as memory:
            memory.backup(target, replace=True)

    _until_death(dies, str(Path(home).parent), back_up)


def restore_and_die(dies: str, home: str, archive: str) -> None:
    """Restore a home."""
    _until_death(dies, str(Path(home).parent), lambda: recollect.restore(archive, home))


def _until_death(dies: str, below: str, act: Callable[[], object]) -> None:
    """Do something and die at a moment; say how many calls and seconds it took when it lived.

    Calls are those of SQLite to the disk, and our own that open, make, rename, sync or remove
    below a folder. The two folders of a restore change places in the C library.
    """
    kind, _, number = dies.partition(" ")
    vfs = DyingVfs(int(number) if kind == "call" else MANY)
    first, fsync = vfs.left, os.fsync

    def count(event: str, arguments: tuple[object, ...]) -> None:
        ours = {"open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.link"}
        if event == "ctypes.dlopen" or (event in ours and below in str(arguments[0])):
            vfs.count()

    def count_sync(descriptor: int) -> None:
        vfs.count()
        fsync(descriptor)

    sys.addaudithook(count)
    setattr(os, "fsync", count_sync)  # noqa: B010  # no audit hook hears of it
    began = time.perf_counter()
    if kind == "second":
        signal.setitimer(signal.ITIMER_REAL, max(float(number), 1e-6))  # nobody catches it: it ends
    act()
    signal.setitimer(signal.ITIMER_REAL, 0)
    say(f"{first - vfs.left} {time.perf_counter() - began}")


COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command
    for command in (
        write_until_killed,
        write_many,
        write_session,
        start_sessions,
        stream_until_killed,
        open_cold,
        open_new,
        open_at_once,
        race_for_lock,
        append_many,
        rewrite_until_killed,
        run_out_of_memory,
        play,
        prune_and_die,
        erase_and_die,
        erase_until_death,
        scrub_until_death,
        keep_until_death,
        drain_until_death,
        back_up_and_die,
        restore_and_die,
        migrate_and_die,
        recover_and_die,
    )
}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
