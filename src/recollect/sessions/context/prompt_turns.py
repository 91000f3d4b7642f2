"""Prompt turns: the messages of a view in the order in which every provider takes them.

Each call of a tool has an id of its own, its one result comes right after the turn that asked, and
a result without a call becomes text. Nothing of it is stored; it depends on no provider.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from recollect.sessions.record.content import (
    ContentBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    readable_text,
)
from recollect.sessions.record.message import Message

Speaker = Literal["system", "user", "assistant", "tool"]

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""The ids of calls that both OpenAI (40 characters) and Anthropic (these letters) accept."""
NO_RESULT = "no result was recorded"


class PromptTurn(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a prompt that one message adds; for a ``tool``, all results of the turns before.

    Attributes:
        role: Who speaks.
        blocks: Of a ``tool`` only results, of an ``assistant`` none.
        message: The message; None for a ``tool``.
    """

    role: Speaker
    blocks: tuple[ContentBlock, ...]
    message: Message | None = None


class _Call:
    """A call with its index, the id that it has in the prompt, and its results."""

    def __init__(self, message: Message, position: int, block: ToolUseBlock, *, is_taken: bool):
        self.block = block
        self.results: list[ToolResultBlock] = []
        self.id = block.id or ""
        if is_taken or not _ID.fullmatch(self.id):
            digest = hashlib.blake2b(f"{message.id} {position}".encode(), digest_size=12)
            self.id = f"call_{digest.hexdigest()}"

    def result(self) -> ToolResultBlock:
        """Return the result of the call, or an error that says there is none."""
        if not self.results:
            content = (TextBlock(text=NO_RESULT),)
            return ToolResultBlock(tool_use_id=self.id, content=content, is_error=True)
        return ToolResultBlock(
            tool_use_id=self.id,
            content=tuple(block for result in self.results for block in result.content),
            is_error=all(result.is_error for result in self.results),
        )


def turns_of(messages: Sequence[Message]) -> list[PromptTurn]:
    """Return the turns of messages, oldest first.

    Calls of the last turn that nothing follows stay open, as the program is about to answer them;
    any other call without a result gets one that says so.
    """
    book = _Book(messages)
    turns: list[PromptTurn] = []
    calls: list[_Call] = []
    for index, message in enumerate(messages):
        role = _speaker(message)
        if calls and role != "assistant":
            turns.append(_answers(calls))
            calls = []
        blocks = tuple(book.visible_blocks(index, role))
        calls += book.calls_of(index)
        if blocks:
            turns.append(PromptTurn(role=role, blocks=blocks, message=message))
    if any(call.results for call in calls):
        turns.append(_answers(calls))
    return turns


def _answers(calls: Sequence[_Call]) -> PromptTurn:
    return PromptTurn(role="tool", blocks=tuple(call.result() for call in calls))


def _speaker(message: Message) -> Speaker:
    if message.role in {"system", "assistant"}:
        return "system" if message.role == "system" else "assistant"
    return "user"  # what a tool says without a call comes from the program


class _Book:
    """Which result answers which call, by the indices of both.

    A result belongs to the newest call before it with its id, or to the next one; without an id to
    the newest call that nothing answered, by its name if it has one. So does `tool_call.pairs`.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._calls: dict[tuple[int, int], _Call] = {}
        self._joined: set[tuple[int, int]] = set()
        self._waiting: dict[str, tuple[tuple[int, int], ToolResultBlock]] = {}
        newest: dict[str, _Call] = {}
        used_ids: set[str] = set()
        for index, message in enumerate(messages):
            for position, block in enumerate(message.blocks):
                at = index, position
                if isinstance(block, ToolUseBlock) and message.role == "assistant":
                    call = _Call(message, position, block, is_taken=block.id in used_ids)
                    used_ids.add(call.id)
                    self._calls[at] = call
                    if block.id is not None:
                        newest[block.id] = call
                        self._join_waiting(block.id, call)
                elif isinstance(block, ToolResultBlock):
                    self._join(at, block, newest)
            self._join_plain(index, message)

    def calls_of(self, index: int) -> list[_Call]:
        """Return the calls of a message."""
        positions = range(len(self._messages[index].blocks))
        return [
            self._calls[index, position]
            for position in positions
            if (index, position) in self._calls
        ]

    def visible_blocks(self, index: int, role: Speaker) -> Iterator[ContentBlock]:
        """Yield the blocks that stay in a message: all but the results that have a call."""
        for position, block in enumerate(self._messages[index].blocks):
            call = self._calls.get((index, position))
            if call is not None:
                yield msgspec.structs.replace(call.block, id=call.id)
            elif (index, position) in self._joined:
                continue
            elif isinstance(block, ToolResultBlock):
                yield from block.content
            elif isinstance(block, ToolUseBlock):
                yield TextBlock(text=readable_text((block,)))
            else:
                yield block

    def _join(self, at: tuple[int, int], block: ToolResultBlock, newest: dict[str, _Call]) -> None:
        call = (
            self._open(block.name) if block.tool_use_id is None else newest.get(block.tool_use_id)
        )
        if call is not None:
            call.results.append(block)
            self._joined.add(at)
        elif block.tool_use_id is not None:
            self._waiting[block.tool_use_id] = at, block

    def _join_waiting(self, id_: str, call: _Call) -> None:
        if id_ in self._waiting:
            at, block = self._waiting.pop(id_)
            call.results.append(block)
            self._joined.add(at)

    def _join_plain(self, index: int, message: Message) -> None:
        """Let the plain text of a tool answer the newest call that is open."""
        if message.role != "tool" or any(isinstance(b, ToolResultBlock) for b in message.blocks):
            return
        plain = tuple(block for block in message.blocks if isinstance(block, TextBlock))
        call = self._open(message.name) if plain else None
        if call is not None:
            call.results.append(ToolResultBlock(content=plain))
            self._joined |= {
                (index, position)
                for position, block in enumerate(message.blocks)
                if isinstance(block, TextBlock)
            }

    def _open(self, name: str | None) -> _Call | None:
        calls = reversed(self._calls.values())
        return next((c for c in calls if not c.results and name in {None, c.block.name}), None)
