"""The user of a scope is a person or an account, never an id on whatever channel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect.audience.account import parse_account, unescaped
from recollect.audience.identity_links import read_links
from recollect.audience.session_key import parse_key, user_at, without_thread
from recollect.core.clock import SystemClock
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.scope import Scope, includes_user
from recollect.core.settings import load_settings
from recollect.memory import Memory
from recollect.store.columns import user_condition
from recollect.store.engine import Transaction
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import SqliteDatabase, open_database
from recollect.store.sqlite.home import RECORDS_FILE, RECORDS_ID
from recollect.store.sqlite.schema import load_schema

SETTINGS = {"embedding.provider": "none", "sessions.mirror": False}
LINKS = ["john=telegram:john7", "john=whatsapp:1"]
SAID = {
    "slack:42": "slack person says kumquat",
    "telegram:42": "telegram person says papaya",
    "telegram:john7": "john on telegram says walnut",
    "agent:main:irc:libera:direct:42": "irc person says quince",
    "whatsapp:1": "john on whatsapp says pecan",
}


def _opened(folder: Path, links: list[str] | None = None, **options: Any) -> Memory:
    overrides = SETTINGS | {"sessions.identity_links": links or []}
    return recollect.open(folder / "home", overrides=overrides, live=False, **options)


def _filled(folder: Path) -> dict[str, str]:
    """Return the ids of sessions that said something, by key; nobody was linked then."""
    made = {}
    with _opened(folder) as memory:
        for key, words in SAID.items():
            made[key] = memory.sessions.open(key).id
            memory.sessions.append(made[key], "user", words)
            memory.observations.record(made[key], summary=f"We decided that {words}.")
        memory.sync()
    return made


def _surfaces(memory: Memory, made: dict[str, str]) -> list[set[str]]:
    """Return the keys that each surface shows something of."""
    keys = {id_: key for key, id_ in made.items()}

    def known(id_: str) -> bool:
        try:
            return memory.sessions.get(id_).id == memory.sessions.messages(id_)[0].session_id
        except NotFound:
            return False

    hits = memory.search("person john says", 50, 0.0).hits
    lines = b"".join(memory.export().lines()).decode()
    return [
        {keys[session.id] for session in memory.sessions.list()},
        {keys[hit.session_id] for hit in hits if hit.session_id},
        {key for id_, key in keys.items() if known(id_)},
        {keys[each.session_id] for each in memory.observations.list(limit=50)},
        {keys[id_] for each in memory.events.since() if (id_ := each.event.scope.session)},
        {key for key, words in SAID.items() if words in lines},
    ]


@pytest.mark.parametrize(
    ("user", "linked", "shown"),
    [
        ("telegram:42", True, ["telegram:42"]),
        ("Telegram:42", False, ["telegram:42"]),
        ("irc:libera:42", True, ["agent:main:irc:libera:direct:42"]),
        ("irc:42", True, []),
        ("42", True, []),
        ("john", True, ["telegram:john7", "whatsapp:1"]),
        ("john", False, []),
        ("telegram:john7", True, ["telegram:john7"]),
    ],
)
def test_a_scope_shows_one_person_or_account_on_every_surface(
    tmp_path: Path, user: str, linked: bool, shown: list[str]
) -> None:
    """docs/privacy.md: 42 of Slack is not 42 of Telegram; links join what was said before them."""
    made = _filled(tmp_path)
    links = LINKS if linked else []
    with _opened(tmp_path, links) as memory:
        memory.sync()
        narrowed = memory.within(Scope(user=user))
        assert _surfaces(narrowed, made) == [set(shown)] * 6
        found = memory.search("person john says", 50, 0.0, scope=Scope(user=user))
        assert {hit.session_id for hit in found.hits} == {made[key] for key in shown}
        assert any("telegram:42" in each for each in found.warnings) == (
            ":" not in user and not shown
        )
        for key, id_ in made.items():
            if key not in shown:
                with pytest.raises(NotFound):
                    narrowed.erase(session_id=id_, dry_run=True)
    with _opened(tmp_path, links, scope=Scope(user=user)) as memory:
        assert _surfaces(memory, made) == [set(shown)] * 6


def test_a_scope_of_a_user_leaves_shared_sessions_to_their_audience(tmp_path: Path) -> None:
    """A row is of the user whom its session is with; whose a turn is, its sender says."""
    with _opened(tmp_path) as memory:
        main = memory.sessions.open("agent:main:main").id
        for sender, said in (("telegram:42", "papaya"), ("slack:42", "kumquat")):
            memory.sessions.append(main, "user", f"We eat {said}.", sender=sender)
        memory.sync()
        narrowed = memory.within(Scope(user="telegram:42"))
        assert narrowed.sessions.list() == []
        assert not narrowed.search("papaya kumquat", 9, 0.0).hits
        heard = memory.search("papaya kumquat", 9, 0.0, for_session=main, for_sender="telegram:42")
        assert [hit.snippet for hit in heard.hits] == ["We eat papaya."]


def test_links_are_asked_when_rows_are_read(tmp_path: Path) -> None:
    """Unlinked again, what each account said is apart again; nothing was rewritten."""
    made = _filled(tmp_path)
    for links in ([], LINKS, LINKS[:1], []):
        with _opened(tmp_path, links) as memory:
            memory.sync()
            johns = {session.id for session in memory.within(Scope(user="john")).sessions.list()}
            assert johns == {made[link.partition("=")[2]] for link in links}
            assert {session.user for session in memory.sessions.list()} == {
                *("slack:42", "telegram:42", "telegram:john7", "irc:libera:42", "whatsapp:1")
            }


def test_a_person_begins_sessions_of_each_account_and_no_other(tmp_path: Path) -> None:
    """A memory of john answers him on both channels."""
    with _opened(tmp_path, LINKS, scope=Scope(user="john")) as memory:
        assert memory.sessions.open("telegram:john7").user == "telegram:john7"
        assert memory.sessions.open("notes").user == "john"
        with pytest.raises(Denied):
            memory.sessions.open("telegram:42")
        assert len(memory.sessions.list()) == 2
        one = memory.within(Scope(user="telegram:john7"))
        assert [session.key for session in one.sessions.list()] == ["telegram:john7"]
        with pytest.raises(Denied):
            one.within(Scope(user="slack:42"))
        with pytest.raises(InvalidInput, match="a person or an account"):
            memory.within(Scope(user="telegram:"))


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteDatabase]:
    """A database to ask."""
    database = _database(tmp_path_factory.mktemp("users") / RECORDS_FILE)
    yield database
    database.close()


@given(
    st.lists(
        st.sampled_from(["a=telegram:1", "a=7", "b=slack:7", "b=irc:net:7", "c=1"]), unique=True
    ),
    st.sampled_from(["a", "b", "c", "telegram:7", "slack:7", "7"]),
)
def test_sql_and_python_agree_on_whose_a_row_is(
    records: SqliteDatabase, links: list[str], user: str
) -> None:
    """And both with what the links say, of an id on any channel too."""
    known = read_links(links)
    scope = known.scope_of(Scope(user=user))
    users = ["telegram:1", "telegram:7", "slack:7", "irc:net:7", "x:y%3A7", "7", "1", "a", "b", "c"]
    sql, params = user_condition(scope)
    asked = [msgspec.json.encode(users).decode(), *params]
    table = f"SELECT user_id FROM (SELECT value AS user_id FROM json_each(?)) WHERE {sql}"  # noqa: S608
    told = {row[0] for row in records.read(lambda tx: tx.all(table, asked))}
    assert told == {each for each in users if includes_user(scope, each)}
    if scope.user in known.names:
        assert told == {each for each in users if known.known(parse_account(each)) == scope.user}


def _database(path: Path, *, before: str | None = None) -> SqliteDatabase:
    schema = load_schema("records", RECORDS_ID, keep_backup=False)
    if before is not None:
        steps = tuple(takewhile(lambda step: before not in step.name, schema.steps))
        schema = msgspec.structs.replace(schema, steps=steps, golden="")
    return open_database(path, schema, Tuning(), SystemClock())


OLD_KEYS = (
    *("telegram:42", "slack:42", "agent:main:slack:acme:direct:U7", "agent:main:direct:42"),
    *("agent:main:telegram:acc:direct:42:thread:7", "agent:main:irc:libera:direct:a%253Ab%3Ac"),
    *("agent:main:irc:default:direct:bob", "matrix:@bob%3Aexample.org", "irc:subagent"),
    *("agent:main:irc:%73ubagent:direct:x", "agent:main:telegram:group:-100", "agent:main:main"),
    *("agent:main:we%3Ab:acc:direct:100%25", "agent:main:cron:nightly"),
)


def older_home(folder: Path, keys: Iterable[str]) -> Path:
    """Return a home of before users were accounts, with a session under each key."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    database = _database(home / RECORDS_FILE, before="accounts")

    def unit(tx: Transaction) -> None:
        for number, text in enumerate(keys):
            key = parse_key(text)
            peer = None if key.chat_type != "direct" else unescaped(without_thread(key.peer) or "")
            tx.execute(
                "INSERT INTO sessions (id, tenant, key, agent, user_id, channel, account,"
                " chat_type, peer, created_at, updated_at) VALUES"
                " (?, 'local', ?, ?, ?, ?, ?, ?, ?, 0, 0)",
                (f"s{number}", key.text, key.agent, peer, key.channel, key.account, key.chat_type,
                 key.peer),
            )  # fmt: skip

    database.write(unit)
    database.close()
    return home


