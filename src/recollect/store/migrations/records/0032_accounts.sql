-- The user of a direct chat is its account, channel and id: telegram:42, or irc:libera:bob where ids
-- count within a network. It was the id alone, or the name of a linked person; which accounts are
-- one person is asked when rows are read.
UPDATE sessions SET user_id = named.user_id FROM (
    SELECT id, place || ':' || CASE
            WHEN network IS NULL OR network = 'default'
                OR place IN ('discord', 'matrix', 'signal', 'telegram', 'whatsapp') THEN ''
            WHEN network = 'subagent' THEN '%73ubagent:'
            ELSE replace(replace(network, '%', '%25'), ':', '%3A') || ':' END
        || CASE who WHEN 'subagent' THEN '%73ubagent'
            ELSE replace(replace(who, '%', '%25'), ':', '%3A') END AS user_id
    FROM (
        SELECT id,
            CASE channel WHEN 'subagent' THEN '%73ubagent'
                ELSE replace(replace(channel, '%', '%25'), ':', '%3A') END AS place,
            CASE account WHEN '%73ubagent' THEN 'subagent'
                ELSE replace(replace(account, '%3A', ':'), '%25', '%') END AS network,
            CASE peer WHEN '%73ubagent' THEN 'subagent'
                ELSE replace(replace(peer, '%3A', ':'), '%25', '%') END AS who
        FROM (
            SELECT id, channel, account, CASE WHEN instr(peer, ':thread:') > 0
                THEN substr(peer, 1, instr(peer, ':thread:') - 1) ELSE peer END AS peer
            FROM sessions WHERE chat_type = 'direct' AND channel IS NOT NULL AND peer IS NOT NULL
        )
    )
) AS named WHERE named.id = sessions.id;
-- Whose the notes are that a flush wrote.
UPDATE note_folders SET user_id = named.user_id FROM (
    SELECT folder, place || ':' || CASE
            WHEN network IS NULL OR network = 'default'
                OR place IN ('discord', 'matrix', 'signal', 'telegram', 'whatsapp') THEN ''
            WHEN network = 'subagent' THEN '%73ubagent:'
            ELSE replace(replace(network, '%', '%25'), ':', '%3A') || ':' END
        || CASE who WHEN 'subagent' THEN '%73ubagent'
            ELSE replace(replace(who, '%', '%25'), ':', '%3A') END AS user_id
    FROM (
        SELECT folder,
            CASE channel WHEN 'subagent' THEN '%73ubagent'
                ELSE replace(replace(channel, '%', '%25'), ':', '%3A') END AS place,
            CASE account WHEN '%73ubagent' THEN 'subagent'
                ELSE replace(replace(account, '%3A', ':'), '%25', '%') END AS network,
            CASE peer WHEN '%73ubagent' THEN 'subagent'
                ELSE replace(replace(peer, '%3A', ':'), '%25', '%') END AS who
        FROM (
            SELECT folder, channel, account, CASE WHEN instr(peer, ':thread:') > 0
                THEN substr(peer, 1, instr(peer, ':thread:') - 1) ELSE peer END AS peer
            FROM note_folders WHERE chat_type = 'direct' AND channel IS NOT NULL AND peer IS NOT NULL
        )
    )
) AS named WHERE named.folder = note_folders.folder;
-- Events are narrowed by it; those of sessions that are gone are nobody's.
UPDATE events SET user_id = (SELECT s.user_id FROM sessions s WHERE s.id = events.session_id)
WHERE user_id IS NOT NULL AND session_id IS NOT NULL;
-- The mirrors name the user in their first line.
INSERT INTO changes (tenant, kind, ref, op, at)
SELECT tenant, 'session.changed', id, 'put', updated_at FROM sessions
WHERE chat_type = 'direct' AND channel IS NOT NULL ORDER BY id;
-- A plain name is a person from now on; a home whose plain names are the owner's keeps that.
INSERT INTO meta (key, value)
SELECT 'sessions.plain_keys', 'owner' WHERE EXISTS (
    SELECT 1 FROM sessions
    WHERE key IS NOT NULL AND channel IS NULL AND chat_type IS NULL AND user_id IS NULL
        AND key NOT LIKE 'agent:%:main' AND key NOT LIKE 'agent:%:main:thread:%'
);
