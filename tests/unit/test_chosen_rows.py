"""Records that are chosen by id are read by their index, however many others there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.store.sqlite.transaction import SqliteTransaction

SHARED: dict[str, object] = {"embedding.provider": "none", "observations.shared": True}


@pytest.mark.parametrize("as_guest", [False, True])
def test_lines_links_exports_and_contexts_never_read_all_of_a_tenant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, as_guest: bool
) -> None:
    """An ``id IN (...)`` did: 20,000 observations took 38 s to export, 16 at a time."""
    whole: list[str] = []
    read = SqliteTransaction.all

    def explained(self: SqliteTransaction, sql: Any, params: Any = ()) -> Any:
        steps = [str(row[3]) for row in read(self, "EXPLAIN QUERY PLAN " + sql, params)]
        if "json_each" in sql and any(each.endswith("_by_time (tenant=?)") for each in steps):
            whole.append(sql)
        return read(self, sql, params)

    (tmp_path / "workspace" / "memory").mkdir(parents=True)
    (tmp_path / "workspace" / "memory" / "redis.md").write_text("Redis it is, see #2.\n")
    with recollect.open(tmp_path / "home", tmp_path / "workspace", overrides=SHARED) as memory:
        session = memory.sessions.create(key="agent:main:telegram:acc:direct:7").id
        memory.sessions.append(session, "user", "redis or not?")
        for number in range(3):
            memory.observations.record(session, summary=f"redis it is, {number}")
        memory.sync()
        asks = session if as_guest else None
        monkeypatch.setattr(SqliteTransaction, "all", explained)
        found = memory.search("redis", for_session=asks)
        assert memory.lines(found, for_session=asks).lines
        assert memory.observations.timeline("#2", for_session=asks).before
        memory.context(session, "redis")
        memory.export(for_session=asks).save(tmp_path / "export.jsonl")
    assert whole == []


def test_what_is_not_there_is_missed_without_reading_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number or an id that nobody has cost a walk through every record of the home."""
    walked: list[str] = []
    read = SqliteTransaction.rows

    def explain(tx: SqliteTransaction, sql: Any, params: Any) -> None:
        steps = [str(row[3]) for row in read(tx, "EXPLAIN QUERY PLAN " + sql, params)]
        twins = ("observations_twin", "messages_twin", "observations_twin (tenant=?)")
        walked.extend(step for step in steps if step.endswith(twins))

    def spy(name: str) -> None:
        real = getattr(SqliteTransaction, name)

        def spied(self: SqliteTransaction, sql: Any, params: Any = ()) -> Any:
            explain(self, sql, params)
            return real(self, sql, params)

        monkeypatch.setattr(SqliteTransaction, name, spied)

    nobody = "01a2213e-b0b7-7000-bac4-e5505cba2c4a"
    with recollect.open(tmp_path / "home", overrides=SHARED) as memory:
        session = memory.sessions.create().id
        memory.sessions.append(session, "user", "redis or not?")
        memory.observations.record(session, summary="redis it is")
        memory.sync()
        found = memory.search("redis")
        gone = tuple(msgspec.structs.replace(hit, ref=nobody) for hit in found.hits)
        assert {hit.source for hit in gone} == {"sessions", "observations"}
        for name in ("all", "row"):
            spy(name)
        assert set(memory.observations.get(["#77", nobody]).missing) == {"#77", nobody}
        assert memory.lines(msgspec.structs.replace(found, hits=gone)).lines == ()
    assert walked == []
