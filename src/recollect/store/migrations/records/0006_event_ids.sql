-- An event id is unique in its session, no longer in its tenant. A constraint of a table cannot be
-- taken away: the rows move into a table without it. It has the indexes of the old one, so that
-- SQLite copies its pages in their order; the new index is made afterwards, sorted.
CREATE TABLE new_messages (
    id             TEXT PRIMARY KEY,
    tenant         TEXT NOT NULL,
    agent          TEXT,
    user_id        TEXT,
    project        TEXT,
    session_id     TEXT NOT NULL REFERENCES sessions (id),
    seq            INTEGER NOT NULL CHECK (seq >= 1),
    role           TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    name           TEXT,
    -- Text or content blocks as given; `text` is what of it can be read and searched.
    content        TEXT NOT NULL CHECK (json_valid(content)),
    text           TEXT NOT NULL,
    token_estimate INTEGER,
    -- When it was said, and when it was stored.
    created_at     INTEGER NOT NULL,
    recorded_at    INTEGER NOT NULL,
    metadata       TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),
    -- Given by the client: the same id twice is one row of a conversation.
    event_id       TEXT,
    foreign_id     TEXT,
    row_hash       BLOB NOT NULL,
    UNIQUE (session_id, seq)
) STRICT;

INSERT INTO new_messages SELECT * FROM messages;
-- Emptied first: to drop a full table takes a journal as large as it is, in memory.
DELETE FROM messages;
DROP TABLE messages;
ALTER TABLE new_messages RENAME TO messages;
-- The event id first: that an id is new to all sessions is one look, however long a line of forks.
CREATE UNIQUE INDEX messages_by_event ON messages (event_id, session_id)
    WHERE event_id IS NOT NULL;
