CREATE TABLE commits (
    seq   INTEGER PRIMARY KEY,
    token BLOB NOT NULL,
    at    INTEGER NOT NULL
) STRICT;
CREATE TABLE contents (
    tenant TEXT NOT NULL,
    digest BLOB NOT NULL,
    size   INTEGER NOT NULL,
    form   TEXT NOT NULL CHECK (form IN ('raw', 'zlib', 'delta')),
    base   BLOB,
    stored BLOB NOT NULL,
    -- When it was last asked to be kept.
    at     INTEGER NOT NULL,
    UNIQUE (tenant, digest),
    CHECK ((form = 'delta') = (base IS NOT NULL))
) STRICT;
CREATE TABLE manifests (
    root  TEXT NOT NULL,
    path  TEXT NOT NULL,
    stamp TEXT NOT NULL,
    state TEXT NOT NULL CHECK (json_valid(state)),
    PRIMARY KEY (root, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE schema_steps (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;
CREATE INDEX contents_by_base ON contents (tenant, base) WHERE base IS NOT NULL;
