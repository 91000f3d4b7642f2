"""Captures that come at the same time share one piece of work, with an outcome for each.

A group commit shares the sync only. This also shares the reads before it, the statements and the
writer's turn: what arrives during a commit is stored together in the next one.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from recollect.core.actor import ACTOR
from recollect.core.errors import StoreError
from recollect.core.threads import await_event, died

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_GATHERED = 64
"""Most callers that share a piece of work: all they hand in is in memory at the same time."""


class _Waiting(Generic[Item, Result]):
    """What one caller hands in, and what became of it."""

    def __init__(self, item: Item, kind: object) -> None:
        self.item = item
        self.kind = kind
        self.thread = threading.current_thread()
        self.called = threading.Event()
        """Set when something was made of it, or when its caller is the next to work."""
        self.made: Result | None = None
        self.failure: BaseException | None = None


class Gathering(Generic[Item, Result]):
    """Lets one of several threads do the work of all that wait.

    A caller that is alone does its own at once, without a wait.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._waiting: list[_Waiting[Item, Result]] = []
        self._works: _Waiting[Item, Result] | None = None
        """The one whose caller works now, or was woken to work."""
        self._together_now: list[_Waiting[Item, Result]] = []
        """The ones that it works for."""

    def make(
        self, item: Item, work: Callable[[Sequence[Item]], Sequence[Result]], owner: object
    ) -> Result:
        """Return the result of ``work`` for ``item``, made alone or together with others.

        Args:
            item: Depends on no other caller's.
            work: Makes something of each item. Where it raises, nothing was made of any of them,
                unless the fact ``outcome`` of the error says ``"unknown"``.
            owner: Only callers with an equal one, in the name of the same token, share it.

        Raises:
            StoreError: what ``work`` raises for this item alone; or for all, if unknown.
        """
        mine: _Waiting[Item, Result] = _Waiting(item, (owner, ACTOR.get()))
        with self._mutex:
            self._waiting.append(mine)
            self._works = self._works or mine
        try:
            if self._works is not mine:
                await_event(mine.called, self._look)
            if self._works is mine:
                self._work(self._together(mine), work)
        finally:
            self._leave(mine)
        if mine.made is not None:
            return mine.made
        if isinstance(mine.failure, StoreError) and mine.failure.facts.get("outcome") == "unknown":
            raise copy.copy(mine.failure)
        return work([item])[0]  # another caller's item may have failed

    def _look(self) -> None:
        """Let the next one work where the thread that worked for all has died."""
        works = self._works
        if works is None or works.thread.is_alive():
            return
        with self._mutex:
            orphans = self._together_now if self._works is works else []
        self._tell([each for each in orphans if each.made is None], died())
        self._leave(works)

    def _together(self, mine: _Waiting[Item, Result]) -> list[_Waiting[Item, Result]]:
        with self._mutex:
            same = [each for each in self._waiting if each.kind == mine.kind and each is not mine]
            together = [mine, *same[: MOST_GATHERED - 1]]
            self._waiting = [each for each in self._waiting if each not in together]
            self._together_now = together
        return together

    def _leave(self, mine: _Waiting[Item, Result]) -> None:
        """Let the next one work, if it was the turn of this one; also when it was interrupted."""
        with self._mutex:
            if mine in self._waiting:
                self._waiting.remove(mine)
            if self._works is mine:
                self._works = self._waiting[0] if self._waiting else None
                if self._works is not None:
                    self._works.called.set()

    def _work(
        self,
        together: list[_Waiting[Item, Result]],
        work: Callable[[Sequence[Item]], Sequence[Result]],
    ) -> None:
        try:
            outcomes = work([each.item for each in together])
        except Exception as error:
            if len(together) == 1:
                raise
            self._tell(together, error)
        except BaseException:  # the first of them is interrupted; it may have been stored
            interrupted = StoreError(
                "the thread that stored it was interrupted",
                hint="try again with the same event id",
                outcome="unknown",
            )
            self._tell(together, interrupted)
            raise
        else:
            for each, value in zip(together, outcomes, strict=True):
                each.made = value
                each.called.set()

    def _tell(self, together: list[_Waiting[Item, Result]], failure: Exception) -> None:
        for each in together:
            each.failure = failure
            each.called.set()
