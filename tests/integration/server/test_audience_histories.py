"""Random histories over HTTP: no route, stream or error says to a token what is not its own.

The histories are those of `tests.integration.recall.test_audiences`, which says anew who hears a
word, played through a real server. The requests are made from the routes, which are those of
``/openapi.json``: one with a field that `Asking` does not know fails. Tokens are of all audiences
and narrowings; each calls every route, and finds all that is its own. `make soak` plays more.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import pytest

from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.server.app import all_routes
from recollect.server.metrics import Metrics
from recollect.server.request import takes_json
from recollect.server.route import AnyRoute, StreamRoute, UploadRoute
from recollect.server.series import Series
from recollect.store.digests import note_digest
from recollect.store.engine import Transaction
from tests.integration.recall.test_audiences import (
    SEEN,
    TOKEN,
    Audience,
    History,
    Said,
)
from tests.support.running_server import RunningServer
from tests.support.wire import WAIT_S, Reply, Wire, request

HISTORIES = int(os.environ.get("HTTP_HISTORIES", "4"))  # noqa: TID251 - `make soak`
SEED = int(os.environ.get("HTTP_SEED", "20261122"))  # noqa: TID251 - to play one again
SHARE = float(os.environ.get("HTTP_SHARE", "0.02"))  # noqa: TID251 - `make soak`
"""Which part of the requests is made, drawn by the seed; ten thousand whole histories would take
days."""
CALLED = float(os.environ.get("HTTP_CALLED", "0.3"))  # noqa: TID251 - `make soak`
"""Which part of the routes a token calls in one history: over thousands each pair is tried."""
PARTS = 2
"""Tests that share the histories, so that all cores play."""
MOST = 4
"""Conversations that have a token, or are asked for by every other one."""
TRIES = 3
"""Connections for one request: an idle one may be closed just when it is sent."""
PROJECT = "/srv/apple"
AGENT = "work"
OF_PROJECT, OF_AGENT = "agent:main:cron:apples", f"agent:{AGENT}:cron:apples"
NARROWED = ((OF_PROJECT, "main", PROJECT), (OF_AGENT, AGENT, None))
"""Keys of sessions that narrowed tokens hear, their agents and projects."""
NO_ID = "01a203ee-0000-7000-8000-000000000000"
NO_NUMBER = 999_999
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TOOK = re.compile(rb'"took_ms":[^,}]*')
WIDE: dict[str, Any] = {
    "query": "apple",
    "limit": 1_000,
    "min_score": 0.0,
    "before": 99,
    "after": 99,
    "max_tokens": 9_000,
    "budget_tokens": 9_000,
    "full": True,
}
"""Fields that let an answer say as much as it can."""
SESSIONS = ("key", "session_key", "session", "for_session", "session_id", "session_ids")
RECORDS = ("id", "ids", "anchor", "by")
AS_THEY_ARE = frozenset(
    {
        *(
            "after_seq",
            "agent_id",
            "at_seq",
            "before_seq",
            "channel",
            "client",
            "content",
            "cursor",
            "owner",
        ),
        *(
            "created_at",
            "date_from",
            "date_to",
            "days",
            "dry_run",
            "error",
            "event_id",
            "files",
            "foreign_id",
        ),
        *("from_line", "importance", "input", "last_event_id", "left_out", "lines", "metadata"),
        *(
            "min_confidence",
            "min_importance",
            "minutes",
            "mode",
            "model",
            "name",
            "other_tenant",
            "output",
        ),
        *("project_path", "reason", "record", "role", "sender", "since", "source", "status"),
        *("summary", "title", "tool_name", "tool_use_id", "type", "types", "unread", "until"),
        *("agent", "audience", "channels", "expires_at", "revoked", "rights", "tenant"),
        *("channel_user_id", "code", "number"),
        *("about", "as_of", "confidence", "fact", "kind", "pinned", "text", "trust", "user_id"),
        *("with_forks", "task", "steps"),
        *("action", "apart", "confirm", "deep", "outcome", "probe", "undo", "value"),
        *("accept", "body", "edits", "reply_to_agent", "secret", "signature", "timestamp"),
        *("root", "paths", "label", "on_conflict", "plan_id", "actor", "only_call", "conversation"),
    }
)
"""Fields that name nothing which is somebody's."""
NEEDED: dict[str, Any] = {"role": "user", "content": "apple"}
"""Of routes that cannot do without."""
DONE: dict[str, Any] = {
    "title": "apple",
    "tool_name": "Read",
    "summary": "apple",
    "dry_run": True,
    "minutes": 1,
}
"""Fields that let a route that changes something do so, and no harm to what is asked afterwards."""
HOOKS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")


