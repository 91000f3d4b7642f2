"""What a rule named once is a secret everywhere in its session, wherever it is stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.settings import StoreSettings
from recollect.hook.keeping import keep
from recollect.hook.spool import Spool
from recollect.memory import Memory
from recollect.store.recognised import MOST_LINES, add_recognised, find_recognised
from recollect.store.sqlite.database import open_records
from recollect.text.redaction.recognised import MOST_VALUES
from tests.unit.text.redaction.secrets_made_up import ALNUM, run

SECRET = "wJ" + run(ALNUM, 20) + "/K7MDENG+b" + run(ALNUM, 8)
NAMED = f"export AWS_SECRET_ACCESS_KEY={SECRET}; printenv AWS_SECRET_ACCESS_KEY"
OPTIONS = {"embedding.provider": "none"}
CALL = {"type": "tool_use", "id": "call-1", "name": "Bash", "input": {"command": NAMED}}
ECHO = {"type": "tool_result", "tool_use_id": "call-1", "content": f"{SECRET}\n"}


def held(home: Path, secret: str = SECRET) -> list[str]:
    """Return the files of a home that hold a secret."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in files if secret.encode() in path.read_bytes()]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A home that only searches for words."""
    with recollect.open(tmp_path / "home", overrides=OPTIONS) as opened:
        yield opened


def test_the_echo_of_a_command_goes_from_every_file(memory: Memory, tmp_path: Path) -> None:
    """In the blocks of a message, in later ones, in observations, before and after a restart."""
    session = memory.sessions.create()
    memory.sessions.append(session.id, "assistant", [CALL])
    memory.sessions.append(session.id, "tool", [ECHO])
    memory.observations.record(
        session.id, tool_name="Bash", input={"command": "printenv"}, output=f"got {SECRET}."
    )
    memory.close()
    with recollect.open(tmp_path / "home", overrides=OPTIONS) as again:
        again.sessions.append(session.id, "user", f"why does it print {SECRET}?")
        text = again.sessions.messages(session.id)[-1].text
        assert text.startswith("why does it print [redacted:")
        assert text.endswith("]?")
        again.sync()
    assert held(tmp_path / "home") == []


def test_what_a_later_message_names_goes_from_the_earlier_ones(
    memory: Memory, tmp_path: Path
) -> None:
    """Of one call: all messages of `append_many`, all fields of an observation."""
    session = memory.sessions.create()
    memory.sessions.append_many(
        session.id, [("tool", f"it says {SECRET}"), ("user", f"api_key={SECRET}")]
    )
    memory.observations.record(
        session.id, tool_name="Bash", input={"a": "zq8Lw3Rm5"}, output="password=zq8Lw3Rm5"
    )
    memory.close()
    assert held(tmp_path / "home") == []
    assert held(tmp_path / "home", "zq8Lw3Rm5") == []


def test_a_streamed_answer_does_not_repeat_it(memory: Memory, tmp_path: Path) -> None:
    """Its pieces are redacted as the rest."""
    session = memory.sessions.create()
    memory.sessions.append(session.id, "user", NAMED)
    with memory.sessions.stream(session.id) as reply:
        reply.add("The value is ")
        reply.add(SECRET)
        reply.add(" as you see.")
    memory.close()
    assert held(tmp_path / "home") == []


def test_a_hook_that_finds_no_worker_knows_it_too(memory: Memory, tmp_path: Path) -> None:
    """Events in the spool: the second has the value without its name, the worker is told both."""
    memory.close()
    home = tmp_path / "home"
    for number, (tool_input, output) in enumerate([(NAMED, ""), ("printenv", SECRET)]):
        payload = {
            "session_id": "abc",
            "tool_name": "Bash",
            "tool_input": {"command": tool_input},
            "tool_response": {"stdout": output},
        }
        keep(home, "claude-code", "PostToolUse", number, json.dumps(payload).encode())
    assert len(Spool(home).files()) == 2
    assert held(home) == []


def test_other_sessions_do_not_know_it_and_the_end_forgets_it(memory: Memory) -> None:
    """A hash is the session's own, and goes with it."""
    first, second = memory.sessions.create(), memory.sessions.create()
    memory.sessions.append(first.id, "user", "password: zq8Lw3Rm5")
    memory.sessions.append(second.id, "user", "zq8Lw3Rm5")
    assert memory.sessions.messages(second.id)[0].text == "zq8Lw3Rm5"
    memory.sessions.set_status(first.id, "archived")
    memory.sessions.set_status(first.id, "active")
    memory.sessions.append(first.id, "user", "zq8Lw3Rm5 again")
    assert memory.sessions.messages(first.id)[-1].text == "zq8Lw3Rm5 again"


@pytest.mark.parametrize(
    ("named", "kept"),
    [
        ("password=localhost", "it is localhost here"),
        ("user: margarethe7 password: margarethe7", "margarethe7 said hello"),
        ("DB_PASSWORD=/etc/db/password.txt", "see /etc/db/password.txt"),
        ("secret=db1.example.com", "ping db1.example.com"),
        ("password=ab12cd", "ab12cd"),
    ],
)
def test_what_many_share_stays(memory: Memory, named: str, kept: str) -> None:
    """Names of hosts and users, paths, short values: they would go everywhere."""
    session = memory.sessions.create()
    memory.sessions.append(session.id, "user", named)
    memory.sessions.append(session.id, "user", kept)
    assert memory.sessions.messages(session.id)[-1].text == kept


def test_the_newest_thousand_of_a_session_stay(memory: Memory, tmp_path: Path) -> None:
    """Several programs that learn beside each other keep no more together than one does."""
    first, other = memory.sessions.create(), memory.sessions.create()
    memory.close()
    with closing(open_records(tmp_path / "home", StoreSettings(), SystemClock())) as records:
        records.write(lambda tx: add_recognised(tx, other.id, ["o"]))
        for start in (0, 600, 1_200):
            lines = [f"line {number}" for number in range(start, start + 600)]
            records.write(partial(add_recognised, session=first.id, lines=lines))
        _, kept = records.read(lambda tx: find_recognised(tx, first.id, 0))
        assert kept == [f"line {number}" for number in range(800, 1_800)]
        assert records.read(lambda tx: find_recognised(tx, other.id, 0))[1] == ["o"]
    assert MOST_LINES == MOST_VALUES
