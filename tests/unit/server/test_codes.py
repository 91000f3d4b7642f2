"""One-time codes: one exchange within a minute, by a page of ours, for no more rights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from recollect.core.clock import SystemClock
from recollect.governance.tokens import Token
from recollect.server.presence import viewer_page
from recollect.server.viewer import codes
from tests.support.leftovers import files_that_hold
from tests.support.running_server import RunningServer
from tests.support.wire import Reply
from tests.unit.server.client import Client


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """A real server with a home of its own."""
    with RunningServer(tmp_path / "home") as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """The owner's client."""
    return Client(server)


def code_of(client: Client) -> str:
    """Return a new code."""
    status, made = client.post("/api/viewer/codes")
    assert status == 200, made
    return str(made["code"])


def exchanged(server: RunningServer, code: str, **headers: str) -> Reply:
    """Return the answer to a page, which has no token yet."""
    body = msgspec.json.encode({"code": code})
    return server.call("POST", "/api/viewer/token", body, authorization="", **headers)


def test_a_code_becomes_a_token_that_is_listed_and_revocable(
    server: RunningServer, client: Client
) -> None:
    """Issue 25: a row of `tokens`, hashed, 12 hours, in the audit."""
    own = f"http://127.0.0.1:{server.port}"
    code = code_of(client)
    reply = exchanged(server, code, origin=own, sec_fetch_site="same-origin")
    assert reply.status == 201
    made = reply.json
    page = Client(server, made["token"])
    listed = {each["name"]: each for each in page.get("tokens")[1]["tokens"]}
    row = msgspec.convert(listed[made["name"]], Token)
    assert row.expires_at is not None
    assert (row.audience, row.rights) == ("owner", "admin")
    assert row.expires_at == made["expires_at"]
    assert abs(row.expires_at - row.created_at - 12 * 3_600_000) < 1_000
    home = server.pool.memory().home
    assert [files_that_hold(home, secret) for secret in (made["token"], code)] == [[], []]
    entry = client.get("audit")[1]["entries"][-1]
    assert (entry["action"], entry["target"], entry["actor"]) == ("token.add", row.name, "owner")
    assert page.delete(f"/api/tokens/{row.name}")[0] == 200
    assert page.get("tokens")[0] == 401


def test_a_token_of_a_page_survives_its_worker(tmp_path: Path) -> None:
    """It is a row; the codes that are left end with the worker."""
    with RunningServer(tmp_path) as server:
        client = Client(server)
        token = exchanged(server, code_of(client)).json["token"]
        left = code_of(client)
    with RunningServer(tmp_path) as server:
        assert Client(server, token).get("stats")[0] == 200
        assert exchanged(server, left).status == 401


def test_a_code_lets_in_once(server: RunningServer, client: Client) -> None:
    """The second exchange, and one of a code that is none, get the same answer."""
    code = code_of(client)
    assert exchanged(server, code).status == 201
    second, none = exchanged(server, code), exchanged(server, "x" * 43)
    assert (second.status, second.code) == (401, "unauthorized")
    assert second.body == none.body


def test_a_late_code_does_not_let_in(
    server: RunningServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its minute is over."""
    monkeypatch.setattr(codes, "LIVES_S", 0)
    assert exchanged(server, code_of(client)).status == 401


def test_a_code_is_of_one_home(server: RunningServer, client: Client, tmp_path: Path) -> None:
    """The worker of another one knows nothing of it."""
    with RunningServer(tmp_path / "other") as other:
        code = code_of(client)
        assert exchanged(other, code).status == 401
        assert exchanged(server, code).status == 201


def test_another_origin_gets_nothing_and_uses_nothing_up(
    server: RunningServer, client: Client
) -> None:
    """The guard refuses it before the code is looked at."""
    code = code_of(client)
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{server.port + 1}"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"},
    ):
        refused = exchanged(server, code, **headers)
        assert (refused.status, refused.code) == (403, "foreign_origin")
    assert exchanged(server, code, content_type="text/plain").status == 415
    assert exchanged(server, code, host="evil.example").status == 421
    assert exchanged(server, code).status == 201


def test_five_wrong_tries_end_all_codes(server: RunningServer, client: Client) -> None:
    """Four do not; and tries while there is no code count for none."""
    for _ in range(6):
        exchanged(server, "wrong")
    first, second = code_of(client), code_of(client)
    for _ in range(codes.MOST_WRONG - 1):
        assert exchanged(server, "wrong").status == 401
    assert exchanged(server, first).status == 201
    assert exchanged(server, "wrong").status == 401
    assert exchanged(server, second).status == 401
    assert exchanged(server, code_of(client)).status == 201


def test_a_page_may_no_more_than_who_opened_it(server: RunningServer, client: Client) -> None:
    """Nor for longer; and a revoked token opens none."""
    reader = client.of("reader", audience="owner", rights="read")
    made = exchanged(server, code_of(reader)).json
    assert made["rights"] == "read"
    page = Client(server, made["token"])
    assert page.post("/api/erase", {"query": "tea"})[0] == 403
    assert page.get("tokens")[0] == 403
    code = code_of(reader)
    client.delete("/api/tokens/reader")
    assert exchanged(server, code).status == 401
    for granted in ({"audience": "shared"}, {"audience": "owner", "agent": "main"}):
        name = "-".join(granted)
        assert client.of(name, **granted).post("/api/viewer/codes")[0] == 403


def test_a_page_ends_with_the_token_that_opened_it(server: RunningServer, client: Client) -> None:
    """Twelve hours, or less."""
    soon = SystemClock().now_ms() + 600_000
    issued = client.memory.tokens.add("short", audience="owner", expires_at=soon)
    made = exchanged(server, code_of(Client(server, issued.text))).json
    assert made["expires_at"] == issued.token.expires_at


def test_the_file_of_the_browser_goes_with_its_code(server: RunningServer, client: Client) -> None:
    """What is left in it would say when somebody looked."""
    page = viewer_page(client.memory.home)
    page.parent.mkdir()
    page.write_text("a link")
    exchanged(server, code_of(client))
    assert not page.exists()


def test_a_browser_may_come_from_a_file_to_a_page_alone(server: RunningServer) -> None:
    """Chromium sends ``cross-site`` for it; nothing but a page without data may be visited so."""
    visit = ("cross-site", "navigate", "document")
    assert _visited(server, *visit) != "foreign_origin"
    assert _visited(server, "cross-site", "navigate", "iframe") == "foreign_origin"
    assert _visited(server, "cross-site", "no-cors", "document") == "foreign_origin"
    assert _visited(server, *visit, origin="null") == "foreign_origin"
    for method, path in (("GET", "/api/health"), ("GET", "/openapi.json"), ("POST", "/")):
        assert _visited(server, *visit, method=method, path=path) == "foreign_origin"


def _visited(
    server: RunningServer,
    site: str,
    mode: str,
    dest: str,
    *,
    method: str = "GET",
    path: str = "/",
    origin: str | None = None,
) -> str | None:
    """Return the code of the error that a browser gets."""
    more = {} if origin is None else {"origin": origin}
    given = {"sec_fetch_site": site, "sec_fetch_mode": mode, "sec_fetch_dest": dest}
    return server.call(method, path, b"", **given, **more).code
