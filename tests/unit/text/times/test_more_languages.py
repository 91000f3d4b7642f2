"""Times in Spanish, French and Korean, asked on the afternoon of Wednesday, 18 November 2026."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.core.clock import to_datetime, to_ms
from recollect.text.times.ranges import find_ranges

NOW = datetime(2026, 11, 18, 15, tzinfo=UTC)


def _days(text: str) -> list[str]:
    """Return the ranges in a text by their first day and the first one after; with hours if any."""
    ranges = find_ranges(text, to_ms(NOW), UTC)
    return [f"{_shown(each.since)} {_shown(each.until)}" for each in ranges]


def _shown(at: int) -> str:
    moment = to_datetime(at)
    return f"{moment:%m-%d}" + (f"T{moment:%H}" if moment.hour else "")


@pytest.mark.parametrize(
    ("expected", "texts"),
    [
        ("11-17 11-18", ["que dije ayer", "qu'ai-je dit hier ?", "qu’ai-je dit hier ?"]),
        ("11-17 11-18", ["어제 내가 뭐라고 했지?", "하루 전", "el martes pasado", "mardi dernier"]),
        ("11-17 11-18", ["que dije el martes", "지난 화요일", "화요일에"]),
        ("11-18 11-19", ["hoy", "aujourd'hui", "오늘"]),
        ("11-16 11-17", ["anteayer", "antes de ayer", "avant-hier", "그저께", "이틀 전에"]),
        ("11-20 11-21", ["pasado mañana", "après-demain", "모레"]),
        ("11-09 11-16", ["la semana pasada", "la semaine dernière", "지난주", "지난 주에"]),
        ("11-16 11-23", ["esta semana", "cette semaine", "이번 주"]),
        (
            "11-02 11-09",
            ["hace dos semanas", "il y a deux semaines", "2주 전", "두 주 전", "지지난주"],
        ),
        ("11-10 11-11", ["지난주 화요일"]),
        ("11-16 11-17", ["hace 2 días", "il y a deux jours", "2일 전에"]),
        ("11-11 11-12", ["il y a sept jours, qu'ai-je dit ?", "hace siete días"]),
        ("11-07 11-08", ["que dijo ella hace once días"]),
        ("10-01 11-01", ["el mes pasado", "le mois dernier", "지난달", "지난 달", "한 달 전"]),
        ("08-01 09-01", ["hace tres meses", "il y a trois mois", "3개월 전", "세 달 전"]),
        ("03-01 04-01", ["en marzo", "en mars", "3월에"]),
        ("05-03 05-04", ["el 3 de mayo", "le 3 mai", "5월 3일", "5월 3일 전화"]),
        ("11-14 11-16", ["el fin de semana pasado", "la fin de semaine dernière", "지난 주말"]),
        ("11-14 11-16", ["de quoi avons-nous parlé le week-end dernier ?"]),
        ("11-18T05 11-18T12", ["esta mañana", "ce matin", "오늘 아침"]),
        ("11-17T18 11-18", ["hier soir", "어제 저녁", "ayer por la noche"]),
        ("11-17T12 11-17T18", ["ayer por la tarde", "hier après-midi", "어제 오후"]),
        ("11-17T18 11-18T06", ["anoche", "la nuit dernière", "어젯밤"]),
        ("11-15 11-19", ["los últimos tres días", "les trois derniers jours", "지난 3일 동안"]),
        ("06-01 09-01", ["l'été dernier", "지난 여름"]),
        ("01-01 01-01", ["el año pasado", "l'année dernière", "l'an dernier", "작년", "지난해"]),
        ("11-09 11-18T15", ["desde la semana pasada", "depuis la semaine dernière", "지난주 이후"]),
        ("11-18T13 11-18T14", ["hace una hora", "il y a une heure, qu'ai-je dit ?", "1시간 전"]),
    ],
)
def test_a_time_means_the_same_in_every_language(expected: str, texts: list[str]) -> None:
    """Days, weeks, months and years; parts of a day; those up to now."""
    for text in texts:
        assert _days(text) == [expected], text


@pytest.mark.parametrize("form", ["{} pasado", "{} dernier", "{}"])
def test_every_weekday_is_the_latest_one_before_today(form: str) -> None:
    """Today's own name means the one a week ago."""
    names = {
        "{} pasado": "lunes martes miércoles jueves viernes sábado domingo",
        "{} dernier": "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "{}": "월요일 화요일 수요일 목요일 금요일 토요일 일요일",
    }
    latest = ["11-16", "11-17", "11-11", "11-12", "11-13", "11-14", "11-15"]
    days = [_days(form.format(name))[0].split()[0] for name in names[form].split()]
    assert days == latest


@pytest.mark.parametrize(
    "names",
    [
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    ],
)
def test_every_month_is_the_latest_that_began(names: str) -> None:
    """With the preposition that both languages have."""
    for number, name in enumerate(names.split(), 1):
        assert _days(f"en {name}")[0].startswith(f"{number:02}-01 "), name


@pytest.mark.parametrize(
    "text",
    [
        *["Hier ist der Schlüssel", "Ist das hier richtig?", "Wo ist hier das Bad?", "el mar"],
        *[
            "mars bars",
            "du bist hier",
            "cada martes",
            "chaque lundi",
            "매주 화요일",
            "그제야",
        ],
        *["a once in a lifetime trip days ago", "LA", "las Bücher", "전화", "운전", "하루"],
    ],
)
def test_a_word_of_another_language_is_no_time(text: str) -> None:
    """German "hier" is here, and no yesterday."""
    assert _days(text) == []


def test_an_article_of_one_language_is_a_city_in_another() -> None:
    """Only the words of the time are cut from the question."""
    (time_range,) = find_ranges("What happened in LA last week?", to_ms(NOW), UTC)
    assert time_range.start == len("What happened in LA ")
