"""A home in a temporary folder, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from recollect.core.clock import IdSource
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings, StoreSettings
from recollect.exchange.formats.registry import FORMATS
from recollect.exchange.importer import TranscriptImporter
from recollect.sessions.context.summary import WindowParts
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.access import SessionAccess, SilentMirror
from recollect.sessions.record.draft import DraftMaker, TextRedactor
from recollect.sessions.sessions import Sessions
from recollect.store.locks import TicketQueue
from recollect.store.sqlite.database import SqliteDatabase, open_records
from recollect.text.json_value import JsonValue
from tests.support.destinations import destination_of

T = TypeVar("T")
NOON = 1_770_724_800_000
"""2026-02-10 12:00 UTC in ms."""
MINUTE = 60_000


class HandClock:
    """Stands still until a test moves it."""

    def __init__(self, now: int = NOON) -> None:
        self.now = now

    def now_ms(self) -> int:
        """Return the time that the test set."""
        return self.now


class WordRedactor:
    """Takes out one word, and whatever a key called password holds."""

    def text(self, text: str) -> str:
        """Return the text without the word."""
        return text.replace("hunter2", "[redacted]")

    def identifier(self, text: str) -> str:
        """Return the id without the word."""
        return self.text(text)

    def path(self, path: str, /) -> str:
        """Return the path without the word."""
        return self.text(path)

    def session(
        self, name: str, make: Callable[[TextRedactor], T], *, is_current: bool = True
    ) -> T:
        """Return what is made: it knows its word in every session."""
        return make(self)

    def value(self, value: JsonValue) -> JsonValue:
        """Return the value without the word and without passwords."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {
                key: "[redacted]" if key == "password" else self.value(item)
                for key, item in value.items()
            }
        return value


class Home:
    """The parts of sessions over one folder."""

    def __init__(self, path: Path, redactor: TextRedactor | None = None) -> None:
        self.path = path
        self.clock = HandClock()
        self.ids = IdSource(self.clock)
        self.redactor = redactor
        self.database: SqliteDatabase = open_records(path, StoreSettings(), self.clock)
        self.mirror = TranscriptMirror(path, self.database)
        self.sessions = self.sessions_of(Scope())

    def sessions_of(
        self,
        scope: Scope,
        settings: SessionSettings | None = None,
        *,
        mirrored: bool = False,
        window: WindowParts | None = None,
    ) -> Sessions:
        """Return the sessions as a scope sees them."""
        return Sessions(
            SessionAccess(
                database=self.database,
                clock=self.clock,
                ids=self.ids,
                settings=settings or SessionSettings(),
                drafts=DraftMaker(self.clock, self.ids, self.redactor),
                mirror=self.mirror if mirrored else SilentMirror(),
                scope=scope,
            ),
            turns=TicketQueue(self.path / "turns"),
            window=window,
        )

    def importer(self, scope: Scope | None = None) -> TranscriptImporter:
        """Return an importer of all formats."""
        destination = destination_of(
            self.database, self.path, self.clock, scope=scope, redactor=self.redactor
        )
        return TranscriptImporter(destination, tuple(FORMATS.values()))

    def close(self) -> None:
        """Let go of everything."""
        self.mirror.close()
        self.database.close()
