"""`Contexts`: the blocks that go into prompts without a request; `memory.context` is one.

The model does not request them, so only trusted text of this project and this audience goes in, and
each block is recorded.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, LiteralString, TypeAlias

import msgspec

from recollect.audience.visibility import Asker, Audience, Resolve, visibility_group_of
from recollect.core.checks import checked
from recollect.core.clock import Clock, IdSource, check_time
from recollect.core.errors import NotFound, StoreReadOnly
from recollect.core.scope import Scope
from recollect.core.settings import InjectionSettings
from recollect.index.model.document import OBSERVATIONS, SESSIONS
from recollect.recall.audience import Asked
from recollect.recall.context.assembly import assemble
from recollect.recall.context.block import (
    CLIENT_CHARS,
    WITH_TOOLS,
    BlockRequest,
    Candidate,
    ContextBlock,
    Reason,
    Room,
    check_request,
)
from recollect.recall.context.candidates import (
    observed_candidates,
    read_candidates,
    read_listed,
    read_relevant,
)
from recollect.recall.context.facts import loaded_words, read_facts, read_gone
from recollect.recall.context.injected import Injections
from recollect.recall.context.injections import (
    WHOLE,
    Injection,
    PromptState,
    add_injection,
    excluded_ids,
    fork_standing,
    numbers_in_files,
    standing,
)
from recollect.recall.context.order import Order
from recollect.recall.context.recalled import GetRetriever, recalled_candidates, recalled_for
from recollect.recall.context.said import Search, said_candidates, said_here, said_hits
from recollect.sessions.context.size import Sizer
from recollect.sessions.record.lineage import stored_ancestors
from recollect.sessions.record.session import Session
from recollect.store.columns import first_integer
from recollect.store.engine import Database, Transaction
from recollect.store.journal import last_change
from recollect.text.injected import boundary_of

if TYPE_CHECKING:  # imported with the first block that is read again
    from recollect.recall.context.rebuilt import ReadLines

_HITS = 50
"""Hits to search for a question."""
_CACHED = 64
_EPISODES: LiteralString = "SELECT count(*), coalesce(max(id), '') FROM episodes WHERE tenant = ?"

Made: TypeAlias = tuple[ContextBlock, str]
"""A block, and the name of the visibility group it was made for."""
_OFF = ContextBlock(empty_because="the setting context.enabled is off")
_NO_ANSWER = ContextBlock(empty_because="nothing that is not in the prompt yet answers it")
_NO_PROMPT = ContextBlock(empty_because="the setting context.prompt is off")
_NOT_YET = "nothing is known yet that this audience hears in this project"
_ALL_THERE = "the prompt has all of it"


class ContextParts(msgspec.Struct, frozen=True, kw_only=True):
    """What blocks are made with.

    Attributes:
        database: ``records.db``.
        clock: Dates injections.
        ids: Gives them their ids.
        sessions: Returns the sessions; called on first use.
        settings: The section ``context``.
        audience: Resolves what an asker hears.
        scope: That of the memory.
        sizer: Counts tokens.
        secret: The random bytes of the home that boundaries are made with.
        command: That of recollect in a shell, see `Room`.
        paths: Returns all paths of the project that has a path.
        cache: Whole blocks, by what they were made of.
    """

    database: Database
    clock: Clock
    ids: IdSource
    sessions: Asked
    settings: InjectionSettings
    audience: Resolve
    scope: Scope
    sizer: Sizer
    secret: bytes
    command: str
    paths: Callable[[str], Sequence[str]]
    cache: OrderedDict[object, ContextBlock] = msgspec.field(default_factory=OrderedDict)

    def new_session(
        self, project: str | None, key: str | None = None, *, owner: bool = False
    ) -> Session:
        """Return a session that does not exist yet; the owner's without a key."""
        session = self.sessions().preview(key, owner=owner)
        project = self.scope.project if project is None else project
        return msgspec.structs.replace(session, id="", project=project)

    def heard_in(self, tx: Transaction, session: Session, asker: Asker) -> Audience:
        """Return the audience of a session's prompt; where the operator asks, as its key says."""
        audience = self.audience(tx, asker)
        if audience.group is not None:
            return audience
        group = visibility_group_of(session, audience.owner)
        return msgspec.structs.replace(audience, group=group)


