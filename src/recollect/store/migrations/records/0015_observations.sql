-- What the agent did or saw. Long input and output: head and tail here, the whole as a blob.
CREATE TABLE observations (
    id           TEXT PRIMARY KEY,
    number       INTEGER NOT NULL,
    tenant       TEXT NOT NULL,
    agent        TEXT,
    user_id      TEXT,
    project      TEXT,
    session_id   TEXT NOT NULL REFERENCES sessions (id),
    -- In whose turn it happened, as `messages` have it.
    turn_sender  TEXT,
    type         TEXT NOT NULL,
    tool_name    TEXT,
    title        TEXT NOT NULL,
    summary      TEXT NOT NULL,
    input        TEXT NOT NULL,
    output       TEXT NOT NULL,
    input_blob   TEXT,
    output_blob  TEXT,
    tokens       INTEGER NOT NULL,
    importance   REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    trust        TEXT NOT NULL
                 CHECK (trust IN ('owner', 'agent', 'tool', 'web', 'group', 'imported')),
    files        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(files)),
    error        TEXT,
    message_id   TEXT,
    tool_use_id  TEXT,
    agent_id     TEXT,
    event        TEXT NOT NULL,
    event_id     TEXT,
    -- The rules that gave what the caller did not, with their version.
    made_by      TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    is_forgotten INTEGER NOT NULL DEFAULT 0 CHECK (is_forgotten IN (0, 1)),
    row_hash     BLOB NOT NULL,
    UNIQUE (tenant, number)
) STRICT;
CREATE INDEX observations_by_session ON observations (session_id, created_at);
CREATE INDEX observations_by_project ON observations (tenant, project, created_at);
CREATE INDEX observations_by_time ON observations (tenant, created_at);
CREATE UNIQUE INDEX observations_by_tool_use ON observations (session_id, tool_use_id, event)
    WHERE tool_use_id IS NOT NULL;
CREATE UNIQUE INDEX observations_by_event ON observations (session_id, event_id)
    WHERE event_id IS NOT NULL;
CREATE INDEX observations_by_input ON observations (input_blob) WHERE input_blob IS NOT NULL;
CREATE INDEX observations_by_output ON observations (output_blob) WHERE output_blob IS NOT NULL;
