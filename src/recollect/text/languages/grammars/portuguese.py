"""The rules of statements in Portuguese, of Brazil and of Portugal."""

from __future__ import annotations

from recollect.text.languages.grammars.grammar import Grammar

_MONTH = r"(?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)"
_DAY = r"(?:segundas?|terças?|quartas?|quintas?|sextas?)(?:-feiras?)?|sábados?|domingos?"
_DATE = (
    rf"(?:(?:dia )?\d{{1,2}} de {_MONTH}(?: de \d{{4}})?|\d{{4}}-\d\d-\d\d|\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|(?:próxim[ao] )?(?:{_DAY})(?: que vem)?|depois de amanhã|amanhã"
    rf"|(?:semana|mês|ano) que vem|(?:próxim[ao]|n[ao] próxim[ao]) (?:semana|mês|ano)|(?:em|no (?:início|fim|final|meio) de) {_MONTH}|dia \d{{1,2}})"
)
_TIME = r"(?:(?:às|as|ao|à) (?:\d{1,2}(?:[:h]\d\d|h)?|uma|meio-dia|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze)(?: e meia)?|\d{1,2}[:h]\d\d|\d{1,2}h\b|meio-dia|meia-noite)"
_PERSON = (
    r"(?:irm(?:ão|ã|ãos|ãs)|mãe|pai|mamã|papá|filh[oa]s?|mulher|marido|espos[oa]|companheir[oa]|namorad[oa]|noiv[oa]|ti[oa]|prim[oa]|sobrinh[oa]|av[óô]s?"
    r"|net[oa]|(?:melhor )?amig[oa]|colegas?(?: de (?:casa|quarto|trabalho))?|chefe|gerente|gestor[a]?|vizinh[oa]|cunhad[oa]|sogr[oa]s?|senhori[oa]|pais|gême[oa]s?|sóci[oa])"
)

