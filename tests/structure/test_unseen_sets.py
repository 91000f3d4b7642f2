"""Sets that were written before the rules which they measure: nobody changes them afterwards."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

FOLDERS = [
    Path(__file__).parents[1] / "fixtures" / name for name in ("handover", "knowledge", "moments")
]
_ROW = re.compile(r"^\| `(\w+\.json(?:\.gz)?)`.*`([0-9a-f]{64})` \|$", re.MULTILINE)
FIXED = [
    (folder / name, digest)
    for folder in FOLDERS
    for name, digest in _ROW.findall((folder / "README.md").read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("file", "digest"), FIXED, ids=lambda each: Path(each).name)
def test_an_unseen_set_is_the_one_that_was_fixed_before_the_rules(file: Path, digest: str) -> None:
    """A rule that was made to pass needs another set, not a change of this one."""
    assert hashlib.sha256(file.read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_set_of_another_author_has_its_digest(folder: Path) -> None:
    """A set without one could be changed."""
    kept = {each for name in ("opened", "unseen") for each in folder.glob(f"*{name}.json*")}
    assert {file for file, _ in FIXED if file.parent == folder} == kept
