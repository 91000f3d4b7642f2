"""One memory for one person's agents; groups, guests, other owners and ``apart`` stay walls."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.cli.doctor.index_checks import check_sharing
from recollect.cli.main import main
from recollect.core.scope import Scope
from recollect.core.settings import load_settings
from recollect.core.settings.agents import Walls
from recollect.memory import Memory
from recollect.sessions.lifecycle import ForeignName
from tests.unit.test_users import older_home

SETTINGS = {"embedding.provider": "none"}
AGENTS = ("claude-code", "codex", "gemini")


def _opened(folder: Path, file: str = "") -> Memory:
    home = folder / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.yaml").write_text(file, "utf-8")
    return recollect.open(home, overrides=SETTINGS, live=False)


def _told(memory: Memory, folder: Path) -> dict[str, str]:
    """Let each agent, the owner, a guest and a group say something; return the sessions by name."""
    sessions = memory.sessions
    made = {
        name: sessions.hooked(ForeignName(source=name, id=name), str(folder)).session.id
        for name in AGENTS
    }
    made["console"] = sessions.create(project=str(folder)).id
    made["work"] = sessions.open("agent:work:main").id
    made["guest"] = sessions.open("agent:codex:telegram:default:direct:7").id
    made["group"] = sessions.open("agent:codex:telegram:group:-1").id
    for name, session in made.items():
        sessions.append(session, "user", f"We decided that the kites of {name} are red.")
        memory.observations.record(
            session, type="decision", summary=f"kites of {name} decided", importance=0.9
        )
    memory.sync()
    return made


def _heard(memory: Memory, session: str | None) -> set[str]:
    """Return of whom the messages and observations are that a session hears."""
    hits = memory.search("kites", 100, 0.0, for_session=session).hits
    seen = memory.observations.list(limit=100, for_session=session)
    names = {hit.snippet.split("kites of ")[1].split()[0] for hit in hits}
    assert names == {(each.summary or "").split()[2] for each in seen}
    return names


MINE = {*AGENTS, "console", "work"}


def test_agents_of_one_owner_share_and_nobody_elses(tmp_path: Path) -> None:
    """Issue 23, 3: what Claude Code captured is the owner's, and the reverse."""
    with _opened(tmp_path) as memory:
        made = _told(memory, tmp_path)
        for name in MINE:
            assert _heard(memory, made[name]) == MINE, name
        for name in ("guest", "group"):
            hits = memory.search("kites", 100, 0.0, for_session=made[name]).hits
            assert {hit.session_id for hit in hits} == {made[name]}
            assert not memory.observations.list(limit=100, for_session=made[name])
        assert _heard(memory, None) == {*made}
        for name in ("codex", "console"):
            block = memory.context(made[name]).text
            for other in {*AGENTS, "console"} - {name}:
                assert f"kites of {other} decided" in block, (name, other)
            assert "guest" not in block
            assert "group" not in block
        section = memory.sections.sync(tmp_path / "CLAUDE.md", str(tmp_path))
        for name in (*AGENTS, "console"):
            assert any(f"kites of {name} decided" in line for line in section.lines), name


@pytest.mark.parametrize(
    ("file", "sides"),
    [
        ("", [MINE]),
        ("agents: {codex: {apart: true}}", [{"codex"}, MINE - {"codex"}]),
        ("apart: true", [{each} for each in MINE]),
        ("apart: true\nagents: {codex: {apart: false}, work: {apart: false}}",
         [{"codex", "work"}, {"console"}, {"claude-code"}, {"gemini"}]),
        ("agents: {work: {sessions: {owner: ['telegram:9']}}}", [{"work"}, MINE - {"work"}]),
        ("agents: {work: {apart: false, sessions: {owner: ['telegram:9']}}}",
         [{"work"}, MINE - {"work"}]),
        ("agents: {main: {apart: true}, work: {search: {limit: 3}}}",
         [{"console"}, MINE - {"console"}]),
    ],
)  # fmt: skip
def test_walls_are_where_the_settings_say(file: str, sides: list[set[str]], tmp_path: Path) -> None:
    """Also of an agent with an index of its own, and of one with another owner."""
    with _opened(tmp_path, file) as memory:
        made = _told(memory, tmp_path)
        for side in sides:
            for name in side:
                assert _heard(memory, made[name]) == side, name


def test_a_wall_that_comes_or_goes_needs_no_new_index(tmp_path: Path) -> None:
    """The index names each agent; who hears whom is asked with every question."""
    with _opened(tmp_path) as memory:
        made = _told(memory, tmp_path)
    for file, heard in (("apart: true", {"codex"}), ("", MINE)):
        with _opened(tmp_path, file) as memory:
            assert memory.status().index.outdated is None
            assert _heard(memory, made["codex"]) == heard


def test_a_replacement_is_of_the_owner_whichever_agent_hears_it(tmp_path: Path) -> None:
    """What is known follows the walls."""
    with _opened(tmp_path) as memory:
        made = _told(memory, tmp_path)
        memory.facts.remember(None, "We use Redis for the kites.", for_session=made["claude-code"])
        heard = memory.facts.list(for_session=made["codex"])
        assert [each.text for each in heard if "Redis" in each.text]
        assert not [e for e in memory.facts.list(for_session=made["guest"]) if "Redis" in e.text]


def test_the_filter_of_an_agent_stays_one(tmp_path: Path) -> None:
    """DESIGN decision 6: a label and a filter."""
    with _opened(tmp_path) as memory:
        _told(memory, tmp_path)
        hits = memory.search("kites", 100, 0.0, scope=Scope(agent="gemini")).hits
        assert {hit.snippet.split("kites of ")[1].split()[0] for hit in hits} == {"gemini"}


def test_an_agent_that_is_only_apart_has_no_index_of_its_own(tmp_path: Path) -> None:
    """A wall is asked with each question, and costs no second index."""
    (tmp_path / "config.yaml").write_text(
        "agents: {a: {apart: true}, b: {apart: true, search: {limit: 3}}}", "utf-8"
    )
    resolved = load_settings(tmp_path, environ={})
    assert resolved.agents == ("b",)
    assert resolved.walls == Walls(exceptions=frozenset({"a", "b"}))


def test_an_older_home_keeps_its_walls_and_asks_once(tmp_path: Path) -> None:
    """Written into its settings at the upgrade; the doctor asks, and the owner decides."""
    home = older_home(tmp_path, ["agent:main:main", "agent:codex:main"])
    states, own, other = [], "", ""
    for _ in range(2):
        with recollect.open(home, overrides=SETTINGS, live=False) as memory:
            result = check_sharing(memory)
            assert "recollect config set apart false" in result.detail + result.hint
            states.append(result.state)
            assert memory.sessions.owner.walls == Walls(everyone=True)
            own, other = (memory.sessions.open(f"agent:{a}:main").id for a in ("main", "codex"))
            assert not memory.sessions.hears(own, other)
    assert states == ["note", "ok"]
    assert load_settings(home, environ={}).settings.apart
    assert main(["--home", str(home), "config", "set", "apart", "false"]) == 0
    with recollect.open(home, overrides=SETTINGS, live=False) as memory:
        assert memory.sessions.hears(own, other)
        assert check_sharing(memory).detail == "your agents share"


def test_a_home_that_holds_nothing_shares(tmp_path: Path) -> None:
    """A new home, or an old one in which nobody said anything."""
    with recollect.open(older_home(tmp_path, []), overrides=SETTINGS, live=False) as memory:
        assert memory.sessions.owner.walls == Walls()
