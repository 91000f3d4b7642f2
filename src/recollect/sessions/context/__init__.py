"""The part of a session that is in the prompt: view, compaction, flush."""
