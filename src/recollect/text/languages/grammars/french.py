"""The rules of statements in French."""

from __future__ import annotations

from recollect.text.languages.grammars.grammar import Grammar

_MONTH = r"(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"
_DAY = r"(?:lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?)"
_DATE = (
    rf"(?:(?:le )?(?:\d{{1,2}}|1er) {_MONTH}(?: \d{{4}})?|\d{{4}}-\d\d-\d\d|\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|(?:le |ce )?{_DAY}(?: prochain)?(?: (?:\d{{1,2}}|1er) {_MONTH})?|demain|après-demain"
    rf"|(?:la semaine|le mois|l'an|l'année) (?:prochaine?)|(?:en|fin|début|mi-?) ?{_MONTH}|le \d{{1,2}}(?! ?h))"
)
_TIME = r"(?:\d{1,2} ?h(?: ?\d\d)?\b|\d{1,2}:\d\d|midi(?: et demie?)?|minuit|(?:une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze) heures?(?: et (?:demie|quart))?)"
_PERSON = (
    r"(?:(?:beau-|belle-|demi-|petit-?e?-?|grand-)?(?:frères?|sœurs?|soeurs?|mère|père|fils|filles?)|maman|papa|femme|mari|épouse|conjointe?|compagn(?:on|e)|copain|copine|fiancée?|oncle|tante|cousine?|neveu|nièce|mamie|papi|grands-parents"
    r"|(?:meilleure? )?amie?|colocataire|coloc|collègue|patronne?|cheff?e?|manageuse|manager|responsable|voisine?|propriétaire|parents|jumeau|jumelle|enfants?|associée?)"
)

