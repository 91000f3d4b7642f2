"""Git's objects: the bytes of files that a repository has, read by `git cat-file`.

The program sees an empty repository of ours with the objects of another: no setting, hook, filter
or remote of that one can make it run or write anything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

_PATIENCE_S = 60


def has_git() -> bool:
    """Return whether the program is there."""
    return shutil.which("git") is not None


def read_objects(objects: Path, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield ids with their bytes; those that are missing or cannot be read are left out.

    Args:
        objects: The folder of the objects.
        oids: Of files, 40 hex digits each; so many that their bytes fit into memory.
    """
    program = shutil.which("git")
    if program is None or not oids:
        return
    with tempfile.TemporaryDirectory(prefix="recollect-git-") as folder:
        _make_empty(Path(folder))
        try:
            answer = subprocess.run(  # noqa: S603  # the program that the user has as git
                [program, "cat-file", "--batch"],
                input="".join(f"{oid}\n" for oid in oids).encode(),
                capture_output=True,
                check=False,
                timeout=_PATIENCE_S,
                cwd=folder,
                env=_environment(folder, objects),
            ).stdout
        except (OSError, subprocess.SubprocessError):
            return
    yield from _parsed(answer)


def _parsed(answer: bytes) -> Iterator[tuple[str, bytes]]:
    position = 0
    while (end := answer.find(b"\n", position)) >= 0:
        oid, *kind = answer[position:end].decode(errors="replace").split(" ")
        position = end + 1
        if len(kind) == 2 and kind[0] == "blob":
            size = int(kind[1])
            yield oid, answer[position : position + size]
            position += size + 1


def _make_empty(folder: Path) -> None:
    (folder / "objects").mkdir()
    (folder / "refs").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")


def _environment(folder: str, objects: Path) -> dict[str, str]:
    return {
        "LC_ALL": "C",
        "GIT_DIR": folder,
        "GIT_OBJECT_DIRECTORY": str(objects),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
