"""The rules of statements in Spanish."""

from __future__ import annotations

from recollect.text.languages.grammars.grammar import Grammar

_MONTH = r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre)"
_DAY = r"(?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)"
_DATE = (
    rf"(?:\d{{1,2}} de {_MONTH}(?: de \d{{4}})?|\d{{4}}-\d\d-\d\d|\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|(?:próximo |el próximo )?{_DAY}"
    rf"(?: (?:que viene|próximo))?|pasado mañana|mañana|(?:la|el) (?:próxim[ao]|semana|mes|año) (?:semana|mes|año|que viene)|(?:en|a (?:principios|mediados|finales) de) {_MONTH}|día \d{{1,2}})"
)
_TIME = r"(?:(?:a )?las? \d{1,2}(?:[:.]\d\d)?|(?:a )?las? (?:una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)(?: y (?:media|cuarto))?|\d{1,2}[:.]\d\d|mediodía|medianoche|\d{1,2} ?h\b)"
_PERSON = (
    r"(?:herman[oa]s?|madre|padre|mamá|papá|hij[oa]s?|mujer|marido|espos[oa]|pareja|novi[oa]|prometid[oa]|tí[oa]|prim[oa]|sobrin[oa]|abuel[oa]s?"
    r"|niet[oa]|(?:mejor )?amig[oa]|compañer[oa](?: de (?:piso|trabajo))?|jef[ea]|vecin[oa]|cuñad[oa]|suegr[oa]s?|caser[oa]|padres|gemel[oa])"
)

