"""Short numbers of messages: handed out by the insert, by tenant, and never used again."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.store.sqlite.database import open_records
from tests.unit.sessions.home import HandClock, Home
from tests.unit.store.old_records import fill_old_records


def numbers_of(home: Home) -> list[object]:
    """Return the numbers that are stored, in the order in which the rows were."""
    rows = home.database.read(lambda tx: tx.all("SELECT number FROM messages ORDER BY rowid"))
    return [number for (number,) in rows]


def test_messages_are_numbered_as_they_are_stored(home: Home) -> None:
    """docs/sessions.md: a number per tenant, over all sessions; what is returned or read has it."""
    first, second = home.sessions.create(), home.sessions.create()
    one = home.sessions.append(first.id, "user", "one")
    two, three = home.sessions.append_many(second.id, [("user", "two"), ("assistant", "three")])
    assert [one.number, two.number, three.number] == [1, 2, 3]
    assert home.sessions.messages(second.id) == [two, three]
    other = home.sessions_of(Scope(tenant="other"))
    assert other.append(other.create().id, "user", "theirs").number == 1


def test_the_same_event_again_takes_no_number(home: Home) -> None:
    """Numbers of one tenant have no gaps but where something was removed."""
    session = home.sessions.create().id
    once = home.sessions.append(session, "user", "one", event_id="e-1")
    assert home.sessions.append(session, "user", "one", event_id="e-1") == once
    assert home.sessions.append(session, "user", "two").number == 2


def test_a_message_is_found_by_its_number(home: Home) -> None:
    """Beside its id; as people write it, and within the scope alone."""
    session = home.sessions.create().id
    said = home.sessions.append(session, "user", "one")
    for name in ("m1", " M1 ", "message #1", "message m1", said.id, said.id.upper()):
        assert home.sessions.message(name) == said
    other = home.sessions_of(Scope(tenant="other"))
    for sessions, name in ((home.sessions, "m2"), (home.sessions, "e1"), (other, "m1")):
        with pytest.raises(NotFound, match="the message does not exist"):
            sessions.message(name)


def test_a_session_is_found_by_the_number_of_a_message(home: Home) -> None:
    """What takes a session takes a line of it; a title that reads like a number comes first."""
    first, second = home.sessions.create(), home.sessions.create()
    home.sessions.append(first.id, "user", "one")
    assert home.sessions.find("m1").id == first.id
    home.sessions.rename(second.id, "m1")
    assert home.sessions.find("m1").id == second.id
    with pytest.raises(NotFound):
        home.sessions.find("m2")


def test_threads_share_no_number(home: Home) -> None:
    """Each is one message's, however many write at the same time."""
    ids = [home.sessions.create().id for _ in range(4)]

    def write(session_id: str) -> None:
        for place in range(25):
            home.sessions.append(session_id, "user", f"note {place}")

    threads = [threading.Thread(target=write, args=(each,)) for each in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers_of(home) == list(range(1, 101))


def test_the_mirror_carries_the_number(home: Home) -> None:
    """So that `recollect recover` can bring it back."""
    session = home.sessions.create()
    home.sessions.append_many(session.id, [("user", "one"), ("assistant", "two")])
    home.mirror.flush()
    path = home.path / "transcripts" / f"{session.id}.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line.get("number") for line in lines] == [None, 1, 2]


def test_messages_of_before_are_numbered_as_they_were_recorded(tmp_path: Path) -> None:
    """An older home: once, by tenant, with a backup beside it; new ones go on after the last."""
    path = tmp_path / "home" / "records.db"
    fill_old_records(path, 50, version=11)
    database = open_records(path.parent, StoreSettings(), HandClock())
    rows = database.read(lambda tx: tx.all("SELECT id, number FROM messages ORDER BY id"))
    database.close()
    assert rows == [(f"m{place:06}", place + 1) for place in range(50)]
    assert [one.name for one in path.parent.glob("*before*")] == ["records.db.before-0012"]
    home = Home(tmp_path / "home")
    assert home.sessions.append("s0", "user", "new").number == 51
    home.close()
