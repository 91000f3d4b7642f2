"""Tokens: shown once, kept as a hash, valid until they expire or are revoked."""

from __future__ import annotations

import os
import stat
import threading
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import apsw  # noqa: TID251  # compares what lies in the database
import pytest

import recollect
from recollect.core.actor import acting
from recollect.core.clock import SystemClock
from recollect.core.errors import (
    Conflict,
    Denied,
    InvalidInput,
    NotFound,
    StoreCorrupt,
    StoreError,
    Unauthorized,
)
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.exchange.recover import recover
from recollect.governance.token_file import TOKEN_FILE, TokenFile
from recollect.governance.tokens import (
    HOOKS,
    RIGHTS,
    USED_EVERY_MS,
    Token,
    check_audience,
    check_right,
)
from recollect.memory import Memory
from recollect.sessions.mirror.soundness import damage_of
from recollect.store.audit import AuditEntry
from recollect.store.sqlite.database import open_records
from recollect.store.sqlite.home import RECORDS_FILE
from tests.support.leftovers import files_that_hold
from tests.support.scripted_time import ScriptedTime

HOUR = 3_600_000


@pytest.fixture
def time() -> ScriptedTime:
    """A clock that only moves when it is told to."""
    return ScriptedTime()


def opened(home: Path, time: ScriptedTime | None = None, scope: Scope | None = None) -> Memory:
    """Return a memory without a background."""
    overrides = {"embedding.provider": "none"}
    return recollect.open(home, overrides=overrides, scope=scope, clock=time, live=False)


def test_a_token_opens_what_was_said_when_it_was_added(tmp_path: Path, time: ScriptedTime) -> None:
    """docs/tokens.md: scope, audience, rights and channels come from the token only."""
    with opened(tmp_path, time) as memory:
        issued = memory.tokens.add(
            "claude",
            tenant="acme",
            agent="Work",
            project="/shop",
            audience="session:Telegram:42",
            rights="capture",
            channels=["Telegram", "slack", "telegram"],
            expires_at=time.now_ms() + HOUR,
        )
        found = memory.tokens.verify(issued.text)
        assert found == issued.token
        assert found.scope == Scope(tenant="acme", agent="work", project="/shop")
        assert (found.audience, found.session_key) == ("session:telegram:42", "telegram:42")
        assert (found.rights, found.channels) == ("capture", ("telegram", "slack"))
        assert [token.id for token in memory.tokens.list()] == [found.id]


def test_a_token_is_as_narrow_as_can_be_without_a_word_on_it(tmp_path: Path) -> None:
    """What nobody asked for nobody gets."""
    with opened(tmp_path) as memory:
        token = memory.tokens.add("mcp").token
    assert (token.audience, token.rights, token.channels) == ("shared", "read", ())
    assert token.session_key == "guest:mcp"


def test_each_right_includes_those_before_it() -> None:
    """docs/tokens.md: read < capture < write < files < admin."""
    known = [right for right in RIGHTS if right != HOOKS]
    for held in known:
        token = Token(id="1", name="a", rights=held)
        allowed = [right for right in known if token.allows(right)]
        assert allowed == known[: known.index(held) + 1]


def test_the_right_to_hooks_is_in_capture_and_includes_nothing() -> None:
    """docs/tokens.md: what the hooks of an agent program need neither reads nor searches."""
    allowed = {right: Token(id="1", name="a", rights=right).allows(HOOKS) for right in RIGHTS}
    assert [right for right in RIGHTS if allowed[right]] == [
        "hooks", "capture", "write", "files", "admin",
    ]  # fmt: skip
    token = Token(id="1", name="a", rights=HOOKS)
    assert [right for right in RIGHTS if token.allows(right)] == [HOOKS]


def test_the_text_of_a_token_is_in_no_file(tmp_path: Path) -> None:
    """docs/tokens.md: stored as hashes. Nor is it in what a traceback shows of it."""
    home = tmp_path / "home"
    with opened(home) as memory:
        issued = memory.tokens.add("claude")
        assert issued.text.startswith("rcl_")
        assert len(issued.text) == len("rcl_") + 43
        assert issued.text not in repr(issued)
        memory.tokens.verify(issued.text)
        memory.backup(tmp_path / "copy")
        memory.tokens.revoke("claude")
    assert files_that_hold(tmp_path, issued.text[4:]) == []


