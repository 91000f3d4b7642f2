"""Floor 4: other engines of search, each behind a public port, found by entry point."""
