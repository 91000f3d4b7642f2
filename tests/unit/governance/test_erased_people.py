"""Erasing a person, a time, a project or a text: nothing of it is left, all else is as it was."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.exchange.recover import recover
from recollect.governance.erasure_receipt import ErasureReceipt
from recollect.knowledge.fact import FactStatus
from recollect.memory import Memory
from recollect.store.sqlite.database import open_records
from tests.support.leftovers import files_that_hold
from tests.unit.sessions.home import MINUTE, NOON

SETTINGS = {"embedding.provider": "none", "sessions.owner": ["telegram:1"]}
PEOPLE = 40
DOOMED = 17
KNOWN: tuple[FactStatus, ...] = ("current", "replaced", "review")
GROUP, MAIN = "agent:main:telegram:group:-100", "agent:main:main"
Seen = dict[str, list[str]]


def opened(home: Path) -> Memory:
    """Return a memory without an embedder and a background."""
    return recollect.open(home, overrides=SETTINGS, live=False)


def words_of(person: int) -> list[str]:
    """Return the forty marks of a person."""
    drawn = random.Random(person)
    letters = "bcdfghjklmnpqrstvwxz"
    return ["q" + "".join(drawn.choice(letters) for _ in range(12)) for _ in range(40)]


def account_of(person: int) -> str:
    """Return the account of a person."""
    return f"telegram:{88_300_900 + person}"


def live(memory: Memory, person: int) -> None:
    """Let a person say forty words, in every way and place."""
    words, sessions = iter(words_of(person)), memory.sessions
    sender, name = account_of(person), next(words)
    chat = sessions.open(f"agent:main:telegram:direct:{88_300_900 + person}")
    sessions.rename(chat.id, f"About {next(words)}")
    for _ in range(5):
        sessions.append(chat.id, "user", f"I said {next(words)}", name=name)
        sessions.append(chat.id, "assistant", f"You said {next(words)}")
    memory.observations.record(chat.id, "Bash", input=next(words), output=next(words))
    second = sessions.open(f"agent:main:slack:direct:U{88_300_900 + person}")
    memory.identities.link(f"person{person}", "telegram", str(88_300_900 + person))
    memory.identities.link(f"person{person}", "slack", f"U{88_300_900 + person}")
    for _ in range(5):
        sessions.append(second.id, "user", f"Remember: I like {next(words)}.")
    for key in (GROUP, MAIN):
        shared = sessions.open(key, owner=True)
        for _ in range(3):
            sessions.append(shared.id, "user", f"Here I said {next(words)}", sender=sender)
            sessions.append(shared.id, "assistant", f"Noted {next(words)}")
        memory.observations.record(shared.id, "Read", input=next(words), output=next(words))
    fact = memory.facts.remember(sender, f"Keeps {next(words)} in the shed").fact
    memory.facts.correct(fact.id, f"Keeps {next(words)} in the cellar")
    for at in (NOON, NOON + MINUTE):
        sessions.append(chat.id, "user", f"I live in {next(words).title()} now.", at=at)
    waits = next(words)
    sessions.history.add(GROUP, sender, f"{waits} waits", message_id=f"w{person}")
    assert next(words, None) is None


def everything(memory: Memory, without: list[str]) -> Seen:
    """Return what each session says, without what holds one of some words."""
    seen: Seen = {}
    for session in memory.sessions.list(automatic=True):
        said = [m.text for m in memory.sessions.messages(session.id)]
        kept = [each for each in said if not any(word in each.lower() for word in without)]
        if kept:
            seen[session.id] = [session.title or "", *kept]
    known = [fact for status in KNOWN for fact in memory.facts.list(status=status, limit=1_000)]
    told = [" < ".join(each.text for each in memory.facts.history(fact.id)) for fact in known]
    seen["facts"] = ["", *sorted(t for t in told if not any(w in t.lower() for w in without))]
    return seen


def left_of(home: Path, words: list[str]) -> dict[str, list[str]]:
    """Return the files that hold a word, by word."""
    return {word: files for word in words if (files := files_that_hold(home, word))}


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of forty people, with summaries, episodes, notes, a backup and an export."""
    folder = tmp_path_factory.mktemp("town")
    with opened(folder / "home") as memory:
        for person in range(PEOPLE):
            live(memory, person)
        for session in memory.sessions.list(automatic=True):
            memory.sessions.end(session.id)
            memory.sessions.flush(session.id)
        memory.sessions.compact(memory.sessions.known(MAIN).id)  # type: ignore[union-attr]
        memory.sync()
        (folder / "export.jsonl").write_bytes(b"\n".join(memory.export().lines()) + b"\n")
        memory.backup(folder / "backup")
    return folder


