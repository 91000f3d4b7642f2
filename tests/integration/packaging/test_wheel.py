"""The wheel, alone in a new environment: what a user gets is whole without the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = Path(msgspec.__file__).resolve().parents[1]
"""Where the dependencies are. A path in a .pth file brings its packages, but not its .pth files, so
the editable installation of the checkout stays out."""


def test_the_wheel_alone_opens_imports_searches_and_is_healthy(tmp_path: Path) -> None:
    """A missing .sql file, data file or entry point shows here and nowhere else."""
    wheel = _build(tmp_path / "wheel")
    assert _contents(wheel) == _sources()
    program = _install(wheel, tmp_path / "environment")
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "The kettle is in the blue box."}\n', "utf-8")
    home = tmp_path / "home"

    def recollect(*arguments: str) -> str:
        environment = {"HOME": str(tmp_path), "RECOLLECT_EMBEDDING__PROVIDER": "none"}
        return _run(program, "--home", home, *arguments, folder=tmp_path, environment=environment)

    recollect("init")
    recollect("import", "jsonl", str(chat))
    (hit,) = json.loads(recollect("search", "where is the kettle?", "--json"))["hits"]
    assert "kettle is in the blue box" in hit["snippet"]
    assert json.loads(recollect("doctor", "--json"))["healthy"]

    recollect("backup", str(tmp_path / "copy.tar.zst"))
    assert json.loads(recollect("restore", str(tmp_path / "copy.tar.zst"), "--json"))["aside"]

    script = "import recollect; print(recollect.__path__[0])"
    used = _run(program.with_name("python"), "-c", script, folder=tmp_path).strip()
    assert Path(used).is_relative_to(tmp_path / "environment")


def _build(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    _run(*command, "--wheel-dir", folder, ROOT, folder=ROOT)
    (wheel,) = folder.glob("recollect-*.whl")
    return wheel


def _contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as packed:
        return {name for name in packed.namelist() if ".dist-info/" not in name}


def _sources() -> set[str]:
    files = (path for path in (ROOT / "src" / "recollect").rglob("*") if path.is_file())
    return {str(f.relative_to(ROOT / "src")) for f in files if "__pycache__" not in f.parts}


def _install(wheel: Path, environment: Path) -> Path:
    """Return the command of an environment that holds the wheel and borrows its dependencies."""
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index"]
    _run(*pip, "--no-deps", wheel, folder=environment)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(f"{PACKAGES}\n", encoding="utf-8")
    return environment / "bin" / "recollect"


def _run(*command: object, folder: Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
