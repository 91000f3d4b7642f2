"""The data of English. Its function words and stems are those of every index."""

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
    LIST,
    MORNING_HOURS,
    NAME,
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
    WHEN,
    Language,
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

_TIMES: Table = {
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
_MONTH_NAME = rf"\b(?:{'|'.join(name for name in _MONTHS if name not in _VERBS)})\b"
_FUNCTION_WORDS = """
    a about above after again against all am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has
    have having he her here hers him his how i if in into is it its just may me might more most my
    no nor not now of off on once only or other our out over own same shall she should so some such
    than that the their them then there these they this those through to too under until up very was
    we were what when where which while who whom whose why will with would you your yours
    ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren
    won wouldn s t re ve ll d m
"""
"""Question words among them; the tails of contractions are in the last rows."""
_IRREGULAR_VERBS = """
    arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, become became,
    begin began begun, bend bent, bite bit bitten, bleed bled, blow blew blown, break broke broken,
    breed bred, bring brought, build built, burn burnt, buy bought, catch caught,
    choose chose chosen, cling clung, come came, creep crept, deal dealt, dig dug,
    draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten,
    fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, fly flew flown,
    forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven,
    freeze froze frozen, get got gotten, give gave given, go went gone, grow grew grown, hang hung,
    hear heard, hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid,
    lead led, lean leant, leap leapt, learn learnt, leave left, lend lent, light lit, lose lost,
    make made, mean meant, meet met, mistake mistook mistaken, overcome overcame, pay paid,
    prove proven, rebuild rebuilt, rewrite rewrote rewritten, ride rode ridden, ring rang rung,
    rise risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, sew sewn,
    shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung,
    sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken, spend spent, spin spun,
    spring sprang sprung, stand stood, steal stole stolen, stick stuck, sting stung,
    strike struck, strive strove, swear swore sworn, sweep swept, swim swam swum, swing swung,
    take took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown,
    understand understood, undertake undertook undertaken, wake woke woken, wear wore worn,
    weave wove woven, weep wept, win won, withdraw withdrew withdrawn, write wrote written
"""
_IRREGULAR_FORMS = f"""
    {_IRREGULAR_VERBS.strip()},
    calf calves, child children, foot feet, goose geese, half halves, knife knives, loaf loaves,
    man men, mouse mice, person people, shelf shelves, thief thieves, tooth teeth, wife wives,
    wolf wolves, woman women
"""
"""Those that no stemmer brings together: bought, buy; feet, foot. Questions use the base form
("what did Ann buy?"), and their answers the past ("I bought …"). A form that is as common in
another sense is left out, as rose, ground and wound are (docs/experiments.md)."""


_HELD = (
    r"liv(?:ed?|ing)|work(?:ed|ing)?|us(?:ed?|ing)|have|had|own(?:ed)?|dr[io]v(?:e|ing)"
    r"|pa(?:y|id|ying)|lik(?:e|ed)|prefer(?:red)?|rent(?:ed|ing)?|charged?|cost|r[ua]n|running"
    r"|report(?:ed)?|be|was|were|stay(?:ed|ing)?|play(?:ed)?|study|studied|studying|weigh(?:ed)?"
    r"|earn(?:ed)?|h[oe]ld|ke(?:ep|pt)|belong(?:ed)?|teach|taught|train(?:ed)?|call(?:ed)?"
    r"|stored?|host(?:ed)?|support(?:ed)?|eat|drink|take|wear|wore|need(?:ed)?|go to|sp[eo]ak"
    r"|spoke|know|knew|manag(?:ed?|ing)|led|lead|look(?:ed)? like|deploy|buy .* from|sit|sat"
    r"|believed?|want(?:ed)?|contain(?:ed)?|cover(?:ed)?|allow(?:ed)?|accept|sleep|slept|smoke"
    r"|dat(?:ed?|ing)|handled?|supervised?|headed|chaired|coached?|ship|commuted?|hated?|loved?"
    r"|charge|mean|meant|represent|carry|carried|rely|relied|begin|start|open|close"
    r"|attend \w*(?:school|college|university)"
)
"""Verbs of what lasts or is repeated."""
_PAST_FORMS = "|".join(form for line in _IRREGULAR_VERBS.split(",") for form in line.split()[1:])
_PARTICIPLES = rf"been|done|read|put|cut|set|let|hit|hurt|quit|{_PAST_FORMS}"
_NAMED = r"(?!(?:it|this|that|the|my|our|your|an?|his|her|their|i|we|you|they|each|every)\b)[\w'-]+"
"""The subject of a question: a person, not a thing or who asks."""


LANGUAGE = Language(
    code="en",
    times=_TIMES,
    time_cues=(
        ("day", rf"\b(?:yesterday|today|(?:{'|'.join(_DAYS)})s?)\b"),
        ("week", r"\bweek(?:end)?s?\b"),
        ("month", r"\bmonths?\b"),
        ("ago", r"\bago\b"),
        ("tomorrow", r"\btomorrow\b"),
        ("night", r"\b(?:tonight|last night)\b"),
        ("year", r"\b(?:last|next|this) year\b"),
        ("summer", r"\b(?:last|next) summer\b"),
        ("winter", r"\b(?:last|next) winter\b"),
        ("noon", r"\bthis afternoon\b"),
        ("ning", r"\bthis (?:morning|evening)\b"),
        *((end, _MONTH_NAME) for end in ("uary", "april", "june", "july", "august", "ber")),
    ),
    # "may" and "march" are also verbs: only with a number beside them.
    number_of_time=(
        r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d|\d{1,2} ?[ap]m)\b"
        r"|\b(?:may|march)\b(?=[ ,]+\d)|\d (?:may|march)\b"
    ),
    function_words=_FUNCTION_WORDS,
    question_kinds={
        REQUEST: (
            r"(?:^|[.!?] )(?:please |so |and |(?:can|could|would|will) (?:you|we) (?:please )?"
            r"|help me (?:to )?)*(?:summari[sz]e|sum up|recap|outline|draft|help|suggest|recommend"
            r"|explain|compare|analy[sz]e|teach|walk|translate|rewrite|write|create|design"
            r"|generate|brainstorm|advise|how to)\b|\b(?:give|write|provide|get|show|make|offer"
            r"|send) (?:me |us )?(?:(?:an?|the|some|any) )?(?:[\w-]+ ){0,3}?(?:summary|recap"
            r"|overview|rundown|timeline|outline|advice|tips|ideas|suggestions|examples?)\b"
            r"|\bshow (?:me|us) (?:how|an?|some|ways)\b|\bchronological|\b(?:list|name|tell|give"
            r"|sort|arrange|recount)\b.*(?:\bthe order (?:in which|that|of)\b"
            r"| in (?:the (?:\w+ )?)?order\b)|\bhow (?:should|might|would|can|could) (?:i"
            r"|we)\b(?! (?:\w+ )?(?:reach|contact|call|get (?:in|to|hold)|access|pay|log|open"
            r"|connect|recogni[sz]e)\b)|\b(?:do|would|should|could|can|might) you (?:suggest"
            r"|recommend|advise|propose|choose|pick|think)\b|^w\w+ .*\bwould you\b(?! like\b)"
            r"|\b(?:any|some|good) (?:tips|advice|ideas|suggestions|recommendations)\b"
            r"|\bhow do (?:i|we|you) (?:calculate|compute|figure out|write|build|create|fix|solve"
            r"|improve|prove|implement|design|learn|format|prepare)\b|\b(?:different"
            r"|best) (?:ways?|approach\w*)\b(?! to (?:reach|contact|get)\b)"
        ),
        TOTAL: (
            r"\bhow (?:many|much)\b(?! (?:\w+ )?(?:times|different)\b)(?!.*\b(?:ha(?:ve"
            r"|s) (?:passed|elapsed|gone by)|between)\b)(?! (?:\w+ )?(?:minute|hour|day|night|week"
            r"|month|year)s\b(?!.*\b(?:spent|logged|worked|studied|saved|trained"
            r"|practi[sc]ed)\b))(?:(?: (?!(?:is|are|am|was|were|do|does|did|had|can|should|must"
            r"|will|that|which|who)\b)[\w'-]+){0,6}? (?:have|has) (?:(?!(?:to|an?|the"
            rf"|got)\b)[\w'-]+ ){{1,6}}?(?:(?!(?:got|need|feed|embed)\b)\w{{2,}}ed|{_PARTICIPLES}"
            r")\b|.*\b(?:so far|to date|up to now)\b)"
        ),
        DATED: (
            r"^(?!.*\b(?:now|still|current(?:ly)?)\b).*\b(?:in|during|as of|at the (?:start"
            r"|end) of|on(?=(?: the)? \d{1,2}\D| \w{3,9} \d{1,2}\D))(?: the)?(?: (?:early|mid|late"
            r"|spring|summer|autumn|fall|winter|year))?(?: of)? "
        ),
        EVENT: (
            r"\bhow many (?:\w+ )?(?:minute|hour|day|night|week|month|year)s\b(?! (?:is"
            rf"|does) )(?=.*\bbetween\b.* and\b)|\bdo(?:es)? {_NAMED}"
            r"(?: (?!to\b)[\w'-]+){0,3} (?:(?:say|tell|react|respond|reply|joke|mention|promise"
            r"|announce|apologi[sz]e|propose|describe|criticize|explain|comment|congratulate"
            r"|suggest|recommend|(?:offer|share) (?:an?|the|to|with))\b|(?:give|bring|make|decide"
            r"|receive|get|find|learn|plan|buy|send|show|do|feel|visit|start|write|encourage|lose"
            r"|win)\b.* (?:after (?:the|an?|his|her|their|(?!work)\w+ing)|upon|when (?!i |we |you "
            r"|\w+ is )\w+ \w+s)\b)|\bwhat (?:advice|offer|gift|present|tip|compliment|news"
            r"|encouragement|reason) do(?:es)? |\b(?:why|since when|last time|reasons?|how (?:come"
            r"|long ago|ha(?:ve|s)|(?:many|much) \w+ (?:passed|elapsed|(?:were|was) there between)"
            r"|(?:many times|often|long)(?! (?:was|were) (?!i|we|you|they|he|she|it\b))(?! (?:did"
            r"|was|were) .* (?:before|as a)\b)(?=.* (?:did|have|has|had|was|were"
            r"|lasted)\b)(?!.* (?:got|have to|has to|old|previous|former|original|originally"
            r"|used? to)\b)|(?:did|was|were) (?:it|that|the|my|our|\w+'s)\b.* (?:go|turn out|end))"
            r"|what (?:happened|changed|made|caused|led|(?:went|was) wrong)|(?:problem|issue"
            r"|trouble|error|bug)s?(?=.* (?:did|had|was|were)\b)|tell me (?:about|how .* (?:was"
            r"|were|went))|(?:i|we|they)'ve (?!got\b)\w+|which .* (?:first|last|earlier"
            r"|later)\b.* or)\b|^(?:and |so )?(?:have|has|haven't"
            r"|hasn't) (?!.* got\b)(?!(?:\w+ ){1,2}(?:a|an|any)\b)|\b(?:have|has) (?:i|we|you|they"
            r"|he|she) (?:ever |already |never )?(?!us|liv|work|got\b)(?:\w{2,}ed|"
            rf"{_PARTICIPLES})\b|^had (?:i|we|you|they|he|she) (?:already|ever)\b|\bstory behind\b"
            r"|^when (?:did|was|were)\b(?!.* (?:original|originally|previous|previously|old|former"
            r"|at first|initially|use to|used to|supposed|planned|scheduled|due)\b)"
        ),
        PAST: (
            r"\b(?:used to(?<!is used to)(?<!are used to)(?<!get used to)(?<!got used to)(?<!was"
            r" used to)(?<!were used to)(?<!be used to)|did(?:n't)? .*(?:\buse to|(?:usually"
            r"|normally|always|regularly|every \w+)\b)|before (?:that|this|then)\b[^,]*"
            r"|back (?:then|in|when\b[^,]*)|prior to|beforehand|previous(?:ly)?|former(?:ly)?"
            r"|original(?:ly)?|initial(?:ly)?|predecessors?|at (?:first|one (?:time|point))"
            r"|to begin with|once (?:was|were)|ex-\w+|in (?:the (?:past|beginning|old days)"
            r"|those days)|old(?:er)?(?<!how old)(?<!-old)(?<!years old)(?<!year old)(?<!an"
            r" old)(?<!too old) (?!are\b|is\b|enough\b|one is\b)\w+|the first \w+ (?:\w+ )?(?:i"
            r"|we|they) (?:ever )?(?:had|used|set|gave|chose))\b"
        ),
        EARLIER: (
            r"\b(?:before|until|till|up to|as of|as a (?:kid|child|student|teenager|baby)"
            r"|at th(?:e|at) (?:time|point)|at the (?:start|beginning) of|in the \w+ies|(?:in"
            r"|under|on) the (?:old|previous|former)|when (?:\w+ ){1,3}(?:was|were|lived|worked"
            r"|first|still|had|started|moved|joined|launched|began|met|led|ran)|^when (?!is|are"
            r"|does|did|do|was|were|will|can)\w+)\b[^,]*"
        ),
        NAMED_TIME: (
            r"\b(?:earlier|during|then$|(?:years|months|weeks|a while) back|back in"
            r"|in (?:the early days|\w+ childhood|college|high school|school)|at (?:school|uni"
            r"|university|college)|at the end of|when|last (?:semester|term|quarter|season|spring"
            r"|summer|autumn|fall|winter|school year)|th(?:at|e) (?:summer|winter|spring|autumn"
            r"|fall|year)|(?:my|our|his|her|their|'s) (?:very )?(?:first|last) (?:job|car|phone"
            r"|address|flat|apartment|house|manager|boss|name|plan|school|home|team|laptop|role"
            r"|salary|employer|landlord|budget|deadline|price|title|number))\b"
        ),
        PAST_TENSE: (
            r"\bwho (?:let|put|cut|set|shut|quit|split|spread)\b|\b(?:who|what|where|which \w+|i"
            r"|we|he|she|they) could(?:n't)?\b|\b(?:did|didn't|was|wasn't|were|weren't|had"
            r"|hadn't)\b|\b(?:have|has|haven't|hasn't) (?:(?!got\b|to\b|a\b|an\b"
            r"|the\b)[\w'-]+ ){0,5}?(?!got\b)(?:(?!need\b|feed\b|embed\b)\w{2,}ed|"
            rf"{_PARTICIPLES})\b|\b(?:i|we|she|he|they|it|(?!(?:is|was|does|has|this|his"
            r"|its)\b)\w+s|(?:who|which|what|that|how many)(?: (?!(?:is|are|am|do|does|can|should"
            r"|must|will|to)\b)\w+){0,2}) (?:ever |already |once |first |just )?(?:(?!need\b"
            rf"|feed\b|embed\b|exceed\b|proceed\b|red\b|bed\b)\w{{2,}}ed|{_PAST_FORMS})\b(?! by\b"
            r"| to \w+$)|\b(?:ago|yesterday|last night)\b"
        ),
        HAPPENED: (
            r"\bdid .*\b(?:say|tell|mention|happen|decide|recommend|suggest|buy"
            r"|(?<!how often did )go(?! to\b)|visit|meet|see|read|watch|try|make|break|fix|find"
            r"|learn|talk|discuss|do(?=\W*$| (?:the|on|in|with|to|about|at|after|last|when|during"
            r"|together)\b)|cook|give|send|explain|write|ask|celebrate|change|switch|move|leave"
            r"|join|stop|quit|sell|replace|participate|spend|hit|pass|complete|postpone|set"
            r"|include|get|receive|win|lose|arrive|finish|book|order|cancel|sign|submit|build"
            r"|create|add|remove|plant|adopt|die|marry|graduate|travel|fly|choose|pick(?! up)"
            r"|reali[sz]e|feel|describe|share|install|merge|crash|fail|forget|promise|offer|hire"
            r"|fire|injure|hurt|fall|improve|achieve|perform|paint|raise|react|reply|respond|eat"
            r"|bring|lend|borrow|take up|host (?:an?|the|for)|impact|affect|donate|draw|update"
            r"|test|review|outline|notice|attend(?! (?:\w+ )?(?:school|college)))\b|\b(?:said|told"
            r"|mentioned|happened|decided|recommended|suggested|bought|went|visited|met|saw"
            r"|watched|tried|made|broke|fixed|found|learned|talked|discussed|done|doing\b(?! the)"
            r"|cooked|gave|sent|explained|wrote|asked|celebrated|changed|switched|moved|left"
            r"|joined|stopped|started|sold|replaced|participated|spent|hit|passed|completed"
            r"|postponed|included|got|received|won|lost|arrived|finished|booked|ordered|cancelled"
            r"|signed|submitted|built|created|added|removed|planted|adopted|died|married|graduated"
            r"|travell?ed|flew|chose|chosen|picked(?! up)|reali[sz]ed|felt|described|shared"
            r"|installed|merged|crashed|failed|forgot|promised|hired|fired|injured|fell|improved"
            r"|achieved|performed|painted|raised|reacted|replied|responded|ate|brought|donated"
            r"|drew|lent|borrowed|updated|tested|reviewed|outlined|noticed|invited|quit|cause"
            r"|outcome|result|reaction|highlight|verdict|weather|response)\b|\b(?:was"
            r"|were) (?:[\w'-]+ ){0,5}?(?!(?:call|nam|locat|bas|us|schedul|plann|hous|suppos|host"
            r"|employ|insur|register|stor|assign|allow|capp|marri|need|pinn|limit|configur|enabl"
            r"|station|enroll|engag|connect|subscrib|rout|licens|mount)\w*)\w{2,}ed\b"
        ),
        HELD: rf"\b(?:{_HELD})\b|[|]|\b(?:could|how often|usually|always|every|\w+days)\b",
        STATE: (
            r"\b(?:is|are|am|isn't|aren't|do|does|don't|doesn't|can|can't|should|must|will|would"
            r"|could (?:you|i|we)|might|shall|whats|wheres|whos|whens|hows|(?:what|where|who|when"
            r"|how|that|it|there|he|she|which)'s|(?:have|has) (?:(?:i|we|you|they|he|she) )?(?:got"
            r"|a|an|any|no|the|to)|(?:i|we|you|they) (?:live|work|use|have|drive|pay|like|prefer"
            r"|own|need|take|want|go|get|keep|call|run)|current(?:ly)?|now|nowadays|these days"
            r"|still|latest|newest|most recent)\b|'(?:re|m)\b|^.*\bdid (?:\w+ ){1,3}?(?:say"
            r"|mention|tell (?:you|me))(?: that)? (?:(?:i|he|she|we|they) (?:am|is|are|have|has"
            r"|keep|live|work|use|like|prefer|want|need)|(?:\w+ ){1,3}?(?:is|are))\b|^(?:what|who"
            r"|where|which|how) .*\b(?:was|were) .*\bagain(?:$|,)"
        ),
        ASKS: (
            r"^(?:so |and |ok |remind me:? |tell me |hey |show me |give me |send me |i need "
            r"|i want |looking for )*(?:who|what|which|where|how|my|our|the)\b|\bnames? of\b"
        ),
    },
    stemmer="english",
    irregular_forms=_IRREGULAR_FORMS,
    cue_words={
        NOW: "now nowadays current currently latest newest still anymore",
        FIRST_PERSON: "i me my mine we us our ours",
    },
    cue_patterns={
        WHEN: (
            r"\bwhen\b|\bhow (?:long|often|recently|soon)\b"
            r"|\b(?:what|which) (?:date|day|month|season|time|week|weekend|year)\b"
        ),
        NAME: r"\b(?:where|who|whom|whose|which)\b",
        LIST: (
            r"\bhow many\b|\b(?:where|who|what|which) (?:has|have|do|does)\b|\b(?:what"
            r"|which)(?: of)? (?:are )?(?:[\w'/+-]+ ){0,3}?(?!(?:has|is|was|does|this|its|us"
            r"|yes)\b)(?:\w+(?<![su])s|people|children)\b(?! (?:is|was|did)\b)"
        ),
        NOW: r"\b(?:these days|at the moment|most recent|any (?:more|longer))\b",
        ASSISTANT: (
            r"\b(?:did|have|had) you\b|\byou (?:\w+ )?(?:advised|explained|gave|mentioned"
            r"|promised|proposed|recommended|said|suggested|t(?:ell|old)|wrote)\b"
            r"|\byour (?:advice|answer|explanation|recommendation|reply|suggestion|tip)s?\b"
        ),
    },
    address_words="you your",
    denials=(
        ("never", r"\b(?:i|we)(?:'ve| have|'d| had)?(?: \w+ly| also| just)? never\b"),
        ("'ve not", r"\b(?:i|we)'ve not\b"),
        ("have not", r"\b(?:i|we) have not\b"),
        ("haven't", r"\b(?:i|we) haven't\b"),
    ),
    statements={
        DONE: (
            r"(?:i|we)(?:'ve| have| had to)|after \w+ing|(?:i|we)(?: \w+ly| also| just| once| only"
            r"| already)? (?:(?!need|feed|embed)\w{2,}ed|put|cut|set|split|read"
            rf"|{_PAST_FORMS})"
        ),
        LASTING: (
            r"remember|(?:don'?t|do not|never) forget|keep in mind|note that|important(?:ly)?"
            r"|crucial|must|mustn'?t|never|always|from now on|make sure|prefer(?:s|red|ence"
            r"|ences)?|deadlines?|due (?:on|by|date)|allerg(?:y|ic|ies)|birthday|anniversary"
            r"|call me|i live|i work|i hate|i like|i love|i dislike|rule|required|requirement"
            r"|only use|my name|(?:my|our) \w+(?:['’]s \w+)?(?: \w+)? (?:is|are)"
        ),
        DECIDED: (
            r"decided|decision|agreed|settled on|going with|go with|chose|chosen|concluded"
            r"|conclusion|approved|resolved|let'?s use|we(?:'ll| will) (?:use|keep|take|switch|go)"
            r"|the plan is"
        ),
        OPEN: (
            r"todo|to do|open question|pending|next steps?|still (?:need|have|must)|waiting for"
            r"|unresolved|blocked|not yet|follow[- ]?up"
        ),
        FAILED: (
            r"errors?|fail(?:s|ed|ure|ures|ing)?|exceptions?|traceback|crash(?:ed|es)?|denied"
            r"|timed out|timeout|\w+(?:Error|Exception)"
        ),
        FIXED: (
            r"(?:was|were) (?:just |only )?(?:the|a|an) [\w .-]{2,30}, .{0,60}\bworks?"
            r"|problem solved|found (?:out )?why|(?<!-)(?:hot|re)?fixed(?![- ](?:width|size|point"
            r"|price|rate|number|cost|set|length|fee|position|at|amount|seed|date|term|layout"
            r"|header|schedule|order|list|format|income))|repaired|patched|solved(?= ?[:.]|$)"
            r"|(?:the|our) fix was(?! (?:not|never|to be)\b)|it was (?:just |only )?(?:a|an"
            r"|the) (?:typo|missing|wrong|stale|expired|bad|broken|off[- ]by|race|proxy|cache"
            r"|clock|firewall|old)|that was it(?= ?[:.])|found it, it|(?:bug|issue|problem|crash"
            r"|error|leak|race|deadlock|regression|failure)s?(?: \w+){0,5}? (?:is|are|was|were"
            r"|has been|have been|got)(?: now| finally)? (?:resolved|solved|gone)|(?:resolved"
            r"|solved|eliminated) (?:the|a|an|this|that|both|all)(?: [\w'-]+){0,4}? (?:bug|issue"
            r"|problem|crash|error|leak|race|deadlock|regression)s?|root cause(?: (?:of|for"
            r"|behind) (?:[\w'./-]+ ){1,6}?)? ?(?:was|is|:|turned|lay|found)(?! (?:not|still"
            r"|unknown|unclear))|found (?:it:|the (?:root )?(?:cause|bug|culprit|leak|problem))"
            r"|culprit (?:was|is|turned)|(?:bug|problem|issue|reason|cause|failure|crash|leak"
            r"|slowdown|flake|regression|race|error|outage)s?(?: (?:in|with|for|behind"
            r"|of) (?:[\w'./-]+ ){1,5}?)? ?(?:was|came from|comes from|turned out|stemmed from"
            r"|(?:is|are|were) caused by)(?! (?:still|not|never|there|reported|raised|opened|filed"
            r"|closed|discussed|introduced|fun|nice|fixed|gone|solved|resolved))"
        ),
        REPAIRS: r"(?<!-)(?:(?:bug|hot)?fix(?:es|ed)?|repair(?:s|ed)?)",
        PLANNED: (
            r"will|'ll|should|shall|must|needs?|to be|not|never|until|once|unless|if|can|could"
            r"|would|want|wants|let'?s|please|todo|going to|try|hope|before|when|get|have it|gets?"
            r"|isn'?t|wasn'?t|aren'?t|hasn'?t|haven'?t|won'?t|nothing|may|might|maybe|be"
        ),
        CAUSED: (
            r"because|due to|caused|causes?|turn(?:s|ed) out|c[oa]mes? from|missing|wrong|bug"
            r"|which is why|never|failed|crash\w*|race|off[- ]by[- ]one|leak\w*|stale|forgot\w*"
        ),
        TROUBLE: (
            r"(?:came|comes|stemmed) from|blurr\w+|flicker\w*|jump\w*|drift\w*|fail\w*"
            r"|errors?(?! (?:handling|pages?|class\w*|messages?|types?|codes?|handlers?|boundary"
            r"|log))|bugs?|wrong\w*|missing|crash\w*|leak\w*|twice|never|null|none|nan|undefined"
            r"|stale|race|time(?:d|s)? ?outs?|slow\w*|duplicate\w*|lost|broke|broken|hangs?|hung"
            r"|flaky|overwr\w+|off[- ]by|mismatch\w*|expired|deadlock\w*|double|too (?:early|late"
            r"|small|large|long|short|low|high)|swallow\w*|ignored|dropped|forgot\w*|blank"
            r"|fro[sz]e\w*|stuck|garbled|overflow\w*|[45]\d\ds?|problem|issue|regression|outage"
            r"|corrupt\w*|unclosed|unbounded|shadow\w*|collid\w+|conflict\w*|before (?:it|the)"
            r"|instead of the"
        ),
        CURED: (
            r"that (?:fixed|did|solved|was) it|sorted|all good(?: again| now)?|stable (?:again"
            r"|now)|holds now|(?:it |that |everything )?works (?:again|now|fine)|(?:is|are|they're"
            r"|it's|all) gone|solve[sd]? (?:it|that|the)|fixe[sd] (?:it|that|the)|no longer"
            r"|green again|does the trick|did the trick|did it|back to normal|(?:is|runs?|builds?"
            r"|pass(?:es)?|starts?) (?:fine|again|green|clean\w*)(?: again| now)?|without (?:a "
            r"|any )?(?:failures?|errors?|crash\w*|leaks?|timeouts?)"
        ),
        CHANGED: (
            r"now|removed|moved|raised|lowered|replaced|switched|reset|closed|cached|wrapped"
            r"|guarded|handled|escaped|pinned|restored|renewed|rebuilt|added|changed|set|turned"
            r"|cleared|regenerated|bumped|upgraded|rolled back|reverted|corrected|patched|awaits?"
            r"|waits?|passes|green|gone"
        ),
        SETTLED: (
            r"make .{2,40} the default|(?:we|i) (?:don't|do not) (?:need|want) (?:a|an|any"
            r"|the) .*|yes,? (?:do|take|use|go with|go for|keep) .*|the [\w -]{2,30} (?:stays?"
            r"|remains?) (?:as|in|on|with|at|a\b|the\b|[A-Z]).*|(?:postpone|defer|park"
            r"|skip) (?:the|that|this|all) .*|we(?:'ll| will) (?!see|look|check|talk|discuss|need"
            r"|find|have|be\b|get|know|try|go through)\w+ (?:for|the|a|an|with|on|it|our|all"
            r"|without|only|to) .*|forget \w+[,.;] .*|keep (?:it simple|using|the) .*|call (?:it"
            r"|the \w+) \w+.*|(?:i|we) (?:kept|chose|picked) .*|\w+ wins\b.*|let'?s (?:not|use"
            r"|keep|drop|do it|call|make|move|skip|ship|stay|wait|switch|leave) .*|(?:decided"
            r"|decision|settled|verdict|agreed) ?: ?\w.{8,}|(?:we )?(?:go|going|went) (?:for"
            r"|with) (?:option|plan|variant|approach|the (?:first|second|third|other"
            r"|simple\w*))\b.*|(?:option |variant |plan )?\w+ it is.*|(?:let'?s |we(?:'ll"
            r"| will)? |i(?:'ll| will)? )?(?:stick|stay|stuck|stayed) (?:with|to) (?!me|you|us"
            r"|it\b|this for)\w.*|keep the [\w ]{1,30} at \w.*|drop (?:[\w .+-]{1,30} support"
            r"|support for .*)|let'?s do (?:it|this|that) (?:with|in|by|as|over) .*|as (?:agreed"
            r"|decided),? \w.{8,}|(?:i|we) (?:went|settled|opted|decided) (?:with|on|for"
            r"|against) .*|we(?:'ll| will) (?:ship|launch|release|deploy) (?:on|in|to) .*|(?:take"
            r"|pick) (?:option|plan|variant) \w+.*|(?:scrap|ditch|shelve|kill|drop"
            r"|forget(?: about)?) (?:the|that|this) .{0,60}\b(?:idea|plan|approach|proposal"
            r"|rewrite|migration|option|route)|no \w[\w .+-]{1,30}[.,;:] ?\w[\w .+-]{1,30} (?:is"
            r"|will be|does) (?:enough|plenty|fine|it|the job)"
        ),
        RELATES: (
            r"(?:talk|speak|listen|write|connect)s? (?:only |directly )?to|calls?|owns?"
            r"|depends? on|knows? (?:nothing|only)|implements?|wires?|reads? from|lands? in"
            r"|publish\w*|subscribes?|consumes?|sits? (?:in front|between|behind|on)|goes? through"
            r"|holds? (?:only|all)|(?:is )?split into|consists? of|has (?:two|three|four|five"
            r"|six) (?:parts|layers|modules|services|tiers)|fits? together|architecture|layering"
            r"|validates?|picks?|of its own"
        ),
        PARTS: (
            r"system|gateway|services?|layers?|modules?|core|packages?|storage|tenants?|schemas?"
            r"|middleware|database|queue|lambda|warehouse|front-?end|back-?end|adapters?|ports?"
            r"|ledger|notifier|components?|broker|bus|workers?|cache|store|api|client|server|app"
            r"|scraper|registry|domain|plugins?|shard\w*|proxy|router|scheduler|s3|bucket|monolith"
        ),
    },
    common_words="""
        time day days week weeks month months year years today tomorrow tonight yesterday morning
        evening night weekend hour hours minute minutes last next first second new old good great
        nice best better bad hard easy big small long short little lot bit thing things stuff way
        ways people person man woman friend friends family kid kids love loved loving like liked
        enjoy enjoyed happy glad sad feel feeling feels felt hope help helped helps support
        supporting supported supportive thanks thank thankful grateful awesome amazing cool fun wow
        sure maybe really going gonna go goes went come came keep keeps kept keeping get gets got
        getting make makes made making take takes took taken taking give gives gave given giving
        see sees saw seen seeing look looks looking looked find found think thinks thinking thought
        know knows knew known want wants wanted wanting need needs needed needing try tries tried
        trying start started starting use uses used using work works worked working say says said
        saying tell tells telling talk talked talking ask asked asking show showed let put set add
        added adding change changes changed changing life home world place job goal goals dream
        dreams journey happen happened happens mean means meant chance idea ideas plan plans
        planning point part reason kind sort able ready important different same whole real true
        right wrong sorry please yeah yes okay ok hey hi well still even also always never ever
        already yet soon later ago away back down over again much many more most less least few
        enough around together totally definitely absolutely finally recently just only own other
        another everything something anything nothing everyone someone anyone quit left stop
        stopped moved bye proud inspiring inspired motivated moments moment memories time times
        experience tough challenge challenges difficult focus learn learned learning improve
        improved project projects step steps process issue issues problem problems example specific
        details detail information create created include including
    """,
    greetings="hey|hi|hello|thanks|thank you|bye|goodbye|see ya|dear",
)
