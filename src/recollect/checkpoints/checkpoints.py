"""The checkpoints of a memory: taken, listed, planned, applied, undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from recollect.checkpoints.capture.capture import (
    Capture,
    Cause,
    CheckpointParts,
    SessionMoment,
    relative_paths,
)
from recollect.checkpoints.record.items import Resolution
from recollect.checkpoints.record.removal import collect
from recollect.checkpoints.record.rows import (
    Checkpoint,
    FileRecord,
    Rewind,
    SharedPart,
    count_checkpoints,
    find_checkpoint,
    find_rewind,
    find_tool_call,
    list_checkpoints,
    list_rewinds,
    recent_checkpoints,
    recent_rewinds,
    records_of,
    records_since,
    unfinished_rewinds,
)
from recollect.checkpoints.rewind.conversation import ConversationPort
from recollect.checkpoints.rewind.plan import (
    ConflictChoices,
    Planner,
    RewindDraft,
    RewindPlan,
    RewindScope,
)
from recollect.checkpoints.rewind.rewinds import Rewinds
from recollect.checkpoints.soundness import FsckReport, examine, without_lost
from recollect.core.checks import checked
from recollect.core.errors import Conflict, NotFound, RecollectError, RewindConflict
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope


class MessageMoment(msgspec.Struct, frozen=True):
    """Where a message is."""

    session_id: str
    seq: int


class CheckpointState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether what agent programs change is kept, and how much is.

    Attributes:
        enabled: Whether the setting ``checkpoints.enabled`` is on.
        roots: The folders in which it is.
        checkpoints: Their number, without what rewinds replaced.
        stored_bytes: What the contents of files take.
        interrupted: Rewinds that a crash cut off and that are not put back.
    """

    enabled: bool
    roots: tuple[str, ...]
    checkpoints: int
    stored_bytes: int
    interrupted: int


