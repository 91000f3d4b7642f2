-- Second copies, on pages of their own: what public reads answer is compared with them.
CREATE INDEX audit_twin ON audit (
    seq, tenant, agent, user_id, project, actor, action, outcome, target, at);
CREATE INDEX episodes_twin ON episodes (
    tenant, ended_at, id, session_id, number, agent, user_id, project, extent, turn_sender, summary,
    topics, began_at, message_count, made_by, created_at, speakers, through_seq, deeds);
CREATE INDEX injected_items_twin ON injected_items (
    injection_id, place, kind, ref, number, section, why, tokens);
CREATE INDEX injections_twin ON injections (
    tenant, id, session_id, visibility_group, reason, client, query_digest, tokens, chars, dropped,
    at, agent, user_id, project);
CREATE INDEX messages_twin ON messages (
    tenant, created_at, id, number, session_id, seq, role, agent, user_id, project, turn_sender);
CREATE INDEX messages_twin_by_id ON messages (id);
CREATE INDEX observations_twin ON observations (
    tenant, created_at, id, number, session_id, project, is_forgotten, type, tool_name, importance,
    event, message_id, agent, user_id, turn_sender);
CREATE INDEX observations_twin_by_id ON observations (id);
CREATE INDEX observations_twin_by_number ON observations (tenant, number, id);
CREATE INDEX pauses_twin ON pauses (tenant, id, project_id, since, until);
CREATE INDEX project_aliases_twin ON project_aliases (tenant, project_id, path, kind, at);
CREATE INDEX projects_twin ON projects (
    tenant, created_at, id, name, root, remote, clone, merged_into, stands_for, apart);
CREATE INDEX sessions_twin ON sessions (
    id, tenant, status, agent, user_id, project, key, channel, account, chat_type, peer, title);
CREATE INDEX sessions_twin_by_time ON sessions (
    tenant, updated_at, id, status, agent, user_id, project, key, channel, account, chat_type, peer,
    title, parent_id, forked_at_seq, message_count, last_seq, source, foreign_id, created_at,
    metadata, overrides, mode, model, previous_id, compaction_count, pruned_seq,
    flush_compaction_count, flushed_at, flush_failures, input_tokens, output_tokens, cache_tokens,
    total_tokens, context_tokens, ended_at);
CREATE INDEX spending_twin ON spending (
    day, kind, purpose, model, requests, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, nano_usd, unpriced);
CREATE INDEX withheld_twin ON withheld (tenant, reason, number, at);
