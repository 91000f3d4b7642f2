"""The data of French."""

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

_DAYS = "lundi mardi mercredi jeudi vendredi samedi dimanche".split()
_MONTHS = (
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre"
).split()
_NUMBERS = "deux trois quatre cinq six sept huit neuf dix onze douze".split()
_UNITS = {
    "minute": ("minute", "minutes"),
    "hour": ("heure", "heures"),
    "day": ("jour", "jours"),
    "week": ("semaine", "semaines"),
    "weekend": ("fin de semaine", "weekend", "weekends"),
    "month": ("mois",),
    "year": ("annee", "annees"),
}
_LAST = ("derniers", "dernieres")
_TIMES: Table = {
    "M": {name: number for number, name in enumerate(_MONTHS, 1) if name != "mars"},
    "m": {"mars": 3},  # a planet
    "W": {name: day for day, name in enumerate(_DAYS)},
    "D": {"avant hier": -2, "aujourd hui": 0, "apres demain": 2},
    "T": {
        "hier matin": (MORNING_HOURS, -1),
        "hier apres midi": (NOON_HOURS, -1),
        "hier soir": (EVENING_HOURS, -1),
        "cette nuit": (NIGHT_HOURS, 0),
        "nuit derniere": (NIGHT_HOURS, -1),
    },
    "J": {
        **dict.fromkeys(("an dernier", "an passe"), ("year", -1)),
        "an prochain": ("year", 1),
    },
    "R": {
        **dict.fromkeys(("dernier", "derniere", *_LAST), -1),
        **dict.fromkeys(("passe", "passee"), -1),
        **dict.fromkeys(("ce", "cet", "cette"), 0),
        **dict.fromkeys(("prochain", "prochaine"), 1),
    },
    "U": {word: unit for unit, words in _UNITS.items() for word in words},
    "z": {
        f"{last} {word}": unit for unit, words in _UNITS.items() for word in words for last in _LAST
    },
    "P": {
        **dict.fromkeys(("matin", "au matin"), MORNING_HOURS),
        **dict.fromkeys(("midi", "apres midi", "l apres midi"), NOON_HOURS),
        **dict.fromkeys(("soir", "au soir"), EVENING_HOURS),
    },
    "K": {"printemps": 3, "l ete": 6, "automne": 9, "hiver": 12},
    "N": {name: number for number, name in enumerate(_NUMBERS, 2) if name != "sept"}
    | {"un": 1, "une": 1, "quelques": 3},
    "o": {"premier": 1},
    "A": {"il y a": None},
    "I": dict.fromkeys(("en", "durant", "jusqu", "jusqu en", "au mois")),
    "F": dict.fromkeys(("de", "d")),
    "S": {"depuis": None},
    "B": {"avant": None},
    "E": {"apres": None},
    "e": dict.fromkeys(("chaque", "tous", "toutes")),
}
_FUNCTION_WORDS = """
    a ai ai-je apres as as-tu au aux avant avec avons ce ces cet cette comment dans de depuis des
    du elle elles en entre es est est-ce et etais etait eu fait il ils je la le les leur leurs lui
    m'a m'as m'avez ma mais me mes moi mon ne nos notre nous on ont ou par pas plus pour pourquoi
    qu qu'ai-je qu'as-tu qu'avons-nous qu'elle qu'est-ce qu'il qu'on quand que quel quelle quelles
    quels qui quoi sa se ses si son sont suis sur ta te tes toi ton tu un une vos votre vous y
"""
_SAID = "conseille dit explique mentionne parle propose recommande suggere"

