"""Schemas: numbered `.sql` steps, forward only, and the check of their result.

Each step runs in one transaction with its ledger row and the new version number, so that a kill
leaves the old schema or the new one. The expected tables are in `schema.sql` beside the steps; a
database that differs is refused instead of failing later. A new one is made from that file at once.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import apsw
from msgspec import Struct

from recollect.core.clock import Clock
from recollect.core.errors import (
    MigrationFailed,
    SchemaTooNew,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from recollect.store.engine import Row
from recollect.store.failures import translate
from recollect.store.sqlite import dialect
from recollect.store.sqlite.pages import copy_database

_logger = logging.getLogger(__name__)

_GOLDEN, _FIRST_ROWS = "schema.sql", "rows.sql"
_NEEDED = 3
"""Times the size of a database that its steps may take: the copy, every row rewritten, and the
log that holds both the new pages and the old ones overwritten. 1,297 MB, a million messages, took
2.8."""
_BYTES_A_SECOND = 40_000_000
"""The speed of that: those steps took 27 s on two cores; a slow disk takes longer."""
_LONG_S = 2
"""From here it is worth a warning."""
_NAMED, _LONGEST_NAME = 3, 64
"""Foreign objects that an error names, and characters of each."""


class Migration(Struct, frozen=True, kw_only=True):
    """One numbered file."""

    version: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """Hex digest of the file, for the ledger."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


class Schema(Struct, frozen=True, kw_only=True):
    """The target schema of a database, and the steps to it."""

    name: str
    """``records`` or ``index``."""
    application_id: int
    """Marks the file as ours, whatever its name."""
    steps: tuple[Migration, ...]
    """In order, numbered 1, 2, 3 ..."""
    golden: str
    """The statements of the finished schema as SQLite shows them; empty: not checked, and a new
    database runs the steps."""
    first_rows: str = ""
    """Statements that insert the rows that the steps leave in a new database."""
    keep_backup: bool
    """Copy the database before its first step; needless where it can be derived again."""
    may_have_triggers: bool = True
    """Whether others add triggers and views to it, as back ends do to an index. Elsewhere one is
    foreign: it would change rows behind our back."""

    @property
    def version(self) -> int:
        """Number of the newest step."""
        return len(self.steps)


@cache
def load_schema(name: str, application_id: int, *, keep_backup: bool) -> Schema:
    """Return the schema in ``store/migrations/<name>/``.

    One that cannot be derived again, and so is backed up, has no triggers and views.
    """
    folder = files("recollect.store") / "migrations" / name
    golden, first_rows = (
        path.read_text("utf-8") if path.is_file() else ""
        for path in (folder / _GOLDEN, folder / _FIRST_ROWS)
    )
    return Schema(
        name=name,
        application_id=application_id,
        steps=load_steps(folder),
        golden=golden,
        first_rows=first_rows,
        keep_backup=keep_backup,
        may_have_triggers=not keep_backup,
    )


def load_steps(folder: Traversable) -> tuple[Migration, ...]:
    """Return the steps of ``folder``, files named ``0001_name.sql`` without a gap.

    Raises:
        StoreError: a number is missing or appears twice.
    """
    paths = sorted(
        (path for path in folder.iterdir() if path.name[:4].isdigit()), key=lambda path: path.name
    )
    steps = tuple(
        Migration(version=int(path.name[:4]), name=path.name[:-4], sql=path.read_text("utf-8"))
        for path in paths
    )
    if [step.version for step in steps] != list(range(1, len(steps) + 1)):
        raise StoreError(
            "the numbers of the schema steps have a gap", hint="install recollect again"
        )
    return steps


def migrate(connection: apsw.Connection, schema: Schema, path: Path, clock: Clock) -> None:
    """Bring an open database to the newest version of ``schema`` and check it.

    The caller holds the write queue, so that no other process migrates meanwhile.

    Raises:
        SchemaTooNew: a newer recollect has written it.
        StoreError: it is a database of another kind.
        StoreFull: the disk has no room for the backup.
        StoreCorrupt: the tables differ from those of the steps, an earlier step was different, or
            there is a foreign trigger or view.
        MigrationFailed: a step failed; the database is as it was before that step.
        apsw.Error: SQLite could not read or write it.
    """
    version = _recognise(connection, schema, path)
    _refuse_foreign_code(connection, schema, path)
    _check_steps(connection, schema, path)
    if schema.golden and not connection.execute(dialect.COUNT_OBJECTS).get:
        _create(connection, schema, clock)
    elif version < schema.version:
        backup = _backup_before(connection, schema, path, version)
        _prepare(connection, schema)
        for step in schema.steps[version:]:
            _apply(connection, step, path=path, clock=clock, backup=backup)
    check_objects(connection, schema, path)


