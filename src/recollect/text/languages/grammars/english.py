"""The rules of statements in English."""

from __future__ import annotations

from recollect.text.languages.grammars.grammar import Grammar

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?"
    rf"|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|the \d{{1,2}}(?:st|nd|rd|th)"
    rf"|\d{{4}}-\d\d-\d\d|\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?"
    rf"|(?:(?:next|this|on|every|last) )?{_DAY}|tomorrow"
    rf"|(?:next|last) (?:week|month|year|weekend|spring|summer|fall|autumn|winter))"
)
_TIME = (
    r"(?:\d{1,2}[:.]\d\d(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\b\.?|noon|midnight"
    r"|(?<=at )\d{1,2}(?! ?\w)|\d{1,2} o'clock)"
)
_PERSON = (
    r"(?:(?:older|younger|elder|big|little|twin|ex|late|half|step) ?-?)?(?:brother|sister|mother"
    r"|father|mum|mom|mam|dad|son|daughter|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?"
    r"|uncle|aunt|cousin|nephew|niece|grandma|grandpa|grandmother|grandfather|gran|granddaughter"
    r"|grandson|(?:best |oldest |close )?friend|flatmate|roommate|housemate|neighbou?r|boss"
    r"|manager|colleague|coworker|co-worker|teammate|mentor|ex|stepson|stepdaughter|twin|kid"
    r"|business partner|team lead|landlord|landlady)(?:-in-law)?"
)

