"""The bench of storing in bulk: on the product itself, very small."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from benchmarks.load.bulk import ROOT, BulkPlan, BulkRunner, bulk_grids, describe_bulk
from benchmarks.load.bulk_writer import (
    CALL,
    WAYS,
    WORDS,
    BulkOrder,
    claude_lines,
    run,
    texts_of,
)
from benchmarks.measure.environment import describe_environment
from recollect.core.errors import RecollectError


@pytest.mark.parametrize("way", WAYS)
def test_each_way_stores_all_until_it_is_found(tmp_path: Path, way: str) -> None:
    """The home that it leaves has every message, and the index knows them."""
    import recollect

    cost = run(BulkOrder(folder=str(tmp_path), way=way, count=16))
    assert cost.cpu_s > 0
    assert cost.stages == {}
    with recollect.open(
        tmp_path / "home", overrides={"embedding.provider": "none"}, live=False
    ) as memory:
        stored = sum(each.message_count for each in memory.sessions.list())
        assert stored == 1 + 16
        assert memory.search(texts_of(16, 7)[5].split(".")[0]).hits


def test_stages_are_timed_and_sources_compared(tmp_path: Path) -> None:
    """Of one way; every stage of a message is in the table, for both sources."""
    told: list[str] = []
    runner = BulkRunner(
        tmp_path, describe_environment(), lambda stage, *_: told.append(stage), ROOT / "src"
    )
    plan = BulkPlan(messages=8, rounds=1, ways=("append_many, one call", "append, one by one"))
    found = runner.run(plan)
    assert [(one.source, one.way) for one in found.figures] == [
        (source, way) for way in plan.ways for source in ("here", "there")
    ]
    rates, *stages = bulk_grids(found)
    assert len(rates.rows) == 2 * len(plan.ways)
    assert len(stages) == len(plan.ways)
    names = {row[0] for row in stages[0].rows}
    assert {"draft", "redaction", "insert", "terms", "postings", "outbox read"} <= names
    assert "5,000 messages" in describe_bulk(found)[1]
    assert set(told) == {"storing in bulk"}
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_fails_is_told(tmp_path: Path) -> None:
    """What it wrote is on stderr."""
    runner = BulkRunner(tmp_path, describe_environment(), lambda *_: None, tmp_path)
    with pytest.raises(RecollectError, match="failed"):
        runner.cost("there", "no such way", 1, 7)


def test_texts_have_their_words_and_lines_their_chain() -> None:
    """Calls and results share an id, and each line names the one before it."""
    texts = texts_of(16, 7)
    assert {len(text.split()) for text in texts} == {WORDS}
    lines = claude_lines("s", 0, texts)
    assert [line["parentUuid"] for line in lines[1:]] == [line["uuid"] for line in lines[:-1]]
    call, result = lines[2]["message"]["content"][0], lines[3]["message"]["content"][0]
    assert call["id"] == result["tool_use_id"]
    assert json.dumps(lines)
    assert CALL == 500


def test_the_order_is_plain_json() -> None:
    """It goes to the process as an argument."""
    order = BulkOrder(folder="f", way="w", count=1)
    assert msgspec.json.decode(msgspec.json.encode(order), type=BulkOrder) == order
