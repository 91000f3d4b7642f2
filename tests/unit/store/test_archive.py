"""Archives: what is written comes back, and nothing else is believed."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard

from recollect.core.errors import Denied, InvalidInput, RecollectError, StoreCorrupt, StoreError
from recollect.store.archive import Member, check_archive, file_member, open_archive, pack

HEAD = b'{"format": "test"}'
LONG = "memory/" + "ä" * 100 + "/" + "b" * 150 + ".md"
FILES = {"records.db": bytes(range(256)) * 5_000, "empty": b"", LONG: b"said"}


def _member(name: str, content: bytes) -> Member:
    return Member(name=name, size=len(content), content=[content])


def _write(path: Path, files: dict[str, bytes]) -> Path:
    path.write_bytes(b"".join(pack(HEAD, [_member(*item) for item in files.items()])))
    return path


def _read(path: Path, limit: int = 1 << 30) -> dict[str, bytes]:
    with open_archive(path, limit=lambda _: limit) as archive:
        assert archive.head == HEAD
        return {member.name: b"".join(member.content) for member in archive.members()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An archive."""
    return _write(tmp_path / "home.tar.zst", FILES)


def test_what_is_packed_is_read_again(path: Path) -> None:
    """Whatever its name and size; a reader may pass over a content."""
    assert _read(path) == FILES
    check_archive(path)


def test_common_tools_open_it_and_check_its_sums(path: Path, tmp_path: Path) -> None:
    """Where recollect is gone its backups are not."""
    with zstandard.open(path) as stream:
        tar = tarfile.open(fileobj=io.BytesIO(stream.read()))  # noqa: SIM115
    tar.extractall(tmp_path / "out", filter="data")
    command = ["sha256sum", "--check", "--quiet", "checksums.txt"]
    completed = subprocess.run(command, cwd=tmp_path / "out", capture_output=True, check=False)
    assert (completed.returncode, completed.stdout) == (0, b"")


def test_an_archive_that_was_cut_or_changed_is_refused(path: Path) -> None:
    """At every hundredth place; only the sum of the frame itself may be missing."""
    whole = path.read_bytes()
    size = len(whole)
    for offset in [*range(0, size, max(1, size // 100)), size - 5]:
        if offset < size - 8:
            path.write_bytes(whole[:offset])
            with pytest.raises((StoreCorrupt, InvalidInput)):
                check_archive(path)
        changed = bytearray(whole)
        changed[offset] ^= 0x40
        path.write_bytes(changed)
        with pytest.raises((StoreCorrupt, InvalidInput)):
            check_archive(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 a zip", b"(\xb5/\xfd"])
def test_another_file_is_no_archive(tmp_path: Path, content: bytes) -> None:
    """Empty, of another program, or its first bytes only."""
    other = tmp_path / "other"
    other.write_bytes(content)
    with pytest.raises((InvalidInput, StoreCorrupt)) as caught:
        check_archive(other)
    assert caught.value.hint
    with pytest.raises(StoreError):
        check_archive(tmp_path / "missing")


def _forged(path: Path, *members: tuple[tarfile.TarInfo, bytes], sums: bytes = b"") -> Path:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member, content in (_info("backup.json", HEAD), *members, _info("checksums.txt", sums)):
            tar.addfile(member, io.BytesIO(content))
    path.write_bytes(zstandard.compress(stream.getvalue()))
    return path


def _info(
    name: str, content: bytes, kind: bytes = tarfile.REGTYPE
) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.size, member.type, member.linkname = len(content), kind, "/etc/passwd"
    return member, content


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE],
    ids=["symlink", "hard link", "pipe", "device", "folder"],
)
def test_only_files_are_taken(tmp_path: Path, kind: bytes) -> None:
    """A link could be written through."""
    with pytest.raises(Denied):
        _read(_forged(tmp_path / "forged", _info("token", b"", kind)))


def test_a_sparse_file_is_not_taken(tmp_path: Path) -> None:
    """A few bytes would become as many as they say."""
    member, content = _info("records.db", b"1\n0\n1\n" + bytes(506) + b"x")
    member.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "records.db",
        "GNU.sparse.realsize": str(1 << 40),
    }
    with pytest.raises((Denied, StoreCorrupt)):
        _read(_forged(tmp_path / "forged", (member, content)))


def test_sums_that_are_not_those_of_the_files_are_refused(tmp_path: Path) -> None:
    """The frame of zstd is sound here."""
    with pytest.raises(StoreCorrupt):
        _read(_forged(tmp_path / "forged", _info("token", b"x"), sums=b"00  token\n"))


def _with_long_header(path: Path) -> Path:
    member, content = _info("token", b"x")
    member.pax_headers = {"comment": "x" * 200_000}
    return _forged(path, (member, content))


def _without_head(path: Path) -> Path:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        tar.addfile(_info("token", b"")[0])
    path.write_bytes(zstandard.compress(stream.getvalue()))
    return path


def _of_no_members(path: Path) -> Path:
    path.write_bytes(zstandard.compress(bytes(10_240)))
    return path


def _after_the_sums(path: Path) -> Path:
    return _forged(path, _info("checksums.txt", b""), _info("token", b"x"))


def _with_another_encoding(path: Path) -> Path:
    return _forged(path, _info("workspace/memory/caf\udce9.md", b"x"))


@pytest.mark.parametrize(
    "forge",
    [
        _with_long_header,
        _without_head,
        _of_no_members,
        _after_the_sums,
        _with_another_encoding,
    ],
)
def test_what_we_would_not_write_is_refused(tmp_path: Path, forge: Callable[[Path], Path]) -> None:
    """Headers that fill the memory, no head, members after the last one, other names."""
    with pytest.raises((StoreCorrupt, InvalidInput)):
        _read(forge(tmp_path / "forged"))


def test_no_more_is_unpacked_than_was_promised(tmp_path: Path) -> None:
    """A bomb of 64 MiB in some kilobytes; many empty files count too."""
    bomb = _write(tmp_path / "bomb", {"records.db": bytes(1 << 26)})
    assert bomb.stat().st_size < 20_000
    with pytest.raises(StoreError) as caught:
        _read(bomb, limit=1 << 20)
    assert "fits" in caught.value.message
    many = _write(tmp_path / "many", {f"transcripts/{n}": b"" for n in range(1_000)})
    with pytest.raises(StoreError):
        _read(many, limit=1 << 20)


def test_a_file_that_gets_shorter_while_it_is_read_is_told(tmp_path: Path) -> None:
    """One that grows is taken as long as it was."""
    source = tmp_path / "grows"
    source.write_bytes(b"said")
    member = file_member("grows", source.open("rb"))
    source.write_bytes(b"said and more")
    assert b"".join(member.content) == b"said"
    member = file_member("grows", source.open("rb"))
    source.write_bytes(b"")
    with pytest.raises(RecollectError) as caught:
        b"".join(pack(HEAD, [member]))
    assert "shorter" in caught.value.message


def test_how_far_it_is_read_is_told(path: Path) -> None:
    """In bytes of the file, up to all of them."""
    reports: list[tuple[int, int]] = []
    check_archive(path, lambda done, total: reports.append((done, total)))
    assert reports[-1][0] == reports[-1][1] == path.stat().st_size


def test_a_reader_that_passes_over_a_content_still_checks_it(path: Path) -> None:
    """As who only lists it does."""

    def names() -> Iterator[str]:
        with open_archive(path, limit=lambda _: 1 << 30) as archive:
            for member in archive.members():
                yield member.name

    assert list(names()) == list(FILES)
