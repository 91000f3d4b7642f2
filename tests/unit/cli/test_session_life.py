"""Commands that begin, continue and end sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")

KEY = "agent:main:telegram:acc:direct:42"


def test_an_id_on_stdout_is_for_the_next_command(run: Run, home: Path) -> None:
    """Alone there; what is said beside it goes to stderr."""
    done = run("--home", home, "sessions", "start", "--project", "tea")
    shown = run("--home", home, "sessions", "show", done.out.strip(), "--json").json
    assert (done.code, done.err, shown["project"]) == (0, "new\n", "tea")
    assert done.out == shown["id"] + "\n"


def test_a_folder_of_the_shell_is_the_same_one_from_everywhere(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept as ".", two folders would be one project, and one would hear of the other."""
    found = []
    for name, command in (("tea", ("start",)), ("rum", ("start",)), ("gin", ("reset", KEY))):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        found.append(run("--home", home, "sessions", *command, "--project", ".", "--json").json)
        here = run("--home", home, "sessions", "--project", ".", "--json").json["sessions"]
        assert [each["id"] for each in here] == [found[-1]["id"]]
    assert [each["project"] for each in found] == [str(tmp_path / n) for n in ("tea", "rum", "gin")]


@pytest.mark.parametrize(
    "choice", [("--resume", "delivery"), ("--continue",), ("--session-id", "ID")]
)
def test_a_program_begins_with_what_it_chose(run: Run, home: Path, choice: tuple[str, ...]) -> None:
    """By id, by title, or the latest; --fork goes with each."""
    found = run("--home", home, "sessions", "show", "delivery", "--json").json["id"]
    options = [found if word == "ID" else word for word in choice]
    done = run("--home", home, "sessions", "start", *options)
    assert (done.out.strip(), done.err) == (found, "begins with 4 messages\n")
    fork = run("--home", home, "sessions", "start", *options, "--fork", "--json").json
    assert (fork["parent_id"], fork["forked_at_seq"]) == (found, 4)


def test_an_id_that_is_not_there_is_made(run: Run, home: Path) -> None:
    """The second start continues it."""
    ids = [run("--home", home, "sessions", "start", "--session-id", "mine").out for _ in range(2)]
    assert ids == ["mine\n", "mine\n"]


@pytest.mark.parametrize(
    "options",
    [
        ("--resume", "delivery", "--continue"),
        ("--session-id", "mine", "--resume", "delivery"),
        ("--session-id", "mine", "--continue"),
        ("--fork",),
        ("--fork", "--session-id", "not-there"),
    ],
)
def test_two_choices_or_a_fork_of_nothing_are_refused(
    run: Run, home: Path, options: tuple[str, ...]
) -> None:
    """Nothing is chosen in silence, and nothing is made."""
    before = len(run("--home", home, "sessions", "--json").json["sessions"])
    done = run("--home", home, "sessions", "start", *options, "--json")
    assert (done.code, done.out, done.error["code"]) == (2, "", "invalid_input")
    assert done.error["hint"]
    assert len(run("--home", home, "sessions", "--json").json["sessions"]) == before


def test_a_name_that_is_nearly_right_gets_the_right_one(run: Run, home: Path) -> None:
    """With the id to type."""
    found = run("--home", home, "sessions", "show", "delivery", "--json").json["id"]
    done = run("--home", home, "sessions", "start", "--resume", "delivry", "--json")
    assert (done.code, done.error["code"]) == (1, "not_found")
    assert found in done.error["hint"]


def test_a_name_of_two_gets_both(run: Run, home: Path) -> None:
    """The choice is the user's."""
    run("--home", home, "sessions", "rename", "delivery", "Delivery")
    run("--home", home, "sessions", "fork", "delivery", "--title", "Delivery")
    done = run("--home", home, "sessions", "resume", "delivery", "--json")
    assert (done.code, done.error["code"]) == (1, "conflict")
    assert done.error["hint"].count(",") == 1


def test_an_archived_session_is_resumed(run: Run, home: Path) -> None:
    """And given back at once."""
    run("--home", home, "sessions", "archive", "delivery")
    done = run("--home", home, "sessions", "resume", "delivery")
    assert done.err == "4 messages\n"
    shown = run("--home", home, "sessions", "show", "delivery", "--json").json
    assert (shown["status"], shown["lease"]) == ("active", None)


