"""Blobs: stored once, checked when read."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import InvalidInput, NotFound, StoreCorrupt, StoreError
from recollect.store.blobs import Blobs

DIGEST = hashlib.sha256(b"hello").hexdigest()


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    """An empty store of blobs."""
    return Blobs(tmp_path / "blobs")


def test_content_comes_back_by_its_digest(blobs: Blobs, tmp_path: Path) -> None:
    """It lies under its name, private; twice is once."""
    assert not blobs.has(DIGEST)
    assert [blobs.put(b"hello"), blobs.put(b"hello")] == [DIGEST, DIGEST]
    assert blobs.get(DIGEST) == b"hello"
    assert blobs.has(DIGEST)
    path = tmp_path / "blobs" / DIGEST[:2] / DIGEST[2:]
    assert path.stat().st_mode & 0o777 == 0o600
    assert [item for item in (tmp_path / "blobs").rglob("*") if item.is_file()] == [path]


def test_damage_is_noticed_and_healed(blobs: Blobs, tmp_path: Path) -> None:
    """Reading refuses; putting the same content again writes it anew."""
    blobs.put(b"hello")
    (tmp_path / "blobs" / DIGEST[:2] / DIGEST[2:]).write_bytes(b"hellO")
    with pytest.raises(StoreCorrupt):
        blobs.get(DIGEST)
    blobs.put(b"hello")
    assert blobs.get(DIGEST) == b"hello"


def test_a_removed_blob_is_gone(blobs: Blobs) -> None:
    """For good."""
    blobs.put(b"hello")
    assert [blobs.remove(DIGEST), blobs.remove(DIGEST)] == [True, False]
    with pytest.raises(NotFound):
        blobs.get(DIGEST)


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", DIGEST.upper(), DIGEST[:-1], "x" * 64])
def test_only_a_digest_names_a_blob(blobs: Blobs, digest: str) -> None:
    """Anything else could be a path."""
    for use in (blobs.get, blobs.has, blobs.remove):
        with pytest.raises(InvalidInput):
            use(digest)


def test_what_killed_writers_left_is_swept(blobs: Blobs, tmp_path: Path) -> None:
    """After an hour."""
    blobs.put(b"hello")
    draft = tmp_path / "blobs" / DIGEST[:2] / ".x.0011223344556677.part"
    draft.touch()
    assert blobs.sweep(SystemClock()) == 0
    os.utime(draft, (0, 0))
    assert blobs.sweep(SystemClock()) == 1
    assert blobs.get(DIGEST) == b"hello"


def test_errors_of_the_disk_are_ours(
    blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading, removing, and syncing the folder."""
    folder = tmp_path / "blobs" / DIGEST[:2] / DIGEST[2:]
    folder.mkdir(parents=True)
    with pytest.raises(StoreError):
        blobs.get(DIGEST)
    with pytest.raises(StoreError):
        blobs.remove(DIGEST)
    folder.rmdir()
    blobs.put(b"hello")

    def broken(_descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(StoreError):
        blobs.put(b"hello")
