"""Words of many languages that name a secret in speech, tie a value to it, or tell of none."""

from __future__ import annotations

STEMS = tuple(
    "pass pw kennwort clave senha parol wachtwoord contrase sifre şifre hasł lösenord adgangskode"
    " пароль паролем 密码 密碼 口令 パスワード 비밀번호 비번 암호 パス"
    " 合言葉 mdp salasana heslo jelsz κωδικ passord المرور סיסמ पासवर्ड khẩu sandi รหัสผ่าน adgangsord"
    " clé chave chiave schlüssel キー 密钥 金鑰 키 maiden mädchenname codewo safeword wifi wi-fi"
    " wlan wpa kodeord رمز"
    " ssid".split()
)
"""One of them begins each name of a password; folded to lower case."""
NUMBER_STEMS = tuple(
    "pin puk code codice código codigo kod otp 2fa mfa mtan combina kombina combo geheimzahl"
    " geheimnummer passcode пин 暗証番号 验证码 驗證碼 認証コード"
    " 인증번호 도어락 현관 핀 код alarmanlage".split()
)
"""One of them begins each name of a code."""
PASSWORD = (
    r"(?:pass(?:word|wd|code|wort|e| ?phrase)|pass(?= (?:for|to) (?:the|my|our) )|pwd?"
    r"|(?<=code )wi-?fi|kennwort|senha|parol[ae]n?|wachtwoord|codewor[dt]"
    r"|clé (?:d'|de l'|)?api|chave (?:da |de )?api|chiave (?:dell')?api|(?<=api)(?:キー|密钥|金鑰"
    r"|키)"
    r"|(?<=api )(?:キー|密钥|金鑰|키)|(?<=api-)schlüssel"
    r"|clave(?! (?:primaria|for[aá]nea|[uú]nica|ajena|p[uú]blica|candidata|compuesta))|safeword"
    r"|(?:wi-?fi|wlan|wpa[23]?)(?: |-| network )?(?:code|key|schlüssel|pass|pw)"
    r"|contrase[ñn]a|[sş]ifre(?:si|niz|m|n)?|hasł[oa]|lösenord(?:et)?|adgangskoden?"
    r"|kodeord(?:et)?|парол(?:ь|ем)"
    r"|mdp|salasana|hesl[oa]|jelszó|κωδικός|passord(?:et)?|المرور|رمز(?: عبور)?"
    r"|סיסמה|पासवर्ड|khẩu|sandi|รหัสผ่าน"
    r"|密码|密碼|口令|パスワード|パス(?=[は:：])|合言葉|비밀번호|비번|암호)(?:'s(?![a-z]))?(?![a-zа-яё0-9_=])"
)
_OF_CODE = (
    r"(?:door|gate|alarm|safe|access|security|verification|entry|lock|login|sign-in|one-time|2fa"
    r"|mfa|sms|unlock|garage|confirmation|keypad|authentication|auth|digit|building|lobby|elevator"
    r"|lift|locker|house|pairing|pick-?up|voicemail|entrance|shed|pool|parking|vault|disarm|arming|panel"
    r"|key ?box|lockbox|locker|invite|invitation|gift|gift card|voucher)[ -]$"
    r"|schließfach \d{1,4}, $"
)
_YOURS = (
    r"(?:your|dein|ihr|tu|su|votre|ton|seu|il tuo|twój|ваш)[ ](?:[^\W\d_][\w-]{0,14}[ -]){0,3}"
    r"(?:[^\W\d_]{0,20}-)?$"
)
CODE_BEFORE = (
    rf"{_OF_CODE}|{_YOURS}"
    r"|(?:tür|haustür|sicherheits|bestätigungs|zugangs|digi|alarm|tor|pin|safe|abhol|schloss)-?$"
)
_ABOUT = (
    r"(?:vérif|verif|sécur|segur|sicur|allarm|alarm|port[oóaãe]|puerta|acc?es|accès|confirm|conferm"
    r"|autoryz|weryf|подтв|домоф|двери|do drzwi|onay|doğrul|carte|tarjeta|cart[ãa]o|bancaire"
    r"|coffre|cadenas|immeuble|garaj|garag|caja|cofre|candado|cassaforte|cancel|bici|vélo|portail|entr[ée]"
    r"|puert|portón|entrata)"
)
_LOCKED = (
    r"(?:door|gate|garage|alarm|safe|keypad|lock|building|house|flat|apartment|lobby|locker|shed"
    r"|suitcase|phone|tablet|bike|vault|elevator|gym|airbnb|tür|tor|haus|tresor|garage|alarmanlage"
    r"|koffer|fahrrad|schloss|eingang)"
)
CODE_AFTER = (
    rf" (?:(?:d[eioau]l?|de la|de|da|от|для) |de l'|dell'|d')?{_ABOUT}"
    rf"| (?:for|of|to|on|fürs?|zu|vom|von|zur|zum|am|des|der)[ ](?:[^\W\d_]{{2,15}}[ -]){{0,3}}"
    rf"[^\W\d_]{{0,12}}{_LOCKED}"
)
NUMBER = (
    r"(?:(?:pin(?:-?code|-?nummer)?|puk\d?|otp|2fa|mfa|mtan|geheimzahl|geheimnummer|passcode|пин(?:-?код)?|code|codice|c[óo]digo|kod|код"
    r"|[ck]ombina(?:tion|ción|ção|zione|ison)|combo)(?:[ -]code)?"
    r"(?:'s(?![a-z]))?(?![a-zа-яё0-9_])|暗証番号|验证码|驗證碼|認証コード|인증번호"
    r"|(?:도어락|현관|핀) ?번호|alarmanlage(?=:))"
)
NOT_OF_PIN = r"(?:led|sensor|gpio|header|board|reset|cs|data|clock|motor|servo|rx|tx)[ _-]$"
ANSWER = (
    r"(?:(?:security|secret) (?:question[^\n]{0,60}?answer|answer)|answer to the (?:security"
    r"|secret) question"
    r"|maiden name[^\n.]{0,40}?|sicherheitsfrage[^\n]{0,60}?antwort|mädchenname[^\n.]{0,30}?)"
    r"(?: (?:is|was|ist|war)|:| =)[ ]"
)
DIGITS = (
    r"(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs"
    r"|sieben|acht|neun|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)(?:[ ,-]{1,2}"
    r"|(?=\W|$))){4,8}"
)
SIGN = (
    r"[ \t]{0,3}(?::|：|->|→|=>|–|—|(?<=[ ])[=-](?=[ ]))(?:[ \t]{0,3}(?:\r?\n){1,2})?[ \t]{0,8}"
    r"|[ ]?[\[(【](?=\d{4,8}[\])】])"
)
COPULA = (
    r"(?:(?:[ ]|(?<='s)(?=[ ]))(?:(?:is|was|will be|would be|should be|(?:changed|set|reset) to|ist"
    r"|lautet|heißt|heisst|reads|goes"
    r"|stays|remains|bleibt|continua|sigue siendo|reste"
    r"|war|est|c'est|es|é|è|to|jest|это|wordt|är|er|on|je|là|adalah|है|היא|هي"
    r"|είναι)(?:[ ](?:vanaf \w{1,12}|now|still|currently|noch"
    r"|jetzt|seit \w{1,12}|ahora|toujours|ancora|nog|bisher|immer|always|simply|just|einfach))?"
    r"|(?:(?<='s)[ ](?:still|now|just|currently|always))?)"
    r"[ ]:?[ ]?|[是为為は는은][ ]?|(?:改成了?|设为|設為)[ ]?)"
)
BETWEEN = r"""[^.!?:;=\n"“„«`→(<>{}|\0]"""
STOP = frozenset(
    (
        "a an the my our your his her its their this that these those it he she we they you i me"
        " not no yes never always only also just still too very so as at by for from in into of off"
        " on onto out over to up with without within until than then there here when where what"
        " which who why how if or and but because be been being am are is was were will would can"
        " could may might must shall should do does did has have had one two any some all each both"
        " required wrong invalid incorrect expired missing empty optional weak strong short long"
        " correct valid known unknown safe secure unsafe insecure secret private public hidden"
        " visible plain plaintext encrypted hashed stored saved kept reset changed unchanged"
        " rejected accepted refused denied needed used unused available unavailable set unset null"
        " none true false ok okay fine good bad old new same different default temporary permanent"
        " disabled enabled locked blocked case sensitive masked redacted part taken given sent"
        " returned printed logged leaked exposed compromised rotated generated random unique"
        " shared protected written removed deleted about after before between during under via"
        " string text number integer boolean object value field argument parameter variable input"
        " output user username admin name email file path url header body query form login logout"
        " password passwort kennwort token key code pin passphrase credentials please thanks thank"
        " sorry sure done sign something nothing anything everything enough again gone probably"
        " maybe perhaps asked called being made required. longer shorter stronger weaker"
        " der die das ein eine einen dem den des im am um zu zum zur mit ohne von vom für auf aus"
        " bei nach und oder aber nicht kein keine nur auch noch schon sehr ist sind war wird werden"
        " muss müssen kann soll darf falsch richtig ungültig abgelaufen leer vergessen geändert"
        " geheim erforderlich dein deine mein meine ihr ihre sie ich du er wir es hier dort wenn"
        " le la les un une du de des et ou mais pas ne au aux en dans sur sous pour par avec sans"
        " est sont doit être incorrect invalide expiré oublié obligatoire requis tout toute c'est"
        " el los las uno una y o pero con sin por para del al en sobre es son debe incorrecta"
        " inválida caducada obligatoria olvidada muy más que se su tu mi como"
        " os um uma e mas com sem por para do da no na em sobre deve incorreta inválida expirada"
        " expira obrigatória muito mais seu sua"
        " il lo gli i uno e ma con senza per di del della in su è sono deve errata scaduta non"
        " obbligatoria più quella questa"
        " het een en of maar met zonder voor van op in uit naar niet geen moet verlopen onjuist"
        " krijgt per w na do z ze bez dla jest są musi nie tylko wymagane"
        " не для и или но на в с из от должен неверный неверен это"
        " requerida requerido obligatorio pflichtfeld pflicht medium strict lax yesterday today"
        " tomorrow heute gestern morgen later soon twice once forgotten account number service"
        " ve veya ama için ile çok yanlış gerekli"
    ).split()
)
"""Words that continue a sentence about passwords; a password of one word is not among them."""
