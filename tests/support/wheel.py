"""The wheel of the checkout, built and installed as a user would have it."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
from collections.abc import Mapping
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = Path(msgspec.__file__).resolve().parents[1]
"""Where the dependencies are. A path in a .pth file brings its packages, but not its .pth files, so
the editable installation of the checkout stays out."""


PROGRAM = Path(sys.executable).with_name("recollect")
"""The command of the checkout."""


def build_wheel(folder: Path, of: Path = ROOT) -> Path:
    """Build the wheel of a source tree, the checkout's if not given, into a folder; return it."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run(*command, "--wheel-dir", folder, of, folder=of)
    (wheel,) = folder.glob("recollect-*.whl")
    return wheel


def build_archive(folder: Path) -> Path:
    """Build the source archive of the checkout into a folder; return its unpacked tree."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, folder=ROOT)
    (packed,) = folder.glob("recollect-*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return folder / packed.name.removesuffix(".tar.gz")


def install_wheel(wheel: Path, environment: Path) -> Path:
    """Return the command of a new environment that holds the wheel and borrows dependencies."""
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index"]
    run(*pip, "--no-deps", wheel, folder=environment)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(f"{PACKAGES}\n", encoding="utf-8")
    return environment / "bin" / "recollect"


def run(*command: object, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Return what a command prints; it must succeed."""
    completed = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout
