"""Plans: what a rewind would do to each path, and why; nothing is written."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from recollect.checkpoints.capture import CheckpointParts, parents_of
from recollect.checkpoints.rows import Change, Checkpoint, FileRecord
from recollect.checkpoints.state import ABSENT, PathState
from recollect.checkpoints.tree import Look, Tree
from recollect.core.errors import NotFound, StoreCorrupt

Action: TypeAlias = Literal["restore", "delete", "recreate", "chmod", "relink", "skip"]
Status: TypeAlias = Literal["clean", "already", "conflict", "uncaptured", "outside"]
ConflictChoice: TypeAlias = Literal["stop", "keep", "force", "merge"]

_MOST_DIFF_BYTES = 1 << 20
_NOT_EMPTY = "files of others are in it"


class PlanItem(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewind does to one path.

    Attributes:
        path: Relative to the root.
        action: ``skip`` where nothing is to do, or nothing may be done.
        status: ``clean``: only this session changed it; ``already``: it is as it was; ``conflict``:
            somebody else changed it since; ``uncaptured``: what it was is not kept.
        current: What it is.
        target: What it was.
        left: What the session left of it; None where that is not known.
        diff: Of a text, from now to then, secrets replaced; otherwise None.
        reason: Why it is in conflict, uncaptured or skipped.
    """

    path: str
    action: Action
    status: Status
    current: PathState
    target: PathState
    left: PathState | None = None
    diff: str | None = None
    reason: str | None = None


class RewindPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewind to a checkpoint would do.

    Attributes:
        checkpoint: Where it leads.
        session_id: Whose changes are taken back.
        root: The folder, absolute.
        on_conflict: What is done with paths that somebody else changed too.
        items: By path.
    """

    checkpoint: Checkpoint
    session_id: str
    root: str
    on_conflict: ConflictChoice
    items: tuple[PlanItem, ...]

    @property
    def conflicts(self) -> tuple[str, ...]:
        """The paths that somebody else changed since."""
        return tuple(item.path for item in self.items if item.status == "conflict")

    @property
    def changes(self) -> tuple[Change, ...]:
        """What is written as the plan stands, without paths in conflict unless they are forced."""
        return tuple(
            Change(path=item.path, before=item.current, after=item.target)
            for item in self.items
            if item.action != "skip" and (item.status == "clean" or self.on_conflict == "force")
        )


class Planner:
    """Compares a tree with what it was.

    Args:
        parts: The records and the contents.
    """

    def __init__(self, parts: CheckpointParts) -> None:
        self._parts = parts

    def plan(
        self,
        checkpoint: Checkpoint,
        session_id: str,
        records: Iterable[FileRecord],
        on_conflict: ConflictChoice,
    ) -> RewindPlan:
        """Return what going back to a checkpoint would do.

        Args:
            checkpoint: The moment.
            session_id: Whose changes.
            records: What that session did to paths since, in order.
            on_conflict: As in `RewindPlan`.
        """
        trails: dict[str, list[FileRecord]] = {}
        for record in records:
            trails.setdefault(record.path, []).append(record)
        with Tree(Path(checkpoint.root)) as tree:
            items = [self._item(tree, path, trails[path]) for path in sorted(trails)]
            is_forced = on_conflict == "force"
            items = [*_missing_parents(tree, items), *_kept_folders(tree, items, is_forced)]
        return RewindPlan(
            checkpoint=checkpoint,
            session_id=session_id,
            root=checkpoint.root,
            on_conflict=on_conflict,
            items=tuple(sorted(items, key=lambda item: item.path)),
        )

    def _item(self, tree: Tree, path: str, trail: Sequence[FileRecord]) -> PlanItem:
        target, left = trail[0].before, trail[-1].after
        look = tree.look(path, most_bytes=self._parts.most_bytes)
        status, reason = _status(look.state, trail)
        action = action_of(look.state, target) if status in {"clean", "conflict"} else "skip"
        return PlanItem(
            path=path,
            action=action,
            status=status,
            current=look.state,
            target=target,
            left=left,
            diff=None if action == "skip" else self._diff(path, look, target),
            reason=reason,
        )

    def _diff(self, path: str, look: Look, target: PathState) -> str | None:
        if max(look.state.size, target.size) > _MOST_DIFF_BYTES:
            return None
        try:
            was = b"" if target.digest is None else self._parts.contents.get(target.digest)
            now, then = (
                each.decode().splitlines(keepends=True) for each in (look.content or b"", was)
            )
        except (UnicodeDecodeError, NotFound, StoreCorrupt):
            return None
        diff = difflib.unified_diff(now, then, f"a/{path}", f"b/{path}")
        return self._parts.redact("".join(_whole_lines(diff))) or None


def action_of(current: PathState, target: PathState) -> Action:
    """Return what makes one state of a path another."""
    if current == target:
        return "skip"
    if target.kind == "absent":
        return "delete"
    if target.kind == "symlink":
        return "relink"
    if msgspec.structs.replace(current, mode=target.mode) == target:
        return "chmod"
    return "recreate" if target.kind == "folder" else "restore"


def _status(current: PathState, trail: Sequence[FileRecord]) -> tuple[Status, str | None]:
    target, left = trail[0].before, trail[-1].after
    if target.kind == "uncaptured":
        return "uncaptured", target.reason
    if current == target:
        return "already", None
    if left is None:
        return "conflict", "it is not known what the tool left"
    if current != left:
        return "conflict", "somebody else changed it since"
    return (
        ("conflict", "somebody else changed it in between")
        if _is_broken(trail)
        else (
            "clean",
            None,
        )
    )


def _is_broken(trail: Sequence[FileRecord]) -> bool:
    """Return whether a path was changed by others between the changes of the session.

    What a rewind replaced was decided on then.
    """
    return any(
        one.after != other.before and other.checkpoint.kind != "rescue"
        for one, other in pairwise(trail)
    )


def _missing_parents(tree: Tree, items: Sequence[PlanItem]) -> Iterator[PlanItem]:
    """Yield a folder for each parent that is gone and is needed again."""
    paths = {item.path for item in items}
    needed = (item.path for item in items if item.action in {"restore", "relink", "recreate"})
    for parent in sorted({parent for path in needed for parent in parents_of(path)} - paths):
        if tree.look(parent, most_bytes=0).state.kind == "absent":
            yield PlanItem(
                path=parent,
                action="recreate",
                status="clean",
                current=ABSENT,
                target=PathState(kind="folder", mode=0o755),
            )


def _kept_folders(tree: Tree, items: Sequence[PlanItem], is_forced: bool) -> Iterator[PlanItem]:
    """Yield the items; a folder that holds more than what is deleted is kept."""
    deleted = {
        item.path
        for item in items
        if item.action == "delete" and (is_forced or item.status == "clean")
    }
    for item in sorted(items, key=lambda item: item.path, reverse=True):  # the deepest first
        if item.action == "delete" and item.current.kind == "folder":
            inside = {f"{item.path}/{name}" for name in tree.holds(item.path)}
            if not inside <= deleted:
                yield msgspec.structs.replace(item, action="skip", reason=_NOT_EMPTY)
                deleted.discard(item.path)
                continue
        yield item


def _whole_lines(diff: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a diff; a last line without an end is marked as `diff` does."""
    for line in diff:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