@pytest.fixture
def home(town: Path, tmp_path: Path) -> Path:
    """A copy of that home."""
    shutil.copytree(town / "home", tmp_path / "home")
    return tmp_path / "home"


def erase_one(home: Path) -> tuple[ErasureReceipt, Seen]:
    """Erase a person; return the receipt, and what the others must still say."""
    words = words_of(DOOMED)
    with opened(home) as memory:
        before = everything(memory, words)
        planned = memory.erase(user_id=account_of(DOOMED), dry_run=True)
        receipt = memory.erase(user_id=account_of(DOOMED))
        assert (receipt.is_clean, receipt.warnings) == (True, ())
        assert planned.counts == receipt.counts
        assert planned.partial_ids == receipt.partial_ids
        assert everything(memory, []) == before
    return receipt, before


@pytest.mark.slow
def test_of_one_erased_among_forty_no_mark_is_left_and_the_others_have_all_of_theirs(
    home: Path,
) -> None:
    """In no file of the home, in no encoding; both accounts, private chats and shared ones."""
    words = words_of(DOOMED)
    assert all(files_that_hold(home, word) for word in words)
    receipt, before = erase_one(home)
    assert left_of(home, [*words, str(88_300_900 + DOOMED), f"person{DOOMED}"]) == {}
    assert (len(receipt.session_ids), len(receipt.partial_ids)) == (2, 2)
    assert receipt.counts["identities"] == 2
    assert receipt.counts["pending_messages"] == 1
    assert receipt.counts["facts"] >= 3
    assert receipt.counts["observations"] == 3
    assert len(receipt.exports) == 1
    assert [Path(path).name for path in receipt.still_held_by] == ["backup"]
    with opened(home) as memory:
        memory.sync()
        assert everything(memory, []) == before
        for word in words:
            assert memory.search(word).hits == []
        for person in range(PEOPLE):
            if person != DOOMED:
                assert memory.search(words_of(person)[2]).hits
                assert len(memory.identities.list(f"person{person}")) == 1
    others = [word for person in range(PEOPLE) if person != DOOMED for word in words_of(person)[:3]]
    assert [word for word in others if not files_that_hold(home, word)] == []


def reimported(home: Path, town: Path) -> None:
    """Import the older export."""
    with opened(home) as memory:
        document = BytesIO((town / "export.jsonl").read_bytes())
        memory.import_export(document)
        memory.sync()


def restored(home: Path, town: Path) -> None:
    """Restore the older backup."""
    recollect.restore(town / "backup", home)
    with opened(home) as memory:
        memory.sync()
    for aside in home.parent.glob("home.before-*"):
        shutil.rmtree(aside)


def recovered(home: Path, town: Path) -> None:
    """Rebuild the records from the transcripts."""
    for path in home.glob("records.db*"):
        path.unlink()
    recover(home)
    for aside in (home / "aside").glob("*"):
        shutil.rmtree(aside)


