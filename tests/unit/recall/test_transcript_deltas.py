"""What is new in a transcript: bytes and lines, counted as OpenClaw counts them."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recollect.core.settings import TranscriptDeltaSettings
from recollect.recall.followed import BLOCK_BYTES, TranscriptDeltas, count_lines


def _deltas(most_bytes: int, lines: int) -> TranscriptDeltas:
    return TranscriptDeltas(TranscriptDeltaSettings(delta_bytes=most_bytes, delta_messages=lines))


def _append(path: Path, content: bytes) -> str:
    with path.open("ab") as file:
        file.write(content)
    return str(path)


def test_enough_bytes_or_enough_lines_are_enough(tmp_path: Path) -> None:
    """Little by little; the defaults are 100,000 bytes and 50 lines."""
    by_bytes, by_lines = _deltas(100, 1_000), _deltas(100_000, 3)
    path = _append(tmp_path / "a", b"x" * 60)
    assert not by_bytes.look(path)
    assert by_bytes.look(_append(tmp_path / "a", b"x" * 60))
    path = _append(tmp_path / "b", b"\n\n")
    assert not by_lines.look(path)
    assert not by_lines.look(path)
    assert by_lines.look(_append(tmp_path / "b", b"\n"))


def test_what_is_above_a_threshold_is_kept_for_the_next_time(tmp_path: Path) -> None:
    """The counters are reduced by the threshold, not set to nothing."""
    deltas = _deltas(100, 1_000)
    path = _append(tmp_path / "a", b"x" * 190)
    assert deltas.look(path)
    assert not deltas.look(path)
    assert deltas.look(_append(tmp_path / "a", b"x" * 10))


def test_files_are_counted_apart(tmp_path: Path) -> None:
    """Two files that are half new are not one that is new."""
    deltas = _deltas(100, 1_000)
    assert not deltas.look(_append(tmp_path / "a", b"x" * 60))
    assert not deltas.look(_append(tmp_path / "b", b"x" * 60))


def test_a_file_that_shrank_counts_as_a_whole(tmp_path: Path) -> None:
    """It was written anew."""
    deltas = _deltas(100, 1_000)
    path = _append(tmp_path / "a", b"x" * 99)
    assert not deltas.look(path)
    Path(path).write_bytes(b"y" * 50)
    assert deltas.look(path)


def test_a_file_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    """And counts as a whole when it comes back."""
    deltas = _deltas(100, 1_000)
    path = _append(tmp_path / "a", b"x" * 60)
    deltas.look(path)
    Path(path).unlink()
    assert not deltas.look(path)
    assert not deltas.look(_append(tmp_path / "a", b"x" * 99))


def test_without_a_threshold_anything_new_is_enough(tmp_path: Path) -> None:
    """0 is reached by the first byte, and by the first line."""
    assert _deltas(0, 1_000).look(_append(tmp_path / "a", b"x"))
    deltas = _deltas(100_000, 0)
    assert not deltas.look(_append(tmp_path / "b", b"x"))
    assert deltas.look(_append(tmp_path / "b", b"\n"))
    assert not deltas.look(str(tmp_path / "b"))


@given(st.lists(st.integers(0, 3 * BLOCK_BYTES), max_size=4), st.integers(0, BLOCK_BYTES))
def test_lines_are_counted_across_blocks(
    tmp_path_factory: object, lengths: list[int], start: int
) -> None:
    """Wherever the line feeds stand."""
    content = b"\n".join(b"x" * length for length in lengths)
    path = Path(str(tmp_path_factory.getbasetemp())) / "lines"  # type: ignore[attr-defined]  # a fixture of pytest
    path.write_bytes(content)
    assert count_lines(str(path), start, len(content)) == content[start:].count(b"\n")


def test_a_file_that_cannot_be_read_has_no_lines(tmp_path: Path) -> None:
    """The next look comes."""
    assert count_lines(str(tmp_path / "none"), 0, 10) == 0
