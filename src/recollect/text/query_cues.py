"""Cues of questions: what a question asks for, by words and simple patterns.

They are weak hints, added with small weights: data by language, for words folded as `bare` folds
them; where a language is missing there are none.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from recollect.text.terms import STOP_WORDS, UNSPACED, bare

WHEN, NAME, ASSISTANT, NOW, FIRST_PERSON = "when", "name", "assistant", "now", "first person"
"""It asks for a time; for a person, place or thing by name; for what the assistant said; for how
something is now; the one who asks speaks of themselves."""

_WORD = re.compile(r"\w+")
_SINGLE = {
    NOW: """
        now nowadays currently still anymore
        aktuell aktuelle aktuellen aktueller derzeit heutzutage inzwischen jetzt mittlerweile
        momentan noch zurzeit
        agora ainda atualmente
    """,
    FIRST_PERSON: """
        i me my mine we us our ours
        ich mich mir mein meine meinem meinen meiner wir uns unser unsere unserem unseren unserer
        comigo connosco conosco eu meu meus minha minhas nos nossa nossas nosso nossos
    """,
}
"""Cues that one word is."""
_PHRASES = {
    WHEN: (
        r"\bwhen\b|\bhow (?:long|often|recently|soon)\b"
        r"|\b(?:what|which) (?:date|day|month|season|time|week|weekend|year)\b"
    ),
    NAME: r"\b(?:where|who|whom|whose|which)\b",
    NOW: (
        r"\b(?:these days|at the moment|any (?:more|longer)|nicht mehr|hoje em dia"
        r"|neste momento)\b"
    ),
}
_ADDRESS = """
    you your du dein deine deinen deiner voce tua tuas sua suas aconselhaste deste disseste
    explicaste falaste mencionaste recomendaste sugeriste
"""
_ADDRESSED = (
    r"\b(?:did|have|had) you\b"
    r"|\byou (?:\w+ )?(?:advised|explained|gave|mentioned|promised|proposed|recommended|said"
    r"|suggested|t(?:ell|old)|wrote)\b"
    r"|\byour (?:advice|answer|explanation|recommendation|reply|suggestion|tip)s?\b"
    r"|\b(?:hast|hattest) du\b"
    r"|\bdu\b.{0,60}?\b(?:empfohlen|erklart|erwahnt|genannt|geraten|gesagt|vorgeschlagen)\b"
    r"|\bdeine?[nr]? (?:antwort|empfehlung|erklarung|rat|tipp|vorschlag)"
    r"|\b(?:aconselhaste|deste|disseste|explicaste|falaste|mencionaste|recomendaste|sugeriste)\b"
    r"|\bvoce (?:me |ja )?(?:aconselhou|deu|disse|explicou|falou|mencionou|recomendou|sugeriu)\b"
    r"|\b[ts]uas? (?:dica|explicacao|recomendacao|resposta|sugestao)"
)
"""How the assistant is asked for what it said; looked for where a word of `_ADDRESS` is."""
_UNSPACED_CUES = {
    ASSISTANT: (
        r"[你您](?:之前|上次|曾经|曾經|曾|刚才|剛才)?(?:说|說|建议|建議|推荐|推薦|提到|告诉|告訴|讲|講)"
        r"|[你您]的(?:建议|建議|推荐|推薦|意见|意見|回答)"
    ),
    NOW: r"现在|現在|如今|目前|仍然|还[在是有能会]|還[在是有能會]|今[はもの]|まだ",
    FIRST_PERSON: r"[我咱私僕俺]",
}
_SINGLE_WORDS = {cue: frozenset(words.split()) for cue, words in _SINGLE.items()}
_PATTERNS = {cue: re.compile(pattern) for cue, pattern in _PHRASES.items()}
_ADDRESS_WORDS, _TO_ASSISTANT = frozenset(_ADDRESS.split()), re.compile(_ADDRESSED)

_MARKS = ".,;:!?()\"'¿¡…«»„“”"
_LEAST = 2
"""So many function words of a language make a question one in it, if English has fewer."""
_GERMAN = """
    aber als also am an auch auf aus bei beim bin bis bist da damit dann das dass davon dazu dein
    deine dem den denn der des dich die dies diese diesem diesen dieser dir doch du durch ein eine
    einem einen einer eines er es etwas euch euer fur gab gegen gibt habe haben hast hat hatte
    hatten heissen heisst ich ihm ihn ihr ihre im immer in ins ist ja jetzt kann kein keine machen
    macht mal man mehr mein meine meinem meinen meiner mich mir mit muss nach nicht noch nun nur ob
    oder ohne schon sein seine sich sie sind so uber um und uns unser unsere unserem unseren unserer
    unter viel viele vom von vor wann war waren warum was weil welche welchem welchen welcher
    welches wem wen wenn wer werden wie wieviel will wir wird wo woher wohin wurde wurden zu zum zur
