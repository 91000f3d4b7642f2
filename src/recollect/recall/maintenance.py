"""Maintains a home while a program runs: watches, follows, and keeps the index in step.

Everything that may start a sync comes together here, see `core.settings.sync`. One process of a
home does the work; all of them can search meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import StoreBusy, StoreCorrupt
from recollect.core.settings import SyncSettings
from recollect.core.threads import next_of
from recollect.core.worker import WaitingIterator
from recollect.index.index import Index
from recollect.index.model.locks import SyncLock
from recollect.index.model.sync_report import SyncReport, Watch, never
from recollect.recall.sync import GATHER_S, LOOK_S, WAITING_S, BackgroundSync, Duties, Last, Reason
from recollect.store.background import BackgroundClaim
from recollect.store.locks import Holder
from recollect.workspace.extra_paths import FileTree
from recollect.workspace.memory_folder import memory_trees
from recollect.workspace.watcher import Watcher

if TYPE_CHECKING:  # not imported in a home without them
    from recollect.recall.followed import FollowedFile, FollowedTranscripts, FollowReport
    from recollect.recall.memory_source import MemorySource
    from recollect.sessions.mirror.mirror import TranscriptMirror

_FOLLOWING = frozenset({"interval", "retry", "search", "session-start", "start", "transcript"})
"""Reasons to read followed transcripts; the others do not wait for them."""
_MOST_TIMES = 1_024
"""Searches whose time is kept until somebody asks."""
_REPAIRS = 2
"""Damaged rows are rebuilt; where that hits a damaged page, the whole file is."""

T = TypeVar("T")


class SyncState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the sync of the index.

    Attributes:
        dirty: Whether a sync is running or requested, or the last one failed.
        last_sync_at: When the last one of this process ended, ms UTC.
        last_reason: What started it: ``manual``, ``watch``, ``message`` …
        last_error: The `code` of its error, None after a success.
        watching: How files are watched: by the system, by polling, or not at all.
        watch_error: Why not by the system.
        held_by: The process that does the work: its pid, role (``library`` or ``worker``) and
            start, ms UTC; None if there is none.
        warnings: Folders of memory files and transcripts that are missing or were skipped.
        searches: Searches of this process.
    """

    dirty: bool = False
    last_sync_at: int | None = None
    last_reason: Reason | None = None
    last_error: str | None = None
    watching: Literal["notify", "polling", "off"] = "off"
    watch_error: str | None = None
    held_by: Holder | None = None
    warnings: tuple[str, ...] = ()
    searches: int = 0


class Synced(msgspec.Struct, frozen=True, kw_only=True):
    """A sync in the background: how it ended, and what it did."""

    last: Last
    messages: int = 0
    report: SyncReport = SyncReport()


