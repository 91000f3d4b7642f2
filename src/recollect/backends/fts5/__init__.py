"""SQLite's FTS5 as the lexical back end: tables that any SQLite tool can read."""
