"""The asynchronous memory: an answer that streams in, searched while the event loop goes on."""

# start
import asyncio
from collections.abc import AsyncIterator

import recollect


async def answer() -> AsyncIterator[str]:
    """Stands for the stream of a model."""
    for piece in ("No tins: ", "they let the damp in."):
        await asyncio.sleep(0)
        yield piece


async def main() -> None:
    """Converse, search, and read what was done."""
    async with recollect.open_async("my-memory") as memory:
        session = await memory.sessions.open("telegram:42")
        async with memory.sessions.hold(session.id) as held:
            await held.append("user", "Do tins keep tea?", event_id="update-17")
            async with held.stream() as reply:
                async for piece in answer():
                    await reply.add(piece)
        found = await memory.search("why no tins?")
        print(found.hits[0].snippet)

        async for recorded in memory.events.since():
            print(recorded.seq, type(recorded.event).__name__)


asyncio.run(main())
# end
