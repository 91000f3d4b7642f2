"""Fixtures that every test folder may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.core.errors import ProviderUnavailable
from recollect.models.folder import MODEL
from recollect.models.install import install

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def models_folder() -> Path:
    """The folder of model files with the real local model in it, installed once per checkout."""
    folder = ROOT / ".cache" / "models"
    try:
        install(folder / MODEL)
    except ProviderUnavailable as error:
        if os.environ.get("CI"):  # noqa: TID251 - a machine that must not skip says so here
            raise
        pytest.skip(f"the local model cannot be installed: {error.message}; {error.hint}")
    return folder
