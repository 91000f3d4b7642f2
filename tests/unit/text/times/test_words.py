"""Each word of time in each language, asked on the afternoon of Wednesday, 18 November 2026.

`test_ranges` has what the languages have in common; here no word of a table goes untried.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from recollect.core.clock import to_datetime, to_ms
from recollect.text.times.ranges import TimeRange, find_ranges, read_range

NOW = datetime(2026, 11, 18, 15, tzinfo=UTC)
LATEST = ["11-16", "11-17", "11-11", "11-12", "11-13", "11-14", "11-15"]
"""The latest Monday, Tuesday and so on before that Wednesday."""


def _only(text: str, now: datetime = NOW) -> TimeRange:
    (time_range,) = find_ranges(text, to_ms(now), UTC)
    return time_range


def _since(text: str) -> str:
    return f"{to_datetime(_only(text).since):%m-%d}"


def _hours(text: str) -> tuple[int, int]:
    """Return the first hour and the one after the last, counted from the midnight before today."""
    time_range, today = _only(text), datetime(2026, 11, 18, tzinfo=UTC)
    begin, end = (to_datetime(at) - today for at in (time_range.since, time_range.until))
    return begin // timedelta(hours=1), end // timedelta(hours=1)


WEEKDAYS = {
    "on {}": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "on {} ": "Mon Tue Wed Thu Fri Sat Sun",
    "am {}": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "na {}": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "{}": "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日",
    "{} ": "月曜 火曜 水曜 木曜 金曜 土曜 日曜",
    " {}": "星期一 星期二 星期三 星期四 星期五 星期六 星期日",
    " {} ": "周一 周二 周三 周四 周五 周六 周天",
}


@pytest.mark.parametrize(("form", "names"), WEEKDAYS.items())
def test_every_weekday_is_the_latest_one_before_today(form: str, names: str) -> None:
    """Today's own name means the one a week ago."""
    assert [_since(form.format(name)) for name in names.split()] == LATEST


@pytest.mark.parametrize(
    ("text", "day"),
    [
        *[("on Tues", "11-17"), ("on Thurs", "11-12"), ("am Sonnabend", "11-14")],
        *[("na segunda", "11-16"), ("na terça", "11-17"), ("na quarta", "11-11")],
        *[("na quinta", "11-12"), ("na sexta", "11-13"), ("周日", "11-15")],
        *[("this Friday", "11-20"), ("next Friday", "11-20"), ("next Wednesday", "11-25")],
        *[("next Tuesday", "11-24"), ("this Monday", "11-16"), ("vorletzten Dienstag", "11-10")],
        *[("Monday next week", "11-23"), ("Sunday this week", "11-22"), ("下周五", "11-27")],
        *[("上上周一", "11-02"), ("这周日", "11-22"), ("来週の月曜日", "11-23")],
    ],
)
def test_a_weekday_of_a_certain_week(text: str, day: str) -> None:
    """Weeks begin with Monday."""
    assert _since(text) == day
    assert _only(text).unit == "day"


MONTHS = {
    "in {}": (
        "January February March April May June July August September October November December"
    ),
    "in {} ": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "im {}": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "em {}": (
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"
    ),
    "{}": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
    "{}份": "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月",
}


@pytest.mark.parametrize(("form", "names"), MONTHS.items())
def test_every_month_is_the_latest_that_began(form: str, names: str) -> None:
    """December is that of last year; which month it is, is known, as other years may be meant."""
    ranges = [_only(form.format(name)) for name in names.split()]
    first = [to_datetime(each.since).date() for each in ranges]
    assert first == [date(2026 - (month == 12), month, 1) for month in range(1, 13)]
    assert [(each.month, each.day, each.unit) for each in ranges] == [
        (month, 0, "month") for month in range(1, 13)
    ]


def test_other_names_of_months() -> None:
    """Of Austria, and the longer short form."""
    assert [_since(text) for text in ("im Jänner", "im Feber", "in Sept")] == [
        "01-01",
        "02-01",
        "09-01",
    ]


