"""Streaming: an answer that arrives in pieces is one message with one seq.

What arrived is stored again and again, marked as unfinished, so that a kill loses little; the end
of the stream takes the mark away. Every time the whole text is redacted, and only what is settled
of it, so that no half of a secret is ever stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec

from recollect.core.checks import checked
from recollect.core.clock import Clock
from recollect.core.errors import InvalidInput, RecollectError
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.content import ContentBlock, TextBlock, ThinkingBlock, parse_block
from recollect.sessions.record.draft import MAX_CONTENT_BYTES, Draft
from recollect.sessions.record.message import UNFINISHED, Message
from recollect.sessions.record.session import Session, require_living, require_session
from recollect.sessions.record.token_usage import TokenUsage, with_usage
from recollect.sessions.record.transcript_rows import (
    append_messages,
    find_message,
    rewrite_message,
)
from recollect.store.engine import Transaction

FLUSH_MS = 1_000
"""The first piece after this time stores what arrived."""
FLUSH_CHARS = 64 * 1024
"""So do this many characters, or half of what is there: a long answer costs few writes."""
REACH = 256
"""No rule sees farther than so many characters behind an unquoted secret."""
_LOOK_BACK = 4_096
"""Characters at the end that are redacted to find the settled part; no quoted value is longer."""
_MOST_CUTS = 4
_SENTENCE_END = re.compile(r"[.!?…][\"”’)\]]*\s+|[。！？][」』”]?|\n")
_WORD_END = re.compile(r"\s+|[，、；]")
_OPEN_QUOTE = re.compile(r"(?<!\w)'(?=\S)(?!.*\S'(?!\w))", re.DOTALL)
_OPEN_ELEMENT = re.compile(r"<([\w.:-]{1,64})(?:\s[^<>]*)?>(?!.*</\1)", re.DOTALL)
_BROKEN_WORD = re.compile(r"(?:[\w+/=.~-]*[\d_+/=-]|\w*[a-z][A-Z])\S*\s*\n\Z")
"""A line that ends in what may be a token, which the next line may go on with."""

Piece: TypeAlias = "str | ContentBlock | Mapping[str, Any]"
Make: TypeAlias = "Callable[[list[ContentBlock], Mapping[str, Any]], Draft]"


class GrowingMessage:
    """The row of one message that grows.

    Args:
        access: The records, and the scope that writes.
        session_id: Where it belongs.
        guard: Raises if the session was taken over by another program.
        turn_of: Whose turn it belongs to, as for `append_drafts`.
    """

    def __init__(
        self,
        access: SessionAccess,
        session_id: str,
        guard: Callable[[Transaction, Session], None],
        turn_of: str | None = None,
    ) -> None:
        self._access = access
        self._session_id = session_id
        self._guard = guard
        self._turn_of = turn_of
        self._first: Message | None = None
        self._is_taken = False
        """Another stream with the same event id came to its end before."""

    def save(self, draft: Draft, *, finished: bool) -> Message:
        """Store the message as far as it arrived, in one transaction, and return it.

        Raises:
            NotFound: the session is gone.
            Conflict: the session was deleted, or another program has taken it over.
            Denied: the event id is that of a message which the scope may not see.
            StoreError: the database refused.
        """
        # Under one id, also after an error that left open whether it was stored.
        first = self._first = self._first or draft.message
        draft = _with(draft, id=first.id, created_at=first.created_at)
        message = self._access.database.write(lambda tx: self._save(tx, draft, finished=finished))
        self._first = message
        if finished:
            self._access.mirror.notify()
        return message

    def _save(self, tx: Transaction, draft: Draft, *, finished: bool) -> Message:
        scope = self._access.scope
        session = require_living(tx, scope, self._session_id)
        self._guard(tx, session)
        message = find_message(tx, scope, draft.message.id)
        if message is None:
            # Tools are noted only when the answer is whole, so that their rows are made once.
            first = draft if finished else _empty(draft)
            (message,) = append_messages(tx, scope, session, [first], self._turn_of)
            is_new = message.id == draft.message.id
            if is_new and finished:
                return message
            self._is_taken = not is_new and UNFINISHED not in message.metadata
        if self._is_taken:
            return message
        if message.session_id != session.id:
            # It began before a fork or a reset, and ends where it began.
            session = require_session(tx, scope, message.session_id)
        rewrite_message(tx, session, message, draft, finished=finished)
        return find_message(tx, scope, message.id) or message


@checked
class MessageStream:
    """A message that arrives in pieces; a context manager. For one thread.

    Leaving the block stores the whole; leaving it by an error, or a kill, leaves what arrived
    before, with ``unfinished`` in its metadata. Where nothing arrived nothing is stored. The same
    event id again replaces an unfinished message, and changes nothing of a finished one.

    Args:
        growing: Where it is stored.
        make: Makes a draft of blocks and more metadata.
        redacted: Removes the secrets from a text.
        clock: Tells when to store.
    """

    def __init__(
        self, growing: GrowingMessage, make: Make, redacted: Callable[[str], str], clock: Clock
    ) -> None:
        self._growing = growing
        self._make = make
        self._redacted = redacted
        self._clock = clock
        self._blocks: list[ContentBlock] = []
        self._tail: list[str] = []
        """Pieces of the last block, which is a text or a thought."""
        self._settled = 0
        """The length up to which the last block is settled."""
        self._size = self._flushed = 0
        self._flushed_at = clock.now_ms()
        self._is_over = False
        self.message: Message | None = None
        """The message as it was stored last; None before that."""

    def __enter__(self) -> MessageStream:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self.finish()
            return
        with suppress(RecollectError):  # the error that ended the block is the one to raise
            self.flush()
        self._is_over = True

    def add(self, piece: Piece) -> None:
        """Take in a piece: more of the text, or a block such as a tool call.

        Texts follow each other without a break, and so do thinking blocks. Now and then what is
        there is stored, which takes a few ms.

        Raises:
            InvalidInput: the stream is over, it is not a block, or the message would be too large.
            StoreError: the database refused.
        """
        block = parse_block(piece)
        size = self._size + len(_text_of(block))
        if self._is_over or size > MAX_CONTENT_BYTES:
            wrong = "is over" if self._is_over else f"is larger than {MAX_CONTENT_BYTES} bytes"
            raise InvalidInput(f"the streamed message {wrong}", hint="begin another message")
        self._size = size
        self._take(block, goes_on=isinstance(piece, str) or isinstance(block, ThinkingBlock))
        new = self._size - self._flushed
        waited = self._clock.now_ms() - self._flushed_at
        if waited >= FLUSH_MS or new >= max(FLUSH_CHARS, self._flushed // 2):
            self.flush()

    def flush(self) -> None:
        """Store what arrived up to its last whole line or sentence, marked as unfinished.

        Of a long sentence all but its end is stored: see `settled_until`.

        Raises:
            Conflict: the session was deleted, or another program has taken it over.
            StoreError: the database refused.
        """
        self._flushed, self._flushed_at = self._size, self._clock.now_ms()
        blocks = self._all()
        if blocks and isinstance(blocks[-1], TextBlock | ThinkingBlock):
            text = _text_of(blocks[-1])
            self._settled = max(self._settled, settled_until(text, self._redacted))
            settled = text[: self._settled]
            blocks[-1:] = [_like(blocks[-1], settled)] if settled.strip() else []
        if blocks and not self._is_over:
            draft = self._make(blocks, {UNFINISHED: True})
            self.message = self._growing.save(draft, finished=False)

    def finish(
        self, *, usage: TokenUsage | Mapping[str, Any] | None = None, model: str | None = None
    ) -> Message | None:
        """Store the whole message and return it; None if nothing arrived. Again does nothing.

        Args:
            usage: Its cost, with the provider's own names.
            model: The model that said it, if that was not known at the beginning.

        Raises:
            Conflict: the session was deleted, or another program has taken it over.
            StoreError: the database refused.
        """
        blocks = self._all()
        if blocks and not self._is_over:
            draft = self._make(blocks, with_usage({}, model, usage))
            self.message = self._growing.save(draft, finished=True)
        self._is_over = True
        return self.message

    def _take(self, block: ContentBlock, *, goes_on: bool) -> None:
        last = self._blocks[-1] if self._blocks else None
        if goes_on and self._tail and type(last) is type(block):
            self._tail.append(_text_of(block))
            return
        self._blocks = self._all()
        self._blocks.append(block)
        self._settled = 0
        self._tail = [_text_of(block)] if isinstance(block, TextBlock | ThinkingBlock) else []

    def _all(self) -> list[ContentBlock]:
        """Return the blocks, the pieces of the last one put together."""
        if len(self._tail) > 1:
            self._tail = ["".join(self._tail)]
            self._blocks[-1] = _like(self._blocks[-1], self._tail[0])
        return list(self._blocks)


def settled_until(text: str, redacted: Callable[[str], str]) -> int:
    """Return the length of the beginning that no later text can make part of a secret.

    It ends with a line or a sentence, or with a word `REACH` characters before the end, where no
    quotation or element is open and what arrived since changes nothing of what is redacted.

    Args:
        text: The part of a text that has arrived.
        redacted: Takes the secrets out of a text.
    """
    begin = max(len(text) - _LOOK_BACK, 0)
    cuts = [cut for cut in _cuts(text, begin) if not _is_open(text, begin, cut)]
    whole = redacted(text[begin:]) if cuts else ""
    return next((cut for cut in cuts if whole.startswith(redacted(text[begin:cut]))), 0)


def _cuts(text: str, begin: int) -> list[int]:
    """Return the last ends of sentences, and of words that are far from the end, last first."""
    far = max(len(text) - REACH, begin)
    sentences = [match.end() for match in _SENTENCE_END.finditer(text, begin)]
    words = [match.end() for match in _WORD_END.finditer(text, max(far - REACH, begin), far)]
    return sorted({*sentences[-_MOST_CUTS:], *words[-_MOST_CUTS:]}, reverse=True)


def _is_open(text: str, begin: int, cut: int) -> bool:
    """Return whether a quotation, an element or a broken word goes on behind the cut."""
    line = text.rfind("\n", 0, cut - 1) + 1
    for opening, closing in ('""', "``", "“”", "«»"):
        opened, closed = text.count(opening, line, cut), text.count(closing, line, cut)
        if (opened % 2) if opening == closing else opened > closed:
            return True
    tail = text[max(line, begin) : cut]
    if _OPEN_QUOTE.search(tail) or _BROKEN_WORD.search(tail[-REACH:]):
        return True
    return bool(_OPEN_ELEMENT.search(text[max(cut - REACH, 0) : cut]))


def _text_of(block: ContentBlock) -> str:
    match block:
        case TextBlock():
            return block.text
        case ThinkingBlock():
            return block.thinking
        case _:
            return msgspec.json.encode(block).decode()


def _like(block: ContentBlock, text: str) -> ContentBlock:
    return TextBlock(text=text) if isinstance(block, TextBlock) else ThinkingBlock(thinking=text)


def _empty(draft: Draft) -> Draft:
    draft = msgspec.structs.replace(draft, encoded_content="[]")
    return _with(draft, blocks=(), text="", tokens=0, metadata={})


def _with(draft: Draft, **facts: object) -> Draft:
    message = msgspec.structs.replace(draft.message, **facts)
    return msgspec.structs.replace(draft, message=message)
