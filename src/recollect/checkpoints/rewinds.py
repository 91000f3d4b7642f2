"""Rewinds: plans are applied, taken back and repeated, whole or not at all.

The row of a rewind is its journal: it names what every path was and is to be, and is durable before
the first file changes. After a crash the paths that were changed are put back; one that somebody
else changed since is not touched, and the rewind stays interrupted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from recollect.checkpoints.capture import CheckpointParts, SessionMoment
from recollect.checkpoints.plan import RewindPlan, action_of
from recollect.checkpoints.rows import (
    Change,
    Checkpoint,
    Coverage,
    Rewind,
    RewindType,
    add_checkpoint,
    add_files,
    add_rewind,
    add_writes,
    end_rewind,
    unfinished_rewinds,
)
from recollect.checkpoints.state import ABSENT, PathState
from recollect.checkpoints.tree import Staging, Tree
from recollect.core.errors import Conflict, RecollectError, RewindConflict
from recollect.store.engine import Transaction
from recollect.store.files import private_folder
from recollect.store.locks import WriteQueue

_PATIENCE_S = 30.0


class Rewinds:
    """Changes trees.

    Args:
        parts: The records and the contents.
        locks: The folder of the locks, one for each root.
    """

    def __init__(self, parts: CheckpointParts, locks: Path) -> None:
        self._parts = parts
        self._locks = locks

    def apply(self, plan: RewindPlan, moment: SessionMoment) -> Rewind:
        """Do what a plan says.

        Raises:
            RewindConflict: somebody else changed a path since, and the plan is to stop then; or
                since the plan was made. Nothing is changed.
            StoreError: a file could not be written; what was changed is put back.
        """
        if plan.conflicts and plan.on_conflict == "stop":
            hint = "keep, force or merge them, or leave them out with paths"
            raise conflict_of(plan.conflicts, hint)
        return self.change(moment, plan.root, "rewind", plan.checkpoint.id, plan.changes)

    def reverse(self, rewind: Rewind, type_: RewindType, moment: SessionMoment) -> Rewind:
        """Take back what a rewind did, or repeat it.

        Raises:
            RewindConflict: a path was changed since.
            Conflict: it was not finished.
        """
        if rewind.status != "done":
            raise Conflict("only a finished rewind can be taken back", hint="look at its status")
        is_forward = type_ == "redo"
        changes = tuple(each if is_forward else _reversed(each) for each in rewind.changes)
        return self.change(moment, rewind.root, type_, rewind.id, changes)

    def change(
        self,
        moment: SessionMoment,
        root: str,
        type_: RewindType,
        target_id: str,
        changes: Sequence[Change],
    ) -> Rewind:
        """Make paths what they are to be, under the lock of their root; see `apply`."""
        with self._turn(root), Tree(Path(root)) as tree:
            self._recover(tree, root)
            self._check(tree, changes)
            now = self._parts.clock.now_ms()
            rewind = Rewind(
                id=self._parts.ids.new(),
                session_id=moment.session_id,
                root=root,
                type=type_,
                target_id=target_id,
                rescue_id=self._parts.ids.new(),
                status="applying",
                changes=tuple(changes),
                created_at=now,
            )
            self._begin(tree, rewind, moment)
            try:
                self._perform(tree, rewind.id, rewind.changes)
                self._check(tree, [_reversed(each) for each in rewind.changes])
            except RecollectError:
                self._roll_back(tree, rewind)
                raise
            return self._end(msgspec.structs.replace(rewind, status="done"))

    def recover(self, root: str) -> list[Rewind]:
        """Put back what unfinished rewinds of a root changed; return them as they ended."""
        with self._turn(root), Tree(Path(root)) as tree:
            return self._recover(tree, root)

    def _recover(self, tree: Tree, root: str) -> list[Rewind]:
        unfinished = self._parts.database.read(lambda tx: unfinished_rewinds(tx, root))
        return [self._roll_back(tree, rewind) for rewind in unfinished]

    def _roll_back(self, tree: Tree, rewind: Rewind) -> Rewind:
        """Put changed paths back; one that is neither as before nor as after is not touched."""
        tree.discard(rewind.id)
        back, lost = [], []
        for each in rewind.changes:
            current = self._state(tree, each.path)
            if current == each.after or (current == ABSENT and _must_go(each)):
                back.append(Change(path=each.path, before=current, after=each.before))
            elif current != each.before:
                lost.append(each.path)
        self._perform(tree, rewind.id, back)
        status = "interrupted" if lost else "rolled_back"
        return self._end(msgspec.structs.replace(rewind, status=status))

    def _begin(self, tree: Tree, rewind: Rewind, moment: SessionMoment) -> None:
        """Keep what is there, and write the journal."""
        paths = [each.path for each in rewind.changes]
        looks = [tree.look(path, most_bytes=self._parts.most_bytes) for path in paths]
        self._parts.contents.put(look.content for look in looks if look.content is not None)
        rescue = Checkpoint(
            id=rewind.rescue_id,
            number=0,
            session_id=moment.session_id,
            seq=moment.seq,
            user_message_id=moment.user_message_id,
            kind="rescue",
            label=rewind.type,
            actor=moment.actor,
            tool_name=None,
            tool_use_id=None,
            root=rewind.root,
            coverage=Coverage(paths=tuple(paths), files=len(paths)),
            created_at=rewind.created_at,
        )

        def unit(tx: Transaction) -> None:
            add_checkpoint(tx, self._parts.tenant, rescue)
            add_files(tx, rescue.id, ((each.path, each.before) for each in rewind.changes))
            after = ((each.path, each.after) for each in rewind.changes)
            add_writes(tx, rescue.id, after, rewind.created_at)
            add_rewind(tx, self._parts.tenant, rewind)

        self._parts.database.write(unit)

    def _perform(self, tree: Tree, token: str, changes: Sequence[Change]) -> None:
        """Change paths: finished files are staged first, then nothing needs room any more."""
        if not changes:
            return
        with tree.staging(token) as staging:
            staged = {each.path: self._stage(staging, each) for each in changes}
            for each in sorted(changes, key=lambda change: change.path, reverse=True):
                if _must_go(each):
                    tree.remove(each.path, is_folder=each.before.kind == "folder")
            for each in sorted(changes, key=lambda change: change.path):
                self._place(tree, staging, each, staged[each.path])

    def _stage(self, staging: Staging, change: Change) -> str | None:
        after = change.after
        if after.target is not None:
            return staging.link(after.target)
        if after.digest is None or action_of(change.before, after) == "chmod":
            return None
        return staging.write(self._parts.contents.get(after.digest), after.mode or 0)

    def _place(self, tree: Tree, staging: Staging, change: Change, staged: str | None) -> None:
        after = change.after
        if staged is not None:
            tree.put(change.path, staging, staged)
        elif after.kind == "folder" and change.before.kind != "folder":
            tree.make_folder(change.path, after.mode)
        elif after.mode is not None and after.kind != "absent":
            tree.set_mode(change.path, after.mode)

    def _check(self, tree: Tree, changes: Iterable[Change]) -> None:
        """Raise where a path is not what it is thought to be."""
        moved = [each.path for each in changes if self._state(tree, each.path) != each.before]
        if moved:
            raise conflict_of(moved, "plan again: they were changed meanwhile")

    def _state(self, tree: Tree, path: str) -> PathState:
        return tree.look(path, most_bytes=self._parts.most_bytes).state

    def _end(self, rewind: Rewind) -> Rewind:
        now, tenant = self._parts.clock.now_ms(), self._parts.tenant
        ended = msgspec.structs.replace(rewind, finished_at=now)
        self._parts.database.write(lambda tx: end_rewind(tx, tenant, ended, now))
        return ended

    @contextmanager
    def _turn(self, root: str) -> Iterator[None]:
        """Run the block while no other rewind changes this root, in any process."""
        name = hashlib.sha256(root.encode()).hexdigest()[:32]
        with WriteQueue(private_folder(self._locks) / f"{name}.lock").turn(_PATIENCE_S):
            yield


def conflict_of(paths: Sequence[str], hint: str) -> RewindConflict:
    """Return the error that lists paths that somebody else changed."""
    count = f"{len(paths)} path{'s' if len(paths) != 1 else ''}"
    return RewindConflict(f"{count} were changed by somebody else", hint=hint, paths=tuple(paths))


def _reversed(change: Change) -> Change:
    return Change(path=change.path, before=change.after, after=change.before)


def _must_go(change: Change) -> bool:
    """Return whether what is there is removed first; a file or link is replaced in one step."""
    before, after = change.before.kind, change.after.kind
    return before != "absent" and (after == "absent" or (before == "folder") != (after == "folder"))
