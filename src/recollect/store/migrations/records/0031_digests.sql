-- A sum over the rows of a table, to 56 bits: of tokens their times, of tombstones the first 7 bytes
-- of their hashes.
CREATE TABLE digests (
    name   TEXT PRIMARY KEY,
    digest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO digests (name, digest)
SELECT 'tokens', coalesce(sum(
    created_at + 3 * coalesce(revoked_at, 0) + 5 * coalesce(expires_at, 0)), 0) & 72057594037927935
FROM tokens;
INSERT INTO digests (name, digest)
SELECT 'tombstones',
    coalesce(((sum(high) & 268435455) << 28) + sum(low), 0) & 72057594037927935
FROM (
    SELECT ((instr('123456789ABCDEF', substr(hash, 1, 1))) << 24)
            + ((instr('123456789ABCDEF', substr(hash, 2, 1))) << 20)
            + ((instr('123456789ABCDEF', substr(hash, 3, 1))) << 16)
            + ((instr('123456789ABCDEF', substr(hash, 4, 1))) << 12)
            + ((instr('123456789ABCDEF', substr(hash, 5, 1))) << 8)
            + ((instr('123456789ABCDEF', substr(hash, 6, 1))) << 4)
            + ((instr('123456789ABCDEF', substr(hash, 7, 1))) << 0) AS high,
            ((instr('123456789ABCDEF', substr(hash, 8, 1))) << 24)
            + ((instr('123456789ABCDEF', substr(hash, 9, 1))) << 20)
            + ((instr('123456789ABCDEF', substr(hash, 10, 1))) << 16)
            + ((instr('123456789ABCDEF', substr(hash, 11, 1))) << 12)
            + ((instr('123456789ABCDEF', substr(hash, 12, 1))) << 8)
            + ((instr('123456789ABCDEF', substr(hash, 13, 1))) << 4)
            + ((instr('123456789ABCDEF', substr(hash, 14, 1))) << 0) AS low
    FROM (SELECT hex(substr(hash, 1, 7)) AS hash FROM tombstones));
