"""What somebody does not hear changes nothing in what they are answered, not one bit of it.

Random histories of several people in one home. Somebody asks, then others say, do, write, erase
and index something, then the same is asked again. A history is told by its seed; `make soak` plays
more of them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from mcp import Client

import recollect
from recollect.caller import Caller
from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.mcp.server import make_server
from recollect.memory import Memory
from tests.support.running_server import RunningServer
from tests.unit.index.conftest import shrink
from tests.unit.index.scripted import ScriptedEmbedder

HISTORIES = int(os.environ.get("UNHEARD_HISTORIES", "4"))  # noqa: TID251 - `make soak`
SEED = int(os.environ.get("UNHEARD_SEED", "20261123"))  # noqa: TID251 - to play one again
PARTS = 4
"""Tests that share the histories, so that all cores play."""
ROUNDS = 2

PRIVATE = ("quagmeyer", "harbour", "violin", "orchard", "lawyers", "getViolinById", "律师", "旅行")
"""Words of others; `lawyers` and `harbour` are nearer to what is mistyped than anything heard."""
COMMON = ("lawyer", "kettle", "garden", "lantern", "green", "kettledrum", "绿茶")
NAMES = ("Quentin", "June", "Dora")
QUESTIONS = (
    "Quagmeyer lawyer",
    "the lawier and the harbor of Quentin",
    "What did Dora say of the green kettle yesterday?",
    "violin orchard",
    "kettlestand lanternn",
    "what is in 2026-01-02.md and plan.md?",
    "律师 绿茶",
    "when did June buy the garden?",
)
MODES = ("lexical", "hybrid", "vector")
FILES = "files"
PLACES = {
    "owner": "agent:main:main",
    "ann": "telegram:42",
    "bob": "telegram:50",
    "group": "agent:main:telegram:group:-100",
    "work": "agent:work:main",
}
Asker = tuple[Memory, dict[str, Any]]


class History:
    """A home in which several people talk.

    Args:
        memory: Of the owner.
        workspace: Its workspace.
        dice: Says what happens.
    """

    def __init__(self, memory: Memory, workspace: Path, dice: random.Random) -> None:
        self.memory, self._workspace, self._dice = memory, workspace, dice
        self.is_apart = memory.sessions.owner.walls.everyone
        """Whether the owner's agents do not hear each other."""
        self._spare: dict[str, list[str]] = {}
        self.sessions = {name: memory.sessions.open(key).id for name, key in PLACES.items()}
        for name in self.sessions:
            for _ in range(dice.randrange(1, 8)):
                self.say(name, COMMON)

    def say(self, place: str, words: tuple[str, ...] = (*PRIVATE, *COMMON)) -> None:
        """Let somebody say something in a place."""
        text = " ".join(self._dice.choices(words, k=self._dice.randrange(1, 12)))
        role = self._dice.choice(("user", "user", "assistant"))
        name = self._dice.choice((None, *NAMES)) if role == "user" else None
        self.memory.sessions.append(self.sessions[place], role, text, name=name)

    def change(self, place: str) -> None:
        """Do something in a place, or in the memory files."""
        deeds: list[Callable[[str], None]] = [self.say, self._say_much, self._work, self._erase]
        if place == FILES:
            deeds = [self._write]
        self._dice.choice(deeds)(place)
        if self._dice.random() < 0.3:
            self.memory.sync()

    def _say_much(self, place: str) -> None:
        for _ in range(self._dice.randrange(5, 30)):
            self.say(place)

    def _work(self, place: str) -> None:
        words = " ".join(self._dice.choices(PRIVATE + COMMON, k=5))
        project = self._dice.choice((None, "/srv/tea"))
        self.memory.observations.record(
            self.sessions[place], "Bash", input={"command": f"grep {words}"}, project=project
        )

    def _erase(self, place: str) -> None:
        """Begin another session in a place, and erase an earlier one."""
        former = self._spare.setdefault(place, [])
        if former:
            self.memory.erase(session_id=former.pop())
        former.append(self.sessions[place])
        self.sessions[place] = self.memory.sessions.reset(PLACES[place]).id
        self.say(place)

    def _write(self, _: str) -> None:
        words = " ".join(self._dice.choices(PRIVATE + COMMON, k=8))
        name = self._dice.choice(("2026-01-02.md", "plan.md", "long/plan.md", "a.md"))
        path = self._workspace / "memory" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Notes\n\n- {words} <!-- trigger: green kettle -->\n", "utf-8")
        if self._dice.random() < 0.2:
            path.with_suffix(".bin.md").write_bytes(b"\xff\xfe lawyer")

    def askers(self) -> Iterator[tuple[Asker, list[str]]]:
        """Yield who asks, and the places that they do not hear."""
        owners = () if self.is_apart else ("owner", "work")
        for name in ("bob", "group", "owner", "work"):
            heard = owners if name in owners else (name,)
            others = [place for place in PLACES if place not in heard]
            files = [] if name in ("owner", "work") else [FILES, FILES]
            yield (self.memory, {"for_session": self.sessions[name]}), others + files
        main = [place for place in PLACES if place != "work"]
        yield (self.memory.within(Scope(agent="work")), {}), main

    def answers(self, asker: Asker) -> list[Any]:
        """Return all that somebody is told."""
        memory, asking = asker
        told: list[Any] = []
        for question in QUESTIONS:
            for mode in MODES:
                least, limit = self._options[len(told) % len(self._options)]
                told.append(memory.search(question, limit, least, mode=mode, **asking))
            told.append(
                _or_nothing(lambda q: memory.observations.timeline(query=q, **asking), question)
            )
        if "for_session" in asking:
            session = asking["for_session"]
            told += [
                memory.context.block(session, QUESTIONS[2], record=False),
                memory.context.block(
                    session, QUESTIONS[0], reason="prompt", sources=("sessions",), record=False
                ),
            ]
        return [msgspec.to_builtins(each) for each in told]

    _options = ((0.0, 50), (0.0, 3), (0.2, 10))


