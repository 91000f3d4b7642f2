"""The queue of conversations: one of each at a time, a few at once, fair."""

from __future__ import annotations

import threading

import pytest

from recollect.core.errors import StoreClosed
from recollect.respond.queue import ConversationQueue
from tests.support.dying import die_at_birth

WAIT_S = 20.0


class Runs:
    """Work that notes what runs, and waits until it may go on."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.most = self._now = 0
        self._changed = threading.Condition()
        self.gate = threading.Event()

    def of(self, name: str) -> None:
        """Run."""
        with self._changed:
            self.order.append(name)
            self._now += 1
            self.most = max(self.most, self._now)
            self._changed.notify_all()
        assert self.gate.wait(WAIT_S)
        with self._changed:
            self._now -= 1
            self._changed.notify_all()

    def until(self, count: int) -> None:
        """Wait for so many runs to begin."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.order) >= count, WAIT_S)

    def ended(self) -> None:
        """Wait for all to end."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._now == 0, WAIT_S)


def test_at_most_so_many_run_at_once_and_the_others_follow_in_order() -> None:
    """Round robin: none a second time before each of them had its turn."""
    queue, runs = ConversationQueue(2), Runs()
    for name in "abcd":
        queue.put(name, lambda name=name: runs.of(name))  # type: ignore[misc]
    runs.until(2)
    queue.put("a", lambda: runs.of("a again"))
    runs.gate.set()
    runs.until(5)
    runs.ended()
    assert runs.most == 2
    assert set(runs.order[:2]) == {"a", "b"}
    assert set(runs.order[2:4]) == {"c", "d"}
    assert runs.order[4] == "a again"
    queue.close()


def test_one_conversation_never_runs_twice_at_once() -> None:
    """What comes while it runs is run after it."""
    queue, runs = ConversationQueue(3), Runs()
    queue.put("a", lambda: runs.of("first"))
    runs.until(1)
    queue.put("a", lambda: runs.of("second"))
    queue.put("b", lambda: runs.of("other"))
    runs.until(2)
    assert runs.order == ["first", "other"]
    assert queue.count() == 2
    runs.gate.set()
    runs.until(3)
    runs.ended()
    queue.close()


def test_a_delay_begins_again_with_each_message() -> None:
    """A burst is one run."""
    now = [100.0]
    queue, runs = ConversationQueue(1, lambda: now[0]), Runs()
    runs.gate.set()
    queue.put("a", lambda: runs.of("too early"), 1.5)
    now[0] = 101.0
    queue.put("a", lambda: runs.of("burst"), 1.5)
    queue.put("a", lambda: runs.of("not new"), 0.0, is_new=False)
    now[0] = 102.0
    queue.look()
    assert runs.order == []
    now[0] = 102.6
    queue.look()
    runs.until(1)
    assert runs.order == ["burst"]
    queue.close()


def test_a_closed_queue_takes_nothing() -> None:
    """It ends what runs, and drops what waits."""
    queue, runs = ConversationQueue(1), Runs()
    queue.put("a", lambda: runs.of("a"))
    runs.until(1)
    queue.put("b", lambda: runs.of("b"))
    runs.gate.set()
    queue.close()
    with pytest.raises(StoreClosed):
        queue.put("c", lambda: None)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_died_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits is run by the next one."""
    queue, runs = ConversationQueue(1), Runs()
    runs.gate.set()
    names = die_at_birth(monkeypatch)
    queue.put("a", lambda: runs.of("a"))
    while not runs.order:
        queue.look()
    runs.ended()
    assert (names, runs.order) == (["recollect-respond"], ["a"])
    queue.close()
