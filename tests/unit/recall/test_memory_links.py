"""Links: a memory file tells which observations it names, an observation where it is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw  # noqa: TID251  # makes the index what it was before there were links
import msgspec
import pytest

import recollect
from recollect.core.numbers import Link
from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.recall.steps.links import MOST

OWNER = "agent:main:telegram:acc:direct:42"
GUEST = "agent:main:telegram:acc:direct:7"
GROUP = "agent:main:telegram:acc:group:-100"
NOTES = "# Queue\n\nWhich broker: see observation #1\n\n```\n#2\n```\nguest: #2, nobody: #99\n"


def opened(tmp_path: Path, *, shared: bool = False) -> Memory:
    """A memory with a workspace, whose owner is named."""
    named = {
        "embedding.provider": "none",
        "sessions.owner": ["telegram:42"],
        "sessions.guests_read": ["memory/public.md"],
        "observations.shared": shared,
    }
    return recollect.open(tmp_path / "home", tmp_path / "work", overrides=named, live=False)


def worked(memory: Memory) -> tuple[str, str]:
    """The owner's agent decides #1, that of a guest #2; return their sessions."""
    owner = memory.sessions.create(key=OWNER).id
    guest = memory.sessions.create(key=GUEST).id
    memory.observations.record(owner, type="decision", title="Redis for the queue")
    memory.observations.record(guest, type="decision", title="Delivery is on Thursdays")
    return owner, guest


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory in which MEMORY.md names two observations, and a shared file one."""
    (tmp_path / "work" / "memory").mkdir(parents=True)
    (tmp_path / "work" / "MEMORY.md").write_text(NOTES, "utf-8")
    (tmp_path / "work" / "memory" / "public.md").write_text("Thursdays, as in #2\n", "utf-8")
    with opened(tmp_path) as found:
        yield found


def edges(links: tuple[Link, ...]) -> list[tuple[str, int, str]]:
    """Where links begin, and what they name."""
    return [(link.path, link.line, f"#{link.number}") for link in links]


def test_a_hit_of_a_memory_file_tells_which_observations_it_names(memory: Memory) -> None:
    """Issue 13.6: id and title, of its own lines; what is in code or does not exist is left out."""
    worked(memory)
    hit = memory.search("which broker", sources=["memory"]).hits[0]
    found = memory.observations.get(["#1", "#2"]).found
    assert (hit.start_line, hit.end_line) == (1, 8)
    assert edges(hit.links) == [("MEMORY.md", 3, "#1"), ("MEMORY.md", 8, "#2")]
    assert [link.ref for link in hit.links] == [each.id for each in found]
    assert [link.title for link in hit.links] == [each.title for each in found]


def test_an_observation_tells_which_lines_name_it(memory: Memory) -> None:
    """Issue 13.6: search links both ways, and so does `get`."""
    worked(memory)
    hit = memory.search("redis queue", sources=["observations"]).hits[0]
    assert edges(hit.links) == [("MEMORY.md", 3, "#1")]
    assert edges(memory.get("#2").found[0].links) == [
        ("MEMORY.md", 8, "#2"),
        ("memory/public.md", 1, "#2"),
    ]
    assert edges(memory.search("#1").hits[0].links) == [("MEMORY.md", 3, "#1")]


def test_a_read_tells_what_its_lines_name(memory: Memory) -> None:
    """Whatever lines are read: a fence that began above them still counts."""
    worked(memory)
    assert edges(memory.read("MEMORY.md").links) == [
        ("MEMORY.md", 3, "#1"),
        ("MEMORY.md", 8, "#2"),
    ]
    assert memory.read("MEMORY.md", 6, 2).links == ()
    assert edges(memory.read("MEMORY.md", 8).links) == [("MEMORY.md", 8, "#2")]


def test_a_link_is_told_to_those_who_hear_both_ends(tmp_path: Path, memory: Memory) -> None:
    """DESIGN 8: a guest reads a shared file, and hears what was done in the guest's own chats."""
    owner, guest = worked(memory)
    group = memory.sessions.create(key=GROUP).id
    memory.sync()
    assert edges(memory.get("#1", for_session=owner).found[0].links) == [("MEMORY.md", 3, "#1")]
    assert edges(memory.read("MEMORY.md", for_session=owner).links) == [("MEMORY.md", 3, "#1")]
    assert memory.read("memory/public.md", for_session=guest).links == ()
    with opened(tmp_path, shared=True) as sharing:
        seen = sharing.read("memory/public.md", for_session=guest)
        assert edges(seen.links) == [("memory/public.md", 1, "#2")]
        told = sharing.search("thursdays", sources=["observations"], for_session=guest).hits[0]
        assert edges(told.links) == [("memory/public.md", 1, "#2")]
        for hit in sharing.search("redis thursdays", for_session=group).hits:
            assert hit.links == ()


