"""Calls of tools that change files: a checkpoint before each, and what it left after it.

A checkpoint of a message of the user has no files of its own: it is a mark before the first call
that may change some. Nothing the session did lies between the two, so that going back to the mark
takes back the calls after it, and a message that changes nothing costs nothing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from recollect.checkpoints.capture.capture import (
    Capture,
    Cause,
    CheckpointParts,
    SessionMoment,
    Sight,
)
from recollect.checkpoints.capture.incoming import Incoming
from recollect.checkpoints.files.tools import FileTools, Reach
from recollect.checkpoints.files.tree import PathReading
from recollect.checkpoints.record.call_rows import calls_with, is_marked, open_calls
from recollect.checkpoints.record.rows import Checkpoint, Coverage, add_checkpoint
from recollect.core.errors import NotFound


class FileCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool that may change files.

    Attributes:
        session_id: The session.
        tool: The name of the tool.
        reach: What it may change.
        use_id: The id of the call.
        pair_id: Joins what is said before and after it; the id of the call if not given.
        actor: The sub-agent that calls; None for the session itself.
        folder: Where it runs, absolute.
    """

    session_id: str
    tool: str
    reach: Reach
    use_id: str | None = None
    pair_id: str | None = None
    actor: str | None = None
    folder: str | None = None

    @property
    def joined_by(self) -> str | None:
        """What finds its checkpoint again."""
        return self.pair_id or self.use_id


