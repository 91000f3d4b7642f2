"""Secrets that people tell each other, in several languages."""

from __future__ import annotations

import pytest

from recollect.text.redaction import redact


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("the wifi password at the cabin is ", "moosetracks88", ", behind the fridge"),
        ("Das WLAN-Passwort im Büro lautet ", "Kaffeepause!12", ", bitte"),
        ("La contraseña del correo es ", "Naranja*2022", ", cámbiala"),
        ("A senha do Wi-Fi é ", "pasteldenata3", ", tudo minúsculo"),
        ("La password nuova è ", "GelatoPistacchio1", ", quella vecchia non va"),
        ("Le mot de passe du wifi c'est ", "croissant-au-beurre", " avec les tirets"),
        ("Het wachtwoord van de NAS is ", "stroopwafel_020", ", groetjes!"),
        ("Hasło do wifi to ", "pierogi.ruskie", " — małymi literami"),
        ("Пароль от вайфая: ", "samovar2020", ""),
        ("Wi-Fiのパスワードは", "sakura-0401", " です。"),
        ("oye la clave del wifi: ", "vivalafiesta", ""),
        ("", "bluegiraffe", " is the pw for the shared drive"),
        ('Please use "', "open sesame now", '" as the passphrase'),
        ("Alarm code is ", "4471", " and then the green key"),
        ("Il codice dell'allarme: ", "5937", ""),
        ("Your voicemail PIN has been reset to ", "5520", ". Dial 121."),
        ("PIN ", "4402", " of the card"),
        ("remember that my phone unlocks with ", "150987", " in case"),
        ("No, with a capital S: ", "Sunflower-31", ". The password was wrong."),
        ("Creds for the staging box - root / ", "stagecoach_7", ""),
        ("Jo: which password does it have?\nMia: ", "schnitzel", "\nJo: thanks"),
        ("What's the root password again?\n", "Girasol-1987", ""),
        ("The password (for the VPN) is ", "sunnyday12", "."),
        ("the password, if you need it, is ", "sunnyday12", ""),
        ("password's still ", "sunnyday12", ""),
        ("a senha continua ", "solzinho12", ""),
        ("Password for Anna's account = ", "sunnyday12", ""),
        ("entra con maria y ", "soleado12", ""),
        ("The credentials are admin and ", "tulipfield3", "."),
        ("Use admin:", "tulipfield3", " to get in."),
        ("ana: what's the db password? bob: ", "Qw7vLm2Zx9", ""),
        ("Gmail app password: ", "qwzx hjkl vbnm tyui", ""),
        ("my secret answer is ", "Biscuit the dog", ""),
        ("WLAN-Schlüssel: ", "8842-9173-6554-0918-1122", ""),
        ("code wifi : ", "soleil12", ""),
        ("kodeord: ", "appelsin88", ""),
        ("o código do portão é ", "5528", ""),
        ("도어락 번호는 ", "5528", ""),
        ("bike lock combo ", "7391", ""),
        ("The code for the gate is ", "19#44", "."),
        ("Type ", "8841", " on the keypad."),
        ("Ola: the door code?\nKari: ", "2004", "\nOla: thanks"),
    ],
)
def test_a_secret_that_is_told_is_found(before: str, secret: str, after: str) -> None:
    """And nothing around it."""
    redacted = redact(before + secret + after)
    (finding,) = redacted.findings
    assert redacted.text == before + finding.mark + after


@pytest.mark.parametrize(
    "text",
    [
        "The password is stored as a hash, see section 12.",
        "The password, which we changed, is fine.",
        "The password (of the owner) is required.",
        "It needs the scope admin:public_key or admin:gpg_key.",
        "Press 12 to confirm, or use 300 to reset the level.",
        "The password that must have some letters is long",
        "wpa-psk encryption",
        "The password policy requires at least 12 characters.",
        "the password is case-sensitive and base64-encoded",
        "Password: must be between 8 and 64 characters",
        "Password is required.",
        "Das Passwort ist falsch.",
        "Le code postal de Lyon est 69001.",
        "Error code: 0x80070005, please contact your administrator.",
        "PIN header 2x20, pin 13 drives the LED",
        "Is the wifi password still the same as last year?",
        "user: what's my password?\nassistant: I don't have access to your passwords.",
        "agent: What is the passphrase?\nuser: I'd rather set it in the .env file",
        "Use discount code SUMMER25 at checkout.",
        'password: "must be long enough"',
        "[sudo] password for jo:\nSorry, try again.",
    ],
)
def test_sentences_about_secrets_stay(text: str) -> None:
    """People talk about passwords more often than they tell them."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("before", "code", "after"),
    [
        ("", "134915", " is your Amazon OTP. Do not share it."),
        ("Your one-time code is ", "551902", "."),
        ("Use ", "551902", " to sign in to your account."),
        ("", "G-730158", " is your Google verification code."),
        ("验证码", "885568", ",您正在登录"),
        ("인증번호 ", "164380", " 를 입력하세요."),
        ("認証コード：", "912745", "（有効期限5分）"),
        ("Votre code de confirmation est le ", "55 81 07", ". Il expire."),
        ("Tu código de WhatsApp: ", "613-902", "\nNo lo compartas"),
    ],
)
def test_a_code_that_was_sent_is_found(before: str, code: str, after: str) -> None:
    """As services word it in messages."""
    (finding,) = redact(before + code + after).findings
    assert (finding.start, finding.length) == (len(before), len(code))


@pytest.mark.parametrize(
    "text", ["area code: 555 123", "exit code: 404 300", "code123456 x", "404 is the status code"]
)
def test_a_code_that_nobody_logs_in_with_stays(text: str) -> None:
    """Of an area, of an error."""
    assert redact(text).text == text
