-- When a session was archived; of one that was before this was kept it is not known.
ALTER TABLE sessions ADD COLUMN ended_at INTEGER;
