"""Files that survive: whole ones, lines, private folders."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.core.clock import SystemClock
from recollect.core.errors import Conflict, Denied, StoreError, StoreFull
from recollect.store import files
from recollect.store.files import (
    append_lines,
    exchange,
    private_folder,
    read_lines,
    set_torn_tail_aside,
    sweep_drafts,
    write_file,
)


class LaterClock:
    """Three hours later."""

    def now_ms(self) -> int:
        """Return the time."""
        return SystemClock().now_ms() + 3 * 3_600_000


def test_a_new_folder_is_private_with_its_parents(tmp_path: Path) -> None:
    """Whatever the umask."""
    before = os.umask(0)
    try:
        folder = private_folder(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_an_empty_folder_of_ours_is_closed_to_others(tmp_path: Path) -> None:
    """Such as one made by hand for this."""
    tmp_path.joinpath("home").mkdir(mode=0o755)
    assert private_folder(tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_used_keeps_what_it_shows(tmp_path: Path) -> None:
    """What a user shares on purpose stays shared."""
    home = tmp_path / "home"
    home.mkdir()
    home.joinpath("theirs").touch()
    home.chmod(0o755)
    assert private_folder(home).stat().st_mode & 0o777 == 0o755


def test_a_folder_that_others_can_write_is_refused(tmp_path: Path) -> None:
    """Anybody could replace the database."""
    home = tmp_path / "home"
    home.mkdir()
    home.joinpath("theirs").touch()
    home.chmod(0o777)
    with pytest.raises(Denied, match="others can write") as caught:
        private_folder(home)
    assert "chmod" in caught.value.hint


def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for an administrator: the files would belong to the wrong user."""
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(Denied, match="another user"):
        private_folder(tmp_path)


def test_a_file_in_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    """Of ours."""
    tmp_path.joinpath("home").touch()
    with pytest.raises(StoreError):
        private_folder(tmp_path / "home")


def test_a_whole_file_is_replaced(tmp_path: Path) -> None:
    """It is private, and nothing else is left behind."""
    path = tmp_path / "file"
    write_file(path, b"old")
    write_file(path, b"x" * 3_000_000)
    assert path.read_bytes() == b"x" * 3_000_000
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is noticed before the old file is touched."""
    path = tmp_path / "file"
    write_file(path, b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreFull):
            write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_appears_while_another_is_written_is_kept(tmp_path: Path) -> None:
    """A new file never takes the place of one that came first."""
    path = tmp_path / "file"

    def parts() -> Iterator[bytes]:
        yield b"mine"
        path.write_bytes(b"theirs")

    with pytest.raises(Conflict):
        write_file(path, parts(), replace=False)
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_where_fsync_is_not_enough_the_full_sync_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS; here with a command that every system knows."""

    def never(_descriptor: int) -> None:
        raise AssertionError("a plain fsync")

    monkeypatch.setattr(files, "_FULL_SYNC", fcntl.F_GETFD)
    monkeypatch.setattr(os, "fsync", never)
    write_file(tmp_path / "file", b"content")
    assert (tmp_path / "file").read_bytes() == b"content"


def test_old_drafts_are_swept(tmp_path: Path) -> None:
    """Those of killed writers; young ones may belong to a living one."""
    (tmp_path / ".file.0011223344556677.part").touch()
    (tmp_path / "file").touch()
    assert sweep_drafts(tmp_path, SystemClock()) == 0
    assert sweep_drafts(tmp_path, LaterClock()) == 1
    assert [item.name for item in tmp_path.iterdir()] == ["file"]