NUMBERS = {
    "{} days ago": "one two three four five six seven eight nine ten eleven twelve",
    "vor {} Tagen": "einem zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "há {} dias": "um dois três quatro cinco seis sete oito nove dez onze doze",
    "{}天前": "一 二 三 四 五 六 七 八 九 十 十一 十二",
    "{}日前": "1 2 3 4 5 6 7 8 9 10 11 12",
}


@pytest.mark.parametrize(("form", "names"), NUMBERS.items())
def test_every_number_counts_days(form: str, names: str) -> None:
    """From one to twelve."""
    assert [_since(form.format(name)) for name in names.split()] == [
        f"{date(2026, 11, 18) - timedelta(days=number):%m-%d}" for number in range(1, 13)
    ]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        *[("a day ago", "11-17"), ("a couple of days ago", "11-16"), ("a few days ago", "11-15")],
        *[("vor einem Tag", "11-17"), ("vor ein paar Tagen", "11-15"), ("vor 20 Tagen", "10-29")],
        *[("há uma semana", "11-09"), ("faz duas semanas", "11-02"), ("两天前", "11-16")],
        *[("几天前", "11-15"), ("数日前", "11-15"), ("二十天前", "10-29"), ("三十一天前", "10-18")],
        *[("the first of May", "05-01"), ("the tenth of May", "05-10"), ("1º de maio", "05-01")],
        *[("the second of May", "05-02"), ("the third of May", "05-03"), ("May 22nd", "05-22")],
        *[("the fourth of May", "05-04"), ("the fifth of May", "05-05"), ("May 31st", "05-31")],
        *[("the sixth of May", "05-06"), ("the seventh of May", "05-07"), ("5月31日", "05-31")],
        *[("the eighth of May", "05-08"), ("the ninth of May", "05-09"), ("5月二十日", "05-20")],
        *[("primeiro de maio", "05-01"), ("5月三十号", "05-30"), ("10月1日", "10-01")],
    ],
)
def test_other_numbers(text: str, day: str) -> None:
    """Words that mean about two or three, ordinals, and Chinese numbers above ten."""
    assert _since(text) == day


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        *[("this morning", (5, 12)), ("this afternoon", (12, 18)), ("this evening", (18, 24))],
        *[("tonight", (18, 30)), ("last night", (-6, 6)), ("yesterday noon", (-12, -6))],
        *[("heute Vormittag", (5, 12)), ("heute Nachmittag", (12, 18)), ("heute Nacht", (18, 30))],
        *[
            ("gestern Mittag", (-12, -6)),
            ("vorgestern Abend", (-30, -24)),
            ("gestern früh", (-19, -12)),
            ("ontem à tarde", (-12, -6)),
        ],
        *[("hoje de manhã", (5, 12)), ("hoje pela manhã", (5, 12)), ("hoje à noite", (18, 24))],
        *[("esta tarde", (12, 18)), ("今晚", (18, 30)), ("昨晚", (-6, 6)), ("今早", (5, 12))],
        *[
            ("今天早上", (5, 12)),
            ("今天上午", (5, 12)),
            ("今天早晨", (5, 12)),
            ("昨天下午", (-12, -6)),
        ],
        *[
            ("今天中午", (12, 18)),
            ("今天傍晚", (18, 24)),
            ("今天夜里", (18, 30)),
            ("ゆうべ", (-6, 6)),
        ],
        *[("今夜", (18, 30)), ("今晩", (18, 30)), ("今朝", (5, 12)), ("今日の朝", (5, 12))],
        *[("今日の午前", (5, 12)), ("今日の午後", (12, 18)), ("今日の昼", (12, 18))],
        *[("今日の夕方", (18, 24)), ("今日の晩", (18, 24)), ("今日の深夜", (18, 30))],
    ],
)
def test_every_part_of_a_day(text: str, hours: tuple[int, int]) -> None:
    """A night ends at six of the next day."""
    assert _hours(text) == hours
    assert _only(text).unit == "hour"


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        *[("last spring", (2026, 3), (2026, 6)), ("last summer", (2026, 6), (2026, 9))],
        *[("last autumn", (2025, 9), (2025, 12)), ("last fall", (2025, 9), (2025, 12))],
        *[("this autumn", (2026, 9), (2026, 12)), ("last winter", (2025, 12), (2026, 3))],
        *[("next summer", (2027, 6), (2027, 9)), ("next autumn", (2027, 9), (2027, 12))],
        *[("next winter", (2026, 12), (2027, 3)), ("this winter", (2026, 12), (2027, 3))],
        *[("in the winter", (2025, 12), (2026, 3)), ("in the autumn", (2026, 9), (2026, 12))],
        *[("im Frühling", (2026, 3), (2026, 6)), ("im Frühjahr", (2026, 3), (2026, 6))],
        *[("im Herbst", (2026, 9), (2026, 12)), ("im Winter", (2025, 12), (2026, 3))],
        *[("summer of 2024", (2024, 6), (2024, 9)), ("去年春天", (2025, 3), (2025, 6))],
        *[("去年秋天", (2025, 9), (2025, 12)), ("去年冬天", (2025, 12), (2026, 3))],
        *[("去年の春", (2025, 3), (2025, 6)), ("去年の秋", (2025, 9), (2025, 12))],
        *[("去年の冬", (2025, 12), (2026, 3)), ("last December", (2025, 12), (2026, 1))],
        *[("last November", (2025, 11), (2025, 12)), ("this December", (2026, 12), (2027, 1))],
        *[("next November", (2027, 11), (2027, 12)), ("next December", (2026, 12), (2027, 1))],
        *[("last October", (2026, 10), (2026, 11)), ("next month", (2026, 12), (2027, 1))],
        *[("this month", (2026, 11), (2026, 12)), ("14 months ago", (2025, 9), (2025, 10))],
        *[("11 months ago", (2025, 12), (2026, 1)), ("先々月", (2026, 9), (2026, 10))],
        *[("来月", (2026, 12), (2027, 1)), ("下个月", (2026, 12), (2027, 1))],
        *[("next year", (2027, 1), (2028, 1)), ("two years ago", (2024, 1), (2025, 1))],
        *[
            ("前年", (2024, 1), (2025, 1)),
            ("明年", (2027, 1), (2028, 1)),
            ("今年", (2026, 1), (2027, 1)),
        ],
        *[("昨年", (2025, 1), (2026, 1)), ("一昨年", (2024, 1), (2025, 1))],
        *[("この春", (2026, 3), (2026, 6)), ("这个月", (2026, 11), (2026, 12))],
        *[("這個月", (2026, 11), (2026, 12)), ("本月", (2026, 11), (2026, 12))],
        *[("this January", (2026, 1), (2026, 2)), ("next January", (2027, 1), (2027, 2))],
        *[("last January", (2026, 1), (2026, 2))],
        *[("おととし", (2024, 1), (2025, 1)), ("来年", (2027, 1), (2028, 1))],
    ],
)
def test_every_season_month_and_year(
    text: str, since: tuple[int, int], until: tuple[int, int]
) -> None:
    """A winter goes on into the next year."""
    time_range = _only(text)
    begin, end = (to_ms(datetime(*month, 1, tzinfo=UTC)) for month in (since, until))
    assert (time_range.since, time_range.until) == (begin, end)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        *[("this weekend", "11-21", "11-23"), ("next weekend", "11-28", "11-30")],
        *[
            ("两个星期前", "11-02", "11-09"),
            ("下周末", "11-28", "11-30"),
            ("先週末", "11-14", "11-16"),
        ],
        *[("今週末", "11-21", "11-23"), ("the past two weeks", "11-04", "11-19")],
        *[("the last week or so", "11-09", "11-16"), ("the last two months", "09-19", "11-19")],
        *[
            ("the last 2 weekends", "11-04", "11-19"),
            ("nas últimas duas semanas", "11-04", "11-19"),
        ],
        *[
            ("过去两周", "11-04", "11-19"),
            ("過去3日間", "11-15", "11-19"),
            ("3年前", "01-01", "01-01"),
        ],
        *[("next week", "11-23", "11-30"), ("proxima semana", "11-23", "11-30")],
        *[("semana que vem", "11-23", "11-30"), ("semana retrasada", "11-02", "11-09")],
        *[
            ("tomorrow", "11-19", "11-20"),
            ("übermorgen", "11-20", "11-21"),
            ("amanhã", "11-19", "11-20"),
        ],
        *[
            ("antes de ontem", "11-16", "11-17"),
            ("明天", "11-19", "11-20"),
            ("明日", "11-19", "11-20"),
        ],
        *[("on 18 November", "11-18", "11-19"), ("on 19 November", "11-19", "11-20")],
        *[("这周", "11-16", "11-23"), ("這週", "11-16", "11-23"), ("這個星期", "11-16", "11-23")],
        *[
            ("这个周末", "11-21", "11-23"),
            ("下週", "11-23", "11-30"),
            ("下個星期", "11-23", "11-30"),
        ],
        *[("おととい", "11-16", "11-17"), ("来週", "11-23", "11-30"), ("上上周", "11-02", "11-09")],
    ],
)
def test_every_day_week_and_weekend(text: str, since: str, until: str) -> None:
    """Whole days, from Monday; "the last two weeks" end with today."""
    time_range = _only(text)
    assert (f"{to_datetime(time_range.since):%m-%d}", f"{to_datetime(time_range.until):%m-%d}") == (
        since,
        until,
    )


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        *[("an hour ago", 90, 30), ("vor drei Stunden", 210, 150), ("há duas horas", 150, 90)],
        *[("10 minutes ago", 10.5, 9.5), ("2小时前", 150, 90), ("5分钟前", 5.5, 4.5)],
        *[("2時間前", 150, 90), ("5分前", 5.5, 4.5), ("vor zehn Minuten", 10.5, 9.5)],
        *[("há dez minutos", 10.5, 9.5)],
    ],
)
def test_hours_and_minutes_ago_are_around_that_moment(
    text: str, before: float, after: float
) -> None:
    """Half a unit to each side, in minutes before now."""
    time_range, now = _only(text), to_ms(NOW)
    assert (time_range.since, time_range.until) == (now - before * 60_000, now - after * 60_000)
    assert (time_range.unit, time_range.month, time_range.day) == ("hour", 0, 0)


