"""Replacement: which statement replaced which, derived from what was said and when.

Links are derived by one pass over the statements of an audience, in the order in which they were
said. The order in which they arrived does not matter, and none is derived twice. What a link
depends on is small: the statements about the same slot, those that state the loss of one of their
values, and other slots with such a value. So a few rows are enough to derive a link again.

Names are keyed hashes here (see `stated_rows`): they are compared, and never shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain as joined
from itertools import groupby, islice
from operator import attrgetter
from typing import Literal, TypeAlias

import msgspec

from recollect.text.statements.statement import Arity, ValueType

LinkRule: TypeAlias = Literal["slot", "open", "loss", "ending", "echo", "alike", "hand", "undone"]
"""A one-slot was filled, an open slot with a sign of change; a loss is stated, with a new value or
without; an echo of the agent's; sentences that share words (see `likeness`); by hand, or undone by
hand."""
UNDONE: LinkRule = "undone"
DERIVATION_VERSION = 2
"""Raised when other links follow from the same statements."""
MOST_FLAGGED = 8
"""Older statements that are flagged for one newer one, the newest of them."""
USER = "user"


class Said(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A statement that fills a slot or states a loss, and who said it where and when.

    Attributes:
        message: The id of the message.
        start: Offset of its first character in the text of the message.
        end: Offset after its last.
        sentence: Which sentence of the message, from 0.
        at: When it was said, ms UTC.
        session: The session.
        seq: Of the message in it; breaks ties of time.
        role: ``user``, or ``assistant`` for an echo.
        audience: Who hears it.
        speaker: Whose words, within the audience; 0 where the audience says so.
        slot: What it gives a value to, with the one it is about; 0 for a mere loss.
        arity: Of the slot.
        value: The value; 0 without one: a loss, or a change to a value that is not given.
        value_type: Of the value.
        loses: Values that it says are gone.
        is_change: Whether it has a sign of change.
    """

    message: str
    start: int
    end: int
    at: int
    session: str
    seq: int
    audience: int
    role: str = USER
    sentence: int = 0
    speaker: int = 0
    slot: int = 0
    arity: Arity = "one"
    value: int = 0
    value_type: ValueType | None = None
    loses: tuple[int, ...] = ()
    is_change: bool = False

    @property
    def order(self) -> tuple[int, str, int, str, int]:
        """Its position in time; equal for no two statements."""
        return self.at, self.session, self.seq, self.message, self.start