class Http:
    """One connection of one token.

    Args:
        server: Is asked.
        text: The token.
    """

    def __init__(self, server: RunningServer, text: str) -> None:
        self._server, self.text = server, text
        self._wire = Wire(server.port)

    def call(self, route: AnyRoute, fields: dict[str, Any]) -> Reply:
        """Return the answer of a route to some fields; of a stream only the head."""
        data, is_events = self._request(route, dict(fields)), route.path == "/api/events"
        for _ in range(TRIES):
            try:
                reply = self._wire.send(data).reply(is_stream=is_events)
            except TimeoutError:
                pytest.fail(f"no answer in {WAIT_S} s: {route.method} {route.path} {fields}")
            if reply is None or reply.headers.get("connection") == "close":
                self._wire.close()
                self._wire = Wire(self._server.port)
            if reply is not None:
                return reply
        pytest.fail(f"hung up on {TRIES} times: {route.method} {route.path} {fields}")

    def _request(self, route: AnyRoute, fields: dict[str, Any]) -> bytes:
        path = route.path
        for name in re.findall(r"\{(\w+)\}", path):
            path = path.replace(f"{{{name}}}", quote(str(fields.pop(name)), safe=""))
        headers = self.headers()
        body = b""
        if isinstance(route, UploadRoute):
            headers["content-type"], body = route.takes[0], fields.pop("file", b"")
            path += "?" + urlencode(fields)
        elif takes_json(route):
            body = msgspec.json.encode(fields)
            headers["content-type"] = "application/json"
        elif fields:
            path += "?" + urlencode(fields, doseq=True)
        headers["content-length"] = str(len(body))
        return request(route.method, path, headers, body)

    def headers(self) -> dict[str, str]:
        """Return those of any request."""
        return self._server.headers(authorization=f"Bearer {self.text}")

    def close(self) -> None:
        """Hang up."""
        self._wire.close()


def route_of(method: str, path: str) -> AnyRoute:
    """Return one of the routes."""
    return next(each for each in ROUTES if (each.method, each.path) == (method, path))


ROUTES = (*all_routes(), Metrics(lambda: 0).route(), Series().route())


class Token:
    """A token that hears, and whom the history says that it hears.

    Attributes:
        audience: None for everything in its tenant and project.
        key: Of its session, where it has one.
    """

    def __init__(
        self, http: Http, name: str, tenant: str, audience: Audience | None, key: str | None
    ) -> None:
        self.http, self.name, self.tenant, self.audience, self.key = (
            *(http, name, tenant, audience, key),
        )
        self.project: str | None = None
        self.agent: str | None = None

    @property
    def speaks_under(self) -> str:
        """The key of a session whose events it hears."""
        return self.key or (OF_AGENT if self.agent else OF_PROJECT)

    @property
    def hears_files(self) -> Audience | None:
        """Whose notes it hears: an owner those of everybody."""
        return None if self.audience is None or self.audience[0] == "owner" else self.audience


class Through:
    """What a memory has, but for some of it."""

    def __init__(self, real: Any, **others: Any) -> None:
        self._real, self._others = real, others

    def __getattr__(self, name: str) -> Any:
        """Return what stands for it, or the real one."""
        return self._others[name] if name in self._others else getattr(self._real, name)


