"""The data of Spanish."""

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
    OTHER,
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

_DAYS = "lunes martes miercoles jueves viernes sabado domingo".split()
_MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
).split()
_NAMES = frozenset(("mayo", "julio"))  # of a sauce and of people
_NUMBERS = "dos tres cuatro cinco seis siete ocho nueve diez".split()
_UNITS = {
    "minute": ("minuto", "minutos"),
    "hour": ("hora", "horas"),
    "day": ("dia", "dias"),
    "week": ("semana", "semanas"),
    "weekend": ("fin de semana", "fines de semana"),
    "month": ("mes", "meses"),
    "year": ("ano", "anos"),
}
_TIMES: Table = {
    OTHER: dict.fromkeys(("el mar", "del mar", "al mar")),  # the sea, no month of English
    "M": {name: number for number, name in enumerate(_MONTHS, 1) if name not in _NAMES}
    | {"setiembre": 9},
    "m": {name: number for number, name in enumerate(_MONTHS, 1) if name in _NAMES},
    "W": {name: day for day, name in enumerate(_DAYS)},
    "D": {
        "hoy": 0,
        "ayer": -1,
        "anteayer": -2,
        "antier": -2,
        "antes de ayer": -2,
        "pasado manana": 2,
    },
    "T": {"anoche": (NIGHT_HOURS, -1), "anteanoche": (NIGHT_HOURS, -2)},
    "R": {
        **dict.fromkeys(("pasado", "pasada", "pasados", "pasadas"), -1),
        **dict.fromkeys(("ultimo", "ultima", "ultimos", "ultimas"), -1),
        **dict.fromkeys(("antepasado", "antepasada"), -2),
        **dict.fromkeys(("este", "esta"), 0),
        **dict.fromkeys(("proximo", "proxima", "que viene"), 1),
    },
    "U": {word: unit for unit, words in _UNITS.items() for word in words},
    "P": {
        **dict.fromkeys(("por la manana", "de la manana"), MORNING_HOURS),
        **dict.fromkeys(("mediodia", "tarde", "por la tarde"), NOON_HOURS),
        **dict.fromkeys(("noche", "por la noche"), EVENING_HOURS),
    },
    "g": {"manana": MORNING_HOURS},
    "N": {name: number for number, name in enumerate(_NUMBERS, 2)}
    | {"un": 1, "una": 1, "par": 2, "unos": 3, "unas": 3, "doce": 12},
    "o": {"primero": 1},
    "A": {"hace": None, "atras": None},
    "I": dict.fromkeys(("en", "durante", "hasta")),
    "F": dict.fromkeys(("de", "del")),
    "S": {"desde": None},
    "B": dict.fromkeys(("antes de", "antes del")),
    "E": dict.fromkeys(("despues de", "despues del", "tras")),
    "e": dict.fromkeys(("cada", "todos", "todas")),
}
_FUNCTION_WORDS = """
    a ahora al algo aquel aquella aun aunque como con cual cuales cuando cuanta cuantas cuanto
    cuantos de del desde dijo dio donde e el ella ellas ellos en entre era eran es esa ese eso
    esta estaba estan estas este esto estoy fue fueron ha habia han hasta hay he la las le les lo
    los mas me mi mis muy nada ni no nos nosotros o para pero por porque que quien quienes se sea
    ser si sin sobre son soy su sus tambien te tengo ti tiene tienes todavia tu tus un una unas
    uno unos usted y ya yo
"""
_SAID_BY_YOU = "aconsejaste dijiste explicaste hablaste mencionaste recomendaste sugeriste"

