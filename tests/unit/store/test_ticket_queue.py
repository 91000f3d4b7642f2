"""The ticket queue: one at a time, in the order of arrival, whoever dies meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.core.errors import StoreBusy, StoreError
from recollect.store.locks import TicketQueue

ROOT = Path(__file__).parents[3]
DEADLINE_S = 60.0
WORKER = """
import os, sys
from pathlib import Path
from recollect.store.locks import TicketQueue
folder, inside, log = map(Path, sys.argv[1:4])
for _ in range(20):
    with TicketQueue(folder).turn("s", 60):
        os.close(os.open(inside, os.O_CREAT | os.O_EXCL))  # fails when somebody else is in
        with log.open("a") as lines:
            lines.write("x")
        inside.unlink()
"""
DIER = """
import os, sys
from pathlib import Path
from recollect.store.locks import TicketQueue
with TicketQueue(Path(sys.argv[1])).turn("s", 60):
    print("in", flush=True)
    sys.stdin.read()
"""


def wait_for(met: Callable[[], bool]) -> None:
    """Return when a condition is met.

    Raises:
        AssertionError: it is not met in time.
    """
    waiting = threading.Event()
    for _ in range(int(DEADLINE_S * 200)):
        if met():
            return
        waiting.wait(0.005)
    raise AssertionError("it never came")


def tickets(folder: Path) -> list[str]:
    """Return the tickets that were drawn and not given back."""
    return sorted(name for name in os.listdir(folder) if name != ".door")


def test_turns_come_in_the_order_of_arrival(tmp_path: Path) -> None:
    """Eight threads, each let in line only when the one before it stands there."""
    queue, order = TicketQueue(tmp_path / "turns"), list[int]()
    inside = 0

    def work(number: int) -> None:
        nonlocal inside
        with queue.turn("s", DEADLINE_S):
            inside += 1
            assert inside == 1
            order.append(number)
            inside -= 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    with queue.turn("s", DEADLINE_S):
        for number, thread in enumerate(threads):
            thread.start()
            wait_for(lambda n=number: len(tickets(tmp_path / "turns")) == n + 2)  # type: ignore[misc]
        assert order == []
    for thread in threads:
        thread.join(DEADLINE_S)
    assert order == list(range(8))
    assert tickets(tmp_path / "turns") == []


def test_other_names_do_not_wait(tmp_path: Path) -> None:
    """Nor does a name that begins like another one."""
    queue = TicketQueue(tmp_path / "turns")
    with queue.turn("s", 1), queue.turn("s2", 1), queue.turn("t", 1):
        assert tickets(tmp_path / "turns") == ["s.1", "s2.1", "t.1"]


def test_three_processes_are_never_in_at_once(tmp_path: Path) -> None:
    """Each of them twenty times; all of their turns come."""
    names = [str(tmp_path / name) for name in ("turns", "inside", "log")]
    command = [sys.executable, "-c", WORKER, *names]
    workers = [subprocess.Popen(command, cwd=ROOT) for _ in range(3)]
    assert [worker.wait(DEADLINE_S) for worker in workers] == [0, 0, 0]
    assert (tmp_path / "log").read_text() == "x" * 60
    assert tickets(tmp_path / "turns") == []


def test_a_killed_holder_keeps_nobody_waiting(tmp_path: Path) -> None:
    """The kernel lets go of its ticket; the one behind it goes on."""
    command = [sys.executable, "-c", DIER, str(tmp_path / "turns")]
    holder = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"in\n"
    entered = threading.Event()

    def work() -> None:
        with TicketQueue(tmp_path / "turns").turn("s", DEADLINE_S):
            entered.set()

    thread = threading.Thread(target=work)
    thread.start()
    wait_for(lambda: len(tickets(tmp_path / "turns")) == 2)
    assert not entered.is_set()
    holder.kill()
    holder.communicate()
    assert entered.wait(DEADLINE_S)
    thread.join(DEADLINE_S)
    assert tickets(tmp_path / "turns") == []


def test_the_ticket_of_a_dead_one_is_stepped_over(tmp_path: Path) -> None:
    """Also when nobody stood behind it when it died."""
    (tmp_path / "turns").mkdir()
    (tmp_path / "turns" / "s.7").touch()
    with TicketQueue(tmp_path / "turns").turn("s", 1):
        assert tickets(tmp_path / "turns") == ["s.8"]


def test_a_ticket_that_goes_while_one_looks_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its holder gave it back after the folder was listed."""
    listed, extra = os.listdir, ["s.1"]

    def listing(folder: Path) -> list[str]:
        names = [*listed(folder), *extra]
        if len(names) > len(extra) + 1:  # after our own ticket was drawn, once
            extra.clear()
        return names

    monkeypatch.setattr(os, "listdir", listing)
    with TicketQueue(tmp_path / "turns").turn("s", 1):
        pass
    assert not extra


def test_who_gives_up_leaves_the_queue(tmp_path: Path) -> None:
    """With a clear error, and the one behind still waits for the one in front."""
    queue = TicketQueue(tmp_path / "turns")
    entered = threading.Event()

    def work() -> None:
        with queue.turn("s", DEADLINE_S):
            entered.set()

    with queue.turn("s", 1):
        with pytest.raises(StoreBusy) as caught, queue.turn("s", 0.001):
            raise AssertionError("never reached")
        assert caught.value.hint
        thread = threading.Thread(target=work)
        thread.start()
        wait_for(lambda: len(tickets(tmp_path / "turns")) == 2)
        assert not entered.is_set()
    thread.join(DEADLINE_S)
    assert entered.is_set()


def test_an_error_inside_gives_the_turn_back(tmp_path: Path) -> None:
    """The next one comes at once."""
    queue = TicketQueue(tmp_path / "turns")
    with pytest.raises(ValueError, match="inside"), queue.turn("s", 1):
        raise ValueError("inside")
    with queue.turn("s", 1):
        pass


def test_a_ticket_that_cannot_be_looked_at_is_told(tmp_path: Path) -> None:
    """A folder in its place, and a folder that is gone: errors of ours, and no endless wait."""
    turns = tmp_path / "turns"
    (turns / "s.7").mkdir(parents=True)
    with pytest.raises(StoreError), TicketQueue(turns).turn("s", 1):
        raise AssertionError("never reached")
    queue = TicketQueue(tmp_path / "gone")
    with queue.turn("t", 1):
        shutil.rmtree(tmp_path / "gone")
    assert not (tmp_path / "gone").exists()
