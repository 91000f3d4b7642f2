"""Refusals of who asks for too much are delayed, so that they cost the server little."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from recollect.server.errors import CROWDED, MANY_REQUESTS, MANY_STREAMS, NO_TOKEN, Rejection
from recollect.server.response import Message, send_rejection

OFTEN = 64


def _refuse(rejection: Rejection, monkeypatch: pytest.MonkeyPatch) -> tuple[list[float], list[Any]]:
    """Return how long refusals were delayed, and what their connections were told meanwhile."""
    delays: list[float] = []
    told: list[Any] = []
    scope: dict[str, Any] = {}

    async def sleep(seconds: float) -> None:
        delays.append(seconds)
        told.append((scope["held"], scope["refused"]))

    async def send(message: Message) -> None:
        assert len(delays) == len(told)

    async def refuse() -> None:
        for _ in range(OFTEN):
            await send_rejection(scope, send, rejection)

    monkeypatch.setattr("recollect.server.response.asyncio.sleep", sleep)
    asyncio.run(refuse())
    return delays, told


@pytest.mark.parametrize("rejection", [MANY_REQUESTS, MANY_STREAMS, CROWDED], ids=lambda r: r.code)
def test_who_has_its_share_already_is_refused_about_a_second_later(
    rejection: Rejection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not all in the same moment; meanwhile the connection can make room for another."""
    delays, told = _refuse(rejection, monkeypatch)
    assert len(delays) == OFTEN
    assert 0.5 <= min(delays) < max(delays) <= 1.5
    assert 0.9 < sum(delays) / OFTEN < 1.1
    assert len(set(delays)) >= 16
    assert set(told) == {(True, rejection)}


def test_a_mistake_is_answered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing token is one."""
    assert _refuse(NO_TOKEN, monkeypatch) == ([], [])
