"""Search by the external command: its hits, those of the builtin index, and every way to fail."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.scope import Scope
from recollect.memory import Memory
from tests.unit.recall.qmd.conftest import HIT, StandIn

Open = Callable[..., Memory]
BUILTIN = "the builtin index answered"


class HandClock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def now_ms(self) -> int:
        """Return its time."""
        return self.now


@pytest.fixture
def clock() -> HandClock:
    """At any time."""
    return HandClock()


@pytest.fixture
def opened(tmp_path: Path, workspace: Path, stand_in: StandIn, clock: HandClock) -> Open:
    """Opens a memory that searches by the stand-in."""

    def make(**overrides: Any) -> Memory:
        settings = {
            "embedding.provider": "none",
            "search.backend": "qmd",
            "qmd.command": str(stand_in.path),
            "qmd.timeout_ms": 30_000,
        }
        named = {key.replace("__", "."): value for key, value in overrides.items()}
        return recollect.open(tmp_path / "home", workspace, overrides=settings | named, clock=clock)

    return make


def _sources(memory: Memory, query: str = "tea", **options: Any) -> list[tuple[str, str]]:
    return [(hit.source, hit.ref) for hit in memory.search(query, **options).hits]


def test_a_hit_shows_the_file_as_it_is_without_its_secrets(opened: Open) -> None:
    """The command reads the files raw; what we show goes through our own hands."""
    with opened() as memory:
        result = memory.search("green tea", sources=["memory"])
    (hit,) = result.hits
    assert (hit.path, hit.start_line, hit.end_line) == ("memory/tea.md", 2, 3)
    assert (hit.score, hit.why) == (0.72, {"qmd": 0.72})
    assert "Green tea on Mondays" in hit.snippet
    assert "tr0ub4dor" not in hit.snippet
    assert not any(BUILTIN in warning for warning in result.warnings)


def test_the_first_question_lets_it_look_at_the_files(opened: Open, stand_in: StandIn) -> None:
    """The second finds them looked at; a question can be no option."""
    with opened() as memory:
        memory.search("--help\nme\0please", limit=3)
        memory.search("tea", limit=3)
    assert stand_in.calls() == [
        ["update"],
        ["search", "--json", "-n", "6", "--", "--help me please"],
        ["search", "--json", "-n", "6", "--", "tea"],
    ]


def test_messages_come_from_the_builtin_index(opened: Open) -> None:
    """Both are in one list, best first."""
    with opened() as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append(session.id, "user", "Do we have tea?")
        hits = memory.search("tea").hits
        assert sorted(hit.source for hit in hits) == ["memory", "sessions"]
        assert [hit.score for hit in hits] == sorted((h.score for h in hits), reverse=True)
        assert [source for source, _ in _sources(memory, sources=["sessions"])] == ["sessions"]


def test_files_keep_their_share_of_the_places(opened: Open, stand_in: StandIn) -> None:
    """However well the messages answer; and messages fill what files leave."""
    stand_in.finds(HIT | {"score": 0})
    with opened(search__memory_share=0.34) as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append_many(session.id, [("user", f"tea {n}") for n in range(5)])
        found = _sources(memory, limit=3)
        assert [source for source, _ in found] == ["sessions", "sessions", "memory"]
        stand_in.finds()
        assert [source for source, _ in _sources(memory, limit=3)] == ["sessions"] * 3


@pytest.mark.parametrize(
    "hit",
    [
        {"file": "qmd://other/memory/tea.md"},
        {"file": "qmd://workspace/memory/../../secret.md"},
        {"file": "/etc/passwd"},
        {"file": "qmd://workspace/memory/gone.md"},
        {"file": "qmd://workspace/memory/link.md"},
        {"snippet": "@@ -400,2 @@\nx"},
    ],
)
def test_what_is_no_line_of_a_memory_file_is_no_hit(
    opened: Open, stand_in: StandIn, workspace: Path, hit: dict[str, object]
) -> None:
    """Whatever the command says."""
    (workspace / "memory" / "link.md").symlink_to(workspace / "memory" / "tea.md")
    stand_in.finds(HIT | hit)
    with opened() as memory:
        assert memory.search("tea", sources=["memory"]).hits == []


def test_a_threshold_cuts_no_hit_with_all_the_words(opened: Open, stand_in: StandIn) -> None:
    """It is that of the builtin index."""
    other = HIT | {"file": "qmd://workspace/MEMORY.md", "score": 0.9, "snippet": "@@ -3,1 @@\nx"}
    stand_in.finds(other, HIT | {"score": 0.2})
    with opened() as memory:
        shown = _sources(memory, "green tea", sources=["memory"], min_score=0.3)
        assert shown == [("memory", "MEMORY.md"), ("memory", "memory/tea.md")]
        shown = _sources(memory, "green zebras", sources=["memory"], min_score=0.3)
        assert shown == [("memory", "MEMORY.md")]


def test_a_hit_names_its_place_where_that_is_wanted(opened: Open) -> None:
    """As every hit does."""
    with opened() as memory:
        assert memory.search("tea", sources=["memory"]).hits[0].citation == "memory/tea.md#L2-L3"
    with opened(search__citations="off") as memory:
        assert memory.search("tea", sources=["memory"]).hits[0].citation is None


def test_a_file_that_became_binary_is_no_hit(opened: Open, workspace: Path) -> None:
    """It cannot be shown."""
    with opened() as memory:
        memory.search("tea")
        (workspace / "memory" / "tea.md").write_bytes(b"\0\n\n\n")
        assert memory.search("tea", sources=["memory"]).hits == []


@pytest.mark.parametrize(
    "search",
    [
        "sys.exit(1)",
        "os.kill(os.getpid(), 9)",
        "print('[{\"file\": 3}]')",
        "print('not JSON')",
        "pass",
    ],
)
def test_whatever_fails_the_builtin_index_answers(
    opened: Open, stand_in: StandIn, search: str
) -> None:
    """For that question, with a warning."""
    stand_in.does(search)
    with opened() as memory:
        result = memory.search("green tea")
        assert [hit.ref for hit in result.hits] == ["memory/tea.md"]
        assert any(BUILTIN in warning for warning in result.warnings)
        alone = memory.search("green tea", sources=["memory"])
        assert [hit.ref for hit in alone.hits] == ["memory/tea.md"]


def test_an_update_that_fails_is_a_failure_too(opened: Open, stand_in: StandIn) -> None:
    """And a sync tells it."""
    stand_in.does("print('[]')", other="sys.exit(2)")
    with opened() as memory:
        assert any(BUILTIN in warning for warning in memory.search("tea").warnings)
        assert memory.sync().warnings == ("qmd ended with code 2",)


def test_a_damaged_index_of_the_command_is_made_again(
    opened: Open, stand_in: StandIn, tmp_path: Path
) -> None:
    """It is derived, and ours."""
    stand_in.does(
        "print('[]')",
        "if os.path.exists(os.environ['INDEX_PATH']):\n"
        "    sys.stderr.write('SQLITE_CORRUPT')\n"
        "    sys.exit(1)\n"
        "open(os.environ['INDEX_PATH'], 'w').close()",
    )
    with opened() as memory:
        memory.sync()
        assert memory.sync().warnings == ()
        assert stand_in.calls() == [["update"]] * 3


def test_one_that_is_too_slow_does_not_keep_anybody_waiting(
    opened: Open, stand_in: StandIn
) -> None:
    """As a model on a slow processor is."""
    stand_in.does("time.sleep(600)")
    with opened(qmd__timeout_ms=300) as memory:
        assert "took too long" in memory.search("tea").warnings[-1]


def test_a_missing_command_is_told(opened: Open) -> None:
    """The builtin index has what it would have found."""
    with opened(qmd__command="/no/such/qmd") as memory:
        result = memory.search("green tea")
        assert result.warnings[-1] == f"qmd is not installed: {BUILTIN}"
        assert result.hits


def test_a_failure_is_remembered_for_a_while(
    opened: Open, stand_in: StandIn, clock: HandClock
) -> None:
    """Also by the next process; then it is tried again, and is well."""
    stand_in.does("sys.exit(1)")
    with opened() as memory:
        memory.search("tea")
    asked = len(stand_in.calls())
    stand_in.finds(HIT)
    with opened() as memory:
        clock.now += 59_000
        assert BUILTIN in memory.search("tea").warnings[-1]
        assert len(stand_in.calls()) == asked
        clock.now += 1_000
        assert not any(BUILTIN in warning for warning in memory.search("tea").warnings)
        assert len(stand_in.calls()) == asked + 1


def test_an_old_view_is_renewed_beside_the_answer(
    opened: Open, stand_in: StandIn, clock: HandClock
) -> None:
    """The question does not wait for it."""
    with opened() as memory:
        memory.search("tea")
        clock.now += 5 * 60_000
        memory.search("tea")
        _wait_for(lambda: stand_in.calls().count(["update"]) == 2)


def test_with_no_interval_only_a_sync_renews_it(
    opened: Open, stand_in: StandIn, clock: HandClock
) -> None:
    """However old it is."""
    with opened(qmd__update_interval_minutes=0) as memory:
        memory.search("tea")
        clock.now += 10**9
        memory.search("tea")
        assert stand_in.calls().count(["update"]) == 1
        assert memory.sync().warnings == ()
        assert stand_in.calls().count(["update"]) == 2


@pytest.mark.parametrize("mode", ["vsearch", "query"])
def test_modes_with_vectors_make_them(opened: Open, stand_in: StandIn, mode: str) -> None:
    """Beside the first question, which does not wait for them, and with a sync."""
    with opened(qmd__mode=mode) as memory:
        memory.search("tea")
        _wait_for(lambda: ["embed"] in stand_in.calls())
        memory.sync()
    calls = [call[0] for call in stand_in.calls()]
    assert sorted(calls[:3]) == sorted(["update", mode, "embed"])
    assert calls[3:] == ["update", "embed"]


def test_a_failure_in_the_background_is_told_with_the_next_question(
    opened: Open, stand_in: StandIn, clock: HandClock
) -> None:
    """And by the status."""
    with opened() as memory:
        memory.search("tea")
        stand_in.does("print('[]')", "sys.exit(7)")
        clock.now += 5 * 60_000
        memory.search("tea")
        _wait_for(lambda: memory.status().fallback is not None)
        assert memory.search("tea").warnings[-1] == f"qmd ended with code 7: {BUILTIN}"


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline, waiting = time.monotonic() + 30, threading.Event()
    while not condition() and time.monotonic() < deadline:
        waiting.wait(0.01)
    assert condition()


@pytest.mark.parametrize(
    ("options", "overrides"),
    [
        ({"sources": ["sessions"]}, {}),
        ({"mode": "vector"}, {}),
        ({"mode": "lexical"}, {"qmd__mode": "vsearch"}),
        ({"scope": Scope(session="s")}, {}),
        ({"scope": Scope(user="ann")}, {}),
        ({"query": " \0"}, {}),
    ],
)
def test_it_is_not_asked_for_what_it_cannot_answer(
    opened: Open, stand_in: StandIn, options: dict[str, Any], overrides: dict[str, Any]
) -> None:
    """Other sources, other ways to compare, owners that the files do not have."""
    with opened(**overrides) as memory:
        memory.search(**({"query": "tea"} | options))
    assert stand_in.calls() == []


def test_it_is_not_asked_on_behalf_of_a_group(opened: Open, stand_in: StandIn) -> None:
    """A group sees no memory file, whoever finds it."""
    with opened() as memory:
        group = memory.sessions.create(key="agent:main:telegram:group:-100").id
        private = memory.sessions.create(key="agent:main:main").id
        assert _sources(memory, for_session=group) == []
        assert stand_in.calls() == []
        assert _sources(memory, for_session=private) == [("memory", "memory/tea.md")]


def test_notes_of_guests_are_heard_by_the_guest_and_the_owner(opened: Open) -> None:
    """They lie in the home, where the command does not look; and by no one else."""
    with opened(sessions__owner=["telegram:42"], sessions__guests_read=["memory/*.md"]) as memory:
        guest = memory.sessions.create(key="telegram:43").id
        memory.sessions.append(guest, "user", "I always drink tea.")
        assert memory.sessions.flush(guest).lines == 1
        chats = {
            who: None if who is None else memory.sessions.create(key=who).id
            for who in (None, "telegram:42", "telegram:43", "telegram:44", "telegram:group:-1")
        }
        for sources in (None, ["memory"]):
            heard = {
                who: [ref for _, ref in _sources(memory, sources=sources, for_session=id_)]
                for who, id_ in chats.items()
            }
            noted = {
                who: [ref for ref in refs if ref.startswith("notes")] for who, refs in heard.items()
            }
            assert [len(refs) for refs in noted.values()] == [1, 1, 1, 0, 0]
            assert heard[None].count("memory/tea.md") == 1
            assert heard["telegram:42"].count("memory/tea.md") == 1


def test_its_files_lie_in_the_home(opened: Open, stand_in: StandIn, tmp_path: Path) -> None:
    """None of the user's own collections are touched."""
    with opened() as memory:
        memory.search("tea")
    (folder,) = (tmp_path / "home" / "qmd").iterdir()
    _, where, variables = stand_in.notes()[0]
    assert where == str(folder)
    for name in ("HOME", "QMD_CONFIG_DIR", "XDG_CONFIG_HOME"):
        assert variables[name] == str(folder)
    assert variables["INDEX_PATH"] == str(folder / "index.sqlite")
    assert (folder / "state.json").stat().st_mode & 0o077 == 0


def test_without_memory_files_it_is_not_used(tmp_path: Path, stand_in: StandIn) -> None:
    """There is nothing for it."""
    overrides = {"search.backend": "qmd", "qmd.command": str(stand_in.path)}
    with recollect.open(
        tmp_path / "bare", overrides=overrides | {"embedding.provider": "none"}
    ) as memory:
        memory.search("tea")
    assert stand_in.calls() == []