class FileCalls:
    """Takes the checkpoints of calls.

    Args:
        parts: The records and the contents.
        moment: Says where a session is.
        tools: Which tools change files.
        roots: The folders in which they are kept, see `roots_of`.
        incoming: What hooks kept while no worker answered.
    """

    def __init__(
        self,
        parts: CheckpointParts,
        moment: Callable[[str], SessionMoment],
        tools: FileTools,
        roots: Sequence[str],
        incoming: Incoming,
    ) -> None:
        self._parts, self._moment, self._capture = parts, moment, Capture(parts)
        self.tools: FileTools = tools
        self._roots = roots
        self._incoming = incoming

    def before(self, call: FileCall, until: int | None = None) -> int:
        """Keep what a call may change.

        Args:
            call: The call, which has not begun.
            until: When it begins at the earliest, ms UTC, see `Capture.before`.

        Returns:
            How many files it names that are below no root, and so are not kept.

        Raises:
            NotFound: the session or a root does not exist.
            StoreError: it could not be stored.
        """
        placed, outside = self._placed(call)
        with self._turn_of(call):
            if self._of(call):
                return 0  # it was said before
            for root, paths in placed.items():
                self._take(call, root, paths, until)
        return outside

    def after(self, call: FileCall, until: int | None = None) -> int:
        """Keep what a call left.

        Args:
            call: The call, which has ended.
            until: When the agent goes on at the earliest, ms UTC: what is there later may be
                another's. It waits if not given.

        Returns:
            As `before`, where that was not called.

        Raises:
            NotFound: the session or a root does not exist.
            StoreError: it could not be stored.
        """
        is_late = until is not None and self._parts.clock.now_ms() > until
        with self._turn_of(call):
            checkpoints, outside = self._of(call), 0
            if not checkpoints:
                placed, outside = self._placed(call)
                checkpoints = [self._take(call, *each, until=0) for each in placed.items()]
            for checkpoint in checkpoints:
                if checkpoint.coverage.ended_at is None:
                    self._end(checkpoint, call, is_late=is_late)
        return outside

    def discard(self, use_id: str | None) -> None:
        """Forget what a hook kept for a call."""
        self._incoming.discard(use_id)

    def close(self, session_id: str, actor: str | None = None, *, all_actors: bool = False) -> None:
        """End the calls of a session that were killed or refused: their end is never reported.

        Args:
            session_id: The session.
            actor: Only those of this sub-agent; None for the session itself.
            all_actors: Those of sub-agents too.
        """
        database, tenant = self._parts.database, self._parts.tenant
        for checkpoint in database.read(lambda tx: open_calls(tx, tenant, session_id)):
            if all_actors or checkpoint.actor == actor:
                with suppress(NotFound):
                    self._capture.close(checkpoint)

    def _turn_of(self, call: FileCall) -> threading.Lock:
        """Return what is held while a call is worked on; others may share it.

        A worker that hung hears of both its hooks at once.
        """
        turns = self._parts.turns
        return turns[hash(call.joined_by) % len(turns)]

    def _of(self, call: FileCall) -> list[Checkpoint]:
        """Return the checkpoints of a call; where its id may be another's too, those that run."""
        use_id, tenant = call.joined_by, self._parts.tenant
        if use_id is None:
            return []
        checkpoints = self._parts.database.read(
            lambda tx: calls_with(tx, tenant, call.session_id, use_id)
        )
        return [it for it in checkpoints if call.pair_id is None or it.coverage.ended_at is None]

    def _take(
        self, call: FileCall, root: str, paths: Sequence[str] | None, until: int | None
    ) -> Checkpoint:
        moment = msgspec.structs.replace(self._moment(call.session_id), actor=call.actor)
        cause = Cause(kind="tool", tool_name=call.tool, tool_use_id=call.joined_by)
        self._mark(moment, root)
        folder = Path(root)
        if paths is None:
            return self._capture.before_all(moment, folder, cause, Sight(until))

        def kept() -> Mapping[str, PathReading]:
            return _below(root, self._incoming.looks(call.joined_by, "before", paths))

        return self._capture.before(moment, folder, paths, cause, Sight(until, kept))

    def _end(self, checkpoint: Checkpoint, call: FileCall, *, is_late: bool) -> None:
        paths = checkpoint.coverage.paths or ()
        absolute = [f"{checkpoint.root}/{path}" for path in paths]
        looks = self._incoming.looks(call.joined_by, "after", absolute) if is_late else {}
        if looks:
            self._capture.left(checkpoint, _below(checkpoint.root, looks))
        elif is_late:
            self._capture.close(checkpoint)
        else:
            self._capture.after(checkpoint, call.use_id)
        self._incoming.discard(call.joined_by)

    def _mark(self, moment: SessionMoment, root: str) -> None:
        """Store the checkpoint of the last message of the user in a root, unless it is there."""
        if moment.user_message_id is None:
            return
        mark = Checkpoint(
            id=self._parts.ids.new(),
            number=0,
            session_id=moment.session_id,
            seq=moment.seq,
            user_message_id=moment.user_message_id,
            kind="message",
            label=None,
            actor=None,
            tool_name=None,
            tool_use_id=None,
            root=root,
            coverage=Coverage(paths=()),
            created_at=self._parts.clock.now_ms(),
        )
        tenant = self._parts.tenant
        self._parts.database.write(
            lambda tx: None if is_marked(tx, tenant, mark) else add_checkpoint(tx, tenant, mark)
        )

    def _placed(self, call: FileCall) -> tuple[Mapping[str, list[str] | None], int]:
        """Return what a call may change by root, and how much of it is below none."""
        if call.reach.paths is None:
            root = None if call.folder is None else self._root_of(os.path.realpath(call.folder))
            return ({}, 1) if root is None else ({root: None}, 0)
        placed: dict[str, list[str] | None] = {}
        outside = 0
        for path in call.reach.paths:
            whole = _whole(path, call.folder)
            root = None if whole is None else self._root_of(os.path.dirname(whole))
            if root is None or whole is None or ".git" in whole.lower().split("/"):
                outside += 1
                continue
            paths = placed.setdefault(root, []) or []
            placed[root] = [*paths, whole]
        return placed, outside

    def _root_of(self, folder: str) -> str | None:
        """Return the longest root that contains a folder."""
        inside = (each for each in self._roots if f"{folder}/".startswith(f"{each}/"))
        return next(inside, None)


def _whole(path: str, folder: str | None) -> str | None:
    """Return a path without links in its folders; None where it is not known from where it is."""
    joined = os.path.join(folder or "", os.path.expanduser(path))
    if not os.path.isabs(joined) or "\0" in joined:
        return None
    parent, name = os.path.split(os.path.normpath(joined))
    return os.path.join(os.path.realpath(parent), name)


def _below(root: str, looks: Mapping[str, PathReading]) -> dict[str, PathReading]:
    return {path.removeprefix(f"{root}/"): look for path, look in looks.items()}
