-- All of an event, on pages of its own: what is read of events is compared with it.
DROP INDEX events_by_session;
CREATE INDEX events_twin ON events (
    session_id, seq, tenant, agent, user_id, project, type, payload, at, actor);
