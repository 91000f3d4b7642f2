"""The settings of qmd, an external search command for Markdown files."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class QmdSettings(Struct, frozen=True, kw_only=True):
    """How qmd is run, where search.backend chooses it."""

    command: Annotated[
        str, Meta(min_length=1, max_length=1_000), "Name or path of the program."
    ] = "qmd"
    mode: Annotated[
        Literal["search", "vsearch", "query"],
        "search: words; vsearch: vectors; query: both with a model that reranks. The last two "
        "download models and take seconds.",
    ] = "search"
    timeout_ms: Annotated[
        int,
        Meta(ge=10, le=600_000, extra={"unit": "ms"}),
        "Longest a search may take before the builtin index answers.",
    ] = 4_000
    command_timeout_ms: Annotated[
        int,
        Meta(ge=10, le=3_600_000, extra={"unit": "ms"}),
        "Longest any other command may take (update: 4 times, embed: 20 times).",
    ] = 30_000
    update_interval_minutes: Annotated[
        float,
        Meta(ge=0.0, le=100_000.0, extra={"unit": "minutes"}),
        "How old its view of the files may become; 0: only a sync updates it.",
    ] = 5.0
    embed_interval_minutes: Annotated[
        float,
        Meta(ge=0.0, le=100_000.0, extra={"unit": "minutes"}),
        "How often it makes vectors, in the modes that use them; 0: only a sync.",
    ] = 60.0
    retry_s: Annotated[
        float,
        Meta(ge=0.0, le=86_400.0, extra={"unit": "s"}),
        "How long a failure is remembered before it is tried again.",
    ] = 60.0
