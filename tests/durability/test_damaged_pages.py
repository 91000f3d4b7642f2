"""Random damages of `records.db`: an answer is the true one or an error.

`DAMAGES` says how many damages of each kind are made; `make soak` makes a thousand in all.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import apsw
import pytest

from tests.durability.damages import DAMAGES, KINDS, PAGE, Truth
from tests.durability.scale import chance, report

RECORDS = "records.db"
_PAGES = """
    SELECT pageno FROM dbstat WHERE name IN (
        SELECT name FROM sqlite_schema WHERE tbl_name IN (SELECT value FROM json_each(?)))
"""
NUMBERED = frozenset({"view", "summarised", "page", "after"})
"""The number of a message is proved where its session is read whole; in a part it is counted."""
OLDER = frozenset(
    {"observations", "recent", "observed", "got", "found", "about", "events", "latest"}
)
"""What has a part without a second copy: an older page may have an older title or event."""


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    """A home of seven sessions."""
    return Truth(tmp_path_factory.mktemp("truth"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_damage_of_the_records_is_never_a_wrong_answer(
    truth: Truth, tmp_path: Path, kind: str
) -> None:
    """Of every question; what is not proved is counted."""
    random_damages = chance(f"damaged pages {kind}")
    wrong: Counter[str] = Counter()
    for _ in range(DAMAGES):
        now = bytearray(truth.now[RECORDS])
        KINDS[kind](random_damages, now, truth.old[RECORDS])
        wrong.update({name.split()[0] for name in truth.silent(tmp_path, {RECORDS: bytes(now)})})
    report(f"damaged pages, {kind}", damages=DAMAGES, **wrong)
    unsure = OLDER if kind == "stale" else NUMBERED if kind == "flip" else frozenset[str]()
    assert not wrong.keys() - unsure


def test_older_pages_of_sessions_and_tokens_leave_none_out_silently(
    truth: Truth, tmp_path: Path
) -> None:
    """Each page of these tables and of their indexes in turn, as it was before."""
    now, old = truth.now[RECORDS], truth.old[RECORDS]
    for place in (PAGE * (number - 1) for number in _pages_of(truth, "sessions", "tokens")):
        stale = now[:place] + old[place : place + PAGE] + now[place + PAGE :]
        if len(stale) == len(now):
            wrong = {name.split()[0] for name in truth.silent(tmp_path, {RECORDS: stale})}
            assert not wrong - OLDER


def test_indexes_of_sessions_that_changed_places_hide_no_session(
    truth: Truth, tmp_path: Path
) -> None:
    """The root of each with that of every other: a block must not say less of a session."""
    now = truth.now[RECORDS]
    roots = {name: PAGE * (page - 1) for name, page in _roots(truth)}
    ours = roots.pop("sqlite_autoindex_sessions_1")
    for place in roots.values():
        swapped = bytearray(now)
        swapped[ours : ours + PAGE] = now[place : place + PAGE]
        swapped[place : place + PAGE] = now[ours : ours + PAGE]
        assert truth.silent(tmp_path, {RECORDS: bytes(swapped)}) == [], place


def test_pages_of_the_order_of_messages_that_are_others_give_no_other_line(
    truth: Truth, tmp_path: Path
) -> None:
    """Each with one of another table: what a block says of a session is proved as well."""
    now = truth.now[RECORDS]
    other = PAGE * (_pages_named(truth, "note_folders")[0] - 1)
    for place in (PAGE * (page - 1) for page in _pages_named(truth, "sqlite_autoindex_messages_2")):
        swapped = bytearray(now)
        swapped[place : place + PAGE] = now[other : other + PAGE]
        swapped[other : other + PAGE] = now[place : place + PAGE]
        assert truth.silent(tmp_path, {RECORDS: bytes(swapped)}) == [], place


def _roots(truth: Truth) -> list[tuple[str, int]]:
    connection = apsw.Connection(str(truth.home / RECORDS))
    rows = connection.execute(
        "SELECT name, rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name IN"
        " ('sessions', 'facts', 'episodes', 'messages')"
    ).fetchall()
    connection.close()
    return [(str(name), int(str(page))) for name, page in rows]


def _pages_of(truth: Truth, *tables: str) -> list[int]:
    return _numbers(truth, _PAGES, json.dumps(tables))


def _pages_named(truth: Truth, name: str) -> list[int]:
    return _numbers(truth, "SELECT pageno FROM dbstat WHERE name = ?", name)


def _numbers(truth: Truth, query: str, argument: str) -> list[int]:
    connection = apsw.Connection(str(truth.home / RECORDS))
    rows = connection.execute(query, (argument,)).fetchall()
    connection.close()
    return [int(str(number)) for (number,) in rows]
