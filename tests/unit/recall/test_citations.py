"""Citations: on, off, or not in groups."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.scope import Scope
from recollect.memory import Memory


def opened(folder: Path, citations: str) -> Memory:
    """Return a memory without a model."""
    overrides = {"embedding.provider": "none", "search.citations": citations}
    return recollect.open(folder / "home", overrides=overrides)


@pytest.mark.parametrize(
    ("citations", "key", "expected"),
    [
        ("auto", "agent:main:telegram:acc:direct:42", True),
        ("auto", "agent:main:telegram:acc:group:42", False),
        ("auto", "agent:main:slack:channel:general", False),
        ("auto", "notes", True),
        ("on", "agent:main:telegram:acc:group:42", True),
        ("off", "agent:main:telegram:acc:direct:42", False),
    ],
)
def test_a_group_is_not_told_where_things_stand(
    tmp_path: Path, citations: str, key: str, expected: bool
) -> None:
    """Unless the setting says so."""
    with opened(tmp_path, citations) as memory:
        session = memory.sessions.create(key=key).id
        message = memory.sessions.append(session, "user", "green tea")
        (hit,) = memory.search("green tea", scope=Scope(session=session)).hits
        cited = f"session:{session}#{message.seq}"
        assert hit.citation == (cited if expected else None)
        (hit,) = memory.search("green tea").hits
        assert (hit.citation is not None) is (citations != "off")


def test_an_unknown_session_has_nothing_to_cite(tmp_path: Path) -> None:
    """It is no error to search in it."""
    with opened(tmp_path, "auto") as memory:
        assert memory.search("tea", scope=Scope(session="nobody")).hits == []
