"""Projects, and what is not captured, as HTTP and ``--json`` answer them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.observations.controls import Pause
from recollect.observations.project_rows import Project


class ProjectList(msgspec.Struct, frozen=True, kw_only=True):
    """The projects."""

    projects: Sequence[Project]


class PauseList(msgspec.Struct, frozen=True, kw_only=True):
    """What is paused now."""

    pauses: Sequence[Pause]


class CaptureAnswer(PauseList, frozen=True, kw_only=True):
    """What is not captured.

    Attributes:
        left_out: How much was left out since the home was made, by reason.
    """

    left_out: dict[str, int]
