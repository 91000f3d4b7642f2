"""What models are made with besides their settings; the composition root hands it down."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from recollect.core.clock import Clock, SystemClock
from recollect.core.settings import models_folder
from recollect.models.budget import MemorySpending, Spending
from recollect.models.http.retry import RetryClock


class Dependencies(msgspec.Struct, frozen=True, kw_only=True):
    """The parts.

    Attributes:
        models: The folder of model files.
        spending: Counts the tokens sent to paid providers.
        clock: Tells the day.
        retry_clock: How the clients of providers wait; None waits for real.
        environ: Variables that may hold keys; None is the process environment.
    """

    models: Path = msgspec.field(default_factory=models_folder)
    spending: Spending = msgspec.field(default_factory=MemorySpending)
    clock: Clock = msgspec.field(default_factory=SystemClock)
    retry_clock: RetryClock | None = None
    environ: Mapping[str, str] | None = None
