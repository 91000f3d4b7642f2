"""Checkpoints and rewinds as each surface answers them: a plan and its result have one form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

import msgspec

from recollect.answers.hit import Tokens, cost_of
from recollect.checkpoints.checkpoints import Checkpoints
from recollect.checkpoints.files.state import Kind, PathState
from recollect.checkpoints.record.items import Action, ConflictChoice, Outcome, RewindItem, Status
from recollect.checkpoints.record.rows import (
    Checkpoint,
    CheckpointKind,
    FileRecord,
    Rewind,
    RewindStatus,
    RewindType,
)
from recollect.checkpoints.rewind.plan import ConflictChoices, RewindPlan
from recollect.core.clock import to_iso
from recollect.core.errors import NotFound
from recollect.core.numbers import show_number

MOST_DIFF_LINES = 40
"""Of the diff of one path, as a model reads it."""


class CheckpointAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A moment to which files can be put back.

    Attributes:
        id: Its number, such as ``c12``.
        session_id: The session that changed the files.
        message_id: The last message of the user then; null before the first.
        kind: ``tool``: before a call of a tool; ``message``: before an answer; ``manual``: somebody
            asked for it; ``rescue``: what a rewind replaced.
        label: What it is called.
        actor: The sub-agent that acted; null for the session itself.
        tool_name: The tool that was about to run.
        tool_use_id: Its call.
        root: The folder, absolute.
        paths: The paths that were named; null for all below the root.
        files: How many paths it has the state of.
        uncaptured: How many it saw and could not keep.
        created_at: ISO 8601 UTC.
    """

    id: str
    session_id: str
    message_id: str | None
    kind: CheckpointKind
    label: str | None
    actor: str | None
    tool_name: str | None
    tool_use_id: str | None
    root: str
    paths: tuple[str, ...] | None
    files: int
    uncaptured: int
    created_at: str


class CheckpointList(msgspec.Struct, frozen=True, kw_only=True):
    """Checkpoints of a session and of those it was forked from, or of all, oldest first."""

    checkpoints: tuple[CheckpointAnswer, ...]


class PathAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a path is at a moment; its content is never answered.

    Attributes:
        kind: ``uncaptured``: it is there, and ``reason`` says why it is not known.
        size: Of a file, in bytes.
        mode: Permissions, in octal digits.
        link: Where a symbolic link leads.
        reason: Such as ``too large`` or ``excluded``.
    """

    kind: Kind
    size: int | None = None
    mode: str | None = None
    link: str | None = None
    reason: str | None = None


class KeptPath(msgspec.Struct, frozen=True, kw_only=True):
    """A path of a checkpoint.

    Attributes:
        path: Relative to the root.
        before: What it was.
        after: What the tool left of it; null where that is not known.
    """

    path: str
    before: PathAnswer
    after: PathAnswer | None


class CheckpointWithPaths(CheckpointAnswer, frozen=True, kw_only=True):
    """A checkpoint with its paths; of a root as a whole, those that changed since.

    Attributes:
        kept: By path. Empty for a token that is not the owner's.
    """

    kept: tuple[KeptPath, ...]


class RewindLine(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewind does to one path.

    Attributes:
        path: Relative to the root.
        action: ``skip`` where nothing is to do, or nothing may be done.
        status: ``clean``: only this session changed it; ``already``: it is as it was; ``conflict``:
            somebody else changed it since; ``uncaptured``: what it was is not kept; ``outside``: it
            is behind a link now.
        outcome: ``planned``; of a rewind ``done``, ``left`` as it was, or ``unresolved``: after a
            crash somebody else changed it.
        choice: Of a path in conflict: what is done with it; ``stop`` refuses the plan.
        reason: Why it is in conflict, uncaptured or skipped.
        current: What it is; of a rewind, what it was before that.
        target: What it becomes.
        diff: Of a text, from now to then, secrets replaced; null for others, for a rewind of the
            past, and for a token that is not the owner's.
    """

    path: str
    action: Action
    status: Status
    outcome: Outcome
    choice: ConflictChoice | None
    reason: str | None
    current: PathAnswer
    target: PathAnswer
    diff: str | None


class RewindAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewind would do, or did.

    Attributes:
        status: ``planned``, or how the rewind ended: ``done``, ``rolled_back``, or ``interrupted``
            where a crash and a change by somebody else met.
        type: ``rewind``, or the ``undo`` or ``redo`` of one.
        plan_id: Of a plan: agree to it with this id. It changes with the files.
        rewind_id: Of a rewind: undo and redo take it.
        target: The checkpoint that it goes back to, such as ``c12``; of an undo or redo, the id of
            the rewind.
        session_id: Whose changes are taken back.
        root: The folder, absolute.
        on_conflict: What is done with paths that somebody else changed too, for all or by path;
            null of a rewind of the past.
        counts: How many paths, by what is done to them; those that stay, by why: ``already``,
            ``conflict``, ``uncaptured``, ``outside``, ``skip``.
        conflicts: The paths that somebody else changed since.
        first_seq: The first message that leaves the conversation, or returns to it; null for none.
        last_seq: The last one.
        items: By path.
        created_at: Of a rewind, ISO 8601 UTC; null of a plan.
    """

    status: Literal["planned"] | RewindStatus
    type: RewindType
    plan_id: str | None
    rewind_id: str | None
    target: str
    session_id: str
    root: str
    on_conflict: ConflictChoices | None
    counts: dict[str, int]
    conflicts: tuple[str, ...]
    first_seq: int | None
    last_seq: int | None
    items: tuple[RewindLine, ...]
    created_at: str | None


class ConversationRewind(msgspec.Struct, frozen=True, kw_only=True):
    """Messages that a rewind takes out of a session; files stay as they are.

    Attributes:
        status: ``planned``, ``done``, or ``undone``: they are there again.
        rewind_id: Undo takes it; null of a plan.
        session_id: The session.
        first_seq: The first of them.
        last_seq: The last of them.
    """

    status: Literal["planned", "done", "undone"]
    rewind_id: str | None
    session_id: str
    first_seq: int
    last_seq: int


class RewindList(msgspec.Struct, frozen=True, kw_only=True):
    """Rewinds of a session and of those it was forked from, or of all, oldest first."""

    rewinds: tuple[RewindAnswer, ...]


class RootList(msgspec.Struct, frozen=True, kw_only=True):
    """The folders in which what agent programs change is kept.

    Attributes:
        roots: As config.yaml has them.
        enabled: Whether it is.
    """

    roots: Sequence[str]
    enabled: bool


def checkpoint_answer(of: Checkpoint) -> CheckpointAnswer:
    """Return a checkpoint as it is listed."""
    return CheckpointAnswer(
        id=show_number("checkpoint", of.number),
        session_id=of.session_id,
        message_id=of.user_message_id,
        kind=of.kind,
        label=of.label,
        actor=of.actor,
        tool_name=of.tool_name,
        tool_use_id=of.tool_use_id,
        root=of.root,
        paths=of.coverage.paths,
        files=of.coverage.files,
        uncaptured=of.coverage.uncaptured,
        created_at=to_iso(of.created_at),
    )


def checkpoint_list(of: Sequence[Checkpoint]) -> CheckpointList:
    """Return checkpoints as they are listed."""
    return CheckpointList(checkpoints=tuple(map(checkpoint_answer, of)))


def checkpoint_with_paths(of: Checkpoint, files: Sequence[FileRecord]) -> CheckpointWithPaths:
    """Return a checkpoint with the paths that are answered of it."""
    paths = (
        KeptPath(
            path=each.path,
            before=path_answer(each.before),
            after=None if each.after is None else path_answer(each.after),
        )
        for each in files
    )
    return CheckpointWithPaths(**msgspec.structs.asdict(checkpoint_answer(of)), kept=tuple(paths))


def path_answer(of: PathState, *, is_owners: bool = True) -> PathAnswer:
    """Return the state of a path, without its content; for others than the owner its kind alone."""
    if not is_owners:
        return PathAnswer(kind=of.kind)
    return PathAnswer(
        kind=of.kind,
        size=of.size if of.kind == "file" else None,
        mode=None if of.mode is None else f"{of.mode:03o}",
        link=of.target,
        reason=of.reason,
    )


def plan_answer(of: RewindPlan, *, is_owners: bool = True) -> RewindAnswer:
    """Return a plan; what is in files is for the owner's audience."""
    return RewindAnswer(
        status="planned",
        type="rewind",
        plan_id=of.id,
        rewind_id=None,
        target=show_number("checkpoint", of.checkpoint.number),
        session_id=of.session_id,
        root=of.root,
        on_conflict=of.on_conflict,
        counts=_counts(of.items),
        conflicts=of.conflicts,
        first_seq=of.first_seq,
        last_seq=of.last_seq,
        items=tuple(_line(item, is_owners=is_owners) for item in of.items),
        created_at=None,
    )