def test_the_last_hours_reach_up_to_now() -> None:
    """The present moment included."""
    for text in ("the last two hours", "the past 2 hours", "in den letzten zwei Stunden"):
        time_range, now = _only(text), to_ms(NOW)
        assert (time_range.since, time_range.until, time_range.unit) == (
            now - 7_200_000,
            now + 1,
            "hour",
        )


@pytest.mark.parametrize(
    ("text", "is_relative", "unit", "month", "day"),
    [
        ("2025-03-01", False, "day", 0, 0),
        ("2025-03", False, "month", 0, 0),
        ("in 2024", False, "year", 0, 0),
        ("on 3 May", False, "day", 5, 3),
        ("3 May 2025", False, "day", 0, 0),
        ("in May", False, "month", 5, 0),
        ("in May 2025", False, "month", 0, 0),
        ("last May", False, "month", 0, 0),
        ("on the evening of 3 May", False, "day", 5, 3),
        ("in the summer", False, "season", 0, 0),
        ("yesterday", True, "day", 0, 0),
        ("on Tuesday", True, "day", 0, 0),
        ("yesterday evening", True, "hour", 0, 0),
        ("last week", True, "week", 0, 0),
        ("last weekend", True, "weekend", 0, 0),
        ("last year", True, "year", 0, 0),
        ("two days ago", True, "day", 0, 0),
        ("the last two days", True, "day", 0, 0),
        ("since May", False, "open", 0, 0),
        ("since yesterday", True, "open", 0, 0),
    ],
)
def test_a_range_says_how_exact_it_is(
    text: str, is_relative: bool, unit: str, month: int, day: int
) -> None:
    """And which month or day was named without a year."""
    time_range = _only(text)
    assert (time_range.is_relative, time_range.unit, time_range.month, time_range.day) == (
        is_relative,
        unit,
        month,
        day,
    )


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("since Tuesday", datetime(2026, 11, 17, tzinfo=UTC), None),
        ("seit dem 3. Mai", datetime(2026, 5, 3, tzinfo=UTC), None),
        ("desde março", datetime(2026, 3, 1, tzinfo=UTC), None),
        ("先週以来", datetime(2026, 11, 9, tzinfo=UTC), None),
        ("自从三月", datetime(2026, 3, 1, tzinfo=UTC), None),
        ("after Tuesday", datetime(2026, 11, 18, tzinfo=UTC), None),
        ("nach dem 3. Mai", datetime(2026, 5, 4, tzinfo=UTC), None),
        ("depois de março", datetime(2026, 4, 1, tzinfo=UTC), None),
        ("após março", datetime(2026, 4, 1, tzinfo=UTC), None),
        ("before Tuesday", datetime(1970, 1, 1, tzinfo=UTC), datetime(2026, 11, 17, tzinfo=UTC)),
        ("antes de março", datetime(1970, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)),
    ],
)
def test_an_open_range_begins_or_ends_with_the_time(
    text: str, since: datetime, until: datetime | None
) -> None:
    """Without an end of its own it reaches up to now, the present moment included."""
    time_range = _only(text)
    assert time_range.since == to_ms(since)
    assert time_range.until == (to_ms(until) if until else to_ms(NOW) + 1)


