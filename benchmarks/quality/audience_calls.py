"""What a worker tells to tokens: HTTP, MCP and the stream of events, by a real connection."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import recollect
from benchmarks.served import serving

Answer = tuple[str, object]
Call = tuple[str, str, dict[str, Any]]
"""Method, path and fields."""
EVENT = {"event_id": "once"}
_WAIT_S = 30.0
_SILENT_S = 2.0
"""A stream that says nothing for so long has nothing more for its token."""
_SILENCE = "nothing more"
_MOST = 1_000
_SOME = 5
"""Calls of one step."""
_WIDE = {"query": "apple", "limit": _MOST, "min_score": 0.0}


class _Token:
    """A token that was made: its text, and the key of the session that it hears."""

    def __init__(self, name: str, text: str, given: Mapping[str, Any]) -> None:
        self.name, self.text, self.tenant = name, text, given["tenant"]
        audience = str(given["audience"])
        self.agent, self.project = given.get("agent"), given.get("project")
        own = f"guest:{name}" if audience in {"shared", "session:*"} else "agent:main:main"
        self.key = audience.removeprefix("session:") if audience[8:] not in {"", "*"} else own
        if self.agent is not None:
            self.key = f"agent:{self.agent}:main"


class ServedHome:
    """A worker of a home, on a thread, and the tokens that ask it.

    Args:
        home: Its settings are in its file.
        memories: Of the same home by tenant; they are asked anew each time.
    """

    def __init__(self, home: Path, memories: Mapping[str, recollect.Memory]) -> None:
        self._memories = memories
        self._tokens: list[_Token] = []
        self._held = ExitStack()
        self._port = self._held.enter_context(serving(home))
        owners = (home / "token").read_text("utf-8").strip()
        self._tokens.append(_Token("owner", owners, {"tenant": "local", "audience": "owner"}))
        self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_WAIT_S)

    def close(self) -> None:
        """Stop the worker, and wait for it."""
        self._connection.close()
        self._held.close()

    def add(self, given: Mapping[str, Any]) -> object:
        """Make a token."""
        name = f"t{len(self._tokens)}"
        text = self._memories["local"].tokens.add(name, **given).text
        self._tokens.append(_Token(name, text, given))
        return name

    def revoke(self, pick: int) -> object:
        """Revoke one of the tokens, which asks on afterwards; or make that of the owner anew."""
        token = self._tokens[pick % len(self._tokens)]
        return self._memories["local"].tokens.revoke(token.name)

    def some(self, pick: int, names: Sequence[str], files: Sequence[str]) -> Iterator[Answer]:
        """Yield some answers to one token."""
        token = self._tokens[pick % len(self._tokens)]
        calls = _calls([token.key, *names], files)
        for number in range(_SOME):
            yield self._called(token, calls[(pick // 7 + number * 5) % len(calls)])

    def everything(self, names: Sequence[str], files: Sequence[str]) -> Iterator[Answer]:
        """Yield every answer to the newest tokens."""
        for token in self._tokens[-2:]:
            for call in _calls([token.key, *names], files):
                yield self._called(token, call)

    def sent(
        self, pick: int, names: Sequence[str], sender: str | None, word: str
    ) -> Iterator[Answer]:
        """Yield what a token is told that writes into its own session, and into another."""
        token = self._tokens[pick % len(self._tokens)]
        for name in (token.key, *names[pick % 3 : pick % 3 + 1]):
            message = {"role": "user", "content": f"apple {word}", "sender": sender}
            message |= EVENT if pick % 2 else {}
            observed = {"tool_name": "Bash", "output": f"apple {word}", "summary": f"apple {word}"}
            place = {"session_key": name, "project_path": token.project}
            yield self._called(token, ("POST", "/api/messages", place | message))
            yield self._called(token, ("POST", "/api/observations", place | observed))

    def _called(self, token: _Token, call: Call) -> Answer:
        method, path, fields = call
        shown = json.dumps(fields.get("params", fields))
        return f"{token.name}: {method} {path} {shown}", self._send(token, *call)

    def _send(self, token: _Token, method: str, path: str, fields: Mapping[str, Any]) -> bytes:
        """Return status and body of an answer."""
        headers = {"authorization": f"Bearer {token.text}"}
        body = None
        if method == "POST":
            body = json.dumps(fields)
            headers["content-type"] = "application/json"
            headers["accept"] = "application/json, text/event-stream"
        elif fields:
            path += "?" + urlencode(fields, doseq=True)
        self._connection.request(method, path, body, headers)
        reply = self._connection.getresponse()
        return b"%d %s" % (reply.status, reply.read())

    def listen(self, pick: int) -> list[str]:
        """Return the events that a token hears from the first up to one of its own session.

        The stream is open already when that session goes on: it is asked twice who hears it.
        """
        token = self._tokens[pick % len(self._tokens)]
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_SILENT_S)
        try:
            connection.request(
                "GET", "/api/events?since=0", headers={"authorization": f"Bearer {token.text}"}
            )
            reply = connection.getresponse()
            if reply.status != 200:
                return [f"{reply.status} {reply.read().decode()}"]
            lines: list[str] = []
            for number in range(2):
                lines += self._heard(token, reply, number)
                if lines[-1:] == [_SILENCE]:
                    break
            return lines
        finally:
            connection.close()

    def _heard(self, token: _Token, reply: http.client.HTTPResponse, number: int) -> Iterator[str]:
        """Yield the lines of a stream until it tells of a message that is stored now."""
        its = self._memories[token.tenant].sessions
        session = its.open(token.key, token.project)
        mark = f'"first_seq":{its.append(session.id, "user", f"apple {number}").seq},'
        while True:
            try:
                line = reply.readline().decode()
            except TimeoutError:
                line = ""
            if line.startswith("data:"):
                yield line
            if not line:
                yield _SILENCE
            if not line or (mark in line and session.id in line):
                return


def _calls(names: Sequence[str], files: Sequence[str]) -> list[Call]:
    """Return what a token asks for: of everything, and of some conversations and files."""
    calls: list[Call] = [
        ("GET", "/api/stats", {}),
        ("GET", "/api/sessions", {"limit": _MOST}),
        ("GET", "/api/episodes", {"limit": 100}),
        ("GET", "/api/projects", {}),
        ("GET", "/api/export", {}),
        ("GET", "/api/context", {"query": "apple", "session_key": "walks"}),
        ("POST", "/api/search", {"query": "apple", "limit": 100}),
        ("POST", "/api/timeline", {"anchor": "#1", "before": 50, "after": 50}),
        ("POST", "/api/observations/batch", {"ids": ["#1", "#2", "#3"], "full": True}),
        ("POST", "/api/memory/search", _WIDE),
        ("POST", "/api/memory/search", {"query": "m1"}),
        ("POST", "/api/memory/get", {"ids": ["#1", "#2", "m1", "m2", "m3", "e1"]}),
        ("POST", "/api/memory/timeline", {"query": "apple", "before": 50, "after": 50}),
        _tool("memory_search", query="apple", maxResults=_MOST, minScore=0.0),
        _tool("timeline", anchor="1", after=200),
        _tool("get_observations", ids=["#1", "#2", "#3", "m1", "m2", "e1"]),
        ("POST", "/mcp", _rpc("resources/list")),
    ]
    for path in files[:3]:
        calls.append(("POST", "/api/memory/read", {"path": path}))
        calls.append(_tool("memory_get", path=path))
    for name in names[:4]:
        key = quote(name, safe="")
        calls += [
            ("GET", f"/api/sessions/{key}", {}),
            ("GET", f"/api/sessions/{key}/view", {}),
            ("GET", "/api/messages", {"session_key": name, "limit": _MOST}),
            ("POST", "/api/memory/search", {**_WIDE, "for_session": name}),
            ("POST", "/api/memory/context", {"session_id": name, "query": "apple"}),
            ("POST", "/api/memory/read", {"path": files[0], "for_session": name}),
        ]
    if names:
        calls.append(("POST", "/api/memory/titles", {"session_ids": list(names)}))
        calls.append(_tool("session_context", session=names[0], query="apple"))
        calls.append(
            ("POST", "/mcp", _rpc("resources/read", uri=f"recollect://sessions/{names[0]}"))
        )
    return calls


def _tool(name: str, **given: Any) -> Call:
    return "POST", "/mcp", _rpc("tools/call", name=name, arguments=given)


def _rpc(method: str, **given: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
