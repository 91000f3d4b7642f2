"""What an import taught: rules, decisions, people, open ends, and questions that find something."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from recollect.cli.output.screen import one_line, show

if TYPE_CHECKING:  # for a name only
    from recollect.knowledge.fact import Fact
    from recollect.memory import Memory

HEADINGS = {
    "rule": "rules",
    "decision": "decisions",
    "relationship": "about people",
    "open_end": "open ends",
}
"""Kind of facts -> its heading. How many there are stands in the line of what is now known."""
MOST_SHOWN = 3
MOST_QUESTIONS = 3
_MOST_TRIED = 12
_MOST_WORDS = 3
_MOST_SIGNS = 12
_SURE = 0.3
"""Of a question that is worth trying; below it `recollect search` is in doubt."""
_ASKED = {
    "en": {
        "rule": "what did I say about {}?",
        "decision": "what did we decide about {}?",
        "open_end": "what is still open about {}?",
        "": "what do you know about {}?",
    },
    "de": {
        "rule": "was habe ich zu {} gesagt?",
        "decision": "was haben wir zu {} entschieden?",
        "open_end": "was ist bei {} noch offen?",
        "": "was weißt du über {}?",
    },
    "zh": {
        "rule": "关于{}我说过什么？",
        "decision": "关于{}我们决定了什么？",
        "open_end": "关于{}还有什么没做完？",
        "": "关于{}你知道什么？",
    },
}
"""Language -> kind of facts -> how one asks for it; in any other language the words alone."""
_WORD = re.compile(r"[^\W_][\w'’.-]*[^\W_]|[^\W_]")
_SIGNS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """What is new.

    Attributes:
        facts: By kind, at most 100 of each; only the kinds of `HEADINGS` that there are.
        questions: Each was asked, and found something.
    """

    facts: Mapping[str, Sequence[Fact]]
    questions: Sequence[str]


def learned_since(memory: Memory, since: int) -> Learned:
    """Return what was learned since a time, ms UTC; asks the memory to choose the questions."""
    from recollect.recall.steps.session_titles import title_of

    facts = {}
    for kind in HEADINGS:
        listed = memory.facts.list(kind=kind)
        if new := [fact for fact in listed if fact.created_at >= since]:
            facts[kind] = new
    others = [fact for fact in memory.facts.list(limit=_MOST_TRIED) if fact.created_at >= since]
    statements = [(fact.kind, fact.text) for fact in (*_in_turn(facts), *others)]
    statements += [("", title_of(memory.sessions, each)) for each in memory.sessions.list(limit=5)]
    return Learned(facts=facts, questions=_questions(memory, statements[:_MOST_TRIED]))


def show_learned(learned: Learned) -> None:
    """Print it, a few lines of each kind; nothing where nothing was learned."""
    for kind, facts in learned.facts.items():
        show((HEADINGS[kind], "bold"))
        for fact in facts[:MOST_SHOWN]:
            show((f"  {one_line(fact.text)}", ""))
        if len(facts) > MOST_SHOWN:
            show((f"  and more: recollect facts list --kind {kind}", "dim"))


def _in_turn(facts: Mapping[str, Sequence[Fact]]) -> Iterator[Fact]:
    """Yield the first of each kind, then the second of each."""
    for position in range(_MOST_TRIED):
        yield from (each[position] for each in facts.values() if position < len(each))


def _questions(memory: Memory, statements: Sequence[tuple[str, str]]) -> list[str]:
    questions: list[str] = []
    for kind, text in statements:
        ways = (way for way in _ways_to_ask(kind, text) if way not in questions)
        questions += islice(filter(_finds(memory), ways), 1)
        if len(questions) == MOST_QUESTIONS:
            break
    return questions


def _finds(memory: Memory) -> Callable[[str], bool]:
    def is_sure(question: str) -> bool:
        result = memory.search(question)
        return bool(result.hits) and result.confidence >= _SURE

    return is_sure


def _ways_to_ask(kind: str, text: str) -> list[str]:
    """Return a question, its words alone, and the statement itself."""
    ways = (question_for(kind, text), " ".join(_topic(text)), text.rstrip("…"))
    return [each for each in ways if each]


def question_for(kind: str, text: str) -> str | None:
    """Return a question for a statement, in its language; None where it has no telling word.

    >>> question_for("decision", "We decided to use Postgres instead of Redis.")
    'what did we decide about Postgres Redis?'
    """
    from recollect.text.statements.tongue import language_of

    about = " ".join(_topic(text))
    forms = _ASKED.get(language_of(text, text.lower().split()))
    if not about or forms is None:
        return about or None
    return forms.get(kind, forms[""]).format(about)


def _topic(text: str) -> list[str]:
    """Return the words of a text that tell most, in their order; of Chinese its first signs."""
    from recollect.text.keywords import telling
    from recollect.text.terms import query_terms

    content_terms = set(telling(query_terms(text)))
    plain = _SIGNS.sub(" ", text)
    words = [word for word in _WORD.findall(plain) if content_terms & set(query_terms(word))]
    if not words and (signs := _SIGNS.findall(text)):
        return [max(signs, key=len)[:_MOST_SIGNS]]
    names = [word for word in words[1:] if word[0].isupper() or any(map(str.isdigit, word))]
    best = names or sorted(words, key=len, reverse=True)
    topic = set(best[:_MOST_WORDS])
    return list(dict.fromkeys(word for word in words if word in topic))
