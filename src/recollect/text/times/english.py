"""English words of time."""

from __future__ import annotations

from recollect.text.times.words import (
    EVENING_HOURS,
    MORNING_HOURS,
    NIGHT_HOURS,
    NOON_HOURS,
    Table,
)

_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_SHORT_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_VERBS = frozenset(("march", "mar", "may"))
_MONTH_NUMBERS = {
    name: number for names in (_MONTHS, _SHORT_MONTHS) for number, name in enumerate(names, 1)
} | {"sept": 9}

TABLE: Table = {
    "M": {name: number for name, number in _MONTH_NUMBERS.items() if name not in _VERBS},
    "m": {name: number for name, number in _MONTH_NUMBERS.items() if name in _VERBS},
    "W": {name: day for day, name in enumerate(_DAYS)},
    "w": {name[:3]: day for day, name in enumerate(_DAYS)} | {"tues": 1, "thurs": 3},
    "D": {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1},
    "R": {"last": -1, "previous": -1, "this": 0, "next": 1},
    "U": {
        name + plural: name
        for name in ("minute", "hour", "day", "week", "weekend", "month", "year")
        for plural in ("", "s")
    },
    "P": {
        "morning": MORNING_HOURS,
        "noon": NOON_HOURS,
        "afternoon": NOON_HOURS,
        "evening": EVENING_HOURS,
        "night": NIGHT_HOURS,
    },
    "T": {"tonight": (NIGHT_HOURS, 0)},
    "K": {"summer": 6, "autumn": 9, "winter": 12},
    "k": {"spring": 3, "fall": 9},
    "N": {name: number for number, name in enumerate(_NUMBERS, 1)}
    | {"a": 1, "an": 1, "couple": 2, "few": 3},
    "o": {name: number for number, name in enumerate(_ORDINALS, 1)},
    "A": {"ago": None},
    "Z": {"past": None},
    "I": dict.fromkeys(("in", "on", "during", "from", "by", "around", "until", "till")),
    "F": {"of": None},
    "t": {"the": None},
    "b": {"before": None},
    "S": {"since": None},
    "E": {"after": None},
    "e": {"every": None, "each": None},
}
