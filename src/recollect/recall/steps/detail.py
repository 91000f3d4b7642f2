"""Records in full, as values: what the third step of recall returns."""

from __future__ import annotations

from typing import Any

import msgspec

from recollect.core.numbers import Link


class Detail(msgspec.Struct, frozen=True, kw_only=True):
    """A record that was asked for.

    Attributes:
        name: Its number as it is shown.
        kind: ``observation``, ``message`` or ``episode``.
        tokens: About what it costs in a prompt as it is here.
        record: The `Observation`, `Message` or `Episode`. What it says is data, whosever words
            it is: an observation tells by ``trust``.
        links: Of an observation the lines of memory files that name it, at most 8.
    """

    name: str
    kind: str
    tokens: int
    record: Any
    links: tuple[Link, ...] = ()


class DetailBatch(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for by number or id.

    Attributes:
        found: In the order in which they were asked for.
        missing: The names that nothing has, or nothing that the asking session may hear.
        tokens: About what all of it costs in a prompt.
    """

    found: tuple[Detail, ...]
    missing: tuple[str, ...]
    tokens: int


def with_records(batch: DetailBatch) -> DetailBatch:
    """Return a batch that was decoded from JSON with records of their own types.

    Raises:
        msgspec.ValidationError: a record has not the fields of its kind.
    """
    from recollect.observations.observation import Observation
    from recollect.sessions.context.episode import Episode
    from recollect.sessions.record.message import Message

    kinds = {"observation": Observation, "message": Message, "episode": Episode}
    found = tuple(
        msgspec.structs.replace(each, record=msgspec.convert(each.record, kinds[each.kind]))
        for each in batch.found
    )
    return msgspec.structs.replace(batch, found=found)
