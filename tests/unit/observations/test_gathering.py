"""Captures of several threads at the same time: one piece of work, an outcome for each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import recollect
from recollect.core.actor import acting
from recollect.core.errors import NotFound, StoreError
from recollect.memory import Memory
from recollect.observations.gathering import Gathering
from tests.support.dying import Death

Work = Callable[[Sequence[str]], list[str]]


class Desk:
    """Work that waits until the test lets it go on, and knows what it was given."""

    def __init__(self) -> None:
        self.gathering: Gathering[str, str] = Gathering()
        self.batches: list[list[str]] = []
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.failures: list[BaseException] = []

    def work(self, items: Sequence[str]) -> list[str]:
        """Return the items in capitals, or fail."""
        self.batches.append(list(items))
        self.begun.set()
        self.may_end.wait()
        if self.failures:
            raise self.failures.pop(0)
        return [item.upper() for item in items]

    def make(self, item: str, owner: str = "o", name: str = "t") -> Asked:
        """Let a thread ask, and return when it waits or works."""

        def ask() -> str:
            with acting(name):
                return self.gathering.make(item, self.work, owner)

        return Asked(ask, self.gathering)

    def behind_a_first(self, *items: str) -> list[Asked]:
        """Let a first one work while others come."""
        futures = [self.make("first")]
        self.begun.wait()
        return [*futures, *(self.make(item) for item in items)]


class Asked:
    """A thread that asks, and what came of it."""

    def __init__(self, ask: Callable[[], str], gathering: Gathering[str, str]) -> None:
        self.got: str | BaseException | None = None
        self._ask = ask
        before = len(gathering._waiting)  # noqa: SLF001  # nothing else tells that it waits
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        while self._thread.is_alive() and len(gathering._waiting) == before:  # noqa: SLF001
            if gathering._works is not None and not before and not gathering._waiting:  # noqa: SLF001
                break  # it works

    def _run(self) -> None:
        try:
            self.got = self._ask()
        except BaseException as error:  # noqa: BLE001  # the test looks at it
            self.got = error

    def answer(self) -> str | BaseException | None:
        """Return what it got."""
        self._thread.join()
        return self.got


@pytest.fixture
def desk() -> Iterator[Desk]:
    """A desk at which work waits."""
    new_desk = Desk()
    yield new_desk
    new_desk.may_end.set()


def test_who_comes_while_others_work_shares_the_next_piece(desk: Desk) -> None:
    """One after the other would be one transaction each."""
    futures = desk.behind_a_first("a", "b", "c")
    desk.may_end.set()
    assert [each.answer() for each in futures] == ["FIRST", "A", "B", "C"]
    assert [sorted(batch) for batch in desk.batches] == [["first"], ["a", "b", "c"]]


def test_only_the_same_owner_in_the_same_name_shares(desk: Desk) -> None:
    """A row is stored within its scope, and its event names the token."""
    futures = desk.behind_a_first("a")
    futures += [desk.make("b", owner="another"), desk.make("c", name="token")]
    desk.may_end.set()
    assert [each.answer() for each in futures] == ["FIRST", "A", "B", "C"]
    assert sorted(desk.batches) == [["a"], ["b"], ["c"], ["first"]]


def test_where_a_shared_piece_fails_each_tries_alone(desk: Desk) -> None:
    """What one of them hands in may be what failed."""
    futures = desk.behind_a_first("a", "b")
    desk.failures = [ValueError("first"), ValueError("both"), ValueError("one of them")]
    desk.may_end.set()
    answers = [each.answer() for each in futures]
    assert isinstance(answers[0], ValueError)
    assert sorted(map(str, answers[1:])) in (["A", "one of them"], ["B", "one of them"])


def test_what_may_be_stored_is_not_tried_again(desk: Desk) -> None:
    """Without an event id it would be there twice."""
    futures = desk.behind_a_first("a", "b")
    unknown = StoreError("the disk failed", outcome="unknown")
    desk.failures = [ValueError("first"), unknown]
    desk.may_end.set()
    answers = [each.answer() for each in futures]
    assert all(isinstance(each, StoreError) for each in answers[1:])
    assert answers[1] is not answers[2]
    assert len(desk.batches) == 2


def test_an_interrupted_thread_leaves_the_others_an_answer(desk: Desk) -> None:
    """Ctrl-C goes to one thread; the others hear that it is unknown."""
    futures = desk.behind_a_first("a", "b")
    desk.failures = [ValueError("first"), KeyboardInterrupt()]
    desk.may_end.set()
    answers = [each.answer() for each in futures[1:]]
    kinds = sorted(type(each).__name__ for each in answers)
    assert kinds == ["KeyboardInterrupt", "StoreError"]
    assert desk.make("after").answer() == "AFTER"


def test_threads_that_capture_together_each_get_their_own(tmp_path: Path) -> None:
    """The whole way: right numbers, no row lost, and an error for the one that is wrong."""
    words_only = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=words_only, live=False) as memory:
        session = memory.sessions.create().id
        got: dict[int, object] = {}
        threads = [
            threading.Thread(target=_capture, args=(memory, session, number, got))
            for number in range(24)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert isinstance(got.pop(7), NotFound)
        assert sorted(got.items()) == [(n, f"output {n}") for n in range(24) if n != 7]
        observations = memory.observations.list(limit=100)
        assert sorted(each.number for each in observations) == list(range(1, 24))


def _capture(memory: Memory, session: str, number: int, got: dict[int, object]) -> None:
    try:
        observation = memory.observations.record(
            "nobody" if number == 7 else session, "Bash", output=f"output {number}"
        )
        got[number] = observation.output
    except NotFound as error:
        got[number] = error


def test_a_thread_that_works_long_is_not_taken_for_dead(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others look again and again, and wait."""
    looks = threading.Semaphore(0)
    real = Gathering._look  # noqa: SLF001

    def look(gathering: Gathering[str, str]) -> None:
        real(gathering)
        looks.release()

    monkeypatch.setattr("recollect.core.threads.LOOK_S", 0.001)
    monkeypatch.setattr(Gathering, "_look", look)
    futures = desk.behind_a_first("a", "b")
    for _ in range(4):
        assert looks.acquire(timeout=10)
    assert desk.batches == [["first"]]
    desk.may_end.set()
    assert [each.answer() for each in futures] == ["FIRST", "A", "B"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_dies_in_its_work_leaves_the_others_an_answer(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that it worked for hear that it is unknown; the next of those that wait works."""
    futures = desk.behind_a_first("a", "b")
    real, deaths = Gathering._tell, list[int]()  # noqa: SLF001

    def die(*_: object) -> None:
        deaths.append(1)
        raise Death

    def leave(gathering: Gathering[str, str], mine: object) -> None:
        if not deaths:
            real_leave(gathering, mine)  # type: ignore[arg-type]

    real_leave = Gathering._leave  # noqa: SLF001
    desk.failures = [ValueError("first"), KeyboardInterrupt()]
    with monkeypatch.context() as dying:
        dying.setattr(Gathering, "_tell", die)
        dying.setattr(Gathering, "_leave", leave)
        desk.may_end.set()
        dead = {type(each.answer()) for each in futures[1:2]}
        assert dead == {Death}
        assert real is not Gathering._tell  # noqa: SLF001
    answers = [each.answer() for each in futures[2:]]
    assert [getattr(each, "facts", {}).get("outcome") for each in answers] == ["unknown"]
    assert desk.make("after").answer() == "AFTER"
