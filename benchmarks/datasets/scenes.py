"""The handover scenes: sessions as hook events, and what a colleague would tell the next one.

The sets are described in ``tests/fixtures/handover/README.md``. Of the unseen one only totals may
be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from benchmarks.datasets.data import data_file, decode, read_plain
from recollect.core.clock import derived_id, to_ms

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "handover"

SceneSet: TypeAlias = Literal["seen", "unseen"]


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a block says, or must not say.

    Attributes:
        kind: Of a needed one ``rule, decision, left_off, open_end, cause`` or ``value``; of one
            that must not be there ``outdated`` or ``foreign``; else ``useful``.
        what: In words.
        all: Regular expressions, case aside; all of them are in a few lines of the block.
        unless: Regular expressions that make a mention of what is outdated a right one.
    """

    kind: str
    what: str
    all: tuple[str, ...]
    unless: tuple[str, ...] = ()


class SceneSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session before the one that is judged.

    Attributes:
        id: Its name; two with the same name are one session that was resumed.
        days_ago: Before the day of the next session.
        at: ``HH:MM`` of its first event.
        project: The folder it runs in.
        events: Payloads of hooks, each with ``after_s``, seconds after the one before, and without
            the fields that all events have.
    """

    id: str
    days_ago: int
    at: str
    project: str
    events: tuple[dict[str, Any], ...]


class NextSession(msgspec.Struct, frozen=True, kw_only=True):
    """The session whose block is judged.

    Attributes:
        at: ``HH:MM`` of its start.
        source: As Claude Code says it.
        project: The folder it runs in.
        resumes: The session that goes on; None for a new one.
        prompt: Its first prompt, if the answer to it counts as well.
    """

    at: str
    source: str
    project: str
    resumes: str | None
    prompt: str | None


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """Some sessions, and the block that the next one needs.

    Attributes:
        home: ``large``: among many other sessions.
        today: The day of the next session, ``YYYY-MM-DD``.
        files: Files that are there, by path below the project.
    """

    id: str
    language: str
    area: str
    home: Literal["own", "large"]
    today: str
    project: str
    sessions: tuple[SceneSession, ...]
    next: NextSession
    needed: tuple[Expected, ...]
    useful: tuple[Expected, ...]
    outdated: tuple[Expected, ...]
    files: Mapping[str, str] = {}

    def moment(self, days_ago: int, at: str) -> int:
        """Return a time of the scene, ms UTC."""
        day = datetime.fromisoformat(f"{self.today}T{at}").replace(tzinfo=UTC)
        return to_ms(day - timedelta(days=days_ago))

    def events(self) -> Iterator[Fired]:
        """Yield the events of the sessions, oldest first, each as Claude Code sends it."""
        for session in self.sessions:
            at, turn = self.moment(session.days_ago, session.at), 0
            for event in session.events:
                at += 1_000 * event["after_s"]
                turn += event["hook_event_name"] == "UserPromptSubmit"
                name = f"{session.days_ago}/{session.at}/{turn}" if turn else None
                fields = {key: value for key, value in event.items() if key != "after_s"}
                yield self.fired(session.id, session.project, at, fields, turn=name)

    def fired(
        self, session: str, project: str, at: int, fields: Mapping[str, Any], *, turn: str | None
    ) -> Fired:
        """Return an event with the fields that all events have."""
        payload = {
            "session_id": derived_id(0, self.id, session),
            "cwd": project,
            "permission_mode": "acceptEdits",
            **({} if turn is None else {"prompt_id": derived_id(0, self.id, session, turn)}),
            **fields,
        }
        return Fired(at=at, payload=payload)


class Fired(msgspec.Struct, frozen=True, kw_only=True):
    """An event of Claude Code: when, ms UTC, and what it says."""

    at: int
    payload: dict[str, Any]

    @property
    def name(self) -> str:
        """The event."""
        return str(self.payload["hook_event_name"])


def load_scenes(name: SceneSet) -> tuple[Scene, ...]:
    """Return a set of scenes.

    Raises:
        NotFound: its file is missing.
        InvalidInput: it has another format.
    """
    file = data_file(FOLDER, f"{name}.json.gz")
    return decode(read_plain(file), tuple[Scene, ...], file.name)
