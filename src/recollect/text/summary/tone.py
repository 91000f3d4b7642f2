"""The emotional tone of what people say: whether they are pleased, worried or annoyed.

Counted by words of several languages, without a model; most talk has none. Words are whole words in
small letters, or parts of a run of characters in languages that write no spaces.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from typing import Literal, TypeAlias

from recollect.text.terms import bare

Tone: TypeAlias = Literal["neutral", "pleased", "annoyed", "worried", "mixed"]

_SPACED: dict[Tone, str] = {
    "pleased": (
        "thanks thank thankful great perfect awesome love lovely excellent brilliant amazing happy"
        " glad wonderful nice yay hooray danke super toll klasse prima perfekt freue froh merci"
        " parfait genial formidable content gracias perfecto genial encanta estupendo feliz"
        " obrigado obrigada perfeito otimo adorei contente"
        " спасибо отлично супер шукрон شكرا رائع ممتاز"
    ),
    "annoyed": (
        "annoying annoyed frustrated frustrating angry hate terrible horrible useless ridiculous"
        " wtf damn ugh awful nervt genervt frustriert furchtbar schrecklich mist"
        " verdammt wutend enerve enervant agace marre horrible nul frustrado frustrante molesto"
        " harto odio fatal irritado chateado pessimo ужасно бесит злюсь محبط مزعج غاضب"
    ),
    "worried": (
        "worried worry worrying afraid scared anxious nervous stressed overwhelmed concerned sad"
        " upset sorge sorgen angst besorgt nervos gestresst traurig inquiet inquiete peur stresse"
        " anxieux triste preocupado preocupada miedo nervioso ansioso estresado medo"
        " ansiosa волнуюсь боюсь тревожно грустно قلق خائف حزين"
    ),
}
_UNSPACED: dict[Tone, str] = {
    "pleased": (
        "谢谢|太好了|太棒了|完美|开心|ありがとう|最高|嬉しい|助かりました|감사|고마워|좋아요|완벽"
    ),
    "annoyed": "烦死|气死|讨厌|糟糕透|むかつく|イライラ|最悪|짜증|화나|최악",
    "worried": "担心|害怕|焦虑|难过|心配|不安|怖い|悲しい|걱정|불안|무서워|슬퍼",
}
_NEGATED = r"(?<!not )(?<!n't )(?<!no )(?<!nicht )(?<!pas )"


def prevailing(tones: Counter[Tone]) -> Tone:
    """Return the tone that most messages with one have; ``mixed`` where two are about as frequent.

    >>> prevailing(Counter(tones_in("Perfect, thank you!"))), prevailing(Counter())
    ('pleased', 'neutral')
    """
    ranked = tones.most_common(2)
    if not ranked:
        return "neutral"
    is_close = len(ranked) > 1 and 2 * ranked[1][1] > ranked[0][1]
    return "mixed" if is_close else ranked[0][0]


def tones_in(message: str) -> list[Tone]:
    """Return the tones of one message, each once."""
    folded = bare(message)
    return [tone for tone, pattern in _patterns().items() if pattern.search(folded)]


@functools.cache
def _patterns() -> dict[Tone, re.Pattern[str]]:
    return {
        tone: re.compile(
            rf"{_NEGATED}(?<!\w)(?:{'|'.join(map(re.escape, words.split()))})(?!\w)"
            rf"|{_UNSPACED[tone]}"
        )
        for tone, words in _SPACED.items()
    }
