"""`AsyncMemory`: the calls of a memory, awaited, with nothing of them lost or left behind."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import random
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.lowlevel
import pytest

import recollect
from recollect.aio.hops import Hops
from recollect.aio.items import AsyncItems
from recollect.aio.memory import AsyncMemory, AsyncMemoryPool
from recollect.core.errors import Conflict, InvalidInput, NotFound, StoreClosed
from recollect.core.threads import ThreadDied
from recollect.store.journal import RecordedEvent
from tests.support.dying import die_at_birth

T = TypeVar("T")
WORDS = {"embedding.provider": "none"}


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """After each test no thread of ours is left, and no error that nobody has seen."""
    yield
    gc.collect()  # tells of coroutines that were never awaited, which pytest makes failures
    ours = [each for each in threading.enumerate() if each.name.startswith("recollect-async")]
    for each in ours:
        each.join(10)  # who told its last result may still be on its way out
    left = [each.name for each in ours if each.is_alive()]
    assert left == []


def played(tmp_path: Path, play: Callable[[AsyncMemory], Awaitable[T]], **given: Any) -> T:
    """Return what ``play`` makes of an open memory, on a loop that reports every lost error."""
    lost: list[object] = []

    async def main() -> T:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context))
        async with recollect.open_async(tmp_path / "home", overrides=WORDS, **given) as memory:
            return await play(memory)

    found = asyncio.run(main())
    assert lost == []
    return found


def test_a_conversation_is_kept_and_found(tmp_path: Path) -> None:
    """The thin path: make, append, search, and read it again with the synchronous twin."""

    async def play(memory: AsyncMemory) -> str:
        session = await memory.sessions.create(title="Tea")
        await memory.sessions.append(session.id, "user", "No tins: they let the damp in.")
        found = await memory.search("why no tins?")
        assert [hit.session_id for hit in found.hits] == [session.id]
        return session.id

    session_id = played(tmp_path, play)
    with recollect.open(tmp_path / "home", overrides=WORDS) as memory:
        assert [one.text for one in memory.sessions.messages(session_id)] == [
            "No tins: they let the damp in."
        ]


def test_the_loop_goes_on_while_a_call_runs(tmp_path: Path) -> None:
    """A heartbeat beats as long as the call has not returned; the call waits for its beats."""
    beats = 0
    enough = threading.Event()

    def slow(text: str) -> int:
        assert enough.wait(60)
        return len(text)

    async def heart() -> None:
        nonlocal beats
        while True:
            await _turn_of_the_loop()
            beats += 1
            if beats == 100:
                enough.set()

    async def play(memory: AsyncMemory) -> None:
        session = await memory.sessions.create()
        await memory.sessions.append(session.id, "user", "How long does white tea keep?")
        beating = asyncio.create_task(heart())
        await memory.sessions.view(session.id)
        beating.cancel()

    played(tmp_path, play, count_tokens=slow)
    assert beats >= 100


async def _turn_of_the_loop() -> None:
    await anyio.lowlevel.checkpoint()


def test_errors_are_those_of_the_memory(tmp_path: Path) -> None:
    """The same class, code and hint, raised where it is awaited."""

    async def play(memory: AsyncMemory) -> None:
        with pytest.raises(NotFound):
            await memory.sessions.get("unknown")
        with pytest.raises(InvalidInput):
            await memory.search("tea", limit=0)
        with pytest.raises(InvalidInput):
            async for _ in memory.events.since(-1):
                pass

    played(tmp_path, play)


def test_an_error_within_an_iterator_is_raised_and_not_taken_for_its_end(tmp_path: Path) -> None:
    """Of whatever class it is: a short list must not pass for a whole one."""

    def broken() -> Iterator[int]:
        yield 1
        raise KeyError("a page is missing")

    async def main() -> list[int]:
        hops = Hops()
        items = AsyncItems(hops, broken)
        found = [await anext(items)]
        with pytest.raises(KeyError):
            await anext(items)
        await hops.close(lambda: None)
        return found

    assert asyncio.run(main()) == [1]


def test_a_memory_needs_a_thread(tmp_path: Path) -> None:
    """A limit of 0 would wait for ever."""
    with pytest.raises(InvalidInput):
        recollect.open_async(tmp_path / "home", limit=0)


def test_a_held_session_is_given_back(tmp_path: Path) -> None:
    """`async with` over a lease; another holder is refused meanwhile."""

    async def play(memory: AsyncMemory) -> None:
        session = await memory.sessions.create()
        async with memory.sessions.hold(session.id) as held:
            await held.append("user", "Mine.")
            with pytest.raises(Conflict):
                await memory.sessions.hold(session.id)
        assert await memory.sessions.lease(session.id) is None
        again = await memory.sessions.hold(session.id)
        await again.release()
        assert await memory.sessions.lease(session.id) is None

    played(tmp_path, play)


def test_closing_gives_back_what_is_still_held(tmp_path: Path) -> None:
    """A program that forgets to release must not keep others out until the lease expires."""

    async def play(memory: AsyncMemory) -> tuple[str, object]:
        session = await memory.sessions.create()
        return session.id, await memory.sessions.hold(session.id)

    session_id, _held = played(tmp_path, play)
    with recollect.open(tmp_path / "home", overrides=WORDS) as memory:
        assert memory.sessions.lease(session_id) is None


def test_an_answer_that_streams_in_is_one_message(tmp_path: Path) -> None:
    """Piece by piece in a block, or from an asynchronous iterator as clients of models give it."""

    async def pieces() -> AsyncIterator[str]:
        for piece in ("Pu-erh", " and white tea."):
            await _turn_of_the_loop()
            yield piece

    async def broken() -> AsyncIterator[str]:
        yield "Half of it\n"
        raise ValueError("the model hung up")

    async def play(memory: AsyncMemory) -> list[tuple[str, bool]]:
        session = await memory.sessions.create()
        async with memory.sessions.stream(session.id) as reply:
            async for piece in pieces():
                await reply.add(piece)
        assert reply.message is not None
        await memory.sessions.append_stream(session.id, pieces())
        with pytest.raises(ValueError, match="hung up"):
            await memory.sessions.append_stream(session.id, broken())
        stored = await memory.sessions.messages(session.id)
        return [(one.text, "unfinished" in one.metadata) for one in stored]

    text = "Pu-erh and white tea."
    assert played(tmp_path, play) == [(text, False), (text, False), ("Half of it\n", True)]


def test_events_come_as_they_happen_and_an_iterator_can_be_left(tmp_path: Path) -> None:
    """`since` ends by itself; `follow` waits, is woken, and its thread ends with a `break`."""

    async def play(memory: AsyncMemory) -> list[str]:
        session = await memory.sessions.create()
        known = [each async for each in memory.events.since()]
        followed: list[str] = []
        begun = asyncio.Event()

        async def follow() -> None:
            async with aclosing(memory.events.follow(known[-1].seq)) as events:
                begun.set()
                async for each in events:
                    followed.append(type(each.event).__name__)
                    break

        following = asyncio.create_task(follow())
        await begun.wait()
        await memory.sessions.append(session.id, "user", "Now.")
        await following
        return followed

    assert played(tmp_path, play) == ["MessagesAppended"]


def test_a_long_journal_is_read_in_pages_and_in_order(tmp_path: Path) -> None:
    """More events than are read ahead, each once; and an export line by line."""

    async def play(memory: AsyncMemory) -> tuple[list[int], list[int], int]:
        session = await memory.sessions.create()
        for number in range(700):
            await memory.sessions.append(session.id, "user", f"line {number}")
        seqs = [each.seq async for each in memory.events.since()]
        export = await memory.export_session(session.id, "jsonl")
        lines = [line async for line in export.lines()]
        return seqs, list(range(1, len(seqs) + 1)), len(lines) - export.messages

    seqs, wanted, heads = played(tmp_path, play)
    assert len(seqs) > 700
    assert seqs == wanted
    assert heads <= 1


def test_callbacks_are_called_on_the_loop(tmp_path: Path) -> None:
    """Plain or asynchronous; an asynchronous one may ask the memory, even with one thread."""
    loops: list[object] = []

    async def play(memory: AsyncMemory) -> tuple[int, int]:
        session = await memory.sessions.create()
        arrived = asyncio.Event()

        async def told(event: RecordedEvent) -> None:
            loops.append(asyncio.get_running_loop())
            await memory.sessions.get(session.id)
            arrived.set()

        async with memory.events.subscribe(told, types=["messages.appended"]):
            await memory.sessions.append(session.id, "user", "Ring.")
            await arrived.wait()

        async def progress(_: object) -> None:
            loops.append(asyncio.get_running_loop())
            await memory.status()

        await memory.backup(tmp_path / "one.backup", on_progress=progress)
        count = len(loops)
        await memory.backup(
            tmp_path / "two.backup",
            on_progress=lambda _: loops.append(asyncio.get_running_loop()),
        )
        return count, len(loops)

    count, all_of_them = played(tmp_path, play, limit=1)
    assert count >= 2
    assert all_of_them > count
    assert len(set(map(id, loops))) == 1


def test_context_variables_are_carried(tmp_path: Path) -> None:
    """Tracing and request ids are context variables; what runs on the thread must see them."""
    request = contextvars.ContextVar("request", default="none")
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(request.get())
        return len(text)

    async def play(memory: AsyncMemory) -> None:
        session = await memory.sessions.create()
        await memory.sessions.append(session.id, "user", "How long does white tea keep?")
        request.set("r-17")
        await memory.sessions.view(session.id)

    played(tmp_path, play, count_tokens=count)
    assert seen[-1] == "r-17"


def test_turns_are_taken_one_after_the_other_however_many_wait(tmp_path: Path) -> None:
    """More waiting turns than threads: what waits for others must not keep them from going on."""
    log: list[str] = []

    async def play(memory: AsyncMemory) -> None:
        session = await memory.sessions.create()

        async def answer(number: int) -> None:
            async with memory.sessions.turn(session.id):
                log.append(f"in {number}")
                await memory.sessions.append(session.id, "user", f"turn {number}")
                log.append(f"out {number}")

        await asyncio.gather(*(answer(number) for number in range(6)))

    played(tmp_path, play, limit=1)
    assert [each.split()[0] for each in log] == ["in", "out"] * 6
    assert [each.split()[1] for each in log[::2]] == [each.split()[1] for each in log[1::2]]


def test_after_closing_every_call_is_refused(tmp_path: Path) -> None:
    """Also those of its parts and of handles; closing again does nothing."""

    async def main() -> None:
        memory = await recollect.open_async(tmp_path / "home", overrides=WORDS)
        session = await memory.sessions.create()
        stream = await memory.sessions.stream(session.id)
        await memory.close()
        await memory.close()
        with pytest.raises(StoreClosed):
            await memory.search("tea")
        with pytest.raises(StoreClosed):
            await memory.sessions.get(session.id)
        with pytest.raises(StoreClosed):
            await memory.sessions.hold(session.id)
        with pytest.raises(StoreClosed):
            await stream.add("more")
        with pytest.raises(StoreClosed):
            await anext(memory.events.since())
        with pytest.raises(StoreClosed):
            async with memory.sessions.turn(session.id):
                pass

    asyncio.run(main())


def test_closing_waits_for_what_runs(tmp_path: Path) -> None:
    """A write that has begun is not cut off by the end of the block around it."""
    entered, go_on = threading.Event(), threading.Event()

    def count(text: str) -> int:
        entered.set()
        assert go_on.wait(60)
        return len(text)

    async def main() -> int:
        memory = await recollect.open_async(tmp_path / "home", overrides=WORDS, count_tokens=count)
        session = await memory.sessions.create()
        await memory.sessions.append(session.id, "user", "Is it there?")
        viewing = asyncio.create_task(memory.sessions.view(session.id))
        while not entered.is_set():
            await _turn_of_the_loop()
        closing = asyncio.create_task(memory.close())
        await _turn_of_the_loop()
        assert not closing.done()
        go_on.set()
        view = await viewing
        await closing
        return len(view.messages)

    assert asyncio.run(main()) == 1


def test_a_cancelled_call_leaves_at_once_and_ends_on_its_thread(tmp_path: Path) -> None:
    """The caller has its CancelledError while the call still runs: timeouts mean what they say."""
    entered, go_on = threading.Event(), threading.Event()

    def count(text: str) -> int:
        entered.set()
        assert go_on.wait(60)
        return len(text)

    async def play(memory: AsyncMemory) -> None:
        session = await memory.sessions.create()
        await memory.sessions.append(session.id, "user", "Is it there?")
        viewing = asyncio.create_task(memory.sessions.view(session.id))
        while not entered.is_set():
            await _turn_of_the_loop()
        viewing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await viewing
        assert not go_on.is_set()
        go_on.set()

    played(tmp_path, play, count_tokens=count)


@pytest.mark.parametrize("seed", range(8))
def test_cancelled_at_any_moment_nothing_is_half_done(tmp_path: Path, seed: int) -> None:
    """Random work, cancelled at random turns of the loop: whole messages, no lease, no thread."""
    chance = random.Random(seed)

    async def work(memory: AsyncMemory, session_id: str, number: int) -> None:
        async with memory.sessions.hold(session_id, holder=f"h{number}") as held:
            await held.append_many([("user", f"{number} a"), ("assistant", f"{number} b")])
            async with held.stream() as reply:
                for piece in ("one\n", "two\n", "three"):
                    await reply.add(f"{number} {piece}")
        async with memory.sessions.turn(session_id):
            await memory.search("two")
        async for _ in memory.events.since():
            pass

    async def play(memory: AsyncMemory) -> list[str]:
        ids = []
        for number in range(12):
            session = await memory.sessions.create()
            ids.append(session.id)
            working = asyncio.create_task(work(memory, session.id, number))
            for _ in range(int(10 ** chance.uniform(1, 4.5))):  # from the first hop to the last
                await _turn_of_the_loop()
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
        return ids

    ids = played(tmp_path, play, limit=chance.choice([1, 2, 8]))
    with recollect.open(tmp_path / "home", overrides=WORDS) as memory:
        for session_id in ids:
            assert memory.sessions.lease(session_id) is None
            stored = memory.sessions.messages(session_id)
            assert [one.seq for one in stored] == list(range(1, len(stored) + 1))
            assert len(stored) in {0, 2, 3}
        memory.sync()
        assert memory.checkup().examine(deep=True) == []


def test_a_waiting_turn_that_is_cancelled_lets_the_next_one_in(tmp_path: Path) -> None:
    """Its place in the queue must not be kept by a caller who is gone."""

    async def play(memory: AsyncMemory) -> None:
        session = await memory.sessions.create()
        async with memory.sessions.turn(session.id):
            waiting = asyncio.create_task(_take_turn(memory, session.id))
            for _ in range(200):
                await _turn_of_the_loop()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await _take_turn(memory, session.id)

    played(tmp_path, play)


@pytest.mark.parametrize("steps", [1, 2, 3, 50])
def test_closing_waits_for_no_turn_whose_caller_was_cancelled(tmp_path: Path, steps: int) -> None:
    """Another program may keep the session for ten minutes."""

    async def main(session_id: str) -> None:
        async with recollect.open_async(tmp_path / "home", overrides=WORDS) as memory:
            waiting = [asyncio.create_task(_take_turn(memory, session_id)) for _ in range(10)]
            for _ in range(steps):
                await _turn_of_the_loop()
            for each in waiting:
                each.cancel()
            await asyncio.wait(waiting)

    with recollect.open(tmp_path / "home", overrides=WORDS) as other:
        session = other.sessions.create()
        with other.sessions.turn(session.id):
            asyncio.run(main(session.id))
        with other.sessions.turn(session.id):  # none of them keeps a place
            assert other.sessions.get(session.id).status == session.status


async def _take_turn(memory: AsyncMemory, session_id: str) -> None:
    async with memory.sessions.turn(session_id):
        pass


UNTIL_CTRL_C = """
import asyncio, signal, sys
import recollect

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run with `&`

