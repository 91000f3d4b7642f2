"""A database of claude-mem as its own migrations make it, for tests that read one.

The statements follow its SessionStore (versions 4 to 49 of the schema): the tables of version 4,
and what each later version that touches sessions, prompts, observations or summaries does to them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw  # noqa: TID251 - it writes what another program writes

NOON = 1_795_348_800_000
"""When the first thing happened, ms UTC: 2026-11-22 12:00."""
VERSIONS = (4, 9, 16, 17, 24, 35, 49)
"""Of the fixtures: the oldest, the one before prompts, before and after the renaming, with
platforms, with prompts by session, and the newest."""

_FIRST = """
    CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL,
        applied_at TEXT NOT NULL);
    CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT,
        claude_session_id TEXT UNIQUE NOT NULL, sdk_session_id TEXT UNIQUE, project TEXT NOT NULL,
        user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL,
        completed_at TEXT, completed_at_epoch INTEGER,
        status TEXT CHECK(status IN ('active', 'completed', 'failed')) NOT NULL DEFAULT 'active');
    CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, sdk_session_id TEXT NOT NULL,
        project TEXT NOT NULL, text TEXT NOT NULL, type TEXT NOT NULL, created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL,
        FOREIGN KEY(sdk_session_id) REFERENCES sdk_sessions(sdk_session_id) ON DELETE CASCADE);
    CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT,
        sdk_session_id TEXT UNIQUE NOT NULL, project TEXT NOT NULL, request TEXT,
        investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT,
        files_edited TEXT, notes TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
