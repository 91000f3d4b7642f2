"""Examines index.db and repairs its defects."""
