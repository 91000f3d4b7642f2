"""Commands about memory files."""