def test_what_has_no_whole_meaning_is_left_out() -> None:
    """A day that does not exist; a text that says more than a time."""
    assert find_ranges("on 31 April", to_ms(NOW), UTC) == []
    assert find_ranges("29 February 2025", to_ms(NOW), UTC) == []
    assert read_range("last week in the office", to_ms(NOW), UTC) is None


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    """A question is short; 2,000 characters bound the work."""
    filler = "tea " * 498
    assert len(find_ranges(f"{filler}today", to_ms(NOW), UTC)) == 1
    assert find_ranges(f"{filler}{'tea ' * 2}today", to_ms(NOW), UTC) == []


def test_a_slash_date_counts_where_it_is_clear() -> None:
    """Days and months are told apart by size or by their separator; else nothing is guessed."""
    for text in ("25/12/2024", "12/25/2024", "25.12.2024"):
        time_range = _only(text)
        assert to_datetime(time_range.since).date() == date(2024, 12, 25)
    assert to_datetime(_only("5/5/2025").since).date() == date(2025, 5, 5)
    assert to_datetime(_only("13/12/2024").since).date() == date(2024, 12, 13)
    assert to_datetime(_only("12/13/2024").since).date() == date(2024, 12, 13)
    assert find_ranges("11/12/2024", to_ms(NOW), UTC) == []
    assert find_ranges("12/11/2024", to_ms(NOW), UTC) == []


def test_a_day_or_month_that_begins_today_is_this_years() -> None:
    """The latest one that began, today included."""
    first = datetime(2026, 11, 1, 8, tzinfo=UTC)
    assert _only("on 18 November").since == to_ms(datetime(2026, 11, 18, tzinfo=UTC))
    assert _only("in November", first).since == to_ms(datetime(2026, 11, 1, tzinfo=UTC))
    assert _only("next November", first).since == to_ms(datetime(2027, 11, 1, tzinfo=UTC))
