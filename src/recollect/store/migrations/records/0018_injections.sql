-- What was put into which prompt by itself, and why. No text: lines are made of the records again.
CREATE TABLE injections (
    id               TEXT PRIMARY KEY,
    tenant           TEXT NOT NULL,
    agent            TEXT,
    user_id          TEXT,
    project          TEXT,
    session_id       TEXT NOT NULL REFERENCES sessions (id),
    -- Who read it: the audience of the prompt.
    visibility_group TEXT NOT NULL,
    reason           TEXT NOT NULL
                     CHECK (reason IN ('startup', 'clear', 'compact', 'resume', 'fork', 'prompt')),
    client           TEXT,
    -- A keyed hash of the question, never its words.
    query_digest     TEXT,
    tokens           INTEGER NOT NULL,
    chars            INTEGER NOT NULL,
    dropped          INTEGER NOT NULL,
    at               INTEGER NOT NULL
) STRICT;
CREATE INDEX injections_by_session ON injections (session_id, id);
CREATE INDEX injections_by_time ON injections (tenant, at);
CREATE TABLE injected_items (
    injection_id TEXT NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    place        INTEGER NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('observation', 'episode')),
    ref          TEXT NOT NULL,
    number       INTEGER,
    section      TEXT NOT NULL,
    tokens       INTEGER NOT NULL,
    -- The parts of its score.
    why          TEXT NOT NULL CHECK (json_valid(why)),
    PRIMARY KEY (injection_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX injected_items_by_ref ON injected_items (ref);
