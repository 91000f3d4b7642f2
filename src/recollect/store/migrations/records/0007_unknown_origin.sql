-- Imported sessions that do not tell who heard them were taken for the owner's. From now on each has
-- its visibility group to itself, with its forks. Claude Code has no speaker but its owner.
WITH RECURSIVE unknown (id, root) AS (
    SELECT id, id FROM sessions
    WHERE source IS NOT NULL AND source <> 'claude-code' AND channel IS NULL AND chat_type IS NULL
        AND coalesce(key, '') NOT LIKE 'agent:%'
    UNION
    SELECT s.id, u.root FROM sessions s JOIN unknown u ON s.parent_id = u.id
)
UPDATE sessions SET chat_type = 'unknown',
    peer = (SELECT root FROM unknown WHERE unknown.id = sessions.id)
WHERE id IN (SELECT id FROM unknown);
