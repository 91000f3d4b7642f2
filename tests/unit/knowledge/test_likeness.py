"""Sentences that are alike: what is updated equals what is derived from nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.clock import SystemClock
from recollect.knowledge import likeness
from recollect.knowledge.likeness import MOST_LINKS, MOST_SHARING, PlacedSentence, update_sentences
from recollect.knowledge.replacement import MessageSpan
from recollect.knowledge.replacements import links_around, links_of
from recollect.store.engine import Transaction
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import SqliteDatabase, open_database
from recollect.store.sqlite.home import RECORDS_ID
from recollect.store.sqlite.schema import load_schema
from recollect.text.statements.likeness import NEVER

TENANT = "t"
NAMES = ((1, True), (2, True))


def sentence(number: int, **changes: object) -> PlacedSentence:
    """Return a sentence of the message with a number, which is its time too."""
    fields: dict[str, object] = {
        "message": f"m{number:03}", "start": 0, "end": 9, "at": number, "session": "s",
        "seq": number, "audience": 1, "standing": 20, "turning": 100, "words": NAMES,
    }  # fmt: skip
    return PlacedSentence(**(fields | changes))  # type: ignore[arg-type]


@pytest.fixture
def records() -> Iterator[SqliteDatabase]:
    """An empty records.db."""
    with TemporaryDirectory() as folder:
        schema = load_schema("records", RECORDS_ID, keep_backup=False)
        database = open_database(Path(folder) / "records.db", schema, Tuning(), SystemClock())
        yield database
        database.close()


def say(tx: Transaction, sentences: Sequence[PlacedSentence], gone: Sequence[str] = ()) -> None:
    """Store sentences; messages that are gone have none."""
    changed: dict[str, list[PlacedSentence]] = {name: [] for name in gone}
    for each in sentences:
        changed.setdefault(each.message, []).append(each)
    update_sentences(tx, changed, TENANT, 1)


def linked(tx: Transaction) -> list[tuple[str, str, bool]]:
    """Return the links as numbers of messages, and whether they are flagged."""
    links = set(links_of(tx, [f"m{number:03}" for number in range(60)]))
    return sorted((e.older.message, e.newer.message, e.is_flagged) for e in links)


def chain(tx: Transaction) -> list[tuple[str, str]]:
    """Return the links that count, from the first message on."""
    found = links_around(tx, links_of(tx, ["m001"]))
    return [(each.older.message, each.newer.message) for each in found]


def test_a_sentence_replaces_what_it_is_like(records: SqliteDatabase) -> None:
    """Two names in common and signs of change are enough."""
    records.write(lambda tx: say(tx, [sentence(1, turning=NEVER), sentence(2)]))
    assert records.read(linked) == [("m001", "m002", False)]


def test_without_signs_of_change_nothing_is_replaced(records: SqliteDatabase) -> None:
    """Without signs of change nothing is replaced."""
    records.write(lambda tx: say(tx, [sentence(1), sentence(2, turning=NEVER)]))
    assert records.read(linked) == []


@pytest.mark.parametrize(
    "other",
    [{"audience": 2}, {"speaker": 2}, {"words": ((3, True), (4, True))}, {"standing": NEVER}],
)
def test_others_are_let_alone(records: SqliteDatabase, other: dict[str, object]) -> None:
    """What another one said, elsewhere or of something else stays."""
    records.write(lambda tx: say(tx, [sentence(1, **other), sentence(2)]))
    assert records.read(linked) == []


def test_a_chain_leads_to_the_newest(records: SqliteDatabase) -> None:
    """Of several successors the first one that leads on counts."""
    records.write(lambda tx: say(tx, [sentence(number) for number in (3, 1, 2)]))
    assert records.read(chain) == [("m001", "m002"), ("m002", "m003")]


def test_another_sentence_of_a_message_goes_on(records: SqliteDatabase) -> None:
    """What tells the change, and what is replaced later, may be two sentences of a message."""
    two = [
        sentence(2, words=((1, True),), standing=NEVER, turning=250),
        sentence(2, start=10, end=19, words=((5, True), (6, True)), turning=NEVER),
    ]
    last = sentence(3, words=((5, True), (6, True)))
    records.write(lambda tx: say(tx, [sentence(1), *two, last]))
    found = records.read(lambda tx: links_around(tx, links_of(tx, ["m001"])))
    assert found[0].newer == found[1].older == MessageSpan("m002", 10, 19)


def test_one_sentence_said_often_has_few_links(records: SqliteDatabase) -> None:
    """Sentences that are alike have links to the next ones, not to all."""
    records.write(lambda tx: say(tx, [sentence(number) for number in range(MOST_SHARING)]))
    links = records.read(linked)
    assert ("m000", "m001", False) in links
    assert ("m000", f"m00{MOST_LINKS + 1}", False) not in links


def test_what_is_said_all_the_time_replaces_nothing(records: SqliteDatabase) -> None:
    """Its words are the person's topics: that two sentences share them tells nothing."""
    records.write(lambda tx: say(tx, [sentence(number) for number in range(MOST_SHARING + 1)]))
    assert records.read(linked) == []