def test_anolder_home_gets_the_accounts_that_its_keys_tell(tmp_path: Path) -> None:
    """By SQL, as Python would have it; what is no direct chat stays as it is."""
    home = older_home(tmp_path, OLD_KEYS)
    with recollect.open(home, overrides=SETTINGS, live=False) as memory:
        stored = {session.key: session.user for session in memory.sessions.list()}
        assert stored == {parse_key(text).text: parse_key(text).user for text in OLD_KEYS}
        for text in OLD_KEYS:
            key = parse_key(text)
            if key.user is not None and key.channel is not None:
                assert parse_account(key.user) == parse_account(
                    user_at(key.channel, key.account, key.peer)
                )
                found = memory.within(Scope(user=key.user)).sessions.list()
                assert key.text in {session.key for session in found}


@pytest.mark.parametrize(
    ("keys", "file", "kept"),
    [
        (["agent:main:main", "telegram:42"], None, "person"),
        (["agent:main:main", "notes"], None, "owner"),
        (["agent:work:notes"], "search:\n  limit: 3\n", "owner"),
        (["notes"], "sessions:\n  plain_keys: person\n", "person"),
    ],
)
def test_a_home_with_plain_names_keeps_them_the_owners(
    tmp_path: Path, keys: list[str], file: str | None, kept: str
) -> None:
    """docs/privacy.md: written into its settings at the upgrade, and told once."""
    home = older_home(tmp_path, keys)
    path = home / "config.yaml"
    if file is not None:
        path.write_text(file, encoding="utf-8")
    told = []
    for _ in range(3):
        with recollect.open(home, overrides=SETTINGS, live=False) as memory:
            assert memory.settings.sessions.plain_keys == kept
            assert memory.sessions.open("new").user == (None if kept == "owner" else "new")
            told += [each for each in memory.status().sync.warnings if "plain" in each]
    is_added = kept == "owner"
    assert len(told) == is_added
    assert load_settings(home, environ={}).settings.sessions.plain_keys == kept
    assert ("plain_keys" in path.read_text(encoding="utf-8")) == (kept == "owner" or bool(file))
    if file is not None:
        assert path.read_text(encoding="utf-8").startswith(file)
