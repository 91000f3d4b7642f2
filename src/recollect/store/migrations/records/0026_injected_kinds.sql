-- Messages and lines of memory files are put into prompts, too.
CREATE TABLE injected_items_new (
    injection_id TEXT NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    place        INTEGER NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('observation', 'episode', 'message', 'file')),
    ref          TEXT NOT NULL,
    number       INTEGER,
    section      TEXT NOT NULL,
    tokens       INTEGER NOT NULL,
    -- The parts of its score.
    why          TEXT NOT NULL CHECK (json_valid(why)),
    PRIMARY KEY (injection_id, place)
) STRICT, WITHOUT ROWID;
INSERT INTO injected_items_new SELECT * FROM injected_items;
DROP TABLE injected_items;
ALTER TABLE injected_items_new RENAME TO injected_items;
CREATE INDEX injected_items_by_ref ON injected_items (ref);
