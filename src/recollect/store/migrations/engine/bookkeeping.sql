-- What the engine keeps in every database for itself. It runs before the first numbered step.

-- The ledger: which steps made this schema.
CREATE TABLE IF NOT EXISTS schema_steps (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;

-- One random token for each of the last group commits. When COMMIT raises an I/O error, finding the
-- token after reopening is the only proof that the transaction is there.
CREATE TABLE IF NOT EXISTS commits (
    seq   INTEGER PRIMARY KEY,
    token BLOB NOT NULL,
    at    INTEGER NOT NULL
) STRICT;
