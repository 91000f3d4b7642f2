-- Retention: how far a session was cut, what is being removed, and what stays of what is gone.

-- Messages up to this seq are gone; those that are left keep theirs.
ALTER TABLE sessions ADD COLUMN pruned_seq INTEGER NOT NULL DEFAULT 0;

-- Sessions whose rows are being removed, batch by batch: what a killed process left is finished.
CREATE TABLE prunings (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    -- 1: the session goes with its messages, unless somebody wrote to it meanwhile.
    is_whole   INTEGER NOT NULL CHECK (is_whole IN (0, 1)),
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The summary of messages that are finished. It outlives them and their session.
CREATE TABLE episodes (
    id            TEXT PRIMARY KEY,
    tenant        TEXT NOT NULL,
    agent         TEXT,
    user_id       TEXT,
    project       TEXT,
    session_id    TEXT NOT NULL,
    summary       TEXT NOT NULL,
    topics        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(topics)),
    began_at      INTEGER NOT NULL,
    ended_at      INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    -- What derived it, with its version.
    made_by       TEXT NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX episodes_by_session ON episodes (session_id, began_at);
CREATE INDEX episodes_by_time ON episodes (tenant, ended_at);