def test_a_session_that_is_held_is_refused_or_forked(run: Run, home: Path) -> None:
    """As asked."""
    with recollect.open(home) as memory, memory.sessions.hold("delivery", holder="night") as held:
        shown = run("--home", home, "sessions", "show", "delivery").out
        assert "held by        night until " in shown
        refused = run("--home", home, "sessions", "resume", "delivery", "--json")
        assert (refused.code, refused.error["code"]) == (1, "conflict")
        assert run("--home", home, "sessions", "say", "delivery", "user", "hi").code == 1
        forked = run("--home", home, "sessions", "resume", "delivery", "--busy", "fork")
        assert forked.err == f"a fork: {held.session.id[-8:]} is held\n"
        place = run("--home", home, "sessions", "say", "delivery", "user", "hi", "--busy", "fork")
        assert place.out.endswith(":5\n")


def test_a_fork_shares_what_was_said_before(run: Run, home: Path) -> None:
    """Its own messages are its own."""
    done = run("--home", home, "sessions", "fork", "delivery", "--at", "2", "--title", "strict")
    assert done.err.endswith(" at message 2\n")
    assert run("--home", home, "sessions", "say", "strict", "user", "Monday?").out.endswith(":3\n")
    lines = run("--home", home, "sessions", "show", "strict").out.splitlines()
    shown = dict(line.split(maxsplit=1) for line in lines)
    assert shown["messages"] == "1 and 2 that it shares"
    assert shown["fork"].endswith(" at 2")
    parent = run("--home", home, "sessions", "show", "delivery").out
    assert f"forks          {done.out.strip()[-8:]}\n" in parent
    said = run("--home", home, "transcript", "strict", "--json").json["messages"]
    assert [message["seq"] for message in said] == [1, 2, 3]
    assert run("--home", home, "sessions", "fork", "delivery", "--at", "9").code == 2


def test_a_reset_follows_the_session_before(run: Run, home: Path) -> None:
    """Which is archived."""
    first = run("--home", home, "sessions", "reset", KEY)
    assert first.err == "the first of its key\n"
    second = run("--home", home, "sessions", "reset", KEY)
    before = first.out.strip()
    assert second.err == f"follows {before[-8:]}\n"
    row = run("--home", home, "sessions", "--key", KEY).out.splitlines()[2]
    assert row.startswith(before[-8:])
    assert row.endswith("telegram (archived)")
    lines = run("--home", home, "sessions", "show", KEY).out.splitlines()
    assert dict(line.split(maxsplit=1) for line in lines)["follows"] == before[-8:]
    known = run("--home", home, "sessions", "show", before, "--json").json
    assert known["grown"] == {"fork": [], "reset": [second.out.strip()]}
    assert "followed by" in run("--home", home, "sessions", "show", before).out


def test_a_title_is_given_and_taken(run: Run, home: Path) -> None:
    """An empty one takes it away."""
    run("--home", home, "sessions", "rename", "delivery", "Delivery days")
    found = run("--home", home, "sessions", "show", "delivery days", "--json").json
    assert found["title"] == "Delivery days"
    renamed = run("--home", home, "sessions", "rename", found["id"], " ", "--json").json
    assert renamed["title"] is None


def test_nothing_is_said_in_a_deleted_session(run: Run, home: Path, chat: Path) -> None:
    """Nor started with its id, nor imported into it; the hint names what brings it back."""
    (session,) = run("--home", home, "sessions", "--json").json["sessions"]
    run("--home", home, "sessions", "delete", session["id"])
    for command in (
        ["say", session["id"], "user", "hello?"],
        ["start", "--session-id", session["id"]],
    ):
        refused = run("--home", home, "sessions", *command, "--json")
        assert (refused.code, refused.error["code"]) == (1, "conflict")
        assert f"recollect sessions restore {session['id']}" in refused.error["hint"]
    with chat.open("a", encoding="utf-8") as more:
        more.write('{"role": "user", "content": "hello?"}\n')
    done = run("--home", home, "import", "jsonl", chat)
    assert (done.code, done.out.splitlines()[0]) == (
        0,
        "0 new messages in 0 new sessions, from 1 transcript",
    )
    assert "1  messages of deleted sessions were left out" in done.err
    run("--home", home, "sessions", "restore", session["id"])
    assert run("--home", home, "import", "jsonl", chat, "--json").json["messages"] == 1


def test_a_deleted_session_can_be_brought_back(run: Run, home: Path) -> None:
    """It is in no list but that of all, which shows what it is named by."""
    run("--home", home, "sessions", "delete", "delivery")
    assert run("--home", home, "sessions").err == "no sessions\n"
    row = run("--home", home, "sessions", "--all").out.splitlines()[1]
    assert row.endswith("jsonl (deleted)")
    assert run("--home", home, "sessions", "restore", "deliveries").code == 1
    assert run("--home", home, "sessions", "restore", row[:8]).code == 0
    assert run("--home", home, "transcript", "delivery").out.startswith("    1 Mira")
