"""OpenCode: its plugin, what that reports, and its installation."""
