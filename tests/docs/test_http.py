"""The page on HTTP: every request of it is sent to a real server, and answers what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.server.routes import (
    access,
    admin,
    client_hooks,
    episodes,
    facts,
    files,
    health,
    hooks,
    identities,
    messages,
    observations,
    projects,
    recall,
    sessions,
    transcripts,
)
from tests.support.running_server import RunningServer

PAGE = Path(__file__).parents[2] / "docs" / "http.md"
EXAMPLE = re.compile(r"(?ms)^```text\n(\w+) (\S+)\n(.*?)^```\n\n```json\n(.*?)^```")
ROOMS = (
    *(access, admin, client_hooks, episodes, facts, files, health, hooks),
    *(identities, messages, observations, projects, recall, sessions, transcripts),
)
ONE_TIME = re.compile(rb"K7WMX3TP|B4wMUyNhThlvHjqSDYSMOQPna7WEhohuh6Fi8JdUwhQ")
"""The codes that the page shows."""
CHANGING = (
    (r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", "UUID"),
    (r"20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME"),
    (r"20[2-9]\d-\d\d-\d\d", "DAY"),
    (r"DAY \d\d:\d\d", "MINUTE"),  # of a line of a summary
    (r"\b1[789]\d{11}\b", "0"),
    (r"recollect-context [0-9a-f]{16}", "recollect-context HEX"),
    (r"`/[^` ]+/recollect(?: --home [^` ]+)? ", "`/bin/recollect "),  # where it is installed
    (r"\(\d+ tokens\)", "(N tokens)"),  # those of a block count its boundary
    (r'"(tokens|chars)": ?\d+', r'"\1": 0'),
    (r'"version": ?"[^"]+"', '"version": "VERSION"'),
    (r'"recency": ?[\d.]+', '"recency": 0'),  # of what a day of the page is to the day of the test
    (r"(\d\.\d\d)\d+", r"\1"),
    (r"rcl_[\w-]+", "TOKEN"),
    (r'"seq": ?\d+', '"seq": 0'),
    (r'"code": ?"(?:[A-Z2-9]{8}|[\w-]{43})"', '"code": "CODE"'),
    (r'"plan_id": ?"[0-9a-f]{32}"', '"plan_id": "ID"'),
    (r"viewer-[0-9a-f]{8}", "viewer-HEX"),
)
"""What is another in each home: ids, times, boundaries, the version, the ends of shares."""
BLOCK = "01a22871-5238-7000-be51-0d7bf15d13ec"
"""The block of a context whose lines the page asks for."""
Example = tuple[str, str, str, str]


def examples() -> list[Example]:
    """The requests of the page, each with its body and its answer."""
    return [each.groups() for each in EXAMPLE.finditer(PAGE.read_text("utf-8"))]  # type: ignore[misc]


def plain(written: str) -> Any:
    """Return JSON without what is another in each home."""
    for pattern, instead in CHANGING:
        written = re.sub(pattern, instead, written)
    return json.loads(written)


@pytest.fixture(scope="module", params=["person", "owner"])
def answers(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[list[tuple[Example, int, str]]]:
    """What a server answers to all of them, in their order; plain names are whose they may be."""
    folder = tmp_path_factory.mktemp("http")
    (folder / "workspace").mkdir()
    (folder / "workspace" / "MEMORY.md").write_text("# Tea\nKeep it dry.\n", "utf-8")
    home = folder / "home"
    home.mkdir(0o700)
    settings = f"workspace:\n  path: {folder / 'workspace'}\n"
    settings += f"sessions:\n  plain_keys: {request.param}\n"
    (home / "config.yaml").write_text(settings, "utf-8")
    with RunningServer(home) as server:
        found, code, block = [], b"", BLOCK
        for example in examples():
            method, target, body, _ = example
            given = b"" if method in {"GET", "DELETE"} else (body.strip() or "{}").encode()
            given = ONE_TIME.sub(code, given)
            reply = server.call(method, target.replace(BLOCK, block), given)
            found.append((example, reply.status, reply.body.decode()))
            if target.endswith(("/code", "/codes")):
                code = reply.json["code"].encode()
            if "/blocks?" in target:
                block = reply.json["blocks"][0]["id"]
        yield found


def test_every_example_answers_what_the_page_says(
    answers: list[tuple[Example, int, str]],
) -> None:
    """A client is written from this page."""
    assert len(answers) > 35
    for (method, target, _, told), status, answer in answers:
        assert status in {200, 201}, (method, target, answer)
        if target == "/api/sync":  # the background was there before, or not
            assert json.loads(answer).keys() == json.loads(told).keys()
        else:
            assert plain(answer) == plain(told), (method, target)


def test_every_route_has_an_example() -> None:
    """What the page leaves out nobody finds."""
    shown = {(method, target.partition("?")[0]) for method, target, _, _ in examples()}
    for room in ROOMS:
        for route in room.ROUTES:
            pattern = re.sub(r"{\w+}", "[^/]+", route.path)
            assert any(
                method == route.method and re.fullmatch(pattern, path) for method, path in shown
            ), (route.method, route.path)
