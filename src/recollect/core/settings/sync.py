"""The settings of keeping the index in step: what starts a sync, and how soon."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field


class TranscriptDeltaSettings(Struct, frozen=True, kw_only=True):
    """When a transcript of another program that grows is read again at once."""

    delta_bytes: Annotated[
        int,
        Meta(ge=0, le=1_000_000_000, extra={"unit": "bytes"}),
        "New bytes after which it is read without waiting for it to rest.",
    ] = 100_000
    delta_messages: Annotated[
        int,
        Meta(ge=0, le=1_000_000, extra={"unit": "lines"}),
        "New lines after which it is read without waiting for it to rest.",
    ] = 50
    debounce_ms: Annotated[
        int,
        Meta(ge=0, le=600_000, extra={"unit": "ms"}),
        "A transcript that rested for so long is read, however little is new.",
    ] = 5_000


class SyncSettings(Struct, frozen=True, kw_only=True):
    """What starts a sync in the background."""

    on_session_start: Annotated[bool, "A session that is opened."] = True
    on_search: Annotated[
        bool,
        "A search. It always reads new words first; this makes missing vectors and reads followed "
        "transcripts in the background.",
    ] = True
    watch: Annotated[
        bool, "A memory file or followed transcript that changes, while a program runs."
    ] = True
    watch_debounce_ms: Annotated[
        int,
        Meta(ge=0, le=600_000, extra={"unit": "ms"}),
        "Changes of files within so long are taken together.",
    ] = 1_500
    poll_s: Annotated[
        float,
        Meta(ge=0.1, le=3_600.0, extra={"unit": "s"}),
        "How often to look where the system has no handles left for watching.",
    ] = 5.0
    interval_minutes: Annotated[
        float,
        Meta(ge=0.0, le=100_000.0, extra={"unit": "minutes"}),
        "A sync every so often; 0: none.",
    ] = 0.0
    transcripts: TranscriptDeltaSettings = field(default_factory=TranscriptDeltaSettings)
