"""Mirrors: readable, behind the commits, and healed from the database."""

from __future__ import annotations

import json
import os
import threading
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.clock import to_datetime
from recollect.core.errors import StoreError
from recollect.core.scope import Scope
from recollect.exchange.formats.jsonl import JsonlFormat
from recollect.exchange.transcript import ForeignMessage
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.mirror.mirror_file import MirrorState
from recollect.sessions.mirror.mirror_lines import MirrorPlace, place_of
from recollect.sessions.record.content import parse_content
from recollect.sessions.record.message import Message
from recollect.sessions.record.message_rows import remove_messages
from recollect.sessions.record.session import Session
from recollect.store.engine import Transaction
from tests.unit.sessions.home import NOON, Home


def filled(home: Home) -> Session:
    """Return a small session that is mirrored."""
    session = home.sessions.create(key="agent:main:telegram:acc:direct:42", project="/p")
    home.sessions.append(
        session.id, "user", "绿茶\nor \u2028 coffee?", name="Ana", metadata={"n": 1}
    )
    home.sessions.append(
        session.id, "assistant", ["Tea.", {"type": "tool_use", "id": "t", "name": "Brew"}]
    )
    home.sessions.append(session.id, "tool", [{"type": "tool_result", "tool_use_id": "t"}])
    home.mirror.flush()
    return session


def mirror_of(home: Home, session: Session) -> Path:
    """Return where the mirror of a session is."""
    return home.path / "transcripts" / f"{session.id}.jsonl"


