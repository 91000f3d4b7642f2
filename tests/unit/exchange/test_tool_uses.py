"""Calls and results of a transcript that was read in parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.exchange.reader import FileLines
from tests.unit.exchange.test_stand_ins import SESSION, line


def test_results_without_calls_do_not_read_all_before_them_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 of them behind 6 MB took 2.8 s: the time grew with both."""
    looks = []
    before = FileLines.bodies_before

    def counted(lines: FileLines, offset: int) -> Iterator[bytes]:
        looks.append(offset)
        return before(lines, offset)

    monkeypatch.setattr(FileLines, "bodies_before", counted)
    file = tmp_path / f"{SESSION}.jsonl"
    file.write_text(line(1, "user", "Which tea?") + "\n", "utf-8")
    result = {"type": "tool_result", "content": "ok"}
    with recollect.open(tmp_path / "home") as memory:
        memory.import_transcripts(file)
        with file.open("a", encoding="utf-8") as growing:
            for number in range(500):
                said = {"role": "user", "content": [result | {"tool_use_id": f"toolu_{number}"}]}
                told = line(2, "user", "", uuid=f"r{number}", message=said)
                growing.write(told + "\n")
        assert memory.import_transcripts(file).messages == 500
    assert 0 < len(looks) <= 100