GRAMMAR = Grammar(
    parts={
        "ADV": r"(?: (?:agora|já|ainda|também|sempre|desde \S+(?: \S+)?|atualmente|finalmente|hoje em dia|normalmente|quase|só|apenas|muito|mais|nunca|além disso|se|me|te|até))*",
        "MY": r"\b(?:(?:o |a |os |as )?(?:meu|minha|meus|minhas|nosso|nossa|nossos|nossas))(?: nov[oa]| antig[oa]| melhor| querid[oa])?",
        "DATE": _DATE, "TIME": _TIME,
        "WHEN": rf"(?P<value>(?:{_DATE}|{_TIME})(?:,? (?:a|de|do|da|pela \w+|,)? ?(?:{_TIME}|{_DATE}))*)",
        "END": r"(?=$|[,;:!?()]| [-–—] |\.(?:\s|$)| (?:e|mas|porque|com|para|por|desde|agora|quando|onde|em|no|na|até|quase|como|que|de|do|da|sobre|em vez|há|faz)\b)",
        "ENDL": r"(?=$|[,;:!?()]| [-–—] |\.(?:\s|$)| (?:e|mas|porque|desde|agora|quando|até|que|em vez|no lugar|há|faz|por causa|na versão|para)\b)",
        "PERSON": _PERSON,
        "N": r"(?P<value>(?-i:[A-ZÁÉÍÓÚÂÊÔÃÕÇ])[\w'-]+(?: (?:de |do |da |dos )*(?-i:[A-ZÁÉÍÓÚÂÊÔÃÕÇ])[\w'-]+)*)",
        "SPEC": r"(?P<value>(?:(?!porta|a|o|um)[\w.+#-]+ )?v?\d+(?:\.\d+)+|\d[\d.,]*(?: ?(?:%|[kmg]b|ms|segundos?|minutos?|horas?|dias|pedidos|requisições|chamadas|euros|reais|€))?(?: ?/ ?\w+| (?:por|ao|à) \w+)?"
        r"|`[^`]+`|(?:[\w.-]+/)+[\w.-]+|[a-z]+(?:[-_.][a-z0-9]+)+)",
        "HERE": r"(?:n|d|par[ao]? )?(?:este|esta|esse|essa|em|nosso|nossa|todos|todas|cada|o|a|os|as) ?\w*",
        "START": r"^\W*(?:(?:por favor|e|mas|ok|certo|a partir de (?:agora|hoje)|de agora em diante|daqui (?:pra|para a?) frente|doravante|no futuro|lembra(?:-te)?(?: que)?|lembre(?:-se)?(?: que)?|importante|nota|regra|além disso|olha|também|sempre|em geral|atenção)[,:]? )*",
        "TECH": r"(?:servidor\w*|base de dados|banco(?: de dados)?|apis?|backend|frontend|cluster|pipeline|ci|testes?|build|deploy|repo\w*|branch|ramo|config\w*|porta|tokens?|cache|fila|cron|backups?|cópia de segurança|staging|produção|homologação|endpoints?|esquema|schema"
        r"|migração|logs?|container|imagem|script|serviço|worker|chave|timeout|limite|versão|proxy|app|webhook|biblioteca|ambiente|sistema)",
        "IMP": r"(?:us[ae]|utiliz[ae]|escrev[ae]|rod[ae]|execut[ae]|corr[ae]|faz|faça|adicion[ae]|põe|coloqu?[ea]|verifi(?:ca|que)|pergunt[ae]|mantém|mantenha|deix[ae]|evit[ae]|respond[ae]|expli(?:ca|que)|mostr[ae]|inclu[ia]|cri[ae]|atualiz[ae]|document[ae]|valid[ae]|assin[ae]|pass[ae]|trat[ae]|cit[ae]|d[áêi]|sej?a|fal[ae]|diga|diz|peça|pede|corre|revis[ae]|test[ae]|nome(?:ie|ia)|prefi(?:ra|xe)|guard[ae]|lanç[ae])",
        "MARK": r"(?:sempre|nunca|jamais|cada|todos|todas|toda|todo|qualquer|a partir de agora|de agora em diante|daqui (?:pra|para a?) frente|neste (?:repo\w*|projeto|time|chat)|nesse (?:repo\w*|projeto)|por padrão|sem (?:perguntar|permissão|minha)|salvo|a menos|a não ser|primeiro|antes|só|apenas|em vez de|ao invés de|no máximo|as respostas|suas respostas|tuas respostas|comigo|em todo lugar)",
        "SUBJ": r"(?:uses?|utilizes?|faças?|mexas?|toques?|apagues?|adiciones?|escrevas?|coloques?|executes?|mudes?|altere?s?|publiques?|guardes?|respondas?|incluas?|feches?|metas?|trates?|rodes?|comeces?|termines?|peças?|inventes?|expliques?|dês?|digas?|cries?|ignores?|envies?|instales?|subas?|commite|use|faça|mexa|toque|apague|\w+(?:es|as|e|a))",
    },
    cues={
        "person": """
            irmão irmã irmãos irmãs mãe pai mamã papá filho filha filhos filhas mulher marido esposo esposa companheiro companheira namorado namorada noivo noiva tio tia primo
            prima sobrinho sobrinha avó avô avós neto neta amigo amiga colega colegas chefe gerente gestor gestora vizinho vizinha cunhado cunhada sogro sogra senhorio
            senhoria pais gêmeo gêmea sócio sócia
        """,
        "time": "# segunda terça quarta quinta sexta segundas terças quartas quintas sextas sábado sábados domingo domingos amanhã próximo próxima vem meia às dia",
        "tech": """
            servidor servidores base dados banco api apis backend frontend cluster pipeline ci teste testes build deploy repo repositório branch ramo config configuração porta
            token tokens cache fila cron backup backups cópia staging produção homologação endpoint endpoints esquema schema migração log logs container imagem script
            serviço worker chave timeout limite versão proxy app webhook biblioteca ambiente sistema
        """,
    },
    rules=r"""
    rule.me chame,chama,trate,trata :: <START>(?:(?:me )?(?:chame|chama|trate|trata)(?:-me)?)(?: só)?(?: de| por| apenas)? <N>.*
    rule.me trate,trates,tratar,tu,você,senhor,senhora,trata :: <START>(?:não me (?:trates?|chames?)|trata-me|me trate|pode(?:s)? (?:me )?tratar(?:-me)?)\b.*
    rule.me responda,responde,respostas,responder,escreva,fala,fale,explica,explique :: <START>(?:(?:me )?(?:responda|responde|escreva|escreve|fale|fala|explica|explique)(?:-me)?)(?: sempre| só| apenas)? (?:em (?P<value>\w+)|sempre|só|apenas|com|sem|de forma|curto|no máximo).*|<START>(?:mantém|mantenha|faz|faça|quero) (?:as |tuas |suas )*respostas .*|^\W*(?:as |tuas |suas )?respostas (?:sempre|curtas|breves|em|sem)\b.*
    rule.me para,pare,deixa,deixe,chega :: <START>(?:para|pare|deixa|deixe|chega) (?:já )?de \w+r.*(?:todo|cada|sempre|tempo|vez|final|desculpa|repet|toda hora)\b.*
    rule nunca,jamais :: <START>(?:nunca|jamais) (?!se\b|me\b|mais\b|vi\b|tinha\b|fui\b|é\b|foi\b|há\b|sei\b|imaginei\b|acontece|aconteceu)(?:mais )?\w+.*
    rule nunca,jamais :: <START>não <SUBJ> (?:nunca|jamais)\b.*
    rule sempre :: <START>(?:sempre (?!que\b|chove|esque|foi|é\b|tive|quis|acontece|se )(?:<IMP>|\w+[ae]r?|em|com)\b.+|<IMP>(?:-me|-os|-as|-o|-a)? sempre\b.*|sempre que \w+ .*,? <IMP>\b.*)
    rule não :: <START>não <SUBJ>\b.*?\b(?:neste|nesse|nesta|nessa|no (?:repo\w*|projeto|código)|na (?:main|branch|base)|nos (?:commits|logs|testes)|nas mensagens|em (?:produção|commits|nenhum\w*)|sem (?:perguntar|permissão|avisar|minha|testes?|revisão|aprovação)|direto|diretamente|nunca|mais(?: vezes)?$|emojis?|salvo|a menos|a não ser)\b.*
    rule a,partir,diante,frente,doravante,futuro :: <START>(?:a partir de (?:agora|hoje)|de agora em diante|daqui (?:pra|para a?) frente|doravante),? (?!(?:moro|trabalho|sou|estou|meu|minha|a|o|tenho|moramos|eu)\b).+|^\W*(?!(?:meu|minha|o|a|eu|sou|estou|moro)\b)\w+ .+(?:a partir de agora|de agora em diante|daqui (?:pra|para a?) frente)$
    rule antes,depois,cada,sempre,quando,toda :: ^\W*(?:por favor,? )?(?:antes de (?:cada|qualquer|fazer|subir|mexer|apagar)|depois de (?:cada|qualquer)|(?:cada|toda) vez que|sempre que|quando (?:mexer|mudar|fizer|criar|alterar|mexeres|mudares|fizeres)\w*) .+?,? (?:<IMP>|é preciso|deve|não \w+)\b.*
    rule todos,todas,todo,toda,cada,os,as,qualquer :: ^\W*(?:por favor,? )?(?:lembra:? |importante: )?(?:todos|todas|todo|toda|cada|qualquer|os (?:commits|testes|nomes|endpoints|comentários|erros)|as (?:mensagens|branches|funções|migrações|chaves|datas|variáveis)) .*(?:dev[ea]m?|precisam?|têm (?:de|que)|tem (?:de|que)|leva[m]?|vão? (?:em|com)|são? (?:sempre|em))\b.*
    rule nada,nenhum,nenhuma,sem :: ^\W*(?:por favor,? )?(?:nada de|nenhum|nenhuma|sem) (?!(?:problema|problemas|nada|dúvida|pressa|mais|isso|querer)\b)[\w-]+(?: [\w-]+)? (?:em|no|na|nos|nas|sem|direto|diretamente)\b.*
    rule garanta,garante,certifique,assegura,assegure,cuide :: <START>(?:garant[ae]|certifi(?:que|ca)-(?:se|te)|assegur[ae]|cuid[ae])(?: sempre)? (?:de )?(?:que )?.+
    rule neste,nesse,nesta,nessa,aqui :: ^\W*(?:nest[ea]|ness[ea]) (?:repositório|repo|projeto|código|base)\b.*,? (?:não |só |sempre |nunca )?(?:se )?(?:usamos|usa|utilizamos|escrevemos|escreve|fazemos|commitamos|trabalhamos|é|vai|a gente)\b.*|^\W*aqui,? (?:não |só |sempre |nunca )(?:usamos|fazemos|commitamos|a gente)\b.*
    rule não,nunca,só,sempre :: ^\W*(?:aqui )?(?:a gente |nós )?(?:não|nunca|só|sempre) (?:usamos|usa|fazemos|faz|publicamos|mesclamos|fundimos|subimos|guardamos|escrevemos|commitamos|aceitamos|permitimos|deploy\w*)\b.*
    rule deve,deves,tem,quero,proibido,obrigatório,precisa :: ^\W*(?:você |tu )?(?:deve sempre|deves sempre|tem (?:sempre )?que sempre|quero que sempre|quero que (?:me )?(?:respond|fal|escrev|trat)\w+|é proibido|(?:está |fica )?proibido|é obrigatório)\b.*
    rule use,usa,utilize,utiliza :: <START>(?:use|usa|utilize|utiliza)(?: sempre| só)? .*\b(?:neste|nesse|nesta|sempre|só|em vez de|ao invés de|para tudo|em tod[oa]s?)\b.*
    decision decidimos,decidi,decidido,optamos,optei,combinado,combinamos,escolhi,escolhemos,acordámos,acordamos,resolvemos :: \b(?:já |ficou |está )?(?:decidimos|decidi|decidido|optamos|optei|combinado|combinamos|escolhi|escolhemos|acord[áa]mos|resolvemos)(?: que| por| em)?(?: \w+r)?(?: a| com| o| os| as)? <V><ENDL>.*
    decision vamos,ficamos,usaremos,seguimos,usamos,mantemos,usar,fico,afinal,bora,descartamos :: ^\W*(?:(?:ok|certo|então|bem|afinal|no fim|no final|sim|não|perfeito|beleza|pronto)[,:]? )*(?:vamos (?:com|de|ficar com|usar|manter|seguir com)|ficamos com|fico com|usaremos|seguimos com|mantemos|bora (?:com|de)|descartamos|(?<=afinal )usamos|(?<=então )usamos)(?: o| a| os| as)? <V>(?: em vez de (?P<old>\w+))?<ENDL>.*
    decision usar,usamos,vez,invés,lugar :: \b(?:usamos|usemos|usar|uso) (?P<value>\w[\w.+-]*) (?:em vez de|ao invés de|no lugar de|em lugar de) (?P<old>\w+).*
    decision decisão,fechado,combinado,decidido :: \b(?:a decisão (?:é|está|final)|fica (?:decidido|combinado)|está (?:decidido|fechado))\b.*
    open_end falta,faltam,resta,restam,pendente,pendentes,fazer,todo :: ^\W*(?:(?:ainda|só) )?(?:falta|faltam|resta|restam)\b(?! (?:pouco|menos)).+|\b(?:está|estão|fica|ficam|ficou|continua|continuam|segue)(?: ainda)? pendentes?\b.*|^\W*(?:pendentes?|todo|por fazer|a fazer|em aberto)\b:? .+|\b(?:ainda )?(?:está|continua|segue|fica) (?:em aberto|por (?:decidir|definir|fazer|resolver))\b.*
    open_end ainda :: \bainda não\b.*|\bnão (?:está|estão|foi|temos) (?:\w+ )?ainda\b.*|\bainda (?:temos|tenho|é|precisamos|preciso|há|falta|faltam|está|estão|estamos|estou) (?:de |que |preciso |a |à |por )?\w+.*
    open_end temos,preciso,precisamos,espera,esperando,continua,continuam,aguardando,aguarda,aguardamos,espero :: \b(?:temos|tenho|precisamos|preciso)(?: de| que)? .*\bainda\b.*|\b(?:continua|continuam|está|estão|estamos|estou|segue|seguem)(?: ainda)? (?:à espera|esperando|aguardando|a falhar|falhando|em vermelho|abert\w+|bloquead\w+|quebrad\w+|partid\w+)\b.*|\baguarda(?:mos|ndo)? .+
    relationship.home mora,moram,vive,vivem,mudou,mudaram :: <MY> (?P<who><PERSON>(?: (?-i:[A-ZÁÉÍÓÚÂÊÔ])\w+)?)<ADV> (?:mora|moram|vive|vivem|mudou-se|mudou|foi morar)<ADV> (?:em|no|na|para(?: o| a)?|perto de) <N>.*
    relationship.manager chefe,gerente,gestor,gestora :: <MY> (?:chefe|gerente|gestora?) (?:chama-se|se chama|é)(?: agora)?(?: o| a)? <N>.*
    relationship.partner mulher,marido,esposa,esposo,namorado,namorada,companheiro,companheira :: <MY> (?:mulher|marido|espos[oa]|namorad[oa]|companheir[oa]) (?:chama-se|se chama|é)(?: o| a)? <N><END>.*
    relationship @person :: <MY> (?P<who><PERSON>(?:,? (?-i:[A-ZÁÉÍÓÚÂÊÔ])[\w-]+,?)?) (?!(?:diz|disse|pergunta|perguntou|e eu|acha)\b)[a-záéíóúâêôã]\w*(?:-se)? ?.*
    relationship @person :: ^\W*(?:o |a )?(?P<who>(?-i:[A-ZÁÉÍÓÚÂÊÔ])[\w-]+),? (?:é )?(?:o |a )?(?:meu|minha|nosso|nossa) (?:melhor )?<PERSON>\b.*
    relationship casei,casado,casada,divorciado,divorciada,casados,noivo,noiva,casamos,divorciei,separado,separada :: \b(?:casei|nos casamos|casámos|sou (?:casad|divorciad|viúv|solteir)[oa]|estou (?:noiv|separad)[oa]|fiquei noiv[oa]|divorciei)\b.*
    personal.name chamo,nome :: \b(?:chamo-me|me chamo|(?:o )?meu nome é) <N>.*
    personal.home moro,moramos,vivo,vivemos,mudei,mudámos,mudamos,mudou :: \b(?:moro|moramos|vivo|vivemos)<ADV> (?:em|no|na|perto d[eao]|nos arredores de) <N>.*|\b(?:mudei-me|me mudei|mudámo-nos|nos mudamos|a gente se mudou|mudei|mudamos)(?: de (?P<old>\w+))? para(?: o| a)? <N>.*
    personal.home mudei,mudou,mudámos,mudamos,apartamento,casa :: \b(?:me mudei|mudei-me|a gente(?: \w+)? se mudou|nos mudamos)$|<MY> (?:apartamento|casa) (?:fica |é )?em <N>.*
    personal.allergy alérgico,alérgica,alergia,vegetariano,vegetariana,vegano,vegana,celíaco,celíaca,diabético,diabética,intolerante,intolerância,asma,asmático,grávida,enxaquecas,enxaqueca,diabetes
        :: \b(?:sou|tenho|sofro|estou|fui diagnosticad[oa])\b.*?(?:(?:alérgic[oa]|alergia|intolerante|intolerância) (?:a|ao|à|aos|às) <V><END>|vegetarian[oa]|vegan[oa]|celíac[oa]|diabétic[oa]|asma|asmátic[oa]|grávida|enxaquecas?|diabetes).*
    personal.age anos :: \b(?:tenho|fiz|faço) (?P<value>\d\d) anos(?! de exp).*
    personal.birthday aniversário,anos,nasci :: \b(?:(?:o )?meu aniversário é|faço anos|faço aniversário|nasci)(?: no| em| a)? ?(?:<WHEN>|<V><END>).*
    personal.phone número,telefone,telemóvel,celular :: <MY> (?:número(?: de (?:telefone|telemóvel|celular))?|telefone|telemóvel|celular) (?:é|agora é)(?: o)? (?P<value>[\d+][\d ]+).*
    personal.email mail,e,email :: \b(?:meu|minha).* (?P<value>[\w.+-]+@[\w.-]+\w)
    personal.pet cão,cães,cachorro,cachorra,cachorros,gato,gata,gatos,coelho,cavalo,papagaio,hamster,cadela :: \b(?:tenho|temos|adotei|adotamos|a gente tem)<ADV> (?P<value>(?:um|uma|dois|duas|três|\d) (?:cão|cães|cachorr[oa]s?|gat[oa]s?|coelhos?|cavalos?|papagaios?|hamsters?|cadelas?|tartarugas?)).*|<MY> (?:cão|cachorr[oa]|gat[oa]|coelho|cadela) (?:chama-se|se chama|é|tem) ?.*
    personal.car vendi,vendemos,carro,comprei,conduzo,dirijo :: \b(?:vendi|vendemos) (?:o|a)(?: meu| minha| nosso)?(?: velh[oa])? (?P<old>\w+) e (?:comprei|compramos|agora tenho|tenho)(?: um| uma)? <V><END>.*|\b(?:conduzo|dirijo|comprei) um(?: carro)? <N>.*
    none.car vendi,vendemos :: \b(?:vendi|vendemos) (?:o|a)(?: meu| minha| nosso)?(?: velh[oa])? (?P<old>\w+)
    personal banco,nasci,cresci,nacionalidade,materna,falo :: \b(?:meu banco é|(?:nasci|cresci) (?:em|no|na)|sou (?:de|do|da) (?-i:[A-Z])\w+|minha língua materna|sou (?:brasileir|portugu|angolan|moçambican)\w+|falo (?:português|francês|inglês|alemão|espanhol|italiano)) ?.*
    work.employer trabalho,trabalhamos,comecei,entrei :: \b(?:trabalho|comecei|entrei)<ADV>(?: a trabalhar| trabalhando)?<ADV>(?: como \w+)? (?:n[ao]s?|em|para(?: a| o)?|numa?|pela)(?! casa\b) <V><ENDL>.*
    work.job trabalho :: \btrabalho<ADV> (?:como|de) <V><END>.*
    work.job sou :: \bsou<ADV> (?P<value>(?:enfermeir|professor|engenheir|desenvolvedor|programador|médic|conduto|maquinista|advogad|designer|arquitet|jornalista|cozinheir|canalizador|encanador|eletricista|carpinteir|estudante|contabilista|contador|tradutor|cientista|investigador|pesquisador|chefe de|diretor|fotógraf|músic|analista|consultor|psicólog|fisioterapeuta|veterinári|farmacêutic|funcionári|autônom|reformad|aposentad|padeir|agricultor|bombeir|polícia|policial|escritor|dentista|parteira|biólog|químic|motorista|freelancer|gerente|técnic)\w*).*
    work estudo,estudando,saí,promovido,promovida,demiti,demitido,desempregado,mestrado,doutoramento,doutorado,cargo,aposentei,curso,estágio :: \b(?:estudo(?! muito)|estou estudando|estou a estudar|saí d[ao]|fui (?:promovid|demitid|despedid)[oa]|me demiti|demiti-me|estou desempregad[oa]|faço (?:um |o )?(?:mestrado|doutor\w+|estágio|curso)|(?:o )?meu (?:novo )?cargo|meio período|part-time|dirijo (?:uma|a)|sou autônom[oa]|me aposentei|reformei-me)\b.*
    habit todos,todas,cada,vezes,vez,costumo,costumamos,segundas,terças,quartas,quintas,sextas,sábados,domingos,normalmente,diariamente,manhãs,noites,manhã,noite :: ^\W*(?:(?:eu|a gente|normalmente|(?:de manhã|à noite)|(?:aos|às|nas|nos) \w+s?|cada \w+|todos os \w+|todas as \w+|toda \w+|todo \w+),? )?(?!(?:não|se|o|a|os|as|temos|há|usamos|nunca|recebo|preciso|publicamos|que|fazemos deploy)\b)\w+(?:o|ou|mos|az|em|r)\b.*\b(?:todos os (?:dias|domingos|sábados)|todas as (?:manhãs|noites|tardes|semanas|segundas|terças|quartas|quintas|sextas)|toda (?:manhã|noite|semana|segunda|terça|quarta|quinta|sexta)|todo (?:dia|domingo|sábado|mês)|cada (?:dia|manhã|noite|semana)|(?:uma|duas|três|quatro|\d) vez(?:es)? (?:por|ao|na|à) \w+|diariamente|normalmente)\b.*
    habit costumo,costumamos,domingos,sábados,segundas,terças,quartas,quintas,sextas,cada,todas,todos,normalmente,toda,todo :: \b(?:costumo|costumamos) \w+r\b.*|^\W*(?:aos (?:domingos|sábados)|às (?:segundas|terças|quartas|quintas|sextas)|(?:cada|toda|todo) (?:manhã|noite|domingo|sábado|dia|segunda|terça|quarta|quinta|sexta)(?:-feira)?|todas as (?:manhãs|noites|\w+s)|todos os (?:dias|\w+s)|normalmente),? (?:não )?(?:eu |a gente )?(?:me )?(?!(?:temos|publicamos|há|precis|receb|fazemos)\w*)\w+(?:o|ou|mos|em)\b.*
    preference prefiro,preferimos :: \b(?:prefiro|preferimos) (?!que (?:me|não me|você)\b)<V><END>.*
    preference.favourite favorito,favorita,preferido,preferida,favoritos :: \b(?:meu|minha|meus|minhas) (?P<head>\w+) (?:favorit[oa]s?|preferid[oa]s?) (?:é|são|continua|ainda é) <V><ENDL>.*
    preference odeio,detesto,suporto,aguento,adoro,adoramos,gosto,gostamos,amo,fã,incomoda,irrita :: \b(?:odeio|detesto|não (?:suporto|aguento)|adoro|adoramos|amo|(?:não )?gost(?:o|amos) (?!(?:disso|disto|dessa ideia|da ideia|de saber|do jeito)\b)|sou (?:muito )?fã|me (?:incomoda|irrita)m?)\b ?.*
    schedule @time :: ^\W*(?:(?:e|mas|atenção|aliás|lembra|aviso)[,:]? (?:que )?)*(?P<head>(?:o|a|os|as|meu|minha|nosso|nossa|o meu|a minha|o nosso|a nossa) (?:[\w-]+ ){0,5}?[\w-]+)(?: agora| já)? (?:é|são|será|está|fica|começa|termina|acaba|vence|cai|sai|passou|mudou|foi (?:adiad|mudad|transferid|remarcad|antecipad|movid)[oa]|passa|acontece|ficou|vai ser)(?: agora| já| marcad[oa]| prevista?o?| agendad[oa]| para)*
        (?: (?:da|do|de) (?P<old>[\w -]+?))?(?: (?:a|ao|o|em|para|até|no|na|às|dia|antes de|desde|para a|para o))* <WHEN>.*
    schedule @time :: ^\W*(?:no |na |em |a partir de |até |antes de )?<WHEN>,? (?!(?:não|passado|lembrei)\b)(?:me |nos |tenho |temos |há |é |a gente |eu |viajo|viajamos|voo|voamos|começo|começamos|apresento|saio|saímos|chega|chegam|vem|\w+(?:amos|emos|imos|o)\b).*
    schedule tenho,temos,consulta,voo,exame,prova,reunião,entrega,prazo,viagem,viajo,viajamos,casamento,marquei,entrevista,vence,cirurgia,marcado,marcada :: \b(?:tenho|temos|consulta|voo|exame|prova|reunião|entrega|prazo|viagem|viajo|viajamos|casamento|marquei|entrevista|vence|cirurgia|marcad[oa]|vou viajar)\b(?!.*\b(?:todos|todas|cada)\b).*(?<!\w)(?:o|a|para|ao|no|na|em|até|às|antes de|dia) ?<WHEN>.*
    technical.tool usamos,utilizamos,uso,passamos,migramos,mudamos,migrei,mudei,trocamos :: \b(?:usamos|utilizamos|uso|utilizo)<ADV>(?: o| a)? (?P<value>(?-i:[A-Z])[\w.+#-]*(?: [\d.]+)?|pnpm|npm|yarn|uv|ruff|pytest|git|bun|deno|pip).*|\b(?:passamos|migramos|mudamos|migrei|mudei|trocamos) (?:de|do|da) (?P<old>[\w.+#-]+) (?:para|pelo|pela|por)(?: o| a)? (?P<value>[\w.+#-]+).*
    technical @tech,roda,escuta,está,chama,vive,usa,demora,corre,fica :: ^\W*(?:(?:e|mas|aliás|atenção|lembra(?:-te)?(?: que)?|nota)[,:]? )*(?P<head>(?:(?:o|a|os|as)(?: nosso| nossa| meu| minha)? )?(?:[\w.-]+ ){0,5}?[\w-]+)(?: agora)? (?:roda|rodam|corre|escuta|está|estão|fica|chama-se|se chama|vive|usa|é|são|demora|expira|começa|arranca|aponta|requer|precisa|dura|funciona)<ADV>(?: (?:em|de|com|no|na|por|o|a|um|uma|porta|servidor|branch|versão|pasta|às))* <SPEC>.*
    technical produção,staging,backend,frontend,dados,banco,servidor,api,app,cluster,deploy :: ^\W*(?P<head>(?:(?:o|a)(?: nosso| nossa)? )?(?:[\w-]+ ){0,3}?<TECH>(?: de (?:a |o )?[\w-]+)?) (?:roda|corre|está|é|usa|funciona|vive|fica)<ADV>(?: (?:em|com|no|na|um|uma))* (?P<value>(?-i:[A-Z])[\w.+#-]+(?: [\d.]+)?).*
    rule use,usa,utilize,escreva,escreve,rode,roda,execute,executa,corra,corre,faça,faz,adicione,coloque,põe,verifique,pergunte,pergunta,mantenha,mantém,evite,evita,responda,responde,explique,explica,mostre,mostra,inclua,inclui,crie,cria,atualize,documente,valide,assine,passe,trate,cite,dê,dá,seja,sê,fale,fala,diga,diz,peça,pede,revise,teste,respeite,avise,avisa,confirme,formate,nomeie,limite :: <START>(?:<IMP>|respeite|avis[ae]|confirme|formate|nomeie|limite)\b.*\b<MARK>\b.*
    rule favor,sempre,nunca :: ^\W*(?!(?:eu|meu|minha|ele|ela|o|a|se|hoje)\b).*\bpor favor\b.*\b(?:sempre|nunca|só|apenas|nenhum|nenhuma|nada de)\b.*|^\W*(?!(?:eu|meu|minha|ele|ela|o|a|se|hoje)\b).*\b(?:sempre|nunca)\b.*\bpor favor\b.*
    rule garanta,garante,certifique,assegure :: <START>(?:garant[ae]|certifique-se|assegure)(?: sempre)? .+
    rule nada,nenhum,nenhuma :: ^\W*(?:por favor,? )?(?:nada de|nenhum|nenhuma) [\w-]+ (?:nas?|nos?|em|sem)\b.*
    relationship é,cuida,lidera,dirige,coordena,gere,gerencia,revisa :: ^\W*(?:o |a )?(?P<who>(?-i:[A-ZÁÉÍÓÚ])[\w-]+(?: (?-i:[A-ZÁÉÍÓÚ])[\w-]+)?)(?:, (?:do|da|a|o) [\w ]+,)? (?:é (?:agora |também )?(?:o |a )?(?:meu|minha|nosso|nossa|o|a) (?:nov[oa] )?\w+|cuida d|lidera|dirige|coordena|gere|gerencia|trata d|revisa).*
    relationship conheço,conhecemos,amigos,juntos,casados,solteiro,solteira,namoro,divido,partilho :: \b(?:conheço (?:o |a )?(?-i:[A-Z])|a gente se conhece|nos conhecemos|somos amig\w+|estamos (?:juntos|juntas|casados)|sou solteir[oa]|estou solteir[oa]|namoro|(?:divido|partilho) (?:a |o )?(?:casa|apartamento|sala) com)\b.*
    relationship chefe,gerente :: <MY> (?P<who>chefe|gerente|gestora?) (?:chama-se|se chama|é)(?: agora)?(?: o| a)? (?P<value>\w+).*
    personal tenho,sou,uso,bebo,fumo,como,meço,peso,calço,endereço,morada,tamanho,tipo,óculos,canhoto,canhota,filhos,nasci,cep,faço :: \b(?:tenho|sou|uso|meço|peso|calço|não (?:bebo|fumo|como|dirijo|conduzo|tomo))\b(?! (?:que|um problema|uma dúvida|uma pergunta|uma reunião|razão|vontade|medo|sono)\b)<ADV> ?(?:álcool|carne|peixe|porco|glúten|laticínios|carta|carteira|óculos|lentes|canhot[oa]|daltônic[oa]|(?:um|uma|dois|duas|três|quatro) (?:filh|irm|crianç|gême)\w+|mãe solteira|tdah|míope|\d[\d,.]*|filh[oa] únic\w|(?-i:[A-Z])\w+|café|açúcar|autónom[oa]|autônom[oa])\b.*|\b(?:meu|minha) (?:nov[oa] )?(?:endereço|morada|tamanho|número de sapato|tipo sanguíneo|cep|código postal|sobrenome|apelido|língua materna|fuso|médic[oa]|dentista|carro|bicicleta|banco|seguro|aluguel|renda|academia|ginásio|bairro|cidade natal)(?: é| são| fica| agora é)<ADV> .+|^\W*faço anos .*
    work empresa,equipa,equipe,time,cliente,clientes,turno,turnos,remoto,contrato,horas,departamento,escritório,projeto,casa,trabalho :: \b(?:trabalho (?:de casa|em casa|por turnos|remoto|remotamente|à noite|\d|de segunda|a tempo|meio)|minha empresa (?:faz|vende|fabrica)|(?:meu time|minha equip[ea]|nossa equip[ea]) (?:é|tem|são)|meu turno|meu contrato|estou n[ao] (?:equip[ea]|time|departamento)|sou (?:responsável|encarregad[oa]|chefe|gerente) d|(?:estou|trabalho) há \w+ anos (?:na|no|em|como)|estou (?:de licença|de baixa|estagiando|escrevendo (?:um|uma|minha)|trabalhando (?:em|num|numa)|a trabalhar (?:em|num|numa)))\b.*
    habit bebo,como,janto,almoço,corro,nado,leio,cozinho,durmo,acordo,deito,vou,jogo,toco,caminho,medito,tomo,treino,levanto :: ^\W*(?:(?:e|além disso|aliás)[,:]? )?(?:eu )?(?:sempre |nunca |me |não )*(?:bebo|como|janto|almoço|corro|nado|leio|cozinho|durmo|acordo|deito|vou (?:ao|à|de)|jogo|toco|caminho|medito|tomo|treino|levanto)(?:-me)?\b(?!.*\b(?:amanhã|dia \d)\b).*\b(?:às|de manhã|à noite|antes|depois|de bicicleta|de comboio|de trem|a pé|academia|ginásio|sem|só|sempre|nunca|cedo|tarde|cada|desde|aos|com|vezes|num|numa|violão|guitarra|piano)\b.*
    schedule passou,mudou :: ^\W*(?P<head>(?:o|a) [\w ]+?) (?:passou|mudou|foi (?:movida|movido|adiada|adiado)) de (?P<old>\w+) para (?:a |o )?(?P<value>(?:segunda|terça|quarta|quinta|sexta|sábado|domingo|dia \d+|\d+)\w*).*
    technical @tech :: ^\W*(?:(?:e|mas|aliás|atenção|lembra(?:-te)?(?: que)?|nota)[,:]? )*(?:(?:o|a|os|as|todos os|todas as)(?: nosso| nossa| nossos| nossas| meu| minha)? )?(?:[\w.-]+ ){0,3}?<TECH>(?: (?:de|do|da|em|para) (?:a |o |os )?[\w-]+)? (?:roda|rodam|corre|correm|escuta|fica|ficam|usa|usam|demora|demoram|precisa|precisam|requer|aponta|depende|vem|vai|vão|chama-se|se (?:guarda|executa|gera)|é|são|tem|têm|devolve|retorna|aceita|espera|está em|estão em|só)(?! (?:quebrad\w|partid\w|lent\w|vermelho|verde|bem|mal|estranh\w|que|muito|demais)\b) .+
    technical hospedamos,fazemos,guardamos,utilizamos,usamos,executamos,geramos,temos,alojamos,implantamos :: \b(?:hospedamos|alojamos|guardamos|utilizamos|usamos|executamos|geramos|ciframos|compilamos|implantamos|fazemos deploy)<ADV> (?!(?:isso|isto)\b).*\b(?:em|com|para|por|no|na|como|via)\b.*
    technical.tool mudamos,passamos,migramos,trocamos :: ^\W*(?:mudamos|passamos|migramos|trocamos)(?: tudo)? (?:de|do|da) (?P<old>[\w.+#-]+) (?:para|pelo|pela|por)(?: o| a)? (?P<value>[\w.+#-]+).*
    """,
    outcomes=r"""
    technical causa,culpado,problema,motivo,erro,falha,culpa :: \b(?:a causa|o culpado|o motivo|o (?:verdadeiro )?(?:problema|erro)|a falha)(?: \S+){0,2} (?:era|é|foi|estava|vinha|está)\b(?! que não sei).+|^\W*causa(?: raiz)?: .+|\ba culpa (?:era|é) d[aeo]\b.+
    technical afinal,acontece,descobri :: \b(?:acontece que|verificou-se que|descobri que|acabou por ser)\b.+
    technical vinha,vem,porque,devia,deve,falhavam,falharam,falhou,falhava :: ^\W*(?:o|a|os|as) .+ (?:vinham?|vem|devia-se|deve-se|falhavam?|falharam|falhou|falha)\b.*\b(?:de|do|da|a|porque)\b.+
    technical~ corrigi,corrigimos,adicionei,removi,mudei,atualizei,migrei,criei,renomeei,movi,implementei,substituí,resolvi,tirei,corrigido,adicionado,removido,arrumei,acrescentei,troquei
        :: ^\W*(?:pronto[.:,] ?|feito[.:,] ?)?(?:já )?(?:corrigi|corrigimos|adicionei|removi|mudei|atualizei|migrei|criei|renomeei|movi|implementei|substituí|resolvi|tirei|arrumei|acrescentei|troquei)\b.*|\b(?:foi|foram) (?:corrigid|adicionad|removid|alterad|atualizad|migrad|criad)\w+\b.*
    open_end falta,faltam,pendente,pendentes,continua,continuam,ainda,consegui,segue :: ^\W*(?:(?:ainda) )?(?:falta|faltam|pendentes?|resta|restam)\b.+|\b(?:continua|continuam|segue)(?: ainda)? (?:falhando|a falhar|partid\w|quebrad\w|em vermelho|pendentes?|sem|abert\w+)\b.*|\bainda (?:não|falha|falham|falta|faltam|há)\b.*|\bnão consegui .+
    technical~ agora,porque,faltava,faltavam,nunca,expirado,passam,verde :: ^\W*(?:o|a|os|as|um|uma|todos|tudo|já) .*\b(?:agora (?:usa|roda|corre|demora|passa|passam|funciona|está|estão)|faltava[m]?|nunca (?:foi|era)|estava (?:errad\w|expirad\w|vazi\w|apontando)|rodou duas vezes|correu duas vezes|tinha expirado|passam (?:todos|agora))\b.*
    """,
    borders=(
        r"(?:[,;:] (?:e |mas |então |ou )?|[,.;]? (?:-|–|—) )(?=(?:mas|porque|então|eu|meu|minha|o|a|os|as|nosso|nossa|tira|caso|que me|qual|como|onde|podes?|pode|ajudas|quase|já|vou|não mexas|não me|não sei|ignora|aviões|obrigad|depois|é|são|tenho|estou|sou|segundo|faltava|agora|por favor)\b)"
        r"| (?:e|mas) (?=(?:meu|minha|o|a|eu|não gosta|nosso|nossa|tenho|estou|os)\b)|; | porque (?=\w)| \((?=\w+ \w+)"
    ),
    subjects=r"\W*(?:(?:e|bom|ok|olá|oi|olha|bem|sim|não)[,!]? )*(?:eu|meu|minha|meus|minhas|nosso|nossa|o|a|os|as|tenho|sou|estou|moro|trabalho|me|nós|a gente|usamos|temos|moramos|chamo)\b",
    hedges=(
        r"\b(?:talvez|se calhar|quem sabe|poderia\w*|podia|se (?=(?:eu|você|tu|a gente|nós|o|a|os|as|não|for|fosse|houver|der|quiser|me|ele|ela|alguém|isso)\b)|oxalá|gostaria|gostava|queria|quero|queremos|penso|pensando|suponhamos|imagina|imagine|por exemplo|não sei|provavelmente|algum dia|um dia|deveria\w*|devia\w*|acho|tento|tentando"
        r"|antes (?:morava|trabalhava|usava)|pensamos|espero|será que|vamos supor|digamos)\b(?! (?:mudou|chama|mudaram)\b)"
    ),
    hearsay=r"\b(?:(?:diz|disse|dizem|garante|afirma|conta|comentou) que|segundo (?:o|a|ele|ela)|traduz|traduza|resume|resuma|poema|conto|história sobre|disseste|você disse|pergunta|o readme diz|reescreve|corrige este)\b",
    limits=r"\b(?:hoje|desta vez|dessa vez|esta (?:semana|tarde|noite|manhã)|só por|por (?:agora|enquanto|hoje)|neste momento|no momento|temporariamente|outra vez|de novo|depois$|no comboio|no ônibus)\b",
    changes=r"\b(?:agora|mudei|mudou|mudamos|já não|não .+ mais|finalmente|afinal|mudado|passamos|passou d[ao]?|em vez de|ao invés de|nov[oa]|vendi|saí|subiu|desceu|migramos|migrei|atualizado|adiad[oa]|desde (?:ontem|segunda|hoje)|correção)\b",
    losses=r"\b(?:em vez de|ao invés de|no lugar de|já não (?:uso|usamos|moro em)|(?<=, )não)(?: o| a| de)? (?P<old>(?-i:[A-Z])[\w.+#-]*|[\w.+#-]+(?=$|[,.;]))",
    handovers=r"\b(?:traduz|traduza|resume|resuma|corrige|corrija|reescreve|reescreva|revê|segue|aqui (?:está|vai)|seguinte|abaixo|e-?mail|log|logs|saída|artigo|texto|mensagem|diz|escreveu|erro|carta|rascunho|transcrição)\b",
    telling="o os as em na no nos nas do da dos das um uma para com isso este esta esse essa mais foi ser está estão fica ficou obrigado obrigada olá oi bom boa dia depois agora mesmo muito todo toda pra você ele ela eles nós antes quando onde qual de que se por mas ou chamo moro trabalho nunca sempre usamos sou tenho meu minha nosso prefiro odeio decidimos não também ainda você vocês à às ao pela pelo é uma rode neste gente",
    little="o a os as um uma uns umas meu minha nosso nossa nossos nossas de novo nova agora já também é são está em no na ao à às do da dia velho velha",
    joints="de do da dos das para em no na com por",
)