GRAMMAR = Grammar(
    parts={
        "ADV": r"(?: (?:ahora|ya|todavía|aún|también|siempre|desde \S+(?: \S+)?|actualmente|por fin|finalmente|normalmente|casi|solo|sólo|hoy en día|muy|mucho|más|nunca|además))*",
        "MY": r"\b(?:mi|mis|nuestr[oa]s?)(?: nuev[oa]| antigu[oa]| mejor| querid[oa])?",
        "DATE": _DATE, "TIME": _TIME,
        "WHEN": rf"(?P<value>(?:{_DATE}|{_TIME})(?:,? (?:a|de|del|desde|por la \w+|,)? ?(?:{_TIME}|{_DATE}))*)",
        "END": r"(?=$|[,;:!?()]| [-–—] |\.(?:\s|$)| (?:y|pero|porque|con|para|por|desde|ahora|cuando|donde|en|a|hasta|casi|como|que|de|del|el|al|sobre|en lugar|en vez)\b)",
        "ENDL": r"(?=$|[,;:!?()]| [-–—] |\.(?:\s|$)| (?:y|pero|porque|desde|ahora|cuando|hasta|que|en lugar|en vez|por la)\b)",
        "PERSON": _PERSON,
        "N": r"(?P<value>(?-i:[A-ZÁÉÍÓÚÑ])[\w'-]+(?: (?:de |del |la |los )*(?-i:[A-ZÁÉÍÓÚÑ])[\w'-]+)*)",
        "SPEC": r"(?P<value>(?:(?!puerto|la|el|un)[\w.+#-]+ )?v?\d+(?:\.\d+)+|\d[\d.,]*(?: ?(?:%|[kmg]b|ms|segundos?|minutos?|horas?|días|peticiones|solicitudes|llamadas|euros|€))?(?: ?/ ?\w+| (?:por|al|a la) \w+)?"
        r"|`[^`]+`|(?:[\w.-]+/)+[\w.-]+|[a-z]+(?:[-_.][a-z0-9]+)+)",
        "HERE": r"(?:en|para|de) (?:este|esta|nuestro|nuestra|todos|todas|cada|el|la|los|las) ?\w*",
        "START": r"^\W*(?:(?:por favor|y|pero|ok|vale|a partir de (?:ahora|hoy)|de ahora en adelante|desde ahora|en adelante|en el futuro|recuerda(?: que)?|importante|nota|regla|además|oye|también|siempre|en general|ojo)[,:]? )*",
        "TECH": r"(?:servidor\w*|base de datos|bases de datos|apis?|backend|frontend|cl[uú]ster|pipeline|ci|tests?|build|despliegue|repo\w*|rama|config\w*|puerto|tokens?|caché|cola|cron|backups?|copia de seguridad|staging|producción|endpoints?|esquema"
        r"|migración|logs?|contenedor|imagen|script|servicio|worker|clave|timeout|límite|versión|proxy|app|webhook|biblioteca|entorno|sistema)",
        "IMP": r"(?:usa|utiliza|escribe|ejecuta|corre|lanza|añade|agrega|pon|haz|revisa|comprueba|pide|pregunta|mantén|deja|evita|responde|contesta|explica|explícame|respóndeme|contéstame|muestra|incluye|crea|actualiza|documenta|valida|firma|guarda|llama|pasa|trata|cita|dame|dime|sé|use|utilice|escriba|ejecute|responda|incluya)",
        "MARK": r"(?:siempre|nunca|jamás|cada|todos|todas|cualquier|a partir de ahora|de ahora en adelante|en este (?:repo\w*|proyecto|equipo|chat)|por defecto|sin (?:preguntar|permiso|mi)|salvo|a menos|en adelante|en el futuro|primero|antes|solo|en lugar de|en vez de|máximo|como mucho|tus respuestas|las respuestas|nada de|conmigo|en todas partes)",
        "SUBJ": r"(?:uses|utilices|subas|hagas|toques|borres|añadas|agregues|escribas|pongas|ejecutes|modifiques|cambies|despliegues|publiques|guardes|respondas|contestes|incluyas|cierres|mezcles|fusiones|metas|me \w+|te \w+|lo \w+|los \w+|use|utilice|suba|haga|toque|borre|empieces|termines|pidas|inventes|expliques|des|digas|crees|ignores|envíes|mandes|instales|traduzcas|\w+(?:es|as))",
    },
    cues={
        "person": """
            hermano hermana hermanos hermanas madre padre mamá papá hijo hija hijos hijas mujer marido esposo esposa pareja novio novia prometido
            prometida tío tía primo prima sobrino sobrina abuelo abuela abuelos nieto nieta amigo amiga compañero compañera jefe jefa vecino vecina
            cuñado cuñada suegro suegra suegros casero casera padres gemelo gemela
        """,
        "time": "# lunes martes miércoles jueves viernes sábado sábados domingo domingos mañana próximo próxima viene mediodía medianoche las principios mediados finales",
        "tech": """
            servidor servidores base datos api apis backend frontend cluster clúster pipeline ci test tests build despliegue repo repositorio rama config
            configuración puerto token tokens caché cola cron backup backups seguridad staging producción endpoint endpoints esquema migración log logs
            contenedor imagen script servicio worker clave timeout límite versión proxy app webhook biblioteca entorno sistema
        """,
    },
    rules=r"""
    rule.me llámame,llamame,dime :: <START>(?:llámame|llamame|dime) <N>.*
    rule.me tutéame,tutéeme,trates,hables,tuteame,háblame,trátame :: <START>(?:tutéame|tutéeme|tuteame|(?:háblame|trátame) de (?:tú|usted)|no me (?:trates|hables) de (?:usted|tú)).*
    rule.me responde,respóndeme,contesta,contéstame,respuestas,respondas,responderme,responda,escríbeme,háblame :: <START>(?:respóndeme|responde|contesta|contéstame|escríbeme|háblame|responda)(?: siempre| solo)? (?:en (?P<value>\w+)|siempre|solo|con|sin|de forma|corto|breve).*|<START>(?:mantén|haz|quiero) (?:las |tus )respuestas .*|^\W*(?:tus |las )?respuestas (?:siempre|cortas|breves|en|sin).*
    rule.me deja,dejes,basta :: <START>(?:deja|para) (?:ya )?de (?:\w+(?:arte|rte|ar|er|ir|me))\b.*(?:todo|cada|siempre|tanto|rato|vez|final|disculp|repet).*
    rule nunca,jamás :: <START>(?:nunca|jamás) (?!se\b|me\b|he\b|había\b|lo sé|sé\b|es\b|fue\b|hay\b|más\b|pasa\b|imaginé)(?:más )?\w+.*
    rule nunca,jamás :: <START>no <SUBJ> (?:nunca|jamás)\b.*
    rule siempre :: <START>(?:siempre (?:que \w+ .*, )?<IMP>\b.*|<IMP>(?:me|te|lo|la|los|las)? siempre\b.*|siempre (?:en|con|usa|hay que|debes|se debe)\b.+)
    rule no :: <START>no <SUBJ>\b.*?\b(?:<HERE>|sin (?:preguntar|permiso|avisar|mi|tests?|revisión)|directamente|directo|nunca|nada (?:directamente|a)|más(?: veces)?$|en los (?:commits|logs|mensajes)|emojis?|salvo|a menos)\b.*
    rule a,partir,adelante,futuro,ahora :: <START>(?:a partir de (?:ahora|hoy)|de ahora en adelante|desde ahora|en adelante),? (?!(?:vivo|trabajo|soy|estoy|mi|la|el|los|tengo|vivimos|como|no (?:como|bebo|trabajo))\b).+|^\W*(?!(?:mi|el|la|yo|soy|estoy|vivo)\b)\w+ .+(?:a partir de ahora|de ahora en adelante|en adelante)$
    rule antes,después,cada,cuando,siempre :: ^\W*(?:por favor,? )?(?:antes de (?:cada|todo|hacer|subir|tocar|borrar|cualquier)|después de (?:cada|cualquier)|cada vez que|siempre que|cuando (?:toques|cambies|hagas|añadas|modifiques|crees|subas|termines)) .+?,? (?:<IMP>|hay que|debes|ejecuta\w*|no \w+)\b.*
    rule todos,todas,todo,toda,cada,los,las :: ^\W*(?:por favor,? )?(?:recuerda:? |importante: )?(?:todos|todas|todo|toda|cada|cualquier|los (?:mensajes|commits|tests|nombres|endpoints|comentarios|errores)|las (?:ramas|funciones|migraciones|pruebas|claves|fechas|variables)) .*(?:deben?|debería|tiene[n]? que|ha[n]? de|lleva[n]?|necesita[n]?|va[n]? (?:en|con)|se (?:escrib|hac|pon)\w+)\b.*
    rule nada,ningún,ninguna,sin :: ^\W*(?:por favor,? )?(?:nada de|ningún|ninguna|sin) (?!(?:problema|nada|duda|prisa|embargo|más|eso)\b)[\w-]+(?: [\w-]+)? (?:en|sin|a|los|directamente)\b.*
    rule asegúrate,procura,cuida :: <START>(?:asegúrate|procura|cuida)(?: siempre)? (?:de )?que .+
    rule en,este,esta,aquí :: ^\W*(?:en este (?:repositorio|repo|proyecto|código)|aquí|en esta base de código),? (?:no |solo |siempre |nunca |todo )?(?:se )?(?:usamos|usa|usan|utilizamos|escribimos|escribe|hacemos|commiteamos|trabajamos|va|se)\b.*
    rule no,nunca,solo,siempre :: ^\W*(?:aquí )?(?:no|nunca|solo|siempre) (?:usamos|desplegamos|publicamos|hacemos|mezclamos|fusionamos|subimos|guardamos|escribimos|commiteamos|aceptamos|permitimos)\b.*
    rule hay,debes,tienes,quiero,prohibido,obligatorio :: ^\W*(?:hay que (?:\w+ )?siempre|siempre hay que|debes siempre|tienes que (?:\w+ )?siempre|quiero que siempre|quiero que (?:me )?(?:respondas|hables|escribas|trates)|(?:queda |está )?prohibido|es obligatorio)\b.*
    rule usa,utiliza,use :: <START>(?:usa|utiliza|use)(?: siempre| solo)? .*\b(?:<HERE>|siempre|solo|en lugar de|en vez de|para todo)\b.*
    decision decidido,decidimos,decidí,acordado,acordamos,optado,elegido,elegí,optamos,elegimos,escogido,escogí :: \b(?:hemos|he|ha|se ha|al final)?\b ?(?:decidido|decidimos|decidí|acordado|acordamos|optado|elegido|elegí|elegimos|optamos|escogido|escogí)(?: que| por| en)?(?: \w+r)?(?: a| con| el| la| los| las)? <V><ENDL>.*
    decision vamos,quedamos,usaremos,seguimos,usamos,mantenemos,dejamos,usar,quedo,pasamos,tiramos,nos,elijo,descartamos :: ^\W*(?:(?:vale|ok|bien|entonces|pues|al final|finalmente|de acuerdo|sí|no|perfecto|venga)[,:]? )*(?:vamos con|vamos a (?:usar|seguir|quedarnos|ir)(?: con)?|nos quedamos con|me quedo con|usaremos|seguimos con|mantenemos|tiramos con|elijo|descartamos|iremos con|(?<=al final )usamos|(?<=entonces )usamos|(?<=finalmente )usamos)(?: el| la| los| las)? <V>(?: en (?:lugar|vez) de (?P<old>\w+))?<ENDL>.*
    decision usamos,usar,lugar,vez :: \b(?:usamos|usemos|usar) (?P<value>\w[\w.+-]*) (?:en lugar de|en vez de) (?P<old>\w+).*|^\W*mejor (?P<value>\w[\w.+-]*) (?:que|en vez de|en lugar de) .*
    decision decisión,acordado,hecho,decidido :: \b(?:la decisión (?:es|está|final)|queda (?:decidido|acordado)|está decidido)\b.*
    open_end falta,faltan,queda,quedan,pendiente,pendientes,todo :: ^\W*(?:(?:aún|todavía) )?(?:falta|faltan|queda|quedan)\b(?! (?:poco|menos|una hora)).+|\b(?:está|están|queda|quedan|sigue|siguen)(?: aún| todavía)? pendientes?\b.*|^\W*(?:pendientes?|todo|por hacer|queda por \w+)\b:? .+
    open_end aún,todavía,sin :: \b(?:aún|todavía) no (?:está|están|hemos|se|tenemos|ha|han|sabemos|he|hay)\b.*|\bno (?:está|están|se ha|hemos) (?:\w+ )?(?:aún|todavía)\b.*|\b(?:sigue|siguen|está|están) sin \w+.*
    open_end tenemos,hay,esperando,espera,sigue,siguen,debemos,esperamos :: \b(?:tenemos|tengo|hay|debemos)(?: aún| todavía)? que .*\b(?:aún|todavía)\b.*|\b(?:aún|todavía) (?:tenemos|tengo|hay) que\b.+|\b(?:sigue|siguen|está|están|estamos|estoy|seguimos)(?: aún| todavía)? (?:esperando|a la espera|fallando|en rojo|abiert\w+|bloquead\w+|rot\w)\b.*|\besperamos (?:la |a |el )?(?:respuesta|aprobación|confirmación|que)\b.*
    relationship.home vive,viven,mudó,mudado :: <MY> (?P<who><PERSON>(?: (?-i:[A-ZÁÉÍÓÚÑ])\w+)?)<ADV> (?:vive|viven|se mudó|se ha mudado|se fue a vivir)<ADV> (?:en|a|cerca de) <N>.*
    relationship.manager jefe,jefa :: <MY> jef[ea] (?:se llama|es)<ADV> <N>.*
    relationship.partner mujer,marido,esposo,esposa,pareja,novio,novia :: <MY> (?:mujer|marido|espos[oa]|pareja|novi[oa]) (?:se llama|es) <N><END>.*
    relationship @person :: <MY> (?P<who><PERSON>(?:,? (?-i:[A-ZÁÉÍÓÚÑ])[\w-]+,?)?) (?!(?:dice|pregunta|preguntó|dijo|y yo)\b)[a-záéíóúñ]\w* ?.*
    relationship @person :: ^\W*(?P<who>(?-i:[A-ZÁÉÍÓÚÑ])[\w-]+),? (?:es )?(?:mi|nuestr[oa]) (?:mejor )?<PERSON>\b.*
    relationship casé,casado,casada,divorciado,divorciada,casados,prometido,casamos,divorcié,separado,separada :: \b(?:me casé|nos casamos|estoy (?:casad|divorciad|separad|prometid)[oa]|soy (?:viud|casad)[oa]|nos hemos casado|me he (?:casado|divorciado|separado))\b.*
    personal.name llamo,nombre :: \b(?:me llamo|mi nombre es) <N>.*
    personal.home vivo,vivimos,mudado,mudé,mudamos,mudo :: \b(?:vivo|vivimos)<ADV> (?:en|cerca de|a las afueras de|por) (?:el |la )?<N>.*|\b(?:nos hemos mudado|me he mudado|me mudé|nos mudamos)(?: de (?P<old>[\w ]+?))?(?: a| al) <N>.*
    personal.home mudado,mudé,piso,casa :: \b(?:nos hemos mudado|me he mudado)$|\b(?:el|nuestro|mi) (?:nuevo )?(?:piso|apartamento|casa) (?:está )?en <N>.*
    personal.allergy alérgico,alérgica,alergia,vegetariano,vegetariana,vegano,vegana,celíaco,celíaca,celiaca,celiaco,diabético,diabética,intolerante,intolerancia,asma,asmático,embarazada,migrañas,diabetes
        :: \b(?:soy|tengo|padezco|estoy|me han diagnosticado|mis?)\b.*?(?:(?:alérgic[oa]|alergia|intolerante|intolerancia) (?:a|al) (?:la |los |las |el )?<V><END>|vegetarian[oa]|vegan[oa]|cel[ií]ac[oa]|diabétic[oa]|asma|asmátic[oa]|embarazada|migrañas|diabetes).*
    personal.age años :: \b(?:tengo|cumplo|cumplí|he cumplido) (?P<value>\d\d) años(?! de exp).*
    personal.birthday cumpleaños,nací :: \b(?:mi cumpleaños (?:es|cae)|nací|cumplo años) ?(?:el )?(?:<WHEN>|<V><END>).*
    personal.phone número,teléfono,móvil :: <MY> (?:número(?: de (?:teléfono|móvil))?|teléfono|móvil)(?: es)?(?: el)? (?P<value>[\d+][\d ]+).*
    personal.email correo,email,escríbeme :: \b(?:mi|escríbeme).* (?P<value>[\w.+-]+@[\w.-]+\w)
    personal.pet perro,perra,perros,gato,gata,gatos,conejo,caballo,loro,hámster,mascotas,cachorro :: \b(?:tengo|tenemos|he adoptado|hemos adoptado|adoptamos)<ADV> (?P<value>(?:un|una|dos|tres|\d) (?:perr[oa]s?|gat[oa]s?|conejos?|caballos?|loros?|hámsters?|cachorr\w+|tortugas?)).*|<MY> (?:perr[oa]|gat[oa]|conejo|caballo) (?:se llama|es|tiene|,)? ?.*
    personal.car coche,conduzco,vendido,comprado :: \b(?:he vendido|vendí|vendimos|hemos vendido) (?:el|la|mi|nuestro)(?: viejo)? (?P<old>\w+) y (?:me |nos )?(?:he comprado|he |hemos comprado|compré|compramos|ahora tengo|tengo)(?: un| una)? <V><END>.*|\b(?:conduzco|tengo) un (?:coche )?<N>.*|\bme he comprado un <N>.*
    none.car vendido,vendí :: \b(?:he vendido|vendí|hemos vendido) (?:el|la|mi|nuestro)(?: viejo)? (?P<old>\w+)
    personal banco,nací,crecí,origen,nacionalidad,materna,hablo :: \b(?:mi banco es|(?:nací|crecí|me crié) en|soy de (?-i:[A-Z])\w+|mi lengua materna|soy (?:español|mexican|argentin|chilen|colombian|peruan|urugua)\w+|hablo (?:español|francés|inglés|alemán|catalán|portugués|italiano)) ?.*
    work.employer trabajo,trabajamos,empecé,empezado,entrado :: \b(?:trabajo|he empezado|empecé|he entrado|he fichado)<ADV>(?: a trabajar)?<ADV>(?: de \w+| como \w+)? (?:en|para|con)(?: el| la| una?)? <V><ENDL>.*
    work.job trabajo :: \btrabajo<ADV> (?:de|como) (?!noche|día|lunes|casa\b)<V><END>.*
    work.job soy :: \bsoy<ADV> (?P<value>(?:enfermer|maestr|profesor|ingenier|desarrollador|médic|conductor|maquinista|abogad|diseñador|arquitect|programador|periodista|cociner|camarer|fontaner|electricista|carpinter|estudiante|contable|traductor|científic|investigador|jefe de|jefa de|director|fotógraf|músic|analista|consultor|psicólog|fisioterapeuta|veterinari|farmacéutic|funcionari|autónom|jubilad|administrativ|panader|agricultor|bomber|policía|escritor|dentista|matron|biólog|químic)\w*).*
    work estudio,estudiando,dejado,ascendido,despedido,paro,jubilado,máster,doctorado,puesto,jornada,ascendieron,autónomo,autónoma,carrera :: \b(?:estudio(?! mucho)|estoy estudiando|he dejado (?:la|el|mi)|me han (?:ascendido|despedido)|me ascendieron|estoy en (?:el )?paro|hago (?:un|el) (?:máster|doctorado)|mi (?:nuevo )?puesto|media jornada|dirijo|soy autónom[oa])\b.*
    habit todos,todas,cada,veces,suelo,solemos,lunes,martes,miércoles,jueves,viernes,sábados,domingos,normalmente,diario,mañanas,noches,siempre :: ^\W*(?:(?:yo|normalmente|por las (?:mañanas|noches|tardes)|los (?:fines de semana|lunes|martes|miércoles|jueves|viernes|sábados|domingos)|cada \w+|todos los \w+|todas las \w+),? )?(?!(?:no|si|el|la|los|las|siempre se|tenemos que|hay|desplegamos|usamos|se|nunca|recibo|necesito|publicamos|que)\b)\w+(?:o|mos|oy)\b.*\b(?:todos los (?:días|lunes|martes|miércoles|jueves|viernes|sábados|domingos)|todas las (?:mañanas|noches|tardes|semanas)|cada (?:día|mañana|noche|semana|lunes|martes|miércoles|jueves|viernes|sábado|domingo)|(?:una vez|dos veces|tres veces|cuatro veces|\d veces) (?:por|a la|al) \w+|a diario|normalmente)\b.*
    habit suelo,solemos,domingos,sábados,lunes,martes,miércoles,jueves,viernes,cada,todas,todos,normalmente,mañanas,noches :: \b(?:suelo|solemos) \w+r(?:me|nos)?\b.*|^\W*(?:los (?:domingos|sábados|lunes|martes|miércoles|jueves|viernes|fines de semana)|cada (?:mañana|noche|domingo|sábado|lunes|martes|miércoles|jueves|viernes|día)|todas las (?:mañanas|noches)|todos los (?:días|\w+s)|por las (?:mañanas|noches)|normalmente),? (?:no )?(?:me |nos )?(?!(?:tenemos|desplegamos|publicamos|hay|necesit|recib)\w*)\w+(?:o|oy|mos)\b.*
    preference prefiero,preferimos :: \b(?:prefiero|preferimos) (?!que (?:me|no me)\b)<V><END>.*
    preference.favourite favorito,favorita,preferido,preferida,favoritos :: \b(?:mi|mis) (?P<head>\w+) (?:favorit[oa]s?|preferid[oa]s?) (?:es|son|sigue siendo) <V><ENDL>.*
    preference odio,detesto,soporto,aguanto,encanta,encantan,gusta,gustan,adoro,apasiona,apasionan,fan,molesta,chifla,amo :: \b(?:odio|detesto|no (?:soporto|aguanto)|(?:me|nos) (?:encantan?|apasionan?|chiflan?|molestan?)|(?:no )?(?:me|nos) gustan?(?! (?:esto|eso|la idea|cómo|tu|saber))|adoro|soy (?:muy )?fan)\b.*
    schedule @time :: ^\W*(?:(?:y|pero|ojo|por cierto|recuerda|aviso)[,:]? (?:que )?)*(?P<head>(?:el|la|los|las|mi|mis|nuestr[oa]) (?:[\w-]+ ){0,5}?[\w-]+) (?:es|son|será|está|empieza|comienza|termina|vence|cae|sale|se ha (?:pasado|movido|cambiado|aplazado|retrasado|adelantado)|se (?:pasa|mueve|cambia|aplaza|retrasa)|pasa|ha sido|tiene lugar|se celebra|queda)(?: ahora| ya| prevista?o?| programad[oa]| fijad[oa]| para)*
        (?: (?:del|de) (?P<old>[\w ]+?))?(?: (?:a|al|el|en|para|hasta|antes del|desde|para el))* <WHEN>.*
    schedule @time :: ^\W*(?:el |a partir del |antes del )<WHEN>,? (?!(?:no|pasado|me acordé)\b)(?:me |nos |tengo |tenemos |hay |es |vuelo|volamos|viajo|viajamos|empiezo|empezamos|presento|salgo|salimos|llega|llegan|viene|operan|\w+(?:amos|emos|imos|o)\b).*
    schedule tengo,tenemos,cita,vuelo,volamos,examen,reunión,entrega,plazo,viaje,viajo,boda,quedado,salgo,entrevista,vence,fecha,operan :: \b(?:tengo|tenemos|cita|vuelo|volamos|examen|reunión|entrega|plazo|viaje|viajo|viajamos|boda|hemos quedado|he quedado|salgo|salimos|entrevista|vence|fecha límite|me operan|nos vamos|me voy)\b(?!.*\b(?:todos|cada)\b).*\b(?:el|a|para|al|del|antes de|en) ?<WHEN>.*
    technical.tool usamos,utilizamos,uso,pasamos,migramos,pasado,migrado,cambiado,cambiamos :: \b(?:usamos|utilizamos|uso|utilizo)<ADV>(?: el| la)? (?P<value>(?-i:[A-Z])[\w.+#-]*(?: [\d.]+)?|pnpm|npm|yarn|uv|ruff|pytest|git|bun|deno|pip).*|\b(?:pasamos|migramos|hemos (?:pasado|migrado|cambiado)|cambiamos) de (?P<old>[\w.+#-]+) a (?P<value>[\w.+#-]+).*
    technical @tech,corre,escucha,está,llama,vive,usa,tarda :: ^\W*(?:(?:y|pero|por cierto|ojo|recuerda(?: que)?|nota)[,:]? )*(?P<head>(?:(?:el|la|los|las|nuestr[oa]s?) )?(?:[\w.-]+ ){0,5}?[\w-]+)(?: de (?:la |el |los )?[\w-]+)?(?:,)? (?:corre|corren|escucha|está|están|se llama|vive|usa|es|son|tarda|expira|caduca|empieza|arranca|se ejecuta|apunta|requiere|necesita|dura|funciona)<ADV>(?: (?:en|de|con|sobre|a|por|el|la|los|un|una|puerto|servidor|rama|versión|carpeta|las))* <SPEC>.*
    technical producción,staging,backend,frontend,datos,servidor,api,app,cluster,clúster,despliegue :: ^\W*(?P<head>(?:(?:el|la|nuestr[oa]) )?(?:[\w-]+ ){0,3}?<TECH>(?: de (?:la |el )?[\w-]+)?) (?:corre|está|es|usa|funciona|vive)<ADV>(?: (?:en|con|sobre|un|una))* (?P<value>(?-i:[A-Z])[\w.+#-]+(?: [\d.]+)?).*
    rule usa,utiliza,escribe,ejecuta,corre,lanza,añade,agrega,pon,haz,revisa,comprueba,pide,pregunta,pregúntame,mantén,evita,responde,contesta,explica,explícame,muestra,incluye,crea,actualiza,documenta,valida,firma,guarda,llama,pasa,trata,cita,dame,sé,use,escriba,ejecute,incluya,respeta,avísame,confirma,formatea,nombra,limita :: <START>(?:<IMP>|pregúntame|respeta|avísame|confirma|formatea|nombra|limita)\b(?! (?:la errata|esto)\b).*\b<MARK>\b.*
    rule favor,siempre,nunca :: ^\W*(?!(?:yo|mi|él|ella|el|la|me|se|hoy)\b).*\b(?:por favor|porfa)\b.*\b(?:siempre|nunca|solo|jamás|ningún|ninguna|nada de)\b.*|^\W*(?!(?:yo|mi|él|ella|el|la|me|se|hoy)\b).*\b(?:siempre|nunca|jamás)\b.*\b(?:por favor|porfa)\b.*
    relationship es,lleva,dirige,coordina,gestiona,encarga,revisa :: ^\W*(?P<who>(?-i:[A-ZÁÉÍÓÚÑ])[\w-]+(?: (?-i:[A-ZÁÉÍÓÚÑ])[\w-]+)?)(?:, (?:de|la|el) [\w ]+,)? (?:es (?:ahora |también )?(?:mi|nuestr[oa]|la|el) (?:nuev[oa] )?\w+|lleva (?:la|el|los|las)|dirige|coordina|gestiona|se encarga|se ocupa|revisa)\b.*
    relationship conozco,conocemos,amigos,juntos,casados,soltero,soltera,salgo,comparto,llevamos :: \b(?:conozco a|nos conoc\w+|somos amig\w+|llevamos .+ (?:juntos|juntas|casados|casadas)|estoy solter[oa]|soy solter[oa]|salgo con|comparto (?:piso|casa|despacho) con)\b.*
    personal tengo,soy,llevo,bebo,fumo,uso,mido,peso,calzo,dirección,talla,grupo,gafas,zurdo,zurda,hijos,nací,madre,padre,hermanos :: \b(?:tengo|soy|llevo|mido|peso|calzo|uso|no (?:bebo|fumo|como|conduzco|tomo))\b(?! (?:que|un problema|una duda|una pregunta|una reunión|razón|ganas|mucho|miedo|sueño)\b)<ADV> ?(?:alcohol|carne|pescado|cerdo|gluten|lácteos|carné|gafas|lentillas|zurd[oa]|daltónic[oa]|(?:un|una|dos|tres|cuatro) (?:hij|herman|niñ|gemel)\w+|madre solter\w|tdah|miope|un metro|\d[\d,.]*|hijo únic\w|(?-i:[A-Z])\w+an[oa]|café|azúcar|autónom[oa])\b.*|\bmi (?:nueva )?(?:dirección|talla|grupo sanguíneo|número de pie|código postal|apellido|apodo|lengua materna|zona horaria|médic[oa]|dentista|coche|bici|banco|seguro|alquiler|gimnasio|barrio|ciudad natal)(?: es| son| está)<ADV> .+
    work empresa,equipo,cliente,clientes,turno,turnos,remoto,contrato,horas,departamento,oficina,proyecto,jornada,casa,trabajo :: \b(?:trabajo (?:desde casa|a turnos|en remoto|por las|\d|media|a tiempo|de noche|de lunes)|mi empresa (?:hace|vende|fabrica|se)|mi equipo (?:es|tiene|son)|nuestro equipo (?:es|tiene)|mi turno|mi contrato|estoy en el (?:equipo|departamento)|soy (?:responsable|el encargado|la encargada|jef[ea]) de|llevo \w+ años (?:en|como|trabajando)|estoy (?:de baja|de prácticas|escribiendo (?:un|una|mi)|trabajando en (?:un|una|mi|el|la)))\b.*
    habit bebo,como,ceno,desayuno,corro,nado,leo,cocino,duermo,levanto,acuesto,voy,juego,toco,camino,medito,salgo,tomo,entreno :: ^\W*(?:(?:y|además|por cierto)[,:]? )?(?:yo )?(?:siempre |nunca |me |no )*(?:bebo|como|ceno|desayuno|corro|nado|leo|cocino|duermo|levanto|acuesto|voy (?:al|a la|en)|juego|toco|camino|medito|salgo a|tomo|entreno)\b(?!.*\b(?:mañana voy|el \d)\b).*\b(?:a las|por la|por las|antes|después|en bici|en tren|en metro|andando|al gimnasio|sin|solo|siempre|nunca|temprano|tarde|cada|desde|los|con|en un|en el coro|la guitarra|el piano)\b.*
    technical @tech :: ^\W*(?:(?:y|pero|por cierto|ojo|recuerda(?: que)?|nota)[,:]? )*(?:(?:el|la|los|las|nuestr[oa]s?|todos los|todas las) )?(?:[\w.-]+ ){0,3}?<TECH>(?: (?:de|del|en|para) (?:la |el |los )?[\w-]+)? (?:corre|corren|escucha|vive|viven|usa|usan|tarda|tardan|necesita|necesitan|requiere|apunta|depende|viene|va|van|se (?:guarda|guardan|ejecuta|ejecutan|genera|despliega|hace|almacena|llama)|tiene|tienen|devuelve|acepta|espera|está en|están en|es|son|solo)(?! (?:roto|rota|lent[oa]|caíd[oa]|rojo|verde|bien|mal|raro|que|muy|demasiado)\b) .+
    technical nosotros,usamos,alojamos,desplegamos,guardamos,utilizamos,ejecutamos,tenemos,generamos :: \b(?:alojamos|desplegamos|guardamos|utilizamos|usamos|ejecutamos|generamos|ciframos|cacheamos|compilamos)<ADV> (?!(?:esto|eso|lo)\b).*\b(?:en|con|para|por|desde|como|sobre|vía)\b.*
    """,
    outcomes=r"""
    technical causa,culpable,problema,motivo,error,fallo,culpa :: \b(?:la causa|el culpable|el motivo|el (?:problema|error|fallo)(?: real)?)(?: \S+){0,2} (?:era|es|fue|estaba|venía|está)\b(?! que no sé).+|^\W*causa(?: raíz)?: .+|\bla culpa (?:era|es) de\b.+
    technical resulta,resultó :: \b(?:resulta|resultó) (?:que|ser)\b.+
    technical venía,viene,porque,debía,debe :: ^\W*(?:el|la|los|las) .+ (?:venían?|viene|se debía|se debe|fallaban?|falla|falló|fallaron)\b.*\b(?:de|del|a|porque)\b.+
    technical~ corregido,arreglado,añadido,eliminado,cambiado,actualizado,migrado,creado,renombrado,movido,implementado,reemplazado,solucionado,quitado,agregado,subido,corregí,arreglé,añadí,eliminé,cambié,actualicé,creé,agregué,moví
        :: \b(?:he|hemos|se ha|se han|ha sido) (?:\w+ )?(?:corregido|arreglado|añadido|eliminado|cambiado|actualizado|migrado|creado|renombrado|movido|implementado|reemplazado|solucionado|quitado|agregado|subido)\b.*|^\W*(?:listo[.:,] ?)?(?:corregí|arreglé|añadí|eliminé|cambié|actualicé|creé|agregué|moví|migré)\b.*
    open_end queda,quedan,falta,faltan,pendiente,pendientes,sigue,siguen,aún,todavía,pude,podido :: ^\W*(?:(?:aún|todavía) )?(?:queda|quedan|falta|faltan|pendientes?)\b.+|\b(?:sigue|siguen)(?: aún)? (?:fallando|roto|rota|en rojo|pendientes?|sin|abiert\w+)\b.*|\b(?:aún|todavía) no\b.+|\b(?:aún|todavía) (?:falla|fallan|falta|hay)\b.*|\bno (?:pude|he podido) .+
    technical~ ahora,porque,faltaba,faltaban,nunca,caducado,mal,pasan,verde :: ^\W*(?:el|la|los|las|un|una|todos|todo|ya) .*\b(?:ahora (?:usa|corre|tarda|pasa|pasan|va|funciona|está|están)|faltaban?|nunca se|estaba (?:mal|caducad\w|vací\w|apuntando)|estaban (?:mal|caducad\w+)|se ejecutó dos veces|había caducado|pasan (?:todos|ya)|tarda solo)\b.*
    """,
    borders=(
        r"(?:[,;:] (?:y |pero |así que |o )?|[,.;:]? (?:-|–|—) )(?=(?:pero|porque|así que|yo|mi|mis|el|la|los|nuestr[oa]|quítalo|por si|que me|qué|cómo|dónde|puedes|podrías|me ayudas|casi|ya|voy|no las|no lo|ignora|¿|los aviones|los|gracias|luego|es|son|tengo|estoy|soy|segundo|faltaba|y|no sé|ahora)\b)"
        r"| (?:y|pero) (?=(?:mi|el|la|yo|no le|nuestr[oa]|me|tengo|estoy|los)\b)|; |(?<=\w)[,.]? (?=¿)| porque (?=\w)| \((?=\w+ \w+)"
    ),
    subjects=r"\W*(?:(?:y|pues|ok|hola|oye|bueno|sí|no)[,!]? )*(?:yo|mi|mis|nuestr[oa]s?|el|la|los|las|tengo|soy|estoy|vivo|trabajo|me|nos|hemos|he|usamos|tenemos|vivimos)\b",
    hedges=(
        r"\b(?:quizás?|tal vez|a lo mejor|puede que|podría\w*|si|ojalá|me gustaría|nos gustaría|quisiera|quiero|queremos|pienso|estoy pensando|supongamos|imagina|por ejemplo|p\. ej|no sé|probablemente|algún día|debería\w*|creo|intento|intentando"
        r"|antes (?:vivía|trabajaba|usaba)|pensamos|espero|imaginemos|a ver si|igual)\b"
    ),
    hearsay=r"\b(?:(?:dice|dijo|dicen|asegura|afirma|cuenta|comenta) que|según|traduce|resume|poema|cuento|historia sobre|dijiste|me dijiste|pregunta|el readme dice|reescribe|corrige este)\b",
    limits=r"\b(?:hoy|esta (?:vez|semana|tarde|noche|mañana)|solo por|por (?:ahora|esta vez)|de momento|ahora mismo|este momento|en este momento|temporalmente|otra vez|de nuevo|luego)\b",
    changes=r"\b(?:ahora|mudado|mudé|ya no|por fin|finalmente|al final|cambiado|cambiamos|pasamos|pasado del?|en lugar de|en vez de|nuev[oa]|vendido|dejado|subido|bajado|migrado|actualizado|aplazado|retrasado|desde (?:ayer|el lunes|hoy)|corrijo|corrección)\b",
    losses=r"\b(?:en lugar de|en vez de|ya no (?:uso|usamos|vivo en|trabajo en)|(?<=, )no)(?: el| la)? (?P<old>(?-i:[A-Z])[\w.+#-]*|[\w.+#-]+(?=$|[,.;]))",
    handovers=r"\b(?:traduce|resume|corrige|reescribe|revisa|este es|aquí (?:está|va|tienes)|siguiente|correo|e-?mail|log|logs|salida|artículo|texto|mensaje|dice|escribió|error|carta|borrador|transcripción)\b",
    telling="el los las en del al un una con eso este esta ese esa más fue ser está están queda gracias hola bueno buena día después ahora mismo muy todo toda usted él ella ellos nosotros antes cuando donde cual de que se por pero o y me te lo le llamo vivo trabajo nunca siempre usamos hemos soy tengo mi nuestro prefiero odio decidido está también aún todavía",
    little="el la los las un una unos unas mi mis nuestro nuestra nuestros nuestras de nuevo nueva ahora ya también es son está en a al del muy viejo vieja",
    joints="de del para en por con a al",
)
