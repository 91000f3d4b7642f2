"""A compaction of which a bit is flipped is an error, never another summary."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import StoreCorrupt

OPTIONS: dict[str, Any] = {"live": False, "overrides": {"embedding.provider": "none"}}


@pytest.mark.parametrize("part", ["id", "made_by", "summary"])
def test_a_flipped_bit_of_a_compaction_is_never_another_answer(tmp_path: Path, part: str) -> None:
    """Neither in its row, nor in its twin or in what it is found by."""
    path = tmp_path / "records.db"
    with recollect.open(tmp_path, **OPTIONS) as memory:
        session = memory.sessions.create().id
        for number in range(12):
            memory.sessions.append(session, "user", f"we fire kiln {number} at dawn")
        memory.sessions.compact(session, keep_messages=2)
        truth = memory.sessions.compactions(session)
        view = memory.sessions.view(session, budget_tokens=5_000)
    word = str(getattr(truth[0], part)).encode()
    sound = path.read_bytes()
    places = [found.start() for found in re.finditer(re.escape(word), sound)]
    assert len(places) >= 2
    refused = 0
    for place in places:
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
        with recollect.open(tmp_path, **OPTIONS) as memory:
            with suppress(StoreCorrupt):
                assert memory.sessions.view(session, budget_tokens=5_000) == view
            try:
                assert memory.sessions.compactions(session) == truth
            except StoreCorrupt:
                refused += 1
    assert refused >= 2