"""
_STEPS: Mapping[int, str] = {
    5: "ALTER TABLE sdk_sessions ADD COLUMN worker_port INTEGER",
    6: """
        ALTER TABLE sdk_sessions ADD COLUMN prompt_counter INTEGER DEFAULT 0;
        ALTER TABLE observations ADD COLUMN prompt_number INTEGER;
        ALTER TABLE session_summaries ADD COLUMN prompt_number INTEGER""",
    7: """
        CREATE TABLE summaries_new (id INTEGER PRIMARY KEY AUTOINCREMENT,
            sdk_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT, investigated TEXT,
            learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT,
            notes TEXT, prompt_number INTEGER, created_at TEXT NOT NULL,
            created_at_epoch INTEGER NOT NULL);
        DROP TABLE session_summaries;
        ALTER TABLE summaries_new RENAME TO session_summaries""",
    8: "; ".join(
        f"ALTER TABLE observations ADD COLUMN {name} TEXT"
        for name in (
            *("title", "subtitle", "facts", "narrative", "concepts"),
            *("files_read", "files_modified"),
        )
    ),
    9: """
        CREATE TABLE observations_new (id INTEGER PRIMARY KEY AUTOINCREMENT,
            sdk_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL,
            title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
            files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL,
            created_at_epoch INTEGER NOT NULL);
        DROP TABLE observations;
        ALTER TABLE observations_new RENAME TO observations""",
    10: """
        CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT,
            claude_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL,
            prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
            FOREIGN KEY(claude_session_id) REFERENCES sdk_sessions(claude_session_id))""",
    11: """
        ALTER TABLE observations ADD COLUMN discovery_tokens INTEGER DEFAULT 0;
        ALTER TABLE session_summaries ADD COLUMN discovery_tokens INTEGER DEFAULT 0""",
    16: """
        CREATE TABLE pending_messages (id INTEGER PRIMARY KEY AUTOINCREMENT,
            session_db_id INTEGER NOT NULL, claude_session_id TEXT NOT NULL,
            message_type TEXT NOT NULL, tool_name TEXT, tool_input TEXT, tool_response TEXT,
            created_at_epoch INTEGER NOT NULL)""",
    17: """
        ALTER TABLE sdk_sessions RENAME COLUMN claude_session_id TO content_session_id;
        ALTER TABLE sdk_sessions RENAME COLUMN sdk_session_id TO memory_session_id;
        ALTER TABLE pending_messages RENAME COLUMN claude_session_id TO content_session_id;
        ALTER TABLE observations RENAME COLUMN sdk_session_id TO memory_session_id;
        ALTER TABLE session_summaries RENAME COLUMN sdk_session_id TO memory_session_id;
        ALTER TABLE user_prompts RENAME COLUMN claude_session_id TO content_session_id""",
    22: "ALTER TABLE observations ADD COLUMN content_hash TEXT",
    23: "ALTER TABLE sdk_sessions ADD COLUMN custom_title TEXT",
    24: "ALTER TABLE sdk_sessions ADD COLUMN platform_source TEXT NOT NULL DEFAULT 'claude'",
    26: """
        ALTER TABLE observations ADD COLUMN generated_by_model TEXT;
        ALTER TABLE observations ADD COLUMN relevance_count INTEGER DEFAULT 0;
        ALTER TABLE observations ADD COLUMN merged_into_project TEXT;
        ALTER TABLE session_summaries ADD COLUMN merged_into_project TEXT""",
    27: """
        ALTER TABLE observations ADD COLUMN agent_type TEXT;
        ALTER TABLE observations ADD COLUMN agent_id TEXT""",
    30: "ALTER TABLE observations ADD COLUMN metadata TEXT",
    33: """
        CREATE TABLE sessions_new (id INTEGER PRIMARY KEY AUTOINCREMENT,
            content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE, project TEXT NOT NULL,
            platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT,
            started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at TEXT,
            completed_at_epoch INTEGER, status TEXT NOT NULL DEFAULT 'active',
            worker_port INTEGER, prompt_counter INTEGER DEFAULT 0, custom_title TEXT);
        DROP TABLE sdk_sessions;
        ALTER TABLE sessions_new RENAME TO sdk_sessions;
        CREATE UNIQUE INDEX ux ON sdk_sessions(platform_source, content_session_id)""",
    34: """
        CREATE TABLE prompts_new (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER,
            content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL,
            prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
        DROP TABLE user_prompts;
        ALTER TABLE prompts_new RENAME TO user_prompts""",
    39: "; ".join(
        f"ALTER TABLE {table} ADD COLUMN synced_at INTEGER"
        for table in ("observations", "session_summaries", "user_prompts")
    ),
    41: "; ".join(
        f"ALTER TABLE {table} ADD COLUMN {column}"
        for table in ("observations", "session_summaries", "user_prompts")
        for column in (
            *("origin_device_id TEXT", "origin_local_id TEXT"),
            "sync_rev TEXT NOT NULL DEFAULT '1'",
        )
    ),
}


class ClaudeMem:
    """A database in WAL mode, held open as its worker holds it.

    Args:
        path: Where.
        version: Of the schema; what is above the last known step is only noted.
    """

    def __init__(self, path: Path, version: int = 49) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.version = path, version
        self.connection = apsw.Connection(str(path))
        self.connection.pragma("journal_mode", "wal")
        self.connection.execute(_FIRST)
        for step in range(4, version + 1):
            if step in _STEPS and step > 4:
                self.connection.execute(_STEPS[step])
            self.connection.execute(
                "INSERT INTO schema_versions (version, applied_at) VALUES (?, '')", (step,)
            )
        self._now = NOON

    def session(self, name: str = "s1", project: str = "tea", **facts: Any) -> int:
        """Begin a session; what its observer calls it is ``mem-NAME``."""
        row = {"project": project, "user_prompt": "make the tea", **self._started()}
        return self._insert("sdk_sessions", row | self._names(name, both=True) | facts)

    def prompt(self, words: str, name: str = "s1", number: int = 1, **facts: Any) -> None:
        """Store a prompt."""
        row = {"prompt_number": number, "prompt_text": words, **self._created()}
        own = "content_session_id" if self.version >= 17 else "claude_session_id"
        self._insert("user_prompts", row | {own: name} | facts)

    def observation(self, kind: str, title: str, name: str = "s1", **facts: Any) -> None:
        """Store what the observer wrote."""
        row = {"project": "tea", "type": kind, **self._created()}
        if self.version < 8:
            row["text"] = title
        else:
            row |= {"title": title, "facts": json.dumps(["it is hot"]), "files_read": '["a.py"]'}
        if self.version < 9:
            row["text"] = title
        self._insert("observations", row | self._names(name) | facts)

    def summary(self, request: str, name: str = "s1", **facts: Any) -> None:
        """Store a summary of a session."""
        row = {"project": "tea", "request": request, "completed": "all of it", **self._created()}
        self._insert("session_summaries", row | self._names(name) | facts)

    def exported(self) -> dict[str, Any]:
        """Return the JSON that its export script writes of everything."""

        def rows(table: str) -> list[dict[str, Any]]:
            cursor = self.connection.execute(f"SELECT * FROM {table} ORDER BY id")  # noqa: S608
            names = [column[0] for column in cursor.get_description()]
            return [dict(zip(names, row, strict=True)) for row in cursor]

        tables = {
            "observations": "observations",
            "sessions": "sdk_sessions",
            "summaries": "session_summaries",
            "prompts": "user_prompts",
        }
        found = {name: rows(table) for name, table in tables.items()}
        totals = {f"total{name.capitalize()}": len(each) for name, each in found.items()}
        return {"exportedAt": "2026-11-22T13:00:00.000Z", "query": "", **totals, **found}

    def _names(self, name: str, *, both: bool = False) -> dict[str, str]:
        is_new = self.version >= 17
        names = {"memory_session_id" if is_new else "sdk_session_id": f"mem-{name}"}
        if both:
            names["content_session_id" if is_new else "claude_session_id"] = name
        return names

    def _created(self) -> dict[str, Any]:
        self._now += 60_000
        return {"created_at": "2026-11-22T12:00:00.000Z", "created_at_epoch": self._now}

    def _started(self) -> dict[str, Any]:
        self._now += 60_000
        return {"started_at": "2026-11-22T12:00:00.000Z", "started_at_epoch": self._now}

    def _insert(self, table: str, row: Mapping[str, Any]) -> int:
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        self.connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608
            tuple(row.values()),
        )
        return self.connection.last_insert_rowid()
