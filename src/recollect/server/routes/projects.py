"""Projects, and whether they are captured: the operator's, as they tell what is on the machine.

A token that is narrowed to a project or an agent lists the projects of its scope; what is captured
is said and changed for the whole tenant.
"""

from __future__ import annotations

from recollect.answers.project import CaptureAnswer, ProjectList
from recollect.caller import Caller
from recollect.core.errors import InvalidInput
from recollect.observations.controls import CaptureCheck
from recollect.observations.project_rows import Project
from recollect.server.route import Fields, Nothing, Routes

ROUTES = Routes()


class PauseOrder(Fields, frozen=True, kw_only=True):
    """What is not to be captured, and how long.

    Attributes:
        project: Only this project: a path of it, its name or its id; everything if not given.
        minutes: For how long; until it is resumed if not given.
    """

    project: str | None = None
    minutes: int | None = None


class ResumeOrder(Fields, frozen=True, kw_only=True):
    """The pause of which project ends; the one of all if not given."""

    project: str | None = None


class AliasOrder(Fields, frozen=True, kw_only=True):
    """A path that belongs to a project.

    Attributes:
        path: A folder, which need not exist any more.
        project: A path of the project, its name or its id; or the name of a new one.
    """

    path: str
    project: str


class MergeOrder(Fields, frozen=True, kw_only=True):
    """Two projects.

    Attributes:
        project: The one that becomes part of the other one: a path of it, its name or its id.
        into: The other one.
        undo: Separate them again.
        apart: They are two: do not suggest again that they are one.
    """

    project: str
    into: str
    undo: bool = False
    apart: bool = False


class CheckedPath(Fields, frozen=True, kw_only=True):
    """A folder or file, absolute."""

    path: str


@ROUTES.add("GET", "/api/projects", "read")
def list_projects(caller: Caller, _fields: Nothing) -> ProjectList:
    """List the projects."""
    caller.require_operator()
    return ProjectList(projects=tuple(caller.memory.projects.list()))


@ROUTES.add("POST", "/api/projects/alias", "admin")
def alias(caller: Caller, fields: AliasOrder) -> Project:
    """Let a path belong to a project, or begin one with it; nothing stored is rewritten."""
    caller.require_operator("tenant")
    project = caller.memory.projects.alias(fields.path, fields.project)
    caller.memory.audit.record("project.alias", target=project.id)
    return project


@ROUTES.add("POST", "/api/projects/merge", "admin")
def merge(caller: Caller, fields: MergeOrder) -> Project:
    """Make a project part of another one, or take that back; nothing stored is rewritten.

    Raises:
        NotFound: one of them does not exist.
        Conflict: they are one already; or not one, with ``undo``.
        InvalidInput: both ``undo`` and ``apart`` are given.
    """
    caller.require_operator("tenant")
    if fields.undo and fields.apart:
        raise InvalidInput("undo and apart exclude each other", hint="leave one of them out")
    projects = caller.memory.projects
    if fields.undo:
        action, project = "unmerge", projects.unmerge(fields.project, fields.into)
    elif fields.apart:
        action, project = "keep_apart", projects.keep_apart(fields.project, fields.into)
    else:
        action, project = "merge", projects.merge(fields.project, fields.into)
    caller.memory.audit.record(f"project.{action}", target=project.id)
    return project


@ROUTES.add("GET", "/api/capture", "read")
def capture(caller: Caller, _fields: Nothing) -> CaptureAnswer:
    """Show what is not captured."""
    caller.require_operator("tenant")
    controls = caller.memory.capture
    return CaptureAnswer(pauses=tuple(controls.pauses()), left_out=controls.counts())


@ROUTES.add("GET", "/api/capture/check", "read")
def check(caller: Caller, fields: CheckedPath) -> CaptureCheck:
    """Check whether a path is captured; every rule that says no is named."""
    caller.require_operator("tenant")
    return caller.memory.capture.check(fields.path)


@ROUTES.add("POST", "/api/capture/pause", "write")
def pause(caller: Caller, fields: PauseOrder) -> CaptureAnswer:
    """Pause the capture of everything, or of a project."""
    caller.require_operator("tenant")
    length = None if fields.minutes is None else fields.minutes * 60_000
    caller.memory.capture.pause(fields.project, length)
    return capture(caller, Nothing())


@ROUTES.add("POST", "/api/capture/resume", "write")
def resume(caller: Caller, fields: ResumeOrder) -> CaptureAnswer:
    """Resume the capture of everything, or of a project."""
    caller.require_operator("tenant")
    caller.memory.capture.resume(fields.project)
    return capture(caller, Nothing())