"""
_PORTUGUESE = """
    a agora ainda ao aos aquela aquele aquilo as ate chama com como da das de dela dele depois do
    dos e ela elas ele eles em entre era essa esse esta estao estava este eu faz fez fica foi foram
    ha isso isto ja lhe mais mas me meu meus mim minha minhas na nas nem no nos nossa nosso num
    numa o onde os ou para pela pelo por porque qual quais quando quanta quantas quanto quantos que
    quem sao se sem ser seu sobre sua so tambem te tem temos tenho ter teu tinha tu tua um uma vai
    voce vou
"""
_SPACED = tuple(frozenset(words.split()) for words in (_GERMAN, _PORTUGUESE))
_CHINESE = (
    "为什么|為什麼|什么时候|什麼時候|怎么样|怎麼樣|[怎什][么麼]|多少|多久|哪[里裡儿家个個天些]|现在|現在|目前"
    "|[我你您他她它咱][们們]?|[这這那][个個]|星期[几幾]|[几幾][点點]|[的了吗嗎呢吧啊谁誰几幾哪是在]"
)


def read_question(question: str) -> tuple[frozenset[str], str]:
    """Return the cues of a question, and it without the function words of its language.

    English ones stay: `STOP_WORDS` are left out of every text. The others are left out of questions
    alone, and only of those in their language: "die" and "war" are words of English too. No index
    depends on them.

    >>> read_question("Was war gestern mit der Waschmaschine?")[1]
    'gestern Waschmaschine?'
    """
    folded = bare(question)
    cues = frozenset(_cues(folded))
    content = question if question.isascii() else _without_chinese(question)
    words = content.split()
    folded = folded if content is question else bare(content)
    names = [name.strip(_MARKS) for name in folded.split()]
    counts = [sum(name in language for name in names) for language in _SPACED]
    count = max(counts)
    is_english = count <= sum(name in STOP_WORDS for name in names)
    if count < _LEAST or is_english or len(names) != len(words):
        return cues, content
    language = _SPACED[counts.index(count)]
    return cues, " ".join(w for w, name in zip(words, names, strict=True) if name not in language)


def _cues(folded: str) -> Iterator[str]:
    words = set(_WORD.findall(folded))
    yield from (cue for cue, known in _SINGLE_WORDS.items() if not known.isdisjoint(words))
    yield from (cue for cue, pattern in _PATTERNS.items() if pattern.search(folded))
    if not _ADDRESS_WORDS.isdisjoint(words) and _TO_ASSISTANT.search(folded):
        yield ASSISTANT
    if not folded.isascii():
        yield from (cue for cue, signs in _UNSPACED_CUES.items() if re.search(signs, folded))


def _without_chinese(question: str) -> str:
    """Return a question without the function words of Chinese, unless it is Japanese."""
    unspaced, kana, functional = _unspaced()
    if kana.search(question) or not unspaced.search(question):
        return question
    return functional.sub(" ", question)


@functools.cache  # compiled for the first question that is not ASCII
def _unspaced() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return re.compile(f"[{UNSPACED}]"), re.compile(r"[\u3040-\u30ff]"), re.compile(_CHINESE)
