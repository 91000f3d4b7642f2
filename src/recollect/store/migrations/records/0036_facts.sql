-- What is known: one short statement each. Its place is copied from where it was said, since it
-- outlives the session.
CREATE TABLE facts (
    id           TEXT PRIMARY KEY,
    number       INTEGER NOT NULL,
    tenant       TEXT NOT NULL,
    agent        TEXT,
    user_id      TEXT,
    project      TEXT,
    -- The message that says it and the quoted span; NULL: it was remembered by hand.
    session_id   TEXT,
    message_id   TEXT,
    start_at     INTEGER,
    end_at       INTEGER,
    -- Who hears it, as `sessions` and `messages` have it.
    channel      TEXT,
    account      TEXT,
    chat_type    TEXT,
    peer         TEXT,
    turn_sender  TEXT,
    text         TEXT NOT NULL,
    -- A digest of its normalised words: equal for two statements that say the same.
    words        BLOB NOT NULL,
    kind         TEXT NOT NULL,
    subject      TEXT NOT NULL CHECK (subject IN ('speaker', 'other', 'project', 'nobody')),
    name         TEXT,
    slot         TEXT,
    value        TEXT,
    importance   INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
    confidence   REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    trust        TEXT NOT NULL CHECK (trust IN ('owner', 'agent', 'group', 'imported')),
    -- What found it, with its version; 'hand'.
    made_by      TEXT NOT NULL,
    -- When it was true, and when it was recorded.
    valid_from   INTEGER NOT NULL,
    valid_to     INTEGER,
    created_at   INTEGER NOT NULL,
    is_pinned    INTEGER NOT NULL DEFAULT 0 CHECK (is_pinned IN (0, 1)),
    status       TEXT NOT NULL
                 CHECK (status IN ('current', 'replaced', 'forgotten', 'archived', 'review')),
    replaced_by  TEXT,
    -- How many rows of `fact_history` it has.
    version      INTEGER NOT NULL CHECK (version >= 1),
    row_hash     BLOB NOT NULL,
    -- Not in the hash.
    accessed_at  INTEGER NOT NULL,
    access_count INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, number)
) STRICT;
CREATE INDEX facts_by_time ON facts (tenant, created_at);
CREATE INDEX facts_by_user ON facts (tenant, user_id, created_at);
CREATE INDEX facts_by_words ON facts (tenant, words);
CREATE INDEX facts_by_message ON facts (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX facts_by_session ON facts (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX facts_by_follower ON facts (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX facts_by_slot ON facts (tenant, slot) WHERE slot IS NOT NULL;
CREATE INDEX facts_twin ON facts (
    tenant, created_at, id, number, status, kind, project, session_id, message_id, agent, user_id,
    is_pinned);
CREATE INDEX facts_twin_by_user ON facts (
    tenant, user_id, created_at, id, number, status, kind, project, session_id, message_id, agent,
    is_pinned);
CREATE INDEX facts_twin_by_id ON facts (id);
CREATE INDEX facts_twin_by_number ON facts (tenant, number, id);

-- What became of each fact: its words and state from a change on.
CREATE TABLE fact_history (
    fact_id     TEXT NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    version     INTEGER NOT NULL,
    action      TEXT NOT NULL,
    at          INTEGER NOT NULL,
    -- The name of the token; NULL: whoever uses the files of the home.
    actor       TEXT,
    text        TEXT NOT NULL,
    confidence  REAL NOT NULL,
    status      TEXT NOT NULL,
    replaced_by TEXT,
    is_pinned   INTEGER NOT NULL,
    row_hash    BLOB NOT NULL,
    PRIMARY KEY (fact_id, version)
) STRICT, WITHOUT ROWID;

-- Every span that says a fact, its own first one included, by what found it.
CREATE TABLE fact_sources (
    message_id TEXT NOT NULL,
    start_at   INTEGER NOT NULL,
    end_at     INTEGER NOT NULL,
    made_by    TEXT NOT NULL,
    fact_id    TEXT NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    said_at    INTEGER NOT NULL,
    PRIMARY KEY (message_id, start_at, end_at, made_by)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_sources_by_fact ON fact_sources (fact_id, said_at);
CREATE INDEX fact_sources_by_session ON fact_sources (session_id);
