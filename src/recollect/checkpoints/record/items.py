"""Items: what a rewind would do to each path, or did; plans and rewinds are shown alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from recollect.checkpoints.files.state import PathState, is_nothing

Action: TypeAlias = Literal["restore", "delete", "recreate", "chmod", "relink", "merge", "skip"]
Status: TypeAlias = Literal["clean", "already", "conflict", "uncaptured", "outside"]
ConflictChoice: TypeAlias = Literal["stop", "keep", "force", "merge"]
Resolution: TypeAlias = Literal["keep", "force"]
Outcome: TypeAlias = Literal["planned", "done", "left", "unresolved"]


class RewindItem(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewind does to one path.

    Attributes:
        path: Relative to the root.
        action: ``skip`` where nothing is to do, or nothing can be done; of a path in conflict, what
            would be done.
        status: ``clean``: only this session changed it; ``already``: it is as it was; ``conflict``:
            somebody else changed it since; ``uncaptured``: what it was, or is, is not kept;
            ``outside``: it is behind a link now.
        outcome: ``planned``; of a rewind ``done``, ``left`` as it was, or ``unresolved``: after a
            crash somebody else changed it.
        choice: Of a path in conflict: what is done with it; ``stop`` refuses the plan.
        current: What it is.
        target: What it was.
        left: What the session left of it; None where that is not known.
        merged: What it becomes where the changes of somebody else stay in it.
        diff: Of a text, from now to then, secrets replaced; otherwise None.
        reason: Why it is in conflict, uncaptured, outside or skipped.
    """

    path: str
    action: Action
    status: Status
    outcome: Outcome = "planned"
    choice: ConflictChoice | None = None
    current: PathState
    target: PathState
    left: PathState | None = None
    merged: PathState | None = None
    diff: str | None = None
    reason: str | None = None

    @property
    def after(self) -> PathState:
        """What the path becomes."""
        return self.merged or self.target

    @property
    def is_change(self) -> bool:
        """Whether the path is changed as the plan stands."""
        if self.action == "skip":
            return False
        return self.status == "clean" or (
            self.status == "conflict" and self.choice in {"force", "merge"}
        )


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How many paths: by what is done to them, and by status."""

    restored: int = 0
    deleted: int = 0
    recreated: int = 0
    chmodded: int = 0
    relinked: int = 0
    merged: int = 0
    skipped: int = 0
    clean: int = 0
    already: int = 0
    conflict: int = 0
    uncaptured: int = 0
    outside: int = 0


_DONE: dict[Action, str] = {
    "restore": "restored",
    "delete": "deleted",
    "recreate": "recreated",
    "chmod": "chmodded",
    "relink": "relinked",
    "merge": "merged",
    "skip": "skipped",
}


def counts_of(items: Iterable[RewindItem]) -> Counts:
    """Count items; one that is not changed counts as skipped, whatever would be done to it."""
    names = Counter[str]()
    for item in items:
        is_done = item.is_change and item.outcome in {"planned", "done"}
        names[_DONE[item.action if is_done else "skip"]] += 1
        names[item.status] += 1
    return Counts(**names)


def action_of(current: PathState, target: PathState) -> Action:
    """Return what makes one state of a path another."""
    if current == target:
        return "skip"
    if is_nothing(target):
        return "delete"
    if target.kind == "symlink":
        return "relink"
    if msgspec.structs.replace(current, mode=target.mode) == target:
        return "chmod"
    return "recreate" if target.kind == "folder" else "restore"