def test_no_two_tokens_are_alike(tmp_path: Path) -> None:
    """256 random bits each."""
    with opened(tmp_path) as memory:
        texts = {memory.tokens.add(f"t{n}").text for n in range(20)}
    assert len(texts) == 20


@pytest.mark.parametrize(
    "shown", [None, "", "rcl_", "Bearer rcl_x", "rcl_" + "A" * 43, "rcl_" + "é" * 43, "x" * 100_000]
)
def test_who_shows_no_token_of_the_home_is_refused(tmp_path: Path, shown: str | None) -> None:
    """Also before there is any; the answer does not hold what was shown."""
    with opened(tmp_path) as memory:
        memory.tokens.add("claude")
        with pytest.raises(Unauthorized) as refused:
            memory.tokens.verify(shown)
    assert not shown or shown not in f"{refused.value.as_dict()} {refused.value.facts}"


def test_a_revoked_token_is_void_at_once_in_every_process(tmp_path: Path) -> None:
    """The memory that verifies is another one than that which revokes; nothing is cached."""
    with opened(tmp_path) as server, opened(tmp_path) as shell:
        issued = shell.tokens.add("claude")
        tokens = server.tokens
        assert tokens.verify(issued.text) == issued.token
        shell.tokens.revoke("claude")
        with pytest.raises(Unauthorized, match="revoked"):
            tokens.verify(issued.text)
        assert shell.tokens.list() == []
        assert [token.name for token in shell.tokens.list(revoked=True)] == ["claude"]


def test_a_token_expires(tmp_path: Path, time: ScriptedTime) -> None:
    """At its moment, not after it."""
    with opened(tmp_path, time) as memory:
        end = datetime.fromtimestamp((time.now_ms() + HOUR) / 1000, UTC)
        issued = memory.tokens.add("claude", expires_at=end)
        time.pause((HOUR - 1) / 1000)
        memory.tokens.verify(issued.text)
        time.pause(0.001)
        with pytest.raises(Unauthorized, match="expired"):
            memory.tokens.verify(issued.text)
        assert [token.name for token in memory.tokens.list()] == ["claude"]


def test_a_token_ends_later_than_it_is_made(tmp_path: Path, time: ScriptedTime) -> None:
    """One that ends now would never open anything."""
    with opened(tmp_path, time) as memory:
        with pytest.raises(InvalidInput, match="future"):
            memory.tokens.add("claude", expires_at=time.now_ms())
        issued = memory.tokens.add("claude", expires_at=time.now_ms() + 1)
        assert memory.tokens.verify(issued.text) == issued.token


def test_the_last_use_is_known_to_the_minute(tmp_path: Path, time: ScriptedTime) -> None:
    """A request costs no commit: of a thousand within a minute one is stored."""
    with opened(tmp_path, time) as memory:
        tokens, text = memory.tokens, memory.tokens.add("claude").text

        def used() -> int | None:
            memory.tokens.list()
            memory.sessions.create()  # comes after it in the queue of the writer
            return tokens.list()[0].last_used_at

        assert used() is None
        tokens.verify(text)
        first = time.now_ms()
        assert used() == first
        time.pause((USED_EVERY_MS - 1) / 1000)
        tokens.verify(text)
        assert used() == first
        time.pause(0.001)
        tokens.verify(text)
        assert used() == first + USED_EVERY_MS


def test_a_name_is_of_one_valid_token(tmp_path: Path) -> None:
    """Events name it. A revoked one gives its name back, the owner's never."""
    with opened(tmp_path) as memory:
        first = memory.tokens.add("claude")
        for name in ("claude", "owner"):
            with pytest.raises(Conflict):
                memory.tokens.add(name)
        memory.tokens.revoke(first.token.id)
        second = memory.tokens.add("claude")
        assert memory.tokens.verify(second.text).id != first.token.id
        with pytest.raises(Unauthorized):
            memory.tokens.verify(first.text)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "a b"},
        {"name": "x" * 65},
        {"name": "../a"},
        {"name": "api-key-1"},
        {"tenant": ""},
        {"tenant": "a\nb"},
        {"audience": "everybody"},
        {"audience": "session:"},
        {"audience": "session:agent:other:main", "agent": "work"},
        {"audience": "session:telegram:sk-ant-" + "a1" * 20},
        {"rights": "root"},
        {"rights": ""},
        {"channels": ["tele gram"]},
        {"channels": [""]},
        {"project": "x" * 600},
        {"expires_at": 5},
        {"expires_at": -1},
    ],
    ids=str,
)
def test_a_token_that_cannot_be_is_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    """Before anything is stored."""
    with opened(tmp_path) as memory:
        with pytest.raises(InvalidInput):
            memory.tokens.add(**{"name": "claude", **wrong})  # type: ignore[arg-type]
        assert memory.tokens.list(revoked=True) == []