GRAMMAR = Grammar(
    parts={
        "I": r"(?:\b(?:i|we)|^(?: (?:and|but|also|so|btw|ok|oh|hey|well|fyi|quick update|update|by the way)[,:]?)*)(?:'m|'re|'ve|'ll)?(?: am| are| have| both| all| also| now| currently"
        r"| still| just| finally| actually| really| recently| already| officially| only"
        r"| personally| always| usually| generally)*",
        "I1": r"(?:\bi|^(?: (?:and|but|also|so|btw|ok|oh|hey|well|fyi|quick update|update|by the way)[,:]?)*)(?:'m|'ve)?(?: am| have| also| now| currently| still| just| finally| actually"
        r"| really| recently| already| only| personally)*",
        "MY": r"\b(?:my|our)(?: new| old| current| own| dear| lovely| whole)*",
        "DATE": _DATE,
        "TIME": _TIME,
        "WHEN": rf"(?P<value>(?:{_DATE}|{_TIME})(?:,? (?:at|from|by|around|,)? ?(?:{_TIME}"
        rf"|{_DATE}))*)",
        "END": r"(?=$|[,;:!?()]| [-–—] |(?<!\b[DM]r)\.(?:\s|$)| (?:and|but|so|because|since|with|for|now|anymore"
        r"|any more|these days|when|while|which|who|where|as|after|before|until|if|though|until"
        r"|right|not|at|on|in|too|instead|again|last|this|next)\b)",
        "PERSON": _PERSON,
        "SPEC": r"(?P<value>(?:(?!(?:port|the|a|an)\b)[\w.+#-]+ )?v?\d+(?:\.\d+)+|port \d+"
        r"|\d[\d.,]*k?(?: ?(?:%|[kmg]i?b|ms|s|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?"
        r"|requests?|reqs?|calls?|rows|connections|workers|users|mb|gb|replicas))?"
        r"(?: ?/ ?\w+| (?:per|a|an) \w+)?"
        r"|`[^`]+`|(?:[\w.-]+/)+[\w.-]+|[a-z]+(?:[-_.][a-z0-9]+)+"
        r"|(?-i:[A-Z])[\w+#.]*[\w+#](?: \d[\w.]*)?)",
        "TECH": r"(?:servers?|databases?|db|apis?|backend|frontend|front end|back end|clusters?|pipelines?|ci|tests?|test suite|builds?|deploys?|deployments?|repos?|repository|branch(?:es)?|configs?|configuration|ports?|tokens?|cache|queues?|cron(?:job)?s?|backups?|staging|production"
        r"|prod|endpoints?|schema|migrations?|logs?|containers?|images?|scripts?|services?|workers?|keys?|secrets?|passwords?|timeouts?|limits?|rate limit|versions?|proxy|webhooks?|librar(?:y|ies)|packages?|modules?|docker\w*|kubernetes|app|site|website|importer|exporter|scheduler|parser"
        r"|compiler|bucket|table|index|monorepo|gateway|load balancer|domain|dns|certificates?|sessions?|cookies?|feature flags?|flags?|jobs?|sdk|cli|firewall|vpn|env|environment|locale|dashboard|alerts?)",
        "MUST": r"(?:must|has to|have to|should|shall|needs? to|may|can|ought to)",
        "WANT": r"(?:please|pls|and|also|but|ok(?:ay)?|so|then|remember(?: that)?:?|note:?|reminder:?"
        r"|important:?|rule:?|from (?:now|here|today) on(?:wards)?|going forward|in (?:the )?future"
        r"|for future reference|one (?:more )?(?:thing|rule):?|yes|no|just|btw|fyi|hey"
        r"|in this (?:repo\w*|project|codebase)|oh|next time|and also|as a rule|in general)",
        "START": r"^\W*(?:(?:for|in|when|with|on|as|one|and|also|before|after|while|quick|small|another) [\w' ]{1,40}[,:] )?(?:<WANT>[,:]? ?(?:- )?)*",
        "IMP": r"(?:use|write|keep|run|add|put|make|ask|check|avoid|don't|do not|stop|format|name|prefix|sign|commit|push|answer|reply|explain|show|include|create|update|document|validate|save|call|pass|treat|cite|give|tell|be|talk|quote|wrap|test|review|squash|rebase|merge|deploy|log|return|import|export|sort|group|start|end|follow"
        r"|prefer|leave|skip|drop|mention|summari[sz]e|list|link|tag|mark|read|open|send|convert|round|store|pin|lock|respect|assume|stick|respond|speak|address|warn|confirm|double-check|verify|limit|go easy|bear|try to|just|only)",
        "MARK": r"(?:always|never|every|each|all|any|whenever|from now on|going forward|from here on|in this (?:repo\w*|project|codebase|workspace|team|chat)|by default|ever|unless|without (?:asking|my|a|an)|anymore|any more|until i say|as a rule|at all times|no exceptions|in future|in the future|everywhere|again|first|for (?:me|us|everything|this project|all)"
        r"|with me|to me|your (?:answers?|replies|responses|explanations)|instead of|rather than|only|not|under \d+|no more than|max(?:imum)?|at most)",
        "HERE": r"(?:in|for|to|into|across|within) (?:this|our|the|any|all|every) ?(?:whole |entire "
        r"|new )?(?:repo\w*|project|codebase|code base|code|docs?|tests?|frontend|backend|module"
        r"|package|team|branch|logs?|commits?|commit messages?|pull requests?|prs?|ui|api|migrations?"
        r"|readme|monorepo|app|files?|thread|chat|conversation)",
    },
    rules=r"""
    rule.me call,calls :: <START>(?:you can |just )?call me (?P<value>(?-i:[A-Z])[\w'-]+)
    rule.me answer,answers,answering,reply,replies,respond,responses,response,explanations,explain,
        write,speak,talk,address :: <START>(?:never |don't |do not )?(?:keep|make) (?:your|the|all
        |any)(?: \w+)? ?(?:answers?|replies|reply|responses?|explanations?|summaries) .+
    rule.me answer,reply,respond,speak,talk,write,address :: <START>(?:answer|reply|respond|speak
        |talk|write)(?: to)?(?: me)?(?: back)?(?: only)? in (?P<value>\w+(?: english)?)
        (?! (?:the|a|this)\b)<END>
    rule.me answers,answer,replies,responses,apologies,apologising,apologizing,bullet,bullets,emojis,
        emoji,jargon,preamble,filler,flattery,disclaimers,summary,summaries
        :: <START>(?:no|skip|drop|avoid|cut|leave out|omit) (?:the )?(?:more )?(?:\w+ )?
        (?:apologies|apologi[sz]ing|bullet points?|bullets|jargon|preamble|filler|flattery|disclaimers?
        |emojis?(?! in (?:commit|the code|code|docs)))\b.*
    rule.me stop,quit :: <START>(?:stop|quit) (?:\w+ing)\b(?! (?:the|this|that|it)\b).*
        (?:every|all the time|each|me|always|constantly|after|at the end|in your|your)\b.*
    rule.me stop :: \bplease stop doing (?:that|this)\b.*
    rule.me sentences,paragraphs,words,bullets,points,lines :: <START>(?:keep|limit|stick|use|give me
        |answer in|reply in|answer with|reply with) .*\b(?:short|brief|concise|under|most|maximum|max
        |no more than|fewer than|at least|\w+)\b.*\b(?:sentences|paragraphs|words|bullets|points|lines)
        \b.*(?:unless|always|per answer|each|every|max)?
    rule.me want,like,prefer,need :: \bi(?:'d| would)?(?: always| really)? (?:want|like|need|prefer)
        you to (?!(?:help|look|check|review|create|write a|make a|imagine|act|pretend|explain)\b).*
        \b(?:always|never|every|each|from now on|whenever|before)\b.*
    rule.me me,my,you :: <START>(?:always|never|don't ever|do not ever|don't|do not) (?:ever )?(?:answer
        |reply|respond|explain|address|use emojis?|apologi[sz]e|praise|flatter|call me|tell me|ask me
        |show me|send me|give me|remind me|start (?:your|with)|end (?:your|with)|include|suggest
        |summari[sz]e|repeat|assume|mention|ping|write|message|book|schedule)\b.*
    rule never :: <START>(?:and )?never,?(?: ever)? (?!mind\b|in \b|again$|once\b|before\b|have i\b
        |had\b|been\b|thought\b|heard\b|seen\b|said\b|a\b|the\b|knew\b|got\b|did\b|was\b|really\b)
        [a-z]+\b .+
    rule always :: <START>(?:and )?always (?!been\b|a\b|the\b|was\b|wanted\b|fun\b|nice\b|good\b|great\b
        |glad\b|happy\b|here\b|thought\b|have\b|had\b|on\b|in\b|remember that\b|believed\b|something\b
        |loved\b|an\b|so\b|up\b|there\b|grateful\b)[a-z]+\b .+
    rule don,not,avoid,stop :: <START>(?:don't|do not|avoid|stop) (?:ever )?(?!worry\b|forget to\b
        |know\b|think\b|have\b|hesitate\b|get me\b)[a-z]+\b.*?\b(?:ever|<HERE>|without (?:asking|my|a|an
        |our|telling|permission|approval|review|tests?)|again|anymore|any more|under any circumstances
        |unless|directly)\b.*
    rule now,here,forward,future,today,onwards :: <START>(?:from (?:now|here|today) on(?:wards)?
        |going forward|in (?:the )?future|henceforth),? (?!(?:i|we|it|he|she|they|this|that|the|my|our)
        (?:'\w+)?\b)\w+ .+
    rule now,here,forward :: ^\W*(?:please )?(?!(?:i|it|he|she|they|the|my)\b)[a-z]+ .+?,?
        (?:from (?:now|here|today|this point) on(?:wards)?|going forward)\b.*
    rule make,sure,ensure :: <START>(?:make sure|ensure)(?: that)?(?: you| we)? (?:.*\b(?:always|never|
        every|each|all|any|before)\b).*
    rule whenever,every,before,after,anytime,each :: ^\W*(?:please )?(?:whenever|every ?time|any ?time
        |each time|before (?:you|every|each|any|commit\w*|push\w*|merg\w*)|after (?:every|each|any))
        [^,]*,? (?:please |always |never |don't |do not |you (?:must|should|have to) )?(?!(?:i|we|it
        |he|she|they|the|my|our|there|this|that|you)\b)[a-z]+ .+
    rule every,all,each,any,new,no :: ^\W*(?:please )?(?:(?:remember|note)(?: that)?:? )?(?:and )?(?:all|every
        |each|any|new)(?: of)?(?: the| our| new)*(?: [\w-]+){1,4}? (?:must|have to|has to|should|needs? to
        |need|shall)\b(?! i\b).+
    rule messages,names,branches,tests,files,commits,functions,endpoints,comments,docs,variables,prs,
        migrations,secrets,errors,dates,logs,components,imports :: ^\W*(?:please )?(?:remember:? |note:? )?
        (?:our |the )?(?:[\w-]+ ){0,2}(?:messages|names|branches|tests|files|commits|functions|endpoints
        |comments|docs|variables|prs|migrations|secrets|errors|dates|logs|components|imports)
        \s(?:must|have to|should|go in|go into|need|are always|are never|never|always)\b.+
    rule no :: <START>no (?:more )?(?!one\b|problem|worries|idea|need|way|rush|wonder|longer|thanks|matter
        |clue|doubt|luck|hurry|not\b|that\b|it\b|i\b|we\b|you\b|the\b)[\w-]+(?: [\w-]+){0,2} (?:<HERE>
        |in (?:commit messages?|commits|the code|code|tests|docs|prs?|pull requests?|production|prod)
        |on (?:fridays?|weekends?)|without)\b.*
    rule only,use,stick :: <START>(?:only )?(?:use|stick (?:to|with)|write|put|name|prefix|format) .+?
        (?:<HERE>|everywhere|at all times|whenever|only|for all|for every|in all|in every)\b.*
    rule we :: ^\W*(?:in this (?:repo\w*|project|codebase),? |here,? )?we (?:only|never|always|don't|do not)
        \s(?:ever )?(?:use|merge|deploy|commit|push|release|ship|write|squash|rebase|force|log|store|put
        |allow|accept|import|pin|call|name|add|create|keep|test|run|mock|hardcode|touch|delete|edit)\b.+
    rule repo,project,codebase :: ^\W*(?:please )?<HERE>,? (?:we|you|please|always|never|don't|do not|use
        |only|keep|all|every)\b(?! are\b| have\b| were\b| can\b).+
    rule must,mustn :: \b(?:you|we) (?:must|mustn't|must not|must never|must always) (?!have\b|be\b|admit\b
        |say\b)[a-z]+ .+
    decision decided,settled,agreed,chosen,chose,picked,opted :: (?:<I>|the team|they)(?:'ve| have|'s| has)?
        \s(?:all |both )?(?:decided|settled|agreed|opted)(?: to| on| that| against| for| not to| upon)
        (?: (?:go|keep|use|stay|stick|move|switch|migrate|adopt|drop)(?:ing)?(?: with| to)?)?
        (?: using)? <V?>.*
    decision chosen,chose,picked,selected :: <I>(?:'ve| have)? ?(?:chosen|chose|picked|selected|gone with
        |went with) <V?>(?: as\b.*| for\b.*| over (?P<old>.+))?$
    decision go,going :: \b(?:let's|lets|let us|we(?:'ll| will)|we're|we are|i'll|i'm|i am)(?: just| then)?
        \s(?:go|going|stick|sticking|stay|staying)(?: ahead)?(?: with) <V?>(?:(?: instead of| over| rather than
        | not) (?P<old>.+))?<END>.*
    decision use,keep,take,drop,dropping,adopt,switch,move,using,keeping,switching,moving :: \b(?:let's|lets
        |let us|we(?:'ll| will)|we're going to|we are going to|we're|we are) (?:just |now |all |only )?
        (?:use|keep|take|drop|adopt|switch|move|using|keeping|dropping|switching|moving|migrating)\b(?! \w+ing\b)
        (?:ing)?(?: support for| using| to| over to| away from)? <V?>.*
    decision decision,verdict,conclusion,choice,plan :: \b(?:the|our|final|my) (?:final )?(?:decision|verdict
        |choice)(?: is| was|:)(?: to| that)? <V>.*
    decision yes,do,ok,okay,agreed,sounds,approved :: ^\W*(?:yes|yep|ok|okay|agreed|approved|perfect|great)[,.:!]?
        \s(?:please )?(?:do it your way|do (?:it )?that|go (?:ahead )?with|use|take|let's do)\b.*
    decision final,official :: \b(?:it's|that's) (?:final|official|decided|settled)\b.*
    open_end need,needs,have,has,must :: \b(?:we|i|someone|somebody|it|the \w+|they)(?:'ve| have)? still
        \s(?:need|needs|have|has|must)(?: to)?\b .+
    open_end still :: \b(?:is|are|'s|'re) still (?:waiting|pending|open|missing|blocked|unresolved|failing
        |broken|unexplained|to be|outstanding|unclear|undecided|not|on hold|red|stuck)\b.*
    open_end done,finished,ready,decided,merged,fixed,implemented,signed,reviewed,tested,deployed,clear,
        resolved,complete,answered,migrated,translated,confirmed,sorted,approved
        :: \b(?:isn't|aren't|hasn't been|haven't been|is not|are not|has not been|have not been|haven't
        |not)(?: been)?(?: \w+)? (?:done|finished|ready|decided|merged|fixed|implemented|signed|reviewed
        |tested|deployed|resolved|complete|answered|migrated|translated|confirmed|sorted|approved)
        (?: off)? yet\b.*
    open_end done,finished,ready,decided,merged,fixed,implemented,translated,started :: ^\W*(?:the|our) .+
        \s(?:isn't|aren't|is not|are not) (?:done|finished|ready|decided|merged|fixed|implemented
        |translated)\b.*
    open_end todo,open,outstanding,pending,remaining,left,follow,next :: ^\W*(?:todo|to do|still open|open
        \s?(?:question|point|item|issue)s?|outstanding|pending|remaining|left to do|follow[- ]?up|next
        steps?)(?: is| are)?:? .+
    open_end waiting,blocked :: <I> (?:waiting (?:for|on)|blocked (?:on|by)) .+
    open_end waiting,blocked :: ^\W*(?:the|our) .+ (?:is|are) (?:waiting (?:for|on)|blocked (?:on|by)) .+
    personal.car sold :: <I> sold (?:my|our|the)(?: old)? (?P<old>[\w-]+(?: \w+)?)
        \sand (?:bought|got|now drive|drive)(?: myself)?(?: a| an| the)? <V><END>
    none.car sold :: <I> sold (?:my|our|the)(?: old| trusty)? (?P<old>[\w-]+(?: [\w-]+)?)<END>
    relationship.spouse married,engaged :: <I1> (?:got )?(?:married|engaged)(?: to)? <V><END>
    relationship.manager boss,lead,manager :: <MY> (?:manager|boss|line manager|team lead)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    relationship.partner boyfriend,fiancée,girlfriend,husband,partner,wife :: <MY> (?:partner|wife|husband|girlfriend|boyfriend|fiancée?)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.doctor doctor,gp :: <MY> (?:doctor|gp)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.dentist dentist :: <MY> (?:dentist)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.gym gym :: <MY> (?:gym)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.therapist therapist :: <MY> (?:therapist)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    relationship.landlord landlady,landlord :: <MY> (?:landlord|landlady)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.vet vet :: <MY> (?:vet)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.bank bank :: <MY> (?:bank)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.car car :: <MY> (?:car)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    work.employer employer :: <MY> (?:employer)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    work.job job :: <MY> (?:job)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.address address :: <MY> (?:address)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    preference.editor editor,ide :: <MY> (?:editor|ide)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    technical.os os,system :: <MY> (?:os|operating system)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    technical.laptop laptop :: <MY> (?:laptop)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    preference.browser browser :: <MY> (?:browser)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.timezone zone :: <MY> (?:time ?zone)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    personal.rent rent :: <MY> (?:rent)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    work.salary salary :: <MY> (?:salary)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    technical.stack stack :: <MY> (?:stack|tech stack)(?:'s name)?(?:'s| is| was| went (?:up|down) to| rose to| increased to| changed to| has changed to)(?: called| named| now| currently| at| with)* (?!(?:so|very|really|not|broken|still|too|asking|in|on|out|away|sick|late|coming|going|driving|great|good|nice|the best)\b)(?:a |an |the )?<V><END>.*
    relationship.home live,lives,moved,living,based :: <MY> (?P<who><PERSON>(?:,? (?-i:[A-Z])[\w'-]+)?)
        (?: now| just| recently| has|'s)* (?:lives|moved|is living|is based|settled)(?: back| over| out)?
        \s(?:in|to|near) (?P<value>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*).*
    personal allergic,vegetarian,vegan,coeliac,celiac,diabetic,asthma,autistic,turns,turned,old,birthday,born,pregnant,allergy,intolerant,dementia,dyslexic :: <MY> (?P<who><PERSON>(?:,? (?-i:[A-Z])[\w'-]+,?)?)(?: is| has|'s| was| turns| turned| will be| just turned)+.*\b(?:allergic|vegetarian|vegan|coeliac|celiac|diabetic|asthma|autistic|birthday|born|pregnant|allergy
        |intolerant|dementia|dyslexic)\b.*
    relationship called,name,named :: <MY> (?P<who><PERSON>)(?:'s name)?(?: is| are|'s)(?: called| named)?
        \s(?P<value>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*)<END>.*
    relationship @person :: ^\W*(?P<who>(?-i:[A-Z])[\w'-]+), my <PERSON>,? .+
    relationship @person :: <MY> (?P<who><PERSON>(?:,? (?-i:[A-Z])[\w'-]+,?)?) (?:is|was|has|works|studies
        |lives|lived|loves|runs|got|just|turned|started|teaches|plays|moved|owns|hates|speaks|collects
        |turns|bought|lost|had|likes|used|'s|goes|recently|will be|became|passed|helped|gave|taught)\b.*
    relationship her,his :: ^\W*(?:her|his) (?P<who>(?:little |big )?(?:brother|sister)) (?-i:[A-Z])\w+ is .+
    relationship.child daughter,son,kids,children :: \bi(?:'ve| have)(?: got)? (?P<value>(?:a|two|three|four|\d)
        \s(?:\w+ )?(?:daughters?|sons?|kids?|children|brothers?|sisters?|siblings)\b.*)
    personal.name name :: \bmy (?:full |real |first )?name is (?P<value>(?-i:[A-Z])[\w'-]+(?:
        \s(?-i:[A-Z])[\w'-]+)*)
    personal.home live,living,based :: <I> (?:live|living|based|settled)(?: now| here)?(?: just outside(?:
        \sof)?| near| in| at| close to) (?:the )?(?P<value>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*
        |(?!a\b|an\b|the\b)\w+).*
    personal.home moved,relocated :: <I> (?:moved|relocated)(?: house)?(?: back| over| up| down| out)?
        \s(?:from (?P<old>[\w' -]+?) )?(?:to|into) (?P<value>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*).*
    personal.home flat,apartment,house,place :: \b(?:the|our|my) (?:new |own )?(?:flat|apartment|house|place)
        (?:'s| is)? in (?P<value>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*).*
    personal.home moved :: <I>(?: have)? (?:finally |just )?moved$
    personal.origin from,grew,born,raised :: <I1> (?:grew up|was born|was raised|come|originally)(?: and raised)?
        \s(?:in|from) <V><END>.*
    personal.origin from :: <I1> (?:am |'m )?(?:originally )?from (?P<value>(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)*).*
    personal.allergy allergic,allergy,intolerant,coeliac,celiac,vegetarian,vegan,diabetic,asthmatic,dyslexic,
        colourblind,colorblind,pregnant,asthma,diabetes,adhd,migraines
        :: <I1>(?:'m| am|'ve| have| got| been| a| have been| severely| mildly| badly| lactose| both)*
        \s?(?:allergic to|an allergy to|intolerant|coeliac|celiac|vegetarian|vegan|diabetic|asthmatic|dyslexic
        |colou?r ?blind|pregnant|asthma|diabetes|adhd|migraines)\b ?<V?>.*
    personal.allergy diagnosed :: <I1> (?:was |been |got )?diagnosed with <V><END>.*
    personal.age years,old,turned :: <I1>(?:'m| am)? ?(?:turned )?(?P<value>\d\d)(?: years old)?(?: now)?
        (?=$|[,.]| years old| and| this| last)
    personal.birthday birthday,born :: (?:my birthday(?:'s| is)|i was born)(?: on| in)? (?:<WHEN>|<V><END>).*
    personal.phone number,phone :: \bmy (?:new |work |mobile |cell |phone )*number(?:'s| is)(?: now)? <V><END>
    personal.email reach,email,mail,e,address :: \b(?:my|reach me|new) ?.*?(?P<value>[\w.+-]+@[\w-]+\.\w+)
    personal.pet dog,dogs,cat,cats,puppy,kitten,rabbit,rabbits,parrot,hamster,horse,pets,tortoise,bunny
        :: <I>(?: own| have| got|'ve got| adopted| rescued)+ (?P<value>(?:a|an|two|three|four|another|our|\d+)
        \s(?:[\w-]+ ){0,2}?(?:dogs?|cats?|puppy|puppies|kittens?|rabbits?|parrots?|hamsters?|horses?|pets?
        |tortoise|bunny)).*
    personal.pet dog,cat,puppy,kitten,rabbit,parrot,hamster,horse,pup :: <MY> (?:\w+ )?(?P<who>dog|cat|puppy|pup
        |kitten|rabbit|parrot|hamster|horse)(?:'s name)?,? (?:is|'s)?(?: called| named)?
        \s(?P<value>(?-i:[A-Z])\w+).*
    personal.car drive,bought :: <I1> (?:drive|driving|bought|bought myself)(?: a| an| my| the)(?: new| old
        | used| second-hand| brand new)? (?P<value>(?:\d{4} )?(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z])[\w-]+)*).*
    personal.bank bank,banks :: (?:<I> |^\W*(?:and )?)(?:now )?bank with <V><END>
    personal.bank banks :: <I> (?:switched|changed) banks$
    personal.language speak,native,fluent :: <I1> (?:speak|a native|fluent in|'m fluent in) (?P<value>(?-i:[A-Z])
        \w+(?:(?:, | and )(?-i:[A-Z])\w+)*).*
    work.employer work,working,works :: <I>(?: mainly| mostly)? (?:work|working|employed)(?: full[- ]time
        | part[- ]time| remotely| again)? (?:at|for|with|in the \w+ team at|by) (?:the |a |an )?<V><END>.*
    work.job work,working :: <I1> (?:work|working) as (?:a |an |the )?<V><END>.*
    work.employer started,joined,joining,hired :: <I1> (?:started|joined|been hired|was hired)(?: a new job)?
        (?: working)?(?: at| by| with| for)?(?: the)? (?P<value>(?-i:[A-Z])[\w'&-]+(?: (?-i:[A-Z])[\w'&-]+)*).*
    none.employer left,quit,resigned,leaving :: <I1>(?:'ve| have)? (?:left|quit|resigned from)(?: my job)?(?: at
        | from)? (?:the )?(?P<old>[\w&'-]+(?: [\w&'-]+)?)<END>
    work.job m,am,became :: \bi(?:'m| am| became)(?: now| currently)?(?: working as)? (?:a|an|the)
        \s(?P<value>(?:[\w-]+ ){0,3}?(?:nurse|driver|teacher|developer|engineer|manager|designer|student|doctor
        |lawyer|writer|author|journalist|chef|cook|baker|analyst|scientist|researcher|consultant|architect
        |carpenter|electrician|plumber|pilot|photographer|musician|accountant|freelancer|contractor|therapist
        |counsel?lor|lecturer|professor|programmer|producer|midwife|paramedic|translator|editor|librarian|sysadmin
        |administrator|founder|ceo|cto|lead|director|officer|technician|mechanic|farmer|postdoc|intern|trainee
        |apprentice|barista|artist|owner|colorist|actor|dancer|coach|specialist))\b.*
    work.job title,role,job :: \bmy (?:new |current |job )?(?:title|role|job|position)(?:'s| is)(?: now)?
        \s(?:a |an |the )?<V><END>.*
    work.studies study,studying,degree,major,majoring,phd,thesis,masters :: <I1> (?:study|studying|majoring in
        |doing (?:a|my) (?:phd|master'?s|degree) in|finished my degree in) <V><END>.*
    work manage,lead,managing,leading,run,own,retired,promoted,freelance,team :: <I1> (?:manage|lead|managing
        |leading|supervise|run|own|was promoted|got promoted|been promoted|retired|freelance|responsible for)\b
        (?: to| a| an| the| my| as| from)?(?: own)? .*\b(?:team|company|business|shop|studio|manager|lead
        |department|people|engineers|from|as|store|engineer|director|agency|startup|start-up|group|project)\b.*
    habit every,each,times,daily,weekly :: (?:<I1>|\bwe)(?:'ve| have)?(?: been)? (?!need\b|want\b|think\b|get an?\b
        |was\b|see the\b|tried\b|did\b|had\b|learn\b|were\b|saw\b|work\b|will\b|'ll\b|would\b|can\b|deploy\b
        |release\b|meet\b|bill\b|invoice\b)[a-z]+\b.* (?:every (?:day|morning|evening|night
        |week|weekend|month|other|\w+day|single|two|few)\b|(?:once|twice|two|three|four|five|\d) (?:times )?
        (?:a|per|each) (?:day|week|month)|daily|each (?:morning|evening|day|night)|on (?:\w+days|weekends)).*
    habit every,each,sundays,saturdays,mondays,fridays,tuesdays,wednesdays,thursdays,weekends
        :: ^\W*(?:every|each|on) (?:\w+ ){0,1}(?:\w+days?|morning|evening|night|weekends?),? (?:i|we) (?!was\b
        |will\b|want\b|need\b|deploy\b|release\b|get an?\b)[a-z]+.*
    habit usually,always,normally,typically,tend :: \b(?:i|we) (?:usually|normally|typically|tend to|always|mostly)
        \s(?!forget\b|wanted\b|have to\b|thought\b|get\b|had\b|loved\b|knew\b|see\b|fail|been\b|miss\b|mix\b|feel\b
        |wondered\b|need\b|liked\b|confuse\b|struggle\b|end up\b|think\b|believed\b|remember\b|'ve\b)[a-z]+ .+
    preference prefer,favor,favour :: <I>(?:'d)? (?:much |strongly |generally |always |really )?(?:prefer(?:red)?
        |favou?r)\b(?! to (?:know|see if)) <V><END>.*
    preference rather :: \b(?:i|we)(?:'d| would) rather (?!not say\b|be\b|have been\b)\w+ .+
    preference.favourite favourite,favorite,favourites,favorites,fave :: \bmy (?:(?:all[- ]time|absolute|current|new)
        \s)?(?:favou?rite|fave)(?P<head>(?: [\w-]+){0,3}?)(?: is|'s| are| has to be| would be|:) <V><END>.*
    preference.favourite favourite,favorite,fave :: \b(?:is|are|was|'s) (?:one of )?my (?:absolute |all[- ]time )?
        (?:favou?rites?|fave)\b.*
    preference stand,hate,loathe,dislike,detest,despise :: \b(?:i|we) (?:really |absolutely |just |honestly )*
        (?:can't stand|cannot stand|hate|loathe|dislike|detest|despise)\b(?! (?:to (?:say|ask|bother|admit|interrupt)
        |this\b|that\b(?! )|it$|myself)) ?<V>.*
    preference love,adore,enjoy,like,fan,into :: \b(?:i|we)(?:'m| am)? (?:do |really |just |also |absolutely |truly |genuinely |quite |always |totally )*
        (?:love|adore|enjoy|like|a (?:big |huge )?fan of|a sucker for|big on|into) (?!(?:to know|to see|the|its|his|every|seeing|being|my|our|and|you|your
        |the (?:idea|sound|way|look|suggest|plan|advice)|this|that|it|how|him|her|them|what|these|those|when you
        |to ask|to get|to thank|an? )\b)<V>.*
    preference don,like :: \b(?:i|we) (?:really )?(?:don't|do not) (?:really |much |particularly )?(?:like|enjoy
        |care for|eat|drink)\b(?! (?:this|that|it|how|the (?:idea|look|way))\b) <V>.*
    schedule @time :: ^\W*(?:(?:so|and|also|but|fyi|ok|btw|reminder|quick update|heads up|remember|yes|oh)[,:]?
        (?:that )?)*(?P<head>(?:(?:the|our|my|his|her|\w+'s) )(?:[\w'/-]+ ){0,5}?[\w'/-]+?)(?:'s| is| are| was| will be| has
        | have| starts?| begins?| ends?| opens?| happens?| takes place)(?: now| been| due| scheduled| planned| set
        | moved| pushed| postponed| rescheduled| back| coming up| still| always| from (?P<old>[\w: ]+?)| forward
        | fixed| booked| starting| changed| shifted| confirmed)*(?: (?:on|at|by|for|to|in|until|till|from|around))*
        \s<WHEN>.*
    schedule @time :: ^\W*(?:(?:so|and|also|fyi|ok|btw)[,:]? )*(?P<head>(?:the|our|my) (?:[\w'/-]+ ){0,4}?[\w'/-]+?)
        (?: was| got| has been| has)? (?:moved|shifted|slipped|changed|pushed|postponed|brought forward|rescheduled)
        (?: back| forward| out)?(?: from (?P<old>[\w: ]+?))? to <WHEN>.*
    schedule @time :: (?:<I>)(?:'ve got| got)? (?:fly|flying|leave|leaving|travel|travelling|have|get|got|meet|meeting
        |start|starting|go|going|move|moving|present|presenting|see|seeing|arrive|booked|scheduled|set up|need|must
        |host|hosting|run|running|attending|ship|launch|release|planned|celebrate|perform|performing|taking|join
        |signed up|submit|deliver|finish|visit|visiting)\b(?!.*\bevery\b)
        .*?(?:\b(?:on|at|by|for|to|until|in|this|next|from|before)) <WHEN>.*
    schedule deadline,due :: \b(?:deadline|due)\b.*<WHEN>.*
    technical deploy,release,meet,merge,ship,back,bill,invoice,rotate :: \bwe (?P<head>(?:deploy|release
        |meet|merge|ship|back up|bill|invoice|rotate)(?: \w+)?(?: (?:to|into|for|on) (?!mon|tue|wed|thu|fri|sat|sun)
        [\w-]+)?) (?:only |always |every |on |at )*<WHEN>.*
    technical.tool use,using,uses,run,running,switched,migrated,moved,upgraded,replaced :: \b(?:we|i|the team)(?:'re|'ve)?
        (?: now| all| still| mostly| only| both| already| have| currently)* (?:use|using|run|rely on|host
        |deploy)(?: everything)?(?: on| with| in)? (?:the )?(?P<value>(?-i:[A-Z])[\w.+#-]*(?: \d[\d.]*)?|pnpm|npm|yarn|uv|poetry
        |ruff|mypy|pytest|git|vim|zsh|fish|tmux|nix|bun|deno|pip|conda)\b.*
    technical.tool switched,migrated,moved,upgraded,replaced :: \b(?:we|i)(?:'ve| have)? (?:just |recently |already )?
        (?:switched|migrated|moved|upgraded|replaced|swapped)(?: the \w+| our \w+| it)?(?: over)?(?: from)?
        (?: (?P<old>[\w.+# -]+?))? (?:to|with|for) (?P<value>(?-i:[A-Z])[\w.+#-]*(?: \d[\d.]*)?|[\w.-]+)\b.*
    technical @tech,#,runs,listens,listen,uses,lives,sits,points,returns,expires,limits,called,named,hosted,
        defaults,requires,connects,accepts :: ^\W*(?:(?:so|and|also|but|fyi|ok|btw|note|remember)[,:]? (?:that )?)*(?P<head>(?!(?:it|that
        |this|there|what|he|she|they|i|we|you|my \w+|one)\b)(?:(?:the|our|my|all|its) )?(?:[\w'/.-]+ ){0,5}?[\w'/.-]+?)(?:'s)?
        (?: (?:now|still|currently|also|always|only))*
        (?: (?:runs?|listens?|uses?|lives?|sits?|points?|returns?|expires?|is|are|requires?|needs?|has|have|accepts?
        |defaults?|talks?|connects?|was raised|went (?:up|down)|takes|starts))
        (?: (?:now|still|currently|set|capped|limited|pinned|hosted|called|named|running|written|built|always|up|a|an|the))*
        (?: (?:on|to|at|in|after|with|under|by|from))*(?: the)?(?: (?:host|branch|server|version|port|folder|machine
        |region|a timeout of))? <SPEC>(?=$|[\s,.;:!)]).*
    technical backup,job,cron,sync,build,pipeline,export :: ^\W*(?P<head>(?:the|our) (?:[\w-]+ ){0,3}?(?:backup|job|cron
        |cronjob|sync|build|pipeline|export)) (?:now )?(?:runs|starts|takes|happens)(?: now)?(?: (?:at|on|every|in))* <WHEN>.*
    technical raised,lowered,increased,reduced,bumped,changed,set,cut,upgraded :: \b(?:we|i)(?:'ve| have)? (?:just
        |recently )?(?:raised|lowered|increased|reduced|bumped|changed|set|cut|upgraded) (?P<head>(?:the|our) .+?)
        (?: from (?P<old>.+?))? to <SPEC>.*
    relationship @person,@role :: ^\W*(?P<who>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)(?:,| is| was|'s)(?: also| now)? (?:my|our|the|his|her) (?:new |old |former )?(?:[\w-]+ ){0,2}?(?:<PERSON>|lead|pm|designer
        |developer|engineer|accountant|lawyer|contact|client|owner|maintainer|assistant|intern|recruiter|tutor|teacher|coach|trainer|doctor|dentist|vet|therapist|babysitter|nanny|cleaner|director|cto|ceo|admin|editor
        |supervisor|advisor|godmother|godfather|godson|goddaughter|person|guy|buddy)\b.*
    relationship handles,leads,runs,owns,maintains,reviews,manages,approves,signs,takes,joined,reports,does :: ^\W*(?P<who>(?-i:[A-Z])[\w'-]+)(?: from (?:the )?[\w ]+?)?(?: now)? (?:handles|leads|runs|owns|maintains|reviews|manages|approves|signs off|takes care|joined|reports to
        |does)\b (?!not\b).+
    relationship report,share,know,met,dating,seeing,friends,working,expecting,mentor :: \b(?:i|we)(?:'ve|'m| am| have)?(?: been| now| also)* (?:report to|share (?:an?|the) (?:flat|office|house|room|apartment) with|known?|met|dating|seeing|friends with|worked with|mentor|mentoring|expecting (?:a|our)
        |working (?:closely )?with)(?: a)? (?-i:[A-Z]|a (?:baby|girl|boy)|our|second).*
    relationship together,divorced,single,widowed,engaged,married,separated,years :: \b(?:we|i)(?:'ve|'m|'re| am| are| have)?(?: been| got| now)* (?:together (?:for|since)|divorced|single|widowed|engaged|married|separated)\b.*|\b(?:me|my \w+) and (?:me|i|my \w+) .*(?:together|married|met)\b.*
    personal! wear,weigh,tall,handed,blind,deaf,glasses,pronouns,religious,muslim,jewish,christian,buddhist,catholic,atheist,trans,gay,lesbian,bisexual,queer,nonbinary,autistic,dyslexia,epilepsy,insulin,hearing,wheelchair,sober,smoker,smoke,drink,alcohol,gluten,lactose,pork,meat,peanuts,nuts,knee,
        back,surgery,arthritis,citizen,citizenship,passport,licence,license,visa,pescatarian,kosher,halal,keto
        :: \b(?:i|my)(?:'m|'ve)?(?: am| have| do| got| a| an| been| still| also| can)* (?:wear|weigh|\d[\d.]* ?(?:m|cm|feet|kg)|(?:left|right)[- ]handed|colou?r[- ]?blind|deaf|pronouns|religious|muslim|jewish|christian|buddhist|catholic|atheist|trans\b|transgender|gay|lesbian|bisexual|queer|non-?binary|autistic|dyslexia|epilepsy|on insulin
        |hard of hearing|in a wheelchair|sober|(?:non-?)?smoker?|bad (?:knee|back|hip)|arthritis|an? \w+ citizen|dual citizen|(?:driving|driver's) licen[cs]e|visa|pescatarian|don't (?:drink|smoke|drive|eat (?:meat|pork|gluten|dairy|fish|nuts|sugar|eggs))|can't (?:eat|drink|drive|have (?:gluten|dairy|nuts|lactose)))\b.*
    personal go,goes :: \b(?:everyone calls me|i go by|people call me|i'm known as) (?P<value>(?-i:[A-Z])[\w'-]+).*
    personal.name m,am :: ^\W*(?:(?:hi|hello|hey|so|well)[,!]? )*(?:i'm|i am|this is|it's) (?P<value>(?-i:[A-Z])[a-z'-]+)(?=$|,| and| from| by| here).*
    personal.child kids,children,daughters,sons,twins,grandkids,grandchildren,siblings,brothers,sisters :: \b(?:i|we)(?:'ve| have| got)+ (?P<value>(?:a|one|two|three|four|five|\d|no) (?:\w+ ){0,2}?(?:kids?|children|daughters?|sons?|twins|grandkids|grandchildren|siblings|brothers?|sisters?))\b.*
    personal own,owns,bought,rent,mortgage,house,flat,apartment,motorbike,motorcycle,bike,boat,garden,allotment,van,piano,guitar :: \b(?:i|we)(?:'ve| have)?(?: just| recently| finally)? (?:own|bought|rent|got|have|play)(?: a| an| our| my| the| two)(?! (?:question|problem|bug)) (?:[\w-]+ ){0,3}?(?:house|flat|apartment|cottage|motorbike|motorcycle|bike|bicycle|boat|garden|allotment|van|car|piano|guitar|violin|cello)\b.*
    personal @noun :: <MY> (?P<head>(?:[\w-]+ )?(?:address|postcode|zip code|phone|mobile|username|handle|github|height|weight|shoe size|size|ring size|blood type|blood group|timezone|time zone|nationality|native language|mother tongue|first language|religion|passport|hometown|home town|car|bike|plan|diet|doctor|gp|dentist
        |vet|gym|bank|insurance|landlord|rent|mortgage|allergy|condition|surname|last name|maiden name|middle name|nickname|star sign|wifi|laptop|keyboard|car insurance|licence plate))(?:'s| is| are| was)(?: now| currently| actually| called)?(?: at| in| on| with)? <V><END>.*
    work shift,shifts,office,remote,remotely,company,client,clients,contract,hours,part,team,colleagues,salary,promoted,laid,fired,freelance,freelancer,self,employed,internship,apprenticeship,onboarding,probation,project
        :: \b(?:i|we)(?:'m|'ve|'re)?(?: am| are| have| been| now| was| got| just| also| currently| only| mainly| mostly)* (?:work(?:ing)? (?:from home|remotely|part[- ]time|full[- ]time|nights|shifts|four days|three days|on the|on a|in (?:a|an|the)|with (?:children|kids|patients|elderly)|freelance|as)|on (?:night|day) shifts?|promoted|laid off|fired|let go|self-employed
        |freelanc\w+|in charge of|responsible for|head of|on (?:maternity|paternity|parental) leave|retired|between jobs|out of work|doing (?:an internship|an apprenticeship)|interning|a team of|building|developing|launching|opening|running my own|starting my own|started my own|set up my own)\b.*
    work studying,degree,uni,university,college,school,course,semester,graduated,graduating,teach,teaching,train,training,volunteer,volunteering,certified,qualified :: <I1> (?:stud(?:y|ied|ying)|graduat(?:e|ed|ing)|teach|teaching|training (?:as|to)|volunteer|volunteering|in my (?:first|second|third|final|last) (?:year|semester)|doing (?:a|my) (?:degree|course|masters|phd)|a (?:qualified|certified))\b.*
    schedule @time :: ^\W*(?:(?:and|so|also|oh|btw|fyi|hey|ok)[,!]? )*(?:(?:i|we|the|our|my|his|her|there's|there is|it's|they)\b)(?!.*\b(?:every|usually|always|trying|tried|if|would|could|might|maybe|deploy|since)\b)(?!.*\bthis (?:week|morning)\b).*?\b(?:on|by|until|till|from|before|for|due|at|is|next|starts?|ends?) <WHEN>(?!-).*
    schedule yesterday,ago,last,recently :: ^\W*(?:(?:so|and|oh|well|hey|yeah|also|btw)[,!]? )*(?:(?:yesterday|last (?:week|weekend|month|year|night|summer|\w+day)|(?:two|three|a few|\d) (?:days|weeks|months) ago|(?:a|one) (?:week|month) ago),? )?(?:i|we|my \w+) (?:just )?(?:went|had|attended|joined|started|finished|visited|took|met|got|bought|won|celebrated|signed up
        |made|gave|ran|performed|hosted|organi[sz]ed|adopted|participated|moved|completed|painted|passed|launched|opened|lost|saw|volunteered|submitted|received|released|watched|travel(?:l)?ed|flew|hiked|camped)\b.*(?:\b(?:yesterday|last (?:week|weekend|month|year|night|summer|fall|spring|winter|\w+day)|(?:two|three|a few|few|\d) (?:days|weeks|months|years) ago
        |(?:a|one) (?:week|month|year|couple of weeks) ago|(?:a couple of|the other) (?:days|weeks|day)(?: ago)?)|(?<=yesterday, ).|(?<=ago, ).).*
    schedule yesterday,last,ago :: ^\W*(?:yesterday|last (?:week|weekend|month|year|night|summer|\w+day)|(?:two|three|a few|\d) (?:days|weeks|months) ago|(?:a|one) (?:week|month) ago),? (?:i|we|my) \w+.*
    habit practice,practicing,practise,train,training,runs,yoga,gym,swimming,running,meditate,years :: <I1>(?: been)? (?:practi[cs]ing|practi[cs]e|training|train|painting|playing|running|swimming|writing|drawing|dancing|meditating|volunteering|gardening|collecting|learning)\b.*\b(?:for (?:\w+ )?(?:years|months|weeks)|since|regularly|(?:every|each) \w+)\b.*
    technical @tech :: \b(?:i|we|my|our)\b.*?\b(?:using|uses?|with|on|running|built (?:with|on)|to|in|of|have|has|is)\b.*?(?P<value>(?-i:[A-Z])[\w.+#-]*(?: [A-Za-z]+)? v?\d+(?:\.\d+)+)(?![\w-]).*
    technical @tech :: \b(?:i|we|my|our)\b.*\b(?:is|are|was|takes?|to|of|by|at|from|around|about|under|with|has|have|achieved|coverage|latency)\b.* (?P<value>\d[\d.,]*(?: ?(?:%|ms|[kmg]b)| (?:milliseconds|seconds|rps|requests per \w+|concurrent users|commits|endpoints|test cases)))(?![\w-]).*
    technical @tech :: ^\W*(?:(?:so|and|also|but|fyi|ok|btw|note|remember)[,:]? (?:that )?)*(?P<head>(?:(?:the|our|all|every) )?(?:[\w'/.-]+ ){0,3}?<TECH>)(?: (?:of|for|in|on) (?:the |our )?[\w-]+)?(?: (?:now|still|also|always|only|currently))* (?:is|are|uses?|runs?|lives?|sits?|expires?|points? to|reads?|writes?|needs?|requires?|depends? on|expects?|comes? from|talks? to|goes through|shares?|accepts?
        |defaults? to|caches?|stores?|supports?|listens?|contains?|returns?|happens?|takes|times out|belongs|handles?|logs?|serves?|has|have|must|generates?|relies on|works? with|were|was (?:moved|renamed|split|replaced|written|built)|can only|only works?) (?!(?:down|broken|slow|failing|red|green|fine|ok|working|weird|not working|still|great|good|bad|off|gone|stuck|hanging)\b)(?!(?:it|this|that|so|very|too)\b).+
    technical @tech,host,deploy,store,use,rely,encrypt,hash :: \b(?:we|our team)(?: all| now| currently| only| also| still| mostly)* (?:use|run|host|deploy|store|keep|log|test|build|cache|queue|monitor|track|write|ship|generate|rely on|depend on|support|encrypt|hash|format|lint|bundle|serve) (?!(?:it|this|that|to|the same|for|a lot)\b).*\b(?:in|on|with|via|through|for|as|from|to|by|under|behind|at)\b.*
    habit play,drink,bike,cycle,walk,eat,sleep,cook,read,listen,watch,wake,get,check,commute,jog,run,swim,journal,knit,garden,paint,bed,shower,skip,meditate,stretch,nap :: ^\W*(?:(?:and|also|btw|by the way|fyi|on (?:weekdays|weekends)|in the (?:morning|evening)s?|at night|before bed|after work)[,:]? )*i (?:mostly |only |never |normally |also )?(?:play|drink|bike
        |cycle|walk|eat|sleep|cook|read|listen to|watch|wake up|get up|check|commute|jog|run|swim|journal|knit|garden|paint|go to (?:bed|the gym|church|sleep|yoga)|take (?:a (?:nap|walk|cold shower)|the (?:bus|train|tram))|shower|skip|meditate|stretch|nap)\b(?! (?:it|this|that|you|into|a lot of (?:errors|issues))\b).+
    personal single,half,mom,dad,mum,parent,oldest,youngest,only,twin,broke,medication,glasses,lenses,retriever,called,brown,eyes,hair,insured,member,immigrant,refugee,orphan,adopted,veteran,tall,short,introvert,extrovert,deaf
        :: \b(?:as an? |i(?:'m| am) (?:a |an |the )?)(?:single (?:mom|mum|dad|mother|father|parent)|half[- ](?-i:[A-Z])\w+|oldest|youngest|only child|middle child|twin|member of|immigrant|refugee|adopted|veteran|introvert|extrovert|mother of|father of|mom of|mum of|dad of|morning person|night owl|insured with)\b.*|\bi(?:'ve)? (?:recently )?(?:broke|sprained|tore) my \w+.*
        |\bi(?:'m| am| take|'m on)(?: on)? (?:\w+ )?(?:medication|antidepressants|blood thinners|the pill|insulin)\b.*|\bi (?:need|wear) (?:reading )?(?:glasses|contacts|contact lenses|hearing aids?)\b.*
    personal.pet retriever,called,named,labrador,terrier,poodle,collie,beagle,dachshund,kitty,spaniel,shepherd,corgi,cockatiel,gecko,snake,goldfish,chickens :: \b(?:i|we)(?:'ve| have| got| own| adopted| rescued)+ (?P<value>(?:a|an|two|three) (?:\w+ ){0,2}?(?:retriever|labrador|terrier|poodle|collie|beagle|dachshund|kitty|spaniel|shepherd|corgi|cockatiel|gecko|snake|goldfish|chickens)\b.*|an? \w+ (?:named|called) (?-i:[A-Z])\w+).*
    work @working :: \b(?:i|we)(?:'m|'ve|'re)?(?: am| are| have| been| now| was| got| just| also| currently| only| mainly| mostly)* (?:work (?:\w+ days|\d\d|weekends|nights|mornings|in|on)|run (?:a|an|my|the) (?:\w+ ){0,2}(?:bakery|shop|store|studio|company|business|farm|restaurant|cafe|café|agency|clinic|practice|salon|gym|school|team|blog|channel|podcast)
        |been (?:at|with) (?-i:[A-Z])\w+|on the (?:[\w-]+ )?team|at (?-i:[A-Z])\w+ (?:for|since)|teaching|working (?:on|as|in|at|for|towards) (?:a|an|my|our|the) (?!(?:fix|bug|issue|problem|same|right|triangle|code|function|script)\b)(?:[\w-]+ ){0,4}?(?:project|app|application|website|site|book|novel|script|screenplay|thesis|paper|patent|startup|business|portfolio|campaign|game|album|tracker|tool|platform|system|exhibition|essay|resume|degree|company|team))\b.*
    work company,employer,team,department,boss,salary,office :: ^\W*(?:(?:and|also|so|btw)[,:]? )*(?:my|our) (?:company|employer|team|department|office|firm|startup|studio|shop|clinic|school|contract|shift|shifts|salary|working hours|work week|business)(?:'s| is| are| has| have| makes?| sells?| builds?| does| starts?| ends?| runs?| consists) (?!(?:not|so|very|really|down|broken|still|waiting|in a meeting)\b).+
    relationship friends,married,siblings,apart,brothers,sisters :: ^\W*(?:(?-i:[A-Z])\w+ and i|me and (?-i:[A-Z])\w+|my \w+ and i) (?:have been|are|were|met|got|share|work|went|grew).+
    technical rate,version,on,go,goes,fires,logs,secrets,metrics,errors,requests,uploads,images,emails,users,payments,events :: ^\W*(?:(?:so|and|also|but|fyi|ok|btw|note|remember)[,:]? (?:that )?)*(?:we're (?:still )?on (?P<value>(?-i:[A-Z])[\w.]+ \d[\w.]*)|(?:logs|secrets|metrics|errors|requests|uploads|images|emails|users|payments|events|assets|files|dates|timestamps|ids|prices|amounts) (?:go|goes|are|live|end up|come|land|get)\b (?:to|in|on|into|from|through|stored|kept|sent|written|cached|served|signed|at)\b).*
    rule please,pls,plz,should,must,can,need,want,supposed,always,never,only :: \b(?:please|pls|plz|you(?:'re| are)? (?:should|must|can|need to|have to|are to|supposed to)|(?:i|we) (?:want|need|expect) you to|make sure to|be sure to|remember to|try to) (?:always|never|only|don't ever|do not ever|not ever)\b(?! (?:worry|be this quick)\b).+
    rule @imperative :: <START><IMP>\b(?! \w+ing\b)(?!.*\beach other\b)(?! (?:going|up|it up|on|worry|sure|me know|a look|a break|it a try|me a|this|that bug|that typo)\b).*\b<MARK>\b.*
    rule any,every,each,all,new,no,always,stored,never,goes,go,belongs,belong,first,only :: ^\W*(?:please |remember:? |note:? )?(?:any|every|each|all|new|no) (?:[\w'/-]+ ){1,5}?(?:needs?|gets?|goes|go|belongs?|comes?|requires?|without|before|after|is|are) (?!(?:fine|good|ok|done|green|passing|broken|failing|red|there|gone)\b).*\b(?:\w+ed|ticket|test|tests|review|approval|without|in|to|title|number|changelog|docs?|migration|first|for|before|with|by)\b.*|^\W*(?:the |our )?(?:[\w'/-]+ ){1,5}?(?:is|are|goes?|must be|should be|belongs?) always .+|^\W*(?:[\w'/-]+ ){1,4}first,? (?:then|and then) .+
    rule answers,answer,replies,responses,explanations,explanation,summaries,output,examples,commits,messages :: \bi(?:'d| would)? (?:like|want|need|prefer) (?:all )?(?:your|the) (?:answers?|replies|responses|explanations?|summaries|output|code|examples?|commits?|messages?)\b.+
    rule when,whenever,if :: ^\W*(?:when(?:ever)?|if|before|after) (?:you|we|there|something|anything|a|an|the|unsure|in doubt|writing|committing|naming|reviewing|answering|a test) ?[^,]*, (?:please |always |just |then )*(?:<IMP>|never|always|no|don't|do not)\b.*
    preference beats,day,dark,fan,keen,crazy,fond,partial,obsessed,swear,find,annoying,boring,tedious,taste,into,no :: ^\W*(?:no|dark|light|give me|always|only)\b .*\b(?:for me|over .+|any day|always)\b.*|^\W*[\w' -]{2,40} (?:beats|over) [\w' -]{2,40} (?:for me|any (?:day|time))\b.*|\b(?:i|we)(?:'m| am)? (?:can't get into|not (?:a (?:big |huge )?fan|big|keen|crazy|into|fond)|can't do|find .+ (?:annoying|boring|exhausting|confusing|tedious|relaxing|hard to read)|fond of|partial to|crazy about|obsessed with|allergic to meetings|swear by)\b.*|\b(?:is|are) (?:way |far |just )?too \w+ for (?:me|my taste)\b.*
    schedule @time :: ^\W*(?:(?:and|so|also|oh|btw|fyi|hey|ok|heads up|reminder)[,:!]? )*(?P<head>(?:[\w'’-]+ ){1,5}?)(?:is|are|starts?|begins?|ends?|turns \d+|comes|arrives?|opens?|happens|takes place|falls|got moved|has moved|moved|was moved|has been moved|got pushed|was pushed|slipped) (?:now |back |again |scheduled |set |due |planned |booked )*(?:on |at |by |to |for |until |from |in |the )*<WHEN>(?!-).*
    habit every,each,mornings,evenings,nights,sundays,saturdays,weekends,weekdays,mondays,tuesdays,wednesdays,thursdays,fridays,usually,daily,weekly,week,before,after,always,morning,evening,night,month
        :: ^(?!.*\b(?:deploy|release|server|backup|build|tests?|ci|meeting|standup|bug|forget|api|cron|sync|must|fail\w*|rotate\w*)\b)(?!.*\b(?:yesterday|last|ago|next|tomorrow|went|was|had|did|will|were)\b)(?=.*\b(?:i|we|me|my)\b).*\b(?:every (?:\w+day|day|morning|evening|night|week|weekend|month|other|second|single)|each (?:morning|evening|night|day|week)|(?:sunday|saturday|monday|tuesday|wednesday|thursday|friday|weekend|week)?s? ?(?:mornings|evenings|afternoons|nights)|on (?:\w+days|weekends|weekdays)|usually|once a (?:week|month|day)|twice a (?:week|month|day)|(?:two|three|four|\d) times a (?:week|month|day)|daily)\b.*
    work team,job,employer,company,shift,shifts,boss,client,clients,department,thesis,degree,dev,developer,engineer,nurse,teacher,designer,manager,consultant,analyst,student,apprentice,freelance,intern,startup,side,procurement,sales,marketing,hr,finance,accounting,logistics,payroll,support,research,lab,brewery,hospital,bank,factory,university
        :: ^(?!.*\b(?:yesterday|tomorrow|meeting|bug|error|ticket|waiting|asked|want|should)\b)\W*(?:(?:and|also|so|btw|bit of background|background|for context|context)[,:]? )*(?:i|we)(?:'m|'ve|'re)?(?: am| are| have| been| now| also| currently| only| still| just| mostly)* (?:the |a |an |on |in |at |with |run|lead|manage|head|do|work|build|teach|support|own|handle|look after|report|been|for |responsible|based|one of |part of |doing |studying|writing|finishing|leading|running|building|managing)\b.*\b(?:team|job|employer|company|shifts?|department|thesis|degree|dev|developer|engineer|nurse|teacher|designer|manager|consultant|analyst|student|apprentice|freelance\w*|intern|startup|side|procurement|sales|marketing|hr|finance|accounting|logistics|payroll|research|lab|brewery|hospital|factory|university)\b.*
    relationship @person :: ^(?!.*\b(?:says?|said|asked|asks|thinks|wants|told)\b)\W*(?:(?:and|also|so|btw|oh)[,:]? )*(?:mum|mom|dad|grandma|grandpa|granny)\b (?:is|was|has|lives|works|turns|just|moved|had|runs|'s|retired|used)\b.*|^(?!.*\b(?:says?|said|asked|asks|thinks|wants|told)\b).*(?-i:[A-Z])\w+(?:,| is|, who is|, who's) (?:my|our) (?:[\w-]+ ){0,2}?<PERSON>\b.*|^(?!.*\b(?:says?|said|asked|asks|thinks|wants|told)\b)\W*(?:(?:and|also|so|btw)[,:]? )*(?-i:[A-Z])\w+ and (?:i|me) (?:are|have|were|met|got|share|work|went|grew|live)\b.*|^\W*(?P<who>(?-i:[A-Z])[\w'-]+), (?:who|my|our|the) [^,]{3,40}, \w+.*
    personal bit,deaf,blind,left,right,handed,household,caffeine,off,vegan,knee,allergic,name,short,tall,expecting,trimester,insomnia,anxiety,depression,stroke,cancer,transplant,pacemaker,chronic,dialysis,stutter,tinnitus,therapy :: \b(?:i|we)(?:'m|'ve|'re)?(?: am| are| have| been| got| a| bit| now| both| partially| completely| still)* (?:deaf|blind|left[- ]handed|right[- ]handed|a household|household of|off (?:caffeine|alcohol|sugar|meat|dairy|gluten|cigarettes)|expecting|insomnia|anxiety|depression|cancer|pacemaker|chronic|dialysis|stutter|tinnitus|in therapy)\b.*
    personal allergy,condition,kids,kid,dogs,dog,cats,cat,house,flat,garden,car,bike,van,boat,piano,degree,tattoo,visa,passport,licence,license,mortgage,cabin,allotment,brothers,brother,sisters,sister,siblings,daughters,daughter,sons,son,twins,children,cottage,camper,motorbike,intolerance,puppy,kitten,rabbits,chickens,horse,accent,nickname :: ^\W*(?:(?:and|also|so|btw)[,:]? )*(?:i|we)(?:'ve got| have| own)(?: also| still| only| now)* (?:a|an|two|three|four|\d+|no|my own) (?!(?:question|problem|bug|issue|meeting|idea|feeling|deadline|look|few|lot|bit|couple|error|list|file|table|script|function|project|class|component|app|plan|task|test|call|doctor|great|good|hard|quick|time|chat|function|database|server|dataset|triangle)s?\b)(?:[\w-]+ ){0,3}?(?:allergy|condition|kids?|dogs?|cats?|house|flat|garden|car|bike|van|boat|piano|degree|tattoo|scar|visa|passport|licen[cs]e|mortgage|cabin|allotment|brothers?|sisters?|siblings?|daughters?|sons?|twins?|children|cottage|camper|motorbike|sight|intolerance|stepchild\w*|puppy|kitten|rabbits?|chickens|horse|accent|nickname)\b.*
    decision decision,made,settled,dropped,drop,stay,staying,stick,agreed,monthly,scrap,scrapped,postponed,cancelled,rejected,ruled,moving,switching,going,ditch,ditching,final,chose :: ^\W*(?:(?:ok|okay|right|so|alright|good|fine|yes|no|then)[,:.]? )*(?:decision made|final decision|decided|agreed|settled)[:,] .+|\b(?:we|i)(?:'ll|'re|'m| will| are| am)? (?:stay(?:ing)? (?:on|with|at)|stick(?:ing)? (?:with|to)|scrap(?:ped|ping)?|ditch(?:ed|ing)?|dropp?(?:ed|ing)?|postponed|cancelled|rejected|ruled out|go(?:ing)? (?:for|ahead|monthly|weekly)|won't (?:use|do|support|ship|build))(?: with| on| at| to| the idea)?\b(?! (?:it at that|home|late|in bed)\b) <V><END>.*|^\W*(?:dropped|scrapped|ditched|rejected|picked|went with|chose|ruled out) (?:the |a )?.+
    open_end still,yet,needs,someone,nobody,haven,hasn,unclear,undecided,unanswered,list,question :: ^\W*(?:still )(?:haven't|hasn't|need|needs|waiting|have|has|to|no|missing|open|unclear)\b.+|\b(?:i|we|they|nobody|no one|he|she|it)(?: still)? (?:haven't|hasn't|has not|have not|has|have)(?: not)?(?: yet)? .*\byet\b.*|\b(?:someone|somebody|one of us|we) (?:needs?|has|have|must|should|still) (?:to )?(?:renew|check|call|ask|find|decide|write|fix|send|review|clarify|sort|talk|look|confirm|update)\b.+|\b(?:is|are) still (?:on (?:my|our) (?:list|plate)|up in the air|an open question|undecided|unclear|unanswered)\b.*|^\W*(?:it's |it is )?(?:unclear|undecided|not (?:clear|decided|settled)|open) (?:yet )?(?:whether|who|how|what|when|if|which).+
    technical @tech,pin,pinned :: ^(?!.*\b(?:always|never|must|should)\b)\W*(?:(?:so|and|also|but|fyi|ok|btw|note|remember|quick note|for reference)[^,:]{0,25}[,:]? (?:that )?)*(?:we|our|the|all|everything)\b(?=.*\b(?:<TECH>)\b).*\b(?:pin|pinned|stored|hosted|written|built|expire|cached|encrypted|hashed|deployed|rotated|backed up|mirrored|generated|split|locked|signed|queued|indexed|sharded|replicated|monorepo|at|got|live|lives|sit|sits|speak|speaks|return|returns)\b .*[\w`/].*
    """,
    outcomes=r"""
    technical cause,culprit,caused,problem,bug,issue,reason :: \b(?:(?:root )?cause|culprit|(?:actual |real |underlying
        )?(?:problem|bug|issue)|reason)(?: for \w+)?(?: was| is| turned out to be|:) (?!(?:that )?(?:i|we)\b|fixed
        |solved|gone|still|not\b|there\b|when\b|with\b|to\b).+
    technical turned,turns :: \bturn(?:ed|s) out(?: that| to be)?\b(?! to be (?:great|fine|good|nice|fun|well)| great| fine
        | well| nice| good| amazing).+
    technical because,due,came,comes :: ^\W*(?:the|our|it) .*\b(?:fail(?:ed|s|ing)?|crash(?:ed|es|ing)?|broke|leak|leaks|slow
        |hang|hangs|hung|times? out|timed out|error)\b.*\b(?:because|due to|caused by|came from|comes from)\b.+
    technical leak,crash,error,failure,timeout,slowdown :: ^\W*(?:the|our) (?:\w+ ){0,2}(?:leak|crash|error|failure
        |timeout|slowdown|regression|deadlock)s? (?:came|comes|was|is|stems|stemmed) (?:from|caused by|due to) .+
    technical~ fixed,added,removed,replaced,renamed,migrated,upgraded,rewrote,moved,implemented,deployed,
        changed,updated,reverted,resolved,refactored,bumped,patched,raised
        :: ^\W*(?:done[.:,] ?)?(?:(?:i|we)(?:'ve| have)? (?:now |also |just )?)?(?:fixed|added|removed|replaced|renamed
        |migrated|upgraded|rewrote|moved|implemented|deployed|changed|updated|reverted|resolved|refactored|bumped|patched
        |raised) (?=(?:the|a|an|all|both|`|\w+ ?`|[\w.-]+\.\w+|from|support|two|three|\d|it|index))(?!.*\b(?:you|your)\b).+
    technical~ failed,fails,crashed,expired,broke,crashes,hung,leaked,ran,was,were,missing,wrong,never :: ^\W*(?:(?:it|that) (?:works|worked|runs|passes) now:? )?(?:the|your|our|two|three|all|some|an?) [^.]*\b(?:because|due to|since|which is why|so that|caused|was the (?:problem|cause|culprit|reason)|was (?:missing|wrong|never|set|pointing|using|reading|not being|being|still)|were (?:missing|never|not)|expired|ran (?:twice|out)|overwr(?:ote|ites)|swallow(?:ed|s)|was not set|leak(?:ed|s))\b.*
    technical~ switched,dropped,went,now,down,up,from :: ^\W*(?:(?:switched|swapped|cut|split|merged|extracted|wrapped|pinned|bumped|disabled|enabled|set|turned|wrote|created|converted|dropped|deleted|applied|configured|installed) .+|(?:the|all|it|that) .*\b(?:now (?:runs?|takes?|passes?|uses?|returns?|works?|goes|has|reads?)|dropped from|went from|is down (?:to|from)|down from|passes? now|pass now)\b.*|all \w* ?(?:tests|checks) (?:pass|are green|passed).*)
    open_end still :: \b(?:the|one|two|three|some|\d+|it|that|which|this) ?.*\bstill (?:fails?|needs?|failing|missing
        |open|pending|broken|unexplained|red|flaky|has to|have to|to do|not)\b.*
    open_end open,todo,remaining,left,next,outstanding,follow :: ^\W*(?:still open|todo|open (?:question|point|item|issue)s?
        |remaining|left to do|not done yet|outstanding|follow[- ]?up)(?: is| are)?:? .+
    open_end not,there,isn,remains,needs,yet :: ^\W*(?:the|one|two|it|that|what|only|there) .*\b(?:is (?:still )?(?:there|left|not (?:covered|tested|handled|done|migrated|wired))|remains?|needs? (?:a|an|your|to be|another|more)|isn't (?:covered|tested|handled|done|wired|migrated)|is left|are left|not yet)\b.*
    open_end could,couldn,unable :: \bi (?:could not|couldn't|was unable to|wasn't able to|have not|haven't|did not|didn't)
        \s(?:yet )?(?:reproduce|verify|find|test|check|run|confirm|fix|finish|get to|figure|touch|update|migrate)\b.+
    decision decided,agreed :: ^\W*(?:as agreed,? |we (?:have )?(?:decided|agreed)) .+
    technical~ found,it,worker,never,reason,only,instead,happens,turned,culprit,caused,so :: ^\W*(?:found (?:it|the (?:problem|bug|cause|issue))|the (?:reason|culprit|problem|cause)|here's (?:why|the cause)|it was|it's caused|this (?:was|happened|happens))\b.*|^\W*(?:the|your|our|both|all|each) (?:[\w.`'/-]+ ){1,5}?(?:never|only|no longer|now|wasn't|weren't|didn't|doesn't|did not|does not|was (?:\w+ed|set|reading|using|pointing|missing)|were \w+ed|silently|swallow\w*|ignore[sd]?|skips?|returned|expected|expects|assume[sd]) .+
    open_end~ didn,not,untouched,haven,left,remain,remains,skipped,still,yet :: \bi (?:didn't|did not|haven't|have not|left|skipped|couldn't|could not)\b .+|\b(?:are|is|were|was) (?:untouched|left (?:open|alone|as is)|not (?:yet )?(?:covered|migrated|tested|done|fixed|part))\b.*|\b(?:remains?|still (?:to do|needs?|fails?|open|missing|there|pending))\b.*
    """,
    cues={
        "person": """
            brother sister mother father mum mom mam dad son daughter wife husband partner girlfriend
            boyfriend fiancé fiancée fiance fiancee uncle aunt cousin nephew niece grandma grandpa
            grandmother grandfather gran granddaughter grandson friend flatmate roommate housemate
            neighbour neighbor boss manager colleague coworker co-worker teammate mentor stepson
            stepdaughter twin kid lead landlord landlady law
        """,
        "role": """
            lead pm designer developer engineer accountant lawyer contact client owner maintainer assistant intern recruiter tutor teacher coach trainer doctor
            dentist vet therapist babysitter nanny cleaner director cto ceo admin editor supervisor advisor godmother godfather godson goddaughter person guy buddy
        """,
        "imperative": """
            use write keep run add put make ask check avoid don do stop format name prefix sign commit push answer reply explain show include create update document
            validate save call pass treat cite give tell be talk quote wrap test review squash rebase merge deploy log return import export sort group start end follow prefer
            leave skip drop mention summarize summarise list link tag mark read open send convert round store pin lock respect assume stick respond speak address warn confirm
            verify limit go just only
        """,
        "working": "work run been team working teaching at",
        "tech": """
            server servers database databases db api apis backend frontend cluster clusters pipeline pipelines ci test tests suite
            build builds deploy deploys deployment deployments repo repos repository branch branches config configs configuration port ports token tokens cache
            queue queues cron backup backups staging production prod endpoint endpoints schema migration migrations log logs container
            containers image images script scripts service services worker workers key keys secret secrets password passwords timeout timeouts limit limits
            version versions proxy webhook webhooks library package packages module modules docker kubernetes app site website
            importer exporter scheduler parser compiler bucket table index monorepo gateway domain dns certificate certificates
            session sessions cookie cookies flag flags job jobs sdk cli firewall vpn env environment dashboard alert alerts project framework python node react flask django using
            latency coverage response model
        """,
        "noun": """
            address postcode code phone mobile username handle github height weight size type group timezone zone nationality language
            tongue religion passport hometown car bike plan diet doctor gp dentist vet gym bank insurance landlord rent mortgage
            allergy condition surname name nickname sign wifi laptop keyboard plate
        """,
        "time": """
            # monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays
            thursdays fridays saturdays sundays tomorrow noon midnight week month year weekend next
        """,
    },
    borders=(
        r"(?:[,;:] (?:and |but |so |or |though |although )?|[,.;:]? (?:-|–|—) | (?:and|but|so) )(?=(?:but|so|because|which|i|we|it|he|she|they"
        r"|my|our|the|her|his|can|could|would|will|what|how|where|why|when|do|does|is|are|should|any|please"
        r"|just so|in case|this|there|let's|if|that's|help|leave|ignore|saw|tell|not sure|same|you|though"
        r"|mainly|mostly|anyway|from now on|since|don't|fyi|in fact)\b(?!'s name))"
        r"|; | \((?=\w+ \w+)"
        r"|(?<!\w)(?:because|since) (?=(?:i|we|they|he|she)\b)"
    ),
    subjects=r"\W*(?:(?:and|so|but|ok|hi|hey|hello|well|also|yes|no)[,!]? )*(?:i|we|my|our|the)\b",
    hedges=(
        r"\b(?:maybe|perhaps|might|may (?=\w+ (?:be|not|have|need|want|use|move|switch))|could|would(?! be my)|if|whether|wish|hope|hoping|hoped|want(?:ed)? to|wanna"
        r"|thinking (?:of|about)|considering|plan(?:ning)? (?:to|on)|trying to|tried to|try to|suppose|supposing|imagine"
        r"|let's say|say we|suppose we|assume|assuming|not sure|unsure|don't know|no idea|i think|i guess|probably|possibly"
        r"|someday|some day|one day|at some point|(?<![.@])\bexample|e\.g\.|for instance|used to|almost|nearly|wonder"
        r"|as if|like to (?:learn|try|have|know|see|get|make|create|add)|need (?:help|advice|to know|some)|looking (?:to|for)"
        r"|what|how|which (?:one|of)|can you|can i|should i|should we|do you|is it|are you|could you)\b"
    ),
    hearsay=(
        r"\b(?:(?:he|she|they|someone|somebody|people|(?:the )?\w+) (?:says?|said|claims?|claimed|told|thinks?|insists?"
        r"|mentioned that|asked)|according to|story|poem|novel|fictional|pretend|character|translate|summari[sz]e"
        r"|rephrase|rewrite this|proofread|readme says|docs say|quote|you said|you told|you mentioned)\b"
    ),
    limits=(
        r"\b(?:today|tonight|(?:just |only )?(?:this|for this) (?:once|time|one|morning|afternoon|evening|week|branch|task|pr)"
        r"|just once|for now|right now|just now|at the moment|until (?:i|monday|tomorrow|we|the)|yet again|for the moment"
        r"|this week only|temporarily|while i)\b"
    ),
    changes=(
        r"\b(?:now|nowadays|moved|finally|no longer|any ?more|changed|switched|instead|new|actually|correction|scratch that"
        r"|after all|raised|lowered|increased|went (?:up|down)|upgraded|migrated|pushed|postponed|rescheduled|not .+ but"
        r"|from .+ to|as of|since (?:monday|last|yesterday|the)|replaced|sold|left|quit|became|update)\b"
    ),
    losses=(
        r"\b(?:instead of|rather than|in place of|no longer|replac(?:es|ed|ing)|over to|not)(?: use| using)?"
        r" (?P<old>(?-i:[A-Z])[\w.+#-]*|[\w.+#-]+(?=$|[,.;]))"
    ),
    handovers=(
        r"\b(?:translate|summari[sz]e|proofread|rephrase|rewrite|paraphrase|correct this|edit this|here(?:'s| is| are)"
        r"|below|following|forwarded|e?mail|log|logs|output|article|transcript|message from|says|wrote|text|snippet"
        r"|readme|document|error|letter|draft|review this|check this|stack ?trace|my (?:code|essay|paragraph))\b"
    ),
    telling="the a is are was to of in and or you it that this for with on my we i me",
    little="""
        the a an my our his her its their this that these those new now current currently still also just all
        is are was of finally actually own old own very i we on at in
    """,
    joints="of for on in to at from with",
)
