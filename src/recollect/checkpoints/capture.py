"""Capture: what paths are before a tool runs, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

from recollect.checkpoints.contents import Contents
from recollect.checkpoints.exclusion import Exclusions
from recollect.checkpoints.manifest import CaptureLimits, Manifest
from recollect.checkpoints.rows import (
    Checkpoint,
    CheckpointKind,
    Coverage,
    add_checkpoint,
    add_files,
    add_writes,
)
from recollect.checkpoints.state import OUTSIDE, PathState, uncaptured
from recollect.checkpoints.tree import Look, Tree, checked_parts, parents_of
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


class CheckpointParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the use cases work with.

    Attributes:
        database: ``records.db``.
        contents: The bytes of files.
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
    """

    database: Database
    contents: Contents
    clock: Clock
    ids: IdSource
    tenant: str
    exclusions: Exclusions = Exclusions(())
    redact: Callable[[str], str] = lambda text: text
    limits: CaptureLimits = CaptureLimits()
    manifests: dict[tuple[str, Path], Manifest] = msgspec.field(default_factory=dict)
    watches: bool = True
    is_enabled: bool = False
    roots: tuple[str, ...] = ()

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
        self, moment: SessionMoment, root: Path, paths: Iterable[str], cause: Cause
    ) -> Checkpoint:
        """Keep what paths are now, missing parent folders included; durable when it returns.

        Raises:
            Denied: a path leads out of the root.
            NotFound: the root is not a folder.
            StoreError: it could not be stored.
        """
        named = relative_paths(root, paths)
        with Tree(root) as tree:
            looks = {path: self._look(tree, path) for path in _with_missing_parents(tree, named)}
        self._keep(looks)
        states = {path: look.state for path, look in looks.items()}
        draft = self._draft(moment, root, cause, _coverage(states.values(), tuple(named)))
        return self._parts.database.write(lambda tx: self._add(tx, draft, states))

    def before_all(self, moment: SessionMoment, root: Path, cause: Cause) -> Checkpoint:
        """Keep what all paths below a root are now, as `Manifest.begin` does."""
        draft = self._draft(moment, root, cause, Coverage(paths=None))
        command = draft.id if cause.kind == "tool" else None
        files, missing = self._manifest(root).begin(command)
        coverage = Coverage(paths=None, files=files, uncaptured=missing)
        made = msgspec.structs.replace(draft, coverage=coverage)
        return self._parts.database.write(lambda tx: self._add(tx, made, {}))

    def after(self, checkpoint: Checkpoint) -> None:
        """Keep what a tool left of the paths of its checkpoint.

        Raises:
            NotFound: the root is not a folder.
            StoreError: it could not be stored.
        """
        if checkpoint.coverage.paths is None:
            self._after_all(checkpoint)
            return
        sql = "SELECT path FROM checkpoint_files WHERE checkpoint_id = ?"
        rows = self._parts.database.read(lambda tx: tx.all(sql, (checkpoint.id,)))
        with Tree(Path(checkpoint.root)) as tree:
            looks = {path: self._left(tree, path) for path in map(text, (row[0] for row in rows))}
        self._keep(looks)
        states = [(path, look.state) for path, look in looks.items()]
        now = self._parts.clock.now_ms()
        self._parts.database.write(lambda tx: add_writes(tx, checkpoint.id, states, now))

    def _after_all(self, checkpoint: Checkpoint) -> None:
        """Keep what changed below a root since its checkpoint, before and after."""
        changes = self._manifest(Path(checkpoint.root)).end(checkpoint.id)
        now = self._parts.clock.now_ms()

        def unit(tx: Transaction) -> None:
            add_files(tx, checkpoint.id, ((each.path, each.before) for each in changes))
            add_writes(tx, checkpoint.id, ((each.path, each.after) for each in changes), now)

        self._parts.database.write(unit)

    def _manifest(self, root: Path) -> Manifest:
        for other in list(self._parts.manifests.values()):
            other.rest()
        parts = self._parts
        made = Manifest(
            parts.contents,
            root,
            parts.limits,
            partial(parts.exclusions.include, root),
            watches=parts.watches,
        )
        return parts.manifests.setdefault((parts.tenant, root), made)

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

    def _look(self, tree: Tree, path: str) -> Look:
        is_excluded = self._parts.exclusions.include(tree.root, path)
        # It is not even opened: closing a database of this process would drop its locks.
        look = tree.look(path, most_bytes=-1 if is_excluded else self._parts.most_bytes)
        is_left_out = is_excluded and look.state.kind == "uncaptured"
        return Look(uncaptured("excluded")) if is_left_out else look

    def _left(self, tree: Tree, path: str) -> Look:
        """Return what a tool left of a path, also where it made a link of its folder."""
        try:
            return self._look(tree, path)
        except Denied:
            return Look(OUTSIDE)

    def _keep(self, looks: dict[str, Look]) -> None:
        """Store the bytes of files; each as differences from what the path was before."""
        contents = {
            look.state.digest: look.content
            for look in looks.values()
            if look.content is not None and look.state.digest is not None
        }
        paths = [(path, look.state.digest) for path, look in looks.items() if look.state.digest]
        latest = self._parts.database.read(lambda tx: _latest_blobs(tx, paths))
        self._parts.contents.put(contents.values(), latest)


def _coverage(states: Iterable[PathState], paths: tuple[str, ...] | None) -> Coverage:
    kinds = [state.kind for state in states]
    return Coverage(paths=paths, files=len(kinds), uncaptured=kinds.count("uncaptured"))


def relative_paths(root: Path, paths: Iterable[str]) -> list[str]:
    """Return paths relative to a root, sorted and once each.

    Args:
        root: The folder, absolute.
        paths: Absolute ones below it, or relative ones.

    Raises:
        Denied: one leads out of the root.
        InvalidInput: one is the root itself, or no text that can be stored.
    """
    named: set[str] = set()
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
        named.add("/".join(checked_parts(relative.as_posix())))
    return sorted(named)


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
