"""The demo sample in a home of its own: copied once, used again, never mixed with other things."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import msgspec
import platformdirs

import recollect
from recollect.cli.invocation import is_home
from recollect.core.decoding import decode_json
from recollect.core.errors import Conflict, StoreError
from recollect.core.settings.config_file import first_config, with_setting
from recollect.core.settings.sources import FILE_NAME
from recollect.exchange.report import ImportReport
from recollect.index.model.sync_report import SyncReport
from recollect.index.query.hit import SearchResult
from recollect.store.failures import translate_os
from recollect.store.files import private_folder, write_file

SOURCE = Path(recollect.__path__[0]) / "demo"
MARKER = "demo.json"
"""Lies in a home that is ours to empty; holds the digest of the sample in it."""
COPY = "sample"


class SampleQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question of the demo: what it shows, and a text that the first hit must contain."""

    question: str
    shows: str
    source: str
    answer: str


class DemoAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A question of the demo, and what was found."""

    question: str
    shows: str
    took_ms: float
    right: bool
    result: SearchResult


class Demo(msgspec.Struct, frozen=True, kw_only=True):
    """What the demo did, and how long it took."""

    home: str
    reused: bool
    imported: ImportReport
    import_ms: float
    synced: SyncReport
    sync_ms: float
    load_ms: float
    answers: list[DemoAnswer]


class _Marker(msgspec.Struct, frozen=True):
    sample: str


def default_folder() -> Path:
    """Return where the demo is kept by default."""
    return platformdirs.user_cache_path("recollect", appauthor=False) / "demo"


def read_questions() -> list[SampleQuestion]:
    """Return the questions, in the order in which they are asked."""
    return decode_json((SOURCE / "questions.json").read_bytes(), list[SampleQuestion])


def prepare(home: Path, *, fresh: bool = False) -> bool:
    """Make ``home`` a home that holds this version's sample; return whether it was one already.

    Args:
        home: The folder; missing, empty, or made by an earlier demo.
        fresh: Make it again in any case.

    Raises:
        Conflict: it holds something else.
        StoreError: it cannot be written.
    """
    digest = _digest(SOURCE)
    marker = _marker(home)
    if marker is None and (is_home(home) or _has_files(home)):
        raise Conflict(
            f"{home} holds something other than the demo",
            hint="name an empty folder with --keep, or none",
            path=str(home),
        )
    if marker == digest and not fresh:
        return True
    try:
        if marker is not None:
            shutil.rmtree(home)
        private_folder(home)
        # The marker comes first: what a killed copy leaves behind is known as ours.
        write_file(home / MARKER, msgspec.json.encode(_Marker("")))
        for part in ("workspace", "transcripts"):
            shutil.copytree(SOURCE / part, home / COPY / part, copy_function=shutil.copyfile)
    except OSError as error:
        raise translate_os(error, home) from error
    config = with_setting(first_config(), "workspace.path", str(workspace_of(home)))
    write_file(home / FILE_NAME, config.encode())
    write_file(home / MARKER, msgspec.json.encode(_Marker(digest)))
    return False


def workspace_of(home: Path) -> Path:
    """Return the workspace of the sample in ``home``."""
    return home / COPY / "workspace"


def transcripts_of(home: Path) -> Path:
    """Return the transcripts of the sample in ``home``."""
    return home / COPY / "transcripts"


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _marker(home: Path) -> str | None:
    try:
        return decode_json((home / MARKER).read_bytes(), _Marker).sample
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise StoreError(
            "the marker of the demo cannot be read", hint=f"remove {home} by hand", path=str(home)
        ) from error


def _has_files(home: Path) -> bool:
    return home.is_dir() and any(home.iterdir())
