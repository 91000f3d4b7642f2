-- The rows that the steps put into a new database.
INSERT INTO digests (name, digest) VALUES ('tokens', 0), ('tombstones', 0), ('identities', 0);
