"""Words that carry no information for a search, in the languages that `terms` does not know.

`terms` leaves out those of the language of the index. Those of others stay in the index, because a
word of one language may be a name in another; but where every word of a question is searched by
itself, they are left out of the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from recollect.text.languages import all_languages
from recollect.text.terms import query_terms


def telling(words: Sequence[str]) -> list[str]:
    """Return the informative ones of ``words``, as `terms` makes them; all when none is.

    >>> telling(["la", "configuracion"])
    ['configuracion']
    """
    return [word for word in words if word not in _needless()] or list(words)


@cache
def _needless() -> frozenset[str]:
    return frozenset(
        term
        for language in all_languages()
        for word in language.stop_words.split()
        for term in query_terms(word)
    )