@pytest.mark.slow
@pytest.mark.parametrize("way", [reimported, restored, recovered])
def test_an_erased_person_does_not_come_back(
    home: Path, town: Path, way: Callable[[Path, Path], Any]
) -> None:
    """Neither from an export, nor from a backup, nor from the readable transcripts."""
    _, before = erase_one(home)
    way(home, town)
    with opened(home) as memory:
        memory.sync()
        now = everything(memory, [])
        assert {id_: said[1:] for id_, said in now.items()} == {
            id_: said[1:] for id_, said in before.items()
        }
    assert left_of(home, words_of(DOOMED)) == {}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of a new home."""
    with opened(tmp_path / "home") as new:
        yield new


def talk(memory: Memory, *said: str, key: str | None = None, **options: Any) -> str:
    """Return a session in which something was said, a minute apart."""
    session = memory.sessions.create(key, **options)
    for number, text in enumerate(said):
        memory.sessions.append(session.id, "user", text, at=NOON + number * MINUTE)
    return session.id


def said_in(memory: Memory, session: str) -> list[str]:
    """Return what is left of a session."""
    return [message.text for message in memory.sessions.messages(session)]


def test_a_time_is_erased_from_sessions_that_stay(memory: Memory) -> None:
    """What was said before and after is as it was."""
    session = talk(memory, "before", "zorvexplum", "quibnav", "after")
    other = talk(memory, "drelkameta", key="agent:main:cron:a")
    receipt = memory.erase(session_id=session, since=NOON + MINUTE, until=NOON + 3 * MINUTE)
    assert (receipt.session_ids, receipt.partial_ids) == ((), (session,))
    assert said_in(memory, session) == ["before", "after"]
    assert said_in(memory, other) == ["drelkameta"]
    assert left_of(memory.home, ["zorvexplum", "quibnav"]) == {}
    memory.sessions.append(session, "user", "zorvexplum is said anew")
    assert "zorvexplum" in memory.search("zorvexplum").hits[0].snippet


def test_a_text_is_erased_wherever_it_was_said(memory: Memory) -> None:
    """In messages, observations and the title; a session that said nothing else goes whole."""
    first = talk(memory, "My ZORVEXPLUM is blue", "My cat is grey", title="zorvexplum is blue")
    second = talk(memory, "zorvexplum", key="agent:main:cron:a")
    observed = memory.observations.record(first, "Read", output="a zorvexplum in a file")
    receipt = memory.erase(query=" zorvexplum ")
    assert (receipt.session_ids, receipt.partial_ids) == ((second,), (first,))
    assert said_in(memory, first) == ["My cat is grey"]
    assert memory.get([f"#{observed.number}"]).missing
    assert left_of(memory.home, ["zorvexplum"]) == {}


def test_a_project_is_erased_with_all_its_sessions(memory: Memory) -> None:
    """Others stay; so does what its name is part of."""
    gone = [talk(memory, "zorvexplum", project="/srv/apple") for _ in range(2)]
    kept = talk(memory, "pear", project="/srv/apples")
    receipt = memory.erase(project="/srv/apple")
    assert set(receipt.session_ids) == set(gone)
    assert [each.id for each in memory.sessions.list()] == [kept]
    assert left_of(memory.home, ["zorvexplum"]) == {}


def test_a_person_within_a_time_loses_only_that(memory: Memory) -> None:
    """Selectors narrow each other."""
    key = "agent:main:telegram:direct:7"
    session = talk(memory, "before", "zorvexplum", key=key)
    other = talk(memory, "later", "later too", key="agent:main:telegram:direct:8")
    receipt = memory.erase(user_id="telegram:7", since=NOON + MINUTE)
    assert receipt.partial_ids == (session,)
    assert said_in(memory, session) == ["before"]
    assert len(said_in(memory, other)) == 2


def test_forks_lose_what_they_share(memory: Memory) -> None:
    """A summary over it goes as well, and what the fork says itself stays."""
    session = talk(memory, *(f"round {number} zorvexplum{number}" for number in range(30)))
    fork = memory.sessions.fork(session)
    memory.sessions.append(fork.id, "user", "only in the fork")
    memory.sessions.compact(fork.id)
    memory.erase(session_id=session, query="zorvexplum7")
    assert len(said_in(memory, fork.id)) == 30
    assert left_of(memory.home, ["zorvexplum7"]) == {}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"user_id": ""},
        {"query": " "},
        {"session_id": ""},
        {"project": ""},
        {"user_id": "owner"},
        {"user_id": "telegram:1"},
        {"since": NOON, "until": NOON},
    ],
)
def test_an_empty_selection_and_the_owner_are_refused(
    memory: Memory, given: dict[str, Any]
) -> None:
    """Nothing is erased by mistake."""
    session = talk(memory, "stays")
    with pytest.raises(InvalidInput):
        memory.erase(**given)
    assert said_in(memory, session) == ["stays"]


@pytest.mark.parametrize(
    "given",
    [
        {"user_id": "nobody"},
        {"user_id": "telegram:7"},
        {"query": "unsaid"},
        {"since": NOON + 9 * MINUTE, "until": NOON + 10 * MINUTE},
        {"session_id": "unknown"},
    ],
)
def test_an_unknown_selector_is_an_error(memory: Memory, given: dict[str, Any]) -> None:
    """A typing error is not a success."""
    talk(memory, "stays")
    with pytest.raises(NotFound):
        memory.erase(**given)


def test_a_part_of_a_session_that_a_program_holds_stays(memory: Memory) -> None:
    """As of a whole one."""
    session = talk(memory, "zorvexplum", "other")
    with memory.sessions.hold(session), pytest.raises(Conflict):
        memory.erase(query="zorvexplum")
    assert len(said_in(memory, session)) == 2


def test_a_person_of_another_tenant_stays(tmp_path: Path) -> None:
    """The same account is somebody else there."""
    key = "agent:main:telegram:direct:7"
    with opened(tmp_path / "home") as memory:
        talk(memory, "zorvexplum", key=key)
        other = recollect.open(
            tmp_path / "home", overrides=SETTINGS, scope=Scope(tenant="acme"), live=False
        )
        with other:
            kept = talk(other, "stays", key=key)
            memory.erase(user_id="telegram:7")
            assert said_in(other, kept) == ["stays"]


def test_a_killed_erasure_of_a_part_is_finished_by_the_next_opening(tmp_path: Path) -> None:
    """The rows are gone with its first commit; the files follow."""
    home = tmp_path / "home"
    with opened(home) as memory:
        session = talk(memory, "zorvexplum", "other")
        memory.sync()
        memory.erase(session_id=session, query="zorvexplum")
        shutil.copy(home / "transcripts" / f"{session}.jsonl", tmp_path / "mirror")
    records = open_records(home, StoreSettings(), SystemClock())
    again = f'{{"session_ids":["{session}"],"folders":null}}'
    records.write(
        lambda tx: tx.execute("UPDATE erasures SET finished_at = NULL, parts = ?", (again,))
    )
    records.close()
    edited = home / "transcripts" / f"{session}.jsonl.0123456789abcdef.edited"
    edited.write_text("zorvexplum", "utf-8")
    with opened(home) as memory:
        assert said_in(memory, session) == ["other"]
    assert left_of(home, ["zorvexplum"]) == {}


def test_the_audit_says_that_something_was_erased_and_not_what(memory: Memory) -> None:
    """A dry run is no erasure."""
    session = talk(memory, "zorvexplum", "other")
    memory.erase(query="zorvexplum", session_id=session, dry_run=True)
    receipt = memory.erase(query="zorvexplum", session_id=session)
    (entry,) = memory.audit.latest()
    assert (entry.action, entry.target) == ("erase", receipt.id)


def test_an_account_and_the_name_of_its_person_select_the_same(memory: Memory) -> None:
    """By any of the accounts all of the identity goes; other names are other people."""
    for account in ("telegram:7", "slack:U7", "telegram:8"):
        channel, user = account.split(":")
        talk(memory, "pear", key=f"agent:main:{channel}:direct:{user}")
    memory.identities.link(memory.identities.resolve("telegram", "7"), "slack", "U7")
    name = memory.identities.resolve("slack", "U7")
    plans = [memory.erase(user_id=each, dry_run=True) for each in ("telegram:7", "slack:U7", name)]
    assert len({plan.session_ids for plan in plans}) == 1
    assert len(plans[0].session_ids) == 2
    memory.identities.unlink("slack", "U7")
    assert len(memory.erase(user_id="slack:U7", dry_run=True).session_ids) == 1


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_erased_all_else_is_as_it_was(tmp_path: Path, seed: int) -> None:
    """The law: who said it, when and what decide of each message, and it stays readable."""
    drawn = random.Random(seed)
    senders = [f"telegram:{number}" for number in range(7, 11)]
    with opened(tmp_path / "home") as memory:
        keys = [GROUP, MAIN, *(f"agent:main:telegram:direct:{n}" for n in range(7, 11))]
        said: dict[str, tuple[str, str | None, int]] = {}
        for number in range(60):
            key, at = drawn.choice(keys), NOON + number * MINUTE
            own = f"telegram:{key.rpartition(':')[2]}" if "direct" in key else None
            sender = own or drawn.choice([*senders, None])
            session = memory.sessions.open(key, owner=True)
            text = f"w{number} {drawn.choice(['apple', 'pear'])}"
            memory.sessions.append(session.id, "user", text, sender=sender, at=at)
            said[text] = (session.id, sender, at)
        who = drawn.choice([None, *senders])
        since = drawn.choice([None, NOON + drawn.randrange(40) * MINUTE])
        until = None if since is None else since + 20 * MINUTE
        query = drawn.choice(["apple", None if who or since else "pear"])
        goes = {
            text
            for text, (_, sender, at) in said.items()
            if who in {None, sender}
            and (since is None or since <= at < since + 20 * MINUTE)
            and (query is None or query in text)
        }
        with nullcontext() if goes else pytest.raises(NotFound):
            memory.erase(user_id=who, since=since, until=until, query=query)
        left = {m.text for s in memory.sessions.list() for m in memory.sessions.messages(s.id)}
        assert left == said.keys() - goes
        memory.sync()
        for text in said:
            found = {hit.snippet for hit in memory.search(text.split()[0], 5).hits}
            assert (text in found) == (text not in goes)
    assert left_of(tmp_path / "home", sorted(goes)) == {}


def test_what_is_known_of_a_person_goes_too(memory: Memory) -> None:
    """Facts by hand, of the whole identity; those of others stay."""
    talk(memory, "pear", key="agent:main:telegram:direct:7")
    memory.identities.link("ann", "telegram", "7")
    memory.facts.remember("ann", "Likes zorvexplum a lot")
    memory.facts.remember("telegram:7", "Lives in Quibnavtown")
    memory.facts.remember("bob", "Likes drelkameta a lot")
    memory.sync()
    plan = memory.erase(user_id="ann", dry_run=True)
    receipt = memory.erase(user_id="telegram:7")
    assert (plan.counts["facts"], receipt.counts["facts"], receipt.is_clean) == (2, 2, True)
    assert [fact.text for fact in memory.facts.list()] == ["Likes drelkameta a lot"]
    assert left_of(memory.home, ["zorvexplum", "quibnavtown"]) == {}


def test_a_fact_is_erased_alone(memory: Memory) -> None:
    """With another selector it would be unclear what goes."""
    fact = memory.facts.remember("bob", "Likes drelkameta a lot").fact
    with pytest.raises(InvalidInput):
        memory.erase(fact_id=fact.id, query="drelkameta")
    assert memory.erase(fact_id=fact.id).counts["facts"] == 1
    assert left_of(memory.home, ["drelkameta"]) == {}
