"""`recollect get`: what a search named, in full."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from tests.unit.cli.conftest import NOTE, Run

pytestmark = pytest.mark.usefixtures("filled")


@pytest.fixture
def session(run: Run, home: Path) -> str:
    """The id of the session."""
    found: str = run("--home", home, "sessions", "--json").json["sessions"][0]["id"]
    return found


def test_a_file_is_shown_with_line_numbers(run: Run, home: Path) -> None:
    """Like `cat -n`, blank lines too."""
    done = run("--home", home, "get", "memory/2025-07-14.md")
    assert done.out.splitlines() == [
        "1  # Cold room",
        "2",
        "3  - gasket: MAG-4471",
        "4  - temperature: 5 degrees",
    ]


@pytest.mark.parametrize(
    ("arguments", "first", "text"),
    [
        (("memory/2025-07-14.md:3",), 3, "- gasket: MAG-4471\n- temperature: 5 degrees"),
        (("memory/2025-07-14.md:3-3",), 3, "- gasket: MAG-4471"),
        (("memory/2025-07-14.md", "--from", "4"), 4, "- temperature: 5 degrees"),
        (("memory/2025-07-14.md", "--from", "1", "--lines", "1"), 1, "# Cold room"),
        (("memory/2025-07-14.md:3-4", "--lines", "1"), 3, "- gasket: MAG-4471"),
        (("memory/2025-07-14.md:99",), 99, ""),
    ],
)
def test_lines_are_chosen_by_address_or_option(
    run: Run, home: Path, arguments: tuple[str, ...], first: int, text: str
) -> None:
    """Counted from 1, the last one inclusive."""
    found = run("--home", home, "get", *arguments, "--json").json
    assert (found["from_line"], found["text"]) == (first, text)
    assert found["total_lines"] == len(NOTE.splitlines())


def test_a_part_of_a_file_says_so(run: Run, home: Path) -> None:
    """On stderr."""
    done = run("--home", home, "get", "memory/2025-07-14.md:3-3")
    assert "memory/2025-07-14.md, 1 of 4 lines" in done.err


def test_a_message_is_shown_among_its_neighbours(run: Run, home: Path, session: str) -> None:
    """It is marked; the session's title stands above, on stderr."""
    done = run("--home", home, "get", f"{session[-8:]}:2", "-C", "1")
    lines = done.out.splitlines()
    assert lines[0] == "    1 Mira  2026-05-04 09:00  m1"
    assert lines[3] == "▌   2 Heron  2026-05-04 09:01  m2"
    assert lines[4] == "      Café Zoé gets its delivery on Thursdays."
    assert lines[6].startswith("    3 Mira")
    assert done.err.startswith(f"delivery  {session[-8:]}, 4 messages\n")


def test_a_message_has_the_same_answer_by_its_id(run: Run, home: Path, session: str) -> None:
    """Ids come from the JSON of a search."""
    by_place = run("--home", home, "get", f"{session}:2", "--json").json
    by_id = run("--home", home, "get", by_place["message"]["id"], "--json").json
    assert by_id == by_place
    assert [len(by_id["before"]), len(by_id["after"])] == [1, 2]


def test_a_message_can_stand_alone(run: Run, home: Path, session: str) -> None:
    """Without context."""
    found = run("--home", home, "get", f"{session}:2", "-C", "0", "--json").json
    assert (found["before"], found["after"]) == ([], [])


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("../../etc/passwd",), "denied"),
        (("README.md",), "denied"),
        (("memory/2025-07-14.md:4-3",), "invalid_input"),
        (("memory/2025-07-14.md", "--from", "0"), "invalid_input"),
        (("memory/2025-07-14.md", "-C", "-1"), "invalid_input"),
        (("0198a1f9-0000-7000-8000-000000000000",), "not_found"),
        (("delivery:99",), "not_found"),
        (("nobody:1",), "not_found"),
    ],
)
def test_what_is_not_there_is_told(
    run: Run, home: Path, arguments: tuple[str, ...], kind: str
) -> None:
    """With a hint."""
    done = run("--home", home, "get", *arguments, "--json")
    expected = 2 if kind == "invalid_input" else 1
    assert (done.code, done.error["code"]) == (expected, kind)
    assert done.error["hint"]


def test_a_file_that_is_not_there_is_a_clean_answer(run: Run, home: Path) -> None:
    """Exit code 1, and a document all the same."""
    done = run("--home", home, "get", "memory/none.md", "--json")
    assert (done.code, done.json["status"], done.json["text"]) == (1, "not_found", "")
    shown = run("--home", home, "get", "memory/none.md")
    assert (shown.code, shown.out) == (1, "")
    assert "no memory file memory/none.md" in shown.err


def test_a_long_file_says_where_to_go_on(run: Run, home: Path, workspace: Path) -> None:
    """120 lines at a time."""
    text = "".join(f"line {number}\n" for number in range(1, 201))
    (workspace / "memory" / "long.md").write_text(text, encoding="utf-8")
    done = run("--home", home, "get", "memory/long.md")
    assert done.out.splitlines()[-1] == "120  line 120"
    assert "120 of 200 lines, more with --from 121" in done.err
    rest = run("--home", home, "get", "memory/long.md", "--from", "121", "--json").json
    assert (rest["lines"], rest["truncated"], rest["next_from"]) == (80, False, None)


