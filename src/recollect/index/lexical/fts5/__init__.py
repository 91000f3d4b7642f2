"""The lexical index of SQLite as a back end: tables that any SQLite tool can read."""
