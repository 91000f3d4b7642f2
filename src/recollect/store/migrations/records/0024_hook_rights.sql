-- The right `hooks`: to tell what an agent does and get the context of its prompt, nothing else.
CREATE TABLE new_tokens (
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
                 CHECK (rights IN ('hooks', 'read', 'capture', 'write', 'files', 'admin')),
    -- Names of channels that it may speak for; * for all.
    channels     TEXT NOT NULL CHECK (json_valid(channels)),
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    revoked_at   INTEGER,
    -- To the minute.
    last_used_at INTEGER,
    CHECK ((audience = 'session') = (session_key IS NOT NULL))
) STRICT;
INSERT INTO new_tokens (id, name, hash, tenant, agent, project, audience, session_key, rights,
    channels, created_at, expires_at, revoked_at, last_used_at)
SELECT id, name, hash, tenant, agent, project, audience, session_key, rights, channels, created_at,
    expires_at, revoked_at, last_used_at FROM tokens;
DROP TABLE tokens;
ALTER TABLE new_tokens RENAME TO tokens;
CREATE UNIQUE INDEX tokens_by_name ON tokens (name) WHERE revoked_at IS NULL;
