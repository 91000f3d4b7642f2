"""Finding the data folder, and reading its files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from benchmarks.datasets.data import data_file, digest, find_data, read_plain
from recollect.core.errors import InvalidInput, NotFound


def test_explicit_folder_wins(data_folder: Path) -> None:
    """It is not searched for anything."""
    assert find_data(data_folder, beside=()) == data_folder


def test_explicit_folder_must_exist(tmp_path: Path) -> None:
    """A typing mistake is not answered with other data."""
    with pytest.raises(NotFound) as missing:
        find_data(tmp_path / "nowhere")
    assert "RECOLLECT_BENCH_DATA" in missing.value.hint


def test_folder_beside_the_checkout_is_found(data_folder: Path, tmp_path: Path) -> None:
    """A sibling of the checkout, under either name."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    assert find_data(beside=(checkout,)) == data_folder

    data_folder.rename(tmp_path / "moved")
    (tmp_path / "shared" / "bench").mkdir(parents=True)
    assert find_data(beside=(tmp_path / "elsewhere" / "x", checkout)) == tmp_path / "shared/bench"


def test_no_folder_anywhere_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """Nothing beside an empty folder."""
    with pytest.raises(NotFound) as missing:
        find_data(beside=(tmp_path / "a" / "b",))
    assert "--data" in missing.value.hint


def test_search_begins_at_the_checkout_and_the_current_folder(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current folder counts when the package is installed elsewhere."""
    inside = tmp_path / "project"
    inside.mkdir()
    monkeypatch.chdir(inside)

    assert find_data().is_dir()


def test_packed_and_plain_files_read_alike(tmp_path: Path) -> None:
    """The suffix decides."""
    (tmp_path / "a.json").write_bytes(b"[1]")
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b"[1]"))

    assert read_plain(tmp_path / "a.json") == read_plain(tmp_path / "a.json.gz") == b"[1]"


def test_truncated_gzip_is_refused(tmp_path: Path) -> None:
    """A download that was cut off."""
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b"x" * 1000)[:-9])

    with pytest.raises(InvalidInput):
        read_plain(path)


def test_missing_file_is_named_from_the_folder(tmp_path: Path) -> None:
    """Not by the machine's path."""
    with pytest.raises(NotFound, match=r"has no beam/100K/01\.json"):
        data_file(tmp_path, "beam", "100K", "01.json")


def test_digest_depends_on_every_part() -> None:
    """And on their order."""
    assert len({digest(b"a", b"b"), digest(b"b", b"a"), digest(b"a"), digest(b"a", b"c")}) == 4
