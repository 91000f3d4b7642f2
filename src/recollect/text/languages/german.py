"""The data of German."""

from __future__ import annotations

from recollect.text.languages.language import (
    ASKS,
    ASSISTANT,
    CAUSED,
    CHANGED,
    CURED,
    DATED,
    DECIDED,
    DONE,
    EARLIER,
    EVENING_HOURS,
    EVENT,
    FAILED,
    FIRST_PERSON,
    FIXED,
    HAPPENED,
    HELD,
    LASTING,
    MORNING_HOURS,
    NAMED_TIME,
    NIGHT_HOURS,
    NOON_HOURS,
    NOW,
    OPEN,
    PARTS,
    PAST,
    PAST_TENSE,
    PLANNED,
    RELATES,
    REPAIRS,
    REQUEST,
    SETTLED,
    STATE,
    TOTAL,
    TROUBLE,
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
        REQUEST: (
            r"(?:^|[.!?] )(?:bitte |(?:kannst|konntest|wurdest) du (?:mir |uns )?(?:bitte )?"
            r"|hilf mir )*(?:(?:fasse?|schreibe?|erklare?|zeige?|erstelle?|vergleiche?|ubersetze?"
            r"|entwirf) (?!ich\b)|hilf\b)|^(?:gib|mach|bitte|ich)\b.*\b(?:zusammenfassung"
            r"|uberblick)\b|\bchronologisch\w*|^(?:kannst|konntest|wurdest|konnen|konnten) (?:du"
            r"|sie)\b.*\b(?:zusammenfassen|erklaren|helfen|schreiben|erstellen|empfehlen"
            r"|vorschlagen|beschreiben|vergleichen)\b|\bwie (?:soll(?:te)?n?|konnten?|kann"
            r"|konnen) (?:ich|wir)\b(?!.*\b(?:erreich|kontaktier|anruf)\w+)|\b(?:empfiehlst|ratst"
            r"|wurdest) du\b|\bschlagst du\b.* vor\b|^(?:liste?|nenne?|zahle?"
            r"|ordne?)\b.*\b(?:reihenfolge|der reihe nach)\b|\b(?:tipps|ratschlage?"
            r"|vorschlage) (?:fur|zu|zum|zur)\b"
        ),
        TOTAL: (
            r"\bwie ?viele?\b(?! mal\b)(?=.*\b(?:bisher|bislang|schon|insgesamt|bis (?:jetzt"
            r"|heute)|inzwischen|mittlerweile)\b)(?=.*\b(?:habe?|hat|haben|bin|ist|sind"
            r"|wurden?)\b)(?!.*\b(?:seit|vergangen)\b)"
        ),
        DATED: (
            r"^(?!.*\b(?:jetzt|noch|aktuell\w*|derzeit)\b).*\b(?:im|im jahre?|anfang|mitte|ende"
            r"|im (?:fruhling|fruhjahr|sommer|herbst|winter)) "
        ),
        EVENT: (
            r"\bwie ?viele? (?:\w+ )?(?:minuten|stunden|tage|nachte|wochen|monate"
            r"|jahre)\b(?=.*\bzwischen\b.* und\b)|\b(?:sagt|antwortet|reagiert|erwidert|verspricht"
            r"|entgegnet) (?!(?:der|die|das|ein\w*|mein\w*|unser\w*|es|ich|man|wir|du)\b)\w+"
            r"|\b(?:warum|wieso|weshalb|wozu|grunde?)\b|\bseit (?:wann|wie)\b|\bpassiert\b"
            r"|\bwohin (?:bin|bist|ist|sind)\b|\berzahl\b|\bwie (?:oft|lange) (?:wohnten?"
            r"|arbeiteten?|war|waren|hat|habe|haben|bin|sind|ist .*\w{3}en$|wohne|arbeite)\b"
            r"|\bwann (?:war|hat|habe|haben|bin|sind|wurde)\b(?!.*\b(?:ursprunglich|geplant|fruher"
            r"|zuerst|vorgesehen))|\bzuletzt\b|\bletzte[ns]? mal\b|^wie (?:war|lief|ging"
            r"|verlief)\b(?! \w+ \w*(?:name|nummer|adresse))(?=.*\b(?:de[rmn]|die|das|es"
            r"|bei)\b)(?!.*\b(?:alte|fruher|vorher|ursprunglich|vorige)\w*)"
        ),
        PAST: (
            r"\b(?:fruher\w*|vorher\w*|davor|damals|damalig\w*|ehemals|ehemalige\w*|zuvor|einst"
            r"|ursprunglich\w*|anfangs|bisher\w*|bis dahin|zunachst|vorige\w*|vorgange\w+|wohnten?"
            r"|arbeiteten?|(?:be)?nutzten?|verwendeten?|hiess\w*|galt|galten|kosteten?|lauteten?"
            r"|gehorten?|leiteten?|betreuten?|am anfang|zu beginn|zuerst|anfanglich\w*|ex-\w+"
            r"|jahrelang|erste[nrs]? (?:chef|job|auto|wohnung|handy|lehrer|schule)\w*)\b"
            r"|\balte[nrsm]?\b"
        ),
        EARLIER: (
            r"\b(?:bevor|ehe|als|wahrend)\b[^,]*|\bvor (?!allem|ort|kurzem|lange[mr]|ein|zwei"
            r"|drei|vier|\d|\w+ (?:tagen|wochen"
            r"|monaten|jahren))\w+"
            r"|\bbis (?!wann|wohin|zu welche)\w+"
        ),
        NAMED_TIME: (
            r"\b(?:noch|jede[nrs]?|immer|taglich|meistens|normalerweise|(?:schul|studien|kinder"
            r"|jugend|lehr)\w*zeit|\w+ jahren|im studium"
            r"|in der (?:schule|uni|lehre)|(?:in|unter|nach) der (?:ersten|alten)|damals)\b"
        ),
        PAST_TENSE: (
            r"\b(?:war|warst|waren|wart|hatte|hattest|hatten|wurde|wurdest|wurden|konnte"
            r"|konnten|musste|mussten|wollte|wollten|sollte|sollten|durfte|durften|ging|gingen"
            r"|gab|gaben|kam|kamen|lief|liefen|stand|standen|hiess|hiessen|galt|galten|fuhr"
            r"|fuhren|sah|sahen|fand|fanden|nahm|nahmen|schrieb|blieb|ass|assen|trank|trug"
            r"|sprach|sprachen|schlief|lag|lagen|hielt|begann|verlor|traf|trafen|rief|bekam"
            r"|bekamen|half|zog|zogen|flog|flogen|starb|gewann|verliess|ubernahm|las|lasen|liess"
            r"|liessen|empfahl"
            r"|unterschrieb|brach|wog|wogen|trank|tranken|hing|hingen|sass|sassen|wuchs|brachten?"
            r"|kannten?|wusste|schien|besass)\b"
            r"|^(?:\w+ )?(?:wer|wen|wem|was|wo\w*|wie|wann|(?:welche\w*|wie ?viele?n?"
            r"|was fur(?: ein\w*)?)(?: \w+){1,2}) (?:\w{2,}te|\w{2,}ten|\w{2,}test)\b"
            r"(?<!heute)(?<!hosten)(?<!posten)(?<!leisten)(?<!richten)(?<!warten)(?<!achten)"
            r"(?<!bitte)(?<!letzte)(?<!arbeiten)(?<!leiten)(?<!miete)(?<!konten)"
            r"(?<!daten)(?<!mochte)(?<!halten)(?<!kosten)(?<!karten)(?<!alte)(?<!alten)"
            r"(?<!arbeite)(?<!warte)(?<!erste)(?<!beste)(?<!starten)(?<!testen)(?<!rechte)"
            r"|\b(?:hab|habe|hast|hat|haben|habt)\b.*\b(?:ge\w+(?:t|en|ed)|\w+ge\w+(?:t|en|ed)"
            r"|\w+iert|(?:be|ver|er|ent|zer|emp|miss|uber|unter|wider)\w+(?:t|en)|getan)(?=$|,"
            r"| und | oder | hat| habe| bevor)"
            r"|\b(?:bin|bist|ist|sind|seid)\b.*\b(?:\w*(?:gegangen|gefahren|gezogen|passiert"
            r"|gekommen|geworden|geblieben|gewesen|gestorben|geflogen|gereist|gewechselt"
            r"|gelaufen|geschlagen|gefallen|gestiegen|sturzt|geboren|gelungen|geschehen"
            r"|schwunden|schienen|gescheitert|gelandet))\b"
            r"|\bgestern\b"
        ),
        HAPPENED: (
            r"\b(?:gesagt|sagten?|erzahlt|passiert|empfohlen|empfahl|gekauft|kauften?|gegangen"
            r"|besucht|besuchten?|getroffen|gesehen|gelesen|entschieden|umgezogen|gewechselt"
            r"|repariert|besprochen|gemacht|beglichen|geschickt|schickten?|erklart"
            r"|wurden?|gesprochen|gefunden|bekommen|passierte|ausgegeben|geschrieben|gegeben"
            r"|gegessen|getrunken|bestellt|unterschrieben|gewonnen|verloren|eingeladen"
            r"|abgeschickt|gefragt|geantwortet|gestrichen|gelost|gebucht|getan|gefuhlt|gestartet"
            r"|erreicht)\b"
        ),
        HELD: (
            r"\b(?:\w*gewohnt|wohnten?|gelebt|lebten?|gearbeitet|arbeiteten?|(?:be)?nutzten?"
            r"|benutzt|verwendet\w*|genutzt|gefahren|fuhr|fuhren|gezahlt|zahlten?|bezahlt"
            r"|war|waren|hatten?|gehabt|hiess\w*|geheissen|stand|standen|lag|lagen|galt"
            r"|galten|kosteten?|lauteten?|gekostet|gehorten?|betreut\w*|leiteten?|geleitet|lief"
            r"|liefen"
            r"|hielt|gehalten|verdient\w*|gewesen|besass|jede[nrs]?|immer|taglich|meistens"
            r"|normalerweise|wog|trank|hing|studiert\w*|trug|machten?"
            r"|nahm|nahmen|sah .* aus|gab .* frei|sprachen?|unterrichtet\w*"
            r"|gespielt|spielten?|kannten?|gekannt|bezogen|sassen?|fuhrte)\b|[|]"
        ),
        STATE: (
            r"^w\w+ (?:war|waren|hiess) (?:\w+ )?(?:doch|gleich|noch ?mal)\b|\b(?:ist|sind|bin"
            r"|bist|habe|haben|hat|hast|wohne\w*|arbeite\w*|heisst|heisse"
            r"|benutz(?:e|en|t)|nutz(?:e|en|t)|verwende[nt]?|kostet|zahl(?:e|en|t)"
            r"|fahr(?:e|en|t)|gehor(?:e|en|t)|beginnt|lauft|findet|endet|lautet|steht|liegt"
            r"|gilt|mag|soll|muss|darf|kann|konnen|mussen|sollen|wird|werden|geht|kommt|braucht"
            r"|brauche)\b"
            r"|\b(?:derzeit|gerade|jetzt|momentan|aktuell\w*|zurzeit|inzwischen|mittlerweile"
            r"|heutzutage|neueste[nrs]?|immer noch)\b"
        ),
        ASKS: (
            r"^(?:\w+ )?(?:wer|wen|wem|wessen|wo|wo\w{2,4}|wie|wieviel|welche\w*|was|wann"
            r"|mein\w*|unser\w*|der|die|das|name)\b|^\w{2,}(?:e|st|t|en) (?:ich|du|er|sie|es|wir"
            r"|ihr|man|mein\w*|unser\w*|der|die|das)\b"
        ),
    },
    cue_words={
        NOW: """
            aktuell aktuelle aktuellen aktueller derzeit heutzutage inzwischen jetzt mittlerweile
            momentan neueste neuesten neuester noch zurzeit
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
    denials=(
        ("nie", r"\b(?:habe?|haben|bin|sind|hatten?|war(?:en)?) (?:\w+ ){0,5}?nie(?:mals)?\b"),
        ("noch", r"\b(?:habe?|haben|bin|sind) (?:\w+ ){0,5}?noch (?:nicht|kein\w*)\b"),
    ),
    statements={
        DONE: (
            r"(?:habe?|haben|bin|sind|hatten?|war(?:en)?) (?:[\w.-]+ ){0,8}?"
            r"(?:\w*ge\w+(?:t|en)|\w+iert|(?:be|ver|er|ent|zer|über)\w+(?:t|en))"
        ),
        LASTING: (
            r"merke?n?(?: dir| sie sich)?|vergiss nicht|vergessen sie nicht|denke? daran"
            r"|wichtig\w*|muss|müssen|darf nicht|nie|niemals|immer|ab jetzt|bevorzug\w+|frist"
            r"|fällig|geburtstag|allergi\w+|ich heiße|mein name|nenn mich|ich wohne|ich arbeite"
        ),
        DECIDED: (r"entschieden|beschlossen|entscheidung|vereinbart|wir nehmen|abgemacht"),
        OPEN: r"offen\w*|noch nicht|nächste[rn]? schritte?",
        FAILED: r"fehler|fehlgeschlagen",
        FIXED: (
            r"war (?:nur )?(?:der|die|das|ein\w*) [\w -]{2,30}, .{0,40}(?:geht|läuft|klappt"
            r"|funktioniert)|gelöst(?= ?[:.]|$)|(?:fehler|bug|ursache|problem) gefunden|war (?:nur"
            r" )?(?:ein\w*|der"
            r"|die|das) (?:falsch|"
            r"fehlend|abgelaufen|alt|kaputt|veraltet|doppelt)\w*|(?<!-)(?:behoben|repariert|gefixt"
            r"|ausgebessert)|(?:fehler|bug|problem|absturz|leck)\w*"
            r"(?: \w+){0,4}? (?:gelöst|beseitigt|weg)|(?:haupt)?ursache\w*(?: \w+){0,4}? (?:war\w*"
            r"|ist|lag)"
            r"|(?:fehler|problem|bug|absturz|grund)\w*(?: \w+){0,4}? (?:war|lag|kam) (?!noch|nicht"
            r"|es)"
            r"|(?:lag|liegt|lag's) (?:daran|am|an der|an den|an dem)|schuld war"
        ),
        REPAIRS: r"(?:behebe\w*|behebt|behoben|repariert?\w*|korrigier\w*|fixe|gefixt)",
        PLANNED: (
            r"werden?|wird|soll\w*|muss|müssen|nicht|kein\w*|bis|wenn|falls|sobald|kann|bitte|noch"
        ),
        CAUSED: (
            r"weil|wegen|ursache|lag|daran|verursacht\w*|stellte sich heraus|fehlte\w*|falsch\w*"
        ),
        TROUBLE: (
            r"fehler\w*|fehlt\w*|falsch\w*|abst[uü]rz\w*|leck\w*|doppelt\w*|nie|null|veraltet\w*"
            r"|timeout\w*|langsam\w*"
            r"|verloren|kaputt\w*|hing|hängt\w*|leer\w*|zu (?:früh|spät|klein|groß|kurz|lang)"
            r"|vergessen|problem\w*"
            r"|abgelaufen\w*|überschrieben\w*|bug|blockier\w*|konflikt\w*|zweimal|abbr\w+|[45]\d\d"
        ),
        CURED: (
            r"erledigt|alles (?:gut|grün)|passt wieder|stabil|(?:läuft|geht|funktioniert|klappt"
            r"|stimmt|stimmen|passt) (?:jetzt|wieder|nun)|(?:jetzt"
            r"|nun) (?:geht|läuft|klappt"
            r"|stimmt|passt|funktioniert)|wieder (?:grün|da|gut)|ist weg|sind weg|tritt nicht mehr"
        ),
        CHANGED: (
            r"jetzt|nun|entfernt|verschoben|erhöht|ersetzt|umgestellt|geschlossen|ergänzt"
            r"|hinzugefügt|geändert|gesetzt"
            r"|erneuert|zurückgesetzt|angepasst|korrigiert|grün"
        ),
        SETTLED: (
            r"ab (?:jetzt|sofort|heute|morgen) .*|wir (?:gehen|bleiben|setzen|starten|warten"
            r"|brauchen kein\w*) .*|(?:nimm|nehmt|wir"
            r" nehmen|wir machen|wir lassen|wir verschieben|wir nutzen|wir"
            r" verwenden|wir behalten|wir streichen) .*|lieber \w+ (?:als|statt) .*|lass(?:t)? uns"
            r" (?:das|es|die|den|mit|bei) .*|abgemacht ?: ?.*|(?:der|die|das) \w+ (?:wird|bleibt)"
            r" \w+, (?:kein|nicht) .*|dann (?:die |den )?(?:variante|option|lösung|plan) .*|wir"
            r" haben uns (?:für|gegen|auf)"
            r" .*"
            r"|(?:entschieden|entscheidung|beschlossen|festgelegt) ?: ?\w.{8,}|(?:nein, )?kein\w?"
            r" \w[\w .+-]{1,30}"
            r"[.,;:] ?\w[\w .+-]{1,30} reicht.*|(?:es|der|die|das|wir) ?[\w ]{0,30}? ?bleib(?:t|en)"
            r" (?:bei|beim) .*"
            r"|(?:wir )?(?:nehmen|nimm) (?:die )?(?:variante|option|lösung) .*|.*\b(?:ist|sind)"
            r" raus"
        ),
        RELATES: (
            r"sprich\w*|sprechen|ruft|rufen|teilen sich|kennt|kennen|hängt|hängen|schreibt (?:in"
            r"|nach)"
            r"|liest aus|besteht aus|aufbau|architektur|greift|greifen|gehört|dreiteilig|nur (?:der"
            r"|die|das)"
        ),
        PARTS: (
            r"frontend|backend|bff|\w*dienst\w*|\w*schicht\w*|modul\w*|datenbank\w*|gateway|kern"
            r"|speicher"
            r"|system|bestellung|lager|komponent\w*|schnittstelle\w*|paket\w*|warteschlange|client"
            r"|server"
        ),
    },
    greetings="hallo|danke",
)
