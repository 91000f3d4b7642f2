"""Portuguese words of time, of Brazil and of Portugal; seasons are not the same there."""

from __future__ import annotations

from recollect.text.times.words import (
    EVENING_HOURS,
    MORNING_HOURS,
    NOON_HOURS,
    OTHER,
    Table,
)

_DAYS = "segunda terca quarta quinta sexta".split()
_MONTHS = (
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro"
).split()
_NUMBERS = "dois tres quatro cinco seis sete oito nove dez onze doze".split()
_UNITS = {
    "minute": ("minuto", "minutos"),
    "hour": ("hora", "horas"),
    "day": ("dia", "dias"),
    "week": ("semana", "semanas"),
    "weekend": ("fim de semana", "final de semana", "fins de semana"),
    "month": ("mes", "meses"),
    "year": ("ano", "anos"),
}

TABLE: Table = {
    OTHER: dict.fromkeys(("no mar", "do mar", "ao mar", "o mar")),  # the sea, no month of English
    "M": {name: number for number, name in enumerate(_MONTHS, 1) if name != "marco"},
    "m": {"marco": 3},  # a name and a milestone
    "W": {f"{name} feira": day for day, name in enumerate(_DAYS)} | {"sabado": 5, "domingo": 6},
    "w": {name: day for day, name in enumerate(_DAYS)},
    "D": {"ontem": -1, "anteontem": -2, "antes de ontem": -2, "hoje": 0, "amanha": 1},
    "R": {
        **dict.fromkeys(("passado", "passada", "passados", "passadas"), -1),
        **dict.fromkeys(("ultimo", "ultima", "ultimos", "ultimas"), -1),
        **dict.fromkeys(("retrasado", "retrasada"), -2),
        **dict.fromkeys(("este", "esta", "neste", "nesta", "deste", "desta"), 0),
        **dict.fromkeys(("proximo", "proxima"), 1),
        "que vem": 1,
    },
    "U": {word: unit for unit, words in _UNITS.items() for word in words},
    "P": {
        "manha": MORNING_HOURS,
        "pela manha": MORNING_HOURS,
        "de manha": MORNING_HOURS,
        "tarde": NOON_HOURS,
        "a tarde": NOON_HOURS,
        "a noite": EVENING_HOURS,
        "noite": EVENING_HOURS,
    },
    "N": {name: number for number, name in enumerate(_NUMBERS, 2)}
    | {
        "um": 1,
        "uma": 1,
        "duas": 2,
    },
    "o": {"primeiro": 1},
    "A": {"ha": None, "faz": None, "atras": None},
    "I": dict.fromkeys(("em", "no", "na", "nos", "nas", "ate", "durante")),
    "F": dict.fromkeys(("de", "do", "da")),
    "t": dict.fromkeys(("o", "os", "as")),
    "S": {"desde": None},
    "B": {"antes de": None, "antes do": None, "antes da": None},
    "E": dict.fromkeys(("depois de", "depois do", "depois da", "apos")),
    "e": dict.fromkeys(("cada", "todo", "toda", "todos", "todas")),
}
