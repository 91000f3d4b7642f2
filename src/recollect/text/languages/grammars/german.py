"""The rules of statements in German."""

from __future__ import annotations

from recollect.text.languages.grammars.grammar import Grammar

_MONTH = (
    r"(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)"
)
_DAY = r"(?:mon|diens|donners|frei|sams|sonn)tage?s?\w*|mittwochs?\w*|sonnabend"
_DATE = (
    rf"(?:\d{{1,2}}\.(?: ?{_MONTH}| ?\d{{1,2}}\.(?:\d{{2,4}})?)?(?: \d{{4}})?|\d{{4}}-\d\d-\d\d"
    rf"|(?:(?:nächste[nrms]?|kommende[nrms]?|jede[nrms]?) )?(?:{_DAY})"
    rf"|morgen(?! (?:früh )?(?:ist|wird))|übermorgen|(?:nächste|kommende)[nrms]? (?:woche|monat|jahr|wochenende)"
    rf"|(?:anfang|mitte|ende|im) {_MONTH})"
)
_TIME = r"(?:\d{1,2}[:.]\d\d(?: ?uhr)?|\d{1,2} uhr(?: \d\d)?|(?:halb |viertel (?:vor|nach) )\w+|mittags?|mitternacht)"
_PERSON = (
    r"(?:(?:groß|klein|stief|schwieger|halb|ur)?(?:bruder|schwester|mutter|vater|mama|papa|mutti|sohn|tochter|frau"
    r"|mann|ehemann|ehefrau|partner|partnerin|freund|freundin|verlobter?|onkel|tante|cousin|cousine|neffe|nichte"
    r"|oma|opa|großmutter|großvater|enkel|enkelin|mitbewohner|mitbewohnerin|nachbar|nachbarin|chef|chefin"
    r"|vorgesetzter?|kollege|kollegin|teamleiter|teamleiterin|vermieter|vermieterin|zwilling|kinder|kind|eltern"
    r"|geschwister|söhne|töchter))"
)

