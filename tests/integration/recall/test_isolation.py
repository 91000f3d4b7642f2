"""Who hears what: random histories, and never a word in the wrong place."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect.core.errors import Denied
from recollect.core.scope import Scope
from recollect.memory import Memory
from tests.unit.index.scripted import ScriptedEmbedder

LINKS = ["ann=telegram:123", "ann=discord:9", "bob=telegram:77"]
OPERATOR, AT_WORK = "operator", "operator at work"
OWNERS = {OPERATOR, AT_WORK}
"""The visibility groups that see memory files."""

# What the key of a conversation is, and who hears it; said here anew, not taken from the code.
PLACES: list[tuple[str | None, str, bool]] = [
    ("agent:main:telegram:acc:direct:123", "ann", True),
    ("agent:main:telegram:other:direct:123", "ann", True),
    ("agent:main:discord:default:direct:9", "ann", True),
    ("agent:main:discord:direct:9:thread:5", "ann", True),
    ("agent:main:direct:ann", "ann", True),
    ("agent:main:telegram:default:direct:ann", "somebody called like ann", True),
    ("irc:ann", "somebody else called like ann", True),
    ("agent:main:irc:oftc:direct:ann", "a third one called like ann", True),
    ("agent:main:direct:telegram%3A123", "an account within an account", True),
    ("telegram:123", "ann", True),
    ("telegram:77", "bob", True),
    ("agent:work:telegram:acc:direct:123", "ann at work", True),
    ("telegram:42", "42 of telegram", True),
    ("discord:42", "42 of discord", True),
    (None, OPERATOR, True),
    ("notes", OPERATOR, True),
    ("alice", "alice", True),
    ("bobby", "bobby", True),
    ("agent:work:alice", "alice at work", True),
    ("agent:main:main", OPERATOR, True),
    ("agent:main:cron:nightly", OPERATOR, True),
    ("agent:work:main", AT_WORK, True),
    ("agent:main:telegram:group:-100", "group", False),
    ("agent:main:telegram:group:-100:thread:7", "group", False),
    ("telegram:group:-100", "group", False),
    ("agent:main:telegram:group:-200", "another group", False),
    ("agent:main:telegram:acc:group:-100", "group by account", False),
    ("agent:work:telegram:group:-100", "group at work", False),
    ("agent:main:slack:channel:C1", "channel", False),
    ("group:C1", "bare group", False),
    ("telegram:-100", "group", False),
    ("agent:main:telegram:direct:-100", "group", False),
    ("whatsapp:1@g.us", "group of whatsapp", False),
    ("agent:main:telegram:-100", "not understood", False),
    ("telegram:cron:x", "no job of the owner's", False),
    ("agent:main:web:acc:kiosk:7", "kiosk", False),
    ("a:b:c", "colons", False),
    ("agent:main:subagent:s1", "sub-agent", False),
    ("agent:main:telegram:direct:123:subagent:s2", "sub-agent of ann", False),
    ("hook:h1", "hook", False),
]

PLACE = st.integers(0, len(PLACES) - 1)
OPS = st.one_of(
    st.tuples(st.just("say"), PLACE),
    st.tuples(st.just("reset"), PLACE),
    st.tuples(st.just("fork"), st.integers(0, 50), st.integers(0, 5)),
    st.tuples(st.just("say in"), st.integers(0, 50)),
    st.tuples(st.just("hear"), st.integers(0, 50)),
    st.tuples(st.just("write"), st.integers(0, 3)),
    st.tuples(st.just("sync")),
    st.tuples(st.just("reindex")),
)


class History:
    """Does what it is told to a memory, and knows what each session may hear."""

    def __init__(self, memory: Memory, workspace: Path) -> None:
        self.memory = memory
        self.is_apart = memory.sessions.owner.walls.everyone
        self.workspace = workspace
        self.visibility_groups: dict[str, tuple[str, bool]] = {}
        self.current: dict[int, str] = {}
        self.said: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self.shared: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self.files: set[str] = set()

    def do(self, op: tuple[Any, ...]) -> None:
        """Carry out one operation."""
        name, *rest = op
        if name == "say":
            self._say(self.current.get(rest[0]) or self._begin(rest[0]))
        elif name == "reset":
            self._begin(rest[0])
        elif name == "write":
            self._write(rest[0])
        elif name == "sync":
            self.memory.sync()
        elif name == "reindex":
            self.memory.reindex()
        elif self.visibility_groups:
            session = sorted(self.visibility_groups)[rest[0] % len(self.visibility_groups)]
            if name == "say in":
                self._say(session)
            elif name == "fork":
                self._fork(session, rest[1])
            else:
                self.check(session, "lexical")

    def check(self, session: str, mode: str) -> None:
        """Compare what is found on behalf of a session with what it may hear: all of that."""
        visibility_group = self.visibility_groups[session][0]
        found = self.memory.search("apple", 1_000, 0.0, mode=mode, for_session=session).hits
        messages = {(hit.session_id, hit.seq) for hit in found if hit.source == "sessions"}
        assert messages == self.said[visibility_group]
        files = {hit.path for hit in found if hit.source == "memory"}
        heard = self.files if visibility_group in OWNERS else set()
        assert files <= heard
        if files != heard:  # a search right after a slow scan does not scan again
            self.memory.sync()
            again = self.memory.search("apple", 1_000, 0.0, mode=mode, for_session=session).hits
            assert {hit.path for hit in again if hit.source == "memory"} == heard

    def check_own(self, session: str) -> None:
        """Compare what is found in a session with what it consists of."""
        found = self.memory.search("apple", 1_000, 0.0, scope=Scope(session=session)).hits
        messages = {(hit.session_id, hit.seq) for hit in found if hit.source == "sessions"}
        assert messages == self.shared[session]
        assert {hit.session_id for hit in found} <= {id_ for id_, _ in self.shared[session]}

    def check_reading(self, session: str) -> None:
        """Try to read a memory file on behalf of a session."""
        if self.visibility_groups[session][0] in OWNERS:
            self.memory.read("MEMORY.md", for_session=session)
        else:
            with pytest.raises(Denied):
                self.memory.read("MEMORY.md", for_session=session)

    def _begin(self, place: int) -> str:
        key, visibility_group, is_private = PLACES[place]
        if visibility_group == AT_WORK and not self.is_apart:
            visibility_group = OPERATOR
        sessions = self.memory.sessions
        session = sessions.create() if key is None else sessions.reset(key, owner=key == "notes")
        self.visibility_groups[session.id] = visibility_group, is_private
        self.current[place] = session.id
        return session.id

    def _say(self, session: str) -> None:
        message = self.memory.sessions.append(session, "user", f"apple number {len(self.said)}")
        place = (session, message.seq)
        self.said[self.visibility_groups[session][0]].add(place)
        self.shared[session].add(place)

    def _fork(self, session: str, back: int) -> None:
        last = self.memory.sessions.get(session).last_seq
        at = max(0, last - back)
        fork = self.memory.sessions.fork(session, at)
        self.visibility_groups[fork.id] = self.visibility_groups[session]
        self.shared[fork.id] = {place for place in self.shared[session] if place[1] <= at}

    def _write(self, number: int) -> None:
        path = f"memory/note{number}.md"
        (self.workspace / path).write_text(f"apple of file {len(self.files)}\n", "utf-8")
        self.files.add(path)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
@given(
    st.lists(OPS, min_size=5, max_size=40),
    st.sampled_from(["postings", "fts5"]),
    st.sampled_from(["lexical", "hybrid", "vector"]),
    st.booleans(),
)
def test_a_conversation_hears_of_its_visibility_group_and_of_nothing_else(
    ops: list[tuple[Any, ...]], lexical: str, mode: str, is_apart: bool
) -> None:
    """Whatever was said, reset, forked, linked and written before: no leak, and nothing missing."""
    overrides = {
        "sessions.identity_links": LINKS,
        "sessions.mirror": False,
        "store.durability": "fast",
        "search.lexical.backend": lexical,
        "apart": is_apart,
    }
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "workspace")
        (workspace / "memory").mkdir(parents=True)
        with recollect.open(
            Path(folder, "home"), workspace, overrides=overrides, embedder=ScriptedEmbedder()
        ) as memory:
            history = History(memory, workspace)
            for op in ops:
                history.do(op)
            memory.sync()
            for session in sorted(history.visibility_groups):
                history.check(session, mode)
                history.check_own(session)
                history.check_reading(session)


@pytest.mark.parametrize("is_apart", [False, True])
def test_every_place_hears_what_its_visibility_group_says(tmp_path: Path, is_apart: bool) -> None:
    """Each of them once, in one home: a table of who hears whom."""
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    overrides = {
        "sessions.identity_links": LINKS,
        "embedding.provider": "none",
        "apart": is_apart,
    }
    with recollect.open(tmp_path / "home", workspace, overrides=overrides) as memory:
        history = History(memory, workspace)
        history.do(("write", 1))
        for place in range(len(PLACES)):
            history.do(("say", place))
        for session in sorted(history.visibility_groups):
            history.check(session, "lexical")
            history.check_reading(session)
