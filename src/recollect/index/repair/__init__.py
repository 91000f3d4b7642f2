"""Examines index.db and repairs what it finds."""
