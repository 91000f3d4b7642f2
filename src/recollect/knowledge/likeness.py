"""Replacement by likeness: sentences that share names and nouns, the newer with signs of change.

It needs no slot. Whether a sentence may replace another one depends on these two alone, and each
is linked to the first that may: a chain leads on from there. So the order of arrival does not
matter, and a change touches only the sentences that share words with what changes. Which words are
common depends on all sentences of an audience: when one becomes so, the links by it are derived
again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import LiteralString

import msgspec

from recollect.core.scope import ConversationTurn
from recollect.knowledge.fact_links import linked_messages
from recollect.knowledge.replacement import UNDONE, USER, MessageSpan, ReplacementLink
from recollect.knowledge.replacements import ALIKE as ALIKE_RULE
from recollect.knowledge.replacements import add_links, drop_links, links_of
from recollect.knowledge.stated import sentence_turns
from recollect.store.columns import (
    LISTED,
    columns_of,
    first_integer,
    insert_into,
    json_cell,
    listed,
    typed_rows,
)
from recollect.store.engine import Row, Transaction
from recollect.text.statements.likeness import (
    ALIKE,
    LEAST_STANDING,
    LEAST_TURNING,
    MAYBE_ALIKE,
    likeness,
)

MOST_LINKS = 3
"""Newer sentences that replace one, and as many that are flagged for it; the first ones."""
MOST_SHARING = 5
"""Sentences of an audience that hold a word. One that more of them hold is common there: it finds
no pair, though it counts for those that a rarer one finds. It bounds the work for each sentence,
however long the talk."""


class PlacedSentence(msgspec.Struct, frozen=True, kw_only=True, array_like=True, order=True):
    """A sentence that may give or change a value, and who said it where and when.

    Attributes:
        message: The id of the message.
        start: Offset of its first character in the text of the message.
        end: Offset after its last.
        at: When it was said, ms UTC.
        session: The session.
        seq: Of the message in it; breaks ties of time.
        role: ``user``, or ``assistant`` for an echo.
        audience: Who hears it.
        speaker: Whose words, within the audience; 0 where the audience says so.
        standing: How much it is like the statement of a value that holds, in hundredths.
        turning: How much it is like the statement of a change, in hundredths.
        stated: How much likelier it is that it states anything, as a logarithm in hundredths.
        words: Keyed hashes of its names and nouns, in order; whether each is a name.
    """

    message: str
    start: int
    end: int
    at: int
    session: str
    seq: int
    audience: int
    role: str = USER
    speaker: int = 0
    standing: int
    turning: int
    stated: int = 0
    words: tuple[tuple[int, bool], ...]

    @property
    def order(self) -> tuple[int, str, int, str]:
        """Its position in time; equal for the sentences of one message."""
        return self.at, self.session, self.seq, self.message

    @property
    def is_standing(self) -> bool:
        """Whether it may be replaced."""
        return self.standing >= LEAST_STANDING

    @property
    def is_turning(self) -> bool:
        """Whether it may replace."""
        return self.turning >= LEAST_TURNING


_COLUMNS = columns_of(
    PlacedSentence, message="message_id", start="first_char", end="end_char", at="said_at",
    session="session_id", words="",
)  # fmt: skip
_INSERT: LiteralString = insert_into("value_sentences", f"{_COLUMNS}, size, tenant, rules")
_INSERT_WORD: LiteralString = insert_into(
    "value_sentence_words", "word, audience, is_turning, sentence_id, is_name"
)
_WORDS: LiteralString = """(
    SELECT json_group_array(json_array(word, json(iif(is_name, 'true', 'false'))))
    FROM (
        SELECT word, is_name FROM value_sentence_words WHERE sentence_id = value_sentences.id
        ORDER BY word
    )
)"""
_OF_MESSAGES: LiteralString = f"""
    SELECT id, {_COLUMNS}, {_WORDS} FROM {LISTED} value_sentences ON message_id = listed
