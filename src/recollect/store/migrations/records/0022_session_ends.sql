-- When a session was archived; it may go on again, and then has no end.
ALTER TABLE sessions ADD COLUMN ended_at INTEGER;
UPDATE sessions SET ended_at = updated_at WHERE status = 'archived';