def check_current(connection: apsw.Connection, schema: Schema, path: Path) -> None:
    """Check a database that cannot be written.

    Raises:
        SchemaTooNew: a newer recollect has written it.
        StoreReadOnly: an older one has, so that it must be changed first.
        StoreError: it is a database of another kind, or its tables differ from the expected ones.
        apsw.Error: SQLite could not read it.
    """
    if _recognise(connection, schema, path) < schema.version:
        raise StoreReadOnly(
            f"{path.name} is of an older recollect and cannot be written",
            hint="open the home once where it can be written",
            path=str(path),
        )
    _refuse_foreign_code(connection, schema, path)
    _check_steps(connection, schema, path)
    check_objects(connection, schema, path)


def show_objects(connection: apsw.Connection) -> str:
    """Return the statements of all tables and indexes, in a fixed order, each ended by ``;``."""
    return "".join(f"{sql};\n" for _, _, sql in connection.execute(dialect.LIST_OBJECTS))


def check_objects(connection: apsw.Connection, schema: Schema, path: Path) -> None:
    """Compare the database with the golden schema; only additions are allowed.

    Raises:
        StoreCorrupt: something is missing or different.
    """
    if not schema.golden:
        return
    there = show_objects(connection)
    if there == schema.golden:
        return
    missing = set(schema.golden.split(";\n")) - set(there.split(";\n"))
    if missing:
        first = " ".join(min(missing).split()[:3])
        raise StoreCorrupt(
            f"{path.name}: the schema differs from version {schema.version}, first at {first}",
            hint="delete it if it is index.db; for records.db restore a backup with"
            " `recollect restore FILE`, or rebuild it with `recollect recover`",
            path=str(path),
            missing=len(missing),
        )


def is_schema_foreign(error: StoreError) -> bool:
    """Return whether a database is refused only for its schema: its rows may be sound."""
    return not {"foreign", "step"}.isdisjoint(error.facts)


def foreign_objects(objects: Iterable[Row], schema: Schema) -> list[str]:
    """Return the rows of ``LIST_OBJECTS`` that no step makes, as ``table 'NAME'``, sorted."""
    ours = set(schema.golden.split(";\n"))
    return sorted(_named(kind, name) for kind, name, sql in objects if sql not in ours)


def drop_foreign_code(connection: apsw.Connection) -> list[str]:
    """Drop all triggers and views; return them as ``trigger 'NAME'``.

    For the records, in which no step makes any.
    """
    with _transaction(connection):
        objects = list(connection.execute(dialect.LIST_CODE))
        for kind, name in objects:
            quoted = str(name).replace('"', '""')
            connection.execute(f'DROP {kind} "{quoted}"').fetchall()
    return [_named(kind, name) for kind, name in objects]


def _named(kind: object, name: object) -> str:
    # The name is foreign text: it is shown, and must not control a terminal.
    return f"{kind} {str(name)[:_LONGEST_NAME]!a}"


def _refuse_foreign_code(connection: apsw.Connection, schema: Schema, path: Path) -> None:
    """Refuse triggers and views: they would change or hide rows with the next statement."""
    if schema.may_have_triggers:
        return
    names = [_named(kind, name) for kind, name in connection.execute(dialect.LIST_CODE)]
    if names:
        raise StoreCorrupt(
            f"{path.name} has a foreign {', a foreign '.join(names[:_NAMED])}",
            hint="remove it with `recollect doctor --fix`, and look at what it may have changed",
            path=str(path),
            foreign=len(names),
        )


def _check_steps(connection: apsw.Connection, schema: Schema, path: Path) -> None:
    """Compare the steps that were applied with ours; a new database has none.

    Raises:
        StoreCorrupt: one is missing or was different.
    """
    version = int(connection.pragma("user_version"))
    applied = dict(connection.execute(dialect.LIST_STEPS)) if version else {}
    for step in schema.steps[:version]:
        if applied.get(step.version) != step.sha256:
            how = "differs from ours" if step.version in applied else "is not in its ledger"
            raise StoreCorrupt(
                f"{path.name}: the schema step {step.name} {how}",
                hint="use the recollect that made it, or restore a backup with"
                " `recollect restore FILE`; index.db may be deleted",
                path=str(path),
                step=step.name,
            )


