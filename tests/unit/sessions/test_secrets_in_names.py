"""Secrets in names, keys and ids: nothing of a message or session is stored past the redactor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.core.errors import InvalidInput
from recollect.sessions.record.content import ToolResultBlock, ToolUseBlock
from recollect.text.secret_redactor import SecretRedactor
from tests.unit.exchange.test_importer import claude, lines, write
from tests.unit.sessions.home import Home
from tests.unit.text.redaction.secrets_made_up import SHAPED

_, TOKEN = SHAPED["ghp"]
PLACES = ("records.db", "records.db-wal")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home with the redactor of the product."""
    opened = Home(tmp_path / "home", SecretRedactor(b"salt of this home"))
    yield opened
    opened.close()


def stored(home: Home) -> bytes:
    """Return every byte of the database."""
    return b"".join(p.read_bytes() for name in PLACES if (p := home.path / name).exists())


def test_names_and_ids_of_tools_are_redacted(home: Home) -> None:
    """A tool can be called anything; a call and its result still find each other."""
    session = home.sessions.create()
    call = {"type": "tool_use", "id": f"call {TOKEN}", "name": f"x {TOKEN}", "input": {}}
    result = {"type": "tool_result", "tool_use_id": f"call {TOKEN}", "content": "done"}
    home.sessions.append(session.id, "assistant", [call])
    home.sessions.append(session.id, "tool", [result])
    (asked,), (told,) = (message.blocks for message in home.sessions.messages(session.id))
    assert isinstance(asked, ToolUseBlock)
    assert isinstance(told, ToolResultBlock)
    assert asked.name.startswith("x [redacted:github-token:")
    assert asked.id == told.tool_use_id
    assert [call.result_text for call in home.sessions.tool_calls(session.id)] == ["done"]
    assert TOKEN.encode() not in stored(home)


@pytest.mark.parametrize(
    "block",
    [
        {"type": TOKEN, "x": 1},
        {"type": "image", "source": {"url": "https://x.test", "media_type": TOKEN}},
        {"type": "tool_result", "toolName": TOKEN, "content": []},
    ],
)
def test_kinds_and_media_types_are_redacted(home: Home, block: dict[str, object]) -> None:
    """They come from outside as well."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", [block])
    assert TOKEN.encode() not in stored(home)


def test_titles_projects_and_metadata_are_redacted(home: Home) -> None:
    """When a session begins, and when it is renamed."""
    metadata = {"env": [{"name": "DB_PASSWORD", "value": "amber7falcon"}], "x": {TOKEN: 1}}
    session = home.sessions.create(title=f"use {TOKEN}", project=TOKEN, metadata=metadata)
    home.sessions.rename(session.id, f"now {TOKEN}")
    assert TOKEN.encode() not in stored(home)
    assert b"amber7falcon" not in stored(home)


def test_a_key_or_id_with_a_secret_is_refused(home: Home) -> None:
    """It is compared as it is, so it cannot be replaced; the error does not repeat it."""
    session = home.sessions.create()
    attempts = (
        lambda: home.sessions.create(key=f"agent:main:telegram:direct:{TOKEN}"),
        lambda: home.sessions.open(f"agent:main:telegram:direct:{TOKEN}"),
        lambda: home.sessions.reset(f"telegram:{TOKEN}"),
        lambda: home.sessions.create(session_id=TOKEN),
        lambda: home.sessions.append(session.id, "user", "x", event_id=f"event-{TOKEN}"),
        lambda: home.sessions.append(session.id, "user", "x", sender=f"telegram:{TOKEN}"),
        lambda: home.sessions.history.add(f"agent:main:slack:group:{TOKEN}", "Ann", "x"),
    )
    for attempt in attempts:
        with pytest.raises(InvalidInput, match="must not hold a secret") as refused:
            attempt()
        assert TOKEN not in str(refused.value) + refused.value.hint
    assert TOKEN.encode() not in stored(home)


def test_imported_ids_with_a_secret_become_a_keyed_hash(home: Home, tmp_path: Path) -> None:
    """The same id gives the same hash, so the same file again adds nothing."""
    secret = {"sessionId": f"s-{TOKEN}", "cwd": f"/home/{TOKEN}"}
    content = lines(claude(f"u-{TOKEN}", "hello", **secret), claude("u-2", "again", **secret))
    path = write(tmp_path / "a" / f"{TOKEN}.jsonl", content)
    assert home.importer().run(path).messages == 2
    again = write(tmp_path / "b" / "copy.jsonl", content)
    assert home.importer().run(again).messages == 0
    (session,) = home.sessions.list()
    assert session.foreign_id is not None
    assert session.foreign_id.startswith("redacted-")
    ids = [message.foreign_id for message in home.sessions.messages(session.id)]
    assert ids[0] is not None
    assert ids[0].startswith("redacted-")
    assert ids[1] == "u-2"


def test_an_id_becomes_another_hash_in_another_home() -> None:
    """The salt of the home is its key; an id without a secret stays."""
    one, two = SecretRedactor(b"one"), SecretRedactor(b"two")
    assert one.identifier(TOKEN) == one.identifier(TOKEN) != two.identifier(TOKEN)
    assert one.identifier("5b1f6a3e-0c1d-4a55") == "5b1f6a3e-0c1d-4a55"


def test_without_redaction_keys_and_ids_stay_as_they_are(tmp_path: Path) -> None:
    """`privacy.redact: false` means it."""
    home = Home(tmp_path / "home")
    session = home.sessions.create(key=f"notes-{TOKEN}")
    assert session.key == f"notes-{TOKEN}"
    home.sessions.append(session.id, "user", "x", event_id=TOKEN)
    home.close()
