"""A store of OpenClaw 2026.9, written as its gateway writes it: for tests that read one.

Only the tables and columns that a reader needs, after the description of the schema.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import apsw  # noqa: TID251 - it writes what another program writes
import zstandard

NOON = 1_795_348_800_000
"""When the first event happened, ms UTC: 2026-11-22 12:00."""
PACKED_BYTES = 1_024
"""From this size on events are packed."""

_SCHEMA = """
    CREATE TABLE schema_meta (meta_key TEXT PRIMARY KEY, role TEXT, schema_version INTEGER,
        agent_id TEXT, app_version TEXT) STRICT;
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL,
        entry_json TEXT NOT NULL, created_via TEXT, parent_session_key TEXT, spawned_by TEXT,
        label TEXT, display_name TEXT, archived_at INTEGER) STRICT;
    CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL,
        previous_session_id TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        transcript_updated_at INTEGER, parent_session_key TEXT, spawned_by TEXT) STRICT;
    CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL,
        event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER,
        navigation_json TEXT, PRIMARY KEY (session_id, seq)) STRICT;
    CREATE TABLE transcript_event_identities (session_id TEXT NOT NULL, event_id TEXT NOT NULL,
        seq INTEGER NOT NULL, event_type TEXT, parent_id TEXT,
        PRIMARY KEY (session_id, event_id)) STRICT;
    CREATE TABLE session_transcript_index_state (session_id TEXT PRIMARY KEY,
        indexed_seq INTEGER NOT NULL, leaf_event_id TEXT, needs_rebuild INTEGER NOT NULL) STRICT;
    CREATE TABLE session_transcript_active_events (session_id TEXT NOT NULL,
        active_position INTEGER NOT NULL, event_seq INTEGER NOT NULL,
        PRIMARY KEY (session_id, active_position)) STRICT;
    CREATE TABLE transcript_rewrite_watermarks (session_id TEXT PRIMARY KEY,
        generation TEXT NOT NULL, updated_at INTEGER NOT NULL) STRICT;
    CREATE TABLE session_transcript_archives (session_id TEXT NOT NULL, generation TEXT NOT NULL,
        session_key TEXT NOT NULL, reason TEXT NOT NULL, encoding TEXT NOT NULL,
        archive_blob BLOB NOT NULL, created_at INTEGER NOT NULL,
        PRIMARY KEY (session_id, generation)) STRICT;
    CREATE TABLE session_transcript_cold_archives (session_id TEXT PRIMARY KEY,
        generation TEXT NOT NULL, archive_name TEXT NOT NULL, storage TEXT NOT NULL,
        archive_blob BLOB) STRICT;
    CREATE TABLE memory_session_tombstones (session_id TEXT PRIMARY KEY,
        created_at INTEGER NOT NULL) STRICT;
