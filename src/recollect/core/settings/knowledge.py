"""The settings of what is known: how it is recalled, and how it fades."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class KnowledgeSettings(Struct, frozen=True, kw_only=True):
    """How facts and episodes are recalled, and how facts fade."""

    threshold: Annotated[
        float,
        Meta(ge=0.0, le=1.0, extra={"unit": "similarity"}),
        "`Memory.recall` leaves out what is less similar to the question, but nothing that has all "
        "of its words. The OpenClaw chapter has 0.6.",
    ] = 0.25
    decay: Annotated[
        Literal["default", "seed", "none"],
        "How facts that are not asked for fade. default: not in the first 30 days, then by half "
        "every 90 days, slower the more important and the more often asked for. seed: the formula "
        "of the OpenClaw chapter to the letter, by which a plain fact goes after 145 days. "
        "none: nothing fades.",
    ] = "default"
