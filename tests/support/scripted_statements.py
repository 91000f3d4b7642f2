"""A detector of a few phrases, for tests of what is done with statements."""

from __future__ import annotations

import re
from itertools import chain

from recollect.text.statements.statement import Arity, Slot, Statement, ValueType

_PHRASES: tuple[tuple[str, str, Arity, ValueType], ...] = (
    (r"[Ii] live in (?P<value>\w+)", "home", "one", "place"),
    (r"[Ii] work at (?P<value>\w+)", "employer", "one", "name"),
    (r"[Ii] have a dog called (?P<value>\w+)", "pet", "many", "name"),
    (r"rate limit is (?P<change>now )?(?P<value>\d+)", "rate limit", "open", "number"),
)
_LOSS = re.compile(r"(?P<value>\w+) is gone")


def detect(text: str, role: str = "user") -> tuple[Statement, ...]:
    """Return the statements of the phrases."""
    found = list(chain.from_iterable(_of_phrase(text, *phrase) for phrase in _PHRASES))
    found += [
        Statement(
            start=match.start(),
            end=match.end(),
            text=match[0],
            kind=None,
            subject="speaker",
            loses=(match["value"].lower(),),
        )
        for match in _LOSS.finditer(text)
    ]
    return tuple(sorted(found, key=lambda each: each.start)) if role == "user" else ()


def _of_phrase(
    text: str, pattern: str, slot: str, arity: Arity, value_type: ValueType
) -> list[Statement]:
    return [
        Statement(
            start=match.start(),
            end=match.end(),
            text=match[0],
            kind=None,
            subject="project" if arity == "open" else "speaker",
            slot=Slot(name=slot, arity=arity),
            value=match["value"].lower(),
            value_type=value_type,
            is_change=bool(match.groupdict().get("change")),
            is_asserted=" if " not in f" {text[: match.start()].lower()} ",
        )
        for match in re.finditer(pattern, text)
    ]
