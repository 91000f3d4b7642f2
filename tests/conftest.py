"""Fixtures that every test folder may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from benchmarks.datasets.data import VARIABLE, find_data
from recollect.core.errors import NotFound, ProviderUnavailable
from recollect.core.settings.environment import KEY_VARIABLES
from recollect.models.local.folder import MODEL
from recollect.models.local.install import install

pytest.register_assert_rewrite("recollect.testing")

ROOT = Path(__file__).resolve().parents[1]

# How long an example takes says something about the machine and nothing about the code. A failure
# prints what repeats it.
settings.register_profile(
    "recollect", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("recollect")


@pytest.fixture(scope="session", autouse=True)
def no_keys() -> Iterator[None]:
    """No key of the developer's environment: a test must never ask a paid provider."""
    with pytest.MonkeyPatch.context() as environment:
        for variables in KEY_VARIABLES.values():
            for variable in variables:
                environment.delenv(variable, raising=False)
        yield


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


@pytest.fixture(scope="session")
def bench_data() -> Path:
    """The folder of benchmark data; it is not part of the project, its licences forbid that."""
    named = os.environ.get(VARIABLE)  # noqa: TID251 - as the command line resolves it
    try:
        return find_data(Path(named) if named else None)
    except NotFound as error:
        pytest.skip(f"needs the benchmark data: {error.hint}")
