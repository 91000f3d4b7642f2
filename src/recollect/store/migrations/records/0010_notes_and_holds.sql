-- Which session said a line that a flush wrote. A line is hidden while all who said it are deleted.
-- Not bound to sessions: retention removes these, and what they told stays.
CREATE TABLE flushed_notes (
    path       TEXT NOT NULL,
    line_hash  BLOB NOT NULL,
    session_id TEXT NOT NULL,
    tenant     TEXT NOT NULL,
    is_hidden  INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1)),
    at         INTEGER NOT NULL,
    PRIMARY KEY (path, line_hash, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX flushed_notes_by_session ON flushed_notes (session_id);
CREATE INDEX flushed_notes_hidden ON flushed_notes (path, line_hash) WHERE is_hidden = 1;

-- Whose the folders below notes/ are, by the columns of a session that tell its visibility group.
CREATE TABLE note_folders (
    folder    TEXT PRIMARY KEY,
    tenant    TEXT NOT NULL,
    agent     TEXT,
    user_id   TEXT,
    channel   TEXT,
    account   TEXT,
    chat_type TEXT,
    peer      TEXT
) STRICT, WITHOUT ROWID;

-- What waits in a conversation has an owner, as all rows have.
ALTER TABLE pending_messages ADD COLUMN agent TEXT;
ALTER TABLE pending_messages ADD COLUMN user_id TEXT;
ALTER TABLE pending_messages ADD COLUMN project TEXT;

-- Whether plain appends are refused meanwhile.
ALTER TABLE leases ADD COLUMN is_exclusive INTEGER NOT NULL DEFAULT 0
    CHECK (is_exclusive IN (0, 1));
