"""The simulated disk: what was synced stays, of the rest anything can be."""

from __future__ import annotations

import random
from pathlib import Path

from recollect.testing.vfs_disk import DiskCall, DiskLog
from recollect.testing.vfs_power import Cut, Disk, cut_power

SYNCED = [
    DiskCall("create", "file"),
    DiskCall("write", "file", 0, b"a" * 2_000),
    DiskCall("sync", "file"),
    DiskCall("sync_folder", ""),
]


def _cuts(calls: list[DiskCall], count: int = 300) -> list[Cut]:
    disk = Disk()
    for call in calls:
        disk.play(call)
    return [disk.cut(len(calls), random.Random(seed)) for seed in range(count)]


def test_what_was_synced_is_always_there() -> None:
    """Content and name."""
    assert {cut.files["file"] for cut in _cuts(SYNCED)} == {b"a" * 2_000}


def test_of_what_was_not_synced_anything_can_be() -> None:
    """Nothing, all, torn inside a sector, sectors in any order; other bytes are not touched."""
    found = {
        cut.files["file"] for cut in _cuts([*SYNCED, DiskCall("write", "file", 0, b"b" * 1_500)])
    }
    assert {b"a" * 2_000, b"b" * 1_500 + b"a" * 500} <= found
    assert any(content[:512] == b"a" * 512 and b"b" in content for content in found)
    assert any(content.count(b"b") % 512 not in {0, 1_500 % 512} for content in found)
    assert {content[1_500:] for content in found} == {b"a" * 500}


def test_names_that_were_not_synced_may_be_there_or_not() -> None:
    """New files may be missing, deleted ones may come back."""
    calls = [*SYNCED, DiskCall("delete", "file"), DiskCall("create", "other")]
    found = {frozenset(cut.files) for cut in _cuts(calls)}
    assert found == {frozenset({"file"}), frozenset(), frozenset({"other"})}


def test_a_cut_file_may_be_long_or_short() -> None:
    """Truncation is one of the calls that may be lost; growing fills with zeros."""
    found = {
        len(cut.files["file"])
        for cut in _cuts(
            [*SYNCED, DiskCall("truncate", "file", 10), DiskCall("truncate", "file", 90)]
        )
    }
    assert {2_000, 10, 90} <= found
    grown = {cut.files["file"] for cut in _cuts([*SYNCED, DiskCall("truncate", "file", 2_010)])}
    assert grown == {b"a" * 2_000, b"a" * 2_000 + bytes(10)}


def test_a_write_behind_the_end_leaves_zeros() -> None:
    """As a hole does."""
    calls = [*SYNCED, DiskCall("write", "file", 2_100, b"z"), DiskCall("sync", "file")]
    assert _cuts(calls, 1)[0].files["file"] == b"a" * 2_000 + bytes(100) + b"z"


def test_cuts_know_the_marks_before_them_and_repeat_with_their_seed() -> None:
    """Moments come in order."""
    log = DiskLog()
    for number, call in enumerate(SYNCED):
        log.note(call)
        log.mark(f"m{number}")
    once, again = (list(cut_power(log.calls, 50, random.Random(3))) for _ in range(2))
    assert once == again
    assert [cut.at for cut in once] == sorted(cut.at for cut in once)
    for cut in once:
        assert cut.marks == tuple(f"m{number}" for number in range(cut.at // 2))


def test_a_cut_can_be_written_to_a_folder(tmp_path: Path) -> None:
    """As files with their content."""
    _cuts(SYNCED, 1)[0].write_to(tmp_path)
    assert tmp_path.joinpath("file").read_bytes() == b"a" * 2_000