def test_the_name_of_an_agent_is_one_that_settings_could_have(tmp_path: Path) -> None:
    """As everywhere."""
    with opened(tmp_path) as memory, pytest.raises(InvalidInput):
        memory.tokens.add("claude", agent="a/b")


def test_who_is_not_there_cannot_be_revoked(tmp_path: Path) -> None:
    """Twice neither; the owner's is rotated."""
    with opened(tmp_path) as memory:
        memory.tokens.add("claude")
        memory.tokens.revoke("claude")
        for name in ("claude", "nobody", ""):
            with pytest.raises(NotFound):
                memory.tokens.revoke(name)
        with pytest.raises(InvalidInput, match="owner"):
            memory.tokens.revoke("owner")


def test_tokens_are_those_of_the_home(tmp_path: Path) -> None:
    """A memory of another tenant, or narrowed, neither sees nor makes any."""
    for scope in (Scope(tenant="acme"), Scope(agent="work"), Scope(project="/p")):
        with opened(tmp_path, scope=scope) as memory:
            for ask in (memory.tokens.list, partial(memory.tokens.add, "a")):
                with pytest.raises(Denied):
                    ask()


def test_what_is_done_with_tokens_is_in_the_audit(tmp_path: Path, time: ScriptedTime) -> None:
    """Who, what, when, of whom; no secret."""
    with opened(tmp_path, time) as memory:
        with acting("boss"):
            memory.tokens.add("claude", tenant="acme", project="/shop")
        memory.tokens.revoke("claude")
        memory.tokens.rotate()
        entries = memory.audit.latest()
        assert [(e.actor, e.action, e.target, e.tenant) for e in entries] == [
            ("boss", "token.add", "claude", "acme"),
            (None, "token.revoke", "claude", "acme"),
            (None, "token.rotate", "owner", "local"),
        ]
        assert entries[0] == AuditEntry(
            seq=1,
            tenant="acme",
            agent=None,
            project="/shop",
            actor="boss",
            action="token.add",
            outcome="done",
            target="claude",
            at=time.now_ms(),
        )
        assert memory.audit.latest(1) == entries[2:]
    with opened(tmp_path, time, Scope(tenant="acme")) as other:
        assert [entry.action for entry in other.audit.latest()] == ["token.add", "token.revoke"]
    with opened(tmp_path, time, Scope(agent="work")) as other:
        assert other.audit.latest() == []


def test_a_damaged_token_is_said_so(tmp_path: Path) -> None:
    """The truth fails loudly."""
    with opened(tmp_path) as memory:
        text = memory.tokens.add("claude").text
    connection = apsw.Connection(str(tmp_path / RECORDS_FILE))
    connection.execute("UPDATE tokens SET channels = '{}'").fetchall()
    connection.close()
    with opened(tmp_path) as memory, pytest.raises(StoreError):
        memory.tokens.verify(text)


@pytest.mark.parametrize(
    ("given", "kept"), [("owner", "owner"), ("session:Notes", "session:Notes")]
)
def test_an_audience_is_kept_in_one_spelling(given: str, kept: str) -> None:
    """As session keys are."""
    assert check_audience(given) == kept


def test_a_right_is_one_of_five() -> None:
    """Any other word is a mistake."""
    assert check_right("files") == "files"
    with pytest.raises(InvalidInput, match="right"):
        check_right("sudo")


# The owner's token: the file.


def test_the_owners_token_is_a_private_file(tmp_path: Path) -> None:
    """docs/tokens.md: the first one, 0600; everything in the home's own tenant is its."""
    with opened(tmp_path / "home") as memory:
        path = memory.tokens.file.ensure()
        assert path == tmp_path / "home" / TOKEN_FILE
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        text = memory.tokens.file.text()
        assert path.read_text() == f"{text}\n"
        token = memory.tokens.verify(text)
        assert (token.name, token.audience, token.rights) == ("owner", "owner", "admin")
        assert token.speaks_for("telegram")
        assert token.scope == Scope()
        assert memory.tokens.list() == [token]
        assert memory.tokens.file.ensure() == path
        assert memory.tokens.file.text() == text


