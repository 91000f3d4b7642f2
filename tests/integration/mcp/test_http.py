"""MCP over streamable HTTP at /mcp of the worker, behind its guard."""

from __future__ import annotations

import importlib.util
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

import recollect
from tests.integration.mcp.conftest import (
    ERAS,
    GUEST,
    WORDS_ONLY,
    Home,
    NewToken,
    Talk,
    answer,
    call,
    failure,
)


def ask(url: str, token: str, talk: Talk[Any], era: str = "auto") -> Any:
    """Talk with the server as who has a token."""

    async def run() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http), mode=era) as client,
        ):
            return await talk(client)

    return anyio.run(run)


@pytest.mark.parametrize("era", ERAS)
def test_the_token_of_a_request_decides_what_is_heard(
    url: str, token: NewToken, home: Home, era: str
) -> None:
    """Issue 12, item 7: streamable HTTP; the scope and the audience come from the token only."""
    heard = {
        name: {
            hit["name"]
            for hit in answer(
                ask(url, token(name, audience), call("memory_search", query="teapot"), era)
            )["results"]
        }
        for name, audience in (("o", "owner"), ("s", "shared"), ("g", f"session:{GUEST}"))
    }
    assert heard == {"o": {"m1", "m2", "m3", "#1"}, "s": set(), "g": {"m3"}}


@pytest.mark.parametrize("era", ERAS)
def test_a_client_of_each_era_is_told_of_progress(
    url: str, token: NewToken, home: Home, era: str
) -> None:
    """Issue 12, item 7: progress, over HTTP as over stdio."""
    with recollect.open(home.folder, overrides=WORDS_ONLY, live=False) as memory:
        said = [("user", f"cup {number}") for number in range(2_000)]
        memory.sessions.append_many(home.owner, said)
    told: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert (total is None, message) == (False, "reading")
        told.append(progress)

    async def talk(client: Client) -> Any:
        return await client.call_tool(
            "memory_search", {"query": "cup 1999"}, progress_callback=hear
        )

    assert answer(ask(url, token("o", "owner"), talk, era))["results"]
    assert told


def test_rights_hold_over_http_and_events_name_the_token(
    url: str, token: NewToken, home: Home
) -> None:
    """Issue 12, item 3: every event names the token."""
    denied = ask(url, token("reader", "owner", "read"), call("forget", id="#1"))
    assert "(denied)" in failure(denied)
    answer(ask(url, token("writer", "owner", "write"), call("forget", id="#1")))
    with recollect.open(home.folder, live=False) as memory:
        (forgotten,) = memory.events.since(0, types=["observation.forgotten"])
    assert forgotten.actor == "writer"


def test_a_token_of_another_channel_forgets_nothing(url: str, home: Home) -> None:
    """As over HTTP: it changes only what is of the channels that it speaks for."""
    with recollect.open(home.folder, overrides=WORDS_ONLY, live=False) as memory:
        name = f"#{memory.observations.record(home.guest, summary='Poured a cup').number}"
        slack, telegram = (
            memory.tokens.add(channel, audience="owner", rights="write", channels=[channel]).text
            for channel in ("slack", "telegram")
        )
    assert "(denied)" in failure(ask(url, slack, call("forget", id=name)))
    with recollect.open(home.folder, live=False) as memory:
        assert memory.observations.get(name).found
    assert answer(ask(url, telegram, call("forget", id=name)))["forgotten"] is True


def test_a_revoked_token_is_refused_at_the_next_request(
    url: str, token: NewToken, home: Home
) -> None:
    """Issue 12, item 3: no connection outlives its token."""
    text = token("gone", "owner")

    async def talk(client: Client) -> Any:
        answer(await client.call_tool("memory_search", {"query": "teapot"}))
        with recollect.open(home.folder, overrides=WORDS_ONLY, live=False) as memory:
            memory.tokens.revoke("gone")
        with pytest.raises(MCPError):
            await search_until_refused(client)

    ask(url, text, talk)
    assert httpx.post(url, json={}, headers={"Authorization": f"Bearer {text}"}).status_code == 401


async def search_until_refused(client: Client) -> None:
    """Ask again and again; what was revoked by another process is known after a second."""
    while True:
        await client.call_tool("memory_search", {"query": "teapot"})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer rcl_wrong"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
    ],
)
def test_the_guard_stands_before_mcp(url: str, headers: dict[str, str], status: int) -> None:
    """DESIGN section 8: host, origin and token are checked before routing."""
    assert httpx.post(url, json={}, headers=headers).status_code == status


def test_what_is_no_request_of_mcp_is_refused(url: str, token: NewToken) -> None:
    """No stream stays open without a session; bodies have a limit; garbage is a client's error."""
    headers = {"Authorization": f"Bearer {token('o', 'owner')}"}
    refused = httpx.get(url, headers=headers)
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert refused.json()["error"]["hint"] == "use POST"
    assert httpx.delete(url, headers=headers).status_code == 405
    accept = headers | {"Accept": "application/json, text/event-stream"}
    assert httpx.post(url, json={"a": "b" * 1_000_001}, headers=accept).status_code == 413
    for body in (b"{", b"[" * 10_000, b"\xff", b"{}", b"null"):
        sent = httpx.post(url, content=body, headers=accept | {"Content-Type": "application/json"})
        assert 400 <= sent.status_code < 500, body[:9]


def test_without_its_packages_it_says_what_to_install(
    url: str, token: NewToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 12: an extra is not an accident; the other routes go on."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    headers = {"Authorization": f"Bearer {token('o', 'owner')}"}
    told = httpx.post(url, json={}, headers=headers)
    assert told.status_code == 404
    assert told.json()["error"]["hint"] == "run `pip install 'recollect[mcp]'`"
    assert httpx.get(url.replace("/mcp", "/api/health")).status_code == 200
