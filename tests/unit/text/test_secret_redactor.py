"""The redactor as features use it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.clock import SystemClock
from recollect.core.errors import StoreFull
from recollect.core.settings import StoreSettings
from recollect.store.engine import Database, Transaction
from recollect.store.sqlite.database import open_records
from recollect.text.redaction import Redactor
from recollect.text.secret_redactor import _PLAIN_PATH, SecretRedactor, is_marked
from tests.unit.text.redaction.secrets_made_up import ALNUM, run

TOKEN = "ghp_" + run(ALNUM, 36)
REDACTOR = SecretRedactor(b"salt", [r"PX-\d+"])


def test_texts_and_values_are_redacted() -> None:
    """With the salt and the patterns of the home."""
    mark = REDACTOR.text(TOKEN)
    assert mark.startswith("[redacted:github-token:")
    assert REDACTOR.value({"a": [TOKEN]}) == {"a": [mark]}
    assert "PX-1" not in REDACTOR.text("order PX-1")


def test_what_is_remembered_as_harmless_has_an_end_and_hides_no_secret() -> None:
    """More short texts than are remembered, then a secret, then the first ones again."""
    redactor = SecretRedactor(b"salt", [])
    words = [f"word{number}" for number in range(4_200)]
    assert redactor.value(words) == words
    assert redactor.value([TOKEN, *words[:9]]) == [redactor.text(TOKEN), *words[:9]]


def test_lines_keep_their_numbers() -> None:
    """A file is searched by line, also below a private block of several lines."""
    text = f"one\n<private>\n{TOKEN}\n</private> two\nthree {TOKEN}\n"
    lines = REDACTOR.lines(text).split("\n")
    assert len(lines) == 6
    assert lines[0] == "one"
    assert lines[3].endswith(" two")
    assert lines[4].startswith("three [redacted:")
    assert REDACTOR.lines("nothing\nhere") == "nothing\nhere"


@pytest.mark.parametrize(
    ("kept", "secret"),
    [
        ("--token ", "abcdefghijklmnopqrstuvwxyz"),
        ("password=", "hunter2"),
        ("", "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"),
        ("", "AKIA" + "IOSFODNN7QUARTZB"),
        ("nothing secret here", ""),
    ],
)
def test_what_openclaw_shortens_is_replaced(kept: str, secret: str) -> None:
    """Five of its six golden cases, one of them with a key that no documentation shows.

    It leaves the ends of a long secret, we leave nothing of it.
    """
    redacted = REDACTOR.text(kept + secret)
    assert redacted.startswith(kept)
    assert redacted.removeprefix(kept).startswith("[redacted:") == bool(secret)
    assert not secret or secret[:6] not in redacted


def test_a_word_behind_a_key_is_no_secret() -> None:
    """Its sixth case; OpenClaw hides any value, and with it prose: `token: short` is a remark."""
    assert REDACTOR.text("token: short") == "token: short"


@given(st.from_regex(_PLAIN_PATH, fullmatch=True).filter(lambda it: len(it) < 200))
def test_a_path_of_short_names_and_words_holds_nothing_that_a_rule_takes_out(path: str) -> None:
    """So it is looked at no further."""
    assert Redactor(b"salt").redact(path).text == path


@pytest.mark.parametrize("ending", [".md", "/app", "/a.b/c d.py", ".sqlite#1"])
@pytest.mark.parametrize("name", [TOKEN, "token=Xk29fj39sLQpw0Zr", f"of {TOKEN} x", "pw=hunter2"])
def test_a_path_keeps_its_folders_and_its_ending(name: str, ending: str) -> None:
    """What is marked stays marked, and equal paths equal."""
    redactor = SecretRedactor(b"salt")
    redacted = redactor.path(f"/home/ann/{name}{ending}")
    assert is_marked(redacted)
    assert redacted.startswith("/home/ann/")
    assert redacted.endswith(ending) or "#" in ending
    assert not any(part in redacted for part in (TOKEN, "Xk29fj39sLQpw0Zr", "hunter2"))
    assert redactor.path(redacted) == redacted == SecretRedactor(b"salt").path(redacted)


def test_a_long_text_does_not_delay_others_of_its_session() -> None:
    """A guest's large body in the owner's session must not hold up the owner's hooks."""
    redactor = SecretRedactor(b"salt")

    def long(_: SecretRedactor) -> bool:
        short = threading.Thread(target=lambda: redactor.session("s1", lambda it: it.text("short")))
        short.start()
        short.join(20)
        return not short.is_alive()

    assert redactor.session("s1", long)


