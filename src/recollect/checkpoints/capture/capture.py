"""Capture: what paths are before a tool runs, and what it leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

from recollect.checkpoints.capture.manifest import CaptureLimits, Manifest
from recollect.checkpoints.files.exclusion import Exclusions
from recollect.checkpoints.files.state import ABSENT, OUTSIDE, PathState, uncaptured
from recollect.checkpoints.files.tree import PathReading, Tree, checked_parts, parents_of
from recollect.checkpoints.record.call_rows import UNSEEN, add_changes, end_call, files_of
from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.rows import (
    Checkpoint,
    CheckpointKind,
    Coverage,
    FileRecord,
    add_checkpoint,
    add_files,
    add_writes,
)
from recollect.core.clock import Clock, IdSource
from recollect.core.errors import Denied, InvalidInput
from recollect.store.columns import text
from recollect.store.engine import Database, Transaction


class SessionMoment(msgspec.Struct, frozen=True, kw_only=True):
    """Where a session is.

    Attributes:
        session_id: The session.
        seq: Of its last message.
        user_message_id: Its last message of the user.
        actor: The sub-agent that acts; None for the session itself.
    """

    session_id: str
    seq: int = 0
    user_message_id: str | None = None
    actor: str | None = None


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Why a checkpoint is taken: a tool's call, a message, or somebody asked for it."""

    kind: CheckpointKind = "manual"
    label: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None


class Sight(msgspec.Struct, frozen=True):
    """Until when what is looked at is what it was before a tool ran.

    Attributes:
        until: When the tool begins at the earliest, ms UTC; None: it waits.
        kept: Returns what the hook kept of the paths before it let the tool begin, if it did.
    """

    until: int | None = None
    kept: Callable[[], Mapping[str, PathReading]] = dict

    def is_over(self, now: int) -> bool:
        """Return whether the tool may have begun."""
        return self.until is not None and now > self.until


class CheckpointParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the use cases work with.

    Attributes:
        database: ``records.db``.
        contents: The bytes of files.
        has_contents: Whether their file is there; it is made with its first use.
        clock: Tells the time.
        ids: Makes ids.
        tenant: Whose checkpoints.
        exclusions: The files of which only the name is listed.
        redact: Replaces secrets in what is shown.
        limits: Up to where contents are kept.
        manifests: Those of this home, by tenant and root: all memories share them.
        watches: Whether roots in which commands run are watched.
        is_enabled: Whether what agent programs change is kept.
        roots: The folders in which it is.
        arrived: Called after a commit that changed what a session shows.
    """

    database: Database
    contents: Contents
    clock: Clock
    ids: IdSource
    tenant: str
    exclusions: Exclusions = Exclusions(())
    redact: Callable[[str], str] = lambda text: text
    limits: CaptureLimits = CaptureLimits()
    has_contents: Callable[[], bool] = lambda: True
    manifests: dict[tuple[str, Path], Manifest] = msgspec.field(default_factory=dict)
    watches: bool = True
    is_enabled: bool = False
    arrived: Callable[[], None] = lambda: None
    roots: tuple[str, ...] = ()
    turns: tuple[threading.Lock, ...] = (threading.Lock(),)

    @property
    def most_bytes(self) -> int:
        """The size of a file up to which it is kept."""
        return self.limits.file_bytes


class Capture:
    """Takes checkpoints.

    Args:
        parts: The records and the contents.
    """

    def __init__(self, parts: CheckpointParts) -> None:
        self._parts = parts

    def before(
        self,
        moment: SessionMoment,
        root: Path,
        paths: Iterable[str],
        cause: Cause,
        sight: Sight = Sight(),  # noqa: B008 - it is frozen
    ) -> Checkpoint:
        """Keep what paths are now, missing parent folders included; durable when it returns.

        Args:
            moment: Where the session is.
            root: The folder.
            paths: Below it.
            cause: Why.
            sight: Until when they are what they were before the tool.

        Raises:
            Denied: a path leads out of the root.
            NotFound: the root is not a folder.
            StoreError: it could not be stored.
        """
        names = relative_paths(root, paths)
        with Tree(root) as tree:
            looks = {path: self._look(tree, path) for path in _with_missing_parents(tree, names)}
        if readings := sight.kept():  # the hook did not wait
            looks = dict(readings)
        elif sight.is_over(self._parts.clock.now_ms()):
            looks = dict.fromkeys(names, PathReading(UNSEEN))
        return self._taken(moment, root, looks, cause, tuple(names))

    def before_all(
        self,
        moment: SessionMoment,
        root: Path,
        cause: Cause,
        sight: Sight = Sight(),  # noqa: B008 - it is frozen
    ) -> Checkpoint:
        """Keep what all paths below a root are now, as `Manifest.update` does.

        Args and raises as `before`.
        """
        draft = self._draft(moment, root, cause, Coverage(paths=None))
        command = draft.id if cause.kind == "tool" else None
        coverage = Coverage(paths=None, is_unseen=True)
        if not sight.is_over(self._parts.clock.now_ms()):
            files, missing = self._manifest(root).begin(command)
            is_unseen = sight.is_over(self._parts.clock.now_ms())
            coverage = Coverage(paths=None, files=files, uncaptured=missing, is_unseen=is_unseen)
        checkpoint = msgspec.structs.replace(draft, coverage=coverage)
        return self._parts.database.write(lambda tx: self._add(tx, checkpoint, {}))

    def by_hand(self, moment: SessionMoment, root: Path, cause: Cause) -> Checkpoint:
        """Keep what each path below a root is now; raises as `before`."""
        states = self._manifest(root).states(is_kept=True)
        draft = self._draft(moment, root, cause, _coverage(states.values(), None))
        return self._parts.database.write(lambda tx: self._add(tx, draft, states))

    def changed_since(
        self, checkpoint: Checkpoint, records: Iterable[FileRecord]
    ) -> list[FileRecord]:
        """Return records without those of a whole root by hand whose paths are as they were then.

        What is not captured stays, since it may have changed unseen; not what is excluded.
        """
        if checkpoint.kind != "manual" or checkpoint.coverage.paths is not None:
            return list(records)
        states = self._manifest(Path(checkpoint.root)).states()
        return [
            each
            for each in records
            if each.checkpoint.id != checkpoint.id
            or states.get(each.path, ABSENT) != each.before
            or (each.before.kind == "uncaptured" and each.before.reason != "excluded")
        ]

    def after(self, checkpoint: Checkpoint, use_id: str | None = None) -> None:
        """Keep what a tool left of the paths of its checkpoint.

        Args:
            checkpoint: The checkpoint.
            use_id: The id of the call, where it is another one than before it ran.

        Raises:
            NotFound: the root is not a folder.
            StoreError: it could not be stored.
        """
        if checkpoint.coverage.paths is None:
            self._after_all(checkpoint, use_id)
            return
        looks = self._looks(checkpoint)
        self._ended(checkpoint, {path: look.state for path, look in looks.items()}, use_id)

    def left(self, checkpoint: Checkpoint, looks: Mapping[str, PathReading]) -> None:
        """Keep what others read of files right after their tool ran; folders are looked at now."""
        self._keep(looks)
        now = {path: look for path, look in self._looks(checkpoint).items() if path not in looks}
        folders = {path: look for path, look in now.items() if look.state.kind == "folder"}
        states = {path: look.state for path, look in {**folders, **looks}.items()}
        self._ended(checkpoint, states)

    def close(self, checkpoint: Checkpoint) -> None:
        """End a call whose end was not reported.

        It left what is as it was before. What is not may be another's: what the call left of it
        stays unknown, and a rewind is in conflict there.

        Raises:
            NotFound: the root is not a folder.
            StoreError: it could not be stored.
        """
        if checkpoint.coverage.paths is None:
            self._after_all(checkpoint, is_certain=False)
            return
        files = self._parts.database.read(lambda tx: files_of(tx, checkpoint))
        states = {path: look.state for path, look in self._looks(checkpoint).items()}
        self._ended(checkpoint, {it: now for it, now in states.items() if now == files[it]})

    def _looks(self, checkpoint: Checkpoint) -> dict[str, PathReading]:
        files = self._parts.database.read(lambda tx: files_of(tx, checkpoint))
        with Tree(Path(checkpoint.root)) as tree:
            looks = {path: self._left(tree, path) for path in files}
        self._keep(looks)
        return looks

    def _ended(
        self, checkpoint: Checkpoint, states: Mapping[str, PathState], use_id: str | None = None
    ) -> None:
        now = self._parts.clock.now_ms()

        def unit(tx: Transaction) -> None:
            add_writes(tx, checkpoint.id, states.items(), now)
            end_call(tx, checkpoint, now, use_id)

        self._parts.database.write(unit)

    def _after_all(
        self, checkpoint: Checkpoint, use_id: str | None = None, *, is_certain: bool = True
    ) -> None:
        """Keep what changed below a root since its checkpoint, before and after."""
        changes = self._manifest(Path(checkpoint.root)).end(checkpoint.id)
        now, tenant = self._parts.clock.now_ms(), self._parts.tenant

        def unit(tx: Transaction) -> None:
            add_changes(tx, tenant, checkpoint, changes, now, is_certain=is_certain)
            end_call(tx, checkpoint, now, use_id)

        self._parts.database.write(unit)

    def _taken(
        self,
        moment: SessionMoment,
        root: Path,
        looks: Mapping[str, PathReading],
        cause: Cause,
        names: tuple[str, ...],
    ) -> Checkpoint:
        self._keep(looks)
        states = {path: look.state for path, look in looks.items()}
        draft = self._draft(moment, root, cause, _coverage(states.values(), names))
        return self._parts.database.write(lambda tx: self._add(tx, draft, states))

    def _manifest(self, root: Path) -> Manifest:
        for other in list(self._parts.manifests.values()):
            other.rest()
        parts = self._parts
        manifest = Manifest(
            parts.contents,
            root,
            parts.limits,
            partial(parts.exclusions.test_of, root),
            watches=parts.watches,
        )
        return parts.manifests.setdefault((parts.tenant, root), manifest)

    def _draft(
        self, moment: SessionMoment, root: Path, cause: Cause, coverage: Coverage
    ) -> Checkpoint:
        return Checkpoint(
            id=self._parts.ids.new(),
            number=0,
            session_id=moment.session_id,
            seq=moment.seq,
            user_message_id=moment.user_message_id,
            kind=cause.kind,
            label=cause.label,
            actor=moment.actor,
            tool_name=cause.tool_name,
            tool_use_id=cause.tool_use_id,
            root=str(root),
            coverage=coverage,
            created_at=self._parts.clock.now_ms(),
        )

    def _add(self, tx: Transaction, draft: Checkpoint, states: dict[str, PathState]) -> Checkpoint:
        checkpoint = add_checkpoint(tx, self._parts.tenant, draft)
        add_files(tx, checkpoint.id, states.items())
        return checkpoint

    def _look(self, tree: Tree, path: str) -> PathReading:
        is_excluded = self._parts.exclusions.include(tree.root, path)
        # It is not even opened: closing a database of this process would drop its locks.
        look = tree.look(path, most_bytes=-1 if is_excluded else self._parts.most_bytes)
        is_left_out = is_excluded and look.state.kind == "uncaptured"
        return PathReading(uncaptured("excluded")) if is_left_out else look

    def _left(self, tree: Tree, path: str) -> PathReading:
        """Return what a tool left of a path, also where it made a link of its folder."""
        try:
            return self._look(tree, path)
        except Denied:
            return PathReading(OUTSIDE)

    def _keep(self, looks: Mapping[str, PathReading]) -> None:
        """Store the bytes of files; each as differences from what the path was before."""
        contents = {
            look.state.digest: look.content
            for look in looks.values()
            if look.content is not None and look.state.digest is not None
        }
        paths = [(path, look.state.digest) for path, look in looks.items() if look.state.digest]
        latest = self._parts.database.read(lambda tx: _latest_blobs(tx, paths))
        self._parts.contents.put(contents.values(), latest)


def _coverage(
    states: Iterable[PathState], paths: tuple[str, ...] | None, *, is_unseen: bool = False
) -> Coverage:
    kinds = [state.kind for state in states]
    missing = kinds.count("uncaptured")
    return Coverage(paths=paths, files=len(kinds), uncaptured=missing, is_unseen=is_unseen)


def relative_paths(root: Path, paths: Iterable[str]) -> list[str]:
    """Return paths relative to a root, sorted and once each.

    Args:
        root: The folder, absolute.
        paths: Absolute ones below it, or relative ones.

    Raises:
        Denied: one leads out of the root.
        InvalidInput: one is the root itself, or no text that can be stored.
    """
    names: set[str] = set()
    for path in paths:
        try:
            path.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(
                "the name of a file must be UTF-8", hint="give it another one"
            ) from error
        relative = PurePosixPath(path)
        if relative.is_absolute():
            if not relative.is_relative_to(root):
                raise Denied("the path leaves its root", hint="use a path below it", path=path)
            relative = relative.relative_to(root)
        if relative == PurePosixPath():
            raise InvalidInput("a path must be below the root", hint="leave paths out for all")
        names.add("/".join(checked_parts(relative.as_posix())))
    return sorted(names)


def _with_missing_parents(tree: Tree, paths: Sequence[str]) -> list[str]:
    """Return paths and those of their parent folders that do not exist."""
    looked: dict[str, bool] = {}
    for path in paths:
        for parent in parents_of(path):
            if parent not in looked:
                looked[parent] = tree.look(parent, most_bytes=0).state.kind == "absent"
    return sorted({*paths, *(parent for parent, is_missing in looked.items() if is_missing)})


def _latest_blobs(tx: Transaction, paths: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return by new digest that of the newest kept content of the same path."""
    sql = (
        "SELECT backup_blob FROM checkpoint_files WHERE path = ? AND backup_blob IS NOT NULL"
        " ORDER BY checkpoint_id DESC LIMIT 1"
    )
    rows = ((digest, tx.row(sql, (path,))) for path, digest in paths)
    return {digest: text(row[0]) for digest, row in rows if row is not None}