def test_a_rotated_token_is_void_at_once(tmp_path: Path) -> None:
    """Rotation needs no restart: the file is looked at with each request."""
    with opened(tmp_path) as server:
        tokens = server.tokens
        tokens.file.ensure()
        before = tokens.file.text()
        tokens.verify(before)
        with opened(tmp_path) as shell:
            shell.tokens.rotate()
        with pytest.raises(Unauthorized):
            tokens.verify(before)
        tokens.verify(tokens.file.text())
        tokens.file.path.write_text("rcl_" + "b" * 43)
        assert tokens.verify("rcl_" + "b" * 43).is_owners
        tokens.file.path.unlink()
        with pytest.raises(Unauthorized):
            tokens.verify("rcl_" + "b" * 43)
        assert tokens.list() == []
        with pytest.raises(NotFound):
            tokens.file.text()


@pytest.mark.parametrize("kind", ["readable", "link", "folder", "pipe", "other words", "short"])
def test_a_file_that_is_not_the_owners_alone_opens_nothing(tmp_path: Path, kind: str) -> None:
    """Whoever could read it, or put it there, would be the owner."""
    text = "rcl_" + "c" * 43
    file = TokenFile(tmp_path / "home")
    with opened(tmp_path / "home") as memory:
        if kind == "folder":
            file.path.mkdir()
        elif kind == "pipe":
            os.mkfifo(file.path, 0o600)
        elif kind == "link":
            (tmp_path / "elsewhere").write_text(text)
            (tmp_path / "elsewhere").chmod(0o600)
            file.path.symlink_to(tmp_path / "elsewhere")
        else:
            text = {"other words": "password", "short": "rcl_abc"}.get(kind, text)
            file.path.write_text(text)
            file.path.chmod(0o640 if kind == "readable" else 0o600)
        with pytest.raises(Unauthorized):
            memory.tokens.verify(text)
        with pytest.raises((Denied, StoreError)):
            file.text()
        if kind != "folder":
            memory.tokens.rotate()
            assert memory.tokens.verify(file.text()).is_owners


def test_two_programs_that_make_it_at_once_make_one(tmp_path: Path) -> None:
    """The one that comes second takes what is there."""
    texts: list[str] = []
    start = threading.Barrier(8)

    def make() -> None:
        file = TokenFile(tmp_path / "home")
        start.wait()
        file.ensure()
        texts.append(file.text())

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 8
    assert len(set(texts)) == 1


# What else of the house has to know of them.


def test_tokens_are_taken_out_of_what_is_stored(tmp_path: Path) -> None:
    """An agent may read the file, or a person paste one: its shape is known."""
    with opened(tmp_path) as memory:
        text = memory.tokens.add("claude").text
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", f'use {text} from now on, and "{text}"')
        (message,) = memory.sessions.messages(session.id)
    assert text not in message.text
    assert message.text.startswith("use [redacted:recollect-token")
    assert files_that_hold(tmp_path, text) == []


def test_tokens_and_audit_come_with_a_backup_and_the_owners_does_not(tmp_path: Path) -> None:
    """A restored home knows whom it let in; the file is a secret of the machine."""
    home = tmp_path / "home"
    with opened(home) as memory:
        text = memory.tokens.add("claude").text
        memory.tokens.file.ensure()
        owners = memory.tokens.file.text()
        memory.backup(tmp_path / "copy")
        memory.tokens.revoke("claude")
    report = recollect.restore(tmp_path / "copy", home)
    assert report.warnings == [
        f"tokens and keys were not in the backup; they are still in {report.aside}"
    ]
    with opened(home) as memory:
        assert memory.tokens.verify(text).name == "claude"
        assert [entry.action for entry in memory.audit.latest()] == ["token.add"]
        with pytest.raises(Unauthorized):
            memory.tokens.verify(owners)
    assert files_that_hold(home, owners) == []


