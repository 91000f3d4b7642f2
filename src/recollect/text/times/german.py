"""German words of time."""

from __future__ import annotations

from recollect.text.times.words import (
    EVENING_HOURS,
    MORNING_HOURS,
    NIGHT_HOURS,
    NOON_HOURS,
    Table,
)

_DAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()
_MONTHS = (
    "januar februar marz april mai juni juli august september oktober november dezember".split()
)
_NUMBERS = "zwei drei vier funf sechs sieben acht neun zehn elf zwolf".split()
_UNITS = {
    "minute": ("minute", "minuten"),
    "hour": ("stunde", "stunden"),
    "day": ("tag", "tage", "tagen", "tages"),
    "week": ("woche", "wochen"),
    "weekend": ("wochenende", "wochenenden"),
    "month": ("monat", "monate", "monaten", "monats"),
    "year": ("jahr", "jahre", "jahren", "jahres"),
}


def _inflected(stem: str) -> list[str]:
    return [stem + ending for ending in ("e", "en", "er", "es", "em")]


TABLE: Table = {
    "M": {name: number for number, name in enumerate(_MONTHS, 1)} | {"janner": 1, "feber": 2},
    "W": {name: day for day, name in enumerate(_DAYS)} | {"sonnabend": 5},
    "D": {"gestern": -1, "vorgestern": -2, "heute": 0, "ubermorgen": 2},
    "R": dict.fromkeys([*_inflected("letzt"), *_inflected("vergangen"), *_inflected("vorig")], -1)
    | dict.fromkeys(_inflected("vorletzt"), -2)
    | dict.fromkeys(_inflected("dies"), 0)
    | dict.fromkeys(_inflected("nachst"), 1),
    "U": {word: unit for unit, words in _UNITS.items() for word in words},
    "P": {
        "vormittag": MORNING_HOURS,
        "nachmittag": NOON_HOURS,
        "abend": EVENING_HOURS,
        "nacht": NIGHT_HOURS,
    },
    "g": {"morgen": MORNING_HOURS, "fruh": MORNING_HOURS, "mittag": NOON_HOURS},
    "K": {"fruhling": 3, "fruhjahr": 3, "sommer": 6, "herbst": 9, "winter": 12},
    "N": {name: number for number, name in enumerate(_NUMBERS, 2)}
    | dict.fromkeys(("ein", "eine", "einem", "einen", "einer"), 1)
    | dict.fromkeys(("paar", "einige", "einigen"), 3),
    "A": {"vor": None},
    "I": dict.fromkeys(("im", "am", "bis", "vom", "zum", "ab")),
    "F": {"des": None},
    "t": dict.fromkeys(("der", "die", "das", "den", "dem")),
    "S": {"seit": None},
    "E": {"nach": None},
    "e": dict.fromkeys((*_inflected("jed"), "alle")),
}
