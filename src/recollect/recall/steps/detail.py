"""Records in full, as values: what the third step of recall returns."""

from __future__ import annotations

from typing import Any

import msgspec

from recollect.core.decoding import convert_value
from recollect.core.numbers import Link


class Detail(msgspec.Struct, frozen=True, kw_only=True):
    """A record that was asked for.

    Attributes:
        name: Its number as it is shown.
        kind: ``observation``, ``message``, ``episode`` or ``fact``.
        tokens: About what it costs in a prompt as it is here.
        record: The `Observation`, `Message`, `Episode` or `Fact`. Its text is data, whoever wrote
            it; an observation and a fact have the author in ``trust``.
        links: Of an observation the lines of memory files that name it, at most 8.
    """

    name: str
    kind: str
    tokens: int
    record: Any
    links: tuple[Link, ...] = ()


class DetailBatch(msgspec.Struct, frozen=True, kw_only=True):
    """The records requested by number or id.

    Attributes:
        found: In the order of the request.
        missing: The names without a record, or without one that the asking session may hear.
        tokens: About what all of it costs in a prompt.
    """

    found: tuple[Detail, ...]
    missing: tuple[str, ...]
    tokens: int


def with_records(batch: DetailBatch) -> DetailBatch:
    """Return a batch decoded from JSON, with its records as their own types.

    Raises:
        msgspec.ValidationError: a record lacks the fields of its kind.
    """
    from recollect.knowledge.fact import Fact
    from recollect.observations.observation import Observation
    from recollect.sessions.context.episode import Episode
    from recollect.sessions.record.message import Message

    kinds = {"observation": Observation, "message": Message, "episode": Episode, "fact": Fact}
    details = tuple(
        msgspec.structs.replace(each, record=convert_value(each.record, kinds[each.kind]))
        for each in batch.found
    )
    return msgspec.structs.replace(batch, found=details)
