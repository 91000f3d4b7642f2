-- Who is linked to whom at run time: one account, the person. The settings win over these rows.
CREATE TABLE identities (
    tenant    TEXT NOT NULL,
    account   TEXT NOT NULL,
    user_id   TEXT NOT NULL,
    was       TEXT,
    linked_at INTEGER NOT NULL,
    made_by   TEXT NOT NULL,
    hash      BLOB NOT NULL,
    PRIMARY KEY (tenant, account)
) STRICT, WITHOUT ROWID;
-- One-time codes by which a person shows that two accounts are theirs.
CREATE TABLE identity_codes (
    tenant     TEXT NOT NULL,
    account    TEXT NOT NULL,
    hash       BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, account)
) STRICT, WITHOUT ROWID;
INSERT INTO digests (name, digest) VALUES ('identities', 0);
-- What an erasure took of sessions that stay: their ids, and the folders of notes that go; as JSON.
ALTER TABLE erasures ADD COLUMN parts TEXT CHECK (json_valid(parts));
