"""What a context window needs beside the transcripts; the composition root chooses it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from recollect.models.language import LanguageModel
from recollect.sessions.notes import NoteTaker, RuleNotes
from recollect.sessions.owner import Owner
from recollect.sessions.size import CountTokens
from recollect.sessions.summariser import ExtractiveSummariser, Summariser


class WindowParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a context window needs beside the transcripts.

    Attributes:
        summariser: Writes the summaries.
        notes: Finds what must last, before a compaction.
        count: An exact counter of tokens; the estimate if not given.
        workspace: The folder of the notes; None for no notes.
        owner: Whose sessions are noted there.
    """

    summariser: Summariser = msgspec.field(default_factory=ExtractiveSummariser)
    notes: NoteTaker = msgspec.field(default_factory=RuleNotes)
    count: CountTokens | None = None
    workspace: Path | None = None
    owner: Owner = Owner()


def with_model(parts: WindowParts, model: LanguageModel | None) -> WindowParts:
    """Return the parts with a language model, or as they are without one."""
    if model is None:
        return parts
    from recollect.sessions.model_summary import ModelNotes, ModelSummariser

    return msgspec.structs.replace(
        parts, summariser=ModelSummariser(model), notes=ModelNotes(model)
    )
