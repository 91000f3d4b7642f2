"""Runs the tests of the rooms that were touched since main, for at most a minute.

A room is a folder of the package or of the benchmarks; its tests are in the folders of its name.
What was left out is said at the end.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 60
ENDING_S = 5
"""What a run takes after its last test."""


def main() -> int:
    """Return what pytest returns; 0 when nothing was touched that has tests."""
    end = time.monotonic() + SECONDS - ENDING_S
    files = touched()
    paths = sorted(set(tests_of(files)), key=lambda path: (path.suffix != ".py", path))
    paths = [path for path in paths if not set(path.parents) & set(paths)]
    if not paths:
        print(f"{len(files)} files touched, none of them with tests")
        return 0
    names = [str(path.relative_to(ROOT)) for path in paths]
    print("touched rooms:", *names, flush=True)
    command = [sys.executable, "-m", "pytest", "--quiet", "-rfE", "--no-header"]
    parallel = ["--numprocesses", "auto", "--dist", "worksteal"]
    limits = ["--stop-at", str(end), "-m", "not durability"]
    completed = subprocess.run([*command, *parallel, *limits, *names], cwd=ROOT, check=False)
    print("left out: tests/durability, and every room that was not touched: `make test`")
    return (
        0 if completed.returncode == 5 else completed.returncode
    )  # 5: all of them were deselected


def touched() -> list[PurePosixPath]:
    """Return the files that differ from main or are not committed."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    changed = _git("diff", "--name-only", base[0])
    return [
        PurePosixPath(name)
        for name in {*changed, *_git("ls-files", "--others", "--exclude-standard")}
    ]


def tests_of(files: list[PurePosixPath]) -> Iterator[Path]:
    """Yield the test files and folders of these files."""
    folders = [path for path in (ROOT / "tests").rglob("*") if path.is_dir()]
    for file in files:
        if file.parts[0] == "tests" and file.name.startswith("test_"):
            yield from (path for path in [ROOT / file] if path.exists())
        elif file.parts[0] == "tests":  # what all tests share is for `make test`
            yield from (path for path in [(ROOT / file).parent] if path.parent != ROOT)
        elif file.parts[0] == "docs":
            yield ROOT / "tests" / "docs"
        else:
            rooms = {part.removesuffix(".py") for part in file.parts[:4]} - {"src", "recollect"}
            yield from (path for path in folders if path.name in rooms)
            yield from (ROOT / "tests").rglob(f"test_{file.stem}.py")


def _git(*arguments: str) -> list[str]:
    completed = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    return completed.stdout.split()


if __name__ == "__main__":
    sys.exit(main())
