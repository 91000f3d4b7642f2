"""Write `schema.sql` of each database again, from the numbered steps.

Run it after a change of a step; the difference is reviewed with the change. A test compares.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import apsw  # noqa: TID251  # looks at the finished databases from outside
import msgspec

from recollect.core.clock import SystemClock
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import open_database
from recollect.store.sqlite.home import CONTENTS_ID, INDEX_ID, RECORDS_ID
from recollect.store.sqlite.schema import load_schema, show_objects

MIGRATIONS = Path(__file__).resolve().parents[1] / "src" / "recollect" / "store" / "migrations"


def finished(name: str, application_id: int) -> str:
    """Return the statements of a new database."""
    schema = load_schema(name, application_id, keep_backup=False)
    unchecked = msgspec.structs.replace(schema, golden="")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "home" / f"{name}.db"
        open_database(path, unchecked, Tuning(), SystemClock()).close()
        connection = apsw.Connection(str(path))
        try:
            return show_objects(connection)
        finally:
            connection.close()


def main() -> int:
    """Write the files."""
    for name, application_id in (
        ("records", RECORDS_ID),
        ("index", INDEX_ID),
        ("checkpoints", CONTENTS_ID),
    ):
        target = MIGRATIONS / name / "schema.sql"
        target.write_text(finished(name, application_id), "utf-8")
        print(target.relative_to(MIGRATIONS.parents[3]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
