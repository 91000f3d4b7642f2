"""The reading side: from a question to hits."""
