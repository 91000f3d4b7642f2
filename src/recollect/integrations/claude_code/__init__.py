"""Claude Code: its hook events, its plugin and its settings."""
