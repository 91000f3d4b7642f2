"""Event values: what goes to streams."""

from __future__ import annotations

import msgspec

from recollect.core.events import AnyEvent, ImportFinished, SessionCreated
from recollect.core.scope import Scope


def test_an_event_is_told_by_its_type() -> None:
    """The tag is part of the JSON and brings back the same value."""
    event = ImportFinished(
        scope=Scope(), at=1, source="claude-code", sessions=1, messages=2, malformed=0
    )
    wire = msgspec.json.encode(event)
    assert msgspec.json.decode(wire)["type"] == "import.finished"
    back: object = msgspec.json.decode(wire, type=AnyEvent)
    assert back == event


def test_an_event_says_whose_it_is() -> None:
    """The scope names the session."""
    event = SessionCreated(scope=Scope(session="s1"), at=5, key="telegram:42")
    assert event.scope.session == "s1"