"""  # noqa: S608  # literals
_ALL: LiteralString = f"SELECT id, {_COLUMNS}, {_WORDS} FROM value_sentences"  # noqa: S608  # literals
_OF_IDS: LiteralString = _OF_MESSAGES.replace("message_id = listed", "id = listed")
_IS_COMMON: LiteralString = """
    ?2 < (SELECT count(*) FROM (
        SELECT 1 FROM value_sentence_words o
        WHERE o.word = k.value ->> 0 AND o.audience = {} LIMIT ?2 + 1
    ))
"""
_SHARING: LiteralString = f"""
    WITH near AS MATERIALIZED (
        SELECT DISTINCT w.sentence_id, w.is_turning
        FROM json_each(?1) k CROSS JOIN value_sentence_words w
            ON w.word = k.value ->> 0 AND w.audience = ?3 AND w.is_turning IN (1, ?4)
        WHERE NOT {_IS_COMMON.format("?3")}
    )
    SELECT id, {_COLUMNS}, '[]', names, words - names, size
    FROM (
        SELECT w.sentence_id, count(*) AS words, sum(w.is_name OR k.value ->> 1) AS names
        FROM near CROSS JOIN json_each(?1) k CROSS JOIN value_sentence_words w
            ON w.word = k.value ->> 0 AND w.audience = ?3
            AND w.is_turning = near.is_turning AND w.sentence_id = near.sentence_id
        GROUP BY w.sentence_id
    ) CROSS JOIN value_sentences ON id = sentence_id
    WHERE speaker = ?5 AND message_id <> ?6 AND (?4 OR standing >= ?7)
"""  # noqa: S608  # literals
_COMMON: LiteralString = f"""
    SELECT k.value ->> 0, k.value ->> 1 FROM json_each(?1) k
    WHERE {_IS_COMMON.format("k.value ->> 1")}
"""  # noqa: S608  # literals
_HOLDING: LiteralString = """
    SELECT DISTINCT w.sentence_id FROM json_each(?1) k
    CROSS JOIN value_sentence_words w ON w.word = k.value ->> 0 AND w.audience = k.value ->> 1
"""
_LINKED: LiteralString = f"""
    {_HOLDING} CROSS JOIN value_sentences s ON s.id = w.sentence_id
    WHERE EXISTS (
        SELECT 1 FROM replacements
        WHERE older_id = s.message_id AND older_first = s.first_char AND rule = 'alike'
    )
"""  # noqa: S608  # literals
_OF_SESSION: LiteralString = f"""
    SELECT id, {_COLUMNS}, {_WORDS} FROM value_sentences
    WHERE session_id = ? AND ? IS (SELECT turn_sender FROM messages WHERE id = message_id)
        AND (audience <> ? OR speaker NOT IN (0, ?))