class _Reading(msgspec.Struct, frozen=True):
    """What a block is made of: the block itself where it is known, else its candidates."""

    about: object
    group: str
    block: ContextBlock | None
    found: list[Candidate] = []
    stands: PromptState = PromptState()


@checked
class Contexts(Injections):
    """Makes context blocks, and lists what was injected.

    Args:
        parts: The records, with their scope and audience.
        search: Finds what answers a question.
        retriever: Returns what recalls facts and episodes for one.
        read_lines: Reads lines of a memory file.
    """

    def __init__(
        self, parts: ContextParts, search: Search, retriever: GetRetriever, read_lines: ReadLines
    ) -> None:
        self._parts = parts
        self._database, self._clock = parts.database, parts.clock
        self._scope, self._audience, self._read_lines = parts.scope, parts.audience, read_lines
        self._search = search
        self._retriever = retriever

    def block(  # noqa: PLR0917  # as DESIGN has it
        self,
        session_id: str,
        query: str | None = None,
        budget_tokens: int | None = None,
        reason: Reason = "startup",
        client: str | None = None,
        for_sender: str | None = None,
        *,
        sources: Sequence[str] = (),
        since: int | datetime | None = None,
        record: bool = True,
    ) -> ContextBlock:
        """Return the block to put into a prompt of a session, and record that it was injected.

        At ``startup``, after ``clear`` and ``compact`` it is the whole block; at ``resume`` and
        ``fork`` what the prompt does not have yet. For a ``prompt`` it is what answers it, where
        the setting ``context.prompt`` is on: nothing below ``context.prompt_floor``, nothing that
        is in the window. Observations come only from the session's project, and only those it may
        hear. Where ``context.enabled`` is off, the block is empty without a question.

        Args:
            session_id: Whose prompt.
            query: A question; what answers it comes first. For a ``prompt``, the prompt.
            budget_tokens: Never more; ``context.budget_tokens`` if not given.
            reason: What happened.
            client: The program that reads it, see `CLIENT_CHARS` and `LOADED`.
            for_sender: Whom the session answers, as for `Memory.search`.
            sources: Kinds of memory whose texts may answer, as for `Memory.search`. Where none is
                given messages; for a ``prompt`` observations, if the setting is
                on.
            since: The time of the oldest message in the prompt, where the client reports it: later
                messages are left out. Blocks of earlier prompts are then gone.
            record: Whether it is injected; False for a preview.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: an argument is out of range.
            StoreError: the records cannot be read.
        """
        parts = self._parts
        session = parts.sessions().get(session_id)
        if session.status == "deleted":
            raise NotFound("the session was deleted", hint="restore it, or give another")
        asker = Asker(session.id, for_sender)
        asking = self._asking(session, asker, query, budget_tokens, reason=reason, client=client)
        at = None if since is None else check_time(since)
        asking = msgspec.structs.replace(asking, sources=tuple(sources), since=at)
        block, group = self._made(asking)
        if record and block.items:
            self._record(asking, block, group)
        return block

    __call__ = block

    def _made(self, asking: BlockRequest) -> Made:
        is_prompt = asking.reason == "prompt"
        if not self._parts.settings.enabled and (is_prompt or asking.query is None):
            return _OFF, ""
        return self._for_prompt(asking) if is_prompt else self._assembled(asking)

    def about(
        self,
        project: str | None = None,
        query: str | None = None,
        budget_tokens: int | None = None,
        *,
        for_session: str | None = None,
        key: str | None = None,
        owner: bool = False,
        client: str | None = None,
    ) -> ContextBlock:
        """Return the block for the first prompt of a new session; nothing is recorded.

        Args:
            project: The path where it would begin; that of the scope if not given. Any other than
                that of the scope gets an empty block.
            query: A question; what answers it comes first.
            budget_tokens: Never more; ``context.budget_tokens`` if not given.
            for_session: On behalf of this session: only what it may hear.
            key: The key it would begin with, which decides who hears it; the owner's if not given.
            owner: Whether a plain name is the owner's session, as for `Sessions.open`.
            client: The program that would read it, as for `block`.

        Raises:
            NotFound: the scope has no session ``for_session``.
            Denied: the key belongs to another owner than the scope's.
            InvalidInput: an argument is out of range.
            StoreError: the records cannot be read.
        """
        session = self._parts.new_session(project, key, owner=owner)
        asking = self._asking(session, Asker(for_session), query, budget_tokens, client=client)
        return self._made(asking)[0]

    def _asking(
        self,
        session: Session,
        asker: Asker,
        query: str | None,
        budget_tokens: int | None,
        *,
        reason: Reason = "startup",
        client: str | None = None,
    ) -> BlockRequest:
        parts = self._parts
        check_request(query, budget_tokens, reason, client)
        tokens = parts.settings.budget_tokens if budget_tokens is None else budget_tokens
        room = Room(
            tokens=min(tokens, parts.settings.prompt_tokens) if reason == "prompt" else tokens,
            chars=CLIENT_CHARS.get(client or ""),
            count=parts.sizer.text,
            boundary=boundary_of(session.id, parts.secret),
            layout=parts.settings.layout,
            more="" if client in WITH_TOOLS else parts.command,
        )
        return BlockRequest(
            session=session,
            asker=asker,
            query=query if query and query.strip() else None,
            reason=reason,
            client=client,
            room=room,
        )

    def _assembled(self, asking: BlockRequest) -> Made:
        """Return a block; a whole one comes from the cache where nothing was stored since.

        Its audience, its parts and its cache key are read in one snapshot.
        """
        parts, room, session = self._parts, asking.room, asking.session
        relevance, projects = self._asked(asking), self._projects(session)
        is_whole, has_query = asking.reason in WHOLE, bool(asking.query)
        recalled = recalled_for(self._retriever, asking) if has_query else None
        said_in = asking.sources or (SESSIONS,)
        spoken = said_hits(self._search, asking, parts.scope, said_in, None) if has_query else []
        state_of = fork_standing if asking.reason == "fork" else standing
        loaded = loaded_words(asking.client, projects)

        def unit(tx: Transaction) -> _Reading:
            order = self._order(tx, asking, projects, relevance)
            order = msgspec.structs.replace(order, loaded=loaded)
            group = order.audience.name
            numbers = numbers_in_files(tx, parts.scope.tenant, asking.client)
            never = excluded_ids(tx, parts.scope.tenant)
            stand = (last_change(tx), _episodes(tx, parts.scope), numbers, loaded, never)
            about = (session.id, group, room.tokens, room.chars, projects, stand)
            block = parts.cache.get(about) if is_whole and not has_query else None
            if block is not None:
                return _Reading(about, group, block)
            facts, candidates = self._read(tx, order)
            candidates = [
                each
                for each in candidates
                if each.kind != "observation" or each.number not in numbers
            ]
            if recalled is not None:
                candidates += recalled_candidates(tx, order, recalled, candidates)
            there = {each.id for each in candidates}
            candidates += (each for each in facts if each.id not in there)
            if recalled is not None:
                candidates += said_here(tx, order, spoken, candidates)
            candidates = [each for each in candidates if each.id not in never]
            return _Reading(about, group, None, candidates, state_of(tx, session, group))

        reading = parts.database.read(unit)
        if reading.block is not None:
            return reading.block, reading.group
        if is_whole:
            block = assemble(reading.found, room, has_query=has_query, before=reading.stands.ids)
            block = block if reading.found else ContextBlock(empty_because=_NOT_YET)
            if not has_query:
                self._keep(reading.about, block)
            return block, reading.group
        new = [each for each in reading.found if reading.stands.is_news(each)]
        block = assemble(new, room, has_query=has_query)
        return block if new else ContextBlock(empty_because=_ALL_THERE), reading.group

    def _read(self, tx: Transaction, order: Order) -> tuple[list[Candidate], list[Candidate]]:
        """Return what is known, and what else may be in a whole block."""
        if self._parts.settings.layout == "list":
            return [], read_listed(tx, order)
        return read_candidates(tx, order, list(read_facts(tx, order)), read_gone(tx, order))

    def _keep(self, about: object, block: ContextBlock) -> None:
        cache = self._parts.cache
        cache[about] = block
        while len(cache) > _CACHED:
            with suppress(KeyError):  # another thread was faster
                cache.popitem(last=False)

    def _for_prompt(self, asking: BlockRequest) -> Made:
        settings = self._parts.settings
        sources = asking.sources or ((OBSERVATIONS,) if settings.prompt else ())
        relevance = self._relevance(asking) if OBSERVATIONS in sources else {}
        relevance = {
            id_: score for id_, score in relevance.items() if score >= settings.prompt_floor
        }
        others = [each for each in sources if each != OBSERVATIONS]
        spoken = said_hits(self._search, asking, self._parts.scope, others, settings.prompt_floor)
        if not (relevance or spoken):
            return _NO_ANSWER if sources else _NO_PROMPT, ""
        window_ids, since = self._window(asking)
        projects = self._projects(asking.session)

        def unit(tx: Transaction) -> tuple[list[Candidate], str]:
            order = self._order(tx, asking, projects, relevance)
            group = order.audience.name
            stands = standing(tx, asking.session, group).ids if asking.since is None else ()
            there = window_ids.union(stands, excluded_ids(tx, self._parts.scope.tenant))
            numbers = numbers_in_files(tx, self._parts.scope.tenant, asking.client)

            def is_new(id_: str, session_id: str | None, at: int) -> bool:
                return id_ not in there and not (session_id in order.lineage and at >= since)

            fresh = [
                each
                for each in read_relevant(tx, order)
                if is_new(each.id, each.session_id, each.created_at)
                and each.message_id not in there
                and each.number not in numbers
            ]
            hits = [hit for hit in spoken if is_new(hit.ref, hit.session_id, hit.at)]
            return [*observed_candidates(fresh, order), *said_candidates(tx, order, hits)], group

        answers, group = self._parts.database.read(unit)
        return assemble(answers, asking.room, has_query=True) if answers else _NO_ANSWER, group

    def _window(self, asking: BlockRequest) -> tuple[frozenset[str], int]:
        """Return the messages that a prompt holds, as far as they are known, and since when."""
        if asking.since is not None:
            return frozenset(), asking.since
        window = (
            self._parts.sessions().view(asking.session.id, for_sender=asking.asker.sender).messages
        )
        since = min((message.created_at for message in window), default=0)
        return frozenset(message.id for message in window), since

    def _relevance(self, asking: BlockRequest) -> dict[str, float]:
        if asking.query is None:
            return {}
        scope = self._parts.scope
        if scope.project is None:
            scope = msgspec.structs.replace(scope, project=asking.session.project)
        result = self._search(
            asking.query,
            _HITS,
            sources=[OBSERVATIONS],
            scope=scope,
            for_session=asking.asker.session_id,
            for_sender=asking.asker.sender,
        )
        return {hit.ref: hit.score for hit in result.hits}

    def _asked(self, asking: BlockRequest) -> dict[str, float]:
        """Return the relevance of observations as a share of the best: scores of short lines."""
        scores = self._relevance(asking)
        best = max(scores.values(), default=0.0) or 1.0
        return {id_: score / best for id_, score in scores.items()}

    def _order(
        self,
        tx: Transaction,
        asking: BlockRequest,
        projects: tuple[str, ...],
        relevance: dict[str, float],
    ) -> Order:
        session = asking.session
        return Order(
            scope=self._parts.scope,
            projects=projects,
            audience=self._parts.heard_in(tx, session, asking.asker),
            types=self._parts.settings.types,
            lineage=frozenset({session.id, *(kin.id for kin, _ in stored_ancestors(tx, session))}),
            relevance=relevance,
        )

    def _projects(self, session: Session) -> tuple[str, ...]:
        return () if session.project is None else tuple(self._parts.paths(session.project))

    def _record(self, asking: BlockRequest, block: ContextBlock, group: str) -> None:
        parts, session = self._parts, asking.session
        injection = Injection(
            id=parts.ids.new(),
            session_id=session.id,
            visibility_group=group,
            reason=asking.reason,
            client=asking.client,
            query_digest=None if asking.query is None else self._digest(asking.query),
            tokens=block.tokens,
            chars=block.chars,
            dropped=block.dropped,
            at=parts.clock.now_ms(),
            tenant=session.tenant,
            agent=session.agent,
            user=session.user,
            project=session.project,
            budget=asking.room.tokens,
            items=block.items,
        )
        with suppress(StoreReadOnly):  # the agent gets its block all the same
            parts.database.write(lambda tx: add_injection(tx, injection))

    def _digest(self, query: str) -> str:
        query_bytes = query.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(query_bytes, digest_size=16, key=self._parts.secret[:64]).hexdigest()


def _episodes(tx: Transaction, scope: Scope) -> tuple[int, object]:
    row = tx.row(_EPISODES, (scope.tenant,))
    return first_integer(row), row and row[1]