def test_a_backup_from_elsewhere_lets_nobody_in(tmp_path: Path) -> None:
    """Whoever made it may have put a token of theirs into it; --with-settings trusts them."""
    with opened(tmp_path / "home") as memory:
        text = memory.tokens.add("claude").text
        memory.backup(tmp_path / "copy")
    report = recollect.restore(tmp_path / "copy", tmp_path / "strangers")
    assert report.warnings == ["tokens of the backup are revoked: claude"]
    with opened(tmp_path / "strangers") as memory, pytest.raises(Unauthorized, match="revoked"):
        memory.tokens.verify(text)
    recollect.restore(tmp_path / "copy", tmp_path / "mine", with_settings=True)
    with opened(tmp_path / "mine") as memory:
        assert memory.tokens.verify(text).name == "claude"


def test_a_recovery_says_that_tokens_are_gone(tmp_path: Path) -> None:
    """They are in no mirror: whoever had one needs another."""
    with opened(tmp_path) as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", "kites")
        text = memory.tokens.add("claude").text
        owners = (memory.tokens.file.ensure(), memory.tokens.file.text())[1]
    (tmp_path / RECORDS_FILE).unlink()
    report = recover(tmp_path)
    assert {"tokens but the owner's", "the audit"} <= set(report.lost)
    with opened(tmp_path) as memory:
        with pytest.raises(Unauthorized):
            memory.tokens.verify(text)
        assert memory.tokens.verify(owners).is_owners


def test_an_erasure_leaves_a_token_that_was_made_for_its_session(tmp_path: Path) -> None:
    """What was said is gone; whom the operator let in is theirs to revoke."""
    with opened(tmp_path) as memory:
        session = memory.sessions.create("telegram:42")
        memory.sessions.append(session.id, "user", "kites zorvex")
        text = memory.tokens.add("claude", audience="session:telegram:42").text
        assert memory.erase(session_id=session.id).is_clean
        assert memory.tokens.verify(text).session_key == "telegram:42"
    assert files_that_hold(tmp_path, "zorvex") == []


def test_a_revoked_token_does_not_come_back_with_an_old_page(tmp_path: Path) -> None:
    """Its row is as it was before; the digest of the table is not."""
    with recollect.open(tmp_path / "home", live=False) as memory:
        issued = memory.tokens.add("phone")
        other = memory.tokens.add("desk")
        assert memory.tokens.verify(issued.text).name == "phone"
        memory.tokens.revoke("phone")
        assert memory.tokens.verify(other.text).name == "desk"
    records = open_records(tmp_path / "home", StoreSettings(), SystemClock())
    assert damage_of(records) is None
    records.write(lambda tx: tx.execute("UPDATE tokens SET revoked_at = NULL"))
    assert "tokens" in str(damage_of(records))
    records.close()
    with recollect.open(tmp_path / "home", live=False) as memory:
        for text in (issued.text, other.text):
            with pytest.raises(StoreCorrupt, match="tokens"):
                memory.tokens.verify(text)


def test_a_tombstone_that_is_gone_with_an_old_page_is_missed(tmp_path: Path) -> None:
    """A session that was erased could come back with the next import."""
    with recollect.open(tmp_path / "home", live=False) as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", "x")
        memory.erase(session_id=session.id)
    records = open_records(tmp_path / "home", StoreSettings(), SystemClock())
    assert damage_of(records) is None
    records.write(lambda tx: tx.execute("DELETE FROM tombstones"))
    assert "tombstones" in str(damage_of(records))
    records.close()


def test_ended_tokens_of_pages_are_removed(tmp_path: Path, time: ScriptedTime) -> None:
    """Issue 25; those that are valid stay, and every other name, and the digest holds."""
    with opened(tmp_path, time) as memory:
        end = time.now_ms() + HOUR
        for name in ("viewer-0a1b2c3d", "viewer-of-mine", "other", "viewer-ffffffff"):
            memory.tokens.add(name, expires_at=end)
        memory.tokens.revoke("viewer-ffffffff")
        later = memory.tokens.add("viewer-00000000", expires_at=end + HOUR)
        assert len(memory.tokens.list(revoked=True)) == 5
        time.pause(HOUR / 1_000)
        memory.tokens.add("next")
        names = [each.name for each in memory.tokens.list(revoked=True)]
        assert names == ["viewer-of-mine", "other", "viewer-00000000", "next"]
        assert memory.tokens.verify(later.text) == later.token
