"""Observations and episodes by a language model: over the real wire, one audience in each call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.memory import Memory
from recollect.sessions.context.episode import Episode, episodes_of, is_by_rule
from tests.support.chat_formats import OpenAIChatFormat
from tests.support.provider_server import ProviderServer

USES = ("compaction", "flush", "observations", "episodes", "facts")
FRUITS = ("apple", "plum", "fig")


@contextmanager
def _opened(home: Path, server: ProviderServer, uses: tuple[str, ...] = USES) -> Iterator[Memory]:
    settings = {
        "language.provider": "openai:m",
        "language.base_url": f"{server.origin}/openai/v1",
        "language.uses": uses,
        "embedding.provider": "none",
    }
    (home.parent / "work").mkdir(exist_ok=True)
    with recollect.open(home, home.parent / "work", overrides=settings, live=False) as memory:
        yield memory


def _speak(title: str = "Made the kettle quicker") -> Any:
    def speak(messages: Any) -> str:
        asked = str(messages[-1]["content"])
        numbers = [int(n) for n in re.findall(r"\nnumber: (\d+)", asked)]
        if numbers:
            lines = [{"number": n, "title": title, "summary": "It boils."} for n in numbers]
            return msgspec.json.encode({"observations": lines}).decode()
        if "<summary>" in asked:
            return "- user: it is settled"
        return '{"notes": []}'

    return speak


def _asked(server: ProviderServer) -> list[str]:
    """Return what each call told the model, without what it was to do."""
    return [
        "\n".join(str(m["content"]) for m in each.json["messages"] if m["role"] != "system")
        for each in server.received
    ]


def _episodes(memory: Memory, session: str) -> list[Episode]:
    return memory._rooms.records.read(  # noqa: SLF001  # as recall reads them
        lambda tx: episodes_of(tx, memory.scope, session)
    )


def test_the_model_rewrites_what_was_recorded_by_rule(tmp_path: Path) -> None:
    """Later, in batches: recording asks nobody; what a tool gave back is not sent."""
    with (
        ProviderServer(services=[OpenAIChatFormat(_speak())]) as server,
        _opened(tmp_path / "home", server) as memory,
    ):
        session = memory.sessions.create().id
        for number in range(3):
            memory.observations.record(
                session, "Edit", input={"file_path": f"src/k{number}.py"}, output="OBEY the page"
            )
        assert server.received == []
        memory.sync()
        (asked,) = _asked(server)
        assert "src/k2.py" in asked
        assert "OBEY" not in asked
        found = memory.observations.get(["#1", "#2", "#3"]).found
        assert {each.title for each in found} == {"Made the kettle quicker"}
        assert {each.made_by for each in found} == {"openai:m/1"}
        assert len(memory.search("quicker kettle", sources=["observations"]).hits) == 3
        memory.sync()
        assert len(server.received) == 1
        (use,) = [u for u in memory.status().language.uses if u.use == "observations"]
        assert (use.is_on, use.requests) == (True, 1)


@pytest.mark.parametrize("title", ["Fixed src/spout.py", "Raised the limit to 4711"])
def test_what_is_not_in_the_source_is_refused(tmp_path: Path, title: str) -> None:
    """A file or a number that the agent did not write; the words of the rules stay."""
    with (
        ProviderServer(services=[OpenAIChatFormat(_speak(title))]) as server,
        _opened(tmp_path / "home", server) as memory,
    ):
        session = memory.sessions.create().id
        made = memory.observations.record(session, "Edit", input={"file_path": "src/kettle.py"})
        memory.sync()
        (found,) = memory.observations.get("#1").found
        assert found.title == made.title
        memory.sync()
        assert len(server.received) == 1


def test_without_an_answer_all_stays_and_is_asked_again(tmp_path: Path) -> None:
    """A model that is down costs nothing but quality."""
    with (
        ProviderServer(services=[OpenAIChatFormat(lambda _: "no JSON")]) as server,
        _opened(tmp_path / "home", server) as memory,
    ):
        session = memory.sessions.create().id
        memory.sessions.append(session, "user", "Remember the copper kettle.")
        made = memory.observations.record(session, "Edit", input={"file_path": "a.py"})
        memory.sync()
        assert memory.observations.get("#1").found[0].title == made.title
    with recollect.open(
        tmp_path / "home",
        overrides={
            "language.provider": "openai:m",
            "language.base_url": "http://127.0.0.1:9/v1",
            "language.timeout_s": 0.1,
            "language.uses": USES,
            "embedding.provider": "none",
        },
        live=False,
    ) as memory:
        memory.sessions.end(session)
        memory.sync()
        (episode,) = _episodes(memory, session)
        assert is_by_rule(episode)
        assert "copper kettle" in episode.summary


def test_one_call_never_holds_text_of_two_audiences(tmp_path: Path) -> None:
    """Compaction, flush, observations and episodes; of one session that three people share."""
    with (
        ProviderServer(services=[OpenAIChatFormat(_speak())]) as server,
        _opened(tmp_path / "home", server) as memory,
    ):
        session = memory.sessions.open("agent:main:main").id
        for _ in range(6):
            for sender, fruit in zip((None, "telegram:43", "slack:a:U7"), FRUITS, strict=True):
                said = {"role": "user", "content": f"Remember the {fruit}.", "sender": sender}
                memory.sessions.append_many(session, [said, ("assistant", f"{fruit}, then.")])
                memory.observations.record(session, "Edit", input={"file_path": f"{fruit}.py"})
        memory.sessions.flush(session)
        memory.sessions.compact(session, keep_messages=2)
        memory.sessions.end(session)
        for _ in range(6):
            memory.sync()
        asked = _asked(server)
        heard = [[fruit for fruit in FRUITS if fruit in each] for each in asked]
        assert all(len(fruits) <= 1 for fruits in heard), heard
        used = {use.use: use.requests for use in memory.status().language.uses}
        assert all(used[use] > 0 for use in USES), used
        assert {each.made_by for each in _episodes(memory, session)} == {"openai:m/1"}


def test_what_is_not_named_is_never_sent(tmp_path: Path) -> None:
    """Observations and episodes are added by hand."""
    with (
        ProviderServer(services=[OpenAIChatFormat(_speak())]) as server,
        _opened(tmp_path / "home", server, ("compaction", "flush")) as memory,
    ):
        session = memory.sessions.create().id
        memory.sessions.append(session, "user", "Remember the copper kettle.")
        memory.observations.record(session, "Edit", input={"file_path": "src/kettle.py"})
        memory.sessions.end(session)
        memory.sync()
        assert server.received == []
