"""What older rules made of observations is made again, and nothing that others gave."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect import upkeep
from recollect.home_index import HomeIndex
from recollect.memory import Memory
from recollect.observations import reclassification
from recollect.observations.observation import Observation
from recollect.observations.reclassification import Reclassification
from recollect.observations.rows import rewrite
from recollect.store.blobs import Blobs

WORDS_ONLY = {"embedding.provider": "none"}


@pytest.fixture(autouse=True)
def _by_sync_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the background leave alone what a test has not made old yet."""
    here, again = threading.get_ident(), upkeep.classify_again

    def classify_again(opened: HomeIndex, stopping: Callable[[], bool]) -> int:
        return again(opened, stopping) if threading.get_ident() == here else 0

    monkeypatch.setattr(upkeep, "classify_again", classify_again)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory for words only."""
    with recollect.open(tmp_path / "home", overrides=WORDS_ONLY, live=False) as opened:
        yield opened


@pytest.fixture
def session(memory: Memory) -> str:
    """A session of a project."""
    return memory.sessions.create(project="/srv/app").id


def _as_before(memory: Memory, of: Observation, **fields: Any) -> Observation:
    """Store an observation as the first rules had made it."""
    old = msgspec.structs.replace(of, **{"made_by": "rules-1", **fields})
    memory._rooms.records.write(lambda tx: rewrite(tx, of, old, 1))  # noqa: SLF001  # as they did
    return old


def _now(memory: Memory, of: Observation) -> Observation:
    return memory.observations.get(of.id, None).found[0]


def _again(memory: Memory, tmp_path: Path) -> Reclassification:
    records = memory._rooms.records  # noqa: SLF001  # as the background has them
    return Reclassification(records, Blobs(tmp_path / "home" / "blobs"), memory._rooms.home.clock)  # noqa: SLF001


def test_what_the_first_rules_made_is_made_again_and_found(memory: Memory, session: str) -> None:
    """Issue 23: type, importance, title, summary and files; the index follows."""
    record = memory.observations.record
    said = record(session, event="prompt", input="PR approved and merged")
    _as_before(memory, said, type="decision", importance=0.8)
    ruled = record(
        session, event="prompt", input="Use Postgres instead of Redis.\nWhy? It is known."
    )
    _as_before(memory, ruled, type="tool_use", importance=0.3, summary="")
    here = {"command": "cd /srv/app && cat > src/pot.py <<'EOF'\nbrew()\nEOF"}
    wrote = record(session, "Bash", input=here)
    _as_before(
        memory, wrote, type="tool_use", importance=0.3, files=(), summary="x",
        title="Bash: cd /srv/app && cat > src/pot.py <<'EOF' brew() EOF",
    )  # fmt: skip
    kept = {each.id: each for each in (said, ruled, wrote)}
    memory.sync()
    for each in kept.values():
        now = _now(memory, each)
        summary = "x" if each is wrote else each.summary  # no rule had made that
        assert now == msgspec.structs.replace(
            each, summary=summary, made_by=now.made_by, tokens=now.tokens
        )
    assert _now(memory, wrote).made_by == "rules-2 but summary"
    assert _now(memory, said).made_by == "rules-2"
    hits = memory.search("pot.py", sources=["observations"]).hits
    assert hits[0].ref == wrote.id
    assert [each.id for each in memory.observations.list(types=["prompt"])] == [said.id]


def test_what_others_gave_stays(memory: Memory, session: str) -> None:
    """A caller, a person, a model: only what the first rules may have made is made again."""
    record = memory.observations.record
    run = {"command": "pytest -q"}
    given = _as_before(
        memory, record(session, "Bash", input=run), type="decision", importance=0.55,
        title="The suite is our contract", summary="As agreed",
    )  # fmt: skip
    by_hand = _as_before(
        memory, record(session, "Bash", input=run), made_by="hand", type="bugfix", title="Mine"
    )
    of_model = _as_before(
        memory, record(session, "Bash", input={"command": "cat > a.py <<E\nx\nE"}), type="tool_use",
        importance=0.3, made_by="openai:m/1", title="Bash says tea", summary="It boils.",
    )  # fmt: skip
    noted = record(session, summary="PR approved and merged")
    _as_before(memory, noted, type="decision", importance=0.8)
    memory.sync()
    assert _now(memory, given) == msgspec.structs.replace(
        given, made_by="rules-2 but type importance title summary"
    )
    assert _now(memory, by_hand) == by_hand
    now = _now(memory, of_model)
    assert (now.type, now.importance) == ("code_change", 0.5)
    assert (now.title, now.made_by) == ("Bash says tea", "openai:m/1")
    assert _now(memory, noted).type == "decision"  # a person may have called it that


def test_it_begins_with_the_newest_and_goes_on_where_it_stopped(
    memory: Memory, session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch at a time, from a cursor; a change of somebody else meanwhile wins."""
    monkeypatch.setattr(reclassification, "_BATCH", 2)
    rows = [
        memory.observations.record(session, event="prompt", input=f"{n} merged", at=1_000 + n // 2)
        for n in range(5)
    ]
    for each in rows:
        _as_before(memory, each, type="decision", importance=0.8)
    polled = iter([False, True])
    again = _again(memory, tmp_path)
    tenant = memory.scope.tenant
    assert again.run(tenant, lambda: next(polled)) == 2
    assert [_now(memory, each).type for each in rows] == ["decision"] * 3 + ["prompt"] * 2
    memory.observations.update(rows[0].id, type="mine")
    assert again.run(tenant) == 2
    assert [_now(memory, each).type for each in rows] == ["mine", *["prompt"] * 4]
    assert again.run(tenant) == 0
    assert _again(memory, tmp_path).run(tenant) == 0


def test_a_long_input_is_read_from_its_blob(memory: Memory, session: str) -> None:
    """What a row has of it is no JSON; where the blob is gone, the row is read."""
    long = {"file_path": "a.py", "old_string": "", "new_string": "x\n" * 20_000}
    edited = memory.observations.record(session, "Edit", input=long)
    assert edited.input_blob is not None
    _as_before(memory, edited, type="exploration", importance=0.2)
    memory.sync()
    now = _now(memory, edited)
    assert (now.type, now.title, now.summary) == ("code_change", edited.title, edited.summary)
