"""What of a session stands in the prompt: view, compaction, flush."""