def lines_of(path: Path) -> list[dict[str, object]]:
    """Return the lines of a file as JSON."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def test_a_mirror_has_a_header_and_a_line_for_each_message(home: Home) -> None:
    """DESIGN 4: transcripts/<session id>.jsonl, readable."""
    session = filled(home)
    header, *messages = lines_of(mirror_of(home, session))
    assert header == {
        "recollect": 3,
        "type": "session",
        "id": session.id,
        "created_at": "2026-02-10T12:00:00.000Z",
        "tenant": "local",
        "key": session.key,
        "agent": "main",
        "user": "telegram:42",
        "project": "/p",
        "channel": "telegram",
        "account": "acc",
        "chat_type": "direct",
        "peer": "42",
        "status": "active",
        "mode": "main",
    }
    assert [line["seq"] for line in messages] == [1, 2, 3]
    assert messages[0] == {
        "type": "message",
        "seq": 1,
        "id": home.sessions.messages(session.id)[0].id,
        "role": "user",
        "at": "2026-02-10T12:00:00.000Z",
        "content": "绿茶\nor \u2028 coffee?",
        "name": "Ana",
        "metadata": {"n": 1},
        "number": 1,
    }


def test_a_mirror_that_was_cut_to_its_header_grows_from_there(home: Home) -> None:
    """It is not made again; only a header of another format is no place to go on from."""
    header = mirror_of(home, filled(home)).read_bytes().split(b"\n")[0]
    assert place_of(header) == MirrorPlace()
    assert place_of(header.replace(b'"recollect":3', b'"recollect":4')) is None


def test_a_mirror_is_private(home: Home) -> None:
    """Folder 0700, file 0600."""
    path = mirror_of(home, filled(home))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_what_was_mirrored_is_not_written_again(home: Home) -> None:
    """A mirror only grows."""
    session = filled(home)
    path = mirror_of(home, session)
    before = path.read_bytes()
    home.sessions.append(session.id, "user", "more")
    home.mirror.flush()
    home.mirror.flush()
    assert path.read_bytes().startswith(before)
    assert len(lines_of(path)) == 5
    assert home.mirror.state(session.id) is MirrorState.EQUAL


def test_cut_anywhere_it_heals_to_what_the_database_says(home: Home) -> None:
    """F1: every offset of a small file; the torn tail is kept aside."""
    session = home.sessions.create()
    home.sessions.append_many(session.id, [("user", "tea?"), ("assistant", "绿茶")])
    home.mirror.flush()
    path = mirror_of(home, session)
    whole = path.read_bytes()
    aside = path.with_name(path.name + ".torn")
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        aside.unlink(missing_ok=True)
        expected = MirrorState.BEHIND if whole[:cut][-1:] in {b"", b"\n"} else MirrorState.TORN
        assert home.mirror.state(session.id) is expected
        assert home.mirror.heal(session.id) is expected
        assert path.read_bytes() == whole
        torn = whole[:cut][whole[:cut].rfind(b"\n") + 1 :]
        assert (aside.read_bytes() if aside.exists() else b"") == (torn + b"\n" if torn else b"")


def test_cut_anywhere_the_next_message_heals_it_too(home: Home) -> None:
    """Nobody has to ask for it: the thread looks at the tail before it adds a line."""
    session = filled(home)
    path = mirror_of(home, session)
    for cut in range(0, path.stat().st_size, 7):
        path.write_bytes(path.read_bytes()[:cut])
        home.sessions.append(session.id, "user", str(cut))
        home.mirror.flush()
        assert home.mirror.state(session.id) is MirrorState.EQUAL


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole.replace(b"Ana", b"Eve"),
        lambda whole: whole + b'{"type":"message","seq":4,"role":"user","content":"forged"}\n',
        lambda whole: b"not json\n" + whole,
        lambda whole: b"\x00" * len(whole) + b"\n",
        lambda whole: whole[: whole.index(b"\n") + 1] + whole,
        lambda whole: whole.replace(b'"seq":3', b'"seq":9'),
    ],
)
def test_an_altered_mirror_is_made_again(home: Home, damage: object) -> None:
    """The database is the truth; what somebody wrote into a mirror is not believed."""
    session = filled(home)
    path = mirror_of(home, session)
    whole = path.read_bytes()
    assert callable(damage)
    path.write_bytes(damage(whole))
    assert home.mirror.state(session.id) is MirrorState.ALTERED
    assert home.mirror.heal(session.id) is MirrorState.ALTERED
    assert path.read_bytes() == whole
    (kept,) = [each for each in path.parent.iterdir() if each != path]
    assert kept.name.endswith(".edited")
    assert kept.read_bytes() == damage(whole)
    path.write_bytes(damage(whole))
    home.mirror.heal(session.id)
    assert len(list(path.parent.iterdir())) == 2
    home.mirror.remove(session.id)
    assert list(path.parent.iterdir()) == []


def test_a_damaged_tail_is_found_before_the_next_line_is_added(home: Home) -> None:
    """Zeros after a power cut, or a line of another file."""
    session = filled(home)
    path = mirror_of(home, session)
    for tail in (b"\x00\x00\n", b'{"seq":2}\n', b'{"recollect":2,"type":"session"}\n', b"[]\n"):
        with path.open("ab") as file:
            file.write(tail)
        home.sessions.append(session.id, "user", "next")
        home.mirror.flush()
        assert home.mirror.state(session.id) is MirrorState.EQUAL


def test_all_mirrors_heal_at_once(home: Home) -> None:
    """Also one that is gone."""
    first, second = filled(home), filled(home)
    mirror_of(home, first).unlink()
    mirror_of(home, second).write_bytes(b"x")
    assert home.mirror.heal_all() == {MirrorState.BEHIND: 1, MirrorState.TORN: 1}
    assert home.mirror.heal_all() == {MirrorState.EQUAL: 2}


def test_a_removed_folder_comes_back(tmp_path: Path) -> None:
    """Whoever deletes transcripts/ gets all of it again at the next opening."""
    home = Home(tmp_path / "home")
    session = filled(home)
    home.close()
    whole = mirror_of(home, session).read_bytes()
    mirror_of(home, session).unlink()
    mirror_of(home, session).parent.rmdir()
    again = Home(tmp_path / "home")
    again.mirror.flush()
    assert mirror_of(home, session).read_bytes() == whole
    again.close()


def test_what_a_killed_process_left_undone_is_caught_up(tmp_path: Path) -> None:
    """The database knows how far the mirrors are."""
    home = Home(tmp_path / "home")
    session = filled(home)
    home.sessions.append(session.id, "user", "stored, then killed")
    home.database.close()
    again = Home(tmp_path / "home")
    again.mirror.flush()
    assert again.mirror.state(session.id) is MirrorState.EQUAL
    assert len(lines_of(mirror_of(again, session))) == 5
    again.close()


def test_a_pruned_outbox_makes_it_look_at_all_sessions(home: Home) -> None:
    """Where the outbox does not reach back, any session may have grown."""
    session = filled(home)
    home.sessions.append(session.id, "user", "unmirrored")
    other = home.sessions.create()
    home.sessions.append(other.id, "user", "mirrored")
    home.database.write(
        lambda tx: tx.execute("DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)")
    )
    home.mirror.flush()
    assert home.mirror.state(session.id) is home.mirror.state(other.id) is MirrorState.EQUAL


def test_an_older_copy_of_the_database_makes_it_look_at_all_sessions(home: Home) -> None:
    """A restored backup has a shorter outbox than the mirrors remember."""
    session = filled(home)
    late = home.sessions.append(session.id, "user", "after the backup")
    home.mirror.flush()

    def restore(tx: Transaction) -> None:
        remove_messages(tx, "local", session.id, [late.id], reused=True)
        tx.execute("DELETE FROM changes WHERE seq = 4")
        tx.execute("UPDATE sessions SET last_seq = 3")

    home.database.write(restore)
    home.mirror.flush()
    assert home.mirror.state(session.id) is MirrorState.EQUAL
    assert len(lines_of(mirror_of(home, session))) == 4


def test_two_processes_mirror_the_same_session_once(home: Home) -> None:
    """A lock on the folder puts them in a row; each sees what the other wrote."""
    session = filled(home)
    other = TranscriptMirror(home.path, home.database)
    for turn in range(4):
        home.sessions.append(session.id, "user", str(turn))
        threads = [threading.Thread(target=each.flush) for each in (home.mirror, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert home.mirror.state(session.id) is MirrorState.EQUAL
    other.close()


def test_the_thread_writes_without_being_asked(home: Home) -> None:
    """Appending tells the mirror; closing waits for it."""
    sessions = home.sessions_of(Scope(), mirrored=True)
    session = sessions.create()
    for turn in range(20):
        sessions.append(session.id, "user", str(turn))
    home.mirror.close()
    assert len(lines_of(mirror_of(home, session))) == 21
    home.mirror.notify()
    assert home.mirror.last_error is None


def test_a_mirror_that_cannot_be_written_does_not_stop_the_others(home: Home) -> None:
    """The failure is kept, the others are written, and it is tried again."""
    blocked, fine = home.sessions.create(), home.sessions.create()
    mirror_of(home, blocked).parent.mkdir(mode=0o700)
    mirror_of(home, blocked).write_text("torn", encoding="utf-8")
    aside = mirror_of(home, blocked).with_suffix(".jsonl.torn")
    aside.mkdir()
    for session in (blocked, fine):
        home.sessions.append(session.id, "user", "x")
    with pytest.raises(StoreError):
        home.mirror.flush()
    assert len(lines_of(mirror_of(home, fine))) == 2
    aside.rmdir()
    home.mirror.flush()
    assert len(lines_of(mirror_of(home, blocked))) == 2


def test_a_failing_mirror_never_reaches_the_writer(home: Home) -> None:
    """Memory never breaks the agent."""
    (home.path / "transcripts").write_text("in the way", encoding="utf-8")
    sessions = home.sessions_of(Scope(), mirrored=True)
    session = sessions.create()
    sessions.append(session.id, "user", "stored all the same")
    home.mirror.close()
    assert home.mirror.last_error is not None
    assert len(sessions.messages(session.id)) == 1


def test_a_link_in_place_of_a_mirror_is_replaced_not_followed(home: Home, tmp_path: Path) -> None:
    """A mirror never writes outside of its folder."""
    session = filled(home)
    path, victim = mirror_of(home, session), tmp_path / "victim"
    victim.write_bytes(b"precious\n")
    path.unlink()
    path.symlink_to(victim)
    assert home.mirror.heal(session.id) is MirrorState.ALTERED
    assert victim.read_bytes() == b"precious\n"
    assert not path.is_symlink()


def test_an_erased_session_leaves_nothing_in_the_folder(home: Home) -> None:
    """The file, its torn tail and its draft."""
    session = filled(home)
    path = mirror_of(home, session)
    path.write_bytes(path.read_bytes()[:-5])
    home.mirror.heal(session.id)
    path.with_name(f".{path.name}.part").write_bytes(b"draft")
    home.mirror.remove(session.id)
    assert list(path.parent.iterdir()) == []


def test_mirroring_costs_no_more_than_a_batch_of_memory(home: Home) -> None:
    """Long messages are written one by one, also when a mirror is made again."""
    session = home.sessions.create()
    for _ in range(3):
        home.sessions.append(session.id, "tool", "x" * (5 * 1024 * 1024))
    home.mirror.flush()
    path = mirror_of(home, session)
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"?")
    assert home.mirror.heal(session.id) is MirrorState.ALTERED
    assert home.mirror.state(session.id) is MirrorState.EQUAL
    os.truncate(path, path.stat().st_size - 1)
    home.sessions.append(session.id, "user", "end")
    home.mirror.flush()
    assert home.mirror.state(session.id) is MirrorState.EQUAL


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "system", "tool"]),
            st.text(min_size=1),
            st.none() | st.text(min_size=1, max_size=20).filter(str.strip),
            st.integers(0, NOON).map(to_datetime),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_a_mirror_reads_back_as_the_messages_it_was_made_of(
    home: Home, items: list[tuple[str, str, str | None, datetime]]
) -> None:
    """JSONL round trip, through the importer's own format."""
    session = home.sessions.create(project="/p")
    stored = home.sessions.append_many(
        session.id,
        [{"role": r, "content": c, "name": n, "at": at} for r, c, n, at in items],
    )
    home.mirror.flush()
    form = JsonlFormat()
    path = mirror_of(home, session)
    header, *lines = lines_of(path)
    described = form.describe(path, header)
    assert (described.id, described.project) == (session.id, "/p")
    for message, line in zip(stored, lines, strict=True):
        _assert_same(message, form.parse(line, described))