def test_a_forgotten_observation_is_named_by_nothing(memory: Memory) -> None:
    """It is out of everything until it is restored."""
    worked(memory)
    memory.observations.forget("#1")
    hit = memory.search("which broker", sources=["memory"]).hits[0]
    assert edges(hit.links) == [("MEMORY.md", 8, "#2")]


def test_links_follow_the_file(tmp_path: Path, memory: Memory) -> None:
    """They are derived: a line that moves moves its link, a file that goes takes them along."""
    worked(memory)
    memory.sync()
    assert edges(memory.get("#1").found[0].links) == [("MEMORY.md", 3, "#1")]
    (tmp_path / "work" / "MEMORY.md").write_text("\n" + NOTES, "utf-8")
    memory.sync()
    assert edges(memory.get("#1").found[0].links) == [("MEMORY.md", 4, "#1")]
    (tmp_path / "work" / "MEMORY.md").unlink()
    memory.sync()
    assert memory.get("#1").found[0].links == ()


def test_a_hit_has_few_links(tmp_path: Path, memory: Memory) -> None:
    """However many lines name an observation: an answer must stay small."""
    worked(memory)
    lines = "\n".join(f"- tin {number}, see #1" for number in range(50))
    (tmp_path / "work" / "memory" / "tins.md").write_text(lines, "utf-8")
    hits = memory.search("tin redis").hits
    assert max(len(hit.links) for hit in hits) == MOST
    line = msgspec.json.encode(hits[0].links)
    assert len(line) / 4 < 300


def test_another_workspace_names_its_own(tmp_path: Path, memory: Memory) -> None:
    """Two workspaces of one home both have a MEMORY.md; neither tells of the other's."""
    worked(memory)
    memory.sync()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "MEMORY.md").write_text("Nothing but #2.\n", "utf-8")
    named = {"embedding.provider": "none", "sessions.owner": ["telegram:42"]}
    with recollect.open(tmp_path / "home", tmp_path / "other", overrides=named, live=False) as one:
        one.sync()
        assert edges(one.get("#2").found[0].links) == [("MEMORY.md", 1, "#2")]
        assert one.get("#1").found[0].links == ()
    with recollect.open(tmp_path / "home", overrides=named, live=False) as whole:
        assert len(whole.get("#2").found[0].links) == 3
        assert whole.within(Scope(agent="main")).get("#2").found[0].links == ()


def test_an_index_of_an_older_home_learns_of_links(tmp_path: Path, memory: Memory) -> None:
    """Files that were indexed before are read again, once, with the next sync."""
    worked(memory)
    memory.sync()
    memory.close()
    path = tmp_path / "home" / "index.db"
    connection = apsw.Connection(str(path))
    ((before,),) = connection.execute(
        "SELECT version - 1 FROM schema_steps WHERE name LIKE '%mentions%'"
    )
    connection.execute("DROP TABLE mentions")
    connection.execute("DROP INDEX chunks_by_text")  # a later step makes it
    connection.execute("DELETE FROM schema_steps WHERE version > ?", (before,))
    connection.execute(f"PRAGMA user_version = {before}")
    connection.close()
    with opened(tmp_path) as again:
        assert again.search("which broker").hits
        assert edges(again.get("#1").found[0].links) == [("MEMORY.md", 3, "#1")]
