"""Drafts: messages that are checked, cleaned, redacted and encoded, and only lack their position.

All the work that needs no database is done here, on the caller's thread, so that the unit of work
which stores the draft is a few inserts. Nothing leaves this module that was not redacted.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar

import msgspec

from recollect.audience.account import sender_of
from recollect.core.checks import MAX_LABEL_CHARS, check_event_id
from recollect.core.clock import Clock, IdSource, check_time
from recollect.core.errors import InvalidInput
from recollect.sessions.record.content import (
    ANSWER,
    RECALLED,
    Content,
    ContentBlock,
    IsRecall,
    TextBlock,
    ToolResultBlock,
    calls_of_ours,
    emptied,
    is_answer,
    never,
    parse_content,
    readable_text,
    recalled_in,
    rewritten,
    spoken,
)
from recollect.sessions.record.message import ROLES, Message
from recollect.text.json_value import JsonCleaner, JsonValue
from recollect.text.tokens import estimate_tokens

MAX_CONTENT_BYTES = 16 * 1024 * 1024
"""Largest content of a message, as JSON. Ten megabytes of tool output are real; more is a file."""
MAX_METADATA_BYTES = 256 * 1024
"""Largest metadata, as JSON."""

_TEXTS = (str, bytes)
T = TypeVar("T")
FOREIGN = "foreign"
"""The key in metadata for the rest of an imported line beside its message."""
REPLACED = "replaced_characters"
"""The key in a message's metadata with the number of characters that were replaced."""


class TextRedactor(Protocol):
    """Removes secrets; the result may be stored."""

    def text(self, text: str) -> str:
        """Return ``text`` without secrets."""

    def value(self, value: JsonValue) -> JsonValue:
        """Return a JSON value without secrets; a key may mark its value as one."""

    def identifier(self, text: str) -> str:
        """Return an id, or a keyed hash of it if it holds a secret; equal ids stay equal."""

    def path(self, path: str, /) -> str:
        """Return a path without secrets; equal paths stay equal."""

    def session(
        self, name: str, make: Callable[[TextRedactor], T], *, is_current: bool = True
    ) -> T:
        """Return the result of ``make``, given a redactor that knows the secrets of a session."""


