CREATE TABLE commits (
    seq   INTEGER PRIMARY KEY,
    token BLOB NOT NULL,
    at    INTEGER NOT NULL
) STRICT;
CREATE TABLE contents (
    tenant TEXT NOT NULL,
    digest BLOB NOT NULL,
    size   INTEGER NOT NULL,
    form   TEXT NOT NULL CHECK (form IN ('raw', 'zstd')),
    base   BLOB,
    stored BLOB NOT NULL,
    -- When it was last asked to be kept.
    at     INTEGER NOT NULL,
    UNIQUE (tenant, digest),
    CHECK (base IS NULL OR form = 'zstd')
) STRICT;
CREATE TABLE manifests (
    tenant  TEXT NOT NULL,
    root    TEXT NOT NULL,
    folder  TEXT NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (tenant, root, folder)
) STRICT, WITHOUT ROWID;
CREATE TABLE schema_steps (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;
CREATE INDEX contents_by_base ON contents (tenant, base) WHERE base IS NOT NULL;