_IMPERFECT = (
    r"era|eras|eran|eramos|iba|ibas|iban|ibamos|\w{2,}(?:abas?|abamos|aban)(?<!acaba)(?<!acaban)"
    r"|(?:viv|ten|hab|com|beb|ped|dec|pod|deb|conduc|ve|le|sal|dorm|sab|dirig|hac|pon|cre|escrib"
    r"|serv|part|recib|conoc|pertenec|sol|ced|recog|eleg|exig|cog|exist|asist|cumpl|cubr|abr|permit"
    r"|admit|compart|ofrec|parec|depend|perd|mov|volv|sub|ven|tra|med|segu|corr|vest)(?:ia|ias"
    r"|iamos|ian)"
)
"""A verb in the tense of what was so, not of what happened."""

_DID = (
    r"(?:(?:me|lo|la|los|las) )?(?:he|hemos|había(?:mos)?|\w+(?:é|í|amos|imos)|fui|hice|tuve|puse)"
)
"""A verb of the first person in the past."""


LANGUAGE = Language(
    code="es",
    letters="[¿¡]",
    times=_TIMES,
    ambiguous_times={
        "N": {"once": 11},
        "I": {"el": None},
        "t": dict.fromkeys(("la", "los", "las")),
    },
    function_words=_FUNCTION_WORDS,
    question_kinds={
        REQUEST: (
            r"(?:^|[.!?] )(?:por favor,? |(?:puedes|podrias|puede|podria) |me (?:puedes "
            r"|podrias )?)*(?:resum\w+|ayud(?:a|e|ar)\w*|explic(?:a|ar)\w*|redact\w+|escrib(?:e"
            r"|ir)\w*|compar(?:a|ar)\w*|traduc\w+|recomiend\w+|recomendar\w*|suger\w+|propon\w*)\b"
            r"|\b(?:haz|hazme|hacer|hacerme|dame|darme|ensename|muestrame|mostrarme) (?:un|una"
            r"|unos|unas|algun\w*|como) ?(?:\w+ )?(?:resumen|sintesis|repaso|ideas|consejos"
            r"|ejemplos?)?\b|\bcomo (?:deber?ia|deberiamos|debo|puedo|podria|podemos"
            r"|podriamos)\b(?!.* (?:contactar|llamar|localizar)\b)|\b(?:que|cual|cuales)\b.* (?:me"
            r"|nos) (?:recomiendas|recomendarias|aconsejas|aconsejarias|sugieres)\b"
            r"|\ben orden cronologico\b|\b(?:enumera|lista|ordena|dime)\w*\b.*\b(?:en orden"
            r"|por orden|el orden en)\b"
        ),
        TOTAL: (
            r"\bcuant[oa]s?\b(?! veces\b)(?! (?:dias|semanas|meses|anos"
            r"|tiempo)\b)(?:(?=.*\b(?:hasta (?:ahora|hoy|la fecha|el momento)|en total|por ahora"
            r"|de momento)\b)(?=.*\b(?:he|ha|hemos|han|llev\w+|tengo)\b)|(?: \w+){0,4} (?:llevo"
            r"|lleva|llevamos|llevan|he|ha|hemos|han) (?:\w+ )?\w*(?:ad|id|ech|it|ist"
            r"|uest)[oa]s?\b)"
        ),
        DATED: (
            r"^(?!.*\b(?:ahora|todavia|aun|actual\w*)\b).*\b(?:en|en el ano|en (?:la primavera"
            r"|el (?:verano|otono|invierno)) de|a (?:principios|finales|mediados) de) "
        ),
        EVENT: (
            r"\bcuant[oa]s (?:minutos|horas|dias|noches|semanas|meses|anos)\b(?=.*\bentre\b.* y\b)"
            r"|\bque (?:responde|contesta|promete|anuncia)\b|\bcomo (?:reacciona|responde)\b"
            r"|\b(?:por que|desde cuando|razon|motivo|cuantas veces)\b"
            r"|\bcuanto (?:tiempo )?(?:hace|llevo|llevamos)\b|\bhace cuanto\b|\bultima vez\b"
            r"|\bcuanto (?:tiempo )?(?:duro|tardo|tarde|tardamos)\b|\bque (?:paso|dijo|dijeron"
            r"|ocurrio|tal (?:fue|salio|estuvo))\b|\bcomo (?:fue|fueron|salio|acabo|estuvo"
            r"|quedo)\b|^cuando (?:\w+ ){0,2}(?:fue|fueron|\w+(?:aron|ieron|io))\b|\bcuando (?:me"
            r"|nos) \w+(?:e|amos|imos)\b|\bcuando \w+(?:amos|imos)\b"
        ),
        PAST: (
            r"\b(?:anterior\w*|antigu[oa]s?|viej[oa]s?|previ[oa]s?|previamente|original\w*"
            r"|antiguamente|al principio|en el pasado|por entonces|en aquel\w* (?:epoca|entonces"
            r"|tiempo\w*)|inicialmente|inicial|predecesor\w*|primero teniamos|ex \w+|antes de eso"
            r"|primer[ao]? (?:jefe|trabajo|empleo|coche|carro|piso|casa|telefono|movil|profesor"
            rf"|escuela)\w*|hasta (?:ahora|entonces|hace))\b|\b(?:{_IMPERFECT})\b"
        ),
        EARLIER: (
            r"\b(?:antes|hasta|(?<=\w )cuando)\b[^,]*|\b(?:entonces|de (?:pequen[oa]|nin[oa]"
            r"|joven|estudiante))\b"
        ),
        PAST_TENSE: (
            r"\b(?:fui|fue|fuimos|fueron|fuiste|hice|hizo|hicimos|hicieron|hiciste|dij[eo]|dijimos"
            r"|dijeron|dijiste|tuv[eo]|tuvimos|tuvieron|estuv[eo]|estuvimos|estuvieron|pud[eo]"
            r"|pudimos|puse|puso|pusimos|pusieron|vine|vino a|vinieron|vinimos|traj[eo]|trajeron"
            r"|trajimos|quis[eo]|supe|supo|supimos|dio|dieron|dimos|vieron|hubo|anduv\w+|(?:le|ca"
            r"|o|constru|inclu)yo|(?:nac|mor|mur|ped|pid|sal|sub|perd|decid|recib|ocurr|suced"
            r"|escrib|abr|elig|conoc|romp|vend|com|beb|corr|aprend|respond|promet|ofrec|sirv|sint"
            r"|repit|consigu|viv|part|v)io|\w+(?:aste|iste|aron|ieron)(?<!existe)|(?:tard|dur"
            r"|compr|cambi|dej|empez|termin|qued|acord|encontr|mud|gast|visit|mir|prob|viaj|reserv"
            r"|contrat|elegi|sali)mos|(?:tard|compr|cambi|dej|termin|qued|acord|encontr|mud|gast"
            r"|visit|prob|viaj|contrat|pint|arregl|firm|celebr|organiz|lleg|entr|cen"
            r"|reserv)amos)\b|\b(?:recomendo|conto|propuso|empezo|encontro|dijo|costo|llego a"
            r"|compre)\b"
            r"|(?<!\ba )(?<!\bde )(?<!\ben )(?<!\bcon )(?<!\bpor )(?<!\bpara )\bquien (?:me |te "
            r"|le |nos |se |lo |la )?\w{2,}o\b|\b(?:me|te|le|nos) (?:recet|recomend|cont|dej|regal"
            r"|llam|prest|compr|escribi)o\b(?<!llamo)|\b(?:he|has|ha|hemos|han) (?:\w+ )?\w+(?:ado"
            r"|ido|cho|sto|to)\b|\b(?:ayer|anoche|anteayer)\b"
        ),
        ACCENTED: (
            r"\b\w{2,}(?:ó|í"
            r"|é)\b(?<!\bqué)(?<!porqué)(?<!café)(?<!aquí)(?<!allí)(?<!así)(?<!ahí)(?<!\besté)"
            r"(?<!comité)(?<!bebé)(?<!aré)(?<!eré)(?<!iré)(?<!dré)(?<!bré)"
        ),
        HAPPENED: (
            r"\b(?:dijo|dije|dijeron|conto|paso|recomendo|recomendaste|compre|compro|compramos"
            r"|fui|fuimos|visit\w+|decidi\w*|hablamos|cambiamos|me mude|nos mudamos|hice|hicimos"
            r"|hizo|dio|vi|vimos|traj[eo]|pidi[oe]\w*)\b"
        ),
        HELD: (
            rf"\b(?:{_IMPERFECT}|fue|fueron|tuv[eo]|tuvimos|estuv[eo]|estuvimos|vivi|vivio"
            r"|vivimos|trabaj[eo]|trabajamos|us[eo]|usamos|utilice|utilizo|estudi[eo]|pague)\b"
        ),
        STATE: (
            r"\b(?:es|son|soy|eres|esta|estan|estoy|estamos|tengo|tenemos|tiene|tienen|hay|vivo"
            r"|vive|viven|trabajo|trabaja|uso|usamos|usa|pago|pagamos|conduzco|llamo|llama|cuesta"
            r"|gusta|prefiero|puedo|debo|empieza|termina|vence|cierra|abre|sigo|sigue|toca|llevo"
            r"|lleva|dura|tomo|va|voy|vamos|hace falta|necesito)\b"
            r"|\b(?:ahora|actual\w*|hoy en dia|todavia|aun|ultim[oa]s? (?!vez))\b"
        ),
        ASKS: (
            r"^(?:y |\w+ )?(?:\w+ )?(?:donde|cual|cuales|que|quien|quienes|cuant[oa]s?|como"
            r"|cuando)\b|^(?:mi|mis|nuestr[oa]s?|el|la|los|las)\b"
        ),
    },
    stop_words="""
        el la los las un una unos unas de del al y o que en es por con para se no lo le su sus
        mi mis tu tus yo ella ellos nosotros esto esta este eso esa ese está están son fue era
        ser estar hay como cuando donde dónde qué quién cuál cuándo cómo pero más muy ya también
        sobre entre sin hasta
    """,
    cue_words={
        NOW: "actual actualmente ahora todavia",
        FIRST_PERSON: """
            conmigo dije dijimos hice hicimos mis nosotras nosotros nuestra nuestras nuestro
            nuestros
        """,
    },
    cue_patterns={
        NOW: r"\b(?:hoy en dia|(?:en este|de) momento|mas reciente|ya no)\b",
        ASSISTANT: (
            rf"\b(?:{_SAID_BY_YOU.replace(' ', '|')})\b"
            r"|\busted (?:me |ya )?"
            r"(?:aconsejo|dijo|explico|hablo|menciono|recomendo|sugirio)\b"
            r"|\b(?:tus?|sus?) (?:consejo|explicacion|recomendacion|respuesta|sugerencia)"
        ),
    },
    address_words=f"tu tus su sus usted {_SAID_BY_YOU}",
    denials=(
        ("nunca", rf"\b(?:nunca {_DID}|no {_DID}\b.* nunca)\b"),
        ("jamás", rf"\bjamás {_DID}\b"),
    ),
    statements={
        DONE: (
            r"(?:he|hemos|había(?:mos)?) (?:\w+mente |ya )?\w+(?:ado|ido|to|cho)"
            r"|(?!aquí|allí|así|café)\w{2,}(?:é|í|amos|imos)|hice|hicimos|fui|fuimos|tuve|tuvimos"
        ),
        LASTING: (
            r"recuerda|recuerde|acu[eé]rdate|no (?:te |se )?olvides?|importante|debe|debes"
            r"|debemos|deben|nunca|siempre|a partir de ahora|prefier\w+|fecha límite|plazo"
            r"|cumpleaños|alérgic\w|me llamo|mi nombre|vivo en|trabajo en|me gustan?|odio"
            r"|obligatori[oa]"
        ),
        DECIDED: r"decidi\w+|decisión|acordamos|acordado|elegimos",
        OPEN: r"pendientes?|próximos? pasos?|por hacer|aún no|todavía no|a la espera",
        FAILED: r"errores|fallo|falló|fallaron|excepción",
        FIXED: (
            r"era (?:el|la|un|una) [\w ]{2,30}, .{0,40}funciona|encontrado ?:|(?:solucionado"
            r"|resuelto)(?= ?[:.]|$)|(?<!-)(?:corregid[oa]s?|corregí|corregimos"
            r"|arreglad[oa]s?|arreglé|arreglamos|reparad[oa]s?)"
            r"|(?:error|fallo|problema|bug|fuga)(?: \w+){0,4}? (?:resuelt[oa]|solucionad[oa])s?"
            r"|(?:resuelto|solucionado|resolví|solucioné) (?:el|la|un) (?:error|fallo|problema|bug)"
            r"|causa(?: \w+){0,5}? (?:era|fue|es|estaba)|(?:error|fallo|problema|bug)(?: \w+){0,4}?"
            r" (?:era que|era un\w*|venía|se debía|estaba en)"
        ),
        REPAIRS: r"(?:corrige\w*|corregir|corregid[oa]|arregla\w*|repara\w*|soluciona\w*)",
        PLANNED: r"será|debe\w*|hay que|no|nunca|si|cuando|puede\w*|va|voy|ser|antes|hasta",
        CAUSED: r"porque|debido|causad[oa]|venía|causa|faltaba|ya que",
        TROUBLE: (
            r"error(?:es)?(?! (?:handling|page|class|message|type|code|handler|log))|fall\w+"
            r"|falt\w+|incorrect\w+|mal|cuelg\w+|fuga|dos veces|nunca|nul[oa]s?"
            r"|caduc\w+|lent[oa]s?"
            r"|perd\w+|rot[oa]s?|bloque\w+|vací[oa]s?|duplic\w+|expir\w+|olvid\w+|problema\w*|bug"
            r"|pisa\w*|[45]\d\d"
        ),
        CURED: (
            r"(?:funciona|va|pasa|carga|cuadra) (?:ya|ahora|bien|de nuevo|otra vez)|(?:ya|ahora)"
            r" (?:funciona|va|pasa|cuadra)"
            r"|ya no (?:falla|sale|pasa|ocurre)|todo en verde"
        ),
        CHANGED: (
            r"ahora|quitad[oa]s?|quité|movid[oa]s?|subí|subid[oa]s?|reemplaz\w+|añad\w+|cambi\w+"
            r"|cerr\w+|renov\w+|puse"
            r"|ajust\w+"
        ),
        SETTLED: (
            r"(?:desde|a partir de) (?:ahora|hoy|mañana) .*|(?:seguimos"
            r"|quedamos|pasamos) .*|(?<!lo )mejor (?:usamos|lo|la|con|sin) .*|(?:usaremos|nos"
            r" quedamos|lo dejamos"
            r"|aplazamos) .*|(?:decidido|decisión|acordado|zanjado) ?: ?\w.{8,}|(?:vamos|tiramos)"
            r" (?:por|con) la"
            r" opción .*"
            r"|nada de \w[\w .+-]{1,30}[.,;:] ?\w.{1,30} (?:basta|sobra).*|descartad[oa]s? (?:el|la"
            r"|los|las) .*"
        ),
        RELATES: (
            r"hablan? con|llaman? a|dependen? de|conocen?|toca|escriben? en|leen? de|pasan? por"
            r"|arquitectura"
            r"|compuest[oa]|tres (?:partes|capas)|implementan?|comparten?|solo (?:el|la)|con los"
        ),
        PARTS: (
            r"pasarela|servicios?|capas?|módulos?|base|cola|frontend|backend|núcleo|almacén|app"
            r"|sistema"
            r"|componentes?|interfaz|servidor|cliente"
        ),
    },
    greetings="hola|gracias",
)