class HttpHistory(History):
    """A history that is played through a server, as far as a route does it."""

    server: RunningServer
    owners: dict[str, Http]

    def opened(self, tenant: str, overrides: dict[str, object], opened: ExitStack) -> Any:
        """Return the memory of a tenant, whose words come in and change over HTTP."""
        if tenant == "local":
            home = self.folder / "home"
            folder = {"workspace.path": str(self.folder / "workspace")}  # not the other tenant's
            self.server = RunningServer(home, overrides=overrides | folder)
            opened.enter_context(self.server)
            self.stack, self.owners, self.projects = opened, {}, dict[str, str]()
        text = self.server.token
        if tenant != "local":
            given: Any = {"audience": "owner", "rights": "admin", "channels": ["*"]}
            text = self.server.tokens.add(tenant, tenant=tenant, **given).text
        self.owners[tenant] = Http(self.server, text)
        opened.callback(self.owners[tenant].close)
        return self.over_http(tenant, self.server.pool.memory(scope=Scope(tenant=tenant)))

    def over_http(self, tenant: str, memory: Memory) -> Any:
        """Return a memory that asks the server."""

        def done(method: str, path: str, **fields: Any) -> Any:
            reply = self.owners[tenant].call(route_of(method, path), fields)
            assert reply.status in {200, 201}, (path, reply.status, reply.body)
            return reply.json

        def append_many(session: str, each: list[Any]) -> None:
            for given in each:
                pair = given if isinstance(given, dict) else {"role": given[0], "content": given[1]}
                done("POST", "/api/messages", session_key=session, **pair)

        def set_status(session: str, status: str) -> None:
            done("PATCH", "/api/sessions/{key}", key=session, status=status)

        def fork(session: str) -> SimpleNamespace:
            made = done("POST", "/api/sessions/{key}/fork", key=session)
            if session in self.projects:
                self.projects[made["id"]] = self.projects[session]
            return SimpleNamespace(**made)

        def record(session: str, tool: str, **fields: Any) -> SimpleNamespace:
            made = done("POST", "/api/observations", session_id=session, tool_name=tool, **fields)
            return SimpleNamespace(number=made["id"], type=made["type"])

        def erase(*, session_id: str, with_forks: bool) -> SimpleNamespace:
            order = {"session": session_id, "with_forks": with_forks}
            plan = done("POST", "/api/erase", **order, dry_run=True)
            made = done("POST", "/api/erase", **order, plan_id=plan["plan_id"])
            return SimpleNamespace(**made)

        own = Through(memory.sessions, append_many=append_many, set_status=set_status, fork=fork)
        observed = Through(memory.observations, record=record)
        return Through(memory, sessions=own, observations=observed, erase=erase)

    def play(self) -> None:
        """Do some steps; some of it is in a project.

        The caps of the day are enforced before there is anything above them: the background would
        do it at a time of its own, and what is above them then is no word that was lost.
        """
        self.in_project()
        self.server.pool.memory()._rooms.opened.chores.run(lambda: False)  # noqa: SLF001
        super().play()

    def in_project(self) -> None:
        """Say something in a project, and as an agent; the session is begun where there is none."""
        for tenant, (key, agent, project) in itertools.product(("local", "other"), NARROWED):
            fields = {"session_key": key, "project_path": project}
            reply = self.owners[tenant].call(route_of("POST", "/api/sessions"), fields)
            assert reply.status in {200, 201}, reply.body
            session = self.memories[tenant].sessions.known(key).id  # type: ignore[union-attr]
            if project is not None:
                self.projects[session] = project
            self.speak(Said(session, tenant, agent, None), None)

    def check(self) -> None:
        """Ask with tokens of every kind; that of a project has something to hear.

        The project's session may have been erased. One that is begun under its key without the
        project would be no event for the project's token, which waits for one.
        """
        self.in_project()
        self.know()
        Asking(self).everything()

    def know(self) -> None:
        """Remember a fact of each message that is there, with its word."""
        for session, chat in self.chats.items():
            if session in self.hidden:
                continue
            memory = self.server.pool.memory(scope=Scope(tenant=chat.tenant))
            for message in memory.sessions.messages(session):
                for word in TOKEN.findall(message.text):
                    memory.facts.remember(None, f"An apple fact {word}", source=message.id)


