"""Projects on their way into another home: one value each, with the paths that belong to it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, LiteralString, TypeAlias

import msgspec

from recollect.core.clock import MAX_MS
from recollect.observations.project_folder import ProjectFolder
from recollect.observations.project_rows import (
    ADD_PROJECT,
    SET_ALIAS,
    KnownProjects,
    ProjectRow,
    cells,
    is_used,
)
from recollect.store.columns import integer, text
from recollect.store.engine import Transaction

_DATES: LiteralString = "SELECT id, created_at FROM projects WHERE tenant = ?"
_ALIASES: LiteralString = """
    SELECT project_id, path, kind, at FROM project_aliases WHERE tenant = ? ORDER BY path
"""
_NAMED = frozenset({"path", "person"})
_KINDS = _NAMED | {"root", "git"}
_Ms: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MAX_MS)]


class ProjectLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A project; each alias is a path, its kind, and when it was noted, ms UTC."""

    id: str
    name: str
    root: str
    created_at: _Ms
    remote: str | None = None
    clone: str | None = None
    merged_into: str | None = None
    apart: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str, _Ms], ...] = ()


def project_lines(tx: Transaction, tenant: str, paths: Collection[str] | None) -> list[ProjectLine]:
    """Return the projects of a tenant, or those of some paths, those joined to others last."""
    projects = KnownProjects(tx, tenant)
    created = {text(id_): integer(at) for id_, at in tx.rows(_DATES, (tenant,))}
    aliases: dict[str, list[tuple[str, str, int]]] = {}
    for id_, each, kind, at in tx.rows(_ALIASES, (tenant,)):
        aliases.setdefault(text(id_), []).append((text(each), text(kind), integer(at)))
    rows = list(projects.rows.values())
    if paths is not None:
        heads = {
            projects.rows[projects.paths[path][0]].stands_for
            for path in projects.paths.keys() & {*paths}
        }
        rows = [row for row in rows if row.stands_for in heads]
    return [
        ProjectLine(
            **{name: getattr(row, name) for name in _FACTS},
            created_at=created[row.id],
            aliases=tuple(aliases.get(row.id, ())),
        )
        for row in sorted(rows, key=lambda row: _depth(projects, row))
    ]


_FACTS = ("id", "name", "root", "remote", "clone", "merged_into", "apart")


def take_project(
    tx: Transaction,
    tenant: str,
    line: ProjectLine,
    unwanted: Collection[str] = (),
    *,
    dry_run: bool = False,
) -> bool:
    """Store a project from another home with its paths; return whether any of it is new.

    What this home knows wins: a project with its id, and paths that belong to another one. A name
    that is taken gets a number.

    Args:
        tx: A transaction.
        tenant: Its new owner.
        line: The project.
        unwanted: Paths to leave out unless this home has them; the project is left out if all
            of its paths are.
        dry_run: Store nothing.
    """
    projects = KnownProjects(tx, tenant)
    aliases = [each for each in line.aliases if _is_wanted(tx, tenant, each, unwanted)]
    if line.aliases and not any(kind in _NAMED for _, kind, _ in aliases):
        return False
    is_new = line.id not in projects.rows
    fresh = [each for each in aliases if each[0] not in projects.paths]
    if is_new and not dry_run:
        into = line.merged_into if line.merged_into in projects.rows else None
        folder = ProjectFolder(path=line.root, root=line.root, name=line.name)
        facts = {name: getattr(line, name) for name in ("id", "root", "remote", "clone", "apart")}
        name = projects.free_name(folder)
        row = ProjectRow(**facts, name=name, merged_into=into, stands_for=line.id)
        row = msgspec.structs.replace(row, stands_for=projects.meaning(row))
        tx.execute(ADD_PROJECT, (*cells(row), tenant, line.created_at))
    for path, kind, at in () if dry_run else fresh:
        tx.execute(SET_ALIAS, (tenant, path, line.id, kind, at))
    return is_new or bool(fresh)


def _is_wanted(
    tx: Transaction, tenant: str, alias: tuple[str, str, int], unwanted: Collection[str]
) -> bool:
    path, kind, _ = alias
    return kind in _KINDS and (path not in unwanted or is_used(tx, tenant, path))


def _depth(projects: KnownProjects, row: ProjectRow) -> int:
    depth = 0
    while row.merged_into is not None:
        row, depth = projects.rows[row.merged_into], depth + 1
    return depth
