-- Short numbers: the last one that each kind of record was given. They count up and are never used
-- again, also where their record is erased.
CREATE TABLE counters (
    tenant TEXT NOT NULL,
    kind   TEXT NOT NULL,
    last   INTEGER NOT NULL CHECK (last >= 1),
    PRIMARY KEY (tenant, kind)
) STRICT, WITHOUT ROWID;