def _assert_same(message: Message, parsed: object) -> None:
    assert isinstance(parsed, ForeignMessage)
    assert (parsed.id, parsed.role, parsed.name, parsed.at) == (
        message.id,
        message.role,
        message.name,
        message.created_at,
    )
    assert parse_content(parsed.content) == message.blocks


@pytest.mark.parametrize("kind", ["link", "folder"])
@pytest.mark.parametrize("heals", [True, False])
def test_what_is_no_file_gives_way(home: Home, tmp_path: Path, kind: str, heals: bool) -> None:
    """A link is not followed and what it leads to not changed; nothing is thrown away."""
    session = filled(home)
    path = mirror_of(home, session)
    whole = path.read_bytes()
    path.unlink()
    aim = tmp_path / "aim"
    aim.write_bytes(whole)
    if kind == "link":
        path.symlink_to(aim)
    else:
        path.mkdir()
        (path / "mine").write_text("x")
    assert home.mirror.state(session.id) is MirrorState.ALTERED
    if heals:
        assert home.mirror.heal(session.id) is MirrorState.ALTERED
    else:
        home.sessions.append(session.id, "user", "more")
        home.mirror.flush()
    assert home.mirror.state(session.id) is MirrorState.EQUAL
    assert path.is_file()
    assert not path.is_symlink()
    assert aim.read_bytes() == whole
    (odd,) = [each for each in path.parent.iterdir() if each != path]
    assert odd.is_symlink() or (odd / "mine").read_text() == "x"


