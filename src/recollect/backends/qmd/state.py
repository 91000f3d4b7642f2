"""What is remembered of the command between processes: when it last worked, and why it did not."""

from __future__ import annotations

from pathlib import Path

import msgspec

from recollect.core.errors import RecollectError
from recollect.store.files import write_file

FILE_NAME = "state.json"
_MOST_BYTES = 65_536


class QmdState(msgspec.Struct, frozen=True, kw_only=True):
    """Times in ms UTC, 0 for never.

    Attributes:
        updated_at: When it last looked at the files.
        embedded_at: When it last made vectors.
        failed_at: When it failed, 0 after a success.
        reason: Why.
    """

    updated_at: int = 0
    embedded_at: int = 0
    failed_at: int = 0
    reason: str = ""


def read_state(folder: Path) -> QmdState:
    """Return what is remembered; nothing when it cannot be read."""
    try:
        with (folder / FILE_NAME).open("rb") as file:
            return msgspec.json.decode(file.read(_MOST_BYTES), type=QmdState)
    except (OSError, msgspec.DecodeError):
        return QmdState()


def write_state(folder: Path, state: QmdState) -> None:
    """Remember it, if the folder can be written; without it everything works, a little slower."""
    try:
        write_file(folder / FILE_NAME, msgspec.json.encode(state))
    except RecollectError:
        return
