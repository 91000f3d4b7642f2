-- All of a compaction, on pages of its own: what is read of compactions is compared with it.
CREATE INDEX compactions_twin ON compactions (
    session_id, through_seq, id, last_seq, summary, made_by, tokens_before, tokens_after,
    created_at, turn_sender, tenant, agent, user_id, project);