def outdated(path: Path) -> bytes:
    """Write a mirror as format 1 was, and return it."""
    lines = path.read_bytes().splitlines()
    session = json.loads(lines[0])
    known = ("type", "id", "created_at", "tenant", "key", "agent", "user", "project")
    old = {"recollect": 1} | {name: session[name] for name in known if name in session}
    more = ("recorded_at", "event_id", "foreign_id", "sender", "turn_sender")
    messages = [json.loads(line) for line in lines[1:]]
    told = [old, *({k: v for k, v in line.items() if k not in more} for line in messages)]
    encoded = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in told)
    path.write_bytes("".join(f"{line}\n" for line in encoded).encode())
    return path.read_bytes()


def test_mirrors_without_numbers_are_written_again_as_they_say_nothing_else(home: Home) -> None:
    """docs/sessions.md: format 2 had none; lines of what the session was before are no edits."""
    session = filled(home)
    home.sessions.rename(session.id, "Lanterns")
    home.mirror.flush()
    path = mirror_of(home, session)
    lines = [line | {"recollect": 2} if "recollect" in line else line for line in lines_of(path)]
    assert sum("recollect" in line for line in lines) == 2
    for line in lines:
        line.pop("number", None)
    older = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(older, encoding="utf-8")
    assert home.mirror.heal(session.id) is MirrorState.OUTDATED
    assert [line.get("number") for line in lines_of(path)] == [None, 1, 2, 3]
    assert list(path.parent.glob("*.edited")) == []
    path.write_text(older.replace("Brew", "Boil"), encoding="utf-8")
    assert home.mirror.state(session.id) is MirrorState.ALTERED


