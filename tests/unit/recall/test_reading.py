"""Reading memory files: ranges, limits, where to go on, and which paths may be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import Denied, InvalidInput
from recollect.workspace.extra_paths import ExtraPath
from recollect.workspace.memory_folder import MemoryFolder
from recollect.workspace.reading import MOST_READ_LINES, Extent, MemoryReader, ReadResult, lines_of


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The fixture of the original's cases: a curated file, notes, a link, others."""
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# m", encoding="utf-8")
    (folder / "AGENTS.md").write_text("# a", encoding="utf-8")
    (folder / "memory" / "notes.txt").write_text("t", encoding="utf-8")
    (folder / "memory" / "a.md").write_text("a", encoding="utf-8")
    (folder / "memory" / "link.md").symlink_to(folder / "memory" / "a.md")
    return folder


@pytest.fixture
def extra(tmp_path: Path) -> Path:
    """A folder of more notes."""
    folder = tmp_path / "extra"
    folder.mkdir()
    (folder / "more.md").write_text("more", encoding="utf-8")
    return folder


@pytest.fixture
def reading(workspace: Path, extra: Path) -> MemoryReader:
    """Reads both."""
    files = MemoryFolder(workspace, [ExtraPath(path=extra)], redactor=None)
    return MemoryReader(files, workspace, [extra])


def _read(reading: MemoryReader, path: str, **extent: int) -> ReadResult:
    return reading.read(path, Extent(**extent))


def test_an_extra_path_inside_the_workspace_is_read_by_both_names(workspace: Path) -> None:
    """It is shown by the relative one, as OpenClaw shows it."""
    (workspace / "docs").mkdir()
    (workspace / "docs" / "b.md").write_text("b", encoding="utf-8")
    (workspace / "one.md").write_text("one", encoding="utf-8")
    extra = [workspace / "docs", workspace / "one.md"]
    files = MemoryFolder(workspace, [ExtraPath(path=each) for each in extra], redactor=None)
    listed = [file.ref for file in files.listing().files]
    assert listed == ["MEMORY.md", "docs/b.md", "memory/a.md", "one.md"]
    reading = MemoryReader(files, workspace, extra)
    for name in ("docs/b.md", "one.md"):
        for path in (name, str(workspace / name)):
            assert (_read(reading, path).path, _read(reading, path).status) == (name, "ok")
    assert _read(reading, "docs/never.md").status == "not_found"
    for path in ("AGENTS.md", str(workspace / "AGENTS.md")):
        with pytest.raises(Denied):
            reading.read(path, Extent())
    whole = MemoryFolder(workspace, [ExtraPath(path=workspace)], redactor=None)
    reading = MemoryReader(whole, workspace, [workspace])
    assert _read(reading, "AGENTS.md").text == "# a"
    with pytest.raises(Denied):
        reading.read("/elsewhere/a.md", Extent())


def test_the_diary_of_dreams_is_read_and_not_listed(workspace: Path, reading: MemoryReader) -> None:
    """As in OpenClaw 2026.9: who asks for it gets it, no search does."""
    assert _read(reading, "DREAMS.md").status == "not_found"
    (workspace / "DREAMS.md").write_text("I dreamt.", encoding="utf-8")
    assert _read(reading, "DREAMS.md").text == "I dreamt."
    assert _read(reading, str(workspace / "DREAMS.md")).path == "DREAMS.md"
    (workspace / "dreams.md").symlink_to(workspace / "AGENTS.md")
    with pytest.raises(Denied):
        reading.read("dreams.md", Extent())


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../etc/passwd", "leaves"),
        ("memory/../AGENTS.md", "leaves"),
        ("memory/notes.txt", "Markdown"),
        ("memory/link.md", "link"),
    ],
)
def test_the_original_s_refusals_are_refused(
    reading: MemoryReader, path: str, message: str
) -> None:
    """Four of its five cases; intended difference: an error of our tree instead of a code."""
    with pytest.raises(Denied) as caught:
        _read(reading, path)
    assert message in caught.value.message
    assert caught.value.hint


def test_the_original_s_absolute_path_is_read(reading: MemoryReader, workspace: Path) -> None:
    """Its fifth case; intended difference: we count lines and say where to go on."""
    found = _read(reading, f"{workspace}/MEMORY.md")
    assert (found.status, found.text, found.path) == ("ok", "# m", "MEMORY.md")


@pytest.mark.parametrize("path", ["./memory/a.md", "memory//a.md", "memory/./a.md", "memory/a.md"])
def test_a_path_is_brought_into_its_one_form(reading: MemoryReader, path: str) -> None:
    """The one that hits name."""
    assert _read(reading, path).path == "memory/a.md"


@pytest.mark.parametrize("path", ["memory/none.md", "MEMORY2.md", "memory/a/b/c.md"])
def test_what_nobody_has_written_is_a_clean_answer(reading: MemoryReader, path: str) -> None:
    """A name in the folder of the notes can be missing; one elsewhere cannot be a memory file."""
    if not path.startswith("memory/"):
        with pytest.raises(Denied):
            _read(reading, path)
        return
    found = _read(reading, path)
    assert (found.status, found.text, found.lines, found.total_lines) == ("not_found", "", 0, 0)


