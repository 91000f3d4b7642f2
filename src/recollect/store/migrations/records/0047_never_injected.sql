-- What may not be put into a prompt by itself again.
CREATE TABLE never_injected (
    -- The id of a record; of lines of a memory file, path and numbers; of a state its session.
    ref    TEXT NOT NULL,
    tenant TEXT NOT NULL,
    kind   TEXT NOT NULL
           CHECK (kind IN ('observation', 'episode', 'message', 'file', 'fact', 'state')),
    number INTEGER,
    at     INTEGER NOT NULL,
    PRIMARY KEY (ref, tenant)
) STRICT, WITHOUT ROWID;
CREATE INDEX never_injected_by_tenant ON never_injected (tenant, at);

-- What a block could have cost; NULL: it was not recorded.
ALTER TABLE injections ADD COLUMN budget INTEGER;
DROP INDEX injections_twin;
CREATE INDEX injections_twin ON injections (
    tenant, id, session_id, visibility_group, reason, client, query_digest, tokens, chars, dropped,
    at, agent, user_id, project, budget);