class Draft(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message that can be stored as it is.

    Attributes:
        message: What it becomes; its owner, session and seq are not known yet.
        encoded_content: The content as JSON; a single text block as a JSON text.
        encoded_metadata: The metadata as JSON.
    """

    message: Message
    encoded_content: str
    encoded_metadata: str


class DraftMaker:
    """Makes drafts of what callers and importers pass.

    Args:
        clock: Tells when a message is stored, and when it was said if that is not given.
        ids: Gives the messages their ids.
        redactor: Removes secrets; None stores texts unchanged.
        is_recall: Recognises calls to this memory: their results are not stored again.
    """

    def __init__(
        self,
        clock: Clock,
        ids: IdSource,
        redactor: TextRedactor | None,
        is_recall: IsRecall = never,
    ) -> None:
        self._clock = clock
        self._ids = ids
        self._redactor = redactor
        self.path: Callable[[str], str] = str if redactor is None else redactor.path
        """Returns the path of a file as it is stored and shown: without secrets."""
        self._is_recall = is_recall

    def message(
        self,
        role: str,
        content: Content,
        *,
        name: str | None = None,
        at: int | datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        event_id: str | None = None,
        foreign_id: str | None = None,
        is_checked: bool = False,
        is_clean: bool = False,
        sender: str | None = None,
    ) -> Draft:
        """Return the draft of one message.

        With ``is_checked`` the importer has already made the event id, sender and time storable;
        with ``is_clean`` the rest comes from a line for which `is_clean_json` is true.

        Raises:
            InvalidInput: an unknown role, content that is neither text nor blocks or is larger than
                `MAX_CONTENT_BYTES`, a time outside 1970 to 9999, a sender that cannot be one, facts
                that are not JSON, or an event id or sender with a secret.
        """
        now = self._clock.now_ms()
        cleaner = None if is_clean else JsonCleaner()
        blocks = self._blocks(content, cleaner)
        name = None if name is None else self.label(name, "name", cleaner)
        facts = self._facts(metadata or {}, cleaner)
        if cleaner is not None and cleaner.replaced:
            facts[REPLACED] = cleaner.replaced
        if role == "tool" or len(blocks) != 1 or type(blocks[0]) is not TextBlock:
            blocks, facts = self._without_recalled(role, name, blocks, facts)
        encoded, text = encoded_content(blocks, facts)
        if event_id is not None and not is_checked:
            event_id = self.checked(check_event_id(event_id), "event id")
        if sender is not None:
            sender = sender_of(sender)
            sender = sender if is_checked else self.checked(sender, "sender")
        if at is None or not (is_checked and isinstance(at, int)):
            at = now if at is None else check_time(at)
        message = Message(
            id=self._ids.new(),
            tenant="",
            session_id="",
            seq=0,
            role=check_role(role),
            name=name,
            blocks=blocks,
            text=text,
            tokens=estimate_tokens(text),
            created_at=at,
            recorded_at=now,
            metadata=facts,
            event_id=event_id,
            foreign_id=foreign_id,
            sender=sender,
        )
        return Draft(message=message, encoded_content=encoded, encoded_metadata=encode_facts(facts))

    def session(self, name: str, make: Callable[[DraftMaker], T], *, is_current: bool = True) -> T:
        """Return the result of ``make``, given a maker that knows the secrets of a session.

        A value that a rule recognises in one of the drafts is removed from all of them, and from
        all later ones of the session.

        Args:
            name: The id of the session, see `recollect.store.recognised.session_name`.
            make: May be called twice, and changes nothing.
            is_current: As for `SecretRedactor.session`.
        """
        redactor = self._redactor
        if redactor is None:
            return make(self)

        def bound(redactor: TextRedactor) -> T:
            return make(DraftMaker(self._clock, self._ids, redactor, self._is_recall))

        return redactor.session(name, bound, is_current=is_current)

    def label(self, text: object, what: str, cleaner: JsonCleaner | None = None) -> str:
        """Return a title or name that can be stored.

        Raises:
            InvalidInput: it is not a text, or longer than `MAX_LABEL_CHARS`.
        """
        if not isinstance(text, str) or len(text) > MAX_LABEL_CHARS:
            raise InvalidInput(
                f"the {what} must be a text of at most {MAX_LABEL_CHARS} characters",
                hint="shorten it; long facts belong into metadata",
            )
        # As a value: the same few names and folders recur, and the redactor caches values.
        label: str = self._redacted_value((cleaner or JsonCleaner()).text(text))
        return label

    def facts(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Return metadata that can be stored.

        Raises:
            InvalidInput: it is not a JSON object, or larger than `MAX_METADATA_BYTES`.
        """
        facts = self._facts(metadata, JsonCleaner())
        encode_facts(facts)
        return facts

    def _facts(self, metadata: Any, cleaner: JsonCleaner | None) -> dict[str, Any]:
        if not isinstance(metadata, Mapping):
            raise InvalidInput("metadata must be a JSON object", hint="pass a dict with text keys")
        if not metadata:
            return {}
        facts: dict[str, Any] = dict(metadata) if cleaner is None else cleaner.value(metadata)
        if facts and self._redactor is not None:
            facts = self._redactor.value(facts)
        return facts

    def _blocks(self, content: Content, cleaner: JsonCleaner | None) -> tuple[ContentBlock, ...]:
        if isinstance(content, _TEXTS):
            _check_size(len(content))
            text: Any = content if cleaner is None else cleaner.value(content)
            return (TextBlock(text=self.redacted(text)),)
        plain = content if cleaner is None else _plain(content)
        if cleaner is not None and isinstance(plain, Mapping | Sequence):  # no number, say
            plain = cleaner.value(plain)
        blocks = parse_content(plain)
        return tuple(rewritten(block, self.redacted, self._redacted_value) for block in blocks)

    def _without_recalled(
        self, role: str, name: str | None, blocks: tuple[ContentBlock, ...], facts: dict[str, Any]
    ) -> tuple[tuple[ContentBlock, ...], dict[str, Any]]:
        """Return a message without the results of this memory, and its metadata with their ids.

        Results without a name are recognised when they are stored, see `without_answers`.
        """
        if role == "tool" and name is not None and self._is_recall(name, None):
            return _emptied(blocks, blocks, facts)
        calls = calls_of_ours(blocks, self._is_recall)
        answers = [each for each in blocks if is_answer(each, calls, self._is_recall)]
        if not calls and not answers:
            return blocks, facts
        return _emptied(blocks, answers, facts, calls)

    def blocks(self, content: Content) -> tuple[ContentBlock, ...]:
        """Return the blocks of a content, as they are stored.

        Raises:
            InvalidInput: it is neither text nor blocks, or too large.
        """
        return self._blocks(content, JsonCleaner())

    def recalled(self, blocks: Iterable[ContentBlock]) -> list[str]:
        """Return the ids of the calls to this memory among some blocks."""
        return calls_of_ours(blocks, self._is_recall)

    def redacted(self, text: str) -> str:
        """Return a text without secrets."""
        return text if self._redactor is None else self._redactor.text(text)

    def checked(self, text: str, what: str) -> str:
        """Return a caller's key or id, which is stored and compared unchanged.

        Raises:
            InvalidInput: it holds a secret.
        """
        if self.identifiers({what: text})[what] != text:
            raise InvalidInput(
                f"the {what} must not hold a secret",
                hint="use one without it; keys and ids are stored as they are",
            )
        return text

    def identifiers(self, ids: dict[str, str | None]) -> dict[str, str | None]:
        """Return foreign ids as they are stored: a keyed hash of each that holds a secret."""
        return {name: text and self.identifier(text) for name, text in ids.items()}

    def identifier(self, text: str) -> str:
        """Return a foreign id as it is stored: a keyed hash of it where it holds a secret."""
        return text if self._redactor is None else self._redactor.identifier(text)

    def _redacted_value(self, value: JsonValue) -> JsonValue:
        return value if self._redactor is None else self._redactor.value(value)


def check_role(role: str) -> str:
    """Return ``role``.

    Raises:
        InvalidInput: it is none of `ROLES`; the hint names the nearest.
    """
    if role in ROLES:
        return role
    near = difflib.get_close_matches(str(role).lower(), ROLES, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise InvalidInput("unknown role of a message", hint=f"{hint}Use one of {', '.join(ROLES)}.")


def encode_facts(facts: Mapping[str, Any]) -> str:
    """Return metadata as JSON.

    Raises:
        InvalidInput: it is larger than `MAX_METADATA_BYTES`.
    """
    if not facts:
        return "{}"
    encoded = msgspec.json.encode(facts)
    if len(encoded) > MAX_METADATA_BYTES:
        raise InvalidInput(
            f"metadata is larger than {MAX_METADATA_BYTES} bytes",
            hint="keep large things in files, and their paths in metadata",
        )
    return encoded.decode()


def without_answers(draft: Draft, calls: Collection[str]) -> Draft:
    """Return a draft without the results of calls to this memory, given their ids."""
    message = draft.message
    answers = [each for each in message.blocks if is_answer(each, calls)]
    blocks, facts = _emptied(message.blocks, answers, message.metadata)
    encoded, text = encoded_content(blocks, facts)
    tokens = estimate_tokens(text)
    return Draft(
        message=msgspec.structs.replace(
            message, blocks=blocks, text=text, tokens=tokens, metadata=facts
        ),
        encoded_content=encoded,
        encoded_metadata=encode_facts(facts),
    )


def _emptied(
    blocks: tuple[ContentBlock, ...],
    answers: Collection[ContentBlock],
    facts: Mapping[str, Any],
    calls: Collection[str] = (),
) -> tuple[tuple[ContentBlock, ...], dict[str, Any]]:
    """Return a message with empty results, and its metadata without copies of them."""
    ids = [each.tool_use_id or "" for each in answers if isinstance(each, ToolResultBlock)]
    metadata = {key: value for key, value in facts.items() if not (answers and key == FOREIGN)}
    recalled = sorted({*recalled_in(facts), *calls, *ids})
    emptied_blocks = tuple(emptied(each) if each in answers else each for each in blocks)
    return emptied_blocks, {**metadata, RECALLED: recalled}


def encoded_content(blocks: tuple[ContentBlock, ...], facts: Mapping[str, Any]) -> tuple[str, str]:
    """Return the content as JSON, and its readable text; ``facts`` are its metadata."""
    match blocks:
        case (TextBlock(text=text),):
            encoded = msgspec.json.encode(text)
            text = "" if blocks[0] == ANSWER else text
        case _:
            encoded = msgspec.json.encode(blocks)
            readable = spoken(blocks, recalled_in(facts)) if RECALLED in facts else blocks
            text = readable_text(readable)
    _check_size(len(encoded))
    return encoded.decode(), text


def _check_size(size: int) -> None:
    if size > MAX_CONTENT_BYTES:
        raise InvalidInput(
            f"the content of a message is larger than {MAX_CONTENT_BYTES} bytes",
            hint="keep large things in files, and say in the message where they are",
            size=size,
        )


def _plain(content: Content) -> Any:
    """Return blocks of ours as JSON, so that they are cleaned as well."""
    if isinstance(content, list | tuple):
        return [_json_of(item) for item in content]
    return _json_of(content)


def _json_of(block: object) -> object:
    return msgspec.to_builtins(block) if isinstance(block, msgspec.Struct) else block
