"""Keeps the command's view of the files fresh and queries it; knows when to retry it.

The state shared between processes is when it last worked, and why it failed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from recollect.backends.qmd.collections import Collections
from recollect.backends.qmd.command import HINT, FoundText, QmdCommand, read_output
from recollect.core.clock import Clock
from recollect.core.decoding import decode_json
from recollect.core.errors import ProviderUnavailable, RecollectError
from recollect.core.settings import QmdSettings
from recollect.core.worker import Worker
from recollect.recall.search_port import never
from recollect.store.files import write_file

UPDATE_TIMES, EMBED_TIMES = 4, 20
"""Timeouts, in multiples of `qmd.command_timeout_ms`: they read all files, or run a model."""
GATHER_S = 0.3
"""Seconds that questions are gathered before the work due for them is done."""
_MINUTE_MS = 60_000
_OWN_INDEX = ("--index", "index")
"""Named explicitly, the index is that of our folder, whatever project the folder is in."""


FILE_NAME = "state.json"
_MOST_BYTES = 65_536


class QmdState(msgspec.Struct, frozen=True, kw_only=True):
    """Times in ms UTC, 0 for never.

    Attributes:
        updated_at: When it last read the files.
        embedded_at: When it last made vectors.
        failed_at: When it failed, 0 after a success.
        reason: The reason.
    """

    updated_at: int = 0
    embedded_at: int = 0
    failed_at: int = 0
    reason: str = ""


def read_state(folder: Path) -> QmdState:
    """Return the stored state; an empty one when it cannot be read."""
    try:
        with (folder / FILE_NAME).open("rb") as file:
            return decode_json(file.read(_MOST_BYTES), QmdState)
    except (OSError, msgspec.DecodeError):
        return QmdState()


def write_state(folder: Path, state: QmdState) -> None:
    """Store the state, if the folder can be written; without it all works, a little slower."""
    try:
        write_file(folder / FILE_NAME, msgspec.json.encode(state))
    except RecollectError:
        return


class QmdEngine:
    """The external command over the memory files of one workspace. Threads may share it.

    Args:
        settings: The section ``qmd``.
        collections: What it indexes.
        clock: Tells the time.
    """

    def __init__(self, settings: QmdSettings, collections: Collections, clock: Clock) -> None:
        self._settings = settings
        self._collections = collections
        self._clock = clock
        self._command = QmdCommand(settings.command, collections.folder, collections.environ())
        self._state = read_state(collections.folder)
        self._changing = threading.Lock()
        self._updating = threading.Lock()
        self._worker = Worker("recollect-qmd", self._refresh, gather_s=GATHER_S)

    @property
    def state(self) -> QmdState:
        """The state as last stored."""
        return self._state

    def ask(self, query: str, most: int) -> list[FoundText]:
        """Return the hits of the command for a question, best first.

        A stale view of the files is refreshed meanwhile, for the next question. Only the first
        question of all waits for it, no longer than for its answer; vectors are never waited for.

        Raises:
            ProviderUnavailable: it failed now, or a short while ago.
        """
        self._require_rested()
        try:
            if not self._state.updated_at:
                with self._updating:
                    self._update(never, self._settings.timeout_ms / 1000)
            if self._is_update_due() or self._is_embed_due():
                self._worker.wake()
            options = ("--json", "-n", str(most), "--", query)
            output = self._command.run(
                (*_OWN_INDEX, self._settings.mode, *options), self._settings.timeout_ms / 1000
            )
            texts = read_output(output.out)
        except RecollectError as error:
            raise self._noted(error) from error
        self._note_success()
        return texts

    def refresh(self) -> str | None:
        """Update its view of the files now, and make vectors if its mode uses them.

        Returns:
            Why it could not, or None.
        """
        try:
            with self._updating:
                self._update(never, self._longest(UPDATE_TIMES))
                if self._uses_vectors():
                    self._embed(never)
        except RecollectError as error:
            return self._noted(error).message
        self._note_success()
        return None

    def close(self) -> None:
        """Stop running commands. A second call does nothing."""
        self._worker.stop()

    def _refresh(self) -> None:
        """Do the work that is due, in the background."""
        stopping = self._worker.closing.is_set
        try:
            with self._updating:
                if self._is_update_due():
                    self._update(stopping, self._longest(UPDATE_TIMES))
                if self._is_embed_due():
                    self._embed(stopping)
        except RecollectError as error:
            if not stopping():
                self._noted(error)

    def _update(self, stopping: Callable[[], bool], timeout_s: float) -> None:
        self._collections.write()
        try:
            self._run("update", timeout_s, stopping)
        except ProviderUnavailable as error:
            if not error.facts.get("is_damaged"):
                raise
            self._collections.drop_index()
            self._remember(embedded_at=0)
            self._run("update", timeout_s, stopping)
        self._remember(updated_at=self._clock.now_ms())

    def _embed(self, stopping: Callable[[], bool]) -> None:
        self._run("embed", self._longest(EMBED_TIMES), stopping)
        self._remember(embedded_at=self._clock.now_ms())

    def _run(self, name: str, timeout_s: float, stopping: Callable[[], bool]) -> None:
        self._command.run((*_OWN_INDEX, name), timeout_s, stopping)

    def _longest(self, times: int) -> float:
        return times * self._settings.command_timeout_ms / 1000

    def _is_update_due(self) -> bool:
        return self._is_due(self._state.updated_at, self._settings.update_interval_minutes)

    def _is_embed_due(self) -> bool:
        every = self._settings.embed_interval_minutes
        return self._uses_vectors() and every > 0 and self._is_due(self._state.embedded_at, every)

    def _uses_vectors(self) -> bool:
        return self._settings.mode != "search"

    def _is_due(self, done_at: int, interval_minutes: float) -> bool:
        if not done_at:
            return True
        if not interval_minutes:
            return False
        return self._clock.now_ms() - done_at >= interval_minutes * _MINUTE_MS

    def _require_rested(self) -> None:
        state, rest_ms = self._state, self._settings.retry_s * 1000
        if state.failed_at and state.failed_at + rest_ms > self._clock.now_ms():
            raise ProviderUnavailable(state.reason, hint=HINT)

    def _noted(self, error: RecollectError) -> ProviderUnavailable:
        """Store a failure, and return the error to raise."""
        self._remember(failed_at=self._clock.now_ms(), reason=error.message)
        if error.facts.get("is_damaged"):
            self._remember(updated_at=0)  # the next question makes its index again
        return ProviderUnavailable(error.message, hint=error.hint)

    def _note_success(self) -> None:
        if self._state.failed_at:
            self._remember(failed_at=0, reason="")

    def _remember(self, **fields: int | str) -> None:
        with self._changing:
            self._state = msgspec.structs.replace(self._state, **fields)
            write_state(self._collections.folder, self._state)
