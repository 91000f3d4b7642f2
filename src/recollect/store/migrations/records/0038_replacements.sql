-- What messages state of slots, and which statement replaced which. Slots, values, audiences and
-- speakers are keyed hashes: they are compared, and tell nothing of what was erased.
CREATE TABLE stated (
    id         INTEGER PRIMARY KEY,
    tenant     TEXT NOT NULL,
    -- May be gone until what was stated is read again.
    message_id TEXT NOT NULL,
    first_char INTEGER NOT NULL,
    end_char   INTEGER NOT NULL,
    sentence   INTEGER NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    -- When and where it was said, as the message has it.
    said_at    INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    -- As the links of identities were; changed with them.
    audience   INTEGER NOT NULL,
    speaker    INTEGER NOT NULL,
    -- 0: it only tells a loss.
    slot       INTEGER NOT NULL,
    arity      TEXT NOT NULL CHECK (arity IN ('one', 'many', 'open')),
    value      INTEGER NOT NULL,
    value_type TEXT,
    is_change  INTEGER NOT NULL CHECK (is_change IN (0, 1)),
    -- The version of the rules that found it.
    rules      INTEGER NOT NULL
) STRICT;
CREATE INDEX stated_by_message ON stated (message_id);
CREATE INDEX stated_by_slot ON stated (slot, audience, speaker);
CREATE INDEX stated_by_value ON stated (value, audience, speaker);
CREATE INDEX stated_by_session ON stated (session_id);

-- Values that statements say are gone.
CREATE TABLE losses (
    stated_id INTEGER NOT NULL REFERENCES stated (id) ON DELETE CASCADE,
    value     INTEGER NOT NULL,
    PRIMARY KEY (stated_id, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX losses_by_value ON losses (value);

-- Direct links; chains are derived. Messages may be gone: then the link does not count.
CREATE TABLE replacements (
    tenant      TEXT NOT NULL,
    older_id    TEXT NOT NULL,
    older_first INTEGER NOT NULL,
    older_end   INTEGER NOT NULL,
    older_at    INTEGER NOT NULL,
    newer_id    TEXT NOT NULL,
    newer_first INTEGER NOT NULL,
    newer_end   INTEGER NOT NULL,
    newer_at    INTEGER NOT NULL,
    rule        TEXT NOT NULL
                CHECK (rule IN ('slot', 'open', 'loss', 'ending', 'echo', 'hand', 'undone')),
    is_ending   INTEGER NOT NULL CHECK (is_ending IN (0, 1)),
    -- Only possible: nothing is replaced by it.
    is_flagged  INTEGER NOT NULL CHECK (is_flagged IN (0, 1)),
    version     INTEGER NOT NULL,
    PRIMARY KEY (older_id, older_first, newer_id, newer_first, rule)
) STRICT, WITHOUT ROWID;
CREATE INDEX replacements_by_newer ON replacements (newer_id);
CREATE INDEX replacements_by_time ON replacements (tenant, older_at);
CREATE INDEX replacements_by_newer_time ON replacements (tenant, newer_at);