def test_a_group_gets_nothing_of_other_conversations(run: Run, home: Path) -> None:
    """Neither a message nor a file; what was said in the group, it gets."""
    with recollect.open(home) as memory:
        group = memory.sessions.open("agent:main:slack:group:C1")
        memory.sessions.append(group.id, "user", "Which day is the delivery?")
    asking = ("--for-session", "agent:main:slack:group:C1")
    told = run("--home", home, "get", "delivery:1", *asking, "--json").error
    assert (told["code"], told["message"]) == ("not_found", "the message does not exist")
    assert run("--home", home, "get", "memory/2025-07-14.md", *asking).code == 1
    assert run("--home", home, "get", f"{group.id}:1", *asking).code == 0
    assert run("--home", home, "get", "delivery:1", "--for-session", "delivery").code == 0
    found = run("--home", home, "search", "Which day is the delivery?", *asking, "--json").json
    assert {hit["session_id"] for hit in found["hits"]} == {group.id}


def test_a_guest_in_a_shared_session_gets_their_own_turns(run: Run, home: Path) -> None:
    """Searched, viewed and fetched at the command line; the messages between them too."""
    run("--home", home, "config", "set", "sessions.owner", "telegram:42")
    main = run("--home", home, "sessions", "start", "--key", "agent:main:main", "--json").json["id"]
    for sender, said in (
        ("telegram:42", "mine"),
        ("telegram:99", "theirs"),
        ("telegram:42", "own"),
    ):
        run("--home", home, "sessions", "say", main, "user", f"plum {said}", "--sender", sender)
    run("--home", home, "sync")
    guest = ("--for-sender", "telegram:99")
    found = run("--home", home, "search", "plum", "--for-session", main, *guest, "--json").json
    assert [hit["snippet"] for hit in found["hits"]] == ["plum theirs"]
    shown = run("--home", home, "sessions", "view", main, *guest, "--json").json
    assert [message["text"] for message in shown["messages"]] == ["plum theirs"]
    got = run("--home", home, "get", f"{main}:2", "--for-session", main, *guest, "--json").json
    assert (got["message"]["text"], got["before"], got["after"]) == ("plum theirs", [], [])
    assert run("--home", home, "get", f"{main}:1", "--for-session", main, *guest).code != 0
    denied = run("--home", home, "get", "memory/2025-07-14.md", "--for-session", main, *guest)
    assert denied.code != 0
    assert "a guest does not see memory files" in denied.err
    assert run("--home", home, "get", "memory/2025-07-14.md", "--for-session", main).code == 0


def test_a_message_is_named_by_its_number_wherever_a_line_shows_it(run: Run, home: Path) -> None:
    """Issue 11.1: search, transcript and sessions take what a line of theirs shows."""
    (hit,) = run("--home", home, "search", "Thursdays", "-n", "1", "--json").json["hits"]
    assert hit["number"] == 2
    for name in ("m2", " M2 ", "message #2", "message m2"):
        assert run("--home", home, "get", name, "--json").json["message"]["id"] == hit["ref"]
        assert (
            run("--home", home, "search", name, "-n", "1", "--json").json["hits"][0]["number"] == 2
        )
    of_session = run("--home", home, "transcript", "m2", "--json").json
    assert [each["number"] for each in of_session["messages"]] == [1, 2, 3, 4]
    assert run("--home", home, "sessions", "show", "m2", "--json").json["id"] == hit["session_id"]
    assert run("--home", home, "events", "--session", "m2", "--json").out.count("\n") > 0
    missing = run("--home", home, "get", "m99", "--json")
    assert (missing.code, missing.error["code"]) == (1, "not_found")


def test_an_episode_is_shown_by_its_number(run: Run, home: Path, session: str) -> None:
    """What stays of a session that retention removed; no session hears it, as if it were none."""
    with recollect.open(home, overrides={"sessions.retention.days": 1}, live=False) as memory:
        asking = memory.sessions.create(key="agent:main:telegram:acc:direct:42")
        memory.sessions.append(asking.id, "user", "hello")
        assert memory.prune().messages == 4
    done = run("--home", home, "get", "e1")
    assert "Which day does the café get its delivery?" in done.out
    assert "e1  2026-05-04 09:00 to 2026-05-26 18:09  episode  4 messages" in done.out
    (found,) = run("--home", home, "get", "episode #1", "--json").json["found"]
    shown = found["record"]
    assert (shown["number"], shown["session_id"]) == (1, session)
    with recollect.open(home, live=False) as memory:
        assert memory.get(shown["id"]) == memory.get("e1")
    for more in ((), ("--for-session", asking.id)):
        missing = run("--home", home, "get", "e1" if more else "e2", *more, "--json")
        assert (missing.code, missing.error["code"]) == (1, "not_found")
    new = run("--home", home, "get", "m5", "--json").json["message"]
    assert (new["text"], new["number"]) == ("hello", 5)
