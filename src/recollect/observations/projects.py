"""Projects: which paths are one, however many worktrees it has and wherever it was moved to.

What is stored names the path that it came from, and is never rewritten: a path belongs to a project
when it is read. Trees are joined by what belongs to one tree alone, see `places`; a remote only
makes them look alike, and a person decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import LiteralString, TypeAlias

import msgspec

from recollect.core.checks import check_text, checked
from recollect.core.clock import Clock, IdSource
from recollect.core.errors import Conflict, InvalidInput, NotFound, StoreReadOnly
from recollect.core.scope import Scope
from recollect.observations.project_folder import ProjectFolder, inspect_folder
from recollect.observations.project_rows import (
    ADD_PROJECT,
    SET_ALIAS,
    KnownProjects,
    Project,
    ProjectRow,
    cells,
    is_used,
    marks_of,
)
from recollect.store.columns import PROJECT_PATHS, Condition, text, typed_rows
from recollect.store.engine import Database, Transaction
from recollect.store.twins import compared_rows

_UPDATE: LiteralString = """
    UPDATE projects SET name = ?, root = ?, remote = ?, clone = ?, merged_into = ?,
        stands_for = ?, apart = ? WHERE tenant = ? AND id = ?
"""
_UNKNOWN: LiteralString = """
    SELECT DISTINCT project FROM sessions WHERE tenant = ? AND project IS NOT NULL
        AND project NOT IN (SELECT path FROM project_aliases WHERE tenant = ?)
"""
_SESSIONS: LiteralString = "FROM sessions INDEXED BY sessions_twin_by_time WHERE "
_BY_PROJECT: LiteralString = " AND project IS NOT NULL GROUP BY project ORDER BY project"
_FORGET_PATH: LiteralString = """
    DELETE FROM project_aliases WHERE tenant = ? AND path = (
        SELECT e.project FROM sessions e WHERE e.id = ?)
    AND NOT EXISTS (
        SELECT 1 FROM sessions s WHERE s.tenant = project_aliases.tenant
            AND s.project = project_aliases.path AND s.id <> ?)
"""
_FORGET_MARKS: LiteralString = """
    DELETE FROM project_aliases WHERE kind IN ('git', 'root') AND NOT EXISTS (
        SELECT 1 FROM project_aliases o WHERE o.tenant = project_aliases.tenant
            AND o.project_id = project_aliases.project_id AND o.kind IN ('path', 'person'))
"""
_FORGET_PROJECTS: LiteralString = """
    DELETE FROM projects WHERE NOT EXISTS (
        SELECT 1 FROM project_aliases a
        WHERE a.tenant = projects.tenant AND a.project_id = projects.id)
    AND NOT EXISTS (
        SELECT 1 FROM projects m WHERE m.tenant = projects.tenant AND m.id <> projects.id
            AND m.stands_for = projects.id)
