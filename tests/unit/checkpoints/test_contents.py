"""Contents: what is kept comes back byte for byte, or not at all."""

from __future__ import annotations

import hashlib
import os

import pytest

from recollect.core.errors import NotFound, StoreCorrupt
from tests.unit.checkpoints.conftest import Project


def _edits(count: int) -> list[bytes]:
    names = [hashlib.sha256(b"%d" % number).hexdigest()[:20] for number in range(2_000)]
    lines = [f"{name} = compute({name[::-1]})\n".encode() for name in names]
    contents = []
    for edit in range(count):
        lines[edit * 37 % 2_000] = f"changed_{edit} = True\n".encode()
        contents.append(b"".join(lines))
    return contents


def test_edits_of_a_file_take_little_room(project: Project) -> None:
    """Each is stored as its differences, and is read whole."""
    digests: list[str] = []
    for content in _edits(40):
        digest = hashlib.sha256(content).hexdigest()
        bases = {digest: digests[-1]} if digests else {}
        digests += project.contents.put([content], bases)
    assert [project.contents.get(each) for each in digests] == _edits(40)
    usage = project.contents.usage()
    assert (usage.contents, usage.size) == (40, sum(map(len, _edits(40))))
    assert usage.stored < usage.size / 20


def test_a_sweep_takes_only_what_nothing_needs(project: Project) -> None:
    """Neither what another one differs from, nor what is new."""
    one, other, last = _edits(3)
    digests = project.contents.put([one])
    bases = {hashlib.sha256(each).hexdigest(): digests[0] for each in (other, last)}
    digests += project.contents.put([other, last], bases)
    needed = [digests[1]]
    assert project.contents.sweep(needed, older_than=0) == 0
    assert project.contents.sweep(needed, older_than=2**60, dry_run=True) == 1
    assert project.contents.sweep(needed, older_than=2**60) == 1
    assert project.contents.get(digests[1]) == other
    assert project.contents.usage().contents == 2


@pytest.mark.parametrize("content", [b"", b"short", os.urandom(100_000), bytes(100_000)])
def test_any_content_comes_back(project: Project, content: bytes) -> None:
    """Empty, short, random or repeated; twice is once."""
    (digest,) = project.contents.put([content])
    assert project.contents.put([content]) == [digest]
    assert project.contents.get(digest) == content


def test_what_is_not_kept_is_not_found(project: Project) -> None:
    """Also for somebody who guesses a digest."""
    with pytest.raises(NotFound):
        project.contents.get("ab" * 32)


def test_a_damaged_content_is_never_given_out(project: Project) -> None:
    """Whatever form it is stored in."""
    (first,) = project.contents.put([b"line of a file\n" * 100])
    project.contents.database.write(
        lambda tx: tx.execute("UPDATE contents SET stored = zeroblob(20)")
    )
    with pytest.raises(StoreCorrupt):
        project.contents.get(first)
