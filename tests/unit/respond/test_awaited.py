"""The asynchronous twin answers, and keeps no other call waiting."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import recollect
from recollect.respond.inbound import Inbound
from tests.support.chat_model import SETTINGS, Call, ChatModel

KEY = "agent:main:telegram:direct:42"


def test_answers_are_awaited(tmp_path: Path, model: ChatModel) -> None:
    """As a reply, as events, and by the responder."""

    async def play() -> None:
        async with recollect.open_async(tmp_path, overrides=SETTINGS, live=False) as memory:
            assert (await memory.respond(KEY, "Hi", "telegram:42")).text == "Echo: Hi"
            kinds = [event.kind async for event in memory.respond_stream(KEY, "Again")]
            assert kinds == ["typing", "piece", "block", "reply"]
            pending = await memory.responder.submit(Inbound(key=KEY, text="Last"))
            reply = await pending.wait(20.0)
            assert reply is not None
            assert reply.text == "Echo: Last"
            assert await memory.responder.pending() == []

    asyncio.run(play())


def test_slow_answers_leave_room_for_other_calls(tmp_path: Path, model: ChatModel) -> None:
    """More of them than there are threads for plain calls."""
    go_on = threading.Event()

    def slow(call: Call) -> str:
        call.wait(go_on)
        return "At last."

    model.steps = [slow] * 12
    settings = {**SETTINGS, "auto_responder.max_concurrent": 12}

    async def play() -> None:
        async with recollect.open_async(tmp_path, overrides=settings, live=False) as memory:
            answers = [
                asyncio.create_task(memory.respond(f"telegram:{number}", "Hi"))
                for number in range(12)
            ]
            assert (await memory.search("nothing")).hits == []
            go_on.set()
            assert {reply.text for reply in await asyncio.gather(*answers)} == {"At last."}

    asyncio.run(play())
