-- What a session came to: decisions, outcome, open ends and tone beside its summary.
ALTER TABLE episodes ADD COLUMN decisions TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(decisions));
ALTER TABLE episodes ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE episodes ADD COLUMN open_ends TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(open_ends));
ALTER TABLE episodes ADD COLUMN tone TEXT NOT NULL DEFAULT '';
DROP INDEX episodes_twin;
CREATE INDEX episodes_twin ON episodes (
    tenant, ended_at, id, session_id, number, agent, user_id, project, extent, turn_sender, summary,
    topics, began_at, message_count, made_by, created_at, speakers, through_seq, deeds, decisions,
    outcome, open_ends, tone);

-- Up to where a session was summarised, whether or not an episode came of it.
CREATE TABLE summarised (
    session_id  TEXT PRIMARY KEY,
    through_seq INTEGER NOT NULL
) STRICT;

INSERT INTO summarised
    SELECT session_id, max(through_seq) FROM episodes
    WHERE extent = 'session' AND through_seq IS NOT NULL GROUP BY session_id;

-- What the agent is working on in a session; one for each sender where people share one.
CREATE TABLE session_states (
    id          INTEGER PRIMARY KEY,
    session_id  TEXT NOT NULL,
    tenant      TEXT NOT NULL,
    turn_sender TEXT,
    task        TEXT NOT NULL,
    steps       TEXT NOT NULL CHECK (json_valid(steps)),
    -- Whose words: the tool that was called, or the caller.
    source      TEXT NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX session_states_by_turn ON session_states (session_id, coalesce(turn_sender, ''));
CREATE INDEX session_states_twin ON session_states (
    session_id, turn_sender, tenant, task, steps, source, updated_at);

-- Facts and states are put into prompts, too.
CREATE TABLE injected_items_new (
    injection_id TEXT NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    place        INTEGER NOT NULL,
    kind         TEXT NOT NULL
                 CHECK (kind IN ('observation', 'episode', 'message', 'file', 'fact', 'state')),
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
CREATE INDEX injected_items_twin ON injected_items (
    injection_id, place, kind, ref, number, section, why, tokens);

-- The index did not follow episodes before: it looks at each of them once.
INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT tenant, 'episode', id, 'put', created_at FROM episodes ORDER BY id;
