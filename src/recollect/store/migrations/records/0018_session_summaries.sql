-- An episode is of a part that retention cut off, or of a whole session: of that there is one for
-- each sender, which is replaced. What the agent did is told apart from what was said.
ALTER TABLE episodes ADD COLUMN extent TEXT NOT NULL DEFAULT 'part'
    CHECK (extent IN ('part', 'session'));
ALTER TABLE episodes ADD COLUMN through_seq INTEGER;
ALTER TABLE episodes ADD COLUMN deeds TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX episodes_whole ON episodes (session_id, coalesce(turn_sender, ''))
    WHERE extent = 'session';
CREATE INDEX episodes_by_project ON episodes (tenant, project, ended_at) WHERE extent = 'session';

-- Sessions that ended and of which a summary is still to be written.
CREATE TABLE endings (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    tenant     TEXT NOT NULL,
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
