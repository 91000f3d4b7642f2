"""What the C library holds free goes back to the system, where the library has a call for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.heap import give_back
from recollect.index import index
from tests.unit.index.scripted import ScriptedFeed, ScriptedIndex, said

FREED = 64 << 20


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096


def _held_by_crumbs() -> list[bytes]:
    """Return a few bytes that lie between many that were let go of."""
    blocks = [bytes(2_000) for _ in range(FREED // 2_000)]
    return blocks[:: 256 * 1024 // 2_000]


def test_what_lies_free_between_what_is_used_goes_back() -> None:
    """Freeing alone gives back only what lies at the end."""
    crumbs = _held_by_crumbs()
    if give_back():
        crumbs += _held_by_crumbs()
        before = _resident()
        give_back()
        assert before - _resident() > FREED // 2
    assert len(crumbs) > 1


@pytest.mark.parametrize("most", [1, 1_000_000])
def test_a_large_sync_gives_back_what_it_took(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that took in a message or two does not: looking through the heap takes milliseconds."""
    monkeypatch.setattr(index, "GIVEN_BACK_FROM", most)
    is_able = give_back()
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m1", "green tea", session="s"))) as home:
        crumbs = _held_by_crumbs()
        before = _resident() if is_able else 0
        home.index.sync()
        if is_able:
            assert (before - _resident() > FREED // 2) == (most == 1)
    assert len(crumbs) > 1