GRAMMAR = Grammar(
    parts={
        "ADV": r"(?: (?:maintenant|désormais|toujours|encore|déjà|aussi|actuellement|enfin|depuis \S+(?: \S+)?|surtout|souvent|plutôt|vraiment|seulement|bien|très|tout|d'habitude|en général|à présent|jamais|plus|pas))*",
        "MY": r"\b(?:mon|ma|mes|notre|nos)(?: nouvel(?:le)?| nouveau| ancien(?:ne)?| meilleure?| petite?| grande?| propre)?",
        "DATE": _DATE, "TIME": _TIME,
        "WHEN": rf"(?P<value>(?:{_DATE}|{_TIME})(?:,? (?:à|de|dès|vers|,)? ?(?:{_TIME}|{_DATE}))*)",
        "END": r"(?=$|[,;:!?()]| [-–—:] |\.(?:\s|$)| (?:et|mais|parce|car|avec|pour|depuis|maintenant|quand|où|en|à|au|jusqu|comme|que|qui|de|du|sur|dans|plutôt|dès|la nuit|mais)\b)",
        "ENDL": r"(?=$|[,;:!?()]| [-–—:] |\.(?:\s|$)| (?:et|mais|parce|car|depuis|maintenant|quand|jusqu|qui|à la place|au lieu|plutôt|comme|pour)\b)",
        "PERSON": _PERSON,
        "N": r"(?P<value>(?-i:[A-ZÀÂÉÈÊÎÔÛ])[\w'-]+(?: (?:de |du |la |le )*(?-i:[A-ZÀÂÉÈÊÎÔÛ])[\w'-]+)*)",
        "SPEC": r"(?P<value>(?:(?!port|le|la|un)[\w.+#-]+ )?v?\d+(?:\.\d+)+|\d[\d.,]*(?: ?(?:%|[kmg]o|ms|secondes?|minutes?|heures?|jours|requêtes|appels|euros|€))?(?: ?/ ?\w+| (?:par|à la) \w+)?|`[^`]+`|(?:[\w.-]+/)+[\w.-]+|[a-z]+(?:[-_.][a-z0-9]+)+)",
        "HERE": r"(?:dans|sur|pour|en) (?:ce|cette|notre|nos|tous|toutes|chaque|les|le|la) ?\w*",
        "START": r"^\W*(?:(?:s'il te plaît|stp|svp|et|mais|ok|d'accord|à partir de maintenant|dorénavant|désormais|à l'avenir|souviens-toi|rappelle-toi|note|retiens|important|règle|attention|pense à ça|aussi|en général|au fait|bon|toujours)(?: :|[,:])? )*",
        "TECH": r"(?:serveurs?|base(?: de données)?|bases|apis?|backend|frontend|cluster|pipeline|ci|tests?|build|déploiement|dépôt|branche|config\w*|port|jetons?|tokens?|cache|file|cron|sauvegarde|staging|production|prod|endpoints?|schéma|migration|logs?|conteneur|image|script|service|worker|clé|timeout|limite|version|proxy|appli\w*|webhook|bibliothèque|environnement|système)",
        "MARK": r"(?:toujours|jamais|chaque|tous|toutes|tout|désormais|dorénavant|à partir de maintenant|à l'avenir|dans ce (?:dépôt|repo|projet|chat)|par défaut|sans (?:demander|me|mon)|sauf|à moins|partout|d'abord|avant|uniquement|seulement|plutôt que|au lieu|à la place|maximum|au plus|tes réponses|les réponses|systématiquement|avec moi)",
        "IMP": r"(?:utilise|lance|écris|ajoute|mets|fais|vérifie|demande|garde|laisse|évite|réponds|explique|montre|inclus|crée|documente|valide|signe|appelle|passe|donne|dis|sois|parle|cite|reste|préfixe|nomme|exécute|utilisez|lancez|écrivez|ajoutez|mettez|faites|vérifiez|répondez|relis|limite)",
    },
    cues={
        "person": """
            frère frères sœur sœurs soeur soeurs mère père fils fille filles maman papa femme mari épouse conjoint conjointe compagnon compagne copain copine fiancé fiancée oncle tante
            cousin cousine neveu nièce mamie papi grands ami amie colocataire coloc collègue patron patronne chef cheffe manager manageuse responsable voisin voisine propriétaire
            parents jumeau jumelle enfants enfant associé associée
        """,
        "time": "# lundi mardi mercredi jeudi vendredi samedi dimanche lundis mardis mercredis jeudis vendredis samedis dimanches demain prochain prochaine midi minuit heures h début fin",
        "tech": """
            serveur serveurs base données api apis backend frontend cluster pipeline ci test tests build déploiement dépôt branche config configuration port jeton jetons token tokens cache
            file cron sauvegarde staging production prod endpoint endpoints schéma migration log logs conteneur image script service worker clé timeout limite version proxy application appli
            webhook bibliothèque environnement système
        """,
    },
    rules=r"""
    rule.me appelle :: <START>appelle[- ]moi <N>.*
    rule.me tutoie,tutoyer,vouvoie,tutoyez :: <START>(?:tutoie|vouvoie|tutoyez)[- ](?:moi|nous)\b.*|\b(?:tu peux|on peut|vous pouvez) (?:me |se )?tutoyer\b.*|<START>ne me (?:vouvoie|tutoie) pas\b.*
    rule.me réponds,répondez,réponses,réponse,explique,parle,écris :: <START>(?:réponds|répondez|explique|parle|écris)(?:[- ]moi)?(?: toujours| uniquement)? (?:en (?P<value>\w+)|toujours|uniquement|avec|sans|de manière|brièvement|court).*|<START>(?:garde|fais) (?:tes|des|les) réponses .*|^\W*(?:tes |des )?réponses? (?:toujours|courtes?|brèves?|en|sans)\b.*|<START>(?:limite|restreins) .*réponses?.*
    rule.me arrête,cesse,évite :: <START>(?:arrête|cesse|évite) (?:de |d')\w+.*(?:tout le temps|à chaque|toujours|sans arrêt|chaque fois|excus|répét|fin de|jamais).*
    rule ne,n,jamais :: <START>(?:ne |n')(?:me |te |le |la |les |l'|nous )?(?!sais|sait|peut|suis|ai|est|était|étais|avais|aime|faut)\w+ (?:surtout )?(?:jamais|plus jamais)\b.*
    rule toujours :: <START>(?:<IMP>(?:[- ](?:moi|les|le|la))? toujours\b.*|toujours (?:<IMP>|\w+er|\w+ir|\w+re|en|avec)\b.+)
    rule ne,n,pas :: <START>(?:ne |n')(?:me |te |le |la |les |l'|nous )?(?!sais|sait|peut|suis|ai|est|était|t'inquiète|vous|faut)\w+ (?:pas|rien|aucune?|plus)\b.*?\b(?:<HERE>|sans (?:demander|mon|me|test|prévenir|validation|relecture)|directement|dans les (?:commits|logs|messages)|émojis?|sauf|à moins)\b.*
    rule désormais,dorénavant,partir,avenir :: <START>(?:désormais|dorénavant|à partir de maintenant|à l'avenir),? (?!(?:j'habite|je|on habite|nous|mon|ma|le|la|les|c'est|j'ai)\b).+|^\W*(?!(?:je|j'|mon|ma|le|la|on|nous|c'est)\b)\w+ .+ (?:désormais|dorénavant|à partir de maintenant|à l'avenir)$
    rule avant,après,chaque,quand,dès :: ^\W*(?:s'il te plaît,? )?(?:avant (?:chaque|tout|de \w+|d'\w+)|après (?:chaque|tout)|à chaque fois que|chaque fois que|quand tu|dès que tu) .+?,? (?:<IMP>|il faut|tu dois|ne \w+)\b.*
    rule tous,toutes,tout,toute,chaque,les :: ^\W*(?:s'il te plaît,? )?(?:rappelle-toi :? |important : )?(?:tous|toutes|tout|toute|chaque|les (?:messages|commits|tests|noms|endpoints|commentaires|erreurs|branches|fonctions|migrations|clés|dates|variables)) .*(?:doit|doivent|devra|devront|il faut|a besoin|sont (?:toujours|en)|porte|commence|s'écri\w+|se (?:fait|font|nomm\w+))\b.*
    rule pas,aucun,aucune,plus :: ^\W*(?:s'il te plaît,? )?(?:pas de |pas d'|aucune? |plus (?:de |d'))(?!(?:problème|souci|idée|panique|nouvelles|doute|chance|soucis)\b)[\w-]+(?: [\w-]+)? (?:dans|sans|en|sur|le|directement)\b.*
    rule assure,assurez,veille,veillez,pense :: <START>(?:assure-toi|assurez-vous|veille|veillez)(?: toujours| bien)? (?:à ce )?(?:que|qu'|de|à).+|<START>pense toujours à .+
    rule dans,ce,cette,ici,projet :: ^\W*(?:dans ce (?:dépôt|repo|projet|code)|ici|sur ce projet),? (?:on|nous|tu|il faut|c'est|toujours|jamais)\b.*
    rule on,nous,jamais,toujours :: ^\W*(?:on|nous) (?:ne |n')?(?:utilise|déploie|publie|pousse|fusionne|merge|commit|stocke|écrit|accepte|livre|met)\w* (?:jamais|toujours|que|pas de|pas d'|uniquement|seulement)\b.*|^\W*on ne (?:\w+ )+(?:sans|qu'avec|que)\b.*
    rule faut,dois,veux,interdit,obligatoire :: ^\W*(?:il faut toujours|il ne faut jamais|tu dois toujours|tu ne dois (?:jamais|pas)|je veux (?:toujours )?que tu|interdiction de|interdit de|il est interdit|c'est obligatoire|obligatoire)\b.*
    rule utilise,utilisez :: <START>utilisez? (?:toujours |uniquement )?.*\b(?:<HERE>|toujours|uniquement|au lieu|à la place|partout|plutôt)\b.*
    decision décidé,choisi,opté,convenu,tranché,retenu,décidons,validé :: \b(?:on|nous|j'|je|l'équipe|c'est)?\b ?(?:a|avons|ai|s'est|est)? ?(?:\w+ )?(?:décidé|choisi|opté|convenu|tranché|retenu)\b(?: de | d'| pour | que )?(?:\w+r )?(?:le |la |les )?<V?>.*
    decision part,garde,prend,reste,gardons,prenons,restons,partons,choisis,abandonne,prends,utilise,va,allons,passe :: ^\W*(?:(?:ok|d'accord|bon|alors|donc|finalement|oui|non|parfait|bref)[,:]? )*(?:on (?:part sur|garde|prend|reste (?:sur|avec|à)|abandonne|va (?:prendre|utiliser|garder|rester)|passe à|utilise)|nous (?:gardons|prenons|restons (?:sur|avec)|partons sur|abandonnons|allons (?:prendre|utiliser|garder))|je (?:prends|choisis|pars sur|garde)|allons-y avec|va pour|partons sur|gardons|prenons|restons sur)(?: plutôt)? (?:le |la |les |l')?<V>(?:,? (?:à la place de|au lieu de|plutôt que|pas) (?P<old>\w+))?<ENDL>.*
    decision acté,décision,entendu :: \bc'est (?:acté|décidé|entendu|tranché)\b.*|\b(?:la|notre) décision (?:est|finale)\b.*
    open_end reste,restent,manque,manquent,faire :: ^\W*(?:il )?(?:nous |me )?(?:reste|restent|manque|manquent)(?: encore| toujours)? (?:à |encore |toujours |la |le |les |une? )(?!\d).*|^\W*(?:à faire|todo|reste à faire|en suspens|à clarifier)(?: :|:)? .+
    open_end encore,toujours,pas :: \b(?:n'est|ne sont|n'a|n'ont|n'avons|n'ai|ne sait|ne savons|n'y a)\b.* (?:pas encore|toujours pas|encore pas)\b.*|\b(?:toujours|encore) (?:pas|en attente|ouvert\w*|bloqué\w*|cassé\w*|en échec|rouge)\b.*|\b(?:pas encore|toujours pas) \w+.*
    open_end doit,devons,attend,attends,attendons,faut,dois :: \b(?:on|nous|je) (?:doit|devons|dois) (?:encore|toujours) .+|\bil faut (?:encore|toujours) .+|\b(?:attend|attends|attendons|attendent)(?: toujours| encore)? (?!une minute|un peu).+|\béchoue(?:nt)? (?:encore|toujours)\b.*
    relationship.home habite,vit,déménagé,vivent,habitent :: <MY> (?P<who><PERSON>(?: (?-i:[A-ZÉ])\w+)?)<ADV> (?:habite|vit|vivent|habitent|a déménagé|s'est installée?)<ADV> (?:à|au|en|près de) <N>.*
    relationship.manager chef,cheffe,manager,patron,patronne,responsable :: <MY> (?:cheff?e?|manager|patronne?|responsable) (?:s'appelle|est)<ADV> <N>.*
    relationship.partner femme,mari,compagnon,compagne,copain,copine,conjoint :: <MY> (?:femme|mari|compagn(?:on|e)|copain|copine|conjointe?) (?:s'appelle|est) <N><END>.*
    relationship @person :: <MY> (?P<who><PERSON>(?:,? (?-i:[A-ZÉ])[\w-]+,?)?) (?!(?:dit|demande|pense|et moi|a dit|a demandé)\b)(?:[a-zéèà]\w*|s'\w+|n'\w+) ?.*
    relationship @person :: ^\W*(?P<who>(?-i:[A-ZÉ])[\w-]+),? (?:est |c'est )?(?:mon|ma|notre) (?:meilleure? )?<PERSON>\b.*
    relationship épousé,marié,mariée,divorcé,divorcée,pacsé,fiancé,mariés,pacsés,séparé,séparée :: \b(?:j'ai épousé|je (?:me )?suis (?:marié|divorcé|pacsé|fiancé|séparé)\w*|nous (?:nous )?sommes (?:mariés|pacsés|fiancés|séparés)|on s'est (?:mariés|pacsés|fiancés|séparés))\b.*
    personal.name appelle,nom,prénom :: \b(?:je m'appelle|mon (?:nom|prénom) est|moi c'est) <N>.*
    personal.home habite,vis,habitons,vivons,déménagé,installé,installée :: \b(?:j'habite|je vis|on habite|on vit|nous habitons|nous vivons)<ADV>(?: à| au| en| près de| dans le)? <N>.*|\b(?:j'ai déménagé|on a(?: \w+)? déménagé|nous avons(?: \w+)? déménagé|je me suis installée?)(?: de (?P<old>\w+))?(?: à| au| en) <N>.*
    personal.home déménagé,appartement,maison :: \b(?:j'ai|on a|nous avons)(?: enfin)? déménagé$|\b(?:le|notre|mon) (?:nouvel )?appartement (?:est )?à <N>.*
    personal.allergy allergique,allergie,végétarien,végétarienne,végan,végane,cœliaque,coeliaque,diabétique,intolérant,intolérante,asthme,asthmatique,enceinte,migraines,diabète,intolérance
        :: \b(?:je suis|j'ai|je fais|on m'a diagnostiqué)\b.*?(?:(?:allergique|allergie|intolérante?|intolérance) (?:à la |à l'|au |aux |à )<V><END>|végétarien(?:ne)?|végane?|c(?:œ|oe)liaque|diabétique|asthme|asthmatique|enceinte|migraines|diabète).*
    personal.age ans :: \bj'ai (?:eu )?(?P<value>\d\d) ans\b.*
    personal.birthday anniversaire,né,née :: \b(?:mon anniversaire (?:est|tombe)|c'est mon anniversaire|je suis née?)(?: le)? (?:<WHEN>|<V><END>).*
    personal.phone numéro,téléphone,portable :: <MY> (?:numéro(?: de (?:téléphone|portable))?|téléphone|portable) (?:est|c'est)(?: maintenant)?(?: le)? (?P<value>[\d+][\d ]+).*
    personal.email mail,e,email,adresse,courriel :: \b(?:mon|mes|ma|écris-moi).* (?P<value>[\w.+-]+@[\w.-]+\w)
    personal.pet chien,chienne,chiens,chat,chatte,chats,lapin,cheval,perroquet,hamster,chiot,chaton :: \b(?:j'ai|nous avons|on a)(?: adopté| recueilli| maintenant| aussi)? (?P<value>(?:une?|deux|trois|\d) (?:chien(?:ne)?s?|chats?|chatte|lapins?|chevaux|cheval|perroquet|hamsters?|chiots?|chatons?|tortue)).*|<MY> (?:chien(?:ne)?|chat(?:te)?|lapin|cheval) (?:s'appelle|est|a) ?.*
    personal.car vendu,voiture,roule,conduis,acheté :: \b(?:j'ai|nous avons|on a) vendu (?:la|le|ma|mon|notre)(?: vieille| vieux)? (?P<old>\w+) et (?:j'ai |on a |nous avons )?acheté (?:une?) <V><END>.*|\bje (?:roule en|conduis une?) <N>.*
    none.car vendu :: \b(?:j'ai|nous avons|on a) vendu (?:la|le|ma|mon|notre)(?: vieille| vieux)? (?P<old>\w+)
    personal banque,grandi,originaire,langue,parle,viens,nationalité :: \b(?:ma banque est|j'ai grandi (?:à|en|au)|je suis (?:originaire|né)|ma langue maternelle|je parle (?:français|anglais|allemand|espagnol|italien|breton)|je viens (?:de|du|d') ?(?-i:[A-Z])) ?.*
    work.employer travaille,bosse,commencé,rejoint,embauché,embauchée :: \b(?:je (?:travaille|bosse)|j'ai commencé|j'ai rejoint|j'ai été embauchée?)<ADV>(?: comme [\w-]+(?: [\w-]+)?)? (?:chez|à|pour|au|dans)(?: la| le| une?| l')? ?<V><ENDL>.*
    work.job travaille,bosse :: \bje (?:travaille|bosse)<ADV> (?:comme|en tant que) <V><END>.*
    work.job suis,devenu,devenue :: \bje (?:suis|suis devenue?)<ADV> (?P<value>(?:infirmi|institut|professeur|prof\b|ingénieur|développeu|médecin|conduct|avocat|design|architecte|programmeu|journaliste|cuisini|serveu|plombi|électrici|menuisi|étudiant|comptable|traduct|scientifique|cherche|chef de|cheffe de|direct|photographe|musici|analyste|consultant|psychologue|kiné|vétérinaire|pharmaci|fonctionnaire|indépendant|retraité|boulang|agricult|pompi|polici|écrivain|sage-femme|biologiste|chimiste|dentiste|freelance)\w*).*
    work étudie,quitté,promu,promue,démissionné,licencié,licenciée,retraite,master,thèse,poste,chômage,mi,freelance,études,alternance :: \b(?:j'étudie|j'ai quitté (?:la|le|mon|l')|j'ai (?:été )?promue?|j'ai été promue?|j'ai démissionné|j'ai été licenciée?|je suis (?:à la|en) retraite|je fais (?:un|une|mon|ma) (?:master|thèse|licence|doctorat|stage|alternance)|mon (?:nouveau )?poste|au chômage|à mi-temps|je dirige|je suis en (?:master|thèse|freelance|alternance))\b.*
    habit tous,toutes,chaque,fois,habitude,généralement,dimanche,samedi,lundi,mardi,mercredi,jeudi,vendredi,matin,soir :: ^\W*(?:(?:en général|d'habitude|généralement|le (?:dimanche|samedi|lundi|mardi|mercredi|jeudi|vendredi|matin|soir|week-end)|chaque \w+|tous les \w+)(?: \w+)?,? )?(?:je|j'|on|nous) ?(?!(?:oublie|ai besoin|dois|doit|déploie|publie|reçois)\b)\w+.*\b(?:tous les (?:jours|matins|soirs|lundis|mardis|mercredis|jeudis|vendredis|samedis|dimanches|week-ends|mois)|toutes les \w+|chaque (?:jour|matin|soir|semaine|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|mois|week-end)|(?:une|deux|trois|quatre|\d) fois (?:par|tous|toutes) \w+)\b.*
    habit dimanche,samedi,lundi,mardi,mercredi,jeudi,vendredi,matin,soir,habitude,généralement,général,chaque,tous :: ^\W*(?:le (?:dimanche|samedi|lundi|mardi|mercredi|jeudi|vendredi|matin|soir|midi|week-end)|chaque \w+|tous les \w+|d'habitude|en général|généralement),? (?:je |j'|on |nous )(?!(?:pars|partons|ai|dois|vole|avons|déploie)\b)\w+.*|\bj'ai l'habitude de .*
    preference préfère,préférons :: \b(?:je|nous|on) préf[eè]r\w+ (?!que tu (?:me|ne))<V><END>.*
    preference.favourite préféré,préférée,préférés,favori,favorite :: \b(?:mon|ma|mes) (?P<head>\w+) (?:préférée?s?|favorite?s?) (?:est|sont|reste|c'est) <V><ENDL>.*
    preference déteste,adore,aime,aimons,horreur,supporte,fan,passionne,plaît,agace,énerve :: \b(?:je déteste|j'adore|j'aime(?!rais)(?! (?:savoir|ton|ta|bien (?:ta|ton|cette)|cette idée|l'idée))|je n'aime (?:pas|plus)|j'ai horreur|je ne supporte (?:pas|plus)|je suis (?:très |un grand )?fan|on (?:adore|aime|déteste)|nous (?:adorons|aimons|détestons)|(?:m'agacent?|m'énervent?|me passionnent?))\b.*
    schedule @time :: ^\W*(?:(?:et|mais|au fait|attention|rappel)(?: :|[,:])? )*(?P<head>(?:le |la |les |l'|mon |ma |notre |nos )(?:[\w'-]+ ){0,5}?[\w'-]+) (?:est|sont|sera|a lieu|commence|démarre|finit|se termine|tombe|part|passe|est déplacée?|est reportée?|est fixée?|est prévue?|a été (?:déplacée?|reportée?|avancée?|décalée?))<ADV>(?: prévue?| fixée?| déplacée?| reportée?| avancée?| décalée?)?
        (?: (?:de|du) (?P<old>[\w ]+?))?(?: (?:à|au|le|en|pour|jusqu'au|avant le|dès))* <WHEN>.*
    schedule @time :: ^\W*<WHEN>,? (?:je |j'ai |j'|nous |on |il y a )(?!(?:oublie|étais|ai (?:oublié|besoin))\b)\w+.*
    schedule rendez,vol,examen,réunion,rendu,échéance,pars,partons,mariage,entretien,partiel,concert,opération,livraison,rdv :: \b(?:j'ai (?:un )?(?:rendez-vous|rdv)|rendez-vous|rdv|vol|examen|réunion|rendu|échéance|je pars|nous partons|on part|mariage|entretien|concert|opération|livraison|soutenance)\b(?!.*\b(?:tous|chaque)\b).*(?<![\w])<WHEN>.*
    technical.tool utilisons,utilise,passés,migré,passé,basculé :: \b(?:nous utilisons|on utilise|j'utilise)<ADV>(?: le| la)? (?P<value>(?-i:[A-Z])[\w.+#-]*(?: [\d.]+)?|pnpm|npm|yarn|uv|ruff|pytest|git|bun|deno|pip).*|\b(?:on est passée?s?|nous sommes passée?s|on a (?:migré|basculé)|nous avons (?:migré|basculé)|j'ai migré) de (?P<old>[\w.+#-]+) (?:à|vers) (?P<value>[\w.+#-]+).*
    technical @tech,tourne,écoute,appelle,trouve,démarre,dure,expire :: ^\W*(?:(?:et|mais|au fait|note|retiens que|rappelle-toi que)(?: :|[,:])? )*(?P<head>(?:le |la |les |l'|notre |nos )?(?:[\w.'-]+ ){0,5}?[\w'-]+) (?:tourne|tournent|écoute|est|sont|s'appelle|se trouve|utilise|démarre|dure|expire|pointe|prend|nécessite|exige|vit|fonctionne|se lance)<ADV>(?: (?:sur|de|avec|à|en|dans|le|la|les|un|une|port|serveur|branche|version|dossier|au))* <SPEC>.*
    technical production,staging,backend,frontend,base,serveur,api,prod,cluster,appli,application :: ^\W*(?P<head>(?:le |la |l'|notre )?(?:[\w'-]+ ){0,3}?<TECH>(?: de (?:la |l')?[\w-]+)?) (?:tourne|est|utilise|fonctionne|vit|repose)<ADV>(?: (?:sur|avec|en|sous|un|une))* (?P<value>(?-i:[A-Z])[\w.+#-]+(?: [\d.]+)?).*
    rule utilise,lance,écris,ajoute,mets,fais,vérifie,demande,garde,laisse,évite,réponds,explique,montre,inclus,crée,documente,valide,signe,appelle,passe,donne,dis,sois,parle,cite,reste,préfixe,nomme,exécute,utilisez,lancez,écrivez,ajoutez,mettez,faites,vérifiez,respecte,préviens,confirme,formate,limite :: <START>(?:<IMP>|respecte|préviens|confirme|formate)\b.*\b<MARK>\b.*
    rule plaît,stp,svp,merci :: ^\W*(?!(?:je|j'|mon|ma|il|elle|on|le|la)\b).*\b(?:s'il te plaît|stp|svp|merci de)\b.*\b(?:toujours|jamais|uniquement|systématiquement|aucun|aucune|chaque)\b.*|^\W*(?!(?:je|j'|mon|ma|il|elle|on|le|la)\b).*\b(?:toujours|jamais)\b.*\b(?:s'il te plaît|stp|svp)\b.*
    relationship est,gère,dirige,occupe,coordonne,relit,responsable :: ^\W*(?P<who>(?-i:[A-ZÉÈ])[\w-]+(?: (?-i:[A-ZÉÈ])[\w-]+)?)(?:, (?:de|du|la|le) [\w ]+,)? (?:est (?:maintenant |aussi )?(?:mon|ma|notre|la|le) (?:nouve\w+ )?\w+|c'est (?:mon|ma|notre)|gère|dirige|s'occupe|coordonne|relit)\b.*
    relationship connais,connaît,amis,ensemble,mariés,célibataire,partage,sors :: \b(?:je connais (?-i:[A-Z])|on se connaît|nous nous connaissons|on est (?:amis|ensemble|mariés)|nous sommes (?:amis|ensemble)|je suis célibataire|je sors avec|je partage (?:un|mon|le) \w+ avec)\b.*
    personal ai,suis,porte,bois,fume,mange,mesure,pèse,chausse,adresse,taille,groupe,lunettes,gaucher,gauchère,enfants,né,née,code :: \b(?:j'ai|je suis|je porte|je mesure|je pèse|je chausse|je ne (?:bois|fume|mange|conduis)|je n'ai)\b(?! (?:une question|un problème|un souci|besoin|envie|peur|raison)\b)<ADV> ?(?:pas )?(?:d'alcool|de viande|de porc|de gluten|de poisson|le permis|de permis|des lunettes|des lentilles|gauch\w+|daltonien\w*|(?:un|une|deux|trois|quatre) (?:enfants?|filles?|fils|frères?|sœurs?|garçons?)|mère célibataire|tdah|myope|\d[\d,.]*|fils unique|fille unique|à moitié \w+|(?:belge|suisse|québécois|breton)\w*|un mètre)\b.*
        |\b(?:mon|ma) (?:nouvelle )?(?:adresse|taille|pointure|groupe sanguin|code postal|nom de famille|surnom|langue maternelle|fuseau horaire|médecin|dentiste|voiture|vélo|banque|assurance|loyer|salle de sport|quartier|ville natale)(?: est| sont| c'est)<ADV> .+
    work entreprise,boîte,équipe,client,clients,poste,télétravail,contrat,heures,service,bureau,projet,temps,stage,travaille :: \b(?:je travaille (?:de nuit|à distance|à temps|à mi-temps|en équipe|trois|quatre|\d|de chez|le|sur (?:un|une|le|la|mon))|je suis (?:en télétravail|responsable|en charge|en congé|en stage|en arrêt|au service|dans l'équipe)|ma boîte|mon entreprise (?:fait|vend|fabrique)|mon équipe (?:est|compte|a)|notre équipe (?:est|compte)|mon contrat|ça fait \w+ ans que je travaille|je suis chez (?-i:[A-Z])\w+ depuis)\b.*
    habit bois,mange,cours,nage,lis,cuisine,dors,lève,couche,vais,joue,marche,médite,prends,regarde,fais :: ^\W*(?:(?:et|au fait)[,:]? )?(?:je |j')(?:me |ne |n')?(?:bois|mange|cours|nage|lis|cuisine|dors|lève|couche|vais (?:au|à la|en)|joue|marche|médite|prends (?:le|mon|un)|regarde|fais (?:du|de la))\b(?!.*\b(?:demain|peut-être)\b).*\b(?:à \d|le (?:matin|soir|midi)|avant|après|à vélo|en train|à pied|au boulot|sans|toujours|jamais|tôt|tard|chaque|depuis|du piano|de la guitare|dans une|dans un)\b.*
    technical @tech :: ^\W*(?:(?:et|mais|au fait|note|retiens que)(?: :|[,:])? )*(?:(?:le |la |les |l'|notre |nos |tous les |toutes les ))?(?:[\w.'-]+ ){0,3}?<TECH>(?: (?:de|du|des|en|pour) (?:la |le |l')?[\w-]+)? (?:tourne|tournent|écoute|utilise|utilisent|prend|prennent|nécessite|demande|pointe|dépend|vient|va|vont|se (?:trouve|trouvent|lance|fait|font)|sont (?:stock|chiffr|génér|hach)\w+|est (?:stock|chiffr|génér|héberg|déploy|dans|sur|en)\w*|a|ont|renvoie|accepte|attend|expire)(?! (?:cass\w+|lente?|tombée?|rouge|verte?|bien|mal|bizarre|que|très|trop|planté)\b) .+
    technical on,nous,hébergeons,déployons,stockons,utilisons,héberge,déploie,stocke,utilise :: \b(?:on|nous)<ADV> (?:héberge\w*|déploie|déployons|stocke\w*|utilise|utilisons|génère|générons|chiffre|lance|lançons|compile)<ADV> (?!(?:ça|cela)\b).*\b(?:sur|avec|pour|dans|par|via|en|comme|chez)\b.*
    """,
    outcomes=r"""
    technical cause,coupable,problème,raison,erreur,bug,origine,faute :: \b(?:la cause|le coupable|la raison|l'origine|le (?:vrai )?problème|l'erreur|le bug)(?: \S+){0,3}? (?:était|est|vient|venait|vient de)\b.+|^\W*cause(?: racine)? ?: .+
    technical avère,avéré,fait :: \bil s'(?:avère|est avéré)\b.+|^\W*en fait,? (?:le|la|les|l')\s?\w+ .+
    technical venait,vient,parce,car,cause :: ^\W*(?:le |la |les |l').+ (?:venai(?:t|ent)|vien(?:t|nent)|échouai(?:t|ent)|échou(?:e|ent)|plantai(?:t|ent)|plant(?:e|ent))\b.*\b(?:de|du|des|parce|car|à cause)\b.+
    technical~ corrigé,réparé,ajouté,supprimé,changé,modifié,migré,créé,renommé,déplacé,implémenté,remplacé,résolu,retiré,mis,installé :: \b(?:j'ai|nous avons|on a|a été|ont été)(?: \w+)? (?:corrigé|réparé|ajouté|supprimé|changé|modifié|migré|créé|renommé|déplacé|implémenté|remplacé|résolu|retiré|mis à jour|mis en place|installé)\w*\b.*
    open_end reste,restent,manque,encore,toujours,suspens,pu,faire :: ^\W*(?:il )?(?:reste|restent|manque)\b(?: encore| toujours)?.+|\b(?:échoue|échouent|plante|manque|manquent) (?:encore|toujours)\b.*|\b(?:pas encore|toujours pas|encore (?:en attente|ouvert|rouge|cassé|à))\b.*|^\W*(?:à faire|en suspens|todo) ?: .+|\bje n'ai pas (?:encore )?(?:pu|réussi).+
    technical~ maintenant,parce,manquait,manquaient,jamais,expiré,passent,verts :: ^\W*(?:le |la |les |l'|un |une |tous |tout ).*\b(?:maintenant (?:en|sur|avec|plus)|passe(?:nt)? (?:tous|maintenant)|utilise maintenant|prend maintenant|manquai(?:t|ent)|n'était jamais|n'a jamais été|était (?:faux|fausse|expirée?|vide|mal)|avait expiré|s'est exécutée? deux fois|sont (?:tous |toutes )?(?:verts|au vert))\b.*
    """,
    borders=(
        r"(?:[,;] (?:et |mais |donc |ou )?| : |[,.;]? (?:-|–|—) )(?=(?:mais|parce|car|donc|je|j'|on|nous|mon|ma|le |la |les |l'|notre|tu|peux|pourrais|que |qu'|comment|où|pourquoi|c'est|ça|souvent|au cas où|n'y|ignore|merci|deuxième|sans|il |elle |les avions|l'avion|si |y a|est-ce))"
        r"| (?:et|mais) (?=(?:je|j'|mon|ma|on|nous|le |la |les |l'|n'aime|ça)\b ?)|; | parce que | car (?=(?:je|on|le|la|il))| \((?=\w+ \w+)"
    ),
    subjects=r"\W*(?:(?:et|bon|ok|bonjour|salut|oui|non|donc)[,!]? )*(?:je\b|j'|mon\b|ma\b|mes\b|notre\b|nos\b|on\b|nous\b|le\b|la\b|les\b|l')",
    hedges=(
        r"\b(?:peut-être|pourrait|pourrais|pourrions|si|s'il|aimerais|aimerait|voudrais|voudrait|veux|voulons|pense|songe|supposons|suppose|imagine|imaginons|par exemple|p\. ex|sais pas|sait pas|probablement|un jour|devrait|devrais|devrions|crois|essaie|essaye"
        r"|espère|envisage|envisageons|compte|j'allais|avant j'|autrefois|serait|faudrait)\b"
    ),
    hearsay=r"\b(?:(?:il|elle|ils|elles|on m'a) (?:dit|dis|a dit|affirme|prétend|raconte)|dit (?:que|qu')|selon|d'après|traduis|résume|poème|histoire (?:sur|d')|roman|tu (?:as|m'as) dit|demande (?:quel|si|où|comment)|reformule|corrige ce)\b",
    limits=r"\b(?:aujourd'hui|cette (?:fois|semaine|nuit)|ce (?:soir|matin)|cet après-midi|juste pour|pour (?:l'instant|cette fois|le moment)|en ce moment|temporairement|exceptionnellement|dans le train|plus tard)\b",
    changes=r"\b(?:maintenant|désormais|dorénavant|déménagé|ne .+ plus|enfin|finalement|changé|passés?|à la place|au lieu|plutôt que|nouvel(?:le)?|nouveau|vendu|quitté|augmenté|baissé|migré|mis à jour|reportée?|déplacée?|depuis (?:hier|lundi)|correction)\b",
    losses=r"\b(?:à la place de|au lieu de|plutôt que|(?<=, )pas)(?: le| la| l')? ?(?P<old>(?-i:[A-Z])[\w.+#-]*|[\w.+#-]+(?=$|[,.;]))",
    handovers=r"\b(?:traduis|résume|corrige|reformule|relis|voici|voilà|suivante?|mail|e-?mail|courriel|log|logs|sortie|article|texte|message|dit|écrit|erreur|lettre|brouillon|transcription)\b",
    telling="le la les en du des un une avec ça ce cette cet plus été être sont reste merci bonjour salut bon bonne jour après maintenant même très tout toute vous il elle ils nous avant quand où quel de que se par mais ou et me te lui à on tu je d l s qu chaque tous toutes temps m appelle habite jamais toujours désormais notre j ai suis préfère utilisons été ne pas est c",
    little="le la les l un une des mon ma mes notre nos de nouveau nouvel nouvelle maintenant désormais aussi toujours est sont à au du très ce cette d vieux vieille",
    joints="de du des pour sur dans en à d au",
)
