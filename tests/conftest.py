"""Fixtures that every test folder may use."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

from benchmarks.datasets.data import VARIABLE, find_data
from recollect.core.errors import NotFound, ProviderUnavailable
from recollect.core.settings.environment import FOREIGN_VARIABLES, KEY_VARIABLES
from recollect.models.local.folder import MODEL
from recollect.models.local.install import install
from scripts.async_twins import main as write_twins

pytest.register_assert_rewrite("recollect.testing")

ROOT = Path(__file__).resolve().parents[1]
MEMORY = Path("/dev/shm")  # pytest makes a folder of its own in it
ROOM = 8_000_000_000
"""Free bytes from which homes of tests lie there; a run needs a tenth of it."""
OUT_OF_TIME = "left out: the time was up"

# How long an example takes says something about the machine and nothing about the code. A failure
# prints what repeats it.
settings.register_profile(
    "recollect", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("recollect")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the limit of `make quick`."""
    parser.addoption("--stop-at", type=float, help="time.monotonic(); later tests are left out")


def pytest_configure(config: pytest.Config) -> None:
    """Give every process of a parallel run the same seed, and homes of tests a place in memory.

    Waiting for the disk took a third of a run, and no test pulls the plug of the machine.
    """
    seed = str(random.SystemRandom().randrange(1_000_000_000))
    os.environ.setdefault("RECOLLECT_SEED", seed)  # noqa: TID251 - workers inherit it
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))  # noqa: TID251 - the same
    if not hasattr(config, "workerinput"):
        write_twins()  # git does not keep them


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a test out when the time is up."""
    end = item.config.getoption("--stop-at")
    if end is not None and time.monotonic() > end:
        pytest.skip(OUT_OF_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the lines that tests kept, by title, and what was left out, by folder."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    kept = [p for report in reports for p in getattr(report, "user_properties", ())]
    skipped = terminalreporter.stats.get("skipped", [])
    late = Counter(
        str(Path(r.nodeid.split("::")[0]).parent) for r in skipped if OUT_OF_TIME in str(r.longrepr)
    )
    kept += [(OUT_OF_TIME, f"{room}: {count} tests") for room, count in late.items()]
    for title in sorted({title for title, _ in kept}):
        terminalreporter.section(title)
        for line in sorted({str(line) for name, line in kept if name == title}):
            terminalreporter.write_line(line)


@pytest.fixture(scope="session", autouse=True)
def no_keys() -> Iterator[None]:
    """No key of the developer's environment, nor where the developer's own transcripts are."""
    with pytest.MonkeyPatch.context() as environment:
        for variables in (*KEY_VARIABLES.values(), FOREIGN_VARIABLES):
            for variable in variables:
                environment.delenv(variable, raising=False)
        yield


@pytest.fixture(scope="session")
def models_folder() -> Path:
    """The folder of model files with the real local model in it, installed once per checkout."""
    folder = ROOT / ".cache" / "models"
    try:
        install(folder / MODEL, keeps_weights=True)
    except ProviderUnavailable as error:
        _missing(error, f"the local model cannot be installed: {error.message}; {error.hint}")
    return folder


@pytest.fixture(scope="session")
def bench_data() -> Path:
    """The folder of benchmark data; it is not part of the project, its licences forbid that."""
    named = os.environ.get(VARIABLE)  # noqa: TID251 - as the command line resolves it
    try:
        return find_data(Path(named) if named else None)
    except NotFound as error:
        _missing(error, f"needs the benchmark data: {error.hint}")


@pytest.fixture(scope="session")
def openclaw_sample() -> Path:
    """The folder of a store that OpenClaw wrote, next to the benchmark data; no part of ours."""
    named = os.environ.get(VARIABLE)  # noqa: TID251 - as the command line resolves it
    try:
        folder = find_data(Path(named) if named else None).parent / "reference" / "openclaw_store"
    except NotFound:
        folder = Path()
    if not (folder / "events.jsonl").is_file():
        pytest.skip("needs the reference data of OpenClaw, which is not part of the project")
    return folder


def _missing(error: Exception, reason: str) -> NoReturn:
    """Skip what needs something that is not there; fail where nothing may be missing."""
    if os.environ.get("CI"):  # noqa: TID251 - a machine that must not skip says so here
        raise error
    pytest.skip(reason)