def test_extra_paths_are_read_by_their_absolute_names(reading: MemoryReader, extra: Path) -> None:
    """And only what is below them."""
    assert _read(reading, str(extra / "more.md")).text == "more"
    assert _read(reading, str(extra / "none.md")).status == "not_found"
    with pytest.raises(Denied):
        _read(reading, str(extra.parent / "other.md"))


def test_an_extra_file_is_read_alone(tmp_path: Path, extra: Path) -> None:
    """Its neighbours are not."""
    one = extra / "more.md"
    (extra / "less.md").write_text("less", encoding="utf-8")
    files = MemoryFolder(None, [ExtraPath(path=one)], redactor=None)
    alone = MemoryReader(files, None, [one])
    assert _read(alone, str(one)).text == "more"
    for path in (str(extra / "less.md"), "memory/a.md", str(tmp_path / "x.md")):
        with pytest.raises(Denied):
            _read(alone, path)


def test_a_hard_link_is_refused(reading: MemoryReader, workspace: Path) -> None:
    """It could be a file from elsewhere."""
    os.link(workspace / "memory" / "a.md", workspace / "memory" / "hard.md")
    with pytest.raises(Denied):
        _read(reading, "memory/hard.md")


def test_a_linked_folder_is_refused(reading: MemoryReader, workspace: Path, extra: Path) -> None:
    """It leads out of the workspace."""
    (workspace / "memory" / "out").symlink_to(extra)
    with pytest.raises(Denied):
        _read(reading, "memory/out/more.md")


@pytest.mark.parametrize("path", ["", "memory/a\0.md", "memory/\udce9.md"])
def test_what_is_no_path_is_bad_input(reading: MemoryReader, path: str) -> None:
    """Nothing could have that name."""
    with pytest.raises(InvalidInput):
        _read(reading, path)


@pytest.mark.parametrize("extent", [{"from_line": 0}, {"lines": 0}, {"max_chars": 0}])
def test_numbers_begin_at_one(reading: MemoryReader, extent: dict[str, int]) -> None:
    """Lines, and characters."""
    with pytest.raises(InvalidInput):
        _read(reading, "MEMORY.md", **extent)


def _long(workspace: Path, *lines: str) -> None:
    (workspace / "memory" / "long.md").write_text("\n".join(lines), encoding="utf-8")


def test_a_read_without_numbers_ends_after_120_lines(
    reading: MemoryReader, workspace: Path
) -> None:
    """And says where to go on; the last piece says that there is no more."""
    _long(workspace, *(f"line {number}" for number in range(1, 251)), "")
    first = _read(reading, "memory/long.md")
    assert (first.lines, first.total_lines) == (MOST_READ_LINES, 250)
    assert (first.truncated, first.next_from) == (True, 121)
    last = _read(reading, "memory/long.md", from_line=241)
    assert (last.lines, last.truncated, last.next_from) == (10, False, None)


def test_a_read_ends_after_so_many_characters(reading: MemoryReader, workspace: Path) -> None:
    """With a whole line; only a first line that is too long is cut."""
    _long(workspace, "x" * 30, "y" * 30, "z" * 100)
    found = _read(reading, "memory/long.md", max_chars=61)
    assert (found.text, found.next_from) == ("x" * 30 + "\n" + "y" * 30, 3)
    assert _read(reading, "memory/long.md", max_chars=60).lines == 1
    cut = _read(reading, "memory/long.md", from_line=3, max_chars=60)
    assert (cut.text, cut.truncated, cut.next_from) == ("z" * 60, True, None)


def test_behind_the_end_there_is_no_text(reading: MemoryReader) -> None:
    """That is no error: the file may have become shorter."""
    found = _read(reading, "MEMORY.md", from_line=5)
    assert (found.status, found.text, found.lines, found.truncated) == ("ok", "", 0, False)


@given(
    content=st.text(alphabet="ab\n\r\x0c", max_size=60),
    lines=st.integers(1, 5),
    max_chars=st.integers(5, 20),
)
def test_pieces_together_are_the_whole(
    tmp_path_factory: pytest.TempPathFactory, content: str, lines: int, max_chars: int
) -> None:
    """Whatever the limits, as long as no line is longer than them."""
    workspace = tmp_path_factory.mktemp("pieces")
    (workspace / "MEMORY.md").write_bytes(content.encode())
    files = MemoryFolder(workspace, redactor=None)
    reading = MemoryReader(files, workspace)
    every, at = [], 1
    while True:
        found = reading.read("MEMORY.md", Extent(from_line=at, lines=lines, max_chars=max_chars))
        every += found.text.split("\n") if found.lines else []
        if found.next_from is None:
            break
        at = found.next_from
    whole = lines_of(content)
    if all(len(line) <= max_chars for line in whole):
        assert every == whole
    assert found.total_lines == len(whole)
