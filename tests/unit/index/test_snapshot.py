"""What a reader holds in memory follows the database, whoever writes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import StoreCorrupt
from recollect.index.query.hit import Hit
from recollect.memory import Memory
from recollect.store.columns import blob, integer
from recollect.store.engine import Transaction
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedFeed, ScriptedIndex, said

QUESTIONS = ("apple", "What did Ann bake?", "bread and cake", "my garden", "grape")


def _open(home: Path, workspace: Path, *, embeds: bool) -> Memory:
    embedder = ScriptedEmbedder() if embeds else None
    return recollect.open(
        home, workspace, embedder=embedder, overrides={"embedding.provider": "none"}
    )


def _answers(memory: Memory) -> list[list[Hit]]:
    return [memory.search(question, limit=50).hits for question in QUESTIONS]


def _say(memory: Memory, workspace: Path) -> None:
    session = memory.sessions.create(key="k")
    memory.sessions.append(session.id, "user", "I like apple cake", name="Ann")
    memory.sessions.append(session.id, "assistant", "What did you bake?")
    memory.sessions.append(session.id, "user", "Bread, and an apple cake", name="Bob")


def _write(_: Memory, workspace: Path) -> None:
    (workspace / "memory" / "a.md").write_text("The garden has grapes", encoding="utf-8")


def _rewrite(_: Memory, workspace: Path) -> None:
    (workspace / "memory" / "a.md").write_text("The garden has apples now", encoding="utf-8")


def _remove(_: Memory, workspace: Path) -> None:
    (workspace / "memory" / "a.md").unlink()


def _reindex(memory: Memory, _: Path) -> None:
    memory.reindex()


STEPS: tuple[Callable[[Memory, Path], None], ...] = (
    _say,
    _write,
    _say,
    _rewrite,
    _reindex,
    _say,
    _remove,
    _say,
)


@pytest.mark.parametrize("embeds", [False, True])
def test_two_readers_of_a_home_and_a_fresh_one_agree_after_every_step(
    tmp_path: Path, embeds: bool
) -> None:
    """One of them writes, both refresh what they hold; a third begins with nothing."""
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    home = tmp_path / "home"
    with (
        _open(home, workspace, embeds=embeds) as one,
        _open(home, workspace, embeds=embeds) as two,
    ):
        first: list[list[Hit]] = []
        for number, step in enumerate(STEPS):
            writer = (one, two)[number % 2]
            step(writer, workspace)
            writer.sync()
            first = _answers(one)
            assert first == _answers(two), step.__name__
            with _open(home, workspace, embeds=embeds) as fresh:
                assert _answers(fresh) == first, step.__name__
        assert any(first)
        assert one.status().index == two.status().index


def test_a_message_of_one_process_is_found_by_the_other_at_once(tmp_path: Path) -> None:
    """A search knows every message of its moment, without a sync."""
    (tmp_path / "workspace").mkdir()
    with (
        _open(tmp_path / "home", tmp_path / "workspace", embeds=False) as one,
        _open(tmp_path / "home", tmp_path / "workspace", embeds=False) as two,
    ):
        assert two.search("apple").hits == []
        session = one.sessions.create(key="k")
        message = one.sessions.append(session.id, "user", "apple")
        (hit,) = two.search("apple").hits
        assert hit.ref == message.id


def test_records_that_lead_nowhere_are_told_as_damage(tmp_path: Path) -> None:
    """Regression: a damaged record raised an IndexError out of the search."""
    feed = ScriptedFeed(said("a", "apple pie"))
    with ScriptedIndex(tmp_path, feed) as home:
        home.index.sync()
        (row,) = home.database.read(lambda tx: list(tx.rows("SELECT id, layout FROM tail")))
        for damaged in (b"\xff" * len(blob(row[1])), blob(row[1])[:-1]):
            home.database.write(partial(_replace_layout, key=integer(row[0]), layout=damaged))
            with ScriptedIndex(tmp_path, feed) as reader, pytest.raises(StoreCorrupt):
                reader.refs("apple")


def _replace_layout(tx: Transaction, key: int, layout: bytes) -> None:
    tx.execute("UPDATE tail SET layout = ? WHERE id = ?", (layout, key))
