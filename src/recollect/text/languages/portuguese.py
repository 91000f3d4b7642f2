"""The data of Portuguese, of Brazil and of Portugal."""

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

_TIMES: Table = {
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
_FUNCTION_WORDS = """
    a agora ainda ao aos aquela aquele aquilo as ate chama com como da das de dela dele depois do
    dos e ela elas ele eles em entre era essa esse esta estao estava este eu faz fez fica foi foram
    ha isso isto ja lhe mais mas me meu meus mim minha minhas na nas nem no nos nossa nosso num
    numa o onde os ou para pela pelo por porque qual quais quando quanta quantas quanto quantos que
    quem sao se sem ser seu sobre sua so tambem te tem temos tenho ter teu tinha tu tua um uma vai
    voce vou
"""
_SAID_BY_YOU = "aconselhaste deste disseste explicaste falaste mencionaste recomendaste sugeriste"


_IMPERFECT = (
    r"era|eras|eram|eramos|ia|iam|iamos|\w{2,}av(?:a|as|am|amos)(?<!acaba)"
    r"|(?:tinh|vinh|punh)(?:a|am|amos|as)"
    r"|(?:viv|com|beb|ped|diz|pod|dev|conduz|v|l|sa|dorm|sab|dirig|faz|escrev|serv|receb|conhec"
    r"|pertenc|hav)(?:ia|ias|iamos|iam)"
)
"""A verb in the tense of what was so, not of what happened."""

_DID = r"(?:(?:me|o|a|os|as) )?(?:tinha|tínhamos|\w+(?:ei|i|amos|emos|imos)|fiz|tive|pus)"
"""A verb of the first person in the past."""


LANGUAGE = Language(
    code="pt",
    times=_TIMES,
    function_words=_FUNCTION_WORDS,
    question_kinds={
        REQUEST: (
            r"(?:^|[.!?] )(?:por favor,? |(?:voce )?(?:pode|poderia|podes|podias"
            r"|consegue) (?:me )?|me )*(?:resum\w+|ajud(?:a|e|ar)\w*|explic(?:a|ar|ue)\w*|redij\w+"
            r"|redigir|escrev(?:a|e|er)|compar(?:a|e|ar)|traduz\w*|recomend(?:a|e|ar)|suger\w+"
            r"|sugir\w+)\b|\b(?:faca|faz|fazer|de|da|dar|mostre|mostrar|ensine)(?:-me| me)? (?:um"
            r"|uma|uns|umas|alguma?s?|como) ?(?:\w+ )?(?:resumo|sintese|apanhado|ideias|dicas"
            r"|exemplos?)\b|\bcomo (?:eu |a gente |nos )?(?:devo|deveria|devemos|deveriamos|posso"
            r"|poderia|podemos)\b(?!.* (?:contatar|contactar|ligar|falar)\b)|\b(?:o que|qual|quais"
            r"|que)\b.* (?:voce|tu|me) (?:recomenda|sugere|aconselha|recomendaria|sugeriria"
            r"|aconselharia)s?\b|\bem ordem cronologica\b|\bpor ordem cronologica\b|^(?:liste"
            r"|lista|enumere|ordene|diga)\b.*\b(?:em ordem|por ordem|a ordem em)\b"
        ),
        TOTAL: (
            r"\bquant[oa]s?\b(?! vezes\b)(?! (?:dias|semanas|meses|anos|tempo)\b)(?=.*\b(?:ja"
            r"|ate (?:agora|hoje|o momento|aqui|a data)|no total|ao todo)\b)(?=.*(?:\b(?:tenho"
            r"|temos|tem|foi|foram|fiz|fez|li|vi)\b|\w(?:ei|ou|eu|iu|i|mos|ram|ado|ido)\b))"
        ),
        DATED: (
            r"^(?!.*\b(?:agora|ainda|atual\w*)\b).*\b(?:em|no ano de|na primavera de|no (?:verao"
            r"|outono|inverno|inicio|comeco|fim|final) de) "
        ),
        EVENT: (
            r"\bquant[oa]s (?:minutos|horas|dias|noites|semanas|meses|anos)\b(?=.*\bentre\b.* e\b)"
            r"|\bcomo (?:\w+ ){1,3}(?:reage|responde)\b|\bcomo (?:reage|responde)\b|\b(?:por ?que"
            r"|desde quando|razao|motivo|quantas vezes|ultima vez)\b|\bquanto tempo faz\b"
            r"|\bha quanto tempo\b|\bo que (?:aconteceu|houve)\b|\bquanto tempo (?:durou|levou"
            r"|demorou|levamos)\b|\bcomo (?:foi|foram|correu|ficou|saiu)\b|\bquando .*(?:mudamos"
            r"|trocamos|compramos|comecamos|saimos)\b"
        ),
        PAST: (
            r"\b(?:anterior\w*|antig[oa]s?|velh[oa]s?|previ[oa]s?|previamente|original\w*"
            r"|antigamente|no (?:inicio|comeco)|inicialmente|inicial|no passado|na epoca"
            r"|naquel[ea] (?:tempo|epoca|altura)|costumava\w*|predecessor\w*|antecessor\w*|ex-\w+"
            r"|primeir[ao] (?:chefe|emprego|trabalho|carro|casa|apartamento|telefone|professor"
            rf"|escola)\w*|antes d(?:isso|isto)|ate (?:agora|entao))\b|\b(?:{_IMPERFECT})\b"
        ),
        EARLIER: (
            r"\b(?:antes|ate|(?<=\w )quando)\b[^,]*|\b(?:em (?:crianca|pequen[oa])"
            r"|(?:ano|mes|semestre) passado)\b"
        ),
        PAST_TENSE: (
            r"\b(?:foi|foram|fui|fomos|fiz|fez|fizemos|fizeram|fizeste|disse\w*|estiv[eo]\w*"
            r"|esteve|tive|teve|tivemos|tiveram|pude|pode-se|pus|pos|puseram|vim|veio|vieram"
            r"|viemos|trouxe\w*|quis\w*|soube\w*|deu|deram|demos|dei|viu|vi|li|leu|viram|vimos|houve"
            r"|\w{2,}(?:aram|eram|iram|ei|ou|eu|iu|aste|este|iste)(?<!\bsou)(?<!\bvou)(?<!\bdou)"
            r"(?<!\bestou)(?<!seu)(?<!meu)(?<!teu)(?<!este)(?<!neste)(?<!deste)(?<!museu)(?<!eram)"
            r"(?<!existe)(?<!leste)(?<!europeu)|sei la)\b"
            r"|\b(?:\w{2,}[aei]ram)\b|\b(?:caiu|nasceu|morreu|saiu|saimos|mudei|mudamos|trocamos"
            r"|(?:perd|vend|com|beb|corr|decid|ped|sub|dorm|escrev|receb|conhec|part"
            r"|cumpr|aprend|escolh|consegu|sent)i"
            r"|compramos|comecamos|largamos|deixamos|decidimos|gastamos|escolhemos|pintamos"
            r"|consertamos|assinamos|visitamos|chegamos|viajamos|contratamos|reservamos)\b"
            r"|\b(?:ontem|anteontem)\b"
        ),
        HAPPENED: (
            r"\b(?:disse|disseram|contou|aconteceu|recomendou|comprei|comprou|fui|fomos|visitei"
            r"|decidi\w*|mudei|mudamos|trocamos|troquei|conversamos|fiz|fez|deu|trouxe)\b"
        ),
        HELD: (
            rf"\b(?:{_IMPERFECT}|foi|foram|tive|teve|tivemos|estive|esteve|morei|morou|moramos"
            r"|vivi|viveu|trabalhei|trabalhou|usei|usou|usamos|estudei|estudou|paguei)\b"
        ),
        STATE: (
            r"\b(?:qual|quem|onde|quando|que|como|quanto|\w+o|\w+a) e (?!que\b)(?:o|a|os|as|meu"
            r"|minha|nosso|nossa|que horas)\b|^e (?:o|a) \w+ que\b"
            r"|\b(?:sao|sou|esta|estao|estou|estamos|tenho|temos|tem|ha|moro|mora|vivo|vive"
            r"|trabalho|trabalha|uso|usamos|usa|pago|pagamos|chamo|chama|custa|gosto|prefiro"
            r"|posso|devo|comeca|termina|vence|fica|dirijo|continua|continuo|vai|vou|dura|fecha"
            r"|abre|tomo|trata|cuida|preciso)\b"
            r"|\b(?:agora|atual\w*|hoje em dia|ainda|mais recente|ultim[oa]s? (?!vez))\b"
        ),
        ASKS: (
            r"^(?:e |\w+ )?(?:\w+ )?(?:onde|qual|quais|que|quem|quant[oa]s?|como|quando)\b"
            r"|^(?:o |a )?(?:meu|minha|nosso|nossa|nome)\b"
        ),
    },
    stop_words="""
        os as um uma uns umas do da dos das no na nos nas ao aos e ou em por com para não é foi
        eram são está estão ser ter tem isso isto este esta esse essa eu ele ela eles nós você
        seu sua meu minha quando onde como porque qual quem mas mais muito já também sobre entre
        sem até
    """,
    cue_words={
        NOW: "agora ainda atual atualmente",
        FIRST_PERSON: """
            comigo connosco conosco eu meu meus minha minhas nos nossa nossas nosso nossos
        """,
    },
    cue_patterns={
        NOW: r"\b(?:hoje em dia|neste momento|mais recente|ja nao)\b",
        ASSISTANT: (
            rf"\b(?:{_SAID_BY_YOU.replace(' ', '|')})\b"
            r"|\bvoce (?:me |ja )?"
            r"(?:aconselhou|deu|disse|explicou|falou|mencionou|recomendou|sugeriu)\b"
            r"|\b[ts]uas? (?:dica|explicacao|recomendacao|resposta|sugestao)"
        ),
    },
    address_words=f"voce tua tuas sua suas {_SAID_BY_YOU}",
    denials=(
        ("nunca", rf"\bnunca {_DID}\b"),
        ("jamais", rf"\bjamais {_DID}\b"),
    ),
    statements={
        DONE: (
            r"(?:tenho|temos|tinha|tínhamos) (?:já )?\w+(?:ado|ido|to)"
            r"|(?!rei|lei|sei|dei)\w{2,}(?:ei|ámos|amos|imos)|já \w+i|fiz|fizemos|fui|fomos|tive"
        ),
        LASTING: (
            r"lembr[ae](?:-te|-se|r)?|recorda(?:-te)?|não (?:te |se )?esque[çc]as?|importantes?"
            r"|deve|deves|devemos|devem|t[eê]m (?:de|que)|tens de|tenho de|temos de|nunca|sempre"
            r"|a partir de agora|prefiro|prefere|preferimos|preferência|prazo|data limite"
            r"|aniversário|alérgic\w|alergia|chamo-me|me chamo|meu nome|moro em|vivo em"
            r"|trabalho (?:em|na|no)|gosto de|adoro|detesto|odeio|obrigatóri[oa]"
        ),
        DECIDED: (
            r"decidi\w*|decisão|decisões|combin[aá]mos|combinado|acord[aá]mos|acordado"
            r"|concord[aá]mos|escolhemos|escolhi|vamos usar"
        ),
        OPEN: (
            r"pendentes?|por fazer|próximos? passos?|ainda (?:não|falta)|à espera|em aberto"
            r"|aguardando"
        ),
        FAILED: r"erros?|falha|falhas|falhou|falharam|exceção",
        FIXED: (
            r"resolvid[oa]s?(?=[:.])|(?<!-)(?:corrigid[oa]s?|corrigi|corrigimos|consertad[oa]s?"
            r"|consertei|arrumei|reparad[oa]s?)"
            r"|(?:erro|falha|problema|bug|vazamento)(?: \w+){0,4}? (?:resolvid[oa]"
            r"|solucionad[oa])s?"
            r"|(?:resolvi|solucionei) o (?:erro|problema|bug)|causa(?: \w+){0,5}? (?:era|foi|é"
            r"|estava)"
            r"|(?:erro|problema|bug|falha)(?: \w+){0,4}? (?:era que|era um\w*|vinha|estava em)"
        ),
        REPAIRS: r"(?:corrig\w+|consert\w+|arruma\w*|repara\w*|soluciona\w*|correção)",
        PLANNED: r"será|deve\w*|não|nunca|se|quando|pode\w*|vai|vou|ser|antes|até|precisa\w*",
        CAUSED: r"porque|devido|causad[oa]|vinha|causa|faltava|já que",
        TROUBLE: (
            r"erros?|falh\w+|falt\w+|errad[oa]s?|trav\w+|vazamento|duas vezes|nunca|nul[oa]s?"
            r"|expir\w+|lent[oa]s?"
            r"|perd\w+|quebr\w+|vazi[oa]s?|duplic\w+|esquec\w+|problema\w*|bug|sumi\w*|venc\w+"
            r"|[45]\d\d"
        ),
        CURED: (
            r"(?:funciona|roda|passa|vai) (?:já|agora|bem|de novo)|(?:já|agora) (?:funciona|roda"
            r"|passa|vai|está ok)"
            r"|não (?:falha|acontece|aparece) mais|parou de"
        ),
        CHANGED: (
            r"agora|removi\w*|movi\w*|aument\w+|troqu\w+|troc\w+|adicion\w+|mudei|mudou|mudad[oa]"
            r"|fech\w+|renov\w+"
            r"|coloqu\w+|ajust\w+"
        ),
        SETTLED: (
            r"(?:desde|a partir de) (?:agora|hoje|amanhã) .*|(?:seguimos"
            r"|passamos|fechamos) .*|melhor (?:usar|usarmos|com|sem) .*|(?:ficamos|deixamos"
            r"|adiamos) .*|(?:decidido"
            r"|decisão|combinado|fechado) ?: ?\w.{8,}|vamos (?:de|com a) opção .*"
            r"|nada de \w[\w .+-]{1,30}[.,;:] ?\w.{1,30} (?:basta|resolve).*|descartad[oa]s? [oa]s?"
            r" .*"
        ),
        RELATES: (
            r"falam? (?:só )?com|chamam? [oa]|dependem? de|conhecem?|escrevem? (?:em|n[oa])|leem?"
            r" d[eoa]|passam? por"
            r"|arquitetura|três (?:partes|camadas)|implementam?|compartilham?|só [oa]"
        ),
        PARTS: (
            r"gateway|serviços?|camadas?|módulos?|banco|fila|frontend|backend|núcleo|app|sistema"
            r"|componentes?"
            r"|interface|servidor|cliente"
        ),
    },
    greetings="olá|oi|obrigad[oa]",
)
