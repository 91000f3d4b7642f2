"""Records, index and mirrors of one home, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from recollect.audience.owner import NOBODY_NAMED
from recollect.audience.people import People
from recollect.core.clock import DAY_MS, IdSource
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings, Settings, StoreSettings
from recollect.core.settings.sessions import RetentionSettings
from recollect.governance.erasure import Eraser
from recollect.governance.retention import Retention
from recollect.governance.sweep import Copies, copies_elsewhere
from recollect.index.index import Index
from recollect.index.model.locks import IndexLocks
from recollect.index.query.search_service import SearchOptions
from recollect.recall.outbox_source import OutboxSource
from recollect.sessions.context.episode import Episode
from recollect.sessions.context.episode_writer import EpisodeWriter
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.access import SessionAccess, SilentMirror
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.record.session import Session
from recollect.sessions.sessions import Sessions
from recollect.store.blobs import Blobs
from recollect.store.sqlite.database import open_index, open_records
from recollect.store.sqlite.home import BLOBS
from tests.unit.sessions.home import HandClock

EVERYBODY = Scope()
TURN = ("user", "assistant")


class DisturbedWriter(EpisodeWriter):
    """Does something else between the plan and the removal of a session."""

    meanwhile: Callable[[str], object] = staticmethod(lambda _: None)

    def write(self, session: Session, through_seq: int) -> list[Episode]:
        """Return the episodes, after what happens meanwhile."""
        self.meanwhile(session.id)
        return super().write(session, through_seq)


class OneIndex:
    """Implements `recollect.governance.erasure.Indexes` where there is no other."""

    def __init__(self, index: Index) -> None:
        self.drop = index.take

    def clear_others(self) -> tuple[str, ...]:
        """Return nothing: all is done."""
        return ()


class KeptHome:
    """The parts that retention needs, over one folder."""

    def __init__(self, path: Path, *, mirrored: bool = True) -> None:
        self.path = path
        self.clock = HandClock()
        self.ids = IdSource(self.clock)
        self.records = open_records(path, StoreSettings(durability="fast"), self.clock)
        self.index_database = open_index(path, StoreSettings(), self.clock)
        self.mirror = TranscriptMirror(path, self.records)
        self.is_mirrored = mirrored
        self.index = Index(
            self.index_database,
            [OutboxSource(self.records)],
            Settings(),
            clock=self.clock,
            embedder=None,
            locks=IndexLocks(path, self.clock),
        )
        self.sessions = Sessions(
            SessionAccess(
                database=self.records,
                clock=self.clock,
                ids=self.ids,
                settings=SessionSettings(),
                drafts=DraftMaker(self.clock, self.ids, None),
                mirror=self.mirror if mirrored else SilentMirror(),
            )
        )

    def retention(self, scope: Scope = EVERYBODY, /, **caps: int) -> Retention:
        """Return the retention with some caps."""
        settings = RetentionSettings(**caps)
        self.writer = DisturbedWriter(self.records, self.clock, self.ids, settings.episode_tokens)
        return Retention(
            self._copies(),
            settings,
            scope,
            episodes=self.writer,
            clock=self.clock,
        )

    def eraser(self) -> Eraser:
        """Return what erases sessions."""
        return Eraser(
            self.path,
            self._copies(),
            EVERYBODY,
            people=People(NOBODY_NAMED),
            clock=self.clock,
            ids=self.ids,
            indexes=OneIndex(self.index),
        )

    def _copies(self) -> Copies:
        return Copies(
            clock=self.clock,
            records=self.records,
            index_database=self.index_database,
            blobs=Blobs(self.path / BLOBS),
            mirror=self.mirror,
            is_mirrored=self.is_mirrored,
            catch_up=self.index.catch_up,
            elsewhere=lambda: copies_elsewhere(self.path, self.path),
        )

    def talk(self, word: str, messages: int, *, days_ago: int = 0) -> str:
        """Return a session of so many messages, each with its own form of ``word``."""
        at = self.clock.now - days_ago * DAY_MS
        session = self.sessions.create(title=word, at=at)
        said = [
            {"role": TURN[n % 2], "content": f"{word}x{n + 1} was said here.", "at": at}
            for n in range(messages)
        ]
        self.sessions.append_many(session.id, said)
        return session.id

    def seqs(self, session_id: str) -> list[int]:
        """Return the places of the messages that a session shows."""
        return [message.seq for message in self.sessions.messages(session_id)]

    def found(self, query: str, sources: tuple[str, ...] | None = None) -> list[str]:
        """Return the texts with the query in them that a search finds."""
        options = SearchOptions(limit=50, min_score=0.0, sources=sources, mode="lexical")
        hits = self.index.search(query, Scope(), options).hits
        return [hit.snippet for hit in hits if f"{query} " in hit.snippet]

    def files_with(self, text: str) -> list[str]:
        """Return the names of the files of the closed home that hold a text."""
        every = sorted(path for path in self.path.rglob("*") if path.is_file())
        return [path.name for path in every if text.encode() in path.read_bytes()]

    def close(self) -> None:
        """Let go of everything."""
        self.mirror.close()
        self.index_database.close()
        self.records.close()
