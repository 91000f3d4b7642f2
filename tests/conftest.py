"""Fixtures that every test folder may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from recollect.core.errors import ProviderUnavailable
from recollect.models.folder import MODEL
from recollect.models.install import install

ROOT = Path(__file__).resolve().parents[1]

# How long an example takes says something about the machine and nothing about the code. A failure
# prints what repeats it.
settings.register_profile(
    "recollect", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("recollect")


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