"""  # noqa: S608  # literals


def update_sentences(
    tx: Transaction, changed: Mapping[str, Sequence[PlacedSentence]], tenant: str, rules: int
) -> None:
    """Store the value sentences that messages of a tenant have now; derive the links that change.

    Args:
        tx: A write transaction.
        changed: The sentences by message; none for a message that has none, or is gone.
        tenant: The tenant.
        rules: The version of the rules that found them.
    """
    before = _placed(tx.all(_OF_MESSAGES, (listed(changed),)))
    after = {each for sentences in changed.values() for each in sentences}
    removals = {id_: each for id_, each in before.items() if each not in after}
    fresh = after.difference(before.values())
    if removals or fresh:
        _replace(tx, tenant, removals, sorted(fresh), rules)


def move_sentences(
    tx: Transaction, hashes_of: Callable[[str, ConversationTurn], tuple[int, int]]
) -> dict[str, set[str]]:
    """Give all sentences the audiences and speakers that they have now; derive what changes.

    Args:
        tx: A write transaction.
        hashes_of: Returns both for a turn of a tenant.

    Returns:
        By tenant the messages whose links may have changed.
    """
    rules = tx.row("SELECT max(rules) FROM value_sentences")
    touched: dict[str, set[str]] = {}
    for each, turn in sentence_turns(tx):
        audience, speaker = hashes_of(each.tenant, turn)
        whose = each.session_id, turn.turn_sender, audience, speaker
        moved = _placed(tx.all(_OF_SESSION, whose))
        fresh = [
            msgspec.structs.replace(one, audience=audience, speaker=one.speaker and speaker)
            for one in moved.values()
        ]
        names = {one.message for one in fresh}
        if moved:
            ends = linked_messages(tx, names)
            _replace(tx, each.tenant, moved, fresh, first_integer(rules))
            touched.setdefault(each.tenant, set()).update(ends | linked_messages(tx, names))
    return touched


def sentences_of(tx: Transaction, messages: Iterable[str]) -> list[PlacedSentence]:
    """Return the value sentences of some messages."""
    return [*_placed(tx.all(_OF_MESSAGES, (listed(messages),))).values()]


def every_alike(tx: Transaction) -> set[ReplacementLink]:
    """Return all links that follow from all sentences, also those that were undone by hand."""
    placed = _placed(tx.all(_ALL))
    return {link for each in placed.values() if each.is_standing for link in _first_links(tx, each)}


def forget_sentences(tx: Transaction) -> None:
    """Remove all sentences and their links: they are there again when all messages were read."""
    tx.execute("DELETE FROM value_sentences")
    tx.execute("DELETE FROM replacements WHERE rule = ?", (ALIKE_RULE,))


def _replace(
    tx: Transaction,
    tenant: str,
    removals: Mapping[int, PlacedSentence],
    fresh: Sequence[PlacedSentence],
    rules: int,
) -> None:
    """Store sentences in place of others, and derive the links of all that they touch."""
    spans = {MessageSpan(each.message, each.start, each.end) for each in removals.values()}
    links = links_of(tx, {each.message for each in removals.values()})
    stale = [
        link
        for link in links
        if link.rule == ALIKE_RULE and not spans.isdisjoint((link.older, link.newer))
    ]
    drop_links(tx, stale)
    changed = [*removals.values(), *fresh]
    common = _common_words(tx, changed)
    tx.executemany("DELETE FROM value_sentences WHERE id = ?", [(id_,) for id_ in removals])
    touched = {_store(tx, each, tenant, rules) for each in fresh}
    now_common = _common_words(tx, changed)
    touched.update(_placed(tx.all(_OF_MESSAGES, (listed({e.older.message for e in stale}),))))
    for sql, words in ((_LINKED, now_common - common), (_HOLDING, common - now_common)):
        rows = tx.all(sql, (msgspec.json.encode(sorted(words)).decode(),)) if words else []
        touched.update(map(first_integer, rows))
    touched.update(_preceding(tx, fresh))
    _derive(tx, tenant, touched)


def _common_words(tx: Transaction, sentences: Iterable[PlacedSentence]) -> set[tuple[int, int]]:
    """Return the words of some sentences that too many share, each with its audience."""
    words = {(word, each.audience) for each in sentences for word, _ in each.words}
    encoded = msgspec.json.encode(sorted(words)).decode()
    return set(typed_rows(tx.all(_COMMON, (encoded, MOST_SHARING)), tuple[int, int]))


def _preceding(tx: Transaction, fresh: Iterable[PlacedSentence]) -> Iterator[int]:
    """Yield the ids of sentences for which one of some new ones may be among the first to link."""
    pairs = [
        (id_, older, newer, score < ALIKE)
        for newer in fresh
        if newer.is_turning
        for id_, older, score in _sharing(tx, newer, 0)
        if older.order < newer.order
    ]
    times: defaultdict[tuple[str, int, bool], list[int]] = defaultdict(list)
    for link in set(links_of(tx, {older.message for _, older, _, _ in pairs})):
        if link.rule == ALIKE_RULE:
            times[link.older.message, link.older.start, link.is_flagged].append(link.newer_at)
    for id_, older, newer, is_flagged in pairs:
        linked = times[older.message, older.start, is_flagged]
        if len(linked) < MOST_LINKS or newer.at <= max(linked):
            yield id_


def _store(tx: Transaction, each: PlacedSentence, tenant: str, rules: int) -> int:
    cells = [getattr(each, name) for name in PlacedSentence.__struct_fields__ if name != "words"]
    row = tx.row(_INSERT + " RETURNING id", (*cells, len(each.words), tenant, rules))
    id_ = first_integer(row)
    tx.executemany(
        _INSERT_WORD,
        [(word, each.audience, int(each.is_turning), id_, int(name)) for word, name in each.words],
    )
    return id_


def _derive(tx: Transaction, tenant: str, ids: Iterable[int]) -> None:
    """Derive the links of some sentences to newer ones, and store what is different."""
    olders = list(_placed(tx.all(_OF_IDS, (listed(ids),))).values())
    links = links_of(tx, {each.message for each in olders})
    undone = {(e.older.message, e.newer.message) for e in links if e.rule == UNDONE}
    spans = {MessageSpan(each.message, each.start, each.end) for each in olders}
    current = {each for each in links if each.rule == ALIKE_RULE and each.older in spans}
    fresh = {
        link
        for each in olders
        if each.is_standing
        for link in _first_links(tx, each)
        if (link.older.message, link.newer.message) not in undone
    }
    drop_links(tx, current - fresh)
    add_links(tx, fresh - current, tenant)


def _first_links(tx: Transaction, older: PlacedSentence) -> Iterator[ReplacementLink]:
    """Yield the links from a sentence to the first that replace it or may do so."""
    budget = {True: MOST_LINKS, False: MOST_LINKS}
    sharing = [(each, score) for _, each, score in _sharing(tx, older, 1) if each.is_turning]
    for newer, score in sorted(sharing, key=lambda pair: (pair[0].order, pair[0].start)):
        is_flagged = score < ALIKE
        if newer.order > older.order and budget[is_flagged]:
            budget[is_flagged] -= 1
            yield ReplacementLink(
                older=MessageSpan(older.message, older.start, older.end),
                older_at=older.at,
                newer=MessageSpan(newer.message, newer.start, newer.end),
                newer_at=newer.at,
                rule=ALIKE_RULE,
                is_flagged=is_flagged,
            )


def _sharing(
    tx: Transaction, one: PlacedSentence, turning: int
) -> Iterator[tuple[int, PlacedSentence, int]]:
    """Yield what shares words with a sentence, enough to link the two, with how alike they are.

    Args:
        tx: A transaction.
        one: The sentence.
        turning: 1 if only what may replace is wanted.
    """
    words = msgspec.json.encode(one.words).decode()
    whose = one.audience, turning, one.speaker, one.message
    for row in tx.all(_SHARING, (words, MOST_SHARING, *whose, LEAST_STANDING)):
        names, others, size = typed_rows([row[-3:]], tuple[int, int, int])[0]
        ((id_, each),) = _placed([row[:-3]]).items()
        older, newer = (one, each) if one.order < each.order else (each, one)
        score = older.standing + newer.turning + likeness(names, others, min(size, len(one.words)))
        if score >= MAYBE_ALIKE:
            yield id_, each, score


def _placed(rows: Sequence[Row]) -> dict[int, PlacedSentence]:
    """Return rows of ids and sentences by id."""
    words = tuple[tuple[int, bool], ...]
    converted = [(*row[1:-1], json_cell(row[-1], words)) for row in rows]
    sentences = typed_rows(converted, PlacedSentence)  # type: ignore[arg-type]
    return {first_integer(row): each for row, each in zip(rows, sentences, strict=True)}
