-- A session that several people share has a group of chunks for each visibility group in it.
CREATE TABLE chunk_groups_by_turn (
    partition_id     INTEGER NOT NULL REFERENCES partitions (id),
    number           INTEGER NOT NULL,
    source           TEXT NOT NULL,
    ref              TEXT NOT NULL,
    uses             INTEGER NOT NULL DEFAULT 0,
    -- Who hears of what was said in it. NULL: no conversation does.
    visibility_group TEXT,
    PRIMARY KEY (partition_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO chunk_groups_by_turn
    SELECT partition_id, number, source, ref, uses, visibility_group FROM chunk_groups;
DROP TABLE chunk_groups;
ALTER TABLE chunk_groups_by_turn RENAME TO chunk_groups;
CREATE INDEX chunk_groups_by_ref ON chunk_groups (partition_id, source, ref);
