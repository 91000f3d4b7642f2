"""GitHub Copilot CLI: its hook events and its installation."""