class ReplacementLink(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A statement that was replaced, and by which.

    Attributes:
        older: The message of the older one, with the span.
        older_at: When it was said, ms UTC.
        newer: The same of the newer one; of what says that the value ended.
        newer_at: Likewise.
        rule: Why.
        is_ending: Whether no new value was given.
        is_flagged: Whether it is only possible: nothing is replaced by it.
    """

    older: MessageSpan
    older_at: int
    newer: MessageSpan
    newer_at: int
    rule: LinkRule
    is_ending: bool = False
    is_flagged: bool = False


class MessageSpan(msgspec.Struct, frozen=True, order=True):
    """A span of a message: its id, the first character, and the one after the last."""

    message: str
    start: int
    end: int

    @classmethod
    def of(cls, statement: Said) -> MessageSpan:
        """Return the span of a statement."""
        return cls(statement.message, statement.start, statement.end)


def derive(statements: Iterable[Said]) -> list[ReplacementLink]:
    """Return the links among statements, in a fixed order, whatever the order of these."""
    whose = attrgetter("audience", "speaker")
    ordered = sorted(statements, key=lambda each: (whose(each), each.order))
    links: list[ReplacementLink] = []
    for _, own in groupby(ordered, whose):
        links += _Pass(list(own)).links()
    return sorted(links)


_Key: TypeAlias = tuple[int, str]
"""A slot, and in an open one the type of the value."""


def _key(statement: Said) -> _Key:
    return statement.slot, (statement.value_type or "") if statement.arity == "open" else ""


class _Pass:
    """One pass over the statements of one audience and speaker, in the order of time."""

    def __init__(self, statements: Sequence[Said]) -> None:
        self._said = statements
        self._holding: defaultdict[_Key, dict[int, list[Said]]] = defaultdict(dict)
        """By value what holds, the user's and echoes; the values in the order in which they were
        said last. They come and go as a whole, so that no statement looks at all others."""
        self._known: defaultdict[int, set[_Key]] = defaultdict(set)
        """By value: where it held."""
        self._fate: dict[tuple[int, int], ReplacementLink] = {}
        """By slot and value: the last link that ended it."""
        self._links: list[ReplacementLink] = []

    def links(self) -> list[ReplacementLink]:
        """Return the links."""
        for _, message in groupby(self._said, attrgetter("message")):
            statements = list(message)
            for each in statements:
                if each.role == USER:
                    self._lose(each, statements)
                    self._fill(each, statements)
            for each in statements:
                if each.slot and each.value:
                    self._add(each)
        return self._links

    def _lose(self, statement: Said, message: Sequence[Said]) -> None:
        """End the values whose loss is stated, if it is clear which statements are meant."""
        for value in statement.loses:
            slots = {slot for slot, _ in self._known[value]}
            candidates = {statement.slot} if statement.slot in slots else slots
            for key in sorted(self._known[value]):
                olders = self._holding[key].get(value) if key[0] in candidates else None
                if olders:
                    heir = _heir(statement, olders[0], message)
                    rule: LinkRule = "ending" if heir is None else "loss"
                    self._close(olders, heir or statement, rule, is_flagged=len(candidates) > 1)

    def _fill(self, statement: Said, message: Sequence[Said]) -> None:
        """Replace what the same slot held before; a change to a value not given ends it."""
        if not statement.slot or statement.arity == "many":
            return
        by_value = self._holding[_key(statement)]
        others = (by_value[value] for value in reversed(by_value) if value != statement.value)
        if not statement.value:
            is_given = any(each.slot == statement.slot and each.value for each in message)
            if statement.arity == "one" and statement.is_change and not is_given:
                self._close([*joined.from_iterable(others)], statement, "ending")
        elif statement.arity == "one":
            self._close([*joined.from_iterable(others)], statement, "slot")
        elif newest := [*islice(others, MOST_FLAGGED)]:
            if statement.is_change and len(newest) == 1:
                self._close(newest[0], statement, "open")
            else:  # none or several of them may be meant
                last = sorted(
                    joined.from_iterable(own[-MOST_FLAGGED:] for own in newest),
                    key=attrgetter("order"),
                )
                self._close(last[-MOST_FLAGGED:], statement, "open", is_flagged=True)

    def _close(
        self, others: Sequence[Said], newer: Said, rule: LinkRule, *, is_flagged: bool = False
    ) -> None:
        for older in others:
            link = ReplacementLink(
                older=MessageSpan.of(older),
                older_at=older.at,
                newer=MessageSpan.of(newer),
                newer_at=newer.at,
                rule=rule if older.role == USER else "echo",
                is_ending=rule == "ending",
                is_flagged=is_flagged,
            )
            self._links.append(link)
            if not is_flagged:
                self._holding[_key(older)].pop(older.value, None)
                self._fate[older.slot, older.value] = link

    def _add(self, statement: Said) -> None:
        """Let a statement hold; an echo only with what it repeats, whose fate it shares."""
        by_value = self._holding[_key(statement)]
        if statement.role == USER or statement.value in by_value:
            by_value[statement.value] = by_value.pop(statement.value, [])
            by_value[statement.value].append(statement)
            self._known[statement.value].add(_key(statement))
        elif fate := self._fate.get((statement.slot, statement.value)):
            changed = msgspec.structs.replace(
                fate, older=MessageSpan.of(statement), older_at=statement.at, rule="echo"
            )
            self._links.append(changed)


def _heir(statement: Said, older: Said, message: Sequence[Said]) -> Said | None:
    """Return what gives the new value for a lost one: itself, or the same or the next sentence."""
    for each in message:
        is_near = each is statement or (
            not each.loses and statement.sentence <= each.sentence <= statement.sentence + 1
        )
        is_alike = each.value_type == older.value_type != "text"
        fits = each.slot == older.slot or is_alike
        if is_near and fits and each.value and each.value not in statement.loses:
            return each
    return None


def successors(links: Iterable[ReplacementLink]) -> Mapping[MessageSpan, ReplacementLink]:
    """Return by older span the link that counts: of two the one to what was said later.

    Where the earlier one leads to the later one too, it is the earlier one: a step of the chain.
    """
    by_older: dict[MessageSpan, ReplacementLink] = {}
    by_time = sorted(links, key=lambda each: (each.newer_at, each.newer), reverse=True)
    for link in sorted(by_time, key=lambda each: each.older_at, reverse=True):
        current = by_older.get(link.older)
        leads_on = (
            (each.newer == current.newer for each in chain(link.newer, by_older)) if current else ()
        )
        if not link.is_flagged and (current is None or any(leads_on)):
            by_older[link.older] = link
    return by_older


def chain(
    start: MessageSpan, by_older: Mapping[MessageSpan, ReplacementLink]
) -> Iterator[ReplacementLink]:
    """Yield the links from a span on, to the newest of its chain; a cycle ends."""
    seen = {start}
    while (link := by_older.get(start)) is not None and link.newer not in seen:
        yield link
        start = link.newer
        seen.add(start)