def test_a_mirror_says_what_becomes_of_its_session(home: Home) -> None:
    """docs/sessions.md: a line more for each title, status and mode; the last one counts."""
    session = filled(home)
    path = mirror_of(home, session)
    before = path.read_bytes()
    home.sessions.rename(session.id, "Lanterns")
    home.mirror.flush()
    home.sessions.set_status(session.id, "archived")
    home.sessions.set_mode(session.id, "queue")
    home.sessions.set_overrides(session.id, {"model": "openai:o4"})
    home.mirror.flush()
    first, second = lines_of(path)[4:]
    assert path.read_bytes().startswith(before)
    assert (first["title"], first["status"]) == ("Lanterns", "active")
    assert (second["title"], second["status"], second["mode"]) == ("Lanterns", "archived", "queue")
    assert second["overrides"] == {"model": "openai:o4"}
    home.sessions.append(session.id, "user", "on")
    home.mirror.flush()
    assert lines_of(path)[-1]["seq"] == 4
    assert home.mirror.state(session.id) is MirrorState.EQUAL


def test_a_fork_without_messages_has_a_mirror(home: Home) -> None:
    """Nothing else tells where it branched off."""
    fork = home.sessions.fork(filled(home).id, 2, title="a branch")
    home.mirror.flush()
    (line,) = lines_of(mirror_of(home, fork))
    assert (line["parent_id"], line["forked_at_seq"], line["title"]) == (
        fork.parent_id,
        2,
        "a branch",
    )


def test_mirrors_of_format_1_are_written_again_once(tmp_path: Path) -> None:
    """By the first opening; no copy is kept where they say the same."""
    home = Home(tmp_path / "home")
    first, second, third = filled(home), filled(home), filled(home)
    home.close()
    whole = {each.id: mirror_of(home, each).read_bytes() for each in (first, second, third)}
    for session in (first, second):
        outdated(mirror_of(home, session))
    edited = mirror_of(home, third)
    kept = outdated(edited).replace(b"Ana", b"Eve")
    edited.write_bytes(kept)
    again = Home(tmp_path / "home")
    assert again.mirror.state(first.id) is MirrorState.OUTDATED
    assert again.mirror.state(third.id) is MirrorState.ALTERED
    assert again.mirror.heal(second.id) is MirrorState.OUTDATED
    again.database.write(lambda tx: tx.execute("DELETE FROM meta WHERE key LIKE 'mirror.%'"))
    again.mirror.catch_up()
    again.mirror.close()
    for session in (first, second, third):
        assert mirror_of(again, session).read_bytes() == whole[session.id]
    (beside,) = edited.parent.glob("*.edited")
    assert beside.read_bytes() == kept
    again.mirror.catch_up()
    again.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line.replace(b'"tenant":"local"', b'"tenant":"other"'),
        lambda line: line[:-1],
        lambda line: line.replace(b'"mode":"main"', b'"mode":7'),
    ],
)
def test_a_line_of_the_session_that_cannot_be_right_is_not_kept(home: Home, damage: object) -> None:
    """Who heard what stands in it."""
    session = filled(home)
    path = mirror_of(home, session)
    whole = path.read_bytes()
    assert callable(damage)
    with path.open("ab") as file:
        file.write(damage(whole.split(b"\n")[0]) + b"\n")
    assert home.mirror.state(session.id) is MirrorState.ALTERED
    home.sessions.append(session.id, "user", "on")
    home.mirror.flush()
    assert home.mirror.state(session.id) is MirrorState.EQUAL
    assert path.read_bytes().startswith(whole)
