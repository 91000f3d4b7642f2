"""Writes constraints.txt: one tested version of every package that any target installs.

Resolves for all supported platforms and Python versions at once. The file holds versions only, no
hosts; why it holds no hashes is in docs/adr/0003-dependencies.md.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Made by `make constraints`. One tested version per package; no hosts.\n"
TOOLCHAIN = ("pip>=25.3", "hatchling>=1.27", "editables>=0.5")
"""What installs the project, beside what the project asks for."""


def main() -> None:
    """Resolve and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "toolchain.txt").write_text("\n".join(TOOLCHAIN) + "\n", encoding="utf-8")
        venv.create(work / "resolver", with_pip=True)
        python = work / "resolver" / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "uv"], check=True)
        output = work / "constraints.txt"
        subprocess.run(
            [work / "resolver" / "bin" / "uv", *_arguments(work, output)], cwd=ROOT, check=True
        )
        text = output.read_text(encoding="utf-8")
    (ROOT / "constraints.txt").write_text(HEADER + text, encoding="utf-8")
    sys.stdout.write(f"{text.count('==')} versions\n")


def _arguments(work: Path, output: Path) -> list[str | Path]:
    inputs: list[str | Path] = ["pyproject.toml", work / "toolchain.txt"]
    extras = ["--all-extras", "--group", "dev", "--group", "docs", "--group", "viewer"]
    form = ["--universal", "--python-version", "3.11", "--no-header", "--no-annotate", "--quiet"]
    return ["pip", "compile", *inputs, *extras, *form, "-o", output]


if __name__ == "__main__":
    main()
