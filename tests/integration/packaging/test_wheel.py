"""The wheel, alone in a new environment: what a user gets is whole without the checkout."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from tests.support.wheel import ROOT, build_wheel, install_wheel, run


def test_the_wheel_alone_opens_imports_searches_and_is_healthy(tmp_path: Path) -> None:
    """A missing .sql file, data file or entry point shows here and nowhere else."""
    wheel = build_wheel(tmp_path / "wheel")
    assert _contents(wheel) == _sources()
    program = install_wheel(wheel, tmp_path / "environment")
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "The kettle is in the blue box."}\n', "utf-8")
    home = tmp_path / "home"

    def recollect(*arguments: str) -> str:
        environment = {"HOME": str(tmp_path), "RECOLLECT_EMBEDDING__PROVIDER": "none"}
        return run(program, "--home", home, *arguments, folder=tmp_path, environment=environment)

    recollect("init")
    recollect("import", "jsonl", str(chat))
    (hit,) = json.loads(recollect("search", "where is the kettle?", "--json"))["hits"]
    assert "kettle is in the blue box" in hit["snippet"]
    assert json.loads(recollect("doctor", "--json"))["healthy"]

    recollect("backup", str(tmp_path / "copy.tar.zst"))
    assert json.loads(recollect("restore", str(tmp_path / "copy.tar.zst"), "--json"))["aside"]

    script = "import recollect; print(recollect.__path__[0])"
    used = run(program.with_name("python"), "-c", script, folder=tmp_path).strip()
    assert Path(used).is_relative_to(tmp_path / "environment")


def _contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as packed:
        return {name for name in packed.namelist() if ".dist-info/" not in name}


def _sources() -> set[str]:
    files = (path for path in (ROOT / "src" / "recollect").rglob("*") if path.is_file())
    return {str(f.relative_to(ROOT / "src")) for f in files if "__pycache__" not in f.parts}