def _recognise(connection: apsw.Connection, schema: Schema, path: Path) -> int:
    """Return the version of the database; 0 when it is new."""
    application, version = (
        int(connection.pragma(name)) for name in ("application_id", "user_version")
    )
    is_empty = not connection.execute(dialect.COUNT_OBJECTS).get
    if application != schema.application_id and not (application == 0 and is_empty):
        raise StoreError(
            f"{path.name} is not a {schema.name} database of recollect",
            hint="choose another home, or move the file away",
            path=str(path),
        )
    if version > schema.version:
        raise SchemaTooNew(
            f"{path.name} has schema {version}, this recollect knows {schema.version}",
            hint="upgrade recollect",
            path=str(path),
            found=version,
            known=schema.version,
        )
    return version


def _backup_before(
    connection: apsw.Connection, schema: Schema, path: Path, version: int
) -> Path | None:
    if version == 0 or not schema.keep_backup:
        return None
    size = int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
    target = path.with_name(f"{path.name}.before-{version + 1:04d}")
    _check_room(path, target, size)
    seconds = 1 + size // _BYTES_A_SECOND
    _logger.log(
        logging.WARNING if seconds > _LONG_S else logging.INFO,
        "%s: its schema changes from %d to %d, which may take %d s and %d MB of disk;"
        " a copy of %d MB stays beside it: %s",
        *(path.name, version, schema.version, seconds, _megabytes(_NEEDED * size)),
        *(_megabytes(size), target.name),
    )
    copy_database(connection, target)
    return target


def _check_room(path: Path, backup: Path, size: int) -> None:
    """Refuse to begin when the disk would be full before the end.

    The remains of a killed attempt are used again: its copy, whole or not, and its log.
    """
    files = (backup, backup.with_name(backup.name + ".part"), path.with_name(path.name + "-wal"))
    reused = sum(file.stat().st_size for file in files if file.is_file())
    needed = max(size, _NEEDED * size - reused)  # the new copy is whole before the old one goes
    if shutil.disk_usage(path.parent).free < needed:
        raise StoreFull(
            f"{path.name}: no room to change its schema",
            hint=f"free {_megabytes(needed)} MB and try again; nothing is changed yet",
            path=str(path),
            needed=needed,
        )


def _megabytes(size: int) -> int:
    return size // 1_000_000 + 1


def _create(connection: apsw.Connection, schema: Schema, clock: Clock) -> None:
    """Make a new database as all steps would leave it, in a tenth of their time."""
    with _transaction(connection):
        connection.pragma("application_id", schema.application_id)
        connection.execute(schema.golden + schema.first_rows).fetchall()
        for step in schema.steps:
            _note_step(connection, step, clock)


def _prepare(connection: apsw.Connection, schema: Schema) -> None:
    """Mark the file as ours and make the engine's own tables."""
    sql = (files("recollect.store") / "migrations" / "engine" / "bookkeeping.sql").read_text(
        "utf-8"
    )
    with _transaction(connection):
        connection.execute(sql).fetchall()
        connection.pragma("application_id", schema.application_id)


def _apply(
    connection: apsw.Connection, step: Migration, *, path: Path, clock: Clock, backup: Path | None
) -> None:
    try:
        with _transaction(connection):
            connection.execute(step.sql).fetchall()
            _check_references(connection)
            _note_step(connection, step, clock)
    except apsw.Error as error:
        copied = "" if backup is None else f"; nothing of it is kept, the copy is {backup.name}"
        raise MigrationFailed(
            f"{path.name}: step {step.name} failed",
            hint=translate(error, path).hint + copied,
            path=str(path),
            step=step.name,
            backup=backup and str(backup),
        ) from error


def _note_step(connection: apsw.Connection, step: Migration, clock: Clock) -> None:
    row = (step.version, step.name, step.sha256, clock.now_ms())
    connection.execute(dialect.NOTE_STEP, row).fetchall()
    connection.pragma("user_version", step.version)


def _check_references(connection: apsw.Connection) -> None:
    table = connection.execute(dialect.FIRST_BROKEN_REFERENCE).get
    if table is not None:
        raise apsw.ConstraintError(f"a row of {table} refers to nothing")


@contextmanager
def _transaction(connection: apsw.Connection) -> Iterator[None]:
    connection.execute(dialect.BEGIN_WRITE)
    try:
        yield
        connection.execute(dialect.COMMIT)
    except BaseException:
        if connection.in_transaction:
            connection.execute(dialect.ROLLBACK)
        raise
