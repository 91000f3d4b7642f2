"""The demo sample: large and mixed enough, and its three answers stand where they should."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.text.secret_redactor import SecretRedactor

DEMO = Path(recollect.__path__[0]) / "demo"
TRANSCRIPTS = sorted((DEMO / "transcripts").rglob("*.jsonl"))
QUESTIONS = json.loads((DEMO / "questions.json").read_text(encoding="utf-8"))


def _records() -> Iterator[dict[str, Any]]:
    for path in TRANSCRIPTS:
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def _messages() -> list[dict[str, Any]]:
    return [record for record in _records() if "message" in record or "role" in record]


def _said(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)


def _days() -> list[date]:
    times = [record.get("at") or record["timestamp"] for record in _messages()]
    return sorted(datetime.fromisoformat(time).astimezone(UTC).date() for time in times)


def test_the_sample_is_some_hundred_messages_over_some_weeks() -> None:
    """A few hundred messages over some weeks, with dates."""
    days = _days()
    assert len(days) >= 300
    assert timedelta(weeks=4) <= days[-1] - days[0] <= timedelta(weeks=12)


def test_the_sample_comes_in_three_formats() -> None:
    """Each importer has something to read."""
    assert {path.relative_to(DEMO).parts[1] for path in TRANSCRIPTS} == {
        "plain",
        "claude-code",
        "openclaw",
    }


@pytest.mark.parametrize(
    "text",
    ["绿茶", "数据库迁移", "ラーメン", "Zoé", "getUserById", "user_id", "O'Brien", "```python"],
)
def test_the_sample_holds_what_search_must_find(text: str) -> None:
    """The searches that the documentation shows work on the sample."""
    assert any(text in _said(record) for record in _messages())


def test_one_note_is_nine_months_older_than_the_rest() -> None:
    """The old note that alone holds an answer must stay reachable."""
    dated = sorted(date.fromisoformat(p.stem) for p in (DEMO / "workspace/memory").glob("*.md"))
    assert dated[1] - dated[0] >= timedelta(days=270)


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: str(asked["question"]))
def test_an_answer_stands_in_one_source_only(asked: dict[str, str]) -> None:
    """Otherwise the demo would prove less than it says."""
    notes = [p.read_text(encoding="utf-8") for p in (DEMO / "workspace").rglob("*.md")]
    said = [_said(record) for record in _messages()]
    places = {"memory": notes, "sessions": said}
    holding = {
        source: sum(asked["answer"].lower() in text.lower() for text in texts)
        for source, texts in places.items()
    }
    assert holding[asked["source"]] >= 1
    assert sum(count > 0 for count in holding.values()) == 1


def test_the_only_keys_in_the_sample_are_fakes() -> None:
    """The keys show redaction, so they must look like keys to a rule and like none to a person."""
    keys = re.findall(r"sk-live-(\w+)", "".join(_said(record) for record in _records()))
    assert keys
    assert all(re.fullmatch("(tea)+|(milk)+", key) for key in keys)


def test_the_keys_in_the_sample_would_be_redacted() -> None:
    """The privacy page sends the reader to them."""
    redactor = SecretRedactor(b"salt" * 8)
    kept = "".join(str(redactor.value(record)) for record in _records())
    assert "sk-live" not in kept
    assert "[redacted:" in kept
