-- The lines that a transcript may begin with: by their id in the other program it is found which
-- session another one went on from, whose transcript begins with copies of them.
CREATE INDEX messages_by_head ON messages (foreign_id)
    WHERE foreign_id IS NOT NULL AND (seq = 1 OR role = 'system');
