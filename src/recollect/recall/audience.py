"""On whose behalf one searches and reads: what a session may hear, as the index understands it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

import msgspec

from recollect.audience.owner import OWNER_HINT, Owner
from recollect.audience.session_key import GROUPS
from recollect.audience.visibility import VisibilityGroup, visibility_group_of
from recollect.core.clock import MAX_MS, zone_of
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.index.model.document import OBSERVATIONS
from recollect.index.model.visibility import Audience, SeqRange, Spoken
from recollect.index.query.search_service import SearchOptions, source_names
from recollect.store.engine import Database, Transaction
from recollect.workspace.extra_paths import matches

if TYPE_CHECKING:  # imported with the first session or time that is asked for
    from recollect.index.query.said_within import SaidWithin
    from recollect.observations.controls import CaptureControls
    from recollect.observations.observations import Observations
    from recollect.sessions.sessions import Sessions

Asked: TypeAlias = "Callable[[], Sessions]"
"""Returns the sessions; called only where one of them is asked for."""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """On whose behalf something is asked.

    Attributes:
        session_id: In which session it is answered.
        sender: To whom; None for whose turn its newest message is.
        shared: The memory files that guests see: ``sessions.guests_read``.
        shares_observations: Whether guests and groups hear what the agent did for them.
    """

    session_id: str
    sender: str | None = None
    shared: tuple[str, ...] = ()
    shares_observations: bool = False

    def sees(self, path: str) -> bool:
        """Return whether a guest sees a memory file; paths are relative to the workspace."""
        return SharedFiles(self.shared)(path)


class SharedFiles(msgspec.Struct, frozen=True):
    """Tells which memory files guests see, by patterns of paths relative to the workspace."""

    patterns: tuple[str, ...]

    def __call__(self, path: str) -> bool:
        """Return whether a guest sees a memory file."""
        return any(matches(path, pattern) for pattern in self.patterns)


class Searched(Protocol):
    """Where a search looks up what it needs to know of the records."""

    def sessions(self) -> Sessions:
        """Return the sessions."""

    def observations(self) -> Observations:
        """Return the observations."""

    def capture(self) -> CaptureControls:
        """Return what knows the projects."""


class SearchQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What a search is asked; fields as the arguments of `Memory.search`."""

    limit: int | None
    min_score: float | None
    sources: Sequence[str] | None
    mode: str
    channel: str | None
    for_session: str | None
    for_sender: str | None
    since: int | datetime | str | None
    until: int | datetime | str | None
    types: Sequence[str] | None
    min_importance: float | None
    min_confidence: float | None

    def asking(self, settings: Settings) -> Asking | None:
        """Return on whose behalf is asked, see `asking_of`."""
        return asking_of(self.for_session, self.for_sender, settings)

    def options(
        self, seen: Scope, settings: Settings, records: Database, parts: Searched, now_ms: int
    ) -> SearchOptions:
        """Return how the index searches.

        Args:
            seen: What the caller sees.
            settings: Those in force.
            records: ``records.db``.
            parts: Where sessions, observations and projects are.
            now_ms: When it is asked, ms UTC.

        Raises:
            InvalidInput: a time cannot be understood, the span ends before it begins, or the
                sources are not a list.
            NotFound: the scope lacks the session, or the operator names a channel that no session
                is on.
        """
        searching, limit, least = settings.search, self.limit, self.min_score
        cites, reader = searching.citations, self.for_session or seen.session
        sessions, numbers = parts.sessions, None
        is_whole = seen.session is self.channel is None
        ranges = None if is_whole else ranges_of(sessions, seen.session, self.channel)
        if self.channel is not None and not ranges and self.for_session is None:
            require_channel(sessions(), self.channel)  # guests do not learn which there are
        if (self.types, self.min_importance) != (None, None):
            numbers = tuple(parts.observations().numbers(self.types, self.min_importance))
        return SearchOptions(
            limit=searching.limit if limit is None else limit,
            min_score=searching.min_score if least is None else least,
            sources=None if self.sources is None else source_names(self.sources),
            mode=self.mode,
            citations=shows_citations(cites, sessions, reader) if reader else cites != "off",
            audience=audience_of(sessions, self.asking(settings), records),
            ranges=ranges,
            projects=() if seen.project is None else parts.capture().projects.paths(seen.project),
            said=self._said(settings, now_ms),
            observations=numbers,
        )

    def _said(self, settings: Settings, now_ms: int) -> SaidWithin | None:
        """Return when what is looked for was said; None for any time."""
        if self.since is self.until is None:
            return None
        from recollect.index.query.said_within import SaidWithin
        from recollect.text.times.moments import read_span

        zone = zone_of(settings.sessions.time_zone)
        since, until = read_span(self.since, self.until, now_ms, zone)
        return SaidWithin.of(since or 0, MAX_MS + 1 if until is None else until, zone)


QUESTION = frozenset(SearchQuestion.__struct_fields__)


def asking_of(session_id: str | None, sender: str | None, settings: Settings) -> Asking | None:
    """Return on whose behalf is asked; None where it is the operator.

    Raises:
        InvalidInput: a sender is given without a session.
    """
    if session_id is None:
        _check_operator(sender)
        return None
    return Asking(
        session_id=session_id,
        sender=sender,
        shared=settings.sessions.guests_read,
        shares_observations=settings.observations.shared,
    )


