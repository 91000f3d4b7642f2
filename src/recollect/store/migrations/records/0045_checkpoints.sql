-- What files were before an agent changed them, what it left, and how they were put back. The bytes
-- themselves are in checkpoints/contents.db.
CREATE TABLE checkpoints (
    id              TEXT PRIMARY KEY,
    tenant          TEXT NOT NULL,
    number          INTEGER NOT NULL,
    session_id      TEXT NOT NULL REFERENCES sessions (id),
    -- The last seq of the session, and its last message of the user, when it was taken.
    seq             INTEGER NOT NULL,
    user_message_id TEXT,
    kind            TEXT NOT NULL CHECK (kind IN ('message', 'tool', 'manual', 'rescue')),
    label           TEXT,
    -- The sub-agent that acted; NULL: the session itself.
    actor           TEXT,
    tool_name       TEXT,
    tool_use_id     TEXT,
    root            TEXT NOT NULL,
    scope_json      TEXT NOT NULL CHECK (json_valid(scope_json)),
    created_at      INTEGER NOT NULL,
    -- The sum of the hashes of all that belongs to it: its states, and the rewind that it rescues.
    seal            INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, number)
) STRICT;
CREATE INDEX checkpoints_by_session ON checkpoints (session_id, number);
CREATE INDEX checkpoints_by_tool_use ON checkpoints (tool_use_id) WHERE tool_use_id IS NOT NULL;
-- The state of a path before, and after the tool where that is known.
CREATE TABLE checkpoint_files (
    checkpoint_id  TEXT NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
    path           TEXT NOT NULL,
    existed_before INTEGER NOT NULL CHECK (existed_before IN (0, 1)),
    backup_blob    TEXT,
    before         TEXT NOT NULL CHECK (json_valid(before)),
    PRIMARY KEY (checkpoint_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoint_files_by_blob ON checkpoint_files (backup_blob)
    WHERE backup_blob IS NOT NULL;
-- The newest content of a path: the next one is kept as its differences from it.
CREATE INDEX checkpoint_files_by_path ON checkpoint_files (path, checkpoint_id)
    WHERE backup_blob IS NOT NULL;
CREATE TABLE checkpoint_writes (
    checkpoint_id TEXT NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
    path          TEXT NOT NULL,
    after_blob    TEXT,
    after         TEXT NOT NULL CHECK (json_valid(after)),
    at            INTEGER NOT NULL,
    PRIMARY KEY (checkpoint_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoint_writes_by_blob ON checkpoint_writes (after_blob)
    WHERE after_blob IS NOT NULL;
-- What put files back: its row is the journal of the change, written before the first file.
CREATE TABLE rewinds (
    id          TEXT PRIMARY KEY,
    tenant      TEXT NOT NULL,
    session_id  TEXT NOT NULL REFERENCES sessions (id),
    root        TEXT NOT NULL,
    type        TEXT NOT NULL CHECK (type IN ('rewind', 'undo', 'redo')),
    -- The checkpoint that was gone back to; the rewind that an undo or redo is of.
    target_id   TEXT NOT NULL,
    rescue_id   TEXT NOT NULL REFERENCES checkpoints (id),
    status      TEXT NOT NULL CHECK (status IN ('applying', 'done', 'rolled_back', 'interrupted')),
    changes     TEXT NOT NULL CHECK (json_valid(changes)),
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    -- The messages that leave the conversation with it, or return to it.
    first_seq   INTEGER,
    last_seq    INTEGER,
    CHECK ((first_seq IS NULL) = (last_seq IS NULL))
) STRICT;
CREATE INDEX rewinds_by_target ON rewinds (target_id);
CREATE INDEX rewinds_by_rescue ON rewinds (rescue_id);
CREATE INDEX rewinds_by_session ON rewinds (session_id, id);
CREATE INDEX rewinds_unfinished ON rewinds (root) WHERE status IN ('applying', 'interrupted');
