"""Codex: its hook events and its settings."""
