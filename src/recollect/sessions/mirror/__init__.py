"""Readable copies of the sessions: ``transcripts/<session id>.jsonl``."""
