"""The SQL that only SQLite supports, in one module.

A second engine brings its own module with these names; everything else in the store and above is
SQL that both speak, or a numbered `.sql` file of the engine.
"""

from __future__ import annotations

BEGIN_WRITE = "BEGIN IMMEDIATE"
"""Takes the write lock at once: a DEFERRED transaction that turns into a writer fails at once,
whatever the busy timeout (2,800 of 3,200 in the contention experiment)."""

BEGIN_READ = "BEGIN"
COMMIT = "COMMIT"
ROLLBACK = "ROLLBACK"

OPEN_UNIT = "SAVEPOINT unit"
KEEP_UNIT = "RELEASE unit"
UNDO_UNIT = "ROLLBACK TO unit"

WRITE_TOKEN = "INSERT INTO commits (token, at) VALUES (?, ?) RETURNING seq"  # noqa: S105  # SQL
FIND_TOKEN = "SELECT 1 FROM commits WHERE token = ?"  # noqa: S105  # SQL
FORGET_TOKENS = "DELETE FROM commits WHERE seq <= ?"

COUNT_OBJECTS = "SELECT count(*) FROM sqlite_schema"
LIST_OBJECTS = (
    "SELECT type, name, sql FROM sqlite_schema"
    " WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type DESC, name"
)
LIST_CODE = "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name"
LIST_STEPS = "SELECT version, sha256 FROM schema_steps"
NOTE_STEP = "INSERT INTO schema_steps (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)"
FIRST_BROKEN_REFERENCE = 'SELECT "table" FROM pragma_foreign_key_check LIMIT 1'
