"""What a sentence states: something that must last, a decision, an open point, a failure.

Found by words of six languages and by the shape of names, numbers and paths; no model. The text is
data: nothing in it is followed. Knows nothing of conversations beyond who speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.text.boundaries import good_cut

LONGEST = 320
"""Characters of a statement; what is longer is taken in pieces of at most that."""
_WHOLE = 200
"""A one-line text of at most this length stays whole: its sentences explain each other."""
_SENTENCE = re.compile(r"(?:(?<!\b\w)[.!?…][\"'”’)\]]{0,3}(?=\s)|[。！？][」』”’]{0,3})")


# Patterns of so many words take 4 ms to compile: they are for the first statement.
def _words(*languages: str) -> str:
    return rf"(?i:(?<!\w)(?:{'|'.join(languages)})(?!\w))"


def _signs(*languages: str) -> str:
    return "|".join(languages)


_LASTING = _words(
    r"remember|(?:don'?t|do not|never) forget|keep in mind|note that|important(?:ly)?|crucial|must"
    r"|mustn'?t|never|always|from now on|make sure|prefer(?:s|red|ence|ences)?|deadlines?"
    r"|due (?:on|by|date)|allerg(?:y|ic|ies)|birthday|anniversary|call me|i live|i work|i hate"
    r"|i like|i love|i dislike|rule|required|requirement"
    r"|only use|my name|(?:my|our) \w+(?:['’]s \w+)?(?: \w+)? (?:is|are)",
    r"merke?n?(?: dir| sie sich)?|vergiss nicht|vergessen sie nicht|denke? daran|wichtig\w*|muss"
    r"|müssen|darf nicht|nie|niemals|immer|ab jetzt|bevorzug\w+|frist|fällig|geburtstag"
    r"|allergi\w+|ich heiße|mein name|nenn mich|ich wohne|ich arbeite",
    r"recuerda|no olvides|importante|debe|debes|debemos|deben|nunca|siempre|a partir de ahora"
    r"|prefier\w+|fecha límite|plazo|cumpleaños|alérgic\w|me llamo|mi nombre|vivo en|trabajo en",
    r"souviens-toi|rappelle-toi|n['’]oublie[zs]? pas|importante?s?|doi[ts]|devons|jamais|toujours"
    r"|désormais|préfère|échéance|date limite|anniversaire|allergique|je m['’]appelle|mon nom"
    r"|j['’]habite|je travaille",
)
_LASTING_SIGNS = _signs(
    "记住|记得|記得|别忘|別忘|重要|必须|必須|从不|從不|总是|總是|永远|偏好|喜欢|喜歡|截止|生日|过敏|過敏|我叫|我的名字|我住",
    "覚えて|忘れないで|必ず|ければならない|絶対|決して|いつも|常に|好き|好み|締め切り|締切|期限|誕生日|アレルギー"
    "|名前は|と申します|住んで",
)
_DECIDED = _words(
    r"decided|decision|agreed|settled on|going with|go with|chose|chosen|concluded|conclusion"
    r"|approved|resolved|let'?s use|we(?:'ll| will) (?:use|keep|take|switch|go)|the plan is",
    r"entschieden|beschlossen|entscheidung|vereinbart|wir nehmen|abgemacht",
    r"decidi\w+|decisión|acordamos|acordado|elegimos",
    r"décidé\w*|décision|convenu|choisi",
)
_DECIDED_SIGNS = _signs("决定|決定|同意|商定", "決め|合意")
_OPEN = _words(
    r"todo|to do|open question|pending|next steps?|still (?:need|have|must)|waiting for"
    r"|unresolved|blocked|not yet|follow[- ]?up",
    r"offen\w*|noch nicht|nächste[rn]? schritte?|pendiente|próximos? pasos?|à faire|en attente",
)
_OPEN_SIGNS = _signs("待办|待定|下一步|未解决", "未定|次の|保留")
_FAILED = _words(
    r"errors?|fail(?:s|ed|ure|ures|ing)?|exceptions?|traceback|crash(?:ed|es)?|denied|timed out"
    r"|timeout|\w+(?:Error|Exception)",
    r"fehler|fehlgeschlagen|errores|fallo|falló|erreurs?|échec|échoué",
)
_FAILED_SIGNS = _signs("错误|失败|錯誤|失敗", "エラー")
_SPECIFIC = re.compile(
    r"https?://\S+|[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,}|`[^`\n]{1,80}`"
    r"|(?<![\w/])[~.]{0,2}/?(?:[\w.-]{1,64}/){1,20}[\w.-]*|\b[\w-]{1,64}\.[a-z]{1,5}\b"
    r"|\b[A-Za-z][\w-]{0,40}-\d+\b|\b[0-9a-f]{7,40}\b|\d[\d.,:/-]*"
)
_MAYBE_SPECIFIC = re.compile(r"[\d/@`]|\w\.\w")
"""In every specific; most statements have none, and this is found ten times as fast."""
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][a-z]+")
_ASKS = ("?", "？")
_ENDS = ".!?…:;。！？"

IMPORTANT = 5.0
"""A statement with this weight or more is one that its speaker meant to last."""
_WEIGHTS = {"user": 1.0, "assistant": 0.6, "system": 0.4, "tool": 0.3}
"""What people say counts most: a tool prints "must" and "error" on every page of its output."""


def statements(text: str) -> Iterable[str]:
    """Yield what a text states, in its order, each on one line of at most `LONGEST` characters.

    A short text is one statement, a longer one its sentences; a longer sentence its pieces.
    """
    for line in _lines(text):
        if len(line) <= _WHOLE:
            yield line
        else:
            for sentence in _sentences(line):
                yield from _pieces(sentence)


def weigh(statement: str, role: str = "user") -> float:
    """Return how much a statement matters, from 0; `IMPORTANT` and more is meant to last.

    >>> weigh("Remember: never deploy on Fridays.") >= IMPORTANT > weigh("Sounds good, thanks.")
    True
    """
    share = _WEIGHTS.get(role, 1.0)
    asks = statement.endswith(_ASKS)
    value = min(1.0, len(statement) / 80)
    if not asks and _has(statement, _LASTING, _LASTING_SIGNS):
        value += 6.0
    if not asks and _has(statement, _DECIDED, _DECIDED_SIGNS):
        value += 4.0
    if asks or _has(statement, _OPEN, _OPEN_SIGNS):
        value += 1.5
    if _has(statement, _FAILED, _FAILED_SIGNS):
        value += 2.0
    found = len(_specifics(statement)) + len(_NAME.findall(statement))
    return share * (value + min(2.0, 0.5 * found))


def must_last(statement: str) -> bool:
    """Return whether a person who says this wants it kept: no question, no small talk."""
    return not statement.endswith(_ASKS) and (
        _has(statement, _LASTING, _LASTING_SIGNS) or _has(statement, _DECIDED, _DECIDED_SIGNS)
    )


def is_decision(statement: str) -> bool:
    """Return whether a statement tells of a decision.

    >>> is_decision("We decided to use Redis."), is_decision("Have we decided?")
    (True, False)
    """
    return not statement.endswith(_ASKS) and _has(statement, _DECIDED, _DECIDED_SIGNS)


def is_open_point(statement: str) -> bool:
    """Return whether a statement tells what is still to be done; a question is none.

    >>> is_open_point("Next step: sign it."), is_open_point("What is the next step?")
    (True, False)
    """
    return not statement.endswith(_ASKS) and _has(statement, _OPEN, _OPEN_SIGNS)


def specifics(statement: str) -> frozenset[str]:
    """Return the paths, ids, numbers and addresses in a statement, as they are written."""
    return frozenset(found.rstrip(".,:;") for found in _specifics(statement))


def _specifics(statement: str) -> list[str]:
    return _SPECIFIC.findall(statement) if _MAYBE_SPECIFIC.search(statement) else []


def _has(statement: str, words: str, signs: str) -> bool:
    if re.search(words, statement):
        return True
    return not statement.isascii() and re.search(signs, statement) is not None


def _lines(text: str) -> Iterable[str]:
    """Yield the lines of a text; one that was wrapped in the middle of a sentence is whole."""
    parts: list[str] = []
    for line in text.splitlines():
        flat = " ".join(line.split())
        if parts and not (flat[:1].islower() and parts[-1][-1] not in _ENDS):
            yield " ".join(parts)
            parts = []
        if flat:
            parts.append(flat)
    if parts:
        yield " ".join(parts)


def _sentences(text: str) -> Iterable[str]:
    start = 0
    for match in _SENTENCE.finditer(text):
        if sentence := text[start : match.end()].strip():
            yield sentence
        start = match.end()
    if rest := text[start:].strip():
        yield rest


def _pieces(sentence: str) -> Iterable[str]:
    start = 0
    while len(sentence) - start > LONGEST:
        stop = good_cut(sentence, start, start + LONGEST)
        yield sentence[start:stop].strip()
        start = stop
    yield sentence[start:].strip()
