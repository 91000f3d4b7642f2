"""Projects, and whether they are captured: the operator's, as they tell what is on the machine.

A token that is narrowed to a project or an agent lists the projects of its scope; what is captured
is said and changed for the whole tenant.
"""

from __future__ import annotations

from recollect.answers.project import CaptureAnswer, ProjectList
from recollect.caller import Caller
from recollect.observations.controls import CaptureCheck
from recollect.server.route import AnyRoute, Given, Nothing, Route


class PauseOrder(Given, frozen=True, kw_only=True):
    """What is not to be captured, and how long.

    Attributes:
        project: Only this project: a path of it, its name or its id; everything if not given.
        minutes: For how long; until it is resumed if not given.
    """

    project: str | None = None
    minutes: int | None = None


class ResumeOrder(Given, frozen=True, kw_only=True):
    """The pause of which project ends; the one of all if not given."""

    project: str | None = None


class CheckedPath(Given, frozen=True, kw_only=True):
    """A folder or file, absolute."""

    path: str


def list_projects(caller: Caller, _given: Nothing) -> ProjectList:
    """Return the projects."""
    caller.require_operator()
    return ProjectList(projects=tuple(caller.memory.projects.list()))


def capture(caller: Caller, _given: Nothing) -> CaptureAnswer:
    """Return what is not captured."""
    caller.require_operator("tenant")
    controls = caller.memory.capture
    return CaptureAnswer(pauses=tuple(controls.pauses()), left_out=controls.counts())


def check(caller: Caller, given: CheckedPath) -> CaptureCheck:
    """Return whether a path is captured, and every rule that says no."""
    caller.require_operator("tenant")
    return caller.memory.capture.check(given.path)


def pause(caller: Caller, given: PauseOrder) -> CaptureAnswer:
    """Capture nothing from now on."""
    caller.require_operator("tenant")
    length = None if given.minutes is None else given.minutes * 60_000
    caller.memory.capture.pause(given.project, length)
    return capture(caller, Nothing())


def resume(caller: Caller, given: ResumeOrder) -> CaptureAnswer:
    """Capture again."""
    caller.require_operator("tenant")
    caller.memory.capture.resume(given.project)
    return capture(caller, Nothing())


ROUTES: tuple[AnyRoute, ...] = (
    Route(
        method="GET",
        path="/api/projects",
        summary="List the projects",
        right="read",
        call=list_projects,
        answer=ProjectList,
    ),
    Route(
        method="GET",
        path="/api/capture",
        summary="Show what is not captured",
        right="read",
        call=capture,
        answer=CaptureAnswer,
    ),
    Route(
        method="GET",
        path="/api/capture/check",
        summary="Check whether a path is captured",
        right="read",
        given=CheckedPath,
        call=check,
        answer=CaptureCheck,
    ),
    Route(
        method="POST",
        path="/api/capture/pause",
        summary="Pause the capture of everything, or of a project",
        right="write",
        given=PauseOrder,
        call=pause,
        answer=CaptureAnswer,
    ),
    Route(
        method="POST",
        path="/api/capture/resume",
        summary="Resume the capture",
        right="write",
        given=ResumeOrder,
        call=resume,
        answer=CaptureAnswer,
    ),
)
