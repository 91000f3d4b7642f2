"""Values and rows of sessions: messages, tool calls, lineage."""