async def main():
    words = {"embedding.provider": "none"}
    async with recollect.open_async(sys.argv[1], overrides=words) as memory:
        session = await memory.sessions.create(session_id="s")
        async with memory.sessions.hold("s") as held:
            while True:
                print((await held.append("user", "on and on")).seq, flush=True)

asyncio.run(main())
"""


def test_ctrl_c_gives_the_session_back_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    """SIGINT in a loop of appends: the process ends by itself, with its lease released."""
    command = [sys.executable, "-W", "error", "-c", UNTIL_CTRL_C, str(tmp_path / "home")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for _ in range(5):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        # Not `communicate`: it does not give what `readline` has already read ahead.
        rest, errors = process.stdout.read(), process.stderr.read()
    assert process.returncode != 0
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert "never" not in errors
    with recollect.open(tmp_path / "home", overrides=WORDS) as memory:
        assert memory.sessions.lease("s") is None
        stored = memory.sessions.messages("s")
        assert len(stored) - (5 + len(rest.split())) in {0, 1}


def test_a_timeout_and_a_task_group_of_anyio_work(tmp_path: Path) -> None:
    """Structured concurrency over asyncio: cancel scopes reach the calls."""

    async def main() -> list[str]:
        async with recollect.open_async(tmp_path / "home", overrides=WORDS) as memory:
            session = await memory.sessions.create()
            async with anyio.create_task_group() as group:
                for number in range(4):
                    group.start_soon(memory.sessions.append, session.id, "user", f"m{number}")
            with anyio.move_on_after(0):
                await memory.sessions.append(session.id, "user", "too late")
            return [one.text for one in await memory.sessions.messages(session.id)]

    found = anyio.run(main, backend="asyncio")
    assert sorted(found)[:4] == ["m0", "m1", "m2", "m3"]


def test_the_pool_gives_one_asynchronous_memory_for_each_agent(tmp_path: Path) -> None:
    """As the synchronous pool; closing it closes them all."""

    async def main() -> None:
        async with AsyncMemoryPool(tmp_path / "home", WORDS) as pool:
            memory = await pool.memory("work")
            assert await pool.memory("Work") is memory
            assert await pool.memory("other") is not memory
            session = await memory.sessions.create()
            assert session.agent == "work"
        with pytest.raises(StoreClosed):
            await memory.sessions.get(session.id)
        with pytest.raises(StoreClosed):
            await pool.memory("work")

    asyncio.run(main())


def test_a_block_is_awaited_as_it_is_called(tmp_path: Path) -> None:
    """`memory.context(…)` has a twin although it is an object with other calls."""

    async def play(memory: AsyncMemory) -> None:
        first, second = [await memory.sessions.create() for _ in range(2)]
        said = "Quinces go to the cellar"
        await memory.observations.record(first.id, type="decision", summary=said)
        assert said in (await memory.context(second.id)).text
        assert [each.session_id for each in await memory.context.injections()] == [second.id]
        assert await memory.projects.list() == []

    played(tmp_path, play)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_iterator_whose_thread_dies_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop that waits for items, or for a turn, does not wait for ever."""

    async def play(memory: AsyncMemory) -> None:
        session = await memory.sessions.create()
        die_at_birth(monkeypatch, 2)
        with pytest.raises(ThreadDied):
            await anext(aiter(memory.events.follow()))
        with pytest.raises(ThreadDied):
            async with memory.sessions.hold(session.id):
                raise AssertionError("never reached")

    played(tmp_path, play)