def test_what_was_learnt_meanwhile_is_redacted_too() -> None:
    """Whoever ends later knows all secrets that were recognised in the session before."""
    redactor = SecretRedactor(b"salt")
    calls = list[str]()

    def late(session: SecretRedactor) -> str:
        if not calls:
            learn = partial(
                redactor.session, "s1", lambda it: it.text("password: sunset-42-harbour")
            )
            other = threading.Thread(target=learn)
            other.start()
            other.join()
        calls.append(session.text("it was sunset-42-harbour"))
        return calls[-1]

    assert "[redacted:password:" in redactor.session("s1", late)
    assert len(calls) == 2


def test_what_could_not_be_read_at_first_is_read_by_the_next_call(tmp_path: Path) -> None:
    """A session counts as known only after its secrets were read."""
    with closing(open_records(tmp_path, StoreSettings(), SystemClock())) as records:
        SecretRedactor(b"salt", records=records).session(
            "s1", lambda it: it.text("password: sunset-42-harbour")
        )
        failures = [StoreFull("the disk is full", hint="make room")]

        class Failing:
            """The records, whose first read fails."""

            def read(self, unit: Callable[[Transaction], Any]) -> Any:
                if failures:
                    raise failures.pop()
                return records.read(unit)

        redactor = SecretRedactor(b"salt", records=cast("Database", Failing()))

        def say() -> str:
            return redactor.session(
                "s1", lambda it: it.text("it was sunset-42-harbour"), is_current=False
            )

        with pytest.raises(StoreFull):
            say()
        assert "[redacted:password:" in say()


def test_what_is_not_stored_is_learnt_again(tmp_path: Path) -> None:
    """A full disk at the first attempt must not leave the secret unknown to other processes."""
    with closing(open_records(tmp_path, StoreSettings(), SystemClock())) as records:
        failures = [StoreFull("the disk is full", hint="make room")]

        class Failing:
            """The records, whose first write fails."""

            read = staticmethod(records.read)

            def write(self, unit: Callable[[Transaction], Any]) -> Any:
                if failures:
                    raise failures.pop()
                return records.write(unit)

        redactor = SecretRedactor(b"salt", records=cast("Database", Failing()))
        for _ in range(2):
            with suppress(StoreFull):
                redactor.session(
                    "s1", lambda it: it.text("password: sunset-42-harbour"), is_current=False
                )
        text = SecretRedactor(b"salt", records=records).session(
            "s1", lambda it: it.text("it was sunset-42-harbour")
        )
        assert "[redacted:password:" in text


def test_what_one_thread_learns_another_does_not_forget(tmp_path: Path) -> None:
    """Two hooks of one session at once: what is learnt and not kept yet is no ended session's."""
    with closing(open_records(tmp_path, StoreSettings(), SystemClock())) as records:
        redactor = SecretRedactor(b"salt", records=records)
        has_looked, others = threading.Event(), list[threading.Thread]()

        def look(_: SecretRedactor) -> None:
            has_looked.set()

        def learn(session: SecretRedactor) -> str:
            redacted = session.text("password: sunset-42-harbour")
            if not others:
                other = threading.Thread(target=lambda: redactor.session("s1", look))
                others.append(other)
                other.start()
                has_looked.wait(0.3)
            return redacted

        redactor.session("s1", learn)
        others[0].join()
        assert has_looked.is_set()
        redacted = SecretRedactor(b"salt", records=records).session(
            "s1", lambda session: session.text("it said sunset-42-harbour")
        )
        assert "[redacted:password:" in redacted
