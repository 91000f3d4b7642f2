-- Erasure: that something was erased, without a word of it, and what must not come back.
CREATE TABLE erasures (
    id          TEXT PRIMARY KEY,
    tenant      TEXT NOT NULL,
    -- How much of which kind.
    counts      TEXT NOT NULL CHECK (json_valid(counts)),
    -- The ids of sessions of which copies may be left; none once it is finished.
    session_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(session_ids)),
    at          INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;
CREATE INDEX erasures_unfinished ON erasures (at) WHERE finished_at IS NULL;

-- Keyed hashes of where something erased came from, and of its id there.
CREATE TABLE tombstones (
    salt       BLOB NOT NULL,
    hash       BLOB NOT NULL,
    erasure_id TEXT NOT NULL,
    PRIMARY KEY (salt, hash)
) STRICT, WITHOUT ROWID;

-- An erasure is a removal that nothing stops; NULL: retention's.
ALTER TABLE prunings ADD COLUMN erasure_id TEXT REFERENCES erasures (id);
