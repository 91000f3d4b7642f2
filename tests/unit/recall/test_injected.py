"""What was injected, read again: lines made of the records, and nothing of what is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.recall.context.block import ContextBlock

WORDS_ONLY = {"embedding.provider": "none", "sessions.owner": ["telegram:42"]}
OWNER = "agent:main:telegram:acc:direct:42"
GUEST = "agent:main:telegram:acc:direct:7"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory for words only, with a workspace."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "MEMORY.md").write_text("# Tea\nThe okapi tea is dry.\n", "utf-8")
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    with recollect.open(home, workspace, overrides=WORDS_ONLY) as opened:
        yield opened


def _texts(memory: Memory, *, for_session: str | None = None) -> dict[str, str | None]:
    """Return the lines of the newest block, by kind and number or place."""
    (newest,) = memory.context.injections()
    block = memory.context.injected(newest.id, for_session=for_session)
    assert block.injection == newest
    return {f"{line.kind} {line.number or line.id}": line.text for line in block.lines}


def _is_in(block: ContextBlock, texts: dict[str, str | None]) -> bool:
    return all(text in block.text for text in texts.values() if text is not None)


def test_the_lines_of_a_block_are_those_that_the_prompt_had(memory: Memory) -> None:
    """Issue 25: no text is stored; records that did not change make the same lines."""
    first = memory.sessions.create(OWNER, "/srv/app").id
    made = memory.observations.record(first, summary="We decided on okapi jars for tea.")
    message = memory.sessions.append(first, "user", "The okapi gets its tea at noon.")
    fact = memory.facts.remember(None, "The okapi drinks tea", kind="technical").fact
    memory.sync()
    now = memory.sessions.create(OWNER, "/srv/app").id
    block = memory.context(now, "okapi tea", sources=("sessions", "memory"))
    texts = _texts(memory)
    assert None not in texts.values()
    assert texts.keys() >= {
        f"observation {made.number}",
        f"message {message.number}",
        f"fact {fact.number}",
    }
    assert {kind.partition(" ")[0] for kind in texts} >= {"file"}
    lines = {kind: text for kind, text in texts.items() if kind.startswith(("obs", "fact"))}
    assert _is_in(block, lines)
    assert "gets its tea at noon" in (texts[f"message {message.number}"] or "")


def test_what_is_open_and_the_last_session_are_made_again(memory: Memory) -> None:
    """A state and an episode have no text of their own in a block either."""
    first = memory.sessions.create(OWNER, "/srv/app").id
    memory.sessions.append(first, "user", "We must rotate the quokka certificates every March.")
    memory.sessions.set_state(first, "Certificates", ("Rotate the quokka certificates",))
    memory.sessions.set_status(first, "archived")
    memory.context(memory.sessions.create(OWNER, "/srv/app").id)
    texts = _texts(memory)
    assert {kind.partition(" ")[0] for kind in texts} >= {"state", "episode"}
    assert all("quokka" in (text or "") for text in texts.values())


def test_nothing_is_told_of_what_is_gone(memory: Memory) -> None:
    """Issue 25: forgotten is gone; erased has no line; a deleted session tells nothing."""
    first, erased = (memory.sessions.create(OWNER, "/srv/app").id for _ in range(2))
    jars = memory.observations.record(first, summary="We decided on jars.")
    memory.observations.record(erased, summary="We decided on cups.")
    fact = memory.facts.remember(None, "The build needs pnpm", kind="technical").fact
    memory.context(memory.sessions.create(OWNER, "/srv/app").id)
    assert len(_texts(memory)) == 3
    memory.observations.forget(jars.id)
    memory.facts.forget(fact.id)
    memory.erase(session_id=erased)
    assert _texts(memory) == {f"observation {jars.number}": None, f"fact {fact.number}": None}
    memory.observations.restore(jars.id)
    assert _texts(memory)[f"observation {jars.number}"] is not None
    memory.sessions.set_status(first, "deleted")
    assert _texts(memory)[f"observation {jars.number}"] is None


def test_a_block_is_read_by_its_audience_alone(memory: Memory) -> None:
    """Issue 25: a guest reads what was put into prompts for the guest, and no block of others."""
    own, guest = memory.sessions.create(OWNER).id, memory.sessions.create(GUEST).id
    memory.observations.record(own, summary="We decided on jars.")
    memory.context(memory.sessions.create(OWNER).id)
    (made,) = memory.context.injections()
    for session, audience in ((guest, memory), (None, memory.within(Scope(project="/srv/x")))):
        with pytest.raises(NotFound):
            audience.context.injected(made.id, for_session=session)
    assert _texts(memory, for_session=own).keys() == {"observation 1"}
    assert memory.context.injections(limit=9, until=made.at) == []
    assert memory.context.injections(limit=9, until=made.at + 1) == [made]


def test_what_is_excluded_is_in_no_block_and_still_found(memory: Memory) -> None:
    """Issue 25, "never inject this again": every kind of line, and it can be undone."""
    first = memory.sessions.create(OWNER, "/srv/app").id
    memory.observations.record(first, summary="We decided on okapi jars for tea.")
    memory.sessions.append(first, "user", "We must rotate the okapi certificates every March.")
    memory.sessions.append(first, "assistant", "Noted.")
    memory.sessions.append(first, "user", "The okapi gets its tea at noon.")
    memory.facts.remember(None, "The okapi drinks tea", kind="technical")
    memory.sessions.set_state(first, "Certificates", ("Rotate the okapi certificates",))
    memory.sessions.set_status(first, "archived")
    memory.sync()

    def given() -> ContextBlock:
        now = memory.sessions.create(OWNER, "/srv/app").id
        return memory.context(now, "okapi tea", sources=("sessions", "memory"))

    before = given()
    whole = memory.context(memory.sessions.create(OWNER, "/srv/app").id)
    assert {item.kind for item in (*before.items, *whole.items)} == {
        *("observation", "message", "fact", "file", "state", "episode")
    }
    for item in (*before.items, *whole.items):
        excluded = memory.context.exclude(item.id)
        assert (excluded.id, excluded.kind, excluded.number) == (item.id, item.kind, item.number)
    assert given().items == ()
    assert memory.context(memory.sessions.create(OWNER, "/srv/app").id).items == ()
    assert {hit.source for hit in memory.search("okapi tea").hits} >= {"observations", "sessions"}
    for each in memory.context.exclusions():
        memory.context.include(each.id)
    assert memory.context.exclusions() == []
    assert [item.id for item in given().items] == [item.id for item in before.items]


def test_a_prompt_is_not_given_what_is_excluded(tmp_path: Path) -> None:
    """Issue 25: also not by the hook of a prompt."""
    options = {**WORDS_ONLY, "context.prompt": True}
    with recollect.open(tmp_path / "home", overrides=options) as memory:
        first, now = (memory.sessions.create(OWNER, "/srv/app").id for _ in range(2))
        made = memory.observations.record(first, summary="We decided on quokka jars.")
        memory.sync()
        assert memory.context(now, "Which quokka jars?", reason="prompt", record=False).items
        memory.context.exclude(f"#{made.number}")
        assert not memory.context(now, "Which quokka jars?", reason="prompt").items
        memory.context.exclude(f"#{made.number}")
        assert len(memory.context.exclusions()) == 1
        memory.context.include(f"#{made.number}")
        with pytest.raises(NotFound):
            memory.context.include(f"#{made.number}")
        with pytest.raises(NotFound):
            memory.context.exclude("#99")


def test_an_exclusion_goes_with_its_record(memory: Memory) -> None:
    """Issue 25: an erasure leaves no id of what is erased, and a backup has what stays."""
    first, other = (memory.sessions.create(OWNER, "/srv/app").id for _ in range(2))
    made = memory.observations.record(first, summary="We decided on jars.")
    message = memory.sessions.append(first, "user", "We must rotate certificates every March.")
    memory.sessions.set_state(first, "Certificates", ("Rotate the certificates",))
    memory.sessions.set_status(first, "archived")
    (episode,) = memory.sessions.episodes(first)
    fact = memory.facts.remember(None, "The build needs pnpm", kind="technical").fact
    kept = memory.observations.record(other, summary="We decided on cups.")
    for name in (made.id, message.id, first, episode.id, fact.id, kept.id):
        memory.context.exclude(name)
    memory.erase(session_id=first)
    memory.erase(fact_id=fact.id)
    assert [each.id for each in memory.context.exclusions()] == [kept.id]


def test_a_section_of_a_file_leaves_out_what_is_excluded(memory: Memory, tmp_path: Path) -> None:
    """Issue 25: agents read that by themselves, too."""
    project = tmp_path / "app"
    project.mkdir()
    first = memory.sessions.create(OWNER, str(project)).id
    for what in ("jars", "cups"):
        memory.observations.record(first, summary=f"We decided on {what}.")
    memory.context.exclude("#1")
    memory.sections.sync(project / "AGENTS.md")
    text = (project / "AGENTS.md").read_text("utf-8")
    assert "cups" in text
    assert "jars" not in text
