"""What of a session is in the prompt: view, compaction, flush."""
