"""Settings of the responder, under the names of seed 000."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class ResponderSettings(Struct, frozen=True, kw_only=True):
    """How messages are answered by `memory.respond`, `recollect chat` and channels."""

    enabled: Annotated[
        bool, "Answer messages. false: they are stored and heard, and no model is asked."
    ] = True
    max_concurrent: Annotated[
        int,
        Meta(ge=1, le=100, extra={"unit": "conversations"}),
        "Conversations that are answered at the same time; others wait their turn. Seed 000's "
        "value.",
    ] = 3
    debounce_ms: Annotated[
        int,
        Meta(ge=0, le=600_000, extra={"unit": "ms"}),
        "How long to wait for a further message before one is answered; those that come within it "
        "are answered together. Seed 000's value.",
    ] = 1_500
    max_history_messages: Annotated[
        int,
        Meta(ge=0, le=10_000, extra={"unit": "messages"}),
        "Earlier messages of the conversation in a prompt at most; older ones are found "
        "by the search. Seed 000's value.",
    ] = 20
    memory_index_interval_messages: Annotated[
        int,
        Meta(ge=1, le=100_000, extra={"unit": "messages"}),
        "After so many messages of a session it is seen to whether older ones become a summary. "
        "Messages are indexed at once, whatever it says. Seed 000's value.",
    ] = 5
    memory_search_max_results: Annotated[
        int,
        Meta(ge=0, le=100, extra={"unit": "memories"}),
        "Memories with scores in a prompt at most. With seed 000's 5 the prompt has a message that "
        "answers the question in 87 of 100 cases, with 10 in 95, for a tenth more tokens.",
    ] = 10
    memory_fts_enabled: Annotated[
        bool, "Search for memories that fit a message. false: none are in the prompt."
    ] = True
