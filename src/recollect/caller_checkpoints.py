"""The checkpoints of a caller: those that it hears, and what it may do with them.

A token plans; what changes files is for the operator, unless the owner allows it to agents. A root
is never given by a program: it names one that the owner registered.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from recollect.caller import Caller
from recollect.checkpoints.record.rows import Checkpoint, Rewind
from recollect.checkpoints.rewind.plan import ConflictChoices, RewindPlan
from recollect.core.errors import Denied, NotFound, StoreError
from recollect.core.scope import Scope
from recollect.core.settings import user_path


class CallerCheckpoints:
    """What a caller does with checkpoints.

    Args:
        caller: Who asks.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._checkpoints = caller.memory.checkpoints

    def take(
        self,
        session: str,
        root: str | None,
        paths: Sequence[str] | None = None,
        label: str | None = None,
    ) -> Checkpoint:
        """Keep what paths are now.

        Args:
            session: An id or key.
            root: One that is registered; may be left out where only one is.
            paths: Below it; all if not given.
            label: What to call it.

        Raises:
            NotFound: the session is missing, or not for this token.
            Denied: the token is not the owner's, checkpoints are off, or no such root is
                registered.
        """
        if not self._caller.token.is_owners:
            raise Denied("only the owner's tokens take checkpoints", hint="use one of --as owner")
        folder = self._root(root)
        whose = self._caller.writable(self._caller.session(session))
        checkpoint = self._checkpoints.take(whose.id, folder, paths, label)
        self._caller.memory.audit.record("checkpoint.take", target=checkpoint.id)
        return checkpoint

    def list(self, session: str | None, limit: int) -> Sequence[Checkpoint]:
        """Return the newest checkpoints of a session, or of all, oldest first.

        Raises:
            NotFound: the session is missing, or not for this token.
            Denied: those of all sessions are for the owner's tokens.
        """
        if session is None:
            self._caller.require_operator()
            return self._checkpoints.recent(limit)
        checkpoints = self._checkpoints.list(self._caller.session(session).id)
        return checkpoints[-limit:] if limit else []

    def rewinds(self, session: str | None, limit: int) -> Sequence[Rewind]:
        """Return the newest rewinds of a session, or of all, oldest first; raises as `list`."""
        if session is None:
            self._caller.require_operator()
            return self._checkpoints.recent_rewinds(limit)
        rewinds = self._checkpoints.rewinds(self._caller.session(session).id)
        return rewinds[-limit:] if limit else ()

    def target(self, name: str, session: str | None = None) -> Checkpoint:
        """Return the checkpoint that a name means, see `Checkpoints.target`.

        Raises:
            NotFound: it is missing, or not for this token, with the same error.
        """
        whose = None if session is None else self._caller.session(session).id
        checkpoint = self._checkpoints.target(name, whose)
        if not self._caller.hears(checkpoint.session_id):
            raise NotFound("the checkpoint does not exist", hint="list those of a session")
        return checkpoint

    def plan(
        self,
        target: str,
        session: str | None = None,
        paths: Sequence[str] | None = None,
        on_conflict: ConflictChoices = "stop",
        **narrowed: Any,
    ) -> RewindPlan:
        """Return what going back would do; see `Checkpoints.plan` and `target`."""
        checkpoint = self.target(target, session)
        whose = self._caller.session(session or checkpoint.session_id)
        self._caller.writable(whose)
        return self._checkpoints.plan(target, paths, on_conflict, session_id=whose.id, **narrowed)

    def rewind(
        self,
        plan_id: str,
        target: str,
        session: str | None = None,
        paths: Sequence[str] | None = None,
        on_conflict: ConflictChoices = "stop",
        **narrowed: Any,
    ) -> tuple[RewindPlan, Rewind]:
        """Do what a plan says; the other arguments are those that it was made with.

        Raises:
            NotFound: as `plan`.
            Denied: the token may only plan.
            RewindConflict: the plan is another one now, or somebody else changed a path.
        """
        plan = self.plan(target, session, paths, on_conflict, **narrowed)
        self._require_apply()
        result = self._checkpoints.apply(msgspec.structs.replace(plan, id=plan_id))
        self._caller.memory.audit.record("rewind", target=result.id)
        return plan, result

    def reverse(self, rewind_id: str, *, is_redo: bool, conversation: bool = True) -> Rewind:
        """Take a rewind back, or repeat it; raises as `apply`, and NotFound as `target`."""
        of = self._checkpoints.get_rewind(rewind_id)
        if not self._caller.hears(of.session_id):
            raise NotFound("the rewind does not exist", hint="list those of a session")
        self._require_apply()
        again = self._checkpoints.redo if is_redo else self._checkpoints.undo
        result = again(of.id, conversation=conversation)
        self._caller.memory.audit.record("rewind", target=result.id)
        return result

    def _require_apply(self) -> None:
        caller, token = self._caller, self._caller.token
        is_operator = token.allows("admin") and token.scope == Scope(tenant=token.tenant)
        may_apply = caller.memory.settings.checkpoints.agents_may_apply
        if token.is_owners and (is_operator or may_apply):
            return
        with suppress(StoreError), caller.acting():
            caller.memory.audit.refused("rewind")
        hint = "let the owner run `recollect rewind`, or set checkpoints.agents_may_apply"
        raise Denied("the token may plan a rewind, and not do it", hint=hint)

    def _root(self, name: str | None) -> Path:
        settings = self._caller.memory.settings.checkpoints
        if not settings.enabled:
            hint = "let the owner run `recollect config set checkpoints.enabled true`"
            raise Denied("checkpoints are off", hint=hint)
        path = None if name is None else os.path.normpath(name)
        roots = [user_path(each) for each in settings.roots]
        matches = [each for each in roots if path in {None, str(each), str(each.resolve())}]
        if len(matches) != 1:
            hint = "name one that the owner registered with `recollect checkpoint roots --add DIR`"
            raise Denied("the root is not registered", hint=hint)
        return matches[0]
