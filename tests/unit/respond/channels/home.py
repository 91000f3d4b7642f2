"""A home with channels whose responder is scripted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import recollect
from recollect.memory import Memory
from recollect.respond.channels.runner import RunningChannel, start_channels
from tests.support.scripted_responder import ScriptedResponder

LEXICAL: dict[str, object] = {"embedding.provider": "none"}


def opened(home: Path, settings: Mapping[str, object] = LEXICAL) -> Memory:
    """Return the memory of a home."""
    return recollect.open(home, overrides=settings, live=False)


@contextmanager
def running(
    memory: Memory, responder: ScriptedResponder | None = None
) -> Iterator[tuple[ScriptedResponder, list[RunningChannel]]]:
    """Run the enabled channels of a home while the block runs."""
    answering = responder or ScriptedResponder()
    channels = start_channels(memory.channels.access, lambda: answering)
    try:
        yield answering, channels
    finally:
        for each in channels:
            each.close()
