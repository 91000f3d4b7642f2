"""Gemini CLI: its hook events and its extension."""
