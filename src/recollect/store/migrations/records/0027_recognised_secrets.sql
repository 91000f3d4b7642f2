-- Values that a rule named a secret: keyed hashes of them, until their session ends.
CREATE TABLE recognised_secrets (
    number     INTEGER PRIMARY KEY,
    -- Its id; or its program and the id it has there, where a hook was first.
    session_id TEXT NOT NULL,
    -- Hash, length, whether it has spaces, kind.
    line       TEXT NOT NULL,
    UNIQUE (session_id, line)
) STRICT;