GRAMMAR = Grammar(
    parts={
        "ADV": r"(?: (?:jetzt|nun|seit \S+(?: \S+)?|endlich|inzwischen|mittlerweile|aktuell|derzeit|übrigens|auch|noch|immer"
        r"|schon|gerade|eigentlich|ja|nur|meistens|meist|hier|wieder|lieber|am liebsten|wirklich|total|sehr|einfach|überhaupt"
        r"|zurzeit|momentan|vorher|früher|neuerdings|ab jetzt|ab sofort|künftig|doch|gar|leider|zum glück))*",
        "MY": r"\b(?:mein|meine|meinen|meinem|meiner|unser|unsere|unseren|unserem|unserer)(?: neue[rsn]?| neues| alte[rsn]?| beste[rsn]?"
        r"| kleine[rsn]?| große[rsn]?| ältere[rsn]?| jüngere[rsn]?)?",
        "DATE": _DATE,
        "TIME": _TIME,
        "WHEN": rf"(?P<value>(?:{_DATE}|{_TIME})(?:,? (?:um|ab|gegen|den|dem|bis)? ?(?:{_TIME}|{_DATE}))*)",
        "END": r"(?=$|[,;:!?()]| [-–—] |\.(?:\s|$)| (?:und|aber|weil|da|mit|für|seit|jetzt|wenn|wo|als|um|am|ist|wohnt|gekündigt"
        r"|verkauft|umgezogen|gezogen|angefangen|entschieden|statt|nicht|umgestiegen|gewechselt|geändert|verschoben|nach|im|in|auf"
        r"|bei|zum|zur|ab|mehr|wieder|geworden)\b)",
        "PERSON": _PERSON,
        "SPEC": r"(?P<value>(?:(?!port|version|der|die|das)[\w.+#-]+ )?v?\d+(?:\.\d+)+|(?:port )?\d[\d.,]*(?: ?(?:%|[kmg]b|ms"
        r"|sekunden?|minuten?|stunden?|tagen?|anfragen|requests?|aufrufe|zeilen|euro|€))?(?: ?/ ?\w+| (?:pro|die) \w+)?"
        r"|`[^`]+`|(?:[\w.-]+/)+[\w.-]+|[a-z]+(?:[-_.][a-z0-9]+)+)",
        "HERE": r"(?:in|für|auf|im|bei|an) (?:diese[mrns]|unsere[mrn]|de[rmn]|alle[nm]?|jede[mnrs]) ?\w*|im (?:repo\w*|projekt|code|team|chat|log)",
        "START": r"^\W*(?:(?:bitte|und|also|aber|ok|okay|ab (?:jetzt|sofort|heute|nun)|künftig|in zukunft|von jetzt an|merke? dir(?: bitte)?|wichtig"
        r"|denk(?:e)? dran|hinweis|regel|noch was|übrigens|außerdem|grundsätzlich|generell|immer|nächstes mal)[,:]? )*",
        "IMP": r"(?:verwende|benutze?|nutze?|schreibe?|halte?|lass|mach|frage?|prüfe?|vermeide|nimm|setze?|lege?|führe?|teste?|formatiere?|nenne|benenne?|signiere?|committe|pushe?|antworte|erkläre?|zeige?|füge?|erstelle?|aktualisiere?|dokumentiere|speichere|rufe?|gib|sag|sei|sprich|zitiere|achte?|denke?|warte|sortiere|starte|beginne?|beende|folge?|bevorzuge|überspringe?|fasse?|liste|markiere|lies|schick\w*|runde|bleib|bitte)",
        "MARK": r"(?:immer|nie|niemals|jede[rsnm]?|alle[nrm]?|künftig|ab jetzt|ab sofort|ab heute|in zukunft|in diesem (?:repo\w*|projekt|team|chat)|grundsätzlich|standardmäßig|ohne (?:zu fragen|rückfrage|meine|mein|einen|eine)|außer|überall|nur|ausschließlich|stets|vorher|zuerst|erst|statt|höchstens|maximal|deine (?:antworten|antwort)|mehr|generell|mir|uns)",
        "TECH": r"(?:server|datenbank\w*|\w*db|apis?|backends?|frontends?|cluster|pipeline|ci|tests?|build|deploy\w*|repos?\w*|branch|config|konfiguration"
        r"|port|tokens?|cache|queue|warteschlange|cron\w*|backups?|staging|produktion|prod|endpunkte?|schema|migration|logs?|container"
        r"|image|skript|service|dienst|worker|schlüssel|timeout|limit\w*|version|proxy|app|webhook|bibliothek|docker\w*|system|monitoring"
        r"|\w+-server|\w+limit|\w+dienst|\w+datenbank|\w+backup|\w+umgebung)",
    },
    cues={
        "person": """
            bruder schwester mutter vater mama papa mutti sohn tochter frau mann ehemann ehefrau partner partnerin freund freundin
            verlobter verlobte onkel tante cousin cousine neffe nichte oma opa großmutter großvater enkel enkelin mitbewohner
            mitbewohnerin nachbar nachbarin chef chefin vorgesetzter kollege kollegin teamleiter teamleiterin vermieter
            vermieterin kinder kind eltern geschwister schwiegermutter schwiegervater schwager schwägerin söhne töchter
        """,
        "time": """
            # montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend morgen übermorgen mittag mitternacht
            montags dienstags mittwochs donnerstags freitags samstags sonntags nächste nächsten nächster nächstes
            kommende kommenden kommender halb viertel anfang mitte ende
        """,
        "tech": """
            server datenbank datenbanken api apis backend frontend cluster pipeline ci test tests build deployment deploy repo
            repository branch config konfiguration port token tokens cache queue warteschlange cronjob backup backups
            staging produktion prod endpunkt endpunkte schema migration log logs container image skript service dienst worker
            schlüssel timeout limit version proxy app webhook bibliothek docker system monitoring
        """,
    },
    rules=r"""
    rule.me nenn,nenne,nennt :: <START>(?:nenn|nenne) mich (?:bitte )?<V><END>.*
    rule.me duze,duz,sieze,siez,duzen,siezen :: <START>(?:duze?|sieze?) mich\b.*|\b(?:wir können uns|lass uns|bitte) (?:gern )?(?:duzen|siezen)\b
    rule.me antworte,antwort,schreib,schreibe,sprich,erklär,erkläre,antworten,fass,fasse,formuliere :: <START>(?:antworte|schreib|schreibe
        |sprich|erkläre?|fass|fasse|formuliere)\b(?: mir| dich| bitte| ab jetzt| immer| nur| stets| künftig)* (?:auf (?P<value>\w+)|immer|stets|nur|nie
        |kürzer|kurz|knapp|künftig|ab jetzt|ohne|keine|in (?:ganzen|höchstens|kurzen)).*
    rule.me antworten,antwort :: <START>(?:halt|halte) (?:deine|die) (?:antworten|antwort) .*|^\W*(?:bitte )?(?:deine )?antworten (?:bitte )?(?:immer
        |nur|stets|auf|kurz|ohne|in).*
    rule.me hör,lass,spar,verzichte :: <START>(?:hör|lass|spar|verzichte)\b.*(?:auf,? |weg|dir |immer|jedes mal|ständig|entschuldig).*
    rule nie,niemals :: <START>(?!(?:ich|er|sie|das|es|wir|man|war|hab|habe|hatte|ist|noch|so|wieder|mir|der|die)\b)(?:[\w-]+ ){0,6}(?:nie|niemals)(?: wieder
        | mehr| direkt)? (?!(?:ein problem|passiert|gedacht)\b)[\w-]+.*
    rule immer,stets :: <START>(?!(?:ich|er|sie|das|es|wir|man|war|hab|habe|hatte|ist|noch|schon|wie|so|mir|der|die|wo|was|wer)\b)(?:(?:vor|nach|bei|in|für|zu) (?:[\w-]+ ){1,4})?
        (?:[a-zäöü]+(?:e|)? )(?:bitte |mir |dir |die |den |das |alle |neue |neuen )*(?:[\w-]+ ){0,4}?(?:immer|stets)\b(?! (?:noch|wieder|weniger|mehr|größer)\b).*
    rule immer,stets,jedes :: <START>(?:bitte )?(?:immer|stets|jedes mal)(?! (?:noch|wieder|mehr|weniger|wenn)\b)(?! ich\b)(?: bitte)? [\w-]+ .*(?:en|n)$
    rule ab,künftig,zukunft,an :: <START>(?:ab (?:jetzt|sofort|heute|nun)|künftig|in zukunft|von (?:jetzt|nun) an)(?! (?:bin|habe|ist|wohne|arbeite|wohnen|arbeiten|fahre|trinke|esse)\b) .+
    rule ab,künftig,zukunft :: ^\W*(?:bitte )?(?!(?:ich|er|sie|das|es|mein|meine|unser|unsere|der|die)\b)\w+ (?:[\w-]+ ){0,3}?(?:ab (?:jetzt|sofort|heute|nun)|künftig|in zukunft)\b.*
    rule bitte,nicht,kein,keine,keinen :: <START>(?:bitte )?(?:nicht|keine?n?|kein|nichts) .*?\b(?:ohne|direkt|mehr|in (?:diesem|den|der|dem|commit\w*|prs?|logs?)|im|<HERE>|verwenden
        |benutzen|nutzen|schreiben|pushen|committen|anfassen|einchecken|mergen|loggen|speichern|ändern|löschen)\b.*
    rule kein,keine,keinen :: ^\W*(?:bitte )?keine?n? (?!ahnung|sorge|problem|zeit|lust|idee|wunder|frage|angst|eile|stress|panik)[\w-]+(?: [\w-]+){0,2} (?:in|im|auf|ohne|am|vor)\b.*
    rule keine,kein,keinen,nie,nur,immer,nicht,niemals :: (?:^\W*|\b)(?:in|für|auf|bei|im) (?:diese[mrn]|unsere[mr]) [\w-]+ (?:verwenden|nutzen|benutzen|schreiben|nehmen|machen|arbeiten|gilt
        |committen|wird|werden|gibt es) (?:wir |es |man )?.+
    rule wir,nie,keine,nur,immer :: ^\W*wir (?:committen|mergen|deployen|pushen|verwenden|benutzen|nutzen|schreiben|loggen|releasen|veröffentlichen|speichern) (?:nie|niemals|nur|immer
        |keine?n?|grundsätzlich|ausschließlich|nicht)\b.+
    rule vor,nach,bei,bevor,wenn,sobald :: ^\W*(?:bitte )?(?:vor|nach|bei) (?:jede[mrn]|allen|dem|einem) [\w-]+(?: [\w-]+)?,? (?:müssen|muss|immer|bitte|zuerst|erst|unbedingt|führe|lass|prüfe|mach|soll|sollen|die|den|das|alle)\b.*
        |^\W*(?:bevor|wenn|sobald) du .+,? (?:dann )?(?:bitte |immer |nie |erst |zuerst )?(?:frag|mach|lass|führ|prüf|schreib|nimm|leg|sag|füg|erstell|gib|zeig|denk|aktualisier)\w*\b.*
    rule muss,müssen,darf,dürfen,soll,sollen,braucht,brauchen,gehört,gehören :: ^\W*(?:(?:bitte|wichtig|merk dir|denk dran)[,:]? )*(?:jede[rsmn]?|alle|neue|sämtliche|commit[- ]\w+|branch\w*|tests?|pull requests?|prs?|dateinamen|kommentare|funktionen
        |migrationen|fehlermeldungen|endpunkte|secrets|logs)\b.* (?:muss|müssen|darf|dürfen|soll|sollen|braucht|brauchen|gehört|gehören)\b.*
    rule du,darfst,sollst,musst :: ^\W*(?:bitte )?du (?:darfst|sollst|musst) .+
    rule achte,stell,sorge :: <START>(?:achte? (?:immer |bitte )?darauf|stelle? (?:immer |bitte )?sicher|sorge? (?:immer |bitte )?dafür),? dass .+
    rule verwende,benutze,nutze,nimm,benutz,nutz :: <START>(?:verwende|benutze?|nutze?|nimm) .*\b(?:immer|nur|statt|überall|ausschließlich|<HERE>)\b.*
    decision entschieden,beschlossen,geeinigt,festgelegt,vereinbart,entscheidung,ausgewählt,gewählt :: \b(?:wir|ich|das team)? ?(?:haben|habe|hat|sind)?\b.*?(?:(?:für|auf|gegen) <V><END>.*)?\b(?:entschieden|beschlossen|geeinigt
        |festgelegt|vereinbart|ausgewählt|gewählt)\b.*
    decision nehmen,bleiben,gehen,setzen,machen,behalten,verzichten,streichen,nehme,bleibe :: ^\W*(?:(?:ok|okay|gut|also|dann|nein|doch|ja|abgemacht|finde)[,:]? )*(?:wir|dann|ich) (?:nehmen|nehme|bleiben|bleibe|gehen|setzen|machen
        |behalten|verzichten|streichen)(?: wir)?(?: jetzt| doch| also| künftig| lieber| nun)*(?: bei| mit| auf| für)? <V>(?: statt(?:| auf) (?P<old>\w+))?<END>(?=.*\b(?:statt|bei|auf|variante|option|version|doch|lieber|doch|weiter)\b|(?<=nehmen .).*|.{0,30}$).*
    decision statt,doch,lieber :: ^\W*(?:doch|dann|also)? ?(?:lieber|doch) (?P<value>\w[\w.+-]*),? (?:nicht|statt|anstatt|anstelle von) (?P<old>\w+).*
    decision abgemacht,beschlossen,entscheidung,steht,final :: \b(?:die entscheidung (?:ist|steht|fiel|lautet)|abgemacht|beschlossene sache|es bleibt (?:bei|dabei))\b.*
    open_end offen,unklar,aussteht,ausstehend,steht,fehlt,fehlen,todo :: ^\W*(?:offen(?: ist| bleibt| sind)?|unklar|todo|noch offen|ausstehend|es fehlt|es fehlen|noch zu (?:klären|tun|erledigen))\b.+|\b(?:ist|sind|bleibt|steht|stehen|fehlt|fehlen)
        (?: \S+){0,3} (?:noch )?(?:offen|unklar|aus|ausstehend|ungeklärt)$|\b(?:fehlt|fehlen) noch\b.*|^.*\bnoch (?:fehlt|fehlen|offen)\b.*
    open_end noch :: \bnoch (?:nicht|kein\w*|immer nicht) .*\b(?:fertig|entschieden|geklärt|erledigt|gemacht|da|behoben|umgesetzt|abgeschlossen|bestätigt|unterschrieben|getestet|bekommen|gefunden|klar|deployed|gemergt|freigegeben|übersetzt|migriert|geschrieben|geprüft)$
        |\bnoch nicht (?:fertig|entschieden|geklärt|erledigt|da|behoben)\b.*
    open_end wir,ich,müssen,muss,warten,wartet,warte :: \b(?:wir|ich|jemand|man) (?:müssen|muss|sollten) (?:\S+ )?noch .+|\b(?:wartet|warten|warte)(?: \S+)?(?: noch| immer noch| weiter)? auf .+
    open_end rot,schlägt,fehler :: \bist (?:noch|immer noch|weiterhin) (?:rot|kaputt|offen|fehlerhaft|instabil)\b.*|\bschlägt (?:noch|immer noch|weiterhin) fehl\b.*
    relationship.home wohnt,lebt,gezogen,zieht :: <MY> (?P<who><PERSON>(?: (?-i:[A-ZÄÖÜ])\w+)?)<ADV> (?:wohnt|lebt|ist)<ADV> (?:in|nach|bei) (?P<value>(?-i:[A-ZÄÖÜ])[\w-]+).*
    relationship.manager chef,chefin,vorgesetzte,vorgesetzter,teamleiter,teamleiterin :: <MY> (?:chef|chefin|vorgesetzter?|teamleiter(?:in)?)(?: ist| heißt)<ADV> (?P<value>(?-i:[A-ZÄÖÜ])[\w-]+(?: (?-i:[A-ZÄÖÜ])[\w-]+)*).*
    relationship.partner frau,mann,partner,partnerin,freundin,verlobte :: <MY> (?:frau|mann|partner|partnerin|freundin|verlobter?)(?: heißt| ist)<ADV> (?P<value>(?-i:[A-ZÄÖÜ])[\w-]+)<END>.*
    relationship @person :: <MY> (?P<who><PERSON>(?:,? (?-i:[A-ZÄÖÜ])[\w-]+,?)?) (?!der\b|die\b|das\b|bitte\b|fragt\b|fragen\b|meint\b|sagt\b|hat (?:gesagt|gefragt)\b)[a-zäöü]\w* .+
    relationship @person :: ^\W*(?P<who>(?-i:[A-ZÄÖÜ])[\w-]+),? (?:ist )?(?:mein|meine|unser|unsere) <PERSON>\b.*
    relationship geheiratet,verheiratet,verlobt,geschieden,getrennt,schwanger,zusammen :: \b(?:ich|wir)\b.*\b(?:geheiratet|verheiratet|verlobt|geschieden|getrennt|zusammen(?:gezogen)?)\b.*
    personal.name heiße,name :: (?:\bich heiße|\bmein name ist) (?P<value>(?-i:[A-ZÄÖÜ])[\w-]+(?: (?-i:[A-ZÄÖÜ])[\w-]+)*).*
    personal.home wohne,wohnen,lebe,leben :: \b(?:ich|wir)?(?: (?:wohne|wohnen|lebe|leben)|(?<=\bich )wohne)(?: wir| ich)?<ADV> (?:in|bei|nahe|am|auf) (?:der |dem )?(?P<value>(?-i:[A-ZÄÖÜ])[\w-]+).*|\b(?:wohne|lebe) <ADV>in (?P<value>(?-i:[A-ZÄÖÜ])[\w-]+).*
    personal.home umgezogen,gezogen,wohnung,haus,ziehe :: \b(?:ich|wir) (?:bin|sind)<ADV> (?:von (?P<old>\S+) )?(?:(?:nach|in) (?P<value>(?-i:[A-ZÄÖÜ])[\w-]+)(?: \S+){0,2} )?(?:umgezogen|gezogen).*|\b(?:die|unsere|meine) (?:neue )?wohnung (?:ist )?(?:in|liegt in) (?P<value>(?-i:[A-ZÄÖÜ])[\w-]+).*
    personal.allergy allergie,allergisch,vegetarier,vegetarierin,veganer,veganerin,vegan,vegetarisch,diabetes,diabetiker,diabetikerin,zöliakie,laktoseintolerant,asthma,schwanger,migräne,unverträglichkeit,vertrage
        :: \b(?:ich|wir|habe|bin)\b.*?(?:(?:gegen|auf) (?P<value>\w+)(?: allergisch)?|allergie|allergisch|vegetarier\w*|veganer\w*|vegan|vegetarisch|diabetes|diabetiker\w*|zöliakie|intolerant|asthma|schwanger|migräne|unverträglichkeit).*|\bich vertrage (?:kein\w*|nichts?) .*
    personal.allergy nussallergie,laktoseintoleranz,glutenunverträglichkeit,pollenallergie,erdnussallergie,hausstauballergie :: \b(?:ich|habe)\b.*?(?P<value>\w+(?:allergie|intoleranz|unverträglichkeit)).*
    personal.age jahre,alt :: \bich bin<ADV> (?P<value>\d\d)\b.*
    personal.age # :: \bich (?:bin|werde)<ADV> (?P<value>\d\d)(?=$| und| jahre).*
    personal.birthday geburtstag,geboren :: \b(?:ich habe|mein geburtstag ist|ich bin)<ADV> (?:am |den )?(?:<WHEN>).*|\bmein geburtstag .*|\bich bin .*\bgeboren\b.*
    personal.phone nummer,handynummer,telefonnummer :: <MY> (?:handy|telefon)?nummer (?:ist|lautet)<ADV> <V>$
    personal.email e,mail,email :: <MY> (?:e-?mail(?:-?adresse)?|adresse|mailadresse).* (?P<value>[\w.+-]+@[\w.-]+\w)|erreichst? mich .*?(?P<value>[\w.+-]+@[\w.-]+\w)
    personal.pet hund,hunde,katze,katzen,kater,hündin,hasen,kaninchen,pferd,papagei,hamster,welpe,welpen,haustiere,meerschweinchen :: \b(?:ich|wir) (?:habe|haben|hab)<ADV>(?: uns| mir)? (?P<value>(?:einen?|eine|zwei|drei|\d) (?:\w+ )?(?:hund|hunde|katze|katzen|kater|hündin
        |hasen|kaninchen|pferd|papagei|hamster|welpen?|meerschweinchen)).*|<MY> (?:hund|katze|kater|hündin|kaninchen|pferd) (?:heißt|ist) .*
    personal.car fahre,gekauft :: \bich fahre<ADV> (?:eine?n? |mit dem )(?:alten |neuen |gebrauchten )?(?P<value>(?-i:[A-ZÄÖÜ])[\w-]+)(?: \w+)?.*
    personal.car verkauft :: \b(?:ich|wir) (?:habe|haben) (?:den|das|die|mein\w*|unser\w*)(?: alten?)? (?P<old>\w+) verkauft und (?:fahre|habe|fahren)(?: jetzt)? (?:eine?n?|das) (?P<value>\w+).*
    none.car verkauft :: \b(?:ich|wir) (?:habe|haben) (?:den|das|die|mein\w*|unser\w*)(?: alten?)? (?P<old>\w+) verkauft
    personal.bank bank,sparkasse :: \b(?:bin|habe mein konto|sind)(?: jetzt| inzwischen)? bei der (?P<value>[\w-]*(?:bank|sparkasse)[\w-]*).*
    personal komme,aufgewachsen,stamme,muttersprache,spreche :: \b(?:ich komme (?:ursprünglich |eigentlich )?aus|ich bin in .* (?:aufgewachsen|geboren)|ich stamme aus|meine muttersprache ist|ich spreche (?:fließend )?(?-i:[A-ZÄÖÜ])) ?.*
    work.employer arbeite,arbeiten,angestellt,angefangen,gewechselt :: \b(?:ich|wir)? ?(?:arbeite|arbeiten|bin|habe)<ADV>(?: ich)?<ADV> (?:als \w+ )?(?:bei|für|im|am|in)(?: der| dem| einer| einem)? <V><END>(?=.*(?:angestellt|angefangen|gewechselt)|(?<!bin)).*(?<!gezogen)(?<!aufgewachsen)(?<!bank)(?<!zug)(?<!urlaub)
    work.job arbeite,arbeiten :: \bich arbeite<ADV> als <V><END>.*
    work.job bin,geworden,beruf :: \bich bin<ADV> (?:von beruf |gelernte[r]? |selbständige[r]? |selbstständige[r]? )?(?P<value>(?:\w+)?(?:hebamme|lehrer|entwickler|ingenieur|arzt|ärztin|pfleger|krankenschwester|führer|berater|leiter|designer|architekt|anwalt
        |anwältin|student|bäcker|koch|köchin|tischler|schreiner|elektriker|mechaniker|journalist|autor|forscher|wissenschaftler|professor|dozent|übersetzer|fotograf|musiker|buchhalter|freiberufler|verkäufer|fahrer|techniker|schüler|azubi|rentner|admin
        |manager|gärtner|landwirt|physiker|chemiker|biologe|biologin|therapeut|psychologe|polizist|apotheker|programmierer|erzieher|sekretär|assistent|redakteur|informatiker|kauffrau|kaufmann|freelancer)(?:in)?)\b.*
    work studiere,gekündigt,befördert,promoviere,leite,selbstständig,selbständig,stelle,job,elternzeit,teilzeit,ausbildung,rente,homeoffice :: \b(?:ich|habe|bin)\b.*\b(?:studiere|gekündigt|befördert|promoviere|leite (?:ein|das|die|den)|selbst?ständig|neue (?:stelle|arbeit)|neuen job|elternzeit|teilzeit|ausbildung|in rente)\b.*
        |\bmein(?:e)? (?:neue[rs]? )?(?:job|stelle|titel|position|rolle) ist .*
    habit jeden,jede,jedes,täglich,mal,dreimal,zweimal,einmal,woche,immer,meistens,meist,normalerweise,gewöhnlich,montags,dienstags,mittwochs,donnerstags,freitags,samstags,sonntags,morgens,abends,mittags,wochenende
        :: ^\W*(?:ich|wir|seit \w+|mittags|morgens|abends|sonntags|samstags|freitags|montags|dienstags|mittwochs|donnerstags|jede[nrs]? \w+|am wochenende|normalerweise|meistens|meist|gewöhnlich|(?:ein|zwei|drei)mal (?:pro|die|in der) woche)(?: \S+)? ?
        (?!(?:müssen|muss|vergesse|brauche|deployen|bekomme|kriege|habe ich)\b)\w+\b.*?(?:jede[nrs]? (?:\w+tag|mittwoch|morgen|abend|tag|woche|monat|zweiten|wochenende)|täglich|mal (?:pro|die|in der|im) (?:woche|tag|monat)|(?:ein|zwei|drei|vier)mal|meistens|meist|normalerweise|gewöhnlich|(?<=sonntags ).|(?<=mittags ).|(?<=abends ).
        |(?<=morgens ).|(?<=samstags ).|(?<=freitags ).|immer (?:erst|um|gegen|am|zu|mit|vor|nach)).*
    habit sonntags,samstags,freitags,donnerstags,mittwochs,dienstags,montags,morgens,abends,mittags,jeden,jedes,jede :: ^\W*(?:sonntags|samstags|freitags|donnerstags|mittwochs|dienstags|montags|morgens|abends|mittags|jede[nrs]? \w+) (?!muss|müssen|bekomme|kriege)\w+ (?:ich|wir)\b.*
    preference lieblings,liebling :: \b(?:mein|meine|unser|unsere) (?P<head>lieblings\w+) (?:ist|sind|heißt|bleibt|war schon immer)<ADV> <V><END>.*
    preference lieblingsfilm,lieblingsband,lieblingsessen,lieblingsfarbe,lieblingsbuch,lieblingssprache,lieblingseditor,lieblingsserie,lieblingsspiel,lieblingsstadt,lieblingsgericht,lieblingslied,lieblingsautor,lieblingsrestaurant,lieblingstier,lieblingstee :: \b(?:mein|meine) (?P<head>lieblings\w+)(?: ist| sind| heißt)<ADV> <V><END>.*
    preference mag,liebe,hasse,bevorzuge,lieber,liebsten,gern,gerne,leiden,ausstehen,schmeckt,gefällt,gefallen,nervt,nerven,fan,stehe,verabscheue :: \b(?:ich (?:mag|liebe|hasse|bevorzuge|verabscheue)\b(?! (?:es nicht zu|dich|euch)\b)|\bam liebsten\b|ich \w+<ADV> (?:lieber|am liebsten|gerne?(?! (?:mal|wissen|haben|lernen|hätte)))
        |ich kann .* nicht (?:leiden|ausstehen|ab)|ich stehe (?:total |sehr )?auf|ich bin (?:ein )?(?:großer |riesen)?fan|mir (?:schmeckt|gefällt|gefallen|schmecken)|(?:nervt|nerven) mich).*
    schedule @time :: ^\W*(?:(?:und|also|aber|übrigens|achtung|kurz|info|denk dran)[,:]? )*(?P<head>(?:der|die|das|mein|meine|unser|unsere) (?:[\w-]+ ){0,4}?[\w-]+)(?: ist| sind| findet| beginnt| startet| läuft| wurde| wird| fällt| endet| steht| geht)(?: jetzt| nun| doch| erst| schon| ab jetzt| immer| fällig| auf| statt
        | täglich| von (?P<old>[\w. ]+?)| vom (?P<old>[\w. ]+?))*(?: (?:am|um|auf|den|bis|im|zum|ab|für|gegen|dem))* <WHEN>(?! (?:von|auf|nach) <DATE>).*
    schedule @time :: ^\W*(?P<head>(?:der|die|das|mein|meine|unser|unsere) (?:[\w-]+ ){0,4}?[\w-]+) (?:wurde|ist|wird|haben wir|hat sich) (?:von|vom) (?P<old>[\w. ]+?) (?:auf|nach)(?: den)? <WHEN>.*
    schedule @time :: ^\W*(?:am |um |nächste\w* |ab |bis (?:zum )?|vom |zum )?(?:\w+,? (?:den|dem) )?<WHEN>,? (?!(?:muss|müssen|bekomme|kriege|ist mir|war)\b)\w+ (?:ich|wir|der|die|das|mein\w*|unser\w*)\b.*
    schedule @time,termin,frist,deadline,flug,abgabe,prüfung,klausur,hochzeit,urlaub,besprechung,treffen :: \b(?:ich|wir|termin|frist|deadline|flug|abgabe|prüfung|klausur|hochzeit|urlaub|operation|umzug|besprechung|treffen|meeting|konzert|interview|vorstellungsgespräch)\b(?!.*\b(?:jede[nrs]?|gestern|täglich)\b).*\b(?:am|um|bis|ab|vom|zum|im|den|nächste\w*|kommende\w*) <WHEN>.*
    technical.tool benutzen,verwenden,nutzen,benutze,nutze,verwende,setzen,umgestiegen,gewechselt,migriert :: \b(?:wir|ich)<ADV> (?:benutzen|verwenden|nutzen|benutze|nutze|verwende|setzen)<ADV>(?: auf| für \S+ \S+)? (?P<value>\w[\w.+#-]*(?: \d[\d.]*)?),?.*
        |\b(?:wir|ich) (?:sind|bin|haben|habe)<ADV>(?: alles)? von (?P<old>[\w.+# -]+?) (?:auf|zu) (?P<value>[\w.+#-]+) (?:umgestiegen|gewechselt|migriert|umgestellt).*
    technical @tech,läuft,liegt,heißt,lauscht,hört,steht,nutzt,benutzt,verwendet :: ^\W*(?:(?:und|also|aber|übrigens|hinweis|info|merk dir(?: bitte)?)[,:]? )*(?P<head>(?:(?:der|die|das|unser|unsere|unserer|alle) )?(?:[\w.-]+ ){0,4}?(?:<TECH>|[\w-]+)(?: (?:der|des|von|für|im|auf|in) (?:der |die |das |dem )?[\w-]+)?)(?: (?:läuft|liegt|heißt|lauscht|hört|steht|nutzt
        |benutzt|verwendet|ist|sind|startet|braucht|dauert|geht|zeigt|beträgt|laufen|liegen|wurde|hat))<ADV>(?: (?:auf|unter|in|bei|um|an|mit|zu|auf dem|der|die|das|port|host|rechner|branch|version|server|ordner|region|ein|eine|einen))* <SPEC>.*
    technical produktion,staging,prod,backend,frontend,datenbank,server,datenbanken,api,app,cluster :: ^\W*(?P<head>(?:(?:der|die|das|unser|unsere|unserer) )?(?:[\w-]+ ){0,2}?<TECH>)(?: läuft| laufen| liegt| ist| nutzt| verwendet| basiert)<ADV>(?: (?:auf|unter|in|mit|bei))? (?P<value>(?-i:[A-Z])[\w.+#-]+(?: [\d.]+)?).*
    rule bitte,verwende,benutze,benutz,nutze,nutz,schreibe,schreib,halte,halt,lass,mach,frage,frag,prüfe,prüf,vermeide,nimm,setze,setz,lege,leg,führe,führ,teste,formatiere,nenne,signiere,committe,antworte,erkläre,erklär,zeige,zeig,füge,füg,erstelle,aktualisiere,dokumentiere,gib,sag,sei,sprich,zitiere,achte,denke,denk,warte,beginne,folge,bevorzuge,liste,runde,bleib :: <START><IMP>\b(?! (?:nichts mehr|sorge)\b).*\b<MARK>\b.*
    rule bitte,immer,nie,niemals,nur,stets,grundsätzlich :: ^\W*(?!(?:ich|er|sie|es|wir|das|mein\w*|unser\w*|der|die|man|du hast)\b).*\bbitte\b.*\b(?:immer|nie|niemals|nur noch|stets|grundsätzlich|kein\w*)\b(?! noch\b).*|^\W*(?!(?:ich|er|sie|es|das|mein\w*|man)\b).*\b(?:immer|nie|niemals|stets|grundsätzlich)\b.*\bbitte\b.*
    relationship ist,macht,leitet,kümmert,betreut,verantwortet,arbeitet,übernimmt,heißt :: ^\W*(?P<who>(?-i:[A-ZÄÖÜ])[\w-]+(?: (?-i:[A-ZÄÖÜ])[\w-]+)?)(?: aus (?:der|dem) \w+)? (?:ist (?:jetzt |auch |seit \w+ )?(?:mein|meine|unser|unsere)\b|leitet (?:jetzt |das |die |unser)|kümmert sich|betreut|verantwortet|übernimmt (?:jetzt )?(?:das|die|den)).*
    relationship kenne,kennen,freunde,befreundet,kennengelernt,zusammen,verheiratet,single,geschieden :: \b(?:ich|wir)\b.*\b(?:befreundet|kennengelernt|verheiratet|geschieden|single|kenne (?-i:[A-Z])\w+ (?:seit|aus|von)|kennen uns)\b.*
    personal habe,bin,trage,trinke,esse,rauche,spreche,spiele,kinder,größe,adresse,schuhgröße,blutgruppe,brille,linkshänder,linkshänderin,geboren,aufgewachsen,führerschein,adhs,single,alleinerziehend :: \b(?:ich )?(?:habe|bin|trage|trinke|esse|rauche)<ADV> (?:zwei kinder|drei kinder|ein kind|keine kinder|\w+ (?:kinder|geschwister|brüder|schwestern)|keinen? (?:alkohol|kaffee|fleisch|fisch|schweinefleisch|milch|zucker|führerschein)|kein (?:fleisch|gluten)|(?:eine )?brille|kontaktlinsen|linkshänder\w*|nichtraucher\w*|alleinerziehend\w*|farbenblind|schwerhörig|kurzsichtig|adhs|\d[,.]\d+ ?m|in .+ (?:geboren|aufgewachsen)|(?:deutsch|österreich|schweiz)\w+|halb \w+)\b.*
        |\b(?:mein|meine) (?:neue |aktuelle )?(?:adresse|schuhgröße|größe|kleidergröße|blutgruppe|postleitzahl|nachname|spitzname|muttersprache|zeitzone|hausarzt|hausärztin|zahnarzt|zahnärztin|auto|fahrrad|bank|versicherung|miete|führerschein|fitnessstudio|stadtteil|heimatstadt)(?: ist| sind| heißt| liegt| beträgt|:)<ADV> .+
    work team,firma,arbeitgeber,kunden,schicht,schichtdienst,homeoffice,büro,vertrag,abteilung,stunden,projekt,teilzeit,vollzeit,freiberuflich,befristet,selbstständig,arbeite :: \b(?:ich|wir|mein|meine|unser|unsere)\b(?!.*\b(?:server|code|repo)\b).*\b(?:arbeite \w+|im (?:homeoffice|schichtdienst|außendienst|vertrieb|einkauf|support|marketing)|in (?:teilzeit|vollzeit)|freiberuflich|befristet|stunden (?:die|pro|in der) woche|leite (?:ein|das|die)|bin (?:zuständig|verantwortlich) für|meine firma (?:macht|baut|verkauft)|mein arbeitgeber|unser team besteht|schicht(?:dienst)?)\b.*
    habit trinke,esse,gehe,fahre,spiele,lese,schaue,koche,jogge,schlafe,stehe,mache,früh,abends,morgens,laufe,schwimme,rad,bett :: ^\W*(?:(?:und|also|übrigens)[,:]? )?ich (?:trinke|esse|gehe|fahre|spiele|lese|koche|jogge|schlafe|stehe|laufe|schwimme|meditiere|frühstücke|male|nähe)\b(?!.*\b(?:nach (?-i:[A-Z])|nicht mehr|einen (?-i:[A-Z])\w+$|im (?:juli|august))\b).*\b(?:immer|nie|oft|meist|meistens|morgens|abends|nachts|mittags|früh|täglich|rad|bett|um|gegen|vor|nach|mit dem|zu fuß|schwarz|regelmäßig|seit|gern|im chor|in einer)\b.*
    technical @tech :: ^\W*(?:(?:und|also|aber|übrigens|hinweis|info|merk dir(?: bitte)?)[,:]? )*(?:(?:der|die|das|unser|unsere|unserer|alle|jeder|jede) )?(?:[\w.-]+ ){0,3}?<TECH>(?: (?:der|des|von|für|im|auf|in) (?:der |die |das |dem )?[\w-]+)? (?:läuft|laufen|liegt|liegen|lauscht|steht|nutzt|benutzt|verwendet|braucht|brauchen|dauert|zeigt|kommt|kommen|gehört|wird|werden|hat|haben|ist|sind|erwartet|liefert|speichert|schreibt|liest|spricht|kann|akzeptiert|basiert|verlangt|gilt)
        (?! (?:kaputt|rot|langsam|wieder|down|weg|noch|immer noch|nicht|grün|gut|ok|okay|fertig|komisch|zu)\b) .+
    technical wir :: \b(?:wir|unser team)<ADV> (?:nutzen|benutzen|verwenden|hosten|deployen|speichern|testen|bauen|betreiben|loggen|cachen|verschlüsseln|hashen|schreiben|fahren|setzen auf|arbeiten mit|haben)<ADV> (?!(?:es|das|dies|uns)\b).*\b(?:mit|auf|in|über|per|bei|für|als|unter|statt)\b.*\w.*
    rule wenn,falls,bevor,nachdem,sobald,bei :: ^\W*(?:wenn|falls|bevor|nachdem|sobald|bei) [^,]{3,60}, (?:dann )?(?:bitte )?(?:<IMP>|frag|mach|kein\w*|nie|immer)\b.*
    rule jede,jeder,jedes,alle,neue,nur,erst,zuerst,gehört,gehören,braucht,brauchen,grundsätzlich :: ^\W*(?:bitte |merk dir:? )?(?:jede[rsn]?|alle|neue|sämtliche|kein\w*) (?:[\w'/-]+ ){1,5}?(?:braucht|brauchen|gehört|gehören|kommt|kommen|wird|werden|muss|müssen|bekommt|bekommen|ohne)\b.+|^\W*(?:[\w'/-]+ ){1,4}(?:werden|wird|sind|ist|kommen|gehören) (?:immer|nie|grundsätzlich|stets|nur) .+|^\W*(?:erst|zuerst) (?:die |der |das )?[\w-]+,? (?:dann|danach) .+
    rule möchte,will,hätte,wünsche :: \bich (?:möchte|will|hätte gern\w*|wünsche mir) (?:alle |deine |die |immer )+(?:antworten|erklärungen|beispiele|code|ausgaben|zusammenfassungen)\b.+
    preference kein,keine,keinen,geht,statt,finde,bitte,immer,über,halte,fan,zu :: ^\W*(?:kein\w*|bloß kein\w*) [\w-]+ (?:für mich|bei mir)\b.*|\bich (?:finde .+ (?:nervig|langweilig|anstrengend|schrecklich|super|toll|besser)|halte nichts von|kann mit .+ nichts anfangen|bin kein (?:großer )?fan|brauche kein\w*|schwöre auf|stehe nicht auf)\b.*|\b(?:ist|sind) mir zu \w+.*|\bmir (?:ist|sind) .+ lieber\b.*|^\W*(?:lieber|am liebsten) .+
    schedule @time :: ^\W*(?:(?:und|also|übrigens|achtung|info)[,:]? )*(?P<head>(?:[\w'-]+ ){1,5}?)(?:ist|sind|startet|beginnt|endet|kommt|wird|findet|fällt|geht|steht|haben wir|habe ich|wurde auf|verschiebt sich auf) (?:jetzt |erst |wieder |doch |fällig |geplant )*(?:am |um |bis |auf |ab |im |zum |den |dem |von )*<WHEN>.*
    habit jeden,jede,jedes,morgens,abends,nachts,mittags,sonntags,samstags,freitags,montags,dienstags,mittwochs,donnerstags,täglich,wochenende,wochenenden,normalerweise,meistens,einmal,zweimal,dreimal :: ^(?!.*\b(?:deploy\w*|release|server|backup|build|tests?|ci|meeting|standup|besprechung|vergesse|muss|cron|job|rotier\w*|fehl\w*|morgen um)\b)(?!.*\b(?:gestern|war|hatte|werde|nächste\w*)\b)(?=.*\b(?:ich|wir|mir|mich)\b).*\b(?:jede[nrs]? (?:\w+tag|mittwoch|morgen|abend|tag|nacht|woche|zweiten|zweite|monat)|morgens|abends|nachts|sonntags|samstags|freitags|montags|dienstags|mittwochs|donnerstags|täglich|am wochenende|normalerweise|meistens|(?:ein|zwei|drei|vier)mal (?:die|pro|in der|im) \w+)\b.*
    work team,firma,job,abteilung,stelle,chef,kunden,schicht,studium,semester,ausbildung,vertrieb,einkauf,buchhaltung,marketing,klinik,krankenhaus,schule,uni,praktikum,werkstatt,büro,selbstständig,freiberuflich,lehrer,entwickler,ingenieur :: ^(?!.*\b(?:gestern|morgen|bug|fehler|ticket|warte\w*|soll)\b)\W*(?:(?:und|also|übrigens|zum hintergrund|kontext)[,:]? )*(?:ich|wir) (?:bin|sind|leite|arbeite|mache|betreue|habe|führe|unterrichte|studiere|schreibe|verantworte|betreibe)\b.*\b(?:team|firma|job|abteilung|stelle|schicht\w*|studium|semester|ausbildung|vertrieb|einkauf|buchhaltung|marketing|klinik|krankenhaus|schule|gymnasium|uni|praktikum|werkstatt|selbst?ständig|freiberuflich|\w*lehrer\w*|\w*entwickler\w*|\w*ingenieur\w*|\w*leiter\w*|masterarbeit|doktorarbeit|brauerei|bäckerei|laden|agentur)\b.*
    relationship @person :: ^(?!.*\b(?:sagt|sagte|fragt|meint|will)\b)\W*(?:mama|papa|oma|opa)\b (?:ist|wird|hat|wohnt|arbeitet|lebt|zieht).*|^(?!.*\b(?:sagt|sagte|fragt|meint|will)\b).*(?-i:[A-ZÄÖÜ])\w+(?:,| ist) (?:mein|meine|unser|unsere) (?:[\w-]+ ){0,2}?<PERSON>\b.*|^\W*(?-i:[A-ZÄÖÜ])\w+ und ich (?:sind|haben|kennen|wohnen|arbeiten|waren)\b.*
    decision entscheidung,gefallen,entschieden,bleibt,bleiben,gestrichen,verworfen,gecancelt,verschoben,raus,fest,fix,einig,geeinigt :: ^\W*(?:ok|okay|gut|also)?[,:]? ?(?:entscheidung(?: gefallen)?|entschieden|beschlossen|geeinigt)[:,] .+|\b(?:wir|ich) (?:lassen|lasse|streichen|verwerfen|verschieben|behalten|bleiben|ziehen|machen)\b .*\b(?:weg|sein|bei|durch|nicht mehr|doch)\b.*|\b(?:ist|sind|wurde) (?:gestrichen|verworfen|vom tisch|beschlossen|raus)\b.*|\b(?:steht|stehen) (?:jetzt )?fest\b.*|\bwir sind uns einig\b.*
    open_end noch,offen,unklar,ungeklärt,muss,liste,fehlt,ausstehend,unbeantwortet :: ^\W*(?:noch immer|immer noch|noch) (?:kein\w*|nicht|keine antwort|offen|unklar)\b.*|\b(?:jemand|einer|wir|ich) (?:muss|müssen|sollte) (?:noch|dringend|unbedingt)?\b.*\b(?:klären|prüfen|fragen|erneuern|entscheiden|schreiben|anrufen|nachfragen|abstimmen|fertig\w*|bestätigen)\b.*|\b(?:steht|stehen) noch auf (?:meiner|der|unserer) liste\b.*|^\W*(?:unklar|offen|ungeklärt) (?:ist|bleibt)?,? ?(?:noch,? )?(?:ob|wer|wie|was|wann).*|\bnoch keine? (?:antwort|rückmeldung|entscheidung|lösung|termin|zusage)\b.*
    """,
    outcomes=r"""
    technical ursache,grund,auslöser,schuld,fehler,problem,lag,liegt,weil :: \b(?:ursache|grund|auslöser)(?: \w+){0,3}? (?:war|ist|waren)\b.+|^\W*(?:ursache|grund|auslöser):? .+|\b(?:schuld war|es lag (?:an|daran)|das problem (?:war|ist|lag)|der fehler (?:war|ist|lag|kam|liegt)) .+|\b(?:der|die|das) .*(?:fehl|schlug|schlugen|abgestürzt|langsam|fehlgeschlagen).*\bweil .+
    technical stellte,herausgestellt,stellt :: \b(?:stellte sich heraus|hat sich herausgestellt|stellt sich heraus)\b.+
    technical kam,kommt,kamen,stammt :: ^\W*(?:der|die|das) [\w-]+ (?:kam|kommt|kamen|stammte?) (?:aus|von|vom|daher)\b.+
    technical~ behoben,gefixt,korrigiert,repariert,hinzugefügt,ergänzt,entfernt,ersetzt,angelegt,umbenannt,umgestellt,aktualisiert,migriert,eingebaut,implementiert,verschoben,erhöht,gelöst,geändert,erstellt,aufgeteilt,gelöscht,deaktiviert,aktiviert
        :: \b(?:ich habe|wir haben|habe|wurde|wurden|ist|sind)\b.*\b(?:behoben|gefixt|korrigiert|repariert|hinzugefügt|ergänzt|entfernt|ersetzt|angelegt|umbenannt|umgestellt|aktualisiert|migriert|eingebaut|implementiert|erhöht|gelöst|geändert|erstellt|aufgeteilt|gelöscht|deaktiviert|aktiviert)\b.*
    open_end noch,offen,weiterhin,aussteht,fehlt,todo :: ^\W*(?:offen(?: ist| bleibt)?|noch offen|todo|es fehlt noch|ausstehend)\b.*|\b(?:ist|sind|bleibt|schlägt|schlagen|läuft|fehlt|fehlen) (?:noch|immer noch|weiterhin) .*|\b(?:steht|stehen) noch aus\b.*|\bkonnte ich (?:noch )?nicht .*|\bich konnte .* nicht .*
    technical~ jetzt,nun,weil,nie,falsch,fehlte,fehlten,fehlt,abgelaufen,zweimal,grün,gesetzt,umgestellt,daran :: ^\W*(?:der|die|das|ein|eine|alle|es) .*\b(?:läuft jetzt|laufen jetzt|ist jetzt|sind jetzt|sind (?:alle )?grün|wurde nie|wurden nie|war falsch|war(?:en)? (?:abgelaufen|falsch|nicht gesetzt|veraltet|leer|zu klein)|fehlten?|lief zweimal|daran,? dass|nutzt jetzt|braucht nur noch|dauert (?:jetzt|nur noch))\b.*
    technical~ gefunden,ursache,nie,nur,statt,dadurch,deshalb,weshalb,grund :: ^\W*(?:gefunden|die ursache|der grund|das problem|schuld|es lag)\b.+|^\W*(?:der|die|das|dein|beide|alle) (?:[\w.`'/-]+ ){1,5}?(?:wurde|wurden|war|waren|hat|hatte|lief|liefen|zeigte|fehlte|las|nutzte|überspringt|ignoriert|erwartet|liefert|braucht jetzt)\b .+
    open_end~ nicht,unverändert,offen,noch :: \b(?:habe ich|ich habe) (?:noch )?nicht .+|\bich habe .+ (?:nicht|noch nicht) (?:angefasst|geprüft|getestet|geschafft|migriert|übersetzt).*|\b(?:ist|sind|bleibt|bleiben) (?:noch )?(?:unverändert|offen|unangetastet|ungetestet)\b.*
    """,
    borders=(
        r"(?:[,;:] (?:und |aber |denn |sondern )?|[,.;:]? (?:-|–|—) )(?=(?:aber|denn|weil|also|sonst|ich|wir|er|es|mein|meine|unser|unsere"
        r"|kannst|könntest|was|wie|wo|warum|bitte ohne|falls|das|die|der|den|nur|danke|vorher|fass|ignorier|leave|hilf|ist|sind|magst|schau|mach|damit"
        r"|nicht dass|deswegen|deshalb|dafür|schon|höchstens|viertes)\b)| (?:und|aber|denn) (?=(?:ich|wir|mein|meine|unser|unsere|der|die|das|er|es|bin|habe nur|habe oft)\b)|; | \((?=\w+ \w+)"
    ),
    subjects=r"\W*(?:(?:und|also|aber|ok|hi|hey|hallo|ja|nein)[,!]? )*(?:ich|wir|mein|meine|unser|unsere|der|die|das)\b",
    hedges=(
        r"\b(?:vielleicht|eventuell|evtl|könnte|könnten|würde|würden|hätte|wäre|falls|ob|möchte|möchten|hoffe|hoffentlich|überlege|überlegen|plane|vermutlich"
        r"|wahrscheinlich|nehmen wir an|angenommen|stell dir vor|zum beispiel|z\.\s?b|irgendwann|mal sehen|weiß nicht|keine ahnung|unsicher|glaube|denke|früher"
        r"|damals|versuche|vorhabe|wünschte|wenn ich|wenn wir|beinahe|fast|will(?! nicht)|wollen|eines tages|mag sein)\b"
    ),
    hearsay=(
        r"\b(?:(?:er|sie|jemand|man) (?:meint|meinte|sagt|sagte|behauptet|behauptete|erzählt|erzählte|schreibt)|laut|angeblich|gedicht|geschichte|roman|übersetze?"
        r"|fasse? .* zusammen|du (?:hast gesagt|meintest|sagtest)|steht im readme|im readme steht|hat (?:gesagt|gemeint|gefragt)|fragt)\b"
    ),
    limits=(
        r"\b(?:heute|heut|diesmal|dieses mal|nur (?:dies|heute|jetzt|kurz|für)|gerade|diese woche|im moment|fürs erste|vorerst|vorübergehend|für den moment"
        r"|ausnahmsweise|bis (?:morgen|montag)|schon wieder|heute abend)\b"
    ),
    changes=(
        r"\b(?:jetzt|nun|inzwischen|mittlerweile|umgezogen|gezogen|endlich|nicht mehr|geändert|gewechselt|statt|anstatt|neue[rsnm]?|neues|doch|ab jetzt|ab sofort|verschoben"
        r"|erhöht|gesenkt|umgestiegen|migriert|verkauft|gekündigt|von .+ (?:auf|zu|nach)|seit (?:montag|gestern|heute|letzter)|korrektur|geworden|ersetzt)\b"
    ),
    losses=r"(?:\b(?:statt|anstatt|anstelle von|nicht mehr|(?<=, )nicht) |\bvom (?=\d))(?P<old>(?-i:[A-ZÄÖÜ])[\w.+#-]*|\d+\. \w+|[\w.+#-]+(?=$|[,.;]))",
    handovers=(
        r"\b(?:übersetze?|zusammen|fasse?|korrigiere?|formuliere?|hier (?:ist|sind|die|der|das|kommt)|folgende[rsnm]?|e?-?mail|log|logs|ausgabe|artikel|text|nachricht|schreibt|schrieb|sagt"
        r"|fehlermeldung|fehler|brief|entwurf|auszug|protokoll|readme)\b"
    ),
    telling="der die das im am ein eine mit dies diese ist war sein sind bleibt danke hallo gut guten tag nach jetzt sehr alle sie er es wir vor wenn wo welche von dass sich für aber oder und mich dich ihm zu passt weiter mach heiße wohne für nie über künftig bitte ab jetzt duze mag arbeite unser wir haben fahre",
    little="""
        der die das den dem des ein eine einen einem einer mein meine meinen unser unsere unserem neue neuer neues neuen alte alter
        alten jetzt nun auch noch sehr immer am um zum zur port auf täglich wurde von vom alle
    """,
    joints="für von auf in im bei an zu der des",
)
