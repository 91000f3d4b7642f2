-- What the comments of a memory file say about a chunk; only chunks that have some.
CREATE TABLE annotations (
    id         INTEGER PRIMARY KEY,
    importance INTEGER CHECK (importance BETWEEN 1 AND 10),
    projects   TEXT NOT NULL CHECK (json_valid(projects)),
    triggers   TEXT NOT NULL CHECK (json_valid(triggers))
) STRICT;

-- What a memory file may be called: its path, its name, its name without the ending, folded. `rank`
-- is 3, 2 and 1 for them. A question that is such a name is answered by one look.
CREATE TABLE file_names (
    partition_id INTEGER NOT NULL,
    name         TEXT NOT NULL,
    rank         INTEGER NOT NULL CHECK (rank BETWEEN 1 AND 3),
    document     INTEGER NOT NULL,
    PRIMARY KEY (partition_id, name, rank, document)
) STRICT, WITHOUT ROWID;
