"""Rewinds: plans are applied, taken back and repeated, whole or not at all.

The row of a rewind is its journal: it names what every path was and is to be, and is durable before
the first file changes. After a crash the paths that were changed are put back; one that somebody
else changed since is not touched, and the rewind stays interrupted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from recollect.checkpoints.capture.capture import CheckpointParts, SessionMoment
from recollect.checkpoints.files.state import ABSENT, PathState, is_nothing
from recollect.checkpoints.files.tree import OPEN_FOLDER, Staging, Tree, looked, parents_of
from recollect.checkpoints.record.items import Outcome, Resolution, RewindItem, action_of
from recollect.checkpoints.record.rows import (
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
    find_checkpoint,
    repeats_of,
    unfinished_rewinds,
)
from recollect.checkpoints.rewind.conversation import ConversationPort
from recollect.checkpoints.rewind.plan import RewindDraft, RewindPlan
from recollect.core.errors import Conflict, InvalidInput, NotFound, RewindConflict
from recollect.store.engine import Transaction
from recollect.store.files import private_folder
from recollect.store.locks import WriteQueue

_PATIENCE_S = 30.0


class Rewinds:
    """Changes trees.

    Args:
        parts: The records and the contents.
        locks: The folder of the locks, one for each root.
        conversation: Takes messages out of sessions, and returns them.
    """

    def __init__(self, parts: CheckpointParts, locks: Path, conversation: ConversationPort) -> None:
        self._parts = parts
        self._locks = locks
        self._conversation = conversation

    def apply(self, root: str, make: Callable[[], RewindDraft], moment: SessionMoment) -> Rewind:
        """Make a plan under the lock of its root, and do what it says.

        Raises:
            RewindConflict: somebody else changed a path since, and the plan is to stop then, or a
                crash left it unresolved. Nothing is changed.
            StoreError: a file could not be written; what was changed is put back.
        """
        with self._turn(root), Tree(Path(root)) as tree:
            unresolved = self._recover(tree, root)
            draft = make()
            plan = draft.plan
            if plan.refused:
                hint = "keep, force or merge them, or leave them out with paths"
                raise conflict_of(plan.refused, hint)
            rewind = self._new(moment, root, "rewind", plan.checkpoint.id, plan.items)
            rewind = replace(rewind, first_seq=plan.first_seq, last_seq=plan.last_seq)
            return self._change(
                tree,
                rewind,
                moment,
                unresolved,
                number=_returned_to(plan),
                contents=draft.contents,
            )

    def repeat(
        self,
        of: Rewind,
        type_: Literal["undo", "redo"],
        moment: SessionMoment,
        *,
        conversation: bool,
    ) -> Rewind:
        """Take back what a rewind did, or do it again.

        Raises:
            RewindConflict: a path was changed since, or the session has newer messages.
        """
        items = of.items if type_ == "redo" else tuple(map(_taken_back, of.items))
        rewind = self._new(moment, of.root, type_, of.id, items)
        if conversation:
            rewind = replace(rewind, first_seq=of.first_seq, last_seq=of.last_seq)
        rescue = self._rescue(of)
        number = rescue.coverage.returned_to if type_ == "redo" else rescue.number
        with self._turn(of.root), Tree(Path(of.root)) as tree:
            before = self._recover(tree, of.root)
            return self._change(tree, rewind, moment, before, number=number)

    def recover(self, root: str, patience_s: float = _PATIENCE_S) -> list[Rewind]:
        """Put back what unfinished rewinds of a root changed; return them as they ended."""
        with self._turn(root, patience_s), Tree(Path(root)) as tree:
            return self._recover(tree, root)

    def resolve(self, of: Rewind, choice: Resolution, moment: SessionMoment) -> Rewind:
        """End an interrupted rewind: keep its unresolved paths, or put them back as they were.

        Raises:
            Conflict: it is not interrupted.
            RewindConflict: what is there now cannot be kept, and so is not replaced.
            StoreError: a file could not be written.
        """
        with self._turn(of.root), Tree(Path(of.root)) as tree:
            ended = {each.id: each for each in self._recover(tree, of.root)}
            interrupted = ended.get(of.id, of)
            if interrupted.status != "interrupted":
                raise Conflict("the rewind is not interrupted", hint="look at its status")
            if choice == "keep":
                return self._end_without(interrupted)
            items = self._pending(tree, interrupted)
            back = self._new(moment, of.root, "rewind", of.target_id, items)
            number = self._rescue(interrupted).number
            back = self._change(tree, back, moment, [], number=number)
            self._end_without(interrupted)
            return back

    def _rescue(self, of: Rewind) -> Checkpoint:
        tenant = self._parts.tenant
        return self._parts.database.read(lambda tx: find_checkpoint(tx, tenant, of.rescue_id))

    def _pending(self, tree: Tree, rewind: Rewind) -> list[RewindItem]:
        """Return what puts the unresolved paths of a rewind back."""
        before = {each.path: each.before for each in rewind.changes}
        looks = {path: self._state(tree, path) for path in rewind.unresolved}
        unkept = [path for path, state in looks.items() if state.kind == "uncaptured"]
        if unkept:
            raise conflict_of(unkept, "they cannot be kept: move them away, then try again")
        return [
            RewindItem(
                path=path,
                action=action_of(state, before[path]),
                status="conflict",
                choice="force",
                current=state,
                target=before[path],
            )
            for path, state in looks.items()
        ]

    def _end_without(self, rewind: Rewind) -> Rewind:
        """End a rewind of which nothing is left to do."""
        items = tuple(_with_outcome(item, "left") for item in rewind.items)
        return self._end(replace(rewind, status="rolled_back", items=items))

    def _new(
        self,
        moment: SessionMoment,
        root: str,
        type_: RewindType,
        target_id: str,
        items: Iterable[RewindItem],
    ) -> Rewind:
        return Rewind(
            id=self._parts.ids.new(),
            session_id=moment.session_id,
            root=root,
            type=type_,
            target_id=target_id,
            rescue_id=self._parts.ids.new(),
            status="applying",
            items=tuple(replace(item, diff=None, outcome="planned") for item in items),
            created_at=self._parts.clock.now_ms(),
        )

    def _change(
        self,
        tree: Tree,
        rewind: Rewind,
        moment: SessionMoment,
        before: Iterable[Rewind],
        *,
        number: int,
        contents: Mapping[str, bytes] = {},
    ) -> Rewind:
        """Make paths what they are to be: as before a checkpoint by its number; see `apply`."""
        unresolved = {path for each in before for path in each.unresolved}
        cut_off = [each.path for each in rewind.changes if each.path in unresolved]
        if cut_off:
            raise conflict_of(cut_off, "resolve the interrupted rewind that changed them first")
        self._check(tree, rewind.changes)
        self._begin(tree, rewind, moment, number, contents)
        attempts: list[Change] = []
        try:
            self._perform(tree, rewind.id, rewind.changes, attempts)
            self._check(tree, map(_reversed, rewind.changes))
        except (Exception, KeyboardInterrupt):
            self._roll_back(tree, rewind, attempts)
            raise
        items = tuple(
            _with_outcome(item, "done" if item.is_change else "left") for item in rewind.items
        )
        try:
            return self._end(replace(rewind, status="done", items=items))
        except (Conflict, InvalidInput, NotFound):  # the session refuses: nothing of it is stored
            self._roll_back(tree, rewind, attempts)
            raise

    def _recover(self, tree: Tree, root: str) -> list[Rewind]:
        tenant = self._parts.tenant
        unfinished = self._parts.database.read(lambda tx: unfinished_rewinds(tx, tenant, root))
        return [
            self._roll_back(tree, each, each.changes)
            if each.status == "applying"
            else self._settled(tree, each)
            for each in unfinished
        ]

    def _settled(self, tree: Tree, rewind: Rewind) -> Rewind:
        """End an interrupted rewind whose paths somebody has put back."""
        open_ = set(rewind.unresolved)
        changes = [each for each in rewind.changes if each.path in open_]
        if all(_is(self._state(tree, each.path), each.before) for each in changes):
            return self._end_without(rewind)
        return rewind

    def _roll_back(self, tree: Tree, rewind: Rewind, attempts: Iterable[Change]) -> Rewind:
        """Put changed paths back; one that is neither as before nor as after is not touched."""
        tree.discard(rewind.id)
        back, conflicts = [], set()
        for each in attempts:
            current = self._state(tree, each.path)
            if _is(current, each.before):
                continue
            if any(_is(current, state) for state in _on_the_way(each)):
                back.append(Change(path=each.path, before=current, after=each.before))
            else:
                conflicts.add(each.path)
        conflicts = self._in_the_way(tree, back, conflicts)
        back = [each for each in back if each.path not in conflicts]
        self._perform(tree, rewind.id, back, [])
        items = tuple(
            _with_outcome(item, "unresolved" if item.path in conflicts else "left")
            for item in rewind.items
        )
        status = "interrupted" if conflicts else "rolled_back"
        return self._end(replace(rewind, status=status, items=items))

    def _in_the_way(self, tree: Tree, back: Sequence[Change], conflicts: set[str]) -> set[str]:
        """Return the paths that cannot be put back because of what others did around them."""
        down = sorted(back, key=lambda change: change.path)
        removed = {each.path for each in back if is_nothing(each.after)}
        blocked = set(conflicts)
        for each in filter(_must_go, reversed(down)):
            if not {f"{each.path}/{name}" for name in tree.holds(each.path)} <= removed:
                removed.discard(each.path)
                blocked.add(each.path)
        kinds = {each.path: each.after.kind for each in back if each.path not in blocked}
        for each in down:
            parents = [] if is_nothing(each.after) else parents_of(each.path)
            there = (kinds.get(path) or self._state(tree, path).kind for path in parents)
            if any(kind != "folder" for kind in there):
                blocked.add(each.path)
                kinds.pop(each.path, None)
        return blocked

    def _begin(
        self,
        tree: Tree,
        rewind: Rewind,
        moment: SessionMoment,
        number: int,
        contents: Mapping[str, bytes],
    ) -> None:
        """Keep what is there and what was merged, and write the journal."""
        paths = [each.path for each in rewind.changes]
        looks = (looked(tree, path, self._parts.most_bytes).content for path in paths)
        originals = [content for content in looks if content is not None]
        self._parts.contents.put([*originals, *contents.values()])
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
            coverage=Coverage(
                paths=tuple(paths),
                files=len(paths),
                foreign=_foreign(rewind),
                returned_to=number,
            ),
            created_at=rewind.created_at,
        )

        def unit(tx: Transaction) -> None:
            add_checkpoint(tx, self._parts.tenant, rescue)
            add_files(tx, rescue.id, ((each.path, _kept(each.before)) for each in rewind.changes))
            after = ((each.path, _kept(each.after)) for each in rewind.changes)
            add_writes(tx, rescue.id, after, rewind.created_at)
            add_rewind(tx, self._parts.tenant, rewind)

        self._parts.database.write(unit)

    def _perform(
        self, tree: Tree, token: str, changes: Sequence[Change], attempts: list[Change]
    ) -> None:
        """Change paths: finished files are staged first, then nothing needs room any more.

        Each path is looked at once more immediately before it is changed. Folders are open while
        their files change, and get their permissions last.

        Args:
            tree: The files.
            token: Names the folder of the staged files.
            changes: What every path is, and is to be.
            attempts: Collects the changes that were started.
        """
        if not changes:
            return
        down = sorted(changes, key=lambda change: change.path)
        with tree.staging(token) as staging:
            staged = {each.path: self._stage(staging, each) for each in changes}
            for each in filter(_is_kept_folder, down):
                self._start(tree, each, attempts)
                tree.set_mode(each.path, _open_mode(each))
            for each in filter(_must_go, reversed(down)):
                self._start(tree, each, attempts)
                tree.remove(each.path, is_folder=each.before.kind == "folder")
            for each in down:
                if not _is_kept_folder(each) and not is_nothing(each.after):
                    if not _must_go(each):
                        self._start(tree, each, attempts)
                    self._place(tree, staging, each, staged[each.path])
            for each in reversed(down):
                if each.after.kind == "folder":
                    tree.set_mode(each.path, _mode(each.after))
            tree.sync_names()

    def _start(self, tree: Tree, change: Change, attempts: list[Change]) -> None:
        self._check(tree, [change])
        attempts.append(change)

    def _stage(self, staging: Staging, change: Change) -> str | None:
        after = change.after
        if after.target is not None:
            return staging.link(after.target)
        if after.digest is None or action_of(change.before, after) == "chmod":
            return None
        return staging.write(self._parts.contents.get(after.digest), _mode(after))

    def _place(self, tree: Tree, staging: Staging, change: Change, staged: str | None) -> None:
        if staged is not None:
            tree.put(change.path, staging, staged)
        elif change.after.kind == "folder":
            tree.make_folder(change.path)
        else:
            tree.set_mode(change.path, _mode(change.after))

    def _check(self, tree: Tree, changes: Iterable[Change]) -> None:
        """Raise where a path is not what it is thought to be."""
        moved = [
            each.path for each in changes if not _is(self._state(tree, each.path), each.before)
        ]
        if moved:
            raise conflict_of(moved, "make the plan again: they were changed meanwhile")

    def _state(self, tree: Tree, path: str) -> PathState:
        return looked(tree, path, self._parts.most_bytes).state

    def _end(self, rewind: Rewind) -> Rewind:
        """Store how a rewind ended; where it is done, its messages leave or return with it."""
        now, tenant = self._parts.clock.now_ms(), self._parts.tenant
        ended = replace(rewind, finished_at=now)

        def unit(tx: Transaction) -> None:
            end_rewind(tx, tenant, ended, now)
            if ended.status != "done" or ended.first_seq is None:
                return
            if ended.type == "undo":
                self._conversation.give_back(tx, ended, repeats_of(tx, tenant, ended.target_id))
            else:
                self._conversation.withdraw(tx, ended)

        self._parts.database.write(unit)
        if ended.first_seq is not None:
            self._parts.arrived()
        return ended

    @contextmanager
    def _turn(self, root: str, patience_s: float = _PATIENCE_S) -> Iterator[None]:
        """Run the block while no other rewind changes this root, in any process."""
        name = hashlib.sha256(root.encode()).hexdigest()[:32]
        with WriteQueue(private_folder(self._locks) / f"{name}.lock").turn(patience_s):
            yield


def conflict_of(paths: Sequence[str], hint: str) -> RewindConflict:
    """Return the error that lists paths that somebody else changed."""
    count = f"{len(paths)} path{'s' if len(paths) != 1 else ''}"
    return RewindConflict(f"{count} were changed by somebody else", hint=hint, paths=tuple(paths))


def _reversed(change: Change) -> Change:
    return Change(path=change.path, before=change.after, after=change.before)


def _taken_back(item: RewindItem) -> RewindItem:
    """Return what takes back what was done to a path; whose work was in it is still said."""
    if not item.is_change:
        return item
    action = action_of(item.after, item.current)
    return replace(
        item, action=action, current=item.after, target=item.current, left=None, merged=None
    )


def _with_outcome(item: RewindItem, outcome: Outcome) -> RewindItem:
    return replace(item, outcome=outcome)


def _returned_to(plan: RewindPlan) -> int:
    """Return the checkpoint before whose records a plan puts paths; 0 where they may be later ones.

    Those of one sub-agent begin later, and a later plan has no record of a checkpoint by hand.
    """
    is_whole = plan.actor is None and plan.checkpoint.kind != "manual"
    return plan.checkpoint.number if is_whole else 0


def _foreign(rewind: Rewind) -> tuple[str, ...]:
    """Return the paths that hold the work of somebody else afterwards, or may."""
    return tuple(
        item.path
        for item in rewind.items
        if item.is_change and item.status == "conflict" and (item.merged or rewind.type == "undo")
    )


def _kept(state: PathState) -> PathState:
    return ABSENT if is_nothing(state) else state


def _is(state: PathState, expected: PathState) -> bool:
    """Return whether a path is what it is thought to be; nothing is nothing, wherever it is not."""
    return state == expected or (is_nothing(state) and is_nothing(expected))


def _must_go(change: Change) -> bool:
    """Return whether what is there is removed first; a file or link is replaced in one step."""
    before, after = change.before, change.after
    if is_nothing(before):
        return False
    return is_nothing(after) or (before.kind == "folder") != (after.kind == "folder")


def _is_kept_folder(change: Change) -> bool:
    return change.before.kind == change.after.kind == "folder"


def _open_mode(change: Change) -> int:
    """Return the permissions of a folder while its files change."""
    return _mode(change.before) | _mode(change.after) | OPEN_FOLDER


def _mode(of: PathState) -> int:
    return of.mode or 0


def _on_the_way(change: Change) -> list[PathState]:
    """Return what a path may be while it is changed or put back, the end included."""
    states = [change.after, ABSENT] if _must_go(change) else [change.after]
    if _is_kept_folder(change):
        states.append(PathState(kind="folder", mode=_open_mode(change)))
    elif "folder" in {change.before.kind, change.after.kind}:
        states.append(PathState(kind="folder", mode=OPEN_FOLDER))
    return states