@settings(deadline=None)
@given(
    st.lists(st.lists(st.binary(max_size=50).filter(lambda line: b"\n" not in line), max_size=5))
)
def test_lines_come_back_as_they_were_appended(groups: list[list[bytes]]) -> None:
    """In order, whatever they hold."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.jsonl"
        path.touch()
        assert [append_lines(path, group, durable=False) for group in groups] == [0] * len(groups)
        assert list(read_lines(path)) == [line for group in groups for line in group]


def test_a_line_with_a_newline_is_refused(tmp_path: Path) -> None:
    """It would be two."""
    with pytest.raises(ValueError, match="newline"):
        append_lines(tmp_path / "lines.jsonl", [b"a\nb"])


def test_a_torn_tail_is_set_aside(tmp_path: Path) -> None:
    """Also one longer than what is read at once, and also when there is no whole line at all."""
    path = tmp_path / "lines.jsonl"
    append_lines(path, [b"whole"])
    assert path.stat().st_mode & 0o777 == 0o600
    for tail in (b"torn", b"x" * 200_000):
        with path.open("ab") as stream:
            stream.write(tail)
        assert list(read_lines(path)) == [b"whole"]
        assert set_torn_tail_aside(path) == len(tail)
        assert set_torn_tail_aside(path) == 0
    torn = tmp_path / "lines.jsonl.torn"
    assert torn.read_bytes() == b"torn\n" + b"x" * 200_000 + b"\n"
    assert torn.stat().st_mode & 0o777 == 0o600
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"never finished")
    assert append_lines(other, [b"first"]) == 14
    assert list(read_lines(other)) == [b"first"]


def test_lines_are_not_written_through_a_link(tmp_path: Path) -> None:
    """It could lead anywhere."""
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(StoreError):
        append_lines(tmp_path / "link", [b"a"])
    assert not (tmp_path / "target").exists()


def test_a_short_write_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines are there, or none."""
    path = tmp_path / "lines.jsonl"
    append_lines(path, [b"first"])
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, content: write(fd, content[:3]))
        with pytest.raises(StoreFull):
            append_lines(path, [b"second", b"third"])
    assert path.read_bytes() == b"first\n"


def test_files_that_are_missing_are_errors_of_ours(tmp_path: Path) -> None:
    """With a hint."""
    with pytest.raises(StoreError) as caught:
        list(read_lines(tmp_path / "missing"))
    assert caught.value.hint
    with pytest.raises(StoreError):
        set_torn_tail_aside(tmp_path / "missing")


@pytest.mark.parametrize(
    "library",
    [
        None,
        SimpleNamespace(no="such call"),
        SimpleNamespace(renameat2=lambda *_: -1),
        SimpleNamespace(renamex_np=lambda *_: -1),
    ],
    ids=["this system", "neither call", "Linux without it", "macOS without it"],
)
def test_two_folders_change_places(tmp_path: Path, library: object) -> None:
    """In one step where the system can; with all that is in them."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "says").write_text(name, "utf-8")
    exchange(tmp_path / "one", tmp_path / "other", library)
    assert (tmp_path / "one" / "says").read_text("utf-8") == "other"
    assert (tmp_path / "other" / "says").read_text("utf-8") == "one"
    assert len(list(tmp_path.iterdir())) == 2


def test_folders_that_cannot_change_places_keep_their_names(tmp_path: Path) -> None:
    """Also where it takes several steps: a mount point, or one that has gone."""
    (tmp_path / "other").mkdir()
    with pytest.raises(OSError, match="one"):
        exchange(tmp_path / "one", tmp_path / "other", SimpleNamespace(no="such call"))
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_a_file_that_fails_its_check_is_not_kept(tmp_path: Path) -> None:
    """It never had its name."""

    def fail(draft: Path) -> None:
        assert draft.read_bytes() == b"new"
        raise StoreError("not what was written")

    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(StoreError):
        write_file(tmp_path / "file", b"new", check=fail)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_drafts_of_one_name_are_swept_alone(tmp_path: Path) -> None:
    """In a folder that is not ours."""
    for name in (".mine.tar.01.part", ".other.part"):
        (tmp_path / name).write_text("left", "utf-8")
        os.utime(tmp_path / name, (0, 0))
    assert sweep_drafts(tmp_path, SystemClock(), name="mine.tar.*") == 1
    assert [path.name for path in tmp_path.iterdir()] == [".other.part"]


def test_a_name_that_is_too_long_is_said_to_be_so(tmp_path: Path) -> None:
    """Before anything is written; one of 255 bytes is no reason, in any script."""
    calls: list[object] = []
    for replace in (True, False):
        with pytest.raises(StoreError, match="name is too long") as caught:
            write_file(tmp_path / ("x" * 256), b"new", replace=replace, check=calls.append)
        assert "255 bytes" in caught.value.hint
    assert (calls, list(tmp_path.iterdir())) == ([], [])
    assert write_file(tmp_path / ("é" * 127), b"new") == 3
