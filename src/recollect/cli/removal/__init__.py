"""Commands that take something out of a home for good."""
