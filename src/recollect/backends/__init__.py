"""Floor 4: other search engines, each behind a public port, found by entry point."""
