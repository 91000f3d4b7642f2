"""Times in words, as half-open ranges."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.clock import MAX_MS, to_datetime, to_ms
from recollect.text.languages import spaced, unspaced
from recollect.text.times.ranges import find_ranges, read_range

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 15, tzinfo=UTC)
"""A Wednesday."""


def days(text: str, now: datetime = NOW) -> list[str]:
    """Return the ranges in a text by their first day and the first one after; with hours if any."""
    ranges = find_ranges(text, to_ms(now), UTC)
    return [f"{_told(each.since)} {_told(each.until)}" for each in ranges]


def _told(at: int) -> str:
    moment = to_datetime(at)
    return f"{moment:%m-%d}" + (f"T{moment:%H}" if moment.hour else "")


@pytest.mark.parametrize(
    ("expected", "texts"),
    [
        ("11-17 11-18", ["yesterday", "gestern", "ontem", "昨天", "昨日", "きのう"]),
        ("11-18 11-19", ["today", "heute", "hoje", "今天", "今日"]),
        ("11-16 11-17", ["the day before yesterday", "vorgestern", "anteontem", "前天", "一昨日"]),
        ("11-17 11-18", ["last Tuesday", "on Tuesday", "letzten Dienstag", "am Dienstag"]),
        ("11-17 11-18", ["terça-feira passada", "na terça", "火曜日", "この前の火曜日"]),
        ("11-10 11-11", ["Tuesday last week", "letzte Woche Dienstag", "上周二", "先週の火曜日"]),
        (
            "11-09 11-16",
            ["last week's", "letzte Woche", "na semana passada", "上周", "上星期", "先週"],
        ),
        ("11-16 11-23", ["this week", "diese Woche", "esta semana", "本周", "今週"]),
        (
            "11-02 11-09",
            ["two weeks ago", "a couple of weeks ago", "vor zwei Wochen", "vorletzte Woche"],
        ),
        ("11-02 11-09", ["há duas semanas", "duas semanas atrás", "两周前", "2週間前", "先々週"]),
        ("11-16 11-17", ["2 days ago", "vor 2 Tagen", "há dois dias", "两天前", "2日前", "二日前"]),
        ("10-01 11-01", ["last month", "letzten Monat", "no mês passado", "上个月", "先月"]),
        (
            "08-01 09-01",
            ["3 months ago", "vor drei Monaten", "há três meses", "三个月前", "3か月前"],
        ),
        ("03-01 04-01", ["in march", "im März", "em março", "三月", "3月", "last March"]),
        ("05-03 05-04", ["on 3 May", "May 3rd", "am 3. Mai", "3 de maio", "5月3日", "五月三号"]),
        ("11-14 11-16", ["last weekend", "letztes Wochenende", "fim de semana passado", "上周末"]),
        ("11-18T05 11-18T12", ["this morning", "heute Morgen", "esta manhã", "今早", "今朝"]),
        (
            "11-17T18 11-18",
            ["yesterday evening", "gestern Abend", "ontem à noite", "昨天晚上", "昨日の夜"],
        ),
        ("11-17T18 11-18T06", ["last night", "letzte Nacht", "昨晚", "昨夜"]),
        (
            "11-15 11-19",
            ["the last three days", "in den letzten drei Tagen", "últimos 3 dias", "最近三天"],
        ),
        ("06-01 09-01", ["last summer", "letzten Sommer", "in the summer", "今年夏天", "今年の夏"]),
    ],
)
def test_a_time_means_the_same_in_every_language(expected: str, texts: list[str]) -> None:
    """Each within a sentence too."""
    for text in texts:
        assert days(text) == [expected], text
        assert days(f"{text}, ok?") == [expected], text


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("2025-03-01", (2025, 3, 1), (2025, 3, 2)),
        ("2025-03", (2025, 3, 1), (2025, 4, 1)),
        ("in March 2024", (2024, 3, 1), (2024, 4, 1)),
        ("March last year", (2025, 3, 1), (2025, 4, 1)),
        ("去年三月", (2025, 3, 1), (2025, 4, 1)),
        ("im März letzten Jahres", (2025, 3, 1), (2025, 4, 1)),
        ("am 03.04.2025", (2025, 4, 3), (2025, 4, 4)),
        ("12/25/2024", (2024, 12, 25), (2024, 12, 26)),
        ("2024年2月29日", (2024, 2, 29), (2024, 3, 1)),
        ("on 29 February", (2024, 2, 29), (2024, 3, 1)),
        ("in December", (2025, 12, 1), (2026, 1, 1)),
        ("in 2024", (2024, 1, 1), (2025, 1, 1)),
        ("last year", (2025, 1, 1), (2026, 1, 1)),
        ("去年", (2025, 1, 1), (2026, 1, 1)),
        ("winter 2024", (2024, 12, 1), (2025, 3, 1)),
        ("before March 2025", (1970, 1, 1), (2025, 3, 1)),
        ("next week", (2026, 11, 23), (2026, 11, 30)),
        ("the week before last", (2026, 11, 2), (2026, 11, 9)),
    ],
)
def test_a_date_is_a_whole_day_month_or_year(
    text: str, since: tuple[int, int, int], until: tuple[int, int, int]
) -> None:
    """Half-open, in the zone that is given."""
    ranges = find_ranges(f"what was {text}?", to_ms(NOW), UTC)
    begin, end = (to_ms(datetime(*day, tzinfo=UTC)) for day in (since, until))
    assert [(each.since, each.until) for each in ranges] == [(begin, end)]


@pytest.mark.parametrize(
    "text",
    [
        *["may I ask", "the troops march on", "the sun is out", "wait a second", "prices fall"],
        *["spring cleaning", "who sat there", "a Wed ring", "last minute changes", "every Monday"],
        *["every last week", "30 February", "2025-13-40", "03/04/2025", "v2.0.2024", "10:30"],
        *["room 1850", "+49 2024-5", "monday's child of mondays", "毎週火曜日", "in a week", ""],
        *["how many days ago", "it is past", "ago ago", "o mar e o sol", "uma segunda vez"],
    ],
)
def test_other_words_are_no_time(text: str) -> None:
    """Verbs, things, ordinals, what is not certain, what does not exist."""
    assert days(text) == []


def test_an_open_range_has_one_end() -> None:
    """The other one is now, or the beginning of time."""
    now = to_ms(NOW)
    for text in ("since last week", "seit letzter Woche", "desde a semana passada", "上周以来"):
        (time_range,) = find_ranges(text, now, UTC)
        assert (time_range.unit, time_range.since, time_range.until) == (
            "open",
            to_ms(datetime(2026, 11, 9, tzinfo=UTC)),
            now + 1,
        )
    (after,) = find_ranges("after last week", now, UTC)
    assert after.since == to_ms(datetime(2026, 11, 16, tzinfo=UTC))


def test_days_are_those_of_the_zone() -> None:
    """Late in the evening it is tomorrow already in Berlin; a day of 23 hours is one day."""
    late = to_ms(datetime(2026, 3, 29, 22, 30, tzinfo=UTC))
    (time_range,) = find_ranges("yesterday", late, BERLIN)
    assert to_datetime(time_range.since) == datetime(2026, 3, 28, 23, tzinfo=UTC)
    assert to_datetime(time_range.until) == datetime(2026, 3, 29, 22, tzinfo=UTC)


def test_the_turn_of_a_year_and_of_a_week() -> None:
    """On the first of January, a Thursday; on a Monday."""
    new_year = datetime(2026, 1, 1, 8, tzinfo=UTC)
    assert days("yesterday", new_year) == ["12-31 01-01"]
    assert days("last week", new_year) == ["12-22 12-29"]
    assert days("last month", new_year) == ["12-01 01-01"]
    assert days("on Thursday", new_year) == ["12-25 12-26"]
    monday = datetime(2026, 11, 16, 8, tzinfo=UTC)
    assert days("last Monday", monday) == ["11-09 11-10"]
    assert days("last week", monday) == ["11-09 11-16"]


def test_the_words_are_where_they_are_said() -> None:
    """With their preposition."""
    text = "Was haben wir im März über die Heizung gesagt?"
    (time_range,) = find_ranges(text, to_ms(NOW), UTC)
    assert text[time_range.start : time_range.end] == "im März"


def test_a_whole_text_may_be_a_time() -> None:
    """Then a word is enough that is another word too."""
    for text in ("march", "Tuesday", "last week", "the last 3 days", "先週"):
        assert read_range(text, to_ms(NOW), UTC) is not None
    for text in ("", "tea last week", "may I", "yesterday today"):
        assert read_range(text, to_ms(NOW), UTC) is None


def test_no_word_has_two_meanings() -> None:
    """The languages are read as one: a word of two tables must mean the same."""
    for languages in (spaced(), unspaced()):
        meaning_of: dict[str, tuple[str, object]] = {}
        for language in languages:
            for kind, words in language.times.items():
                for word, value in words.items():
                    assert meaning_of.setdefault(word, (kind, value)) == (kind, value), word


_WORDS = st.sampled_from(
    [
        word
        for language in (*spaced(), *unspaced())
        for kind in language.times.values()
        for word in kind
    ]
    + ["3", "31", "2024", "29", "99", "2026-03-01", "12/25/2024", "?", " "]
)
_ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Pacific/Apia", "Asia/Beirut"]
)


@given(
    st.lists(_WORDS, max_size=8).map(" ".join) | st.text(max_size=60),
    st.integers(0, MAX_MS),
    _ZONES.map(ZoneInfo),
)
def test_ranges_are_ordered_and_within_time_whatever_is_said(
    text: str, now: int, zone: ZoneInfo
) -> None:
    """In any zone, at any moment; never an error."""
    end = 0
    for time_range in find_ranges(text, now, zone):
        assert 0 <= time_range.since < time_range.until <= MAX_MS
        assert end <= time_range.start < time_range.end <= len(text)
        end = time_range.end


@given(st.integers(10**11, 4 * 10**12), _ZONES.map(ZoneInfo))
def test_now_is_where_it_should_be(now: int, zone: ZoneInfo) -> None:
    """Inside of today, this week and this year; behind yesterday and last week."""
    for text in ("today", "this week", "this month", "this year"):
        (time_range,) = find_ranges(text, now, zone)
        assert time_range.since <= now < time_range.until
    for text in ("yesterday", "last week", "last month", "last year", "last Tuesday"):
        (time_range,) = find_ranges(text, now, zone)
        assert time_range.until <= now
