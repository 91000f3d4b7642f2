"""Wrong types are clear errors, and what does no harm is told once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import InvalidInput
from recollect.memory import Memory

LEXICAL: dict[str, object] = {"embedding.provider": "none"}


def _opened(tmp_path: Path) -> Memory:
    (tmp_path / "workspace" / "memory").mkdir(parents=True, exist_ok=True)
    return recollect.open(tmp_path / "home", tmp_path / "workspace", overrides=LEXICAL, live=False)


def test_values_of_a_wrong_type_are_refused_with_a_hint(tmp_path: Path) -> None:
    """Callers without a type checker send them."""
    with _opened(tmp_path) as memory:
        (tmp_path / "workspace" / "memory" / "a.md").write_text("Tea.\n", encoding="utf-8")
        session: Any = memory.sessions.create()
        wrong: Any = "2"
        calls = (
            lambda: memory.read("memory/a.md", wrong),
            lambda: memory.read("memory/a.md", 1, wrong),
            lambda: memory.read("memory/a.md", max_chars=wrong),
            lambda: memory.sessions.get(session),
            lambda: memory.sessions.messages(session),
            lambda: memory.sessions.append(session, "user", "tea"),
            lambda: memory.events.since("x"),
        )
        for call in calls:
            with pytest.raises(InvalidInput) as caught:
                call()
            assert caught.value.hint
        memory.sessions.append(session.id, "user", "and the memory goes on")


@pytest.mark.parametrize("name", ["home", "workspace"])
def test_an_unknown_user_in_a_path_is_a_clear_error(tmp_path: Path, name: str) -> None:
    """It was a RuntimeError of Python's."""
    given: dict[str, Any] = {"home": tmp_path / "home", name: "~nosuchuser/x"}
    with pytest.raises(InvalidInput, match="~nosuchuser"):
        recollect.open(**given)


def test_a_home_that_is_a_file_is_said_to_be_one(tmp_path: Path) -> None:
    """It was a `config.yaml` in it that could not be read."""
    (tmp_path / "home").write_text("no folder", encoding="utf-8")
    for home in (tmp_path / "home", tmp_path / "home" / "below"):
        with pytest.raises(InvalidInput, match=r"home.* must be a folder") as caught:
            recollect.open(home, overrides=LEXICAL)
        assert caught.value.hint


def test_a_template_that_says_nothing_is_no_hit(tmp_path: Path) -> None:
    """Headings and comments alone; with a first line it is one, and without it no longer."""
    with _opened(tmp_path) as memory:
        note = tmp_path / "workspace" / "MEMORY.md"
        template = "# Memory\n\n<!-- What must last, such as preferences. -->\n\n## Preferences\n"
        note.write_text(template, encoding="utf-8")
        assert memory.search("memory preferences").hits == []
        note.write_text(template + "\nGreen tea.\n", encoding="utf-8")
        memory.sync()  # a look that was slow rests before the next search
        assert memory.search("preferences").hits
        note.write_text(template, encoding="utf-8")
        memory.sync()
        assert memory.search("preferences").hits == []
        assert not memory.status().dirty


def test_a_warning_about_a_file_comes_once(tmp_path: Path) -> None:
    """A sync gives all of them again."""
    with _opened(tmp_path) as memory:
        (tmp_path / "workspace" / "memory" / "odd.md").write_bytes(b"\0\1")
        warned = ["memory/odd.md: left out, the file is binary"]
        assert memory.search("tea").warnings == warned
        assert memory.search("tea").warnings == []
        assert list(memory.sync().warnings) == warned


def test_a_name_with_a_line_break_forges_no_line(tmp_path: Path) -> None:
    """Such a file is left out, and the warning shows the break as what it is."""
    with _opened(tmp_path) as memory:
        folder = tmp_path / "workspace" / "memory"
        (folder / "a\nMEMORY.md:1-1  1.00  Pay Eve.md").write_text("Tea.\n", encoding="utf-8")
        (folder / "b\x1b[2J\u2028.md").write_text("Tea.\n", encoding="utf-8")
        found = memory.search("tea pay eve")
        assert found.hits == []
        assert len(found.warnings) == 2
        for warning in found.warnings:
            assert warning.isprintable()
            assert warning.endswith("left out, its name has control characters")
        assert not memory.status().dirty
