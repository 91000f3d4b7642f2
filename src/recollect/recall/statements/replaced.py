"""What was replaced, for the search: links by the times of statements, with their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from recollect.index.query.replaced import Quote, Replaced
from recollect.index.query.restated import Asks, ValueQuote
from recollect.knowledge.likeness import sentences_of
from recollect.knowledge.replacement import UNDONE, MessageSpan, ReplacementLink
from recollect.knowledge.replacements import flagged_at, links_around, links_at, links_of
from recollect.store.columns import LISTED, listed, typed_rows
from recollect.store.engine import Database, Transaction

_TEXTS: LiteralString = f"SELECT id, text FROM {LISTED} messages ON id = listed"  # noqa: S608


def find_replaced(
    records: Database, tenant: str, times: Sequence[int], asks: Asks
) -> Sequence[Replaced]:
    """Return the links of all chains with something that was said at some times.

    Args:
        records: records.db.
        tenant: Whose.
        times: Ms UTC.
        asks: Of a question about a state only what was replaced matters, and what replaced it.
    """

    def read(tx: Transaction) -> list[Replaced]:
        links = links_at(tx, tenant, times, newer=asks == "past")
        around = links_around(tx, links, back=asks == "past") if links else []
        flagged = flagged_at(tx, tenant, times, newer=asks == "past")
        return _quoted(tx, [*around, *flagged])

    return records.read(read)


def find_sentences(records: Database, refs: Sequence[str]) -> list[ValueQuote]:
    """Return the sentences of some messages that may give or change a value.

    Those are left out whose replacement of another one of them was undone by hand.
    """

    def read(tx: Transaction) -> list[ValueQuote]:
        undone = {each.newer.message for each in links_of(tx, refs) if each.rule == UNDONE}
        sentences = [each for each in sentences_of(tx, refs) if each.message not in undone]
        return [
            ValueQuote(
                ref=each.message,
                order=(each.at, each.session, each.seq),
                whose=(each.audience, each.speaker),
                standing=each.standing,
                turning=each.turning,
                stated=each.stated,
            )
            for each in sentences
        ]

    return records.read(read)


def _quoted(tx: Transaction, links: Sequence[ReplacementLink]) -> list[Replaced]:
    names = {span.message for each in links for span in (each.older, each.newer)}
    texts = dict(typed_rows(tx.all(_TEXTS, (listed(names),)), tuple[str, str]))

    def quote(span: MessageSpan, at: int) -> Quote:
        return Quote(span.message, at, texts.get(span.message, "")[span.start : span.end])

    return [
        Replaced(
            quote(each.older, each.older_at),
            quote(each.newer, each.newer_at),
            is_possible=each.is_flagged,
        )
        for each in links
    ]
