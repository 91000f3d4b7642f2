"""The index is derived: deleted or damaged, it comes back, and the records are untouched."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect.cli.main import main
from recollect.index.query.hit import Hit
from recollect.memory import Memory
from recollect.models.embedding.embedder import Embedder
from recollect.store.sqlite.home import INDEX_FILE
from tests.integration.index.hashing import HashingEmbedder
from tests.integration.index.worker import marker, said

MESSAGES = 240
NOTES = 60
QUESTIONS = (marker(7), said(100), "copper winter", "tea", "what did the note say about lamps?")

Answers = dict[str, list[Hit]]
Damage = Callable[[bytes], bytes]


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty HOME, no model, nothing of the user's own settings."""
    for name in ("RECOLLECT_HOME", "RECOLLECT_DEBUG", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")


def open_home(folder: Path, embedder: Embedder | None = None) -> Memory:
    """Open the home below a folder, with the notes beside it."""
    return recollect.open(folder / "home", folder / "workspace", embedder=embedder)


def fill(folder: Path, embedder: Embedder | None = None) -> None:
    """Make notes and messages in many small steps, with edits and removals between them."""
    notes = folder / "workspace" / "memory"
    notes.mkdir(parents=True)
    with open_home(folder, embedder) as memory:
        for first in range(0, MESSAGES, 40):
            session = memory.sessions.create(key=f"agent:main:telegram:acc:direct:{first}").id
            items = [("user", said(number)) for number in range(first, first + 40)]
            memory.sessions.append_many(session, items)
            lines = [f"lamp {said(1_000 + n)}" for n in range(first, first + NOTES)]
            (notes / f"2026-01-{first // 40 + 1:02d}.md").write_text(
                "\n".join(lines), encoding="utf-8"
            )
            memory.sync()
        (notes / "2026-01-01.md").write_text("only the lamp is left", encoding="utf-8")
        (notes / "2026-01-02.md").unlink()
        memory.sync()


def answers(memory: Memory) -> Answers:
    """Return the hits of every question, with scores and parts."""
    return {question: memory.search(question, limit=20).hits for question in QUESTIONS}


def transcripts(memory: Memory) -> list[tuple[str, int, str]]:
    """Return everything that was said."""
    return [
        (message.id, message.seq, message.text)
        for session in memory.sessions.list()
        for message in memory.sessions.messages(session.id)
    ]


@pytest.mark.parametrize("embedder", [None, HashingEmbedder("v0")], ids=["words", "vectors"])
def test_a_deleted_index_gives_the_same_answers_again(
    tmp_path: Path, embedder: Embedder | None
) -> None:
    """The same hits, scores and order as before, and nothing is lost."""
    fill(tmp_path, embedder)
    with open_home(tmp_path, embedder) as memory:
        before, kept = answers(memory), transcripts(memory)
    files = [tmp_path / "home" / f"{INDEX_FILE}{suffix}" for suffix in ("", "-wal", "-shm")]
    for path in files:
        path.unlink(missing_ok=True)
    with open_home(tmp_path, embedder) as memory:
        after = answers(memory)
        assert transcripts(memory) == kept
    assert len(kept) == MESSAGES
    assert all(before.values())
    assert after == before


def middle_overwritten(content: bytes) -> bytes:
    """Random bytes over three pages in the middle."""
    start, size = len(content) // 2, 3 * 4096
    return content[:start] + random.Random(7).randbytes(size) + content[start + size :]


def scattered(content: bytes) -> bytes:
    """A random page in every sixteen."""
    pages = [content[start : start + 4096] for start in range(0, len(content), 4096)]
    chosen = random.Random(8)
    return b"".join(chosen.randbytes(4096) if n % 16 == 5 else p for n, p in enumerate(pages))


def text_overwritten(content: bytes) -> bytes:
    """Bytes that are no UTF-8 in the text of one message; SQLite's own checks do not look there."""
    damaged = content.replace(said(100)[4:].encode(), b"\xff" * len(said(100)[4:]))
    assert damaged != content
    return damaged


DAMAGES: dict[str, Damage] = {
    "middle": middle_overwritten,
    "scattered": scattered,
    "a text": text_overwritten,
    "no header": lambda content: bytes(4096) + content[4096:],
    "half": lambda content: content[: len(content) // 2],
    "within a page": lambda content: content[: len(content) // 3 + 100],
    "one kilobyte": lambda content: content[:1024],
    "empty": lambda _: b"",
    "another file": lambda _: b"# These are notes and no database\n" * 500,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_index_is_told_and_mended_and_the_records_stay(
    tmp_path: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    """DESIGN 1.8: a damaged index is a clear error or a right answer, and comes back whole."""
    fill(tmp_path)
    with open_home(tmp_path) as memory:
        before, kept = answers(memory), transcripts(memory)
    index = tmp_path / "home" / INDEX_FILE
    index.write_bytes(damage(index.read_bytes()))
    place = ["--home", str(tmp_path / "home"), "--workspace", str(tmp_path / "workspace")]
    for question, hits in before.items():
        code = main([*place, "search", question, "--limit", "20", "--json"])
        shown = capsys.readouterr()
        if code:
            assert (code, json.loads(shown.err)["error"]["hint"] != "") == (1, True)
        else:
            found = json.loads(shown.out)["hits"]
            assert [(hit["ref"], hit["score"]) for hit in found] == [
                (hit.ref, hit.score) for hit in hits
            ]
    assert main([*place, "doctor", "--fix", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["healthy"]
    with open_home(tmp_path) as memory:
        assert answers(memory) == before
        assert transcripts(memory) == kept
