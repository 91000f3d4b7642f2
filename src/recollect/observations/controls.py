"""What is not captured: pauses, excluded projects, `.recollect-off`, tools and files left out.

One predicate for hooks, followed transcripts and imports. What it leaves out is counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import LiteralString

import msgspec

from recollect.core.checks import checked, self_checked
from recollect.core.errors import InvalidInput
from recollect.core.settings import CaptureSettings, user_path
from recollect.observations.project_folder import inspect_folder
from recollect.observations.project_rows import Project
from recollect.observations.projects import Projects
from recollect.store.audit import record_audit
from recollect.store.columns import decode, typed_rows
from recollect.store.engine import Transaction
from recollect.store.twins import compared_rows

OFF_FILE = ".recollect-off"
"""A file or folder of this name: nothing is captured in its folder and below."""
PAUSED, EXCLUDED, OFF, TOOL, FILE = "paused", "excluded", "off", "tool", "file"
"""Why something is left out."""
_LONGEST = 4_096
"""Characters of an argument that can be a path, or a command with some."""

_PAUSES: LiteralString = "FROM pauses INDEXED BY pauses_twin WHERE tenant = ? ORDER BY id"
_PAUSE: LiteralString = "INSERT INTO pauses (tenant, project_id, since, until) VALUES (?, ?, ?, ?)"
_RESUME: LiteralString = """
    UPDATE pauses SET until = ? WHERE tenant = ? AND (until IS NULL OR until > ?)
        AND project_id IS ?
