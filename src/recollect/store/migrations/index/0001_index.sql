-- index.db holds only what can be derived again from records.db and the workspace.
--
-- A partition is one tenant in one generation. Its chunks are numbered 0, 1, 2 ... in the order of
-- their arrival; numbers are never used again, nor are those of generations, partitions, names and
-- terms: readers and writers of several processes hold them. Keys pack two numbers into one integer
-- so that all hot tables are plain B-trees:
--   chunks.id, tail.id, vectors.id = partition << 40 | number
--   postings.id                    = term << 32 | number of the segment's first chunk

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A rebuild fills a new generation beside the serving one and flips the two statuses at once.
CREATE TABLE generations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    status     TEXT NOT NULL CHECK (status IN ('building', 'serving', 'retired')),
    identity   TEXT NOT NULL CHECK (json_valid(identity)),
    created_at INTEGER NOT NULL
) STRICT;

-- How far a generation has read each feed: the outbox of records.db by its seq.
CREATE TABLE cursors (
    generation INTEGER NOT NULL REFERENCES generations (id),
    feed       TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    PRIMARY KEY (generation, feed)
) STRICT, WITHOUT ROWID;

-- `revision` changes with everything that a reader holds in memory; `writer` is who changed the
-- documents last, so that a writer knows whether the numbers it remembers are still right.
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

-- Owners and speakers, so that a chunk's row holds numbers only. `uses` counts documents: what no
-- document uses any more is removed with the last one.
CREATE TABLE names (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL REFERENCES partitions (id),
    kind         TEXT NOT NULL CHECK (kind IN ('agent', 'user', 'project', 'speaker')),
    value        TEXT NOT NULL,
    uses         INTEGER NOT NULL DEFAULT 0,
    UNIQUE (partition_id, kind, value)
) STRICT;

-- A group is what neighbours are taken from: the chunks of one session or of one file.
CREATE TABLE chunk_groups (
    partition_id INTEGER NOT NULL REFERENCES partitions (id),
    number       INTEGER NOT NULL,
    source       TEXT NOT NULL,
    ref          TEXT NOT NULL,
    uses         INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (partition_id, number),
    UNIQUE (partition_id, source, ref)
) STRICT, WITHOUT ROWID;

-- Owners and speaker are numbers of `names`; 0 is nobody.
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

CREATE TABLE chunks (
    id         INTEGER PRIMARY KEY,
    document   INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    hash       BLOB NOT NULL,
    text       TEXT NOT NULL
) STRICT;

CREATE TABLE terms (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL REFERENCES partitions (id),
    term         TEXT NOT NULL,
    UNIQUE (partition_id, term)
) STRICT;

-- New chunks wait here, one row each, until a segment takes them.
CREATE TABLE tail (
    id       INTEGER PRIMARY KEY,
    layout   BLOB NOT NULL,
    postings BLOB NOT NULL
) STRICT;

-- A run of chunk numbers whose postings lie in `postings`; `layout` is one record per chunk.
CREATE TABLE segments (
    partition_id INTEGER NOT NULL REFERENCES partitions (id),
    first_chunk  INTEGER NOT NULL,
    end_chunk    INTEGER NOT NULL,
    layout       BLOB NOT NULL,
    terms        BLOB NOT NULL,
    PRIMARY KEY (partition_id, first_chunk)
) STRICT;

CREATE TABLE postings (
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- Removed chunk numbers in the order of their removal, for readers that hold arrays in memory.
CREATE TABLE removals (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL,
    chunk        INTEGER NOT NULL
) STRICT;
CREATE INDEX removals_by_partition ON removals (partition_id, id);

CREATE TABLE vectors (
    id   INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- Chunks whose vector is still to be made.
CREATE TABLE vector_queue (
    id INTEGER PRIMARY KEY
) STRICT;

-- 1-bit codes: single rows in the order of their making, then blocks of 4,096 chunk numbers.
CREATE TABLE code_rows (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    partition_id INTEGER NOT NULL,
    chunk        INTEGER NOT NULL,
    code         BLOB NOT NULL
) STRICT;
CREATE INDEX code_rows_by_partition ON code_rows (partition_id, id);
CREATE INDEX code_rows_by_chunk ON code_rows (partition_id, chunk);

CREATE TABLE code_blocks (
    partition_id INTEGER NOT NULL,
    block        INTEGER NOT NULL,
    revision     INTEGER NOT NULL,
    data         BLOB NOT NULL,
    PRIMARY KEY (partition_id, block)
) STRICT;

-- Vectors by the text's hash, so that a rebuild makes none twice. A row goes with its chunk.
CREATE TABLE embedding_cache (
    hash        BLOB NOT NULL,
    fingerprint TEXT NOT NULL,
    data        BLOB NOT NULL,
    PRIMARY KEY (hash, fingerprint)
) STRICT, WITHOUT ROWID;
