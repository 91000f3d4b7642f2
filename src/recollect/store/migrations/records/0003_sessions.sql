-- Sessions, whole: what follows what, who holds one, what stands in its view, what waits in a group.

-- The session that had the key before: `reset` and staleness start a new one, and nothing is lost.
ALTER TABLE sessions ADD COLUMN previous_id TEXT REFERENCES sessions (id);
ALTER TABLE sessions ADD COLUMN mode TEXT NOT NULL DEFAULT 'main'
    CHECK (mode IN ('main', 'group', 'queue'));
ALTER TABLE sessions ADD COLUMN cache_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN flush_failures INTEGER NOT NULL DEFAULT 0;
-- The newest message that was looked at for the notes of the workspace.
ALTER TABLE sessions ADD COLUMN flushed_seq INTEGER;
-- What the user changed for this session alone: a model, a way of thinking.
ALTER TABLE sessions ADD COLUMN overrides TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(overrides));

-- A summary stands in the view for the messages up to and including `through_seq`; they stay.
CREATE TABLE compactions (
    id            TEXT PRIMARY KEY,
    tenant        TEXT NOT NULL,
    agent         TEXT,
    user_id       TEXT,
    project       TEXT,
    session_id    TEXT NOT NULL REFERENCES sessions (id),
    through_seq   INTEGER NOT NULL CHECK (through_seq >= 1),
    -- The newest message then: where it stands in the mirror.
    last_seq      INTEGER NOT NULL CHECK (last_seq >= through_seq),
    summary       TEXT NOT NULL,
    -- What derived it, with its version: it can be derived again.
    made_by       TEXT NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after  INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    UNIQUE (session_id, through_seq)
) STRICT;

-- Who writes a session now. `fence` grows with every holder: a message of an older one is refused.
CREATE TABLE leases (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    holder     TEXT NOT NULL,
    fence      INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was said in a group since the agent's last reply. `key` is the session key of the group.
CREATE TABLE pending_messages (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     TEXT NOT NULL,
    key        TEXT NOT NULL,
    sender     TEXT NOT NULL,
    text       TEXT NOT NULL,
    message_id TEXT,
    at         INTEGER NOT NULL
) STRICT;
CREATE INDEX pending_messages_by_key ON pending_messages (tenant, key, id);
CREATE INDEX sessions_by_previous ON sessions (previous_id) WHERE previous_id IS NOT NULL;
