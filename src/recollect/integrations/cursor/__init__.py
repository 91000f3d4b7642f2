"""Cursor: its hook events and its installation."""
