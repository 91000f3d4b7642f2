"""Checkpoints: taken, listed, planned; done and undone by the operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from recollect.answers.checkpoint import (
    CheckpointAnswer,
    CheckpointList,
    CheckpointWithPaths,
    RewindAnswer,
    RewindList,
    checkpoint_answer,
    checkpoint_list,
    checkpoint_with_paths,
    plan_answer,
    result_answer,
    rewind_answer,
    rewind_list,
)
from recollect.caller import Caller
from recollect.caller_checkpoints import CallerCheckpoints
from recollect.checkpoints.rewind.plan import ConflictChoices
from recollect.core.checks import RowCount
from recollect.server.route import Created, Fields, Routes
from recollect.server.routes.sessions import PAGE

MOST_PATHS = 1_000

ROUTES = Routes()


class NewCheckpoint(Fields, frozen=True, kw_only=True):
    """What to keep."""

    session: str
    root: str | None = None
    paths: Annotated[Sequence[str], Meta(max_length=MOST_PATHS)] | None = None
    label: str | None = None


class CheckpointFilter(Fields, frozen=True, kw_only=True):
    """Whose checkpoints.

    Attributes:
        session: By its id or key; those of all sessions if not given.
        limit: The newest of them, at most.
    """

    session: str | None = None
    limit: RowCount = PAGE


class OneCheckpoint(Fields, frozen=True, kw_only=True):
    """A checkpoint.

    Attributes:
        id: Its number or id; or a message, ``m88``: before it was answered; or the id of a tool
            call: before it.
    """

    id: str


class PlanOrder(OneCheckpoint, frozen=True, kw_only=True):
    """Where to go back to, and how."""

    session: str | None = None
    paths: Annotated[Sequence[str], Meta(max_length=MOST_PATHS)] | None = None
    on_conflict: ConflictChoices = "stop"
    actor: str | None = None
    only_call: bool = False
    conversation: bool = False

    @property
    def narrowed(self) -> dict[str, Any]:
        """What of the changes since is taken back, and whether messages are."""
        names = ("actor", "only_call", "conversation")
        return {name: getattr(self, name) for name in names}


class RewindOrder(PlanOrder, frozen=True, kw_only=True):
    """A plan that was agreed to: its id, and what it was made with."""

    plan_id: str


class RewindFilter(CheckpointFilter, frozen=True, kw_only=True):
    """Whose rewinds."""


class OneRewind(Fields, frozen=True, kw_only=True):
    """A rewind.

    Attributes:
        id: Its id.
        conversation: Whether the messages that it took out return, or leave, with the files.
    """

    id: str
    conversation: bool = True


@ROUTES.add("POST", "/api/checkpoints", "write")
def take(caller: Caller, fields: NewCheckpoint) -> Created[CheckpointAnswer]:
    """Keep what files below a registered root are now."""
    checkpoint = CallerCheckpoints(caller).take(
        fields.session, fields.root, fields.paths, fields.label
    )
    return Created(checkpoint_answer(checkpoint))


@ROUTES.add("GET", "/api/checkpoints", "read")
def list_checkpoints(caller: Caller, fields: CheckpointFilter) -> CheckpointList:
    """List the checkpoints of a session, or of all, oldest first."""
    return checkpoint_list(CallerCheckpoints(caller).list(fields.session, fields.limit))


@ROUTES.add("GET", "/api/checkpoints/{id}", "read")
def get(caller: Caller, fields: OneCheckpoint) -> CheckpointWithPaths:
    """Get a checkpoint with its paths; never what is in them."""
    checkpoint = CallerCheckpoints(caller).target(fields.id)
    is_owners = caller.token.is_owners
    files = caller.memory.checkpoints.files(checkpoint) if is_owners else ()
    return checkpoint_with_paths(checkpoint, files)


@ROUTES.add("POST", "/api/checkpoints/{id}/plan", "write")
def plan(caller: Caller, fields: PlanOrder) -> RewindAnswer:
    """Show what going back would do to each path; nothing is changed."""
    drawn = CallerCheckpoints(caller).plan(
        fields.id, fields.session, fields.paths, fields.on_conflict, **fields.narrowed
    )
    return plan_answer(drawn, is_owners=caller.token.is_owners)


@ROUTES.add("POST", "/api/checkpoints/{id}/rewind", "write")
def rewind(caller: Caller, fields: RewindOrder) -> RewindAnswer:
    """Do what a plan says, whole or not at all: for the operator, or where agents may."""
    drawn, result = CallerCheckpoints(caller).rewind(
        fields.plan_id,
        fields.id,
        fields.session,
        fields.paths,
        fields.on_conflict,
        **fields.narrowed,
    )
    return result_answer(caller.memory.checkpoints, result, drawn)


@ROUTES.add("GET", "/api/rewinds", "read")
def list_rewinds(caller: Caller, fields: RewindFilter) -> RewindList:
    """List the rewinds of a session, or of all, oldest first."""
    rewinds = CallerCheckpoints(caller).rewinds(fields.session, fields.limit)
    is_owners = caller.token.is_owners
    return rewind_list(caller.memory.checkpoints, rewinds, is_owners=is_owners)


@ROUTES.add("POST", "/api/rewinds/{id}/undo", "write")
def undo(caller: Caller, fields: OneRewind) -> RewindAnswer:
    """Take back what a rewind did: for the operator, or where agents may."""
    checkpoints = CallerCheckpoints(caller)
    result = checkpoints.reverse(fields.id, is_redo=False, conversation=fields.conversation)
    return rewind_answer(caller.memory.checkpoints, result)


@ROUTES.add("POST", "/api/rewinds/{id}/redo", "write")
def redo(caller: Caller, fields: OneRewind) -> RewindAnswer:
    """Repeat a rewind that was undone: for the operator, or where agents may."""
    checkpoints = CallerCheckpoints(caller)
    result = checkpoints.reverse(fields.id, is_redo=True, conversation=fields.conversation)
    return rewind_answer(caller.memory.checkpoints, result)
