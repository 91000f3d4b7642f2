-- Ranges of a session that a rewind took out of its view: the rows stay. A fork that ends in a range
-- shows it, one that ends after it does not. An operation has more than one range where lines of a
-- transcript came later that belong to it.
CREATE TABLE withdrawn_ranges (
    operation_id TEXT NOT NULL,
    tenant       TEXT NOT NULL,
    session_id   TEXT NOT NULL REFERENCES sessions (id),
    from_seq     INTEGER NOT NULL CHECK (from_seq >= 1),
    to_seq       INTEGER NOT NULL CHECK (to_seq >= from_seq),
    -- When the first of its messages was said and was stored, and when it was taken out.
    said_at      INTEGER NOT NULL,
    stored_at    INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    -- NULL: it is out.
    returned_at  INTEGER,
    PRIMARY KEY (operation_id, from_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX withdrawn_ranges_by_session ON withdrawn_ranges (session_id, to_seq)
    WHERE returned_at IS NULL;

-- What was derived from withdrawn messages, and is hidden with them.
CREATE TABLE withdrawn_records (
    kind         TEXT NOT NULL CHECK (kind IN ('fact', 'observation', 'episode', 'reopened')),
    ref          TEXT NOT NULL,
    operation_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    -- Of an episode its extent, of a fact that counts again meanwhile the one that replaced it.
    was          TEXT,
    PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX withdrawn_records_by_operation ON withdrawn_records (operation_id);
