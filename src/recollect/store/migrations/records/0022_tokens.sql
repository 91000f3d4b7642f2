-- Who may call, as whom, and what they did. The text of a token is not here: only a hash of it.
CREATE TABLE tokens (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    -- SHA-256 of its text, which has 256 random bits.
    hash         BLOB NOT NULL UNIQUE,
    tenant       TEXT NOT NULL,
    agent        TEXT,
    project      TEXT,
    audience     TEXT NOT NULL CHECK (audience IN ('owner', 'shared', 'session')),
    -- As which session it hears, where the audience is one.
    session_key  TEXT,
    rights       TEXT NOT NULL
                 CHECK (rights IN ('read', 'capture', 'write', 'files', 'admin')),
    -- Names of channels that it may speak for; * for all.
    channels     TEXT NOT NULL CHECK (json_valid(channels)),
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    revoked_at   INTEGER,
    -- To the minute.
    last_used_at INTEGER,
    CHECK ((audience = 'session') = (session_key IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX tokens_by_name ON tokens (name) WHERE revoked_at IS NULL;
-- What was done with the rights of an operator, and what was refused. Ids and counts, no content.
CREATE TABLE audit (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant  TEXT NOT NULL,
    agent   TEXT,
    user_id TEXT,
    project TEXT,
    -- The name of the token; NULL: whoever uses the files of the home.
    actor   TEXT,
    action  TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused')),
    target  TEXT,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_tenant ON audit (tenant, seq);
-- The name of the token in whose request it happened.
ALTER TABLE events ADD COLUMN actor TEXT;
