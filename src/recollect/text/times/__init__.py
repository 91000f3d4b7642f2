"""Expressions of time in five languages, read as half-open ranges: "last week", "im März", 昨日."""