def _or_nothing(ask: Callable[[str], Any], question: str) -> Any:
    try:
        return ask(question)
    except NotFound as error:
        return str(error)


def opened(folder: Path, dice: random.Random, stack: ExitStack) -> tuple[Memory, Path]:
    """Open a home with settings that the dice choose."""
    workspace = folder / "workspace"
    (workspace / "memory" / "shared").mkdir(parents=True)
    (workspace / "memory" / "shared" / "tea.md").write_text(
        "- a green kettle for guests\n", "utf-8"
    )
    overrides = {
        "sessions.owner": ["telegram:1"],
        "sessions.guests_read": ["memory/shared/*"],
        "sessions.mirror": False,
        "store.durability": "fast",
        "observations.shared": dice.random() < 0.5,
        "context.prompt": True,
        "context.prompt_floor": 0.0,
        "search.lexical.backend": dice.choice(("postings", "postings", "fts5")),
        "search.exact_below": dice.choice((0, 10_000)),
        "search.candidates": 10,
        "search.posting_budget": 1_000,
        "search.diversity.enabled": dice.random() < 0.3,
        "search.hybrid.enabled": dice.random() < 0.2,
        "apart": dice.random() < 0.5,
    }
    embedder = ScriptedEmbedder() if dice.random() < 0.7 else None
    if embedder is None:
        overrides["embedding.provider"] = "none"
    memory = recollect.open(
        folder / "home", workspace, overrides=overrides, embedder=embedder, live=False
    )
    return stack.enter_context(memory), workspace


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_not_heard_changes_no_bit_of_an_answer(
    tmp_path: Path, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hits, order, scores, why, snippets, warnings, mode and confidence; timelines and context."""
    shrink(monkeypatch)
    for seed in range(SEED + part, SEED + HISTORIES, PARTS):
        dice = random.Random(seed)
        with ExitStack() as stack:
            memory, workspace = opened(tmp_path / str(seed), dice, stack)
            history = History(memory, workspace, dice)
            for number in range(ROUNDS):
                for asker, others in history.askers():
                    memory.sync()
                    asker[0].search("settled", **asker[1])
                    before = history.answers(asker)
                    for _ in range(dice.randrange(1, 5)):
                        history.change(dice.choice(others))
                    assert history.answers(asker) == before, (seed, number, others)
                history.change(dice.choice([*PLACES, FILES]))


def test_no_score_over_http_or_mcp_tells_whether_a_word_was_said(tmp_path: Path) -> None:
    """A guest's token asks for a word of others before they say it, and afterwards."""
    with RunningServer(tmp_path) as server:
        memory = server.pool.memory()
        guest, other = (memory.sessions.open(key).id for key in ("telegram:50", "telegram:42"))
        memory.sessions.append(guest, "user", "the lawyer of the green kettle lives here")
        memory.sessions.append(other, "user", "a green stage")
        issued = server.tokens.add("bob", audience="session:telegram:50")

        def told() -> list[Any]:
            memory.sync()
            return [
                *(_over_http(server, issued.text, question) for question in QUESTIONS),
                *anyio.run(_over_mcp, Caller(issued.token, memory)),
            ]

        before = told()
        for number in range(20):
            memory.sessions.append(
                other, "user", f"stage {number}, Quagmeyer is a lawyers harbour violin", name="June"
            )
        assert told() == before


def _over_http(server: RunningServer, token: str, question: str) -> Any:
    fields = msgspec.json.encode({"query": question, "limit": 50})
    reply = server.call("POST", "/api/memory/search", fields, authorization=f"Bearer {token}")
    assert reply.status == 200, reply.body
    found = msgspec.json.decode(reply.body)
    found.pop("took_ms", None)
    assert found["hits"] or "green kettle" not in question, found
    return found


async def _over_mcp(caller: Caller) -> list[str]:
    async with Client(make_server(lambda _: caller)) as client:
        given = [{"query": question, "maxResults": 50} for question in QUESTIONS]
        answers = [await client.call_tool("memory_search", each) for each in given]
    return [f"{each.content} {each.structured_content}" for each in answers]