class Asking:
    """Asks with tokens of every kind, and judges what they are told by the history.

    Args:
        history: Was played.
    """

    def __init__(self, history: HttpHistory) -> None:
        self.history, self.server = history, history.server
        self.words = 0
        """How many were told: nothing asked is nothing proved."""
        self.known = {
            session: chat.tenant for session, chat in history.chats.items()
        } | dict.fromkeys(history.gone, "")
        self.tokens: list[Token] = []
        for tenant, http in history.owners.items():
            self.tokens.append(Token(http, "owner", tenant, None, None))
            self._add("project", tenant, None, None, audience="owner", project=PROJECT)
            self.tokens[-1].project = PROJECT
            self._add("agent", tenant, None, None, audience="owner", agent=AGENT)
            self.tokens[-1].agent = AGENT
            own = ("guest", tenant)
            name = f"guest-{tenant}"
            self._add(name, tenant, own, f"guest:{name}", audience="shared")
        self._conversations()

    def _conversations(self) -> None:
        """Add tokens of conversations: of guests first, and of as many kinds as there are."""
        found: dict[Audience, list[tuple[str, str, Audience]]] = {}
        for session, chat in self.history.chats.items():
            if session in self.history.hidden:
                continue
            sessions = self.history.memories[chat.tenant].sessions
            key = sessions.get(session).key
            if key is None or sessions.known(key).id != session:  # type: ignore[union-attr]
                continue
            audience = chat.askers.get(None, ("nobody",))
            found.setdefault(audience[:1], []).append((chat.tenant, key, audience))
        most = len(self.tokens) + MOST
        while len(self.tokens) < most and any(found.values()):
            for each in found.values():
                if each:
                    tenant, key, audience = each.pop(0)
                    number = len(self.tokens)
                    self._add(f"s{number}", tenant, audience, key, audience=f"session:{key}")

    def _add(
        self, name: str, tenant: str, heard: Audience | None, key: str | None, **given: Any
    ) -> None:
        name = f"{name}-{tenant}-{len(self.tokens)}" if key is None else name
        issued = self.server.tokens.add(name, tenant=tenant, rights="admin", **given)
        http = Http(self.server, issued.text)
        self.history.stack.callback(http.close)
        self.tokens.append(Token(http, name, tenant, heard, key))

    def everything(self) -> None:
        """Capture, listen, read, reach for what is others', and change what can be changed."""
        described = json.loads(self.server.call("GET", "/openapi.json").body)["paths"]
        told = {(m.upper(), path) for path, methods in described.items() for m in methods}
        asked = {(route.method, route.path) for route in ROUTES}
        assert told - {("GET", "/openapi.json")} == asked, "a route that no history asks"
        live = [self._listen(token, "") for token in self.tokens]
        for token in self.tokens:
            self._capture(token)
        for memory in self.history.memories.values():
            memory.sync()
        for token in self.tokens:
            self._read(token)
        for tenant in self.history.owners:
            self._ask_for_any(tenant)
        for token in self.tokens:
            if token.audience is not None:
                self._reach(token)
        for token, wire in zip(self.tokens, live, strict=True):
            self._heard(token, wire)
            self._heard(token, self._listen(token, "?since=0"))
        for token in self.tokens:
            if token.key is None or not self._is_shared(token):
                self._act(token)  # in a shared session whoever spoke last is whom it hears as
        self._void()

    def _capture(self, token: Token) -> None:
        """Say something as a token whose session is one person's or place's."""
        if token.audience is None or token.audience[0] == "owner" or token.key is None:
            return
        if self._is_shared(token):
            return  # without a sender it would be nobody's that is known
        number = len(self.history.heard)
        word = f"zq{number + 1}x"
        given = {"session_key": token.key, "role": "user", "content": f"apple {word}"}
        reply = token.http.call(route_of("POST", "/api/messages"), given)
        assert reply.status == 201, (token.name, reply.body)
        session = reply.json["session_id"]
        self.known[session] = token.tenant
        assert self.history.word(session, token.tenant, token.audience) == word
        agent = token.key.split(":")[1] if token.key.startswith("agent:") else "main"
        known = self.history.chats
        known.setdefault(session, Said(session, token.tenant, agent, token.audience))

    def _read(self, token: Token) -> None:
        """Ask every route that only reads, and those for admins that remove nothing."""
        for route in self._routes():
            if route.right not in {None, "read"} or route.path == "/api/events":
                continue
            for fields in self._given(token, route):
                self._judge(token, route, fields, token.http.call(route, fields))
        if self.history.is_whole:
            self._finds_all(token)

    def _is_drawn(self) -> bool:
        return self.history.dice.random() < SHARE

    def _routes(self) -> list[AnyRoute]:
        """Return the routes that a token calls, as many as `CALLED` says."""
        return [each for each in ROUTES if CALLED >= 1 or self.history.dice.random() < CALLED]

    def _finds_all(self, token: Token) -> None:
        """Require that nothing of what a token hears is missing: found, listed and read."""
        history, tenant = self.history, token.tenant

        def told(method: str, path: str, **fields: Any) -> str:
            return token.http.call(route_of(method, path), fields).body.decode()

        heard = {(tenant, token.audience)} if token.audience else {
            each for each in history.heard.values() if each[0] == tenant
        }  # fmt: skip
        mine = {
            word
            for word in history.shown()
            if history.heard[word] in heard and self._is_within(token, history.of[word])
        }
        wide = {"query": "apple", "limit": 1_000, "min_score": 0.0, "sources": ["sessions"]}
        found = told("POST", "/api/memory/search", **wide)
        assert set(TOKEN.findall(found)) == mine, (token.name, token.audience)
        if token.audience is not None and token.audience[0] != "guest":
            return  # its words may be in a session that it shares with others
        listed = json.loads(told("GET", "/api/sessions", limit=1_000))["sessions"]
        ids = {each["id"] for each in listed}
        sessions = {history.of[word] for word in mine} - history.hidden
        assert sessions <= ids, (token.name, sessions - ids)
        read = "".join(told("GET", "/api/messages", session_key=each, limit=1_000) for each in ids)
        assert mine <= set(TOKEN.findall(read)), token.name
        if token.audience is None:
            numbers = [f"#{n}" for n in range(1, len(history.seen) // 4 + 2)]
            seen = told("POST", "/api/memory/get", ids=numbers, max_tokens=None)
            assert {
                word
                for word, (theirs, _, at) in history.seen.items()
                if theirs == tenant and history.lives(at) and self._is_within(token, at)
            } <= set(SEEN.findall(seen)), token.name

    def _is_within(self, token: Token, session: str) -> bool:
        """Return whether a session is within what a token is narrowed to."""
        if token.project is not None:
            return self.history.projects.get(session) == token.project
        return token.agent is None or self.history.chats[session].agent == token.agent

    def _act(self, token: Token) -> None:
        """Call every route that changes something, and judge what it answers."""
        is_tenants = token.audience is None and token.project is token.agent is None
        for route in self._routes():
            if route.right in {None, "read"}:
                continue
            if is_tenants and route.path in {"/api/reindex", "/api/import"}:
                continue  # slow, and everything is there
            for number, fields in enumerate(self._acts(token, route)):
                if number and not self._is_drawn():
                    continue
                reply = token.http.call(route, fields)
                if reply.status == 200 and route.path.endswith("/end"):
                    self.history.hidden.discard(fields["key"])  # what is ended is not deleted
                self._judge(token, route, fields, reply)
                is_refused = route.right == "admin" and token.audience is not None
                assert reply.status == 403 or not is_refused, (token.name, route.path, reply.body)

    def _acts(self, token: Token, route: AnyRoute) -> Iterator[dict[str, Any]]:
        """Yield the fields of requests that change something."""
        if isinstance(route, UploadRoute):
            # Of a narrowed operator its own: what it brings in without an agent becomes its own.
            http = token.http if token.audience is None else self.history.owners[token.tenant]
            export = http.call(route_of("GET", "/api/export"), {})
            yield {"file": export.body}
            return
        if route.path == "/api/hooks/{client}":
            for hook in HOOKS:
                for session in self._values(token, "session_id")[:2]:
                    payload = {"hook_event_name": hook, "session_id": session, "cwd": PROJECT}
                    said = {"prompt": "apple", "tool_name": "Read", "tool_input": {"a": "apple"}}
                    yield {"client": "claude-code", **payload, **said}
            return
        done = {
            f.name: DONE[f.name] for f in msgspec.structs.fields(route.fields) if f.name in DONE
        }
        for fields in self._given(token, route):
            yield done | fields

    def _ask_for_any(self, tenant: str) -> None:
        """Ask for each conversation with one token that may: each hears what is its own.

        Where a request names none the token is a guest of its own, to whom nothing was said.
        """
        name = f"any-{tenant}"
        self._add(name, tenant, ("guest", name), f"guest:{name}", audience="session:*")
        token = self.tokens.pop()
        for route in self._routes():
            if route.right in {None, "read"} and route.path != "/api/events":
                for fields in self._given(token, route):
                    if not _names_session(route, fields):
                        self._judge(token, route, fields, token.http.call(route, fields))
        for session, chat in self.history.chats.items():
            if session not in self.history.hidden:
                for sender, audience in chat.askers.items() if self._is_drawn() else ():
                    self._ask_for(token, session, sender, audience)
        for session in self.history.gone:
            self._ask_for(token, session, None, None)

    def _ask_for(
        self, token: Token, session: str, sender: str | None, audience: Audience | None
    ) -> None:
        """Ask for one conversation, as one whom it answers; it must be there for the token."""
        is_there = self.known[session] == token.tenant
        heard = Token(token.http, token.name, token.tenant, audience, token.key)
        for name in ("search", "read", "timeline", "get", "context"):
            route = route_of("POST", f"/api/memory/{name}")
            field = "session_id" if name == "context" else "for_session"
            for given in self._given(token, route):
                if "scope" in given:
                    continue
                fields = given | {field: session, "for_sender": sender}
                reply = token.http.call(route, fields)
                if is_there:
                    self._judge(heard, route, fields, reply)
                    if name == "search" and given.keys() <= WIDE.keys():
                        self._is_all(token.tenant, audience, reply)
                else:
                    assert reply.status == 404, (route.path, fields, reply.body)

    def _is_all(self, tenant: str, audience: Audience | None, reply: Reply) -> None:
        """Require that a search told every message that an audience hears."""
        history = self.history
        if history.is_whole:
            heard = {w for w in history.shown() if history.heard[w] == (tenant, audience)}
            hits = [hit for hit in reply.json["hits"] if hit["session_id"] is not None]
            assert {w for hit in hits for w in TOKEN.findall(hit["snippet"])} == heard, audience

    def _given(self, token: Token, route: AnyRoute) -> Iterator[dict[str, Any]]:
        """Yield the fields of requests: wide, and with the name of each thing that there is."""
        found = msgspec.structs.fields(route.fields)
        plain: dict[str, Any] = {}
        for each in found:
            if each.name in WIDE:
                plain[each.name] = WIDE[each.name]
            elif each.required or f"{{{each.name}}}" in route.path:
                values = self._values(token, each.name)
                plain[each.name] = values[0] if values else NEEDED.get(each.name, "apple")
        if route.path.endswith("/timeline"):
            plain |= {"anchor": "#1", "query": None}
            plain.pop("query")
        yield plain
        for each in found:
            for value in self._values(token, each.name):
                if self._is_drawn():
                    yield plain | {each.name: value}
        if "foreign_id" in {each.name for each in found}:
            program = {"foreign_id": "5b1f6a3e", "client": "openclaw"}
            for value in self._values(token, "session_id"):
                yield plain | program | {"session_id": value}

    def _values(self, token: Token, name: str) -> list[Any]:
        """Return what a field may name; a field that is not known here must be thought about."""
        if name in SESSIONS:
            names: list[Any] = [*list(self.history.chats)[:MOST], *self._keys()[:MOST]]
            names += [NO_ID] + [token.key] * (token.key is not None)
            return [[each] for each in names] if name == "session_ids" else names
        if name in RECORDS:
            numbers = list(range(1, len(self.history.seen) // 4 + 1))
            if name == "ids":
                said = [f"m{n}" for n in range(1, 2 * len(self.history.heard))]
                return [[f"#{n}" for n in numbers], said, [f"e{n}" for n in range(1, 30)]]
            facts = [f"f{n}" for n in range(1, 3 * MOST)]
            messages = [f"m{n}" for n in range(1, MOST)]  # what files were before an answer
            return [f"#{n}" for n in numbers[: 3 * MOST]] + facts + messages
        if name == "path":
            return ["MEMORY.md", *list(self.history.guest_notes())[:MOST]]
        if name in {"project", "near_project", "into"}:
            return [PROJECT, "apple"]
        if name == "for_sender":
            return ["telegram:42"]
        if name == "scope":
            scopes = [Scope(tenant=t) for t in ("local", "other")]
            return [*scopes, *(Scope(session=s) for s in list(self.history.chats)[:MOST])]
        if name == "sources":
            return [["sessions", "observations"], ["memory"]]
        if name == "result":
            return [self._result(token.tenant), self._result("local")]
        assert name in AS_THEY_ARE or name in WIDE, f"say what the field {name} may name"
        return []

    def _result(self, tenant: str) -> Any:
        """Return what the operator finds, without the words."""
        fields = {"query": "apple", "limit": 1_000, "min_score": 0.0}
        reply = self.history.owners[tenant].call(route_of("POST", "/api/memory/search"), fields)
        return json.loads(TOKEN.sub("", SEEN.sub("", reply.body.decode())))

    def _keys(self) -> list[str]:
        keys = [token.key for token in self.tokens if token.key is not None]
        return [*keys, "telegram:42", "agent:main:main"]

    def _judge(self, token: Token, route: AnyRoute, fields: dict[str, Any], reply: Reply) -> None:
        """Require that an answer says only what is the token's."""
        place = (token.name, token.audience, route.method, route.path, fields)
        assert reply.status < 500, (place, reply.body)
        text = reply.body.decode() + " ".join(reply.headers.values())
        try:
            if route.path == "/api/export":
                files, told = "", text
            elif route.path == "/api/audit" and reply.status == 200:
                files, told = "", self._audited(token, reply.json["entries"])
            else:
                files, told = self._split(text, is_file="path" in fields)
            is_whole = token.audience is None and route.path == "/api/export"
            self._told(token, told, sent=str(fields), deleted=is_whole)
            self._filed(token, files)
        except AssertionError as error:
            error.add_note(f"{place}: {text[:3_000]}")
            raise

    def _audited(self, token: Token, entries: list[dict[str, Any]]) -> str:
        """Return entries of an audit without the erased sessions: it must name those for ever."""
        assert {each["tenant"] for each in entries} <= {token.tenant}
        gone = self.history.gone
        return json.dumps([each for each in entries if each["target"] not in gone])

    def _split(self, text: str, *, is_file: bool) -> tuple[str, str]:
        """Return what an answer says of files, and the rest of it."""
        if is_file:
            return text, ""
        try:
            value, _ = json.JSONDecoder().raw_decode(text)
        except ValueError:
            return "", text
        files: list[str] = []
        return " ".join(files), json.dumps(_without_files(value, files))

    def _told(self, token: Token, text: str, sent: str = "", *, deleted: bool = False) -> None:
        history = self.history
        said, seen = set(TOKEN.findall(text)), set(SEEN.findall(text))
        self.words += len(said) + len(seen)
        history.within(token.tenant, said, token.audience)
        living = {word for word in seen if history.lives(history.seen[word][2])}
        gone = {word for word in seen if history.seen[word][2] not in history.chats}
        assert not gone, "erased"
        history.observed(token.tenant, living if deleted else seen, token.audience)
        assert {history.seen[word][0] for word in seen} <= {token.tenant}
        if token.project is not None:
            sessions = {history.of[word] for word in said} | {history.seen[w][2] for w in seen}
            assert {history.projects.get(each) for each in sessions} <= {token.project}
        if token.agent is not None:
            sessions = {history.of[word] for word in said} | {history.seen[w][2] for w in seen}
            assert {history.chats[each].agent for each in sessions} <= {token.agent}
        for session in set(ID.findall(text)) & set(self.known) - set(ID.findall(sent)):
            self._named(token, session)

    def _named(self, token: Token, session: str) -> None:
        """Require that a token may know of a session."""
        history = self.history
        assert self.known[session] == token.tenant, session
        if token.audience is None:
            assert session not in history.chats or self._is_within(token, session), session
            return
        spoke = {history.heard[w][1] for w, sayers in history.sayers.items() if session in sayers}
        chat = history.chats.get(session)
        if chat is not None and token.audience == history.hearers(("owner",), chat.agent):
            found = history.memories[token.tenant].sessions.get(session)
            if found.chat_type is None:
                return  # it is the owner's, whoever else speaks there
        assert token.audience in spoke, (session, spoke)

    def _filed(self, token: Token, text: str) -> None:
        self.history.noted(token.tenant, set(TOKEN.findall(text)), token.hears_files)
        if token.hears_files is not None or token.tenant != "local":
            assert "apple of the owner" not in text

    def _reach(self, token: Token) -> None:
        """Require that what is others' is answered as what does not exist, whatever is done."""
        for route in self._routes():
            if isinstance(route, StreamRoute | UploadRoute) and route.path != "/api/export":
                continue
            if route.is_lenient or route.path == "/api/messages" or route.path == "/api/sessions":
                continue
            for each in msgspec.structs.fields(route.fields):
                for theirs, none in self._others(token, each.name):
                    if not self._is_drawn():
                        continue
                    fields = next(self._given(token, route))
                    mine = self._same(token, route, fields | {each.name: theirs}, theirs)
                    nobodys = self._same(token, route, fields | {each.name: none}, none)
                    assert mine == nobodys, (token.name, token.audience, route.path, theirs)

    def _same(
        self, token: Token, route: AnyRoute, fields: dict[str, Any], name: Any
    ) -> tuple[int, bytes]:
        reply = token.http.call(route, fields)
        names = name if isinstance(name, list) else [name]
        body = TOOK.sub(b"", reply.body)
        for each in names:
            body = body.replace(json.dumps(each).encode(), b"NAME")
        return reply.status, body

    def _others(self, token: Token, field: str) -> Iterator[tuple[Any, Any]]:
        """Yield names of what is others', and of what does not exist."""
        history = self.history
        if field in SESSIONS and field != "session_key":
            for session in self.known:
                sayers = history.sayers.items()
                spoke = {history.heard[word][1] for word, by in sayers if session in by}
                if self.known[session] != token.tenant or token.audience not in spoke:
                    both = (session, NO_ID)
                    yield both if field != "session_ids" else ([session], [NO_ID])
        if field in {"id", "ids"}:
            for _, number in history.numbered:  # each tenant counts from 1
                word = history.numbered.get((token.tenant, number))
                if word is None or history.seen[word][1] != token.audience:
                    both = (f"#{number}", f"#{NO_NUMBER}")
                    yield both if field == "id" else ([both[0]], [both[1]])

    def _listen(self, token: Token, query: str) -> Wire:
        wire = Wire(self.server.port)
        self.history.stack.callback(wire.close)
        wire.send(request("GET", f"/api/events{query}", token.http.headers()))
        head = wire.head()
        assert head is not None
        assert head.status == 200
        return wire

    def _heard(self, token: Token, wire: Wire) -> None:
        """Judge a stream up to an event that the token makes itself, or the operator."""
        key = token.speaks_under
        history, is_shared = self.history, token.key is not None and self._is_shared(token)
        if is_shared and token.hears_files is not None:
            wire.close()  # whoever speaks there next is whom the token hears as
            return
        is_others = token.audience is None or is_shared
        http = history.owners[token.tenant] if is_others else token.http
        given = {"session_key": key, "role": "user", "content": "apple"}
        reply = http.call(route_of("POST", "/api/messages"), given)
        assert reply.status == 201, reply.body
        session, mark = reply.json["session_id"], f'"first_seq":{reply.json["seq"]},'
        self.known.setdefault(session, token.tenant)
        told, until = "", time.monotonic() + WAIT_S
        while not any(session in line and mark in line for line in told.splitlines()):
            # Signs of life come for ever: no read of the socket would time out.
            missing = (token.name, token.audience, key, session, mark, told[-3_000:])
            assert time.monotonic() < until, ("the event does not come", missing)
            piece = wire.piece()
            assert piece is not None, ("the stream ended before the event", missing)
            told += piece.decode()
        self._told(token, told)
        wire.close()

    def _is_shared(self, token: Token) -> bool:
        """Return whether several may speak in the session of a token: its key names no account."""
        own = self.history.memories[token.tenant].sessions.known(token.key)  # type: ignore[arg-type]
        if own is None:
            return False
        return own.chat_type is None or (own.chat_type, own.channel) == ("direct", None)

    def _void(self) -> None:
        """Require that what is void is answered the same on every route, whatever it asks for."""
        tokens, texts = self.server.tokens, []
        for name in ("expired", "revoked"):
            issued = tokens.add(name, audience="owner", rights="admin", expires_at=1 << 42)
            http = Http(self.server, issued.text)
            assert http.call(route_of("GET", "/api/stats"), {}).status == 200
            texts.append(issued.text)
            http.close()
        tokens.revoke("revoked")
        records = tokens._of_home  # noqa: SLF001 - nothing else makes a token old
        expire = "UPDATE tokens SET expires_at = 1 WHERE name = 'expired'"

        def unit(tx: Transaction) -> None:
            tx.execute(expire)
            note_digest(tx, "tokens", [5 * (1 - (1 << 42))])

        records.write(unit)
        void = [Http(self.server, text) for text in (*texts, "rcl_" + "x" * 43)]
        told: list[set[tuple[int, bytes]]] = [set() for _ in void]
        for route in self._routes():
            if route.right is not None:
                fields = next(self._given(self.tokens[0], route))
                for http, answers in zip(void, told, strict=True):
                    reply = http.call(route, fields)
                    answers.add((reply.status, reply.body))
        assert {len(answers) for answers in told} <= {0, 1}, told
        assert all(status == 401 for answers in told for status, _ in answers)
        for http in void:
            http.close()


def _names_session(route: AnyRoute, fields: dict[str, Any]) -> bool:
    """Return whether a request is made on behalf of a session that it names."""
    is_prompts = route.path == "/api/memory/context"
    return is_prompts or not {"for_session", "session_ids", "scope"}.isdisjoint(fields)


def _without_files(value: Any, files: list[str]) -> Any:
    """Return a value without the hits of files, which are added to a list."""
    if isinstance(value, dict):
        if value.get("source") == "memory":
            files.append(json.dumps(value))
            return None
        return {name: _without_files(each, files) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_files(each, files) for each in value]
    return value


def play(folder: Path, seed: int) -> None:
    """Play a history and ask; an error says how to play it again."""
    with ExitStack() as opened:
        history = HttpHistory(folder, seed, opened)
        try:
            history.play()
        except BaseException as error:
            drawn = f"HTTP_SHARE={SHARE} HTTP_CALLED={CALLED}"
            error.add_note(f"HTTP_SEED={seed} {drawn} HTTP_HISTORIES=1: {history.log}")
            raise
    shutil.rmtree(folder)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_token_hears_across_audiences_over_http(part: int, tmp_path: Path) -> None:
    """Issue 12, shows: the histories again over HTTP, with tokens of every kind."""
    for seed in range(SEED + part, SEED + HISTORIES, PARTS):
        play(tmp_path / str(seed), seed)