def group_asking(
    sessions: Asked, session_id: str | None, sender: str | None
) -> VisibilityGroup | None:
    """Return the visibility group on whose behalf is asked; None where it is the operator.

    Raises:
        NotFound: the scope lacks the session.
        InvalidInput: a sender is given without a session, or cannot be an account.
    """
    if session_id is None:
        _check_operator(sender)
        return None
    return sessions().visibility_group(session_id, sender)


def _check_operator(sender: str | None) -> None:
    if sender is not None:
        raise InvalidInput("a sender needs a session", hint="give for_session with it")


def audience_of(sessions: Asked, asking: Asking | None, records: Database) -> Audience | None:
    """Return what a session may hear; None, everything, where the operator asks.

    Raises:
        NotFound: the scope lacks the session.
        InvalidInput: the sender cannot be an account.
    """
    if asking is None:
        return None
    found = sessions()
    group = found.visibility_group(asking.session_id, asking.sender)
    is_guests = group.is_private and not group.is_owners and asking.shared
    return Audience(
        visibility_group=group.name,
        sees_files=group.is_owners,
        shared=SharedFiles(asking.shared) if is_guests else None,
        withheld=() if group.is_owners or asking.shares_observations else (OBSERVATIONS,),
        spoken=lambda: records.read(lambda tx: _spoken(tx, found.scope.tenant, found.owner, group)),
    )


def _spoken(tx: Transaction, tenant: str, owner: Owner, group: VisibilityGroup) -> Spoken:
    from recollect.sessions.context.flushed_notes import folder_owners
    from recollect.sessions.policy.turns import heard_seqs

    folders = folder_owners(tx, tenant).items()
    notes = {path: None for path, who in folders if visibility_group_of(who, owner) == group}
    return {**heard_seqs(tx, tenant, owner, group), **notes}


def ranges_of(
    sessions: Asked, session_id: str | None, channel: str | None = None
) -> tuple[SeqRange, ...]:
    """Return which messages a session consists of, those that a fork shares included.

    Nothing where the scope lacks it.

    Args:
        sessions: Where it is.
        session_id: Which one; all sessions of the channel if not given.
        channel: Where it must be; any if not given.
    """
    if session_id is None:
        return tuple(SeqRange(session=each.id) for each in sessions().list(channel=channel))
    try:
        if channel not in {None, sessions().get(session_id).channel}:
            return ()
        parts = sessions().parts(session_id)
    except NotFound:
        return ()
    shared = [part for part in parts if part.session_id != session_id]
    return (
        *(SeqRange(session=part.session_id, last=part.last) for part in shared),
        # Without an end: a message that arrives just now is found too.
        SeqRange(session=session_id),
    )


def require_channel(sessions: Sessions, channel: str) -> None:
    """Refuse a channel that no session is on: it is mistyped, or nothing was said there yet.

    Raises:
        NotFound: the scope has no session of it.
    """
    names = sessions.channels()
    if channel not in names:
        hint = f"use one of {', '.join(names)}" if names else "leave it out: none has a session"
        raise NotFound("no session is on this channel", hint=hint)


def readable_paths(sessions: Asked, asking: Asking | None, paths: list[str]) -> list[str]:
    """Return those memory files of some that `check_may_read` lets somebody read.

    Raises:
        NotFound: the scope lacks the session.
        InvalidInput: the sender cannot be an account.
    """
    if asking is None:
        return paths
    group = sessions().visibility_group(asking.session_id, asking.sender)
    if group.is_owners:
        return paths
    return [path for path in paths if group.is_private and asking.sees(path)]


def check_may_read(sessions: Asked, asking: Asking, path: str) -> None:
    """Refuse memory files to whoever is not the owner; guests see what the settings share.

    Args:
        sessions: Where the session is.
        asking: On whose behalf.
        path: As hits name it.

    Raises:
        Denied: it is not for them.
        NotFound: the scope lacks the session.
        InvalidInput: the sender cannot be an account.
    """
    found = sessions()
    group = found.visibility_group(asking.session_id, asking.sender)
    if not group.is_private:
        raise Denied(
            "a group does not see memory files",
            hint="read them in a direct chat, or without for_session as their owner",
        )
    if group.is_owners or asking.sees(path):
        return
    shares = "share files with guests by sessions.guests_read"
    raise Denied(
        "a guest does not see memory files",
        hint=shares if found.owner.is_named else f"{OWNER_HINT}; or {shares}",
    )


def shows_citations(setting: str, sessions: Asked, session_id: str) -> bool:
    """Return whether hits are cited to a session.

    Args:
        setting: ``on``, ``off``, or ``auto``: unless the answer is read in a group chat.
        sessions: Where the session is.
        session_id: Which reads the answer.

    Raises:
        StoreError: the session cannot be read.
    """
    if setting != "auto":
        return setting == "on"
    try:
        return sessions().get(session_id).chat_type not in GROUPS
    except NotFound:  # then there is nothing to cite either
        return True
