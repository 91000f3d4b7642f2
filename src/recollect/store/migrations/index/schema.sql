CREATE TABLE annotations (
    id         INTEGER PRIMARY KEY,
    importance INTEGER CHECK (importance BETWEEN 1 AND 10),
    projects   TEXT NOT NULL CHECK (json_valid(projects)),
    triggers   TEXT NOT NULL CHECK (json_valid(triggers))
) STRICT;
CREATE TABLE "chunk_groups" (
    partition_id     INTEGER NOT NULL REFERENCES partitions (id),
    number           INTEGER NOT NULL,
    source           TEXT NOT NULL,
    ref              TEXT NOT NULL,
    uses             INTEGER NOT NULL DEFAULT 0,
    -- Who hears of what was said in it. NULL: no conversation does.
    visibility_group TEXT,
    PRIMARY KEY (partition_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE chunks (
    id         INTEGER PRIMARY KEY,
    document   INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    hash       BLOB NOT NULL,
    text       TEXT NOT NULL
) STRICT;
CREATE TABLE code_blocks (
    partition_id INTEGER NOT NULL,
    block        INTEGER NOT NULL,
    revision     INTEGER NOT NULL,
    data         BLOB NOT NULL,
    PRIMARY KEY (partition_id, block)
) STRICT;
CREATE TABLE code_rows (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL,
    chunk        INTEGER NOT NULL,
    code         BLOB NOT NULL
) STRICT;
CREATE TABLE commits (
    seq   INTEGER PRIMARY KEY,
    token BLOB NOT NULL,
    at    INTEGER NOT NULL
) STRICT;
CREATE TABLE cursors (
    generation INTEGER NOT NULL REFERENCES generations (id),
    feed       TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    PRIMARY KEY (generation, feed)
) STRICT, WITHOUT ROWID;
CREATE TABLE documents (
    id           INTEGER PRIMARY KEY,
    partition_id INTEGER NOT NULL REFERENCES partitions (id),
    source       TEXT NOT NULL,
    ref          TEXT NOT NULL,
    group_number INTEGER NOT NULL,
    hash         BLOB NOT NULL,
    first_chunk  INTEGER NOT NULL,
    chunk_count  INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    agent_id     INTEGER NOT NULL,
    user_id      INTEGER NOT NULL,
    project_id   INTEGER NOT NULL,
    speaker_id   INTEGER NOT NULL,
    role         TEXT,
    stamp        TEXT,
    UNIQUE (partition_id, source, ref)
) STRICT;
CREATE TABLE embedding_cache (
    id         INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL,
    space      INTEGER NOT NULL REFERENCES embedding_spaces (id),
    updated_at INTEGER NOT NULL,
    data       BLOB NOT NULL,
    UNIQUE (hash, space)
) STRICT;
CREATE TABLE embedding_job_texts (
    hash BLOB NOT NULL,
    job  INTEGER NOT NULL REFERENCES embedding_jobs (id),
    PRIMARY KEY (hash, job)
) STRICT, WITHOUT ROWID;
CREATE TABLE embedding_jobs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    provider    TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('uploading', 'creating', 'submitted', 'cancelling')),
    attempt     INTEGER NOT NULL,
    file        TEXT,
    batch       TEXT,
    since       INTEGER NOT NULL,
    asked_at    INTEGER NOT NULL
) STRICT;
CREATE TABLE embedding_spaces (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    provider     TEXT NOT NULL,
    model        TEXT NOT NULL,
    provider_key TEXT NOT NULL,
    UNIQUE (provider, model, provider_key)
) STRICT;
CREATE TABLE file_names (
    partition_id INTEGER NOT NULL,
    name         TEXT NOT NULL,
    rank         INTEGER NOT NULL CHECK (rank BETWEEN 1 AND 3),
    document     INTEGER NOT NULL,
    PRIMARY KEY (partition_id, name, rank, document)
) STRICT, WITHOUT ROWID;
CREATE TABLE generations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    status     TEXT NOT NULL CHECK (status IN ('building', 'serving', 'retired')),
    identity   TEXT NOT NULL CHECK (json_valid(identity)),
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE mentions (
    partition_id INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    document     INTEGER NOT NULL,
    line         INTEGER NOT NULL,
    PRIMARY KEY (partition_id, number, document, line)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE names (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL REFERENCES partitions (id),
    kind         TEXT NOT NULL CHECK (kind IN ('agent', 'user', 'project', 'speaker')),
    value        TEXT NOT NULL,
    uses         INTEGER NOT NULL DEFAULT 0,
    UNIQUE (partition_id, kind, value)
) STRICT;
CREATE TABLE partitions (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    generation INTEGER NOT NULL REFERENCES generations (id),
    tenant     TEXT NOT NULL,
    chunks     INTEGER NOT NULL DEFAULT 0,
    groups     INTEGER NOT NULL DEFAULT 0,
    revision   INTEGER NOT NULL DEFAULT 0,
    writer     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (generation, tenant)
) STRICT;
CREATE TABLE postings (
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE removals (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL,
    chunk        INTEGER NOT NULL
) STRICT;
CREATE TABLE schema_steps (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;
CREATE TABLE segments (
    partition_id INTEGER NOT NULL REFERENCES partitions (id),
    first_chunk  INTEGER NOT NULL,
    end_chunk    INTEGER NOT NULL,
    layout       BLOB NOT NULL,
    terms        BLOB NOT NULL,
    PRIMARY KEY (partition_id, first_chunk)
) STRICT;
CREATE TABLE tail (
    id       INTEGER PRIMARY KEY,
    layout   BLOB NOT NULL,
    postings BLOB NOT NULL
) STRICT;
CREATE TABLE terms (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL REFERENCES partitions (id),
    term         TEXT NOT NULL,
    UNIQUE (partition_id, term)
) STRICT;
CREATE TABLE vector_queue (
    id INTEGER PRIMARY KEY
) STRICT;
CREATE TABLE vector_refused (
    id   INTEGER PRIMARY KEY,
    code TEXT NOT NULL
) STRICT;
CREATE TABLE vectors (
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
CREATE INDEX chunk_groups_by_ref ON chunk_groups (partition_id, source, ref);
CREATE INDEX chunks_by_text ON chunks (substr(hash, 1, 6));
CREATE INDEX code_rows_by_chunk ON code_rows (partition_id, chunk);
CREATE INDEX code_rows_by_partition ON code_rows (partition_id, id);
CREATE INDEX embedding_cache_by_use ON embedding_cache (updated_at);
CREATE INDEX embedding_job_texts_by_job ON embedding_job_texts (job);
CREATE INDEX mentions_by_document ON mentions (document, line);
CREATE INDEX removals_by_partition ON removals (partition_id, id);