def rewind_list(
    checkpoints: Checkpoints, of: Sequence[Rewind], *, is_owners: bool = True
) -> RewindList:
    """Return rewinds as they are listed."""
    rewinds = (rewind_answer(checkpoints, each, is_owners=is_owners) for each in of)
    return RewindList(rewinds=tuple(rewinds))


def rewind_answer(checkpoints: Checkpoints, of: Rewind, *, is_owners: bool = True) -> RewindAnswer:
    """Return a rewind as its row has it: what it changed."""
    target = of.target_id
    if of.type == "rewind":
        with suppress(NotFound):  # retention removed it
            target = show_number("checkpoint", checkpoints.get(target).number)
    return RewindAnswer(
        status=of.status,
        type=of.type,
        plan_id=None,
        rewind_id=of.id,
        target=target,
        session_id=of.session_id,
        root=of.root,
        on_conflict=None,
        counts=_counts(of.items),
        conflicts=tuple(item.path for item in of.items if item.status == "conflict"),
        first_seq=of.first_seq,
        last_seq=of.last_seq,
        items=tuple(_line(item, is_owners=is_owners) for item in of.items),
        created_at=to_iso(of.created_at),
    )


def result_answer(checkpoints: Checkpoints, of: Rewind, plan: RewindPlan) -> RewindAnswer:
    """Return a rewind just done, with what its plan said."""
    diffs = {item.path: item.diff for item in plan.items}
    answer = rewind_answer(checkpoints, of)
    items = (msgspec.structs.replace(item, diff=diffs.get(item.path)) for item in answer.items)
    return msgspec.structs.replace(
        answer, plan_id=plan.id, on_conflict=plan.on_conflict, items=tuple(items)
    )


def _line(item: RewindItem, *, is_owners: bool) -> RewindLine:
    return RewindLine(
        path=item.path,
        action=item.action,
        status=item.status,
        outcome=item.outcome,
        choice=item.choice,
        reason=item.reason,
        current=path_answer(item.current, is_owners=is_owners),
        target=path_answer(item.after, is_owners=is_owners),
        diff=item.diff if is_owners else None,
    )


def _counts(items: Sequence[RewindItem]) -> dict[str, int]:
    """Count each path once: by what is done to it, or by why it stays."""
    names = (
        item.action
        if item.is_change and item.outcome in {"planned", "done"}
        else "skip"
        if item.status == "clean"
        else item.status
        for item in items
    )
    return dict(Counter[str](names))


class CheckpointOutput(CheckpointAnswer, frozen=True, kw_only=True):
    """A checkpoint just taken, as MCP answers it."""

    tokens: Tokens


class RewindOutput(RewindAnswer, frozen=True, kw_only=True):
    """A plan or a rewind as MCP answers it: long diffs are cut."""

    tokens: Tokens


def checkpoint_output(of: Checkpoint) -> CheckpointOutput:
    """Return a checkpoint as MCP answers it."""
    answer = checkpoint_answer(of)
    tokens = cost_of([of.root, *(of.coverage.paths or ())])
    return CheckpointOutput(**msgspec.structs.asdict(answer), tokens=tokens)


def rewind_output(of: RewindAnswer) -> RewindOutput:
    """Return a plan or a rewind as MCP answers it."""
    items = tuple(msgspec.structs.replace(item, diff=_cut(item.diff)) for item in of.items)
    tokens = cost_of([text for item in items for text in (item.path, item.diff or "")])
    fields = msgspec.structs.asdict(of) | {"items": items}
    return RewindOutput(**fields, tokens=tokens)


def _cut(diff: str | None) -> str | None:
    rows = (diff or "").splitlines(keepends=True)
    if len(rows) <= MOST_DIFF_LINES:
        return diff
    rest = f"… {len(rows) - MOST_DIFF_LINES:,} more lines\n"
    return "".join([*rows[:MOST_DIFF_LINES], rest])
