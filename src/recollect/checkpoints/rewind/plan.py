"""Plans: what a rewind would do to each path, and why; nothing is written."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, get_args

import msgspec

from recollect.checkpoints.capture.capture import CheckpointParts, relative_paths
from recollect.checkpoints.files.state import ABSENT, OUTSIDE, PathState, is_nothing, uncaptured
from recollect.checkpoints.files.tree import PathReading, Tree, looked, parents_of
from recollect.checkpoints.record.items import (
    ConflictChoice,
    Counts,
    RewindItem,
    Status,
    action_of,
    counts_of,
)
from recollect.checkpoints.record.rows import Checkpoint, FileRecord
from recollect.checkpoints.rewind.reverted import Unmergeable, lineage_of, reverted
from recollect.core.errors import InvalidInput, NotFound, StoreCorrupt
from recollect.core.plan_id import plan_id_of

ConflictChoices: TypeAlias = ConflictChoice | dict[str, ConflictChoice]

_MOST_TEXT_BYTES = 1 << 20
_NOT_EMPTY = "files of others are in it"
_NEEDED = "files are put back into it"
_NO_FOLDER = "what it was in is not a folder any more"
_FOLDER = PathState(kind="folder", mode=0o755)
_BEHIND_LINK = "it is behind a link now"


class RewindScope(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewind takes back.

    Attributes:
        session_id: Whose changes.
        paths: Only these, and what is in them; None for all.
        on_conflict: What is done with paths that somebody else changed too, for all or by path.
        actor: Only what this sub-agent changed; None for the session and all of them.
        only_call: Only what the call of the checkpoint changed.
        after_seq: The last message that stays; None where the conversation stays as it is.
    """

    session_id: str
    paths: tuple[str, ...] | None = None
    on_conflict: ConflictChoices = "stop"
    actor: str | None = None
    only_call: bool = False
    after_seq: int | None = None

    def of(self, records: Iterable[FileRecord], target: Checkpoint) -> list[FileRecord]:
        """Return the records since a checkpoint that are taken back."""
        paths = self.paths
        return [
            record
            for record in records
            if paths is None
            or any(record.path == path or record.path.startswith(f"{path}/") for path in paths)
            if self.actor in {None, record.checkpoint.actor}
            if not self.only_call or record.checkpoint.id == target.id
        ]


class RewindPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewind to a checkpoint would do.

    Attributes:
        id: A digest over all that is decided here, 32 hex digits: a plan that is made again has
            the same one as long as nothing changed.
        checkpoint: Where it leads.
        session_id: Whose changes are taken back.
        root: The folder, absolute.
        on_conflict: What is done with paths that somebody else changed too, for all or by path.
        paths: Only these, and what is in them; None for all.
        actor: Only what this sub-agent changed; None for the session and all of them.
        only_call: Only what the call of the checkpoint changed.
        first_seq: The first message that leaves the conversation; None where it stays as it is.
        last_seq: The last one.
        items: By path.
    """

    id: str
    checkpoint: Checkpoint
    session_id: str
    root: str
    on_conflict: ConflictChoices
    paths: tuple[str, ...] | None
    actor: str | None
    only_call: bool
    first_seq: int | None
    last_seq: int | None
    items: tuple[RewindItem, ...]

    @property
    def scope(self) -> RewindScope:
        """What it takes back."""
        return RewindScope(
            session_id=self.session_id,
            paths=self.paths,
            on_conflict=self.on_conflict,
            actor=self.actor,
            only_call=self.only_call,
            after_seq=None if self.first_seq is None else self.first_seq - 1,
        )

    @property
    def conflicts(self) -> tuple[str, ...]:
        """The paths that somebody else changed since."""
        return tuple(item.path for item in self.items if item.status == "conflict")

    @property
    def refused(self) -> tuple[str, ...]:
        """The paths in conflict because of which nothing is changed."""
        return tuple(item.path for item in self.items if item.choice == "stop")

    @property
    def counts(self) -> Counts:
        """How many paths, by action and by status."""
        return counts_of(self.items)


class RewindDraft(msgspec.Struct, frozen=True):
    """A plan, and the contents of merged files by digest, which are not stored yet."""

    plan: RewindPlan
    contents: dict[str, bytes]


class Planner:
    """Compares a tree with what it was.

    Args:
        parts: The records and the contents.
    """

    def __init__(self, parts: CheckpointParts) -> None:
        self._parts = parts

    def draft(
        self,
        checkpoint: Checkpoint,
        scope: RewindScope,
        records: Iterable[FileRecord],
        last_seq: int | None = None,
    ) -> RewindDraft:
        """Return what going back to a checkpoint would do.

        Args:
            checkpoint: The moment.
            scope: What is taken back.
            records: What was done to paths since, in order.
            last_seq: The last message that the session shows, where some leave it.

        Raises:
            InvalidInput: a choice is unknown, or its path is not in the plan.
            NotFound: the root is not a folder any more.
        """
        trails: dict[str, list[FileRecord]] = {}
        for record in records:
            trails.setdefault(record.path, []).append(record)
        choice_of = _choices(scope.on_conflict, checkpoint.root, trails)
        merged: dict[str, bytes] = {}
        with Tree(Path(checkpoint.root)) as tree:
            comparison = _Comparison(self._parts, tree, choice_of, merged)
            items = comparison.items(trails)
            items = list(_kept_folders(tree, _with_parents(tree, items), choice_of))
            items = _possible(tree, items, choice_of)
        draft = RewindPlan(
            id="",
            checkpoint=checkpoint,
            session_id=scope.session_id,
            root=checkpoint.root,
            on_conflict=scope.on_conflict,
            paths=scope.paths,
            actor=scope.actor,
            only_call=scope.only_call,
            first_seq=None if scope.after_seq is None or last_seq is None else scope.after_seq + 1,
            last_seq=last_seq,
            items=tuple(items),
        )
        return RewindDraft(msgspec.structs.replace(draft, id=_digest(draft)), merged)


class _Comparison:
    """Compares paths one by one, parents first."""

    def __init__(
        self,
        parts: CheckpointParts,
        tree: Tree,
        choice_of: Callable[[str], ConflictChoice],
        merged: dict[str, bytes],
    ) -> None:
        self._parts = parts
        self._tree = tree
        self._choice_of = choice_of
        self._merged = merged
        self._replaced_links: set[str] = set()

    def items(self, trails: Mapping[str, Sequence[FileRecord]]) -> list[RewindItem]:
        """Return the items of paths with what a session did to them, sorted."""
        items = []
        for path in sorted(trails):
            item = self._item(path, trails[path])
            if item.is_change and item.current.kind == "symlink" and item.after.kind == "folder":
                self._replaced_links.add(path)
            items.append(item)
        return items

    def _item(self, path: str, trail: Sequence[FileRecord]) -> RewindItem:
        target = trail[0].before
        look = self._look(path)
        status, reason = self._status(path, look.state, trail)
        item = RewindItem(
            path=path,
            action=action_of(look.state, target) if status in {"clean", "conflict"} else "skip",
            status=status,
            choice=self._choice_of(path) if status == "conflict" else None,
            current=look.state,
            target=target,
            left=trail[-1].after,
            reason=reason,
        )
        if item.choice == "merge":
            item = self._with_merge(item, look, trail)
        return item if item.action == "skip" else self._with_diff(item, look)

    def _look(self, path: str) -> PathReading:
        look = looked(self._tree, path, self._parts.most_bytes)
        is_kept = look.content is None or not self._parts.exclusions.include(self._tree.root, path)
        return look if is_kept else PathReading(uncaptured("excluded"))

    def _status(
        self, path: str, current: PathState, trail: Sequence[FileRecord]
    ) -> tuple[Status, str | None]:
        if current == OUTSIDE and trail[0].before.kind != "uncaptured":
            if trail[0].before == trail[-1].after == ABSENT:
                return "already", None
            if self._replaced_links.isdisjoint(parents_of(path)):
                return "outside", _BEHIND_LINK
            current = ABSENT
        return _compared(current, trail)

    def _with_merge(
        self, item: RewindItem, look: PathReading, trail: Sequence[FileRecord]
    ) -> RewindItem:
        """Take the changes of the session out of a file; where it cannot be done, refuse it."""
        replace = msgspec.structs.replace
        try:
            content, mode = reverted(look, trail, self._parts.contents, _MOST_TEXT_BYTES)
        except Unmergeable as error:
            return replace(item, choice="stop", reason=str(error))
        digest = hashlib.sha256(content).hexdigest()
        state = PathState(kind="file", digest=digest, size=len(content), mode=mode)
        if state == look.state:
            why = "nothing of what this session did is left in it"
            return replace(item, status="already", action="skip", choice=None, reason=why)
        self._merged[digest] = content
        action = action_of(look.state, state)
        return replace(item, action=action if action == "chmod" else "merge", merged=state)

    def _with_diff(self, item: RewindItem, look: PathReading) -> RewindItem:
        return msgspec.structs.replace(item, diff=self._diff(item, look.content or b""))

    def _diff(self, item: RewindItem, current: bytes) -> str | None:
        after = item.after
        if max(len(current), after.size) > _MOST_TEXT_BYTES:
            return None
        try:
            then = b"" if after.digest is None else self._content(after.digest)
            one, other = (each.decode().splitlines(keepends=True) for each in (current, then))
            diff = difflib.unified_diff(one, other, f"a/{item.path}", f"b/{item.path}")
            return self._parts.redact("".join(_whole_lines(diff))) or None
        except (UnicodeDecodeError, NotFound, StoreCorrupt):
            return None

    def _content(self, digest: str) -> bytes:
        merged = self._merged.get(digest)
        return self._parts.contents.get(digest) if merged is None else merged


def _choices(
    on_conflict: ConflictChoices, root: str, paths: Iterable[str]
) -> Callable[[str], ConflictChoice]:
    """Return what is done with a path in conflict.

    Raises:
        InvalidInput: a choice is unknown, or its path is not in the plan.
    """
    if not isinstance(on_conflict, dict):
        _check_words([on_conflict])
        return lambda _: on_conflict
    _check_words(on_conflict.values())
    by_path = {relative_paths(Path(root), [path])[0]: on_conflict[path] for path in on_conflict}
    unknown = sorted(by_path.keys() - set(paths))
    if unknown:
        hint = "name paths as the plan lists them"
        message = f"the plan has no path {unknown[0]}"
        raise InvalidInput(message, hint=hint, paths=tuple(unknown))
    return lambda path: by_path.get(path, "stop")


def _check_words(choices: Iterable[object]) -> None:
    words = get_args(ConflictChoice)
    if not all(each in words for each in choices):
        hint = f"use {', '.join(words)}, or one of them for each path"
        raise InvalidInput("on_conflict is none of the choices", hint=hint)


def _compared(current: PathState, trail: Sequence[FileRecord]) -> tuple[Status, str | None]:
    target = trail[0].before
    end_state, is_mixed = lineage_of(trail)
    if target.kind == "uncaptured":
        return "uncaptured", target.reason
    if current == target:
        return "already", None
    if current.kind == "uncaptured":
        return "uncaptured", f"what is there now cannot be kept: {current.reason}"
    if end_state is None:
        return "conflict", "it is not known what the tool left"
    if current != end_state:
        return "conflict", "somebody else changed it since"
    return ("conflict", "somebody else changed it in between") if is_mixed else ("clean", None)


def _with_parents(tree: Tree, items: Sequence[RewindItem]) -> list[RewindItem]:
    """Return items with a folder for each parent that is gone, or would go, and is needed again."""
    by_path = {item.path: item for item in items}
    needed = (item.path for item in items if item.is_change and not is_nothing(item.after))
    for parent in sorted({parent for path in needed for parent in parents_of(path)}):
        item = by_path.get(parent)
        if item is None:
            if looked(tree, parent, 0).state == ABSENT:
                by_path[parent] = RewindItem(
                    path=parent, action="recreate", status="clean", current=ABSENT, target=_FOLDER
                )
        elif is_nothing(item.after if item.is_change else item.current):
            is_there = item.current.kind == "folder"
            by_path[parent] = msgspec.structs.replace(
                item,
                action="skip" if is_there else "recreate",
                status=item.status if item.is_change else "clean",
                target=item.target if is_there else _FOLDER,
                reason=_NEEDED,
            )
    return list(by_path.values())


def _kept_folders(
    tree: Tree, items: Iterable[RewindItem], choice_of: Callable[[str], ConflictChoice]
) -> Iterator[RewindItem]:
    """Yield the items; a folder that holds more than what is deleted is kept."""
    ordered = sorted(items, key=lambda item: item.path, reverse=True)  # the deepest first
    deleted = {item.path for item in ordered if item.is_change and is_nothing(item.after)}
    for item in ordered:
        is_removed = item.current.kind == "folder" and item.after.kind != "folder"
        inside = {f"{item.path}/{name}" for name in tree.holds(item.path)} if is_removed else set()
        if item.is_change and not inside <= deleted:
            deleted.discard(item.path)
            if is_nothing(item.after):
                item = msgspec.structs.replace(item, action="skip", reason=_NOT_EMPTY)
            else:
                item = _impossible(item, _NOT_EMPTY, choice_of)
        yield item


def _possible(
    tree: Tree, items: Iterable[RewindItem], choice_of: Callable[[str], ConflictChoice]
) -> list[RewindItem]:
    """Return the items by path; one that has no folder to be in is in conflict."""
    kinds: dict[str, str] = {}
    possible = []
    for item in sorted(items, key=lambda item: item.path):  # parents first
        if item.is_change and not is_nothing(item.after):
            for parent in parents_of(item.path):
                if parent not in kinds:
                    kinds[parent] = looked(tree, parent, 0).state.kind
            if any(kinds[parent] != "folder" for parent in parents_of(item.path)):
                item = _impossible(item, _NO_FOLDER, choice_of)
        kinds[item.path] = (item.after if item.is_change else item.current).kind
        possible.append(item)
    return possible


def _impossible(
    item: RewindItem, reason: str, choice_of: Callable[[str], ConflictChoice]
) -> RewindItem:
    """Return the item of a path that others are in the way of; it can be kept, not merged."""
    choice = choice_of(item.path)
    return msgspec.structs.replace(
        item,
        action="skip",
        status="conflict",
        choice="stop" if choice == "merge" else choice,
        reason=reason,
    )


def _digest(plan: RewindPlan) -> str:
    """Return the id of a plan: without diffs, which depend on what is redacted."""
    items = [msgspec.structs.replace(item, diff=None) for item in plan.items]
    decided = (plan.checkpoint.id, plan.scope, plan.last_seq, items)
    return plan_id_of(decided)


def _whole_lines(diff: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a diff; a last line without an end is marked as `diff` does."""
    for line in diff:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