class SessionPorts(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked about sessions.

    Attributes:
        moment: Where a session is now.
        lineage: Which checkpoints a session has: its own, and those it shares with its parents.
        message: Where a message is, by its number or id.
        conversation: Takes messages out of sessions, and returns them.
        scope: Whose sessions they are.
    """

    moment: Callable[[str], SessionMoment]
    lineage: Callable[[str], Sequence[SharedPart]]
    message: Callable[[str], MessageMoment]
    conversation: ConversationPort
    scope: Scope


@checked
class Checkpoints:
    """Keeps the states of files before an agent changes them, and puts them back.

    Args:
        parts: The records and the contents.
        sessions: What is asked about sessions.
        locks: The folder of the locks of roots.
    """

    def __init__(self, parts: CheckpointParts, sessions: SessionPorts, locks: Path) -> None:
        self._parts = parts
        self._sessions = sessions
        self._locks = locks
        self._capture = Capture(parts)
        self._planner = Planner(parts)
        self._rewinds = Rewinds(parts, locks, sessions.conversation)

    def take(
        self,
        session_id: str,
        root: Path | str,
        paths: Sequence[str] | None = None,
        label: str | None = None,
    ) -> Checkpoint:
        """Keep what paths are now, as a checkpoint by hand.

        Args:
            session_id: Whose.
            root: The folder.
            paths: Below it, absolute or relative; all if not given.
            label: What to call it.

        Raises:
            NotFound: the session or the root does not exist.
            Denied: a path leads out of the root.
            StoreError: it could not be stored.
        """
        cause = Cause(label=None if label is None else self._parts.redact(label))
        return self._before(session_id, root, paths, cause)

    @contextmanager
    def around(
        self,
        session_id: str,
        root: Path | str,
        paths: Sequence[str] | None = None,
        tool_name: str | None = None,
    ) -> Iterator[Checkpoint]:
        """Keep what paths are before the block, and what it leaves; also where it raises.

        Args and raises as `take`; ``tool_name`` is the tool that the block runs.
        """
        checkpoint = self._before(session_id, root, paths, Cause(kind="tool", tool_name=tool_name))
        try:
            yield checkpoint
        finally:
            self._capture.after(checkpoint)

    def _before(
        self, session_id: str, root: Path | str, paths: Sequence[str] | None, cause: Cause
    ) -> Checkpoint:
        moment, folder = self._sessions.moment(session_id), _folder(root)
        if paths is None and cause.kind == "manual":
            return self._capture.by_hand(moment, folder, cause)
        if paths is None:
            return self._capture.before_all(moment, folder, cause)
        return self._capture.before(moment, folder, paths, cause)

    def list(self, session_id: str) -> list[Checkpoint]:
        """Return the checkpoints of a session, oldest first; a fork has those of its parents."""
        lineage = self._sessions.lineage(session_id)
        return self._parts.database.read(
            lambda tx: list_checkpoints(tx, self._parts.tenant, lineage)
        )

    def recent(self, limit: int) -> tuple[Checkpoint, ...]:
        """Return the newest ``limit`` checkpoints of all sessions of the scope, oldest first."""
        scope = self._sessions.scope
        return tuple(self._parts.database.read(lambda tx: recent_checkpoints(tx, scope, limit)))

    def get(self, name: object) -> Checkpoint:
        """Return a checkpoint by its number or id.

        Raises:
            NotFound: the scope has none.
            InvalidInput: the text names none.
        """
        tenant = self._parts.tenant
        checkpoint = self._parts.database.read(lambda tx: find_checkpoint(tx, tenant, name))
        self._sessions.lineage(checkpoint.session_id)  # the scope has its session
        return checkpoint

    def files(self, checkpoint: Checkpoint) -> tuple[FileRecord, ...]:
        """Return what paths were when a checkpoint was taken, and what the tool left, by path.

        Of a whole root only those that changed since.
        """
        records = self._parts.database.read(lambda tx: records_of(tx, checkpoint))
        return tuple(self._capture.changed_since(checkpoint, records))

    def target(self, name: object, session_id: str | None = None) -> Checkpoint:
        """Return the checkpoint that a name means.

        Args:
            name: A checkpoint, by its number or id; a message, by its number or id: what files were
                before it was answered; or the id of a tool call: what they were before it.
            session_id: Of a message: the session or a fork of it; its own if not given.

        Raises:
            NotFound: the scope has no such thing, or no file was kept since.
        """
        text = f"c{name}" if str(name).isdecimal() else str(name)
        record = parse_record(text)
        if record is None:
            return self._before_call(text)
        if record.kind == "message":
            return self._since_message(text, session_id)
        try:
            return self.get(text)
        except NotFound:
            if record.id is None:
                raise
            return self._since_message(text, session_id)

    def _before_call(self, tool_use_id: str) -> Checkpoint:
        tenant = self._parts.tenant
        of = self._parts.database.read(lambda tx: find_tool_call(tx, tenant, tool_use_id))
        if of is None:
            hint = "name a checkpoint, a message, or the call of a tool that changed files"
            raise NotFound("no checkpoint has this name", hint=hint)
        return self.get(of.id)

    def _since_message(self, name: str, session_id: str | None) -> Checkpoint:
        message = self._sessions.message(name)
        whose = session_id or message.session_id
        if message.session_id in {part.session_id for part in self._sessions.lineage(whose)}:
            for each in self.list(whose):
                if each.seq >= message.seq:
                    return each
        hint = "choose a message after which a tool changed files"
        raise NotFound("the session has no checkpoint since the message", hint=hint)

    def rewinds(self, session_id: str) -> tuple[Rewind, ...]:
        """Return the rewinds of a session and of those it was forked from, oldest first."""
        ids = [part.session_id for part in self._sessions.lineage(session_id)]
        tenant = self._parts.tenant
        return tuple(self._parts.database.read(lambda tx: list_rewinds(tx, tenant, ids)))

    def recent_rewinds(self, limit: int) -> tuple[Rewind, ...]:
        """Return the newest ``limit`` rewinds of all sessions of the scope, oldest first."""
        scope = self._sessions.scope
        return tuple(self._parts.database.read(lambda tx: recent_rewinds(tx, scope, limit)))

    def state(self) -> CheckpointState:
        """Return whether what agent programs change is kept, and how much is."""
        parts = self._parts
        count, interrupted = parts.database.read(lambda tx: count_checkpoints(tx, parts.tenant))
        is_there = count > 0 and self._locks.parent.is_dir()  # a backup may lack the contents
        return CheckpointState(
            enabled=parts.is_enabled,
            roots=parts.roots,
            checkpoints=count,
            stored_bytes=parts.contents.usage().stored if is_there else 0,
            interrupted=interrupted,
        )

    def plan(
        self,
        checkpoint: Checkpoint | str | int,
        paths: Sequence[str] | None = None,
        on_conflict: ConflictChoices = "stop",
        *,
        session_id: str | None = None,
        actor: str | None = None,
        only_call: bool = False,
        conversation: bool = False,
    ) -> RewindPlan:
        """Return what going back to a checkpoint would do; writes nothing.

        Args:
            checkpoint: The moment: a checkpoint or what `target` takes.
            paths: Only these, and what is in them.
            on_conflict: What to do with paths that somebody else changed too: ``stop``, ``keep``
                them as they are, ``force`` them back, or ``merge``: take out only what the session
                did. One word for all, or by path, where the others are ``stop``.
            session_id: Whose changes; those of the session of the checkpoint if not given.
            actor: Only what this sub-agent changed.
            only_call: Only what the call changed that the checkpoint was taken for.
            conversation: Whether the messages since leave the session too: those after a
                checkpoint or the call of a tool, a message itself and what follows it.

        Raises:
            NotFound: the checkpoint does not exist, or its root does not any more.
            InvalidInput: a choice is unknown, or its path is not in the plan; or the session does
                not show the message that would be its last one.
        """
        target = self._checkpoint(checkpoint, session_id)
        scope = RewindScope(
            session_id=session_id or target.session_id,
            paths=None if paths is None else tuple(relative_paths(Path(target.root), paths)),
            on_conflict=on_conflict,
            actor=actor,
            only_call=only_call,
            after_seq=self._last_kept(checkpoint, target) if conversation else None,
        )
        return self._draft(target, scope).plan

    def rewind(
        self,
        checkpoint: Checkpoint | str | int,
        paths: Sequence[str] | None = None,
        on_conflict: ConflictChoices = "stop",
        *,
        session_id: str | None = None,
        actor: str | None = None,
        only_call: bool = False,
        conversation: bool = False,
        plan_id: str | None = None,
    ) -> Rewind:
        """Go back to a checkpoint, whole or not at all: `plan` and `apply` in one call.

        Args:
            checkpoint: As for `plan`, like all others.
            paths: As for `plan`.
            on_conflict: As for `plan`.
            session_id: As for `plan`.
            actor: As for `plan`.
            only_call: As for `plan`.
            conversation: As for `plan`.
            plan_id: Of the plan that was agreed to; any if not given.

        Raises:
            NotFound: the checkpoint does not exist, or its root does not any more.
            InvalidInput: as `plan`.
            RewindConflict: as `apply`.
            StoreError: as `apply`.
        """
        narrowed: dict[str, Any] = {"session_id": session_id, "actor": actor}
        narrowed |= {"only_call": only_call, "conversation": conversation}
        plan = self.plan(checkpoint, paths, on_conflict, **narrowed)
        return self.apply(plan if plan_id is None else msgspec.structs.replace(plan, id=plan_id))

    def _last_kept(self, name: Checkpoint | str | int, target: Checkpoint) -> int:
        """Return the seq of the last message that stays in the conversation."""
        record = parse_record(name)
        if record is None or record.kind == "checkpoint" or record.id == target.id:
            return target.seq
        return self._sessions.message(str(name)).seq - 1

    def _draft(self, target: Checkpoint, scope: RewindScope) -> RewindDraft:
        lineage = self._sessions.lineage(scope.session_id)
        records = self._parts.database.read(
            lambda tx: records_since(tx, self._parts.tenant, lineage, target.root, target.number)
        )
        records = self._capture.changed_since(target, scope.of(records, target))
        records = without_lost(records, self._parts.contents)
        last_seq = None
        if scope.after_seq is not None:
            conversation = self._sessions.conversation
            last_seq = conversation.last_seq(scope.session_id, scope.after_seq)
        return self._planner.draft(target, scope, records, last_seq)

    def apply(self, plan: RewindPlan) -> Rewind:
        """Do what a plan says, whole or not at all; it may have been elsewhere meanwhile.

        Raises:
            RewindConflict: the plan is another one now, or somebody else changed a path and it is
                to stop then; nothing is changed.
            Conflict: another program holds the session whose messages it takes out.
            StoreError: a file could not be written; what was changed is put back.
        """
        target = self.get(plan.checkpoint.id)

        def make() -> RewindDraft:
            draft = self._draft(target, plan.scope)
            if draft.plan.id != plan.id:
                message = "the plan is out of date"
                raise RewindConflict(message, hint="make a plan again", paths=draft.plan.conflicts)
            return draft

        moment = self._sessions.moment(plan.session_id)
        return self._rewinds.apply(target.root, make, moment)

    def undo(self, rewind_id: str, *, conversation: bool = True) -> Rewind:
        """Take back what a rewind did.

        Args:
            rewind_id: The rewind.
            conversation: Whether the messages that it took out return too.

        Raises:
            NotFound: it does not exist.
            Conflict: it was not finished, or another program holds its session.
            RewindConflict: a path was changed since, or the session has newer messages; nothing is
                changed.
        """
        return self._repeated(rewind_id, is_redo=False, conversation=conversation)

    def redo(self, rewind_id: str, *, conversation: bool = True) -> Rewind:
        """Repeat a rewind that was undone; arguments and errors as for `undo`."""
        return self._repeated(rewind_id, is_redo=True, conversation=conversation)

    def recover(self, root: Path | str) -> tuple[Rewind, ...]:
        """Put back what rewinds of a root changed that a crash cut off.

        Returns:
            Them; ``interrupted`` where somebody else changed a path since.
        """
        return tuple(self._rewinds.recover(str(_folder(root))))

    def fsck(self) -> FsckReport:
        """Read all that checkpoints of this tenant need, and return what is lost or damaged.

        Raises:
            StoreError: the records cannot be read.
        """
        return examine(self._parts)

    def collect(self) -> int:
        """Remove the contents that nothing needs for an hour; return how many.

        Raises:
            StoreError: they could not be removed.
        """
        parts = self._parts
        if not parts.has_contents():
            return 0
        return collect(parts.database, parts.contents.database, parts.clock)

    def recover_all(self) -> tuple[Rewind, ...]:
        """Put back what rewinds of any root changed that a crash cut off.

        A root that is gone, is in use or fails does not stop the others.

        Returns:
            Them as they ended; those of a root that failed are listed by `interrupted`.
        """
        ended: tuple[Rewind, ...] = ()
        for root in sorted({each.root for each in self.interrupted()}):
            with suppress(RecollectError):
                ended += tuple(self._rewinds.recover(root, patience_s=0.0))
        return ended

    def interrupted(self) -> tuple[Rewind, ...]:
        """Return the rewinds that a crash cut off and that are not put back, the newest first."""
        tenant = self._parts.tenant
        return tuple(self._parts.database.read(lambda tx: unfinished_rewinds(tx, tenant)))

    def resolve(self, rewind_id: str, choice: Resolution) -> Rewind:
        """End an interrupted rewind: keep what somebody else did to its paths since, or not.

        Args:
            rewind_id: The rewind.
            choice: ``keep`` its unresolved paths as they are, or ``force`` them back to what they
                were before it.

        Returns:
            The rewind as it ended; with ``force`` the one that put the paths back.

        Raises:
            NotFound: it does not exist.
            InvalidInput: the choice is none.
            Conflict: it is not interrupted.
            RewindConflict: what is there now cannot be kept, and so is not replaced.
            StoreError: a file could not be written.
        """
        of = self.get_rewind(rewind_id)
        return self._rewinds.resolve(of, choice, self._sessions.moment(of.session_id))

    def get_rewind(self, rewind_id: str) -> Rewind:
        """Return a rewind.

        Raises:
            NotFound: the scope has none.
        """
        of = self._parts.database.read(lambda tx: find_rewind(tx, self._parts.tenant, rewind_id))
        self._sessions.lineage(of.session_id)  # the scope has its session
        return of

    def _repeated(self, rewind_id: str, *, is_redo: bool, conversation: bool) -> Rewind:
        """Undo or redo a rewind; an undo is undone by repeating what it took back."""
        of = self.get_rewind(rewind_id)
        if of.status != "done":
            raise Conflict("only a finished rewind can be taken back", hint="look at its status")
        is_forward = is_redo != (of.type == "undo")
        first = of if of.type == "rewind" else self.get_rewind(of.target_id)
        moment = self._sessions.moment(of.session_id)
        return self._rewinds.repeat(
            first, "redo" if is_forward else "undo", moment, conversation=conversation
        )

    def _checkpoint(self, name: Checkpoint | str | int, session_id: str | None) -> Checkpoint:
        return name if isinstance(name, Checkpoint) else self.target(name, session_id)


def _folder(root: Path | str) -> Path:
    try:
        return Path(root).resolve(strict=True)
    except OSError as error:
        raise NotFound("the root does not exist", hint="check the path", path=str(root)) from error
