"""Values and rows of sessions: keys, messages, tool calls, lineage."""
