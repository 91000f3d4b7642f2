"""The rows of projects, as one transaction sees them, and what they say of a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from pathlib import PurePath
from typing import LiteralString

import msgspec

from recollect.observations.project_folder import ProjectFolder, printable
from recollect.store.columns import decode, json_cell, text
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.twins import compared_rows

_NAME_CHARS = 200

_FIELDS = ("id", "name", "root", "remote", "clone", "merged_into", "stands_for", "apart")
_COLUMNS: LiteralString = "id, name, root, remote, clone, merged_into, stands_for, apart"
_PROJECTS: LiteralString = """
    FROM projects INDEXED BY projects_twin WHERE tenant = ? ORDER BY created_at, id
"""
_ALIASES: LiteralString = """
    FROM project_aliases INDEXED BY project_aliases_twin WHERE tenant = ? ORDER BY path
"""
_USED: LiteralString = "SELECT 1 FROM sessions WHERE tenant = ? AND project = ? LIMIT 1"
ADD_PROJECT: LiteralString = """
    INSERT INTO projects (id, name, root, remote, clone, merged_into, stands_for, apart, tenant,
        created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
SET_ALIAS: LiteralString = """
    INSERT INTO project_aliases (tenant, path, project_id, kind, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (tenant, path) DO UPDATE SET project_id = excluded.project_id,
        kind = excluded.kind, at = excluded.at
"""


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """One project, with those that a person joined to it.

    Attributes:
        id: Its id; in a ``.recollect-project`` file it joins a folder to it.
        name: Unique within the tenant.
        root: The top of its tree where it was seen last.
        remote: Of its repository, ``host/path``.
        paths: Under which sessions are stored, or that a person gave.
        sessions: The number of sessions, without deleted ones.
        merged: Names of the projects that were joined to it.
        looks_like: Names of the projects that look like the same.
    """

    id: str
    name: str
    root: str
    remote: str | None = None
    paths: tuple[str, ...] = ()
    sessions: int = 0
    merged: tuple[str, ...] = ()
    looks_like: tuple[str, ...] = ()


class ProjectRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `projects`."""

    id: str
    name: str
    root: str
    remote: str | None = None
    clone: str | None = None
    merged_into: str | None = None
    stands_for: str
    apart: tuple[str, ...] = ()


class KnownProjects:
    """The projects of a tenant in one transaction."""

    def __init__(self, tx: Transaction, tenant: str) -> None:
        rows = map(_row_of, compared_rows(tx, _COLUMNS, _PROJECTS, (tenant,)))
        self.rows = {row.id: row for row in rows}
        aliases = compared_rows(tx, "path, project_id, kind", _ALIASES, (tenant,))
        self.paths: dict[str, tuple[str, str]] = {
            text(path): (text(id_), text(kind)) for path, id_, kind in aliases
        }
        """Project and kind of each alias."""

    def is_given(self, path: str) -> bool:
        """Return whether a person said which project a path belongs to."""
        return path in self.paths and self.paths[path][1] == "person"

    def of_folder(self, folder: ProjectFolder) -> ProjectRow | None:
        """Return the project that a folder belongs to by what it is, else by its path."""
        mine = self.paths.get(folder.path)
        if mine is not None and self.is_given(folder.path):
            return self.rows.get(mine[0])
        if folder.file_id in self.rows:
            return self.rows[folder.file_id]
        alias = self.paths.get(folder.git or folder.root) or mine
        return self.rows.get(alias[0]) if alias is not None else None

    def moved(self, folder: ProjectFolder) -> ProjectRow | None:
        """Return the project whose repository was moved to where it is now, and is gone there."""
        return next(
            (
                row
                for row in self.rows.values()
                if folder.clone is not None
                and (row.clone, row.remote) == (folder.clone, folder.remote)
                and not any(os.path.lexists(git) for git in self.of_kind(row.id, {"git"}))
            ),
            None,
        )

    def by_name(self, name: str) -> ProjectRow | None:
        """Return the project with a name or id."""
        by_name = (row for row in self.rows.values() if row.name == name)
        return self.rows.get(name) or next(by_name, None)

    def resolve(self, folder: ProjectFolder, name: str) -> ProjectRow | None:
        """Return the project that a folder, a name or an id means."""
        return self.of_folder(folder) or self.by_name(name)

    def called(self, name: str) -> list[ProjectRow]:
        """Return the projects that a name may mean: by their name, or by that of their folder."""
        heads = (row for row in self.rows.values() if row.merged_into is None)
        return [row for row in heads if name in {row.name, PurePath(row.root).name}]

    def holds(self, folder: ProjectFolder) -> bool:
        """Return whether nothing is to be stored of a folder."""
        if self.is_given(folder.path):
            return True
        row = self.of_folder(folder)
        if row is None or folder.file_id not in {None, row.id} or self.facts(row, folder) != row:
            return False
        marks = (path for path, _ in marks_of(folder) if not self.is_given(path))
        return all(path in self.paths and self.paths[path][0] == row.id for path in marks)

    def facts(self, row: ProjectRow, folder: ProjectFolder) -> ProjectRow:
        """Return a project as it is known after a look at one of its folders."""
        if folder.git is None and folder.file_id is None:
            return row
        facts = {"root": row.root if os.path.lexists(row.root) else folder.root}
        for name in ("remote", "clone"):
            facts[name] = getattr(folder, name) or getattr(row, name)
        if folder.name is not None and row.name != folder.name:
            facts["name"] = self.free_name(folder)
        return msgspec.structs.replace(row, **facts)

    def free_name(self, folder: ProjectFolder) -> str:
        """Return a name that no other project has."""
        root = PurePath(folder.root)
        base = printable(folder.name or root.name or folder.root)[:_NAME_CHARS]
        names = {row.name for row in self.rows.values()} | set(self.rows)
        more = (f"{base}-{number}" for number in range(2, len(names) + 3))
        longer = f"{printable(root.parent.name)}/{base}"
        return next(name for name in (base, longer, *more) if name not in names)

    def meaning(self, row: ProjectRow) -> str:
        """Return the id of the project that a row means now, after all merges."""
        while row.merged_into is not None:
            row = self.rows[row.merged_into]
        return row.id

    def of_kind(self, id_: str, kinds: set[str]) -> tuple[str, ...]:
        """Return the aliases of a project of some kinds."""
        return tuple(
            path for path, (owner, kind) in self.paths.items() if owner == id_ and kind in kinds
        )

    def any_path(self, row: ProjectRow, default: str) -> str:
        """Return an alias of a project or of one merged with it, else the default."""
        kin = {each.id for each in self.rows.values() if each.stands_for == row.stands_for}
        return next((path for path, (owner, _) in self.paths.items() if owner in kin), default)

    def projects(self, sessions: Mapping[str, int], only: Set[str] | None = None) -> list[Project]:
        """Return the projects, each with what was merged into it.

        Args:
            sessions: The number of sessions of each path.
            only: Those that have one of these paths, as if there were no others; all if not given.
        """
        heads = (row for row in self.rows.values() if row.merged_into is None)
        projects = [self.project(row, sessions) for row in heads]
        if only is None:
            return projects
        mine = [each for each in projects if only & {*each.paths}]
        names = {each.name for each in mine}
        return [
            msgspec.structs.replace(each, looks_like=tuple(filter(names.__contains__, alike)))
            for each in mine
            for alike in (each.looks_like,)
        ]

    def project(self, row: ProjectRow, sessions: Mapping[str, int]) -> Project:
        """Return a project with what was merged into it."""
        parts = [each for each in self.rows.values() if each.stands_for == row.id]
        paths = [path for part in parts for path in self.of_kind(part.id, {"path", "person"})]
        return Project(
            id=row.id,
            name=row.name,
            root=row.root,
            remote=row.remote,
            paths=tuple(sorted(paths)),
            sessions=sum(sessions.get(path, 0) for path in paths),
            merged=tuple(part.name for part in parts if part is not row),
            looks_like=tuple(
                each.name
                for each in self.rows.values()
                if each.merged_into is None and each is not row and _look_alike(row, each)
            ),
        )


def _look_alike(one: ProjectRow, other: ProjectRow) -> bool:
    """Whether a person should decide if two are one: by remote, or by name if one tree is gone."""
    if other.id in one.apart or one.id in other.apart:
        return False
    if one.remote is not None and one.remote == other.remote:
        return True
    roots = [row.root for row in (one, other)]
    # By text: every project is compared with every other.
    if len({root.rstrip(os.sep).rpartition(os.sep)[2] for root in roots}) == 2:
        return False
    is_one_gone = len({os.path.lexists(root) for root in roots}) == 2
    return is_one_gone and all(map(os.path.isabs, roots))


def project_names(tx: Transaction, tenant: str, paths: Set[str]) -> dict[str, str]:
    """Return the names of the projects that paths belong to; one of none is its own name."""
    if not paths:
        return {}
    projects = KnownProjects(tx, tenant)
    rows = {path: projects.rows.get(projects.paths.get(path, ("", ""))[0]) for path in paths}
    return {
        path: path if row is None else projects.rows[row.stands_for].name
        for path, row in rows.items()
    }


def is_used(tx: Transaction, tenant: str, path: str) -> bool:
    """Return whether a session has a path as its project."""
    return tx.row(_USED, (tenant, path)) is not None


def marks_of(folder: ProjectFolder) -> list[tuple[str, str]]:
    """Return the aliases that a folder gives its project, each with its kind."""
    mark = (folder.git, "git") if folder.git is not None else (folder.root, "root")
    marks = [] if mark[0] == folder.path else [(str(mark[0]), mark[1])]
    return [*marks, (folder.path, "path")]


def _row_of(cells: Row) -> ProjectRow:
    apart = json_cell(cells[-1], tuple[str, ...])
    return decode(ProjectRow, _FIELDS, cells, apart=apart)


def cells(row: ProjectRow) -> tuple[SqlValue, ...]:
    """Return the columns of a row, in the order in which they are selected."""
    fields = msgspec.structs.asdict(row)
    return (*(fields[name] for name in _FIELDS[:-1]), msgspec.json.encode(row.apart).decode())
