"""Secrets that the server is given never come back: not in an answer, not in the log.

Source: S8 of the reliability reference.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from recollect.server.app import all_routes
from recollect.server.logs import PlainFormatter
from recollect.server.request import takes_json
from tests.support.running_server import RunningServer
from tests.support.wire import Wire, request

CANARY = "sk-ant-api03-" + "Ca" * 40
WORD = "xylophonecanary"


def test_no_secret_comes_back(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """In every place of a request to every route, refused or not: 0 in answers, errors and log."""
    caplog.handler.setFormatter(PlainFormatter())
    seen: list[bytes] = []
    with caplog.at_level(logging.DEBUG), RunningServer(tmp_path) as server:
        token = server.token
        for route in all_routes():
            target = route.path.replace("{", CANARY).replace("}", "")
            for data in _requests(server, route.method, target, is_json=takes_json(route)):
                with Wire(server.port) as wire:
                    reply = wire.send(data).reply(is_stream=True)
                if reply is not None:
                    seen.append(json.dumps(reply.headers).encode() + reply.body)
        written = "\n".join(
            path.read_text(encoding="utf-8", errors="replace")
            for path in tmp_path.rglob("*")
            if path.is_file() and path.name != "token"
        )
    answers = b"\n".join(seen).decode()
    for secret in (CANARY, token):
        assert secret not in answers
        assert secret not in caplog.text
        assert secret not in written
    assert WORD not in caplog.text


def _requests(server: RunningServer, method: str, target: str, *, is_json: bool) -> list[bytes]:
    """Return requests that carry the secrets where each of them could leak from."""
    bearer = server.headers()
    body = json.dumps({WORD: CANARY, "text": [CANARY], "limit": CANARY}).encode()
    json_headers = {"content-type": "application/json", "content-length": str(len(body))}
    return [
        request(method, f"{target}?{WORD}={CANARY}&limit={CANARY}", bearer),
        request(method, f"/{CANARY}/{WORD}", bearer),
        request(method, target, bearer | {"authorization": f"Bearer {CANARY}"}),
        request(method, target, bearer | {"host": f"{CANARY}.example"}),
        request(method, target, bearer | {"origin": f"http://{WORD}.example"}),
        request(method, target, bearer | {"x-note": CANARY}),
        request(method, target, bearer | json_headers, body if is_json else b""),
        request(method, target, bearer | json_headers, body[:-1] + b" "),
        request(f"{WORD.upper()}", target, bearer),
        f"{CANARY} {server.token}\r\n\r\n".encode(),
    ]
