"""What a session costs in its prompts: its compactions, and the tokens of each message."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

import msgspec

from recollect.audience.people import People
from recollect.audience.visibility import Asker, Audience
from recollect.core.checks import check_count, checked
from recollect.sessions.context.compaction import Compaction, compactions_along
from recollect.sessions.context.size import Sizer
from recollect.sessions.policy.turns import heard_turns, resolved
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.lineage import segments, within
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.sessions.record.token_usage import MODEL, TokenUsage, read_usage
from recollect.sessions.record.transcript_rows import read_messages
from recollect.store.engine import Transaction

_NEAR = 64
"""Messages before a page in which a count of the provider is looked for first."""


class MessageTokens(msgspec.Struct, frozen=True, kw_only=True):
    """What a message costs.

    Attributes:
        seq: Of the message.
        role: Who says it.
        created_at: When it was said, ms UTC.
        model: The model that said it, where that is known.
        usage: What the provider counted for it; None where nothing is stored.
        tokens: What it costs in a prompt, by the counter of the memory.
        context: The size of the prompt with it in it: by the provider where it counted, else that
            of the message before and its own tokens. After a compaction it begins from the
            view that this left.
    """

    seq: int
    role: str
    created_at: int
    model: str | None
    usage: TokenUsage | None
    tokens: int
    context: int


@checked
class SessionCosts:
    """The part of the context window that says what a session costs."""

    _access: SessionAccess
    _people: People
    _sizer: Sizer

    def compactions(
        self, session_id: str, *, shared: bool = False, for_session: str | None = None
    ) -> list[Compaction]:
        """Return the compactions of a session, oldest first.

        Args:
            session_id: Which one.
            shared: Of a fork also those of its parents that it sees.
            for_session: On behalf of this session: only those made for whom it answers.

        Raises:
            NotFound: the scope has no such session.
        """

        def read(tx: Transaction, session: Session) -> list[Compaction]:
            along = self._compactions(tx, session, self._audience_of(tx, for_session))
            return [each for each in along if shared or each.session_id == session.id]

        return self._access.read_session(session_id, read)

    def usage(
        self,
        session_id: str,
        limit: int | None = None,
        *,
        after_seq: int | None = None,
        for_session: str | None = None,
    ) -> list[MessageTokens]:
        """Return what each message of a session costs, oldest first.

        Args:
            session_id: Which one; for a fork also the messages that it shares.
            limit: How many at most.
            after_seq: Only those with a greater seq.
            for_session: On behalf of this session: only the turns that it may hear.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: a number is not a whole number from 0.
        """
        check_count(limit, "a limit")
        check_count(after_seq, "a seq")
        scope, after = self._access.scope, after_seq or 0

        def read(tx: Transaction, session: Session) -> list[MessageTokens]:
            audience = self._audience_of(tx, for_session)
            turns = heard_turns(tx, session, audience)
            along = self._compactions(tx, session, audience)
            begin = max((each.last_seq for each in along if each.last_seq <= after), default=0)
            parts = within(segments(tx, session), begin, None)
            page = read_messages(tx, scope, within(parts, after, None), limit, turns=turns)
            earlier: list[Message] = []
            for most in (_NEAR, None):
                before = within(parts, 0, after + 1)
                earlier = read_messages(tx, scope, before, most, newest=True, turns=turns)
                if len(earlier) < _NEAR or any(read_usage(each.metadata) for each in earlier):
                    break
            return list(_counted([*earlier, *page], along, self._sizer))[len(earlier) :]

        return self._access.read_session(session_id, read)

    def _audience_of(self, tx: Transaction, for_session: str | None) -> Audience:
        scope = self._access.scope
        return resolved(tx, Asker(for_session), scope, self._people.at(tx, scope.tenant))

    def _compactions(
        self, tx: Transaction, session: Session, audience: Audience
    ) -> list[Compaction]:
        along = compactions_along(tx, self._access.scope, session)
        return [each for each in along if audience.hears(session, each.turn_sender)]


def _counted(
    messages: Iterable[Message], compactions: Iterable[Compaction], sizer: Sizer
) -> Iterator[MessageTokens]:
    """Yield the costs of messages that follow each other, the first after a compaction or none."""
    waiting, context = deque(sorted(compactions, key=lambda each: each.last_seq)), 0
    for message in messages:
        while waiting and waiting[0].last_seq < message.seq:
            context = waiting.popleft().tokens_after
        usage, tokens = read_usage(message.metadata), sizer.message(message)
        if usage is not None and usage.in_context:
            context = usage.in_context + usage.output
        else:
            context += tokens
        model = message.metadata.get(MODEL)
        yield MessageTokens(
            seq=message.seq,
            role=message.role,
            created_at=message.created_at,
            model=model if isinstance(model, str) else None,
            usage=usage,
            tokens=tokens,
            context=context,
        )
