"""Many at once: a task group, a timeout, progress, events to follow, and a pool of agents."""

# start
import asyncio

from recollect.aio.memory import AsyncMemory, AsyncMemoryPool
from recollect.governance.backup import BackupProgress


async def work(memory: AsyncMemory, home: AsyncMemory) -> None:
    """Write much at once, back the whole home up, and follow what happens."""
    session = await memory.sessions.create(title="Harvest")
    async with asyncio.TaskGroup() as group:  # one commit for those that meet
        for number in range(20):
            group.create_task(memory.sessions.append(session.id, "user", f"Tray {number}"))

    try:
        async with asyncio.timeout(30):
            await memory.sync()
    except TimeoutError:
        print("it goes on in the background")

    told: list[BackupProgress] = []
    await home.backup("harvest.backup", on_progress=told.append)  # called on the event loop
    print(len(told) > 0, "trays:", len(await memory.sessions.messages(session.id)))

    events = memory.events.follow(0, types=["session.created"])
    first = await anext(events)
    print(first.event.scope.agent)
    await events.aclose()


async def main() -> None:
    """Open the memory of one agent."""
    async with AsyncMemoryPool("my-memory") as pool:
        await work(await pool.memory(agent="garden"), await pool.memory())


asyncio.run(main())
# end