class Maintenance:
    """Keeps an index, and what is read into it, in step.

    Args:
        index: Is brought up to date with its sources.
        claim: Held by the process that does the work.
        lock: Held by the thread of this process that syncs.
        settings: What starts a sync, and how soon.
        clock: Gives the time of a sync.
        mirror: The readable transcripts, where there are any.
        files: The memory files, where there are any.
        followed: Transcripts of other programs, where any are followed.
        is_live: Whether the program stays: a command that ends at once does not watch.
        heal: Repairs a damaged index; returns whether the index was the cause.
        daily: The work of once a day, in a program that stays; it keeps track of the day itself.
        others: Starts whatever else must be kept in step, in a program that stays.
        derive: Derives from the records what they do not hold yet, under a watch.
    """

    def __init__(
        self,
        index: Index,
        claim: BackgroundClaim,
        lock: SyncLock,
        settings: SyncSettings,
        clock: Clock,
        *,
        mirror: TranscriptMirror | None,
        files: MemorySource | None,
        followed: FollowedTranscripts | None,
        is_live: bool,
        heal: Callable[[StoreCorrupt], bool],
        daily: Callable[[Callable[[], bool]], object],
        others: Callable[[], object],
        derive: Callable[[Watch], int],
    ) -> None:
        self._index = index
        self._claim = claim
        self._settings = settings
        self._mirror = mirror
        self._files = files
        self._followed = followed
        self._is_live = is_live
        self._heal = heal
        self._daily = daily
        self._others = others
        self._derive = derive
        self._look_at: Callable[[str], bool] | None = None
        if followed is not None:
            from recollect.recall.followed import TranscriptDeltas

            self._look_at = TranscriptDeltas(settings.transcripts).look
        self.reads_first = followed is not None and settings.on_search
        """Whether a search begins with `searching`."""
        self._followed_at, self._searches, self._took_ms = 0.0, 0, deque[float](maxlen=_MOST_TIMES)
        folders = _watched(files, followed)
        self._watcher = Watcher(folders, self._changed, poll_s=settings.poll_s)
        is_worker = claim.role == "worker"
        self._background = BackgroundSync(
            Duties(
                work=self._work,
                is_owner=claim.acquire,
                is_behind=index.is_behind,
                is_wanted=None if is_worker else claim.is_wanted,
                let_go=claim.release,
                retry_s=WAITING_S if is_worker else LOOK_S,
                begin=self._begin,
                ended=self._ended,
            ),
            clock,
            lock,
            interval_s=settings.interval_minutes * 60 if is_live else 0.0,
        )
        self._has_started = not is_live
        self._changed_paths: set[str] = set()
        self._telling = threading.Lock()
        """Guards the paths, which the watcher reports and a sync takes."""
        self._messages, self._report = 0, SyncReport()
        self._listener: SimpleQueue[Synced | None] | None = None

    def notify(self) -> None:
        """Report that messages were stored, to the mirror too. Returns at once."""
        if self._mirror is not None:
            self._mirror.notify()
        self._start()
        self._background.ask("message", GATHER_S, most_rests=1)

    def session_started(self) -> None:
        """Report that a session was opened. Returns at once."""
        self._start()
        if self._settings.on_session_start and self._is_live:
            self._background.ask("session-start")

    def searching(self) -> tuple[str, ...]:
        """Store what is new in followed transcripts before a search.

        Returns:
            Why some of it may be missing; empty where nothing is.
        """
        return () if self._followed is None else self._followed.catch_up()

    def searched(self, took_ms: float, *, is_damaged: bool = False) -> None:
        """Report a search, whatever its result. Returns at once.

        Args:
            took_ms: How long it took.
            is_damaged: Whether some of the index had to be left out: then it is rebuilt.
        """
        self._start()
        with self._telling:
            self._searches += 1
            self._took_ms.append(took_ms)
        if is_damaged and self._is_live:
            self._background.ask("damage")
        if self._settings.on_search and self._is_live and self._has_more():
            self._background.ask("search")

    def take_searches(self) -> tuple[float, ...]:
        """Return how long each search took since the last call, ms; the last 1,024 at most."""
        with self._telling:
            took_ms = tuple(self._took_ms)
            self._took_ms.clear()
        return took_ms

    def run(self, work: Callable[[], T]) -> T:
        """Run a sync on request, in the caller's thread, instead of one in the background."""
        return self._background.run(lambda: self.healing(work))

    def healing(self, work: Callable[[], T]) -> T:
        """Run what needs the index; once more after the index was damaged and rebuilt."""
        try:
            return work()
        except StoreCorrupt as error:
            return self.healed(error, work)

    def healed(self, error: StoreCorrupt, work: Callable[[], T]) -> T:
        """Repair the index and do the work; raise the error if it concerns the records."""
        for _ in range(_REPAIRS):
            if not self._heal(error):
                break
            if self._files is not None:
                self._files.forget_scan()
            try:
                return work()
            except StoreCorrupt as another:
                error = another
        raise error

    def watch(self) -> Iterator[Synced]:
        """Keep the home in step from now on; yield each sync that did something or failed.

        Ends when it is closed.

        Raises:
            StoreBusy: another program does it already.
        """
        if self._claim.role != "worker" and not self._claim.acquire():
            hint = "it sees every change; nothing needs to be done"
            raise StoreBusy("another program keeps this home in step", hint=hint)
        listener: SimpleQueue[Synced | None] = SimpleQueue()
        self._listener = listener
        self._start()
        nexts = iter(lambda: next_of(listener, self._background.look), None)
        return WaitingIterator(nexts, lambda: listener.put(None))

    def bring_in(self) -> tuple[str, ...]:
        """Store what is new in followed transcripts, on request.

        Returns:
            What was left out, also by searches and the background since the last call.
        """
        warnings = self._bring_in(never).warnings
        followed = self._followed
        return warnings if followed is None else (*warnings, *followed.take_deleted())

    def _bring_in(self, stopping: Callable[[], bool]) -> FollowReport:
        self._followed_at = time.monotonic()
        if self._followed is None:
            from recollect.recall.followed import FollowReport

            return FollowReport()
        return self._followed.bring_in(stopping)

    def transcript_grew(
        self, path: str, format_name: str, *, is_awaited: bool = False
    ) -> FollowedFile | None:
        """Report that a program wrote to a transcript; see `Memory.transcript_grew`."""
        followed = self._followed
        file = None if followed is None else followed.find(path, format_name)
        if followed is None or file is None:
            return None
        if is_awaited:
            followed.catch_up()
        elif self._is_live:
            self._start()
            self._changed(frozenset({file.path}))
        return file

    def is_behind(self) -> bool:
        """Return whether messages, memory files or followed transcripts are not indexed yet."""
        index, files, followed = self._index, self._files, self._followed
        if index.is_behind() or (followed is not None and followed.is_behind()):
            return True
        return files is not None and files.differs(index.known(files))

    def pause(self) -> None:
        """Do nothing in the background from now on; calls still work."""
        self._watcher.close()
        self._background.close()
        self._claim.release()

    def state(self) -> SyncState:
        """Return the current state of the sync."""
        last, watching = self._background.last, self._watcher.state
        followed, files = self._followed, self._files
        warnings = (files.warnings if files else ()) + (followed.warnings if followed else ())
        return SyncState(
            dirty=self._background.is_dirty,
            last_sync_at=last.at,
            last_reason=last.reason,
            last_error=last.error,
            watching=watching.mode,
            watch_error=watching.error,
            held_by=self._claim.holder(),
            warnings=warnings,
            searches=self._searches,
        )

    def close(self) -> None:
        """Stop; a second call does nothing."""
        self.pause()
        if self._listener is not None:
            self._listener.put(None)

    def begin(self) -> None:
        """Start the work now, without waiting for a first use. Returns at once."""
        self._has_started = True
        self._background.ask("start")

    def _start(self) -> None:
        """Start the background of a program that stays, at its first use."""
        if not self._has_started:
            self._has_started = True
            if self._settings.watch or self._settings.interval_minutes:
                self._background.ask("start")

    def _begin(self) -> None:
        if self._is_live and self._settings.watch:
            self._watcher.start()
        if self._is_live:
            self._others()

    def _changed(self, paths: frozenset[str]) -> None:
        from recollect.recall.followed import is_followed

        if not paths:
            self._background.ask("start")
        for path in paths:
            if self._look_at is not None and is_followed(path):
                rest_ms = 0 if self._look_at(path) else self._settings.transcripts.debounce_ms
                self._background.ask("transcript", rest_ms / 1000)
            else:
                with self._telling:
                    self._changed_paths.add(path)
                self._background.ask("watch", self._settings.watch_debounce_ms / 1000)

    def _work(self, reasons: tuple[Reason, ...], watch: Watch) -> None:
        self._messages, self._report = 0, SyncReport()
        with self._telling:
            paths = frozenset(self._changed_paths)
            self._changed_paths.clear()
        if not _FOLLOWING.isdisjoint(reasons):
            self._messages = self._bring_in(watch.stopping).messages
        if reasons == ("watch",) and self._watcher.state.mode == "notify":
            watch = msgspec.structs.replace(watch, changed=paths)
        index = self._index
        if "damage" in reasons:
            self._report = self.healing(lambda: index.rebuild(watch))
        self._report = self._report.plus(self.healing(lambda: index.sync(watch)))
        if reasons != ("watch",) and self._derive(watch):  # files state nothing
            facts = msgspec.structs.replace(watch, changed=frozenset())
            self._report = self._report.plus(self.healing(lambda: index.sync(facts)))
        if self._is_live:
            self._daily(watch.stopping)

    def _ended(self, last: Last) -> None:
        report = self._report
        did = self._messages or report.put or report.removed or report.vectors or last.error
        if self._listener is not None and did:
            self._listener.put(Synced(last=last, messages=self._messages, report=report))

    def _has_more(self) -> bool:
        """Whether a search left something undone."""
        is_unwatched = self._followed is not None and self._watcher.state.mode == "off"
        rested_s = time.monotonic() - self._followed_at
        is_due = is_unwatched and rested_s >= self._settings.poll_s
        is_due = is_due or (self._followed is not None and self._followed.has_more)
        return is_due or self._index.views.waits_for_vectors


def _watched(
    files: MemorySource | None, followed: FollowedTranscripts | None
) -> tuple[FileTree, ...]:
    """Return the folders whose changes matter."""
    folder = files.folder if files else None
    memory_files = memory_trees(folder.workspace, folder.extra) if folder else ()
    return (*memory_files, *(followed.places() if followed else ()))
