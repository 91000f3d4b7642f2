"""The data of French."""

from __future__ import annotations

from recollect.text.languages.language import (
    ACCENTED,
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

_IMPERFECT = (
    r"\w{1,}(?:ais|ait"
    r"|aient)(?<!\bfait)(?<!\bfais)(?<!\bsais)(?<!\bsait)(?<!\bvais)(?<!\bmais)(?<!jamais)"
    r"(?<!\blais)"
    r"(?<!\blait)(?<!francais)(?<!\btrait)(?<!\bfrais)(?<!essais)(?<!rrait)(?<!rrais)(?<!drait)"
    r"(?<!drais)(?<!serait)(?<!aurait)(?<!souhait)(?<!plait)(?<!portrait)|parlais|parlait"
    r"|allais|allait|appelait|appelais|travaillais|travaillait|voulais|voulait|faisait|faisais"
    r"|avions|etions|habitions|utilisions|payions|travaillions|vivions|allions|faisions"
)
"""A verb in the tense of what was so, not of what happened."""


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
        REQUEST: (
            r"(?:^|[.!?] )(?:s'il te plait,? |(?:peux|pourrais|pouvez|pourriez)-(?:tu|vous) "
            r"|tu (?:peux|pourrais) )*(?:m'|me |nous )?(?:resume\w*|aider?|explique\w*|redige\w*"
            r"|ecri(?:s|re|vez)|compare\w*|tradui\w+|recapitul\w+|proposer?|conseiller"
            r"|recommander)\b|\b(?:fai(?:s|re|tes)|donne[rz]?|montre[rz]?)(?:[- ]moi)? (?:un|une"
            r"|des|quelques|comment) ?(?:\w+ )?(?:resume|synthese|recapitulatif|apercu|idees"
            r"|conseils|exemples?)?\b|\bcomment (?:(?:je |on )?(?:devrais|dois|puis|peux|pourrais"
            r"|devrait|peut)|(?:dois|devrais|puis|pourrais)-je)\b(?!.* (?:joindre|contacter"
            r"|appeler)\b)|\b(?:conseill|recommand|sugger|propos)(?:es|erais|ez|eriez)\b"
            r"|\bdans (?:l'|quel )ordre (?:chronologique|ou|dans lequel)\b|^(?:liste|enumere"
            r"|cite)\b.*\b(?:dans l'ordre|en ordre)\b"
        ),
        TOTAL: (
            r"\bcombien\b(?! (?:de )?(?:fois|temps)\b)(?=.*\b(?:jusqu'(?:ici|a (?:present"
            r"|maintenant|aujourd'hui))|a ce jour|au total|en tout|deja)\b)(?=.*(?:\b|')(?:ai|a|as"
            r"|avons|avez|ont|suis|est|sont)\b)"
        ),
        DATED: (
            r"^(?!.*\b(?:maintenant|encore|toujours|actuel\w*)\b).*\b(?:en|(?:debut|fin)"
            r"|au printemps|(?:en|l')(?: ?ete| automne| hiver)|pendant l'annee) "
        ),
        EVENT: (
            r"\bcombien (?:de |d')(?:minutes|heures|jours|nuits|semaines|mois|ans"
            r"|annees)\b(?=.*\bentre\b.* et\b)|\b(?:que|comment) (?:dit|repond|reagit|promet"
            r"|annonce)\b|\b(?:repond|reagit|promet)-(?:il|elle)\b|\bpourquoi\b|\braisons?\b"
            r"|\bdepuis (?:quand|combien)\b|\bderniere fois\b|\bca fait combien de temps\b"
            r"|\bcombien de (?:temps|fois)\b(?=.* (?:a|ai|as|avons|ont|est|sont|etait|j'ai"
            r"|suis)\b)|\b(?:s'est|c'est)(?:-il| bien| mal)? (?:passe|deroule)e?s?\b"
            r"|\bcomment (?:s'est|etait|ca s'est)\b(?! \w+ ancien)"
        ),
        PAST: (
            r"\b(?:auparavant|ancien\w*|vieux|vieil\w*|precedent\w*|precedemment|autrefois"
            r"|a l'origine|initial\w*|d'origine|au (?:tout )?(?:depart|debut)|jadis|a l'epoque"
            r"|jusque-la|jusqu'alors|avant (?:ca|cela)|ex-\w+|predecesseur\w*|premiere? (?:chef"
            r"|patron|emploi|boulot|voiture|appartement|telephone|ecole|prof)\w*|originel\w*)\b"
            rf"|\b(?:\w')?(?:{_IMPERFECT})\b(?!.* deja\b)"
        ),
        EARLIER: (
            r"\b(?:avant|jusqu'\w+|quand (?:j'|je|il|elle|on|nous)|lorsqu\w+)\b[^,]*"
            r"|\b(?:enfant|etudiante?)\b|\b(?:l'an|l'annee|le mois) (?:dernier\w*|passee?)\b"
        ),
        PAST_TENSE: (
            r"\b(?:\w')?(?:ai|as|a|avons|avez|ont)(?:-t)?(?:-(?:je|tu|il|elle|on|nous|vous|ils"
            r"|elles))? (?:(?:pas|deja|jamais|bien|tout|enfin|vraiment) )?(?!(?:l|d|c|s|m|n"
            r"|t)(?:e|a|u|es)\b)\w+(?:e|ee|i|is|it"
            r"|u|us|ert|ait|int"
            r"|ort)\b(?<!quelle)(?<!qui)(?<!quoi)(?<!midi)(?<!une)(?<!cette)(?<!notre)(?<!votre)"
            r"(?<!que)"
            r"(?<!toute)(?<!lieu)(?<!autre)(?<!propose de)(?<!droit)(?<!encore)(?<!comme)"
            r"|\b(?:\w')?(?:ai|as|a|avons|avez|ont) (?:\w+ )?(?:dit|fait|vu|lu|pris|mis|eu|ete"
            r"|voulu"
            r"|pu|recu|promis|repondu|decouvert)\b"
            r"|\b(?:suis|est|sommes|sont|es|etes)(?:-(?:je|tu|il|elle|on|nous|vous|ils|elles))?"
            r" (?:\w+ )?(?:alle|venu|parti|arrive|ne|mort|passe|devenu|reste|tombe|sorti|entre"
            r"|rentre|revenu|monte|descendu)e?s?\b"
            r"|\b(?:m'est|s'est|se sont|me suis|nous sommes|on s'est|t'es)(?:-\w+)? \w+(?:e|ee|es"
            r"|i|u|us"
            r"|it|is)\b|\bhier\b"
        ),
        ACCENTED: (
            r"\b(?:\w['’])?(?:ai|as|a|avons|avez|ont)(?:-t)?(?:-(?:je|tu|il|elle|on|nous|vous|ils"
            r"|elles))? (?:[\w'’]+ ){0,3}?\w+ée?s?\b(?<!é de)"
            r"|\b(?:me|m['’]|te|se|s['’]|nous) ?(?:suis|es|est|sommes|sont) \w+ée?s?\b"
            r"|\b(?:fut|eut|fit|\w+èrent)\b"
        ),
        HAPPENED: (
            r"\b(?:dit|raconte|passe|recommande|conseille|achete|alle|allee|alles|visite|decide"
            r"|demenage|change|rencontre|vu|lu|fait|parle|propose|appris|prescrit|prete|offert)\b"
        ),
        HELD: (rf"\b(?:\w')?(?:{_IMPERFECT}|habite|vecu|travaille|utilise|paye|ete)\b"),
        STATE: (
            r"\b(?:est(?!-ce)|sont|suis|es|ai|(?<=\w )a|avons|ont|habite|vis|vit|travaille"
            r"|utilise|utilisons"
            r"|paie|paye|appelle|conduis|coute|prefere|aime|peux|peut|dois|doit|faut|commence"
            r"|finit|expire|sommes|joue|fais|va|vas|vais|ferme|ouvre|garde|prend|prends|mange"
            r"|dure|termine|s'occupe|tourne|deploie)\b"
            r"|\b(?:maintenant|actuel\w*|en ce moment|encore|toujours|desormais|aujourd'hui"
            r"|derni(?:er|ere) (?!fois|mois)\w+)\b|\bj'(?:ai|habite|utilise|aime)\b"
        ),
        ASKS: (
            r"^(?:\w+ )?(?:\w+ )?(?:ou|quel\w*|qui|que|quoi|qu'\w+|combien|comment|quand)\b"
            r"|^(?:mon|ma|mes|notre|nos|le|la|les)\b|\best-ce qu|\bquoi\b"
        ),
    },
    stop_words="""
        aux avec cet cette ils leur leurs nous notre quand quel quelle quelles quels qui quoi
        pourquoi votre vous être était
    """,
    cue_words={
        NOW: "actuel actuelle actuellement desormais maintenant",
        FIRST_PERSON: "moi notre nous",
    },
    cue_patterns={
        NOW: (
            r"\b(?:en ce moment|de nos jours|plus recente?|(?:est|suis|ai|a|habite) (?:encore"
            r"|toujours))\b"
        ),
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
    denials=(("jamais", r"\b(?:je|nous|on) n(?:e |')(?:\w+[' ]){0,3}?jamais\b"),),
    statements={
        DONE: (
            r"(?:j['’]ai|nous avons|j['’]avais|je (?:me )?suis|nous (?:nous )?sommes)"
            r" (?:déjà |bien |\w+ment )?\w+(?:és?|ées?|is?|us?|it|ert)"
        ),
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
        FIXED: (
            r"c['’]était (?:le |la |l['’]|un |une )[\w ]{2,30}, .{0,40}(?:marche|fonctionne|bon)"
            r"|trouvé ?:|résolu(?= ?[:.]|$)|(?<!-)(?:corrigée?s?|réparée?s?)|(?:bug|bogue|problème"
            r"|erreur|fuite"
            r"|plantage)s?"
            r"(?: [\w'’]+){0,4}? (?:résolue?s?|réglée?s?)|(?:résolu|réglé) (?:le|la|l['’]|les|ce"
            r"|un)"
            r" ?(?:bug|bogue|problème|erreur|fuite)\w*|cause(?: [\w'’]+){0,5}? (?:était|est|venait)"
            r"|(?:bug|problème|erreur|plantage|fuite)(?: [\w'’]+){0,4}? (?:venait|provenait|était)"
        ),
        REPAIRS: r"(?:corrige\w*|corrigée?s?|répare\w*|réparée?s?|correction|correctif)",
        PLANNED: r"sera|seront|doit|doivent|faut|pas|jamais|si|quand|peux|peut|va|vais|être|avant",
        CAUSED: (
            r"car (?:le|la|les|il|elle|on)|parce qu\w*|à cause|causée?|venait|cause|manquait|raison"
        ),
        TROUBLE: (
            r"erreurs?|échou\w+|manqu\w+|faux|fausse|plant\w+|fuite|deux fois|jamais|nul\w*"
            r"|périm\w+|lent\w*|perdu\w*"
            r"|cass\w+|bloqu\w+|vides?|doublon\w*|expir\w+|oubli\w+|problème\w*|bug|écras\w+"
            r"|[45]\d\d|trop"
        ),
        CURED: (
            r"(?:marche|fonctionne|tourne|passe) (?:maintenant|à nouveau|de nouveau)|maintenant"
            r" (?:ça|tout) (?:marche|passe)"
            r"|c'est bon|n'apparaît plus|a disparu"
        ),
        CHANGED: (
            r"maintenant|désormais|supprimé\w*|déplacé\w*|augmenté\w*|remplacé\w*|ajouté\w*"
            r"|changé\w*|fermé\w*|vidé\w*"
            r"|renouvelé\w*|désactivé\w*"
        ),
        SETTLED: (
            r"(?:désormais|dorénavant|à partir de) .*|on (?:passe|fait|part"
            r"|prend) .*|(?:plutôt|mieux vaut) \w.*|on (?:garde|utilise|abandonne|reporte|laisse"
            r"|reste) .*"
            r"|(?:décidé|décision|tranché|retenu) ?: ?\w.{8,}|(?:on (?:part|va|prend) (?:sur|avec)?"
            r" ?(?:l['’]option|la solution|le plan)) .*|pas de \w[\w .+-]{1,30}[.,;:] ?\w.{1,30}"
            r" suffit.*"
        ),
        RELATES: (
            r"parlent?|appellent?|dépend\w*|connaît|implément\w+|écri\w+ dans|li[ts]\w* (?:dans"
            r"|depuis)|passe par"
            r"|composée? de|trois (?:parties|couches)|architecture|repose sur|seule?s?"
        ),
        PARTS: (
            r"passerelle|services?|couches?|modules?|base|file|frontend|backend|noyau|stockage"
            r"|application"
            r"|système|composants?|interface|serveur|client"
        ),
    },
    greetings="salut|merci",
)
