"""`recollect models add`, `list` and `remove`: models of the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.onnx_export import write_export, write_wordpiece
from tests.unit.cli.conftest import Run

ENGLISH = "The kitten slept in the garden."
PORTUGUESE = "gatinho jardim"


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A model that reads Portuguese and English."""
    folder = write_export(write_wordpiece(tmp_path / "tiny-multilingual"))
    head = "---\nlanguage:\n- en\n- pt\n- no\n---\n# A model\n"
    (folder / "README.md").write_text(head, encoding="utf-8")
    return folder


def test_a_portuguese_question_finds_an_english_line_once_a_model_is_added(
    run: Run, home: Path, export: Path, tmp_path: Path
) -> None:
    """From the folder of a download to the hit, as a user would do it."""
    assert run("--home", home, "init").code == 0
    run("--home", home, "sessions", "start", "--title", "cats")
    (tmp_path / "chat.jsonl").write_text(
        '{"role": "user", "content": "%s"}\n' % ENGLISH, encoding="utf-8"
    )
    run("--home", home, "import", "jsonl", tmp_path / "chat.jsonl")
    run("--home", home, "sync")
    assert ENGLISH not in run("--home", home, "search", PORTUGUESE).out

    done = run("--home", home, "models", "add", export)
    assert (done.code, done.out.splitlines()[0][:28]) == (0, "tiny-multilingual is added: ")
    assert "recollect config set embedding.provider local:tiny-multilingual" in done.err
    assert run(
        "--home", home, "config", "set", "embedding.provider", "local:tiny-multilingual"
    ).code == 0
    assert run("--home", home, "sync").code == 0
    assert ENGLISH in run("--home", home, "search", PORTUGUESE).out
    status = run("--home", home, "status").out
    assert "en, pt, no; what is in other languages is found by its words" in status
