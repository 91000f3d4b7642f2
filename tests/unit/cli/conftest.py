"""The command line in this process, over a small home, far from the user's own files."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.cli.main import main
from recollect.models.local import sentence_encoder
from tests.support.json_documents import check_document

WIDTH = 100

SAID = (
    ("user", "Mira", "Which day does the café get its delivery?", "2026-05-04T09:00:00Z"),
    ("assistant", "Heron", "Café Zoé gets its delivery on Thursdays.", "2026-05-04T09:01:00Z"),
    ("user", "Mira", "From June on it is Tuesday instead.", "2026-05-26T18:05:00Z"),
    ("assistant", "Heron", "数据库迁移先取消。", "2026-05-26T18:09:00Z"),
)
NOTE = "# Cold room\n\n- gasket: MAG-4471\n- temperature: 5 degrees\n"


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        """The error document on stderr."""
        found: dict[str, str] = json.loads(self.err)["error"]
        return found


Run = Callable[..., Done]


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty HOME, no settings in the environment, no model, no colour, the clock at UTC."""
    (tmp_path / "user").mkdir()
    for name in ("RECOLLECT_HOME", "RECOLLECT_DEBUG", "XDG_CACHE_HOME", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line; what it prints as JSON must be what its schema says."""

    def invoke(*arguments: object) -> Done:
        capsys.readouterr()
        words = [str(argument) for argument in arguments]
        code = main(words)
        shown = capsys.readouterr()
        if "--json" in words and shown.out:
            check_document(words, shown.out)
        return Done(code=code, out=shown.out, err=shown.err)

    return invoke


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the home is, or may be made."""
    return tmp_path / "home"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one note."""
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory" / "2025-07-14.md").write_text(NOTE, encoding="utf-8")
    return folder


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A transcript of four messages."""
    lines = [
        {"role": role, "name": name, "content": content, "at": at}
        for role, name, content, at in SAID
    ]
    path = tmp_path / "chats" / "delivery.jsonl"
    path.parent.mkdir()
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def filled(run: Run, home: Path, workspace: Path, chat: Path) -> Path:
    """A home that knows the note and the transcript."""
    assert run("--home", home, "init", "--workspace", workspace).code == 0
    assert run("--home", home, "import", "jsonl", chat).code == 0
    assert run("--home", home, "sync").code == 0
    return home


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the extra."""
    monkeypatch.setattr(sentence_encoder, "package_version", lambda: None)