"""


# Inside the class `list` is the method.
ProjectList: TypeAlias = list[Project]


@checked
class Projects:
    """Knows the projects of a tenant; `memory.projects` is one of these objects.

    Args:
        database: ``records.db``.
        clock: Tells the time.
        ids: Gives projects their ids.
        scope: The owner; a scope narrower than the tenant lists only its own, and changes none.
        clean: Takes secrets out of what is stored.
        was_erased: Returns whether a session with a path was erased: the path is not noted again
            until a session has it.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        ids: IdSource,
        scope: Scope,
        clean: Callable[[str], str] = lambda text: text,
        *,
        was_erased: Callable[[Transaction, str], bool] = lambda _tx, _path: False,
    ) -> None:
        self.database: Database = database
        self.clock: Clock = clock
        self.scope: Scope = scope
        self._ids = ids
        self._clean = clean
        self._was_erased = was_erased
        self._noted: set[str] = set()

    def note(self, path: str, label: str | None = None, *, is_named: bool = False) -> None:
        """Note a path that a session has, once in a process; its files are read then.

        Args:
            path: A folder, or any other name.
            label: What sessions are stored under, where that is not the path itself.
            is_named: A person names it now: it is noted even where its sessions were erased.
        """
        if path not in self._noted:
            self._note([(path, label if label is not None else path)], is_named=is_named)

    def clean(self, name: str) -> str:
        """Return a path or name as it is stored: without the secrets in it."""
        return self._clean(name)

    def find(self, name: str) -> str:
        """Return a path of the project that a path, a name or an id means.

        The name as it is stored if it means no project.

        Raises:
            StoreError: the database refused.
        """
        return self._path(name) or self._clean(name)

    def path_of(self, name: str) -> str:
        """Return a path of the project that a path, a name or an id means.

        Raises:
            NotFound: it means no project.
            Conflict: several projects have the name, or a folder of it; the hint has their paths.
            StoreError: the database refused.
        """
        path = self._path(name)
        if path is None:
            raise _no_project()
        folder = self._seen(inspect_folder(name))
        projects = self.database.read(lambda tx: KnownProjects(tx, self.scope.tenant))
        called = projects.called(name)
        if len(called) > 1 and projects.of_folder(folder) is None and name not in projects.rows:
            roots = ", ".join(each.root for each in called)
            raise Conflict(f"{len(called)} projects have this name", hint=f"use a path: {roots}")
        return path

    def _path(self, name: str) -> str | None:
        self.catch_up()
        projects = self.database.read(lambda tx: KnownProjects(tx, self.scope.tenant))
        if name in projects.paths:
            return name
        row = projects.resolve(self._seen(inspect_folder(name)), name)
        return None if row is None else projects.any_path(row, name)

    def paths(self, path: str) -> tuple[str, ...]:
        """Return all the paths of the project that has a path; no name is looked up."""
        self.catch_up()
        rows = self.database.read(lambda tx: tx.all(PROJECT_PATHS, (self.scope.tenant, path)))
        return tuple(sorted({path, *(text(row[0]) for row in rows)}))

    def known(self, path: str) -> Project | None:
        """Return the project of a path, as far as it is known; nothing is stored."""
        folder = self._seen(inspect_folder(path))

        def find_project(tx: Transaction) -> Project | None:
            projects = KnownProjects(tx, self.scope.tenant)
            row = projects.of_folder(folder)
            return None if row is None else projects.project(projects.rows[row.stands_for], {})

        return self.database.read(find_project)

    def get(self, name: str) -> Project:
        """Return the project that a path, a name or an id means.

        Raises:
            NotFound: it means no project.
        """
        path = self.path_of(name)
        for project in self.list():
            if path in project.paths:
                return project
        raise _no_project()

    def list(self) -> ProjectList:
        """Return the projects of the scope, in the order in which they were first seen.

        A scope narrower than the tenant lists the projects of its sessions.
        """
        self.catch_up()
        scope = self.scope
        where = Condition(scope).also("status <> ?", "deleted")
        of: LiteralString = _SESSIONS + where.sql + _BY_PROJECT

        def read_projects(tx: Transaction) -> ProjectList:
            sessions_of = dict(
                typed_rows(
                    compared_rows(tx, "project, count(*)", of, where.params), tuple[str, int]
                )
            )
            return KnownProjects(tx, scope.tenant).projects(
                sessions_of, only=None if scope.is_tenant else frozenset(sessions_of)
            )

        return self.database.read(read_projects)

    def alias(self, path: str, name: str) -> Project:
        """Let a path belong to a project, or begin a project of that name with it.

        Args:
            path: A folder, which need not exist any more, or a name that sessions are stored under.
            name: A path, name or id of the project; or the name of a new one.

        Raises:
            Denied: this memory has only a part of the tenant.
            InvalidInput: the path or the name is empty or too long.
        """
        self.scope.require_tenant("a path of a project")
        label, project_name = self._checked(path), self._checked(name)
        self.catch_up()

        def set_alias(tx: Transaction) -> None:
            projects = KnownProjects(tx, self.scope.tenant)
            row = projects.resolve(self._seen(inspect_folder(name)), project_name)
            if row is None:
                row = self._new(
                    tx, projects, ProjectFolder(path=label, root=label, name=project_name)
                )
            self._set_alias(tx, projects, (label, "person"), row.id)

        self.database.write(set_alias)
        return self.get(label)

    def merge(self, name: str, into: str) -> Project:
        """Join a project to another one; nothing stored is rewritten, and it can be undone.

        Args:
            name: A path, name or id of the one that is joined.
            into: The same of the one that it becomes part of.

        Raises:
            NotFound: one of them does not exist.
            Conflict: they are one already.
        """

        def join_projects(
            tx: Transaction, projects: KnownProjects, one: ProjectRow, other: ProjectRow
        ) -> None:
            if one.stands_for == other.stands_for:
                raise Conflict("they are one project already", hint="use two projects")
            first = projects.rows[one.stands_for]
            self._store(tx, projects, msgspec.structs.replace(first, merged_into=other.stands_for))

        return self._both(name, into, join_projects)

    def unmerge(self, name: str, from_: str) -> Project:
        """Part what `merge` joined, and keep them apart; return the second project.

        Raises:
            NotFound: one of them does not exist.
            Conflict: they were not joined.
        """

        def part_projects(
            tx: Transaction, projects: KnownProjects, one: ProjectRow, other: ProjectRow
        ) -> None:
            if one.merged_into is None or one.stands_for != other.stands_for:
                raise Conflict(
                    "the first was not merged into the second",
                    hint="see `recollect projects list`",
                )
            parted = msgspec.structs.replace(one, merged_into=None, apart=(*one.apart, other.id))
            self._store(tx, projects, parted)

        return self._both(name, from_, part_projects)

    def keep_apart(self, name: str, other: str) -> Project:
        """Say that two projects are two, so that they are not suggested again; return the second.

        Raises:
            NotFound: one of them does not exist.
            Conflict: they are one.
        """

        def mark_apart(
            tx: Transaction, projects: KnownProjects, one: ProjectRow, two: ProjectRow
        ) -> None:
            if one.stands_for == two.stands_for:
                raise Conflict("they are one project", hint="use --undo to part them")
            first = projects.rows[one.stands_for]
            apart = (*first.apart, two.stands_for)
            self._store(tx, projects, msgspec.structs.replace(first, apart=apart))

        return self._both(name, other, mark_apart)

    def catch_up(self) -> None:
        """Note the paths of sessions that are not known yet: those of older homes."""
        tenant = self.scope.tenant
        rows = self.database.read(lambda tx: tx.all(_UNKNOWN, (tenant, tenant)))
        if rows:
            self._note([(text(row[0]), text(row[0])) for row in rows])

    def _both(
        self,
        name: str,
        other: str,
        work: Callable[[Transaction, KnownProjects, ProjectRow, ProjectRow], None],
    ) -> Project:
        self.scope.require_tenant("joining projects")
        self.catch_up()
        folders = [self._seen(inspect_folder(each)) for each in (name, other)]

        def change(tx: Transaction) -> str:
            projects = KnownProjects(tx, self.scope.tenant)
            one, two = (
                projects.resolve(folder, each)
                for folder, each in zip(folders, (name, other), strict=True)
            )
            if one is None or two is None:
                hint = "see `recollect projects list`"
                raise NotFound("the project does not exist", hint=hint)
            work(tx, projects, one, two)
            return two.stands_for

        id_ = self.database.write(change)
        return next(each for each in self.list() if each.id == id_)

    def _note(self, paths: Iterable[tuple[str, str]], *, is_named: bool = False) -> None:
        folders = {path: self._seen(inspect_folder(path), label) for path, label in paths}
        projects = self.database.read(lambda tx: KnownProjects(tx, self.scope.tenant))
        if any(not projects.holds(folder) for folder in folders.values()):
            try:
                folders = self.database.write(lambda tx: self._take(tx, folders, is_named=is_named))
            except StoreReadOnly:
                return  # nothing is stored there either
        self._noted.update(folders)

    def _seen(self, folder: ProjectFolder, label: str | None = None) -> ProjectFolder:
        """Return a place as it can be stored: without secrets, under its label if it has one."""
        redacted = {
            field: self._clean(value)
            for field in ("root", "name", "git", "remote")
            if (value := getattr(folder, field)) is not None
        }
        path = label if label is not None else self._clean(folder.path)
        return msgspec.structs.replace(folder, path=path, **redacted)

    def _take(
        self, tx: Transaction, folders: Mapping[str, ProjectFolder], *, is_named: bool
    ) -> dict[str, ProjectFolder]:
        """Store the places of some paths; return those stored, without paths that were erased."""
        storable = {
            path: folder
            for path, folder in folders.items()
            if is_named
            or is_used(tx, self.scope.tenant, folder.path)
            or not self._was_erased(tx, folder.path)
        }
        projects = KnownProjects(tx, self.scope.tenant)
        for folder in storable.values():
            if projects.is_given(folder.path):
                continue
            row = projects.of_folder(folder) or projects.moved(folder)
            if row is None:
                row = self._new(tx, projects, folder)
            elif folder.file_id not in {None, row.id}:
                row = self._marked(tx, projects, folder, row)
            elif projects.facts(row, folder) != row:
                self._store(tx, projects, projects.facts(row, folder))
            for path, kind in marks_of(folder):
                if not projects.is_given(path):
                    self._set_alias(tx, projects, (path, kind), row.id)
        return storable

    def _marked(
        self, tx: Transaction, projects: KnownProjects, folder: ProjectFolder, before: ProjectRow
    ) -> ProjectRow:
        """Begin the project of a new mark; what its tree was before becomes part of it."""
        row = self._new(tx, projects, folder)
        if before.root == folder.root and before.merged_into is None:
            self._store(tx, projects, msgspec.structs.replace(before, merged_into=row.id))
        return row

    def _new(self, tx: Transaction, projects: KnownProjects, folder: ProjectFolder) -> ProjectRow:
        id_ = folder.file_id or self._ids.new()
        row = ProjectRow(
            id=id_,
            name=projects.free_name(folder),
            root=folder.root,
            remote=folder.remote,
            clone=folder.clone,
            stands_for=id_,
        )
        tx.execute(ADD_PROJECT, (*cells(row), self.scope.tenant, self.clock.now_ms()))
        projects.rows[id_] = row
        return row

    def _store(self, tx: Transaction, projects: KnownProjects, row: ProjectRow) -> None:
        """Store a project, and update the meaning of those merged into it."""
        projects.rows[row.id] = row
        for each in list(projects.rows.values()):
            head = projects.meaning(each)
            if each is row or head != each.stands_for:
                changed = msgspec.structs.replace(each, stands_for=head)
                tx.execute(_UPDATE, (*cells(changed)[1:], self.scope.tenant, each.id))
                projects.rows[each.id] = changed

    def _set_alias(
        self, tx: Transaction, projects: KnownProjects, alias: tuple[str, str], id_: str
    ) -> None:
        path, kind = alias
        tx.execute(SET_ALIAS, (self.scope.tenant, path, id_, kind, self.clock.now_ms()))
        projects.paths[path] = (id_, kind)

    def _checked(self, text: str) -> str:
        if not check_text(text, "path or name").strip() or len(text) > 512:
            raise InvalidInput(
                "a path or name must be 1 to 512 characters", hint="name a folder or a project"
            )
        return self._clean(text.strip())


def forget_project(tx: Transaction, tenant: str, session_id: str) -> None:
    """Forget the path of a session that is being erased, unless another one has it too."""
    tx.execute(_FORGET_PATH, (tenant, session_id, session_id))
    tx.execute(_FORGET_MARKS)
    tx.execute(_FORGET_PROJECTS)


def _no_project() -> NotFound:
    return NotFound("the project does not exist", hint="see `recollect projects list`")
