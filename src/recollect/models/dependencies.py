"""The dependencies of models besides their settings; the composition root passes them in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from recollect.core.settings import models_folder
from recollect.models.budget import MemorySpending, Spending
from recollect.models.http.retry import RetryClock


class Dependencies(msgspec.Struct, frozen=True, kw_only=True):
    """The parts.

    Attributes:
        models: The folder of model files.
        spending: Counts the tokens sent to paid providers.
        retry_clock: Gives the day, and the waits of provider clients.
        environ: Variables that may hold keys; None is the process environment.
    """

    models: Path = msgspec.field(default_factory=models_folder)
    spending: Spending = msgspec.field(default_factory=MemorySpending)
    retry_clock: RetryClock = msgspec.field(default_factory=RetryClock)
    environ: Mapping[str, str] | None = None