"""
_COUNT: LiteralString = """
    INSERT INTO withheld (tenant, reason, number, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (tenant, reason) DO UPDATE
        SET number = withheld.number + excluded.number, at = excluded.at
"""
_COUNTS: LiteralString = "FROM withheld INDEXED BY withheld_twin WHERE tenant = ? ORDER BY reason"


DROPPED = "hooks"
"""The reason under which hook events that could not be stored are counted."""


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """A time in which nothing is captured, ms UTC.

    Attributes:
        project_id: Of which project; None: of every one.
        since: Its first moment.
        until: The first moment after it; None: until somebody resumes.
    """

    project_id: str | None
    since: int
    until: int | None

    def covers(self, at: int) -> bool:
        """Return whether a moment is in it."""
        return self.since <= at and (self.until is None or at < self.until)


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why something is not captured.

    Attributes:
        reason: ``paused``, ``excluded``, ``off``, ``tool`` or ``file``.
        why: A sentence with the rule, and how to change it.
    """

    reason: str
    why: str


class CaptureCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a path is captured.

    Attributes:
        path: Absolute, secrets marked.
        project: The name of its project, where that is known.
        is_captured: Whether anything of it is stored by itself.
        refusals: All the rules that exclude it.
    """

    path: str
    project: str | None
    is_captured: bool
    refusals: tuple[Refusal, ...]


class CaptureVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the capture of one project.

    Attributes:
        refusals: The rules that exclude it now.
        pauses: All its pauses, past ones included.
    """

    refusals: tuple[Refusal, ...]
    pauses: tuple[Pause, ...]

    def reason(self, at: int | None = None) -> str | None:
        """Return the reason against capture at a time, ms UTC, or now; None if there is none."""
        if self.refusals:
            return self.refusals[0].reason
        is_paused = at is not None and any(pause.covers(at) for pause in self.pauses)
        return PAUSED if is_paused else None


@checked
class CaptureControls:
    """Says what is captured, and lets a person change it; `memory.capture` is one of these objects.

    Args:
        projects: Knows which paths are one project, and where the records are.
        excluded: The setting ``privacy.exclude_projects``.
        settings: The section ``capture``.
        on_pause: Called with the pauses in effect when one begins or ends.
    """

    def __init__(
        self,
        projects: Projects,
        excluded: tuple[str, ...],
        settings: CaptureSettings,
        on_pause: Callable[[Sequence[Pause]], None] = lambda _: None,
    ) -> None:
        self.projects: Projects = projects
        self._database, self._clock = projects.database, projects.clock
        self._scope, self._tenant = projects.scope, projects.scope.tenant
        self._excluded = tuple(map(_expanded, excluded))
        self._on_pause = on_pause
        self._tools = settings.skip_tools
        self._files = tuple(map(_expanded, settings.skip_paths))

    @self_checked
    def verdict(self, project: str | None, pauses: Sequence[Pause] | None = None) -> CaptureVerdict:
        """Return whether a project is captured, now and at other times.

        Args:
            project: The folder in which something happened; None where that is not known.
            pauses: The result of `pauses_in`, if the caller has it already.

        Raises:
            InvalidInput: an argument is of another type.
        """
        now, known_project = self._clock.now_ms(), None
        project = None if project is None else _nameable(project)
        if pauses is None:
            pauses = self._database.read(self.pauses_in)
        elif not isinstance(pauses, list | tuple) or not all(
            isinstance(pause, Pause) for pause in pauses
        ):
            raise InvalidInput("pauses must be a list of pauses", hint="pass what `pauses` gave")
        if project is not None and any(pause.project_id is not None for pause in pauses):
            known_project = self.projects.known(project)
        ids = {None} if known_project is None else {None, known_project.id}
        mine = tuple(pause for pause in pauses if pause.project_id in ids)
        refusals = [] if project is None else list(self._project_refusals(project))
        for pause in mine:
            if pause.covers(now):
                refusals.append(_paused(known_project if pause.project_id is not None else None))
        return CaptureVerdict(refusals=tuple(refusals), pauses=mine)

    def refusal(
        self,
        project: str | None,
        tool: str | None,
        arguments: object,
        at: int | None = None,
        verdict: CaptureVerdict | None = None,
    ) -> Refusal | None:
        """Return the first rule by which something that a program did is left out.

        Args:
            project: The folder in which it happened; None where that is not known.
            tool: The tool that it used, if any.
            arguments: What may name files, JSON.
            at: When it happened, ms UTC; now if not given.
            verdict: The verdict on the project, if the caller has it already.
        """
        verdict = self.verdict(project) if verdict is None else verdict
        if verdict.refusals:
            return verdict.refusals[0]
        if verdict.reason(at) is not None:
            return _paused(None)
        return self._call_refusal(tool or "", arguments, project)

    def skips_call(self, tool: str, arguments: object, folder: str | None = None) -> bool:
        """Return whether the call of a tool is left out, and its result with it.

        Args:
            tool: Its name.
            arguments: Its input, JSON; paths are looked for in every text of it.
            folder: Where relative paths begin.
        """
        return self._call_refusal(tool, arguments, folder) is not None

    def pause(self, project: str | None = None, for_ms: int | None = None) -> Pause:
        """Capture nothing from now on.

        Args:
            project: Only of this project: a path of it, its name or its id.
            for_ms: For how long; until `resume` if not given.

        Raises:
            Denied: this memory has only a part of the tenant.
            NotFound: the project does not exist.
            InvalidInput: the time is not above 0.
        """
        self._scope.require_tenant("a pause")
        if for_ms is not None and for_ms <= 0:
            raise InvalidInput("a pause must have a length", hint="write 30m, 1h or 2d")
        now, id_ = self._clock.now_ms(), self._id_of(project)
        pause = Pause(project_id=id_, since=now, until=None if for_ms is None else now + for_ms)

        def insert_pause(tx: Transaction) -> None:
            tx.execute(_RESUME, (now, self._tenant, now, id_))  # the new pause replaces it
            tx.execute(_PAUSE, (self._tenant, id_, pause.since, pause.until))
            record_audit(tx, self._scope, "capture.pause", now, target=id_)

        self._database.write(insert_pause)
        self._on_pause(self.pauses())
        return pause

    def resume(self, project: str | None = None) -> list[Pause]:
        """Capture again; return the pauses that go on, of other projects or of all.

        Args:
            project: End the pause of this project; the one of all if not given.

        Raises:
            Denied: this memory has only a part of the tenant.
            NotFound: the project does not exist.
        """
        self._scope.require_tenant("a pause")
        now, id_ = self._clock.now_ms(), self._id_of(project)

        def end_pauses(tx: Transaction) -> None:
            tx.execute(_RESUME, (now, self._tenant, now, id_))
            record_audit(tx, self._scope, "capture.resume", now, target=id_)

        self._database.write(end_pauses)
        pauses = self.pauses()
        self._on_pause(pauses)
        return pauses

    def pauses(self) -> list[Pause]:
        """Return the pauses in effect now."""
        now = self._clock.now_ms()
        pauses = self._database.read(self.pauses_in)
        return [pause for pause in pauses if pause.covers(now)]

    @self_checked
    def pauses_in(self, tx: Transaction) -> list[Pause]:
        """Return all pauses, past ones included, oldest first."""
        rows = compared_rows(tx, "project_id, since, until", _PAUSES, (self._tenant,))
        return [decode(Pause, Pause.__struct_fields__, row) for row in rows]

    def count(self, left_out: Mapping[str, int]) -> None:
        """Add to the counts of what was left out, by reason."""
        rows = [(self._tenant, why, n, self._clock.now_ms()) for why, n in left_out.items() if n]
        if rows:
            self._database.write(lambda tx: tx.executemany(_COUNT, rows))

    def counts(self) -> dict[str, int]:
        """Return the number of items left out since the home was made, by reason."""
        tenant = (self._tenant,)
        rows = self._database.read(lambda tx: compared_rows(tx, "reason, number", _COUNTS, tenant))
        return dict(typed_rows(rows, tuple[str, int]))

    def check(self, path: str) -> CaptureCheck:
        """Return whether a path is captured, and every rule that excludes it.

        Args:
            path: A folder in which an agent works, or a file; absolute. One that is not there is
                a file where its name has a suffix.
        """
        is_folder = os.path.isdir(path)
        is_gone = not (os.path.lexists(path) or PurePath(path).suffix)
        folder = path if is_folder or is_gone else os.path.dirname(path)
        refusals = self.verdict(folder).refusals
        left_out = None if is_folder else self._call_refusal("", path, None)
        refusals += (left_out,) if left_out is not None else ()
        project = self.projects.known(folder)
        return CaptureCheck(
            path=self.projects.clean(path),
            project=project.name if project is not None else None,
            is_captured=not refusals,
            refusals=refusals,
        )

    def _project_refusals(self, project: str) -> Iterator[Refusal]:
        off = _off_file(project) if os.path.isabs(project) else None
        if off is not None:
            yield Refusal(
                reason=OFF,
                why=f"{self.projects.clean(str(off))} is there: remove it to capture again",
            )
        for pattern in self._excluded:
            if self._is_excluded(project, pattern):
                why = f"privacy.exclude_projects has {pattern}"
                yield Refusal(reason=EXCLUDED, why=why)

    def _is_excluded(self, project: str, pattern: str) -> bool:
        """Whether a pattern means a folder, the tree that it is in, or the name of its project."""
        inspected = inspect_folder(project)
        folders = {project, os.path.realpath(project), inspected.root}
        folders |= {os.path.dirname(inspected.git)} if inspected.git is not None else set()
        if "/" in pattern:
            return any(_covers(pattern, folder) for folder in folders)
        known_project = self.projects.known(project)
        names = {PurePath(folder).name for folder in folders} | ({inspected.name} - {None})
        names |= {known_project.name, *known_project.merged} if known_project is not None else set()
        return any(fnmatchcase(str(name), pattern) for name in names)

    def _call_refusal(self, tool: str, arguments: object, folder: str | None) -> Refusal | None:
        for pattern in self._tools:
            if fnmatchcase(tool, pattern):
                return Refusal(reason=TOOL, why=f"capture.skip_tools has {pattern}")
        for pattern in self._files:
            if any(_names(pattern, path, folder) for path in _paths_in(arguments)):
                return Refusal(reason=FILE, why=f"capture.skip_paths has {pattern}")
        return None

    def _id_of(self, project: str | None) -> str | None:
        if project is None:
            return None
        if os.path.isabs(project):
            self.projects.note(project, is_named=True)
        return self.projects.get(project).id


def _paused(project: Project | None) -> Refusal:
    if project is None:
        return Refusal(reason=PAUSED, why="the memory is paused: `recollect resume` ends it")
    why = f"the project is paused: `recollect resume --project {project.name}` ends it"
    return Refusal(reason=PAUSED, why=why)


def _off_file(folder: str) -> str | None:
    """Return the nearest `OFF_FILE` at or above a folder, which itself need not exist any more."""
    path = PurePath(os.path.normpath(folder))
    folders = (path, *path.parents, *PurePath(os.path.realpath(folder)).parents)
    return next((str(p / OFF_FILE) for p in folders if os.path.lexists(p / OFF_FILE)), None)


def _expanded(pattern: str) -> str:
    return str(user_path(pattern)) if pattern.startswith("~") else pattern


def _covers(pattern: str, path: str) -> bool:
    """Whether a pattern means a path or a folder above it."""
    pure = PurePath(path)
    return any(fnmatchcase(str(each), pattern.rstrip("/")) for each in (pure, *pure.parents))


def _names(pattern: str, path: str, folder: str | None) -> bool:
    whole = os.path.normpath(os.path.join(folder or "/", path))
    if "/" in pattern:
        return _covers(pattern, whole) or _covers(pattern, os.path.realpath(whole))
    return fnmatchcase(PurePath(whole).name, pattern)


def _nameable(text: str) -> str:
    """Return a text that can be passed to the file system: no name holds what is replaced."""
    if not isinstance(text, str):
        raise InvalidInput("a project must be a text", hint="pass the path of its folder")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()
    return text.replace("\0", " ")


def _paths_in(arguments: object) -> Iterator[str]:
    """Yield the possible paths in the input of a tool: its texts, and the words of commands."""
    waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str) and value:
            text = _nameable(value[:_LONGEST])
            if "\n" not in text:
                yield os.path.expanduser(text.removeprefix("file://"))
            for word in text.replace("=", " ").split() if " " in text or "\n" in text else ():
                yield os.path.expanduser(word.strip("'\"`;,()<>|&"))
