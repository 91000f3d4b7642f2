-- Contents of files by their SHA-256: whole, or beside one that is stored whole.
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
CREATE INDEX contents_by_base ON contents (tenant, base) WHERE base IS NOT NULL;
-- What is directly in each folder below a root when it was last looked at: a MessagePack map by name.
CREATE TABLE manifests (
    tenant  TEXT NOT NULL,
    root    TEXT NOT NULL,
    folder  TEXT NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (tenant, root, folder)
) STRICT, WITHOUT ROWID;
