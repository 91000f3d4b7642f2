"""The three steps of recall: index lines, a timeline, details by id; and records called by name."""
