"""Words that tell nothing of what is looked for, in the languages that `terms` does not know.

`terms` leaves out those of English. For Spanish, Portuguese, Arabic, Korean, Japanese and Chinese
they stay in the index, because a word of one language may be a name in another; but where every
word of a question is looked for by itself, they are left out of the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from recollect.text.terms import query_terms, terms

_SPACED = """
    el la los las un una unos unas de del al y o que en es por con para se no lo le su sus mi mis tu
    tus yo ella ellos nosotros esto esta este eso esa ese está están son fue era ser estar hay como
    cuando donde dónde qué quién cuál cuándo cómo pero más muy ya también sobre entre sin hasta
    os as um uma uns umas do da dos das no na nos nas ao aos e ou em por com para não é foi eram são
    está estão ser ter tem isso isto este esta esse essa eu ele ela eles nós você seu sua meu minha
    quando onde como porque qual quem mas mais muito já também sobre entre sem até
    من في على إلى عن مع هو هي هم أنا نحن أنت هذا هذه ذلك تلك التي الذي كان كانت يكون ما ماذا متى أين
    كيف لماذا هل لا لم لن قد أو و ثم أن إن كل بعض
"""
_UNSPACED = """
    것 거 등 수 때 곳 에서 에게 으로 까지 부터 처럼 보다 이나 그리고 하지만 그래서 무엇 언제 어디
    어떻게 왜 누가 우리 저는 나는 이것 그것 저것 있는 없는 했던 하는 한다 합니다 입니다 어제 오늘
    する した して です ます でし した こと もの ため から まで より など これ それ あれ この その
    どこ いつ なに どう なぜ だれ ある いる ない
    的 了 是 在 和 与 或 我 你 他 她 它 们 我们 你们 他们 这 那 这个 那个 什么 怎么 哪里 哪个 为什么
    吗 呢 吧 啊 就 也 都 很 到 把 被 给 让 从 有 没有 不 会 要 能 可以
"""


def telling(words: Sequence[str]) -> list[str]:
    """Return those of ``words``, as `terms` makes them, that tell something; all when none does.

    >>> telling(["la", "configuracion"])
    ['configuracion']
    """
    return [word for word in words if word not in _needless()] or list(words)


@cache
def _needless() -> frozenset[str]:
    spaced = [term for word in _SPACED.split() for term in terms(word)]
    unspaced = [term for word in _UNSPACED.split() for term in query_terms(word)]
    return frozenset(spaced + unspaced)
