-- Which seqs of a session were removed: any other gap is damage. And a digest over the rows of each
-- session: the sum, to 56 bits, of the first 7 bytes of their hashes and of their numbers.
CREATE TABLE removed_seqs (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    first      INTEGER NOT NULL CHECK (first >= 1),
    last       INTEGER NOT NULL CHECK (last >= first),
    PRIMARY KEY (session_id, last)
) STRICT, WITHOUT ROWID;
INSERT INTO removed_seqs (session_id, first, last)
SELECT session_id, before + 1, seq - 1 FROM (
    SELECT m.session_id, m.seq,
        lag(m.seq, 1, coalesce(s.forked_at_seq, 0))
            OVER (PARTITION BY m.session_id ORDER BY m.seq) AS before
    FROM messages m JOIN sessions s ON s.id = m.session_id)
WHERE seq > before + 1
UNION ALL
SELECT id, after + 1, last_seq FROM (
    SELECT s.id, s.last_seq,
        coalesce((SELECT max(m.seq) FROM messages m WHERE m.session_id = s.id),
            s.forked_at_seq, 0) AS after
    FROM sessions s)
WHERE last_seq > after;
ALTER TABLE sessions ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET digest = summed.digest FROM (
    SELECT session_id,
        (((sum(high) & 268435455) << 28) + sum(low) + sum(number)) & 72057594037927935 AS digest
    FROM (
        SELECT session_id, coalesce(number, 0) AS number,
            ((instr('123456789ABCDEF', substr(hash, 1, 1))) << 24)
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
        FROM (SELECT session_id, number, hex(substr(row_hash, 1, 7)) AS hash FROM messages)
    ) GROUP BY session_id
) AS summed WHERE sessions.id = summed.session_id;