LANGUAGE = Language(
    code="fr",
    times=_TIMES,
    ambiguous_times={
        "D": {"hier": -1},
        "N": {"sept": 7},
        "F": {"du": None},
        "I": {"pendant": None},
        "U": {"an": "year", "ans": "year", "week end": "weekend"},
        "t": dict.fromkeys(("le", "la", "les", "l")),
    },
    function_words=_FUNCTION_WORDS,
    question_kinds={
        EVENT: (
            r"\bpourquoi\b|\bdepuis (?:quand|combien)\b|\bcombien de (?:temps|fois) (?:a|ai|as"
            r"|avons|ont|est|etait|j'ai)\b|\bqu'est-ce qui s'est passe\b|\bque s'est-il passe\b"
            r"|\bcomment s'est\b"
        ),
        PAST: (
            r"\b(?:avant|auparavant|ancien\w*|precedent\w*|precedemment|autrefois|a l'origine"
            r"|initial\w*|d'origine|au depart|au debut|jadis|a l'epoque|jusque-la|jusqu'alors"
            r"|jusqu'en|\w*'?(?:etais|etait|etaient|avais|avait|avions|avaient|habitais|habitait"
            r"|habitions|travaillais|travaillait|utilisais|utilisait|utilisions|payais|payait"
            r"|payions|conduisais|mangeais|faisais|allais|coutait|s'appelait|appelait))\b"
        ),
        PAST_TENSE: (
            r"\b(?:\w+'?)?(?:etais|etait|etaient|etions|avais|avait|avaient|avions|habitais"
            r"|habitait|habitions|travaillais|travaillait|utilisions|utilisait|payais|payait"
            r"|conduisais)\b|\b(?:\w')?(?:ai|as|a|avons|avez|ont)(?:-(?:je|tu|t-il|t-elle|t-on"
            r"|il|elle|on|nous|vous|ils|elles))? (?:\w+ )?\w+(?:e|ee|es|i|is|it|u|us|ert|dit"
            r"|fait)\b(?<!situe)(?<!mon)(?<!le)(?<!notre)(?<!votre)(?<!prevu)(?<!cette)(?<!de)(?<!que)(?<!responsable)(?<!lieu)"
            r"|\b(?:suis|est|sommes|sont)(?:-\w+)? (?:\w+ )?(?:alle|venu|parti|arrive|ne|mort"
            r"|passe|devenu|reste|tombe|sorti|entre|rentre|revenu|monte|descendu)e?s?\b|\b(?:me"
            r"|s'|se|nous) ?(?:suis|est|sommes|sont)\b|\bhier\b"
        ),
        HAPPENED: (
            r"\b(?:dit|raconte|passe|recommande|conseille|achete|alle|allee|alles|visite|decide"
            r"|demenage|change|rencontre|vu|lu|fait|parle|propose)\b"
        ),
        HELD: (
            r"\b(?:\w')?(?:etais|etait|etaient|avais|avait|avions|habitais|habitait|habitions"
            r"|travaillais|travaillait|utilisions|utilisait|payais|payait|conduisais)\b"
        ),
        STATE: (
            r"\b(?:est|sont|suis|es|ai|a|avons|ont|habite|vis|vit|travaille|utilise|utilisons"
            r"|paie|paye|appelle|conduis|coute|prefere|aime|peux|dois|faut|commence|finit|expire"
            r"|s'appelle|sommes|joue|fais)\b|\b(?:maintenant|actuel\w*|en ce moment|encore"
            r"|toujours|desormais)\b|^(?:mon|ma|mes|notre|nos)\b|\bj'(?:ai|habite|utilise"
            r"|aime)\b|\ba lieu\b|\b(?:sommes|ai|est)-\w+\b|^(?:\w+ )?(?:ou|quel\w*|qui|que"
            r"|qu'\w+|combien|comment|quand)\b"
        ),
    },
    stop_words="""
        aux avec cet cette ils leur leurs nous notre quand quel quelle quelles quels qui quoi
        pourquoi votre vous être était
    """,
    cue_words={
        NOW: "actuellement desormais maintenant",
        FIRST_PERSON: "moi notre nous",
    },
    cue_patterns={
        NOW: r"\ben ce moment\b",
        FIRST_PERSON: (
            r"\bj['’]\w|\b(?:ai|avais|dois|etais|puis|suis)-je\b"
            r"|\bje (?:dois|faisais|m|me|n|ne|prefere|peux|suis|travaille|veux|voulais)\b"
        ),
        ASSISTANT: (
            rf"\b(?:tu|vous) (?:m['’]|me |nous )?(?:a[sv]|avez|avais|aviez) "
            rf"(?:\w+ )?(?:{_SAID.replace(' ', '|')})"
            rf"|\b(?:as-tu|avez-vous) (?:\w+ )?(?:{_SAID.replace(' ', '|')})"
            r"|\b(?:ta|ton|tes|votre|vos) "
            r"(?:conseil|explication|proposition|recommandation|reponse|suggestion)"
        ),
    },
    address_words="tu vous ta ton tes votre vos",
    statements={
        LASTING: (
            r"souviens-toi|rappelle-toi|rappelez-vous|retiens|retenez|n['’]oublie[zs]? pas"
            r"|importante?s?|doi[ts]|devons|jamais"
            r"|toujours|désormais|préfère|échéance|date limite|anniversaire|allergique"
            r"|je m['’]appelle|mon nom|j['’]habite|je travaille|je déteste|j['’]aime"
            r"|il faut|à partir de maintenant"
        ),
        DECIDED: r"décidé\w*|décision|convenu|choisi",
        OPEN: r"à faire|en attente|en suspens|prochaines? étapes?|pas encore",
        FAILED: r"erreurs?|échec|échoué\w*|exception",
        FIXED: r"(?<!-)(?:corrig[ée]\w*|réparé\w*|résolu\w*)",
        DESIGNED: r"architecture|schéma",
    },
)