def test_a_common_word_finds_nothing(
    records: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What many sentences share links none of them, unless they share a rarer word too."""
    monkeypatch.setattr(likeness, "MOST_SHARING", 3)
    rare = sentence(9, words=(*NAMES, (7, False)))
    records.write(lambda tx: say(tx, [sentence(1), sentence(2)]))
    assert records.read(linked) == [("m001", "m002", False)]
    records.write(lambda tx: say(tx, [sentence(3), sentence(4), rare]))
    assert records.read(linked) == []
    again = msgspec.structs.replace(rare, message="m010", at=10, seq=10)
    records.write(lambda tx: say(tx, [again]))
    assert records.read(linked) == [("m009", "m010", False)]
    records.write(lambda tx: say(tx, [], gone=["m003", "m009", "m010"]))
    assert ("m001", "m002", False) in records.read(linked)


SENTENCES = st.builds(
    lambda number, words, standing, turning, speaker: sentence(
        number,
        words=tuple(sorted((word, word % 2 == 0) for word in words)),
        standing=standing,
        turning=turning,
        speaker=speaker,
    ),
    st.integers(0, 9),
    st.sets(st.integers(1, 5), min_size=1, max_size=3),
    st.sampled_from([-50, 20, 200]),
    st.sampled_from([NEVER, -150, 50, 200]),
    st.integers(0, 1),
)
STEPS = st.lists(
    st.tuples(st.lists(SENTENCES, max_size=4), st.sets(st.integers(0, 9), max_size=2)), max_size=6
)


@pytest.mark.parametrize("most_sharing", [1, 3, 64])
@given(steps=STEPS)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_stepwise_equals_from_nothing(
    records: SqliteDatabase,
    monkeypatch: pytest.MonkeyPatch,
    most_sharing: int,
    steps: list[tuple[list[PlacedSentence], set[int]]],
) -> None:
    """Whatever is said, said otherwise and erased, in any order: the links are the same."""
    monkeypatch.setattr(likeness, "MOST_SHARING", most_sharing)
    state: dict[str, list[PlacedSentence]] = {}
    records.write(lambda tx: tx.execute("DELETE FROM value_sentences"))
    records.write(lambda tx: tx.execute("DELETE FROM replacements"))
    for sentences, numbers in steps:
        gone = [f"m{number:03}" for number in numbers]
        fresh = {each.message: [each] for each in sentences if each.message not in gone}
        state = {k: v for k, v in state.items() if k not in gone} | fresh
        said = [each for own in fresh.values() for each in own]
        records.write(partial(say, sentences=said, gone=gone))
    stepwise = records.read(linked)
    records.write(lambda tx: tx.execute("DELETE FROM value_sentences"))
    records.write(lambda tx: tx.execute("DELETE FROM replacements"))
    everything = [each for own in state.values() for each in own]
    records.write(lambda tx: say(tx, everything))
    assert records.read(linked) == stepwise
