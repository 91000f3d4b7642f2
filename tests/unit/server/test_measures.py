"""Over HTTP: what models cost, and what the worker measured over time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.core.bill import Bill, TokenUse
from recollect.core.clock import to_datetime
from recollect.core.errors import Denied, InvalidInput
from recollect.core.scope import Scope
from recollect.store.usage_ledger import LANGUAGE, UsageLedger
from tests.support.running_server import RunningServer
from tests.unit.server.client import Client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The owner's client of a real server with a home of its own."""
    with RunningServer(tmp_path / "home") as server:
        yield Client(server)


def test_what_models_cost_is_told_by_day_and_use(client: Client) -> None:
    """Issue 25: calls, tokens and money, by provider, model, use and day."""
    memory = client.memory
    rooms = memory._rooms  # noqa: SLF001  # as a provider counts
    today = to_datetime(rooms.home.clock.now_ms()).date()
    days = [(today - timedelta(days=back)).isoformat() for back in (40, 6, 0)]
    use = TokenUse(input=30, output=2, cache_read=5, cache_write=4)
    for day in days:
        bill = Bill(model="openai:gpt-9:mini", use=use, usd=0.25, purpose="facts")
        UsageLedger(rooms.records, LANGUAGE).add(day, bill)
    UsageLedger(rooms.records).add(days[2], Bill(model="local:m", use=TokenUse(input=7)))
    told = client.get("models", "spending")[1]
    assert [(each["day"], each["kind"]) for each in told["spending"]] == [
        (days[1], "language"),
        (days[2], "embedding"),
        (days[2], "language"),
    ]
    assert told["spending"][0] == {
        "day": days[1],
        "kind": "language",
        "purpose": "facts",
        "provider": "openai",
        "model": "gpt-9:mini",
        "requests": 1,
        "input_tokens": 30,
        "output_tokens": 2,
        "cache_read_tokens": 5,
        "cache_write_tokens": 4,
        "usd": 0.25,
        "unpriced": 0,
    }
    assert told["spending"][1]["unpriced"] == 1
    assert (told["tokens"], told["usd"]) == (41 * 2 + 7, 0.5)
    assert len(client.get("models", "spending", days=1)[1]["spending"]) == 2
    assert len(memory.spending(41)) == 4
    assert client.get("models", "spending", days=0)[0] == 422
    with pytest.raises(InvalidInput):
        memory.spending(0)


def test_only_the_operator_of_the_home_is_told(client: Client) -> None:
    """Models work for everybody in it."""
    narrow = client.of("narrow", audience="owner", rights="admin", agent="main")
    guest = client.of("guest", audience="session:agent:main:telegram:acc:direct:7", rights="read")
    for other in (narrow, guest):
        assert other.get("models", "spending")[0] == 403
    with pytest.raises(Denied):
        client.memory.within(Scope(agent="main")).spending()
