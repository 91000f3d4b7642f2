"""Windsurf: its hook events and its installation."""
