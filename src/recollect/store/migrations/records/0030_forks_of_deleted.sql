-- What living forks show of deleted sessions is found through them: the index looks at it again.
INSERT INTO changes (tenant, kind, ref, op, at)
SELECT m.tenant, 'message', m.id, 'put', m.recorded_at
FROM sessions s JOIN messages m ON m.session_id = s.id
WHERE s.status = 'deleted'
    AND EXISTS (SELECT 1 FROM sessions f WHERE f.parent_id = s.id AND f.forked_at_seq >= m.seq)
ORDER BY m.session_id, m.seq;
