"""The data of German."""

from __future__ import annotations

from recollect.text.languages.language import (
    ASSISTANT,
    DECIDED,
    DESIGNED,
    EVENING_HOURS,
    EVENT,
    FAILED,
    FIRST_PERSON,
    FIXED,
    HAPPENED,
    HELD,
    LASTING,
    MORNING_HOURS,
    NIGHT_HOURS,
    NOON_HOURS,
    NOW,
    OPEN,
    PAST,
    PAST_TENSE,
    STATE,
    Language,
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


_TIMES: Table = {
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
_FUNCTION_WORDS = """
    aber als also am an auch auf aus bei beim bin bis bist da damit dann das dass davon dazu dein
    deine dem den denn der des dich die dies diese diesem diesen dieser dir doch du durch ein eine
    einem einen einer eines er es etwas euch euer fur gab gegen gibt habe haben hast hat hatte
    hatten heissen heisst ich ihm ihn ihr ihre im immer in ins ist ja jetzt kann kein keine machen
    macht mal man mehr mein meine meinem meinen meiner mich mir mit muss nach nicht noch nun nur ob
    oder ohne schon sein seine sich sie sind so uber um und uns unser unsere unserem unseren unserer
    unter viel viele vom von vor wann war waren warum was weil welche welchem welchen welcher
    welches wem wen wenn wer werden wie wieviel will wir wird wo woher wohin wurde wurden zu zum zur
"""


LANGUAGE = Language(
    code="de",
    times=_TIMES,
    function_words=_FUNCTION_WORDS,
    question_kinds={
        EVENT: (
            r"^(?:und )?(?:warum|wieso|weshalb)\b|\bseit wann\b|\bwie oft (?:war|hat|habe|haben"
            r"|bin)\b|\bwie lange (?:wohne|arbeite)\b|\bpassiert\b|\berzahl\b"
        ),
        PAST: (
            r"\b(?:fruher\w*|vorher\w*|davor|damals|ehemals|ehemalige\w*|ursprunglich\w*|zuvor"
            r"|einst|anfangs|bisher\w*|bis dahin|zunachst|wohnte\w*|arbeitete\w*|nutzte\w*"
            r"|benutzte\w*|verwendete\w*|hiess|galt|fuhr\w*|kostete|zahlte\w*|vorige\w*)\b"
            r"|\balte[nrsm]?\b|\bvor (?:de[mnr]|\w+)\b.*\b(?:war\w*|hatte\w*|wohnte\w*|nutzten"
            r"|gewohnt|benutzt|verwendet)\b|\b(?:war\w*|hatte\w*|wohnte\w*|haben"
            r"|habe) .*\bvor (?!allem)\w+\b"
        ),
        PAST_TENSE: (
            r"\b(?:war|warst|waren|wart|hatte|hattest|hatten|wurde|wurden|wohnte|arbeitete|ging"
            r"|gab|kam|sagte)\b|\b(?:hab|habe|hast|hat|haben|habt)\b.*\b(?:ge\w+(?:t|en)"
            r"|\w+ge\w+(?:t|en)|\w+iert|be\w+(?:t|en)|ver\w+(?:t|en)|er\w+(?:t|en)|ent\w+en)$"
            r"|\b(?:bin|bist|ist|sind)\b.*\b(?:\w*gegangen|\w*gefahren|\w*gezogen|passiert"
            r"|\w*gekommen|geworden|geblieben|gewesen|gestorben|geflogen|gereist|\w*gewechselt)$"
            r"|\bgestern\b"
        ),
        HAPPENED: (
            r"\b(?:gesagt|sagte|erzahlt|passiert|empfohlen|gekauft|gegangen|besucht|getroffen"
            r"|gesehen|gelesen|entschieden|umgezogen|gewechselt|repariert|besprochen|gemacht"
            r"|bezahlt|geschickt|erklart)\b"
        ),
        HELD: (
            r"\b(?:gewohnt|wohnte|gearbeitet|arbeitete|benutzt|verwendet|genutzt|gefahren"
            r"|gezahlt|war|waren|hatte|hatten|gehabt)\b"
        ),
        STATE: (
            r"\b(?:ist|sind|bin|habe|haben|hat|wohne\w*|arbeite\w*|heisst|heisse|benutz\w+"
            r"|nutz\w+|verwend\w+|kostet|zahl\w+|fahr\w+|gehor\w+|beginnt|lauft|findet|endet"
            r"|lautet|steht|liegt|gilt|mag|soll|muss|darf|kann|wird)\b|^(?:mein|meine|unser"
            r"|unsere|aktuelle\w*)\b|\b(?:derzeit|gerade|jetzt|momentan|aktuell|zurzeit)\b"
            r"|^(?:\w+ )?(?:wer|wen|wem|wo|wohin|wie|wieviel|welche\w*|was|wann)\b"
        ),
    },
    cue_words={
        NOW: """
            aktuell aktuelle aktuellen aktueller derzeit heutzutage inzwischen jetzt mittlerweile
            momentan noch zurzeit
        """,
        FIRST_PERSON: """
            ich mich mir mein meine meinem meinen meiner wir uns unser unsere unserem unseren
            unserer
        """,
    },
    cue_patterns={
        NOW: r"\bnicht mehr\b",
        ASSISTANT: (
            r"\b(?:hast|hattest) du\b"
            r"|\bdu\b.{0,60}?"
            r"\b(?:empfohlen|erklart|erwahnt|genannt|geraten|gesagt|vorgeschlagen)\b"
            r"|\bdeine?[nr]? (?:antwort|empfehlung|erklarung|rat|tipp|vorschlag)"
        ),
    },
    address_words="du dein deine deinen deiner",
    statements={
        LASTING: (
            r"merke?n?(?: dir| sie sich)?|vergiss nicht|vergessen sie nicht|denke? daran"
            r"|wichtig\w*|muss|müssen|darf nicht|nie|niemals|immer|ab jetzt|bevorzug\w+|frist"
            r"|fällig|geburtstag|allergi\w+|ich heiße|mein name|nenn mich|ich wohne|ich arbeite"
        ),
        DECIDED: (r"entschieden|beschlossen|entscheidung|vereinbart|wir nehmen|abgemacht"),
        OPEN: r"offen\w*|noch nicht|nächste[rn]? schritte?",
        FAILED: r"fehler|fehlgeschlagen",
        FIXED: r"(?<!-)(?:behoben|repariert)",
        DESIGNED: r"architektur\w*",
    },
)
