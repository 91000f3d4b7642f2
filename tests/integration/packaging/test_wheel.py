"""The wheel, alone in a new environment: what a user gets is whole without the checkout."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path

from scripts.async_twins import PLACE
from tests.support.json_documents import check_document
from tests.support.served import free_port
from tests.support.wheel import ROOT, build_archive, build_wheel, install_wheel, run

CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
SAMPLE = ROOT / "src" / "recollect" / "demo"
NEEDS_NETWORK = "recollect models install"
"""It downloads the weights; `tests/unit/cli/test_models.py` runs it against a server of its own."""


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


def test_what_the_readme_types_works_in_an_empty_home(tmp_path: Path) -> None:
    """Its commands and its program as they stand, with what is installed and no checkout."""
    program = install_wheel(build_wheel(tmp_path / "wheel"), tmp_path / "environment")
    user = tmp_path / "user"
    talks = user / ".claude" / "projects" / "-shop"
    shutil.copytree(SAMPLE / "transcripts" / "claude-code", talks.parent)
    (user / "my-agent" / "memory").mkdir(parents=True)
    surroundings = {
        "HOME": str(user),
        "PATH": f"{program.parent}:/usr/bin:/bin",
        "RECOLLECT_SERVER__PORT": str(free_port()),
        "RECOLLECT_MODELS": str(tmp_path / "models"),
    }
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line[2:] for block in CONSOLE.findall(readme) for line in block.splitlines()]
    typed = [line for line in lines if line.startswith("recollect ")]
    assert len(typed) >= 9
    try:
        for line in [*typed, "recollect --version", "python -m recollect --version"]:
            if not line.startswith(NEEDS_NETWORK):
                run("sh", "-c", f"{line} </dev/null", folder=user, environment=surroundings)
        for words in (["serve", "stop"], ["serve", "--daemon"]):
            shown = run(program, *words, "--json", folder=user, environment=surroundings)
            check_document(words, shown)
    finally:
        run(program, "serve", "stop", folder=user, environment=surroundings)
    (example, *_) = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    python = program.with_name("python")
    assert "No tins" in run(python, "-c", example, folder=user, environment=surroundings)
    assert {line.split()[1] for line in lines if line.startswith("make ")} <= _targets()


def test_the_source_archive_makes_the_same_wheel(tmp_path: Path) -> None:
    """Nothing that the checkout has beside its files is needed, and no cache is in it."""
    tree = build_archive(tmp_path / "archive")
    assert [path for path in tree.rglob("*") if path.name in {"__pycache__", ".cache"}] == []
    assert _contents(build_wheel(tmp_path / "wheel", tree)) == _sources()


def test_a_build_writes_the_twins_that_a_fresh_clone_does_not_have(tmp_path: Path) -> None:
    """Git does not keep them."""
    tree = build_archive(tmp_path / "archive")
    twins = tree / PLACE.relative_to(ROOT)
    twins.unlink()
    build_wheel(tmp_path / "wheel", tree)
    assert twins.read_bytes() == PLACE.read_bytes()


def _targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))


def _contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as packed:
        return {name for name in packed.namelist() if ".dist-info/" not in name}


def _sources() -> set[str]:
    files = (path for path in (ROOT / "src" / "recollect").rglob("*") if path.is_file())
    return {str(f.relative_to(ROOT / "src")) for f in files if "__pycache__" not in f.parts}
