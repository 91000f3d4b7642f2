-- A timeline reads what was said around a moment.
CREATE INDEX messages_by_time ON messages (tenant, created_at);