"""


def write_state(state: Path, stores: dict[str, Path]) -> None:
    """Write the database of a gateway, which names the store of each agent."""
    (state / "state").mkdir(parents=True)
    connection = apsw.Connection(str(state / "state" / "openclaw.sqlite"))
    columns = "agent_id TEXT, path TEXT, schema_version INT"
    connection.execute(f"CREATE TABLE agent_databases ({columns}) STRICT")
    for agent, path in stores.items():
        connection.execute("INSERT INTO agent_databases VALUES (?, ?, 23)", (agent, str(path)))
    connection.close()


class WrittenStore:
    """A store in WAL mode, held open like the gateway's.

    Args:
        state: The folder that is ``~/.openclaw`` elsewhere.
        agent: Whose store.
        version: Of the schema.
    """

    def __init__(self, state: Path, agent: str = "main", version: int = 23) -> None:
        self.path = state / "agents" / agent / "agent" / "openclaw-agent.sqlite"
        self.path.parent.mkdir(parents=True)
        self.connection = apsw.Connection(str(self.path))
        self.connection.pragma("journal_mode", "wal")
        self.connection.pragma("user_version", version)
        self.connection.execute(_SCHEMA)
        self._run("INSERT INTO schema_meta VALUES ('primary', 'agent', ?, ?, 'x')", version, agent)
        self._now = NOON
        self._last: dict[str, str | None] = {}

    def window(
        self, key: str, session: str, previous: str | None = None, **node: str | None
    ) -> None:
        """Begin a generation of a conversation."""
        self._run(
            "INSERT OR REPLACE INTO session_nodes VALUES (?, ?, '{}', ?, ?, ?, ?, ?, NULL)",
            key,
            session,
            *map(node.get, ("created_via", "parent", "spawned_by", "label", "display_name")),
        )
        self._run(
            "INSERT INTO session_windows VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)",
            session,
            key,
            previous,
            *[self._tick()] * 3,
        )
        self._run(
            "INSERT INTO transcript_rewrite_watermarks VALUES (?, 'g1', ?)", session, self._now
        )
        self._last[session] = None
        self.event(session, {"type": "session", "version": 4, "id": session, "cwd": "/home/ana"})

    def event(self, session: str, event: dict[str, Any]) -> int:
        """Store an event as it is; return its seq."""
        seq = self._seq(session)
        event = {"timestamp": "2026-11-22T12:00:00Z"} | event
        body = json.dumps(event).encode()
        told: tuple[Any, ...] = (body.decode(), None, None, None)
        if len(body) >= PACKED_BYTES:
            told = (None, zstandard.compress(body), len(body), "{}")
        text, packed, size, navigation = told
        self._run(
            "INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(session, seq, text, self._tick(), packed, size, navigation),
        )
        if event["type"] != "session" and event["id"] is not None:
            self._run(
                "INSERT OR REPLACE INTO transcript_event_identities VALUES (?, ?, ?, ?, ?)",
                *(session, event["id"], seq, event["type"], event.get("parentId")),
            )
            self._last[session] = event.get("targetId", event["id"])
        self._run(
            "UPDATE session_windows SET transcript_updated_at = ? WHERE session_id = ?",
            *(self._now, session),
        )
        return seq

    def say(self, session: str, role: str, content: Any, **message: Any) -> str:
        """Store a message below the last entry; return its id."""
        told = {"role": role, "content": content} | message
        return self.entry(session, type="message", message=told)

    def person(self, session: str, text: str, sender: str, **more: Any) -> str:
        """Store what a person wrote on Telegram; return its id."""
        about = {
            "senderId": sender,
            "senderName": f"P{sender}",
            "senderIdentity": {"accountId": "default"},
            "transport": {"channel": "telegram", "messageId": "1"},
        }
        return self.say(session, "user", text, __openclaw=about, **more)

    def entry(self, session: str, **event: Any) -> str:
        """Store an entry below the last one; return its id."""
        made = f"{event['type'][:3]}-{hashlib.sha256(repr(event).encode()).hexdigest()[:8]}"
        self.event(session, {"id": made, "parentId": self._last[session]} | event)
        return str(event.get("id", made))

    def leaf(self, session: str, target: str | None) -> None:
        """Go back to an entry; what follows it is on another branch."""
        self.event(session, {"type": "leaf", "id": f"leaf-{self._now}", "targetId": target})

    def rewind(self, key: str, session: str, previous: str, target: str) -> None:
        """Begin a window with a copy of another one's events, and go back in it."""
        self._run("DELETE FROM session_nodes WHERE session_key = ?", key)
        self.window(key, session, previous)
        for table, columns in {
            "transcript_events": "seq, event_json, created_at, event_zstd, event_utf8_bytes,"
            " navigation_json",
            "transcript_event_identities": "event_id, seq, event_type, parent_id",
        }.items():
            self._run(
                f"INSERT OR IGNORE INTO {table} (session_id, {columns})"  # noqa: S608  # literals
                f" SELECT ?, {columns} FROM {table} WHERE session_id = ?",
                *(session, previous),
            )
        self._last[session] = self._last[previous]
        self.leaf(session, target)

    def index(self, session: str, active: list[int]) -> None:
        """Say which events are active, as the gateway does in the transaction of each event."""
        self._run("DELETE FROM session_transcript_active_events WHERE session_id = ?", session)
        self._run(
            "INSERT OR REPLACE INTO session_transcript_index_state VALUES (?, ?, NULL, 0)",
            *(session, self._seq(session) - 1),
        )
        for position, seq in enumerate(active):
            self._run(
                "INSERT INTO session_transcript_active_events VALUES (?, ?, ?)",
                session,
                position,
                seq,
            )

    def rewrite(self, session: str, generation: str) -> None:
        """Say that events before the last one may have changed."""
        self._run(
            "UPDATE transcript_rewrite_watermarks SET generation = ? WHERE session_id = ?",
            *(generation, session),
        )

    def archive(
        self, session: str, key: str, reason: str, *said: str, encoding: str = "zstd"
    ) -> None:
        """Keep a transcript as a whole, as at a reset or a deletion."""
        body = _lines(session, said)
        packed = zstandard.compress(body) if encoding == "zstd" else body
        self._run(
            "INSERT INTO session_transcript_archives VALUES (?, 'g1', ?, ?, ?, ?, ?)",
            *(session, key, reason, encoding, packed, self._tick()),
        )

    def delete(self, session: str, key: str) -> None:
        """Delete a conversation: only its archive stays."""
        self.archive(session, key, "deleted", "what was said")
        self.forget(session)

    def forget(self, session: str) -> None:
        """Remove the rows of a window, with its node."""
        for table in ("transcript_events", "transcript_event_identities", "session_windows"):
            self._run(f"DELETE FROM {table} WHERE session_id = ?", session)  # noqa: S608  # literals

    def put_away(self, key: str, *, back: bool = False) -> None:
        """Archive a conversation, as people do in its list; or take it out again."""
        at = None if back else self._tick()
        self._run("UPDATE session_nodes SET archived_at = ? WHERE session_key = ?", at, key)

    def call(
        self, session: str, tool: str, given: dict[str, Any], output: str, call: str = "call-1"
    ) -> None:
        """Store that a tool was used, as newer versions do: through the wrapper, and as it was."""
        wrapped = {"id": f"openclaw:core:{tool}", "args": given}
        block = {"type": "toolCall", "id": call, "name": "tool_call", "arguments": wrapped}
        self.say(session, "assistant", [block])
        content = [{"type": "text", "text": output}]
        result = {"content": content}
        nested = {"toolName": tool, "input": given, "result": result, "isError": False}
        told = {"customType": "openclaw.nested-tool.v1", "details": nested}
        self.say(session, "custom", "", **told, timestamp=self._now)
        details = {"tool": {"name": tool}, "result": result}
        facts = {"toolCallId": call, "toolName": "tool_call", "details": details}
        self.say(session, "toolResult", content, **facts, isError=False)

    def entomb(self, session: str) -> None:
        """Say that nothing of a session is to be remembered."""
        self._run("INSERT INTO memory_session_tombstones VALUES (?, ?)", session, self._tick())

    def cool(self, session: str, *said: str, in_file: bool) -> None:
        """Move the events of a window away, into a blob or a file."""
        self._run("DELETE FROM transcript_events WHERE session_id = ?", session)
        packed = zstandard.compress(_lines(session, said))
        storage = "file" if in_file else "sqlite"
        self._run(
            "INSERT INTO session_transcript_cold_archives VALUES (?, 'g1', 'c.jsonl.zst', ?, ?)",
            *(session, storage, None if in_file else packed),
        )
        if in_file:
            folder = self.path.parent.parent / "sessions" / "cold"
            folder.mkdir(parents=True)
            (folder / "c.jsonl.zst").write_bytes(packed)

    def close(self) -> None:
        """Let go of it, as when the gateway stops."""
        self.connection.close()

    def _seq(self, session: str) -> int:
        sql = "SELECT coalesce(max(seq) + 1, 0) FROM transcript_events WHERE session_id = ?"
        found = self.connection.execute(sql, (session,)).fetchall()[0][0]
        assert isinstance(found, int)
        return found

    def _tick(self) -> int:
        self._now += 1_000
        return self._now

    def _run(self, sql: str, *values: Any) -> None:
        self.connection.execute(sql, values)


def _lines(session: str, said: tuple[str, ...]) -> bytes:
    header = {"type": "session", "version": 4, "id": session}
    entries = [
        {"type": "message", "id": f"{session}-{n}", "message": {"role": "user", "content": text}}
        for n, text in enumerate(said)
    ]
    return "".join(json.dumps(entry) + "\n" for entry in (header, *entries)).encode()
