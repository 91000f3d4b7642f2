"""Pending history: what a group said while the agent was silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.core.settings.sessions import GroupSettings, SessionSettings
from recollect.sessions.policy.history import BEFORE, CURRENT, History
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import DraftMaker
from tests.unit.sessions.home import NOON, Home, WordRedactor

GROUP = "agent:main:telegram:group:-100"


def _history(
    home: Home, limit: int = 50, conversations: int = 1_000, tenant: str = "local"
) -> History:
    groups = GroupSettings(history_limit=limit, history_conversations=conversations)
    redactor = WordRedactor()
    return History(
        SessionAccess(
            database=home.database,
            clock=home.clock,
            ids=home.ids,
            settings=SessionSettings(groups=groups),
            drafts=DraftMaker(home.clock, home.ids, redactor),
            mirror=home.mirror,
            scope=Scope(tenant=tenant),
        )
    )


def test_what_was_said_is_rendered_with_the_markers_that_agents_know(home: Home) -> None:
    """Oldest first, then the message to answer."""
    history = _history(home)
    history.add(GROUP, "Ann", "Shall we meet?")
    history.add(GROUP, "Bob", "At nine.")
    assert history.render(GROUP, "Ann", "@tea when?") == "\n".join(
        (BEFORE, "Ann: Shall we meet?", "Bob: At nine.", "", CURRENT, "Ann: @tea when?")
    )
    assert BEFORE == "[Chat messages since your last reply - for context]"
    assert CURRENT == "[Current message - respond to this]"


def test_after_a_reply_nothing_waits(home: Home) -> None:
    """Then a message stands alone; other groups keep theirs."""
    history = _history(home)
    history.add(GROUP, "Ann", "hello")
    history.add("agent:main:slack:channel:C1", "Bob", "hi")
    history.clear(GROUP.upper().replace("AGENT", "agent"))
    history.clear(GROUP)
    assert history.render(GROUP, "Ann", "now") == "Ann: now"
    assert len(history.pending("agent:main:slack:channel:C1")) == 1


def test_only_the_newest_messages_wait(home: Home) -> None:
    """A limit of 0 keeps none."""
    history = _history(home, limit=3)
    for number in range(7):
        history.add(GROUP, "Ann", str(number))
    assert [message.text for message in history.pending(GROUP)] == ["4", "5", "6"]
    silent = _history(home, limit=0)
    silent.add(GROUP, "Ann", "7")
    assert silent.pending(GROUP) == []


def test_the_conversation_not_used_for_longest_goes(home: Home) -> None:
    """Whichever was made first."""
    history = _history(home, conversations=2)
    for key in ("a:1", "b:2", "a:1", "c:3"):
        history.add(key, "Ann", "hello")
    assert [len(history.pending(key)) for key in ("a:1", "b:2", "c:3")] == [2, 0, 1]


def test_a_restart_forgets_nothing(tmp_path: Path) -> None:
    """The next process renders the same."""
    first = Home(tmp_path / "home")
    _history(first).add(GROUP, "Ann", "hello", at=NOON, message_id="m1")
    first.close()
    second = Home(tmp_path / "home")
    waiting = _history(second).pending(GROUP)
    second.close()
    assert [(m.sender, m.text, m.at, m.message_id) for m in waiting] == [
        ("Ann", "hello", NOON, "m1")
    ]


def test_secrets_and_other_tenants_stay_out(home: Home) -> None:
    """Redacted before it is stored; scoped in the query."""
    history = _history(home)
    history.add(GROUP, "Ann", "the password is hunter2")
    assert "hunter2" not in history.render(GROUP, "Ann", "and?")
    assert _history(home, tenant="other").pending(GROUP) == []
    with pytest.raises(InvalidInput):
        history.add("", "Ann", "x")
