"""What a context window needs beside the transcripts; the composition root chooses it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from recollect.models.language import LanguageModel
from recollect.sessions.notes import NoteTaker, RuleNotes
from recollect.sessions.size import CountTokens
from recollect.sessions.summariser import ExtractiveSummariser, Summariser


class WindowParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a context window needs beside the transcripts.

    Attributes:
        summariser: Writes the summaries.
        notes: Finds what must last, before a compaction.
        count: An exact counter of tokens; the estimate if not given.
        workspace: The folder of the notes; None for no notes.
    """

    summariser: Summariser = msgspec.field(default_factory=ExtractiveSummariser)
    notes: NoteTaker = msgspec.field(default_factory=RuleNotes)
    count: CountTokens | None = None
    workspace: Path | None = None


def window_parts(
    model: LanguageModel | None, workspace: Path | None, count: CountTokens | None = None
) -> WindowParts:
    """Return the parts with a language model, or with none."""
    if model is None:
        return WindowParts(workspace=workspace, count=count)
    from recollect.sessions.model_summary import ModelNotes, ModelSummariser

    return WindowParts(
        summariser=ModelSummariser(model),
        notes=ModelNotes(model),
        count=count,
        workspace=workspace,
    )
