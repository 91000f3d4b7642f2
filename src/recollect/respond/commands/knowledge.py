"""Commands on what is known: facts, and what the last prompt held of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.core.numbers import show_number
from recollect.knowledge.fact import Fact
from recollect.respond.commands.command import CommandCall, one_of_text, required
from recollect.respond.reply import PromptItem

_SHOWN = 20
"""Facts of an answer."""
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Of a record; other refs are paths and lines of memory files."""
_STATES = {"new": "Remembered", "known": "Known already", "replaced": "Remembered"}


def remember(call: CommandCall) -> str:
    """Remember a fact: the owner any, everybody else one about themselves."""
    words = required(call, "/remember I prefer tea")
    if call.speaker == "owner":
        outcome = call.parts.facts.remember(None, words, **call.behalf)
    else:
        outcome = call.parts.own_facts.remember(words, call.place)
    lines = [f"{_STATES[outcome.status]}: {_line(outcome.fact)}"]
    lines += [f"No longer: {_line(each)}" for each in outcome.replaced]
    return "\n".join(lines)


def forget(call: CommandCall) -> str:
    """Forget a fact: the owner any, everybody else one of their own."""
    name, facts = required(call, "/forget f12, or all of its words"), call.parts.facts
    if call.speaker == "owner":
        fact = facts.forget(facts.said(name, **call.behalf).id)
        number = show_number("fact", fact.number)
        return f"Forgotten: {_line(fact)}\n`recollect facts restore {number}` brings it back."
    return f"Forgotten: {_line(call.parts.own_facts.forget(name, call.place))}"


def list_facts(call: CommandCall) -> str:
    """List what is known, or what of it fits some words."""
    facts = call.parts.facts
    if call.words:
        matches = facts.search(None, call.words, _SHOWN, **call.behalf)
        listed_facts = [each.fact for each in matches]
    else:
        listed_facts = facts.list(limit=_SHOWN, **call.behalf)
    return _bullets(map(_line, listed_facts)) or "Nothing is known yet."


def show_context(call: CommandCall) -> str:
    """Show what of the memory the last answer was made from, and why."""
    items = call.parts.context_of(call.session.id)
    if not items:
        return "Nothing of the memory was in the last prompt here."
    words = _words_of(call, items)
    lines = [f"The prompt of the last answer held, in {sum(i.tokens for i in items):,} tokens:"]
    return "\n".join([*lines, _bullets(_item_line(each, words) for each in items)])


def _words_of(call: CommandCall, items: Iterable[PromptItem]) -> dict[str, str]:
    """Return how the records of items are shown, by their ids: number and text."""
    refs = [each.ref for each in items if _ID.fullmatch(each.ref)]
    if not refs:
        return {}
    return {
        each.record.id: f"{each.name} “{one_of_text(_text(each.record), 80)}”"
        for each in call.parts.details(refs, None, **call.behalf).found
    }


def _text(record: object) -> str:
    return getattr(record, "text", None) or getattr(record, "title", None) or ""


def _item_line(item: PromptItem, words: dict[str, str]) -> str:
    total = sum(item.why.values()) if item.score is None and item.why else item.score
    score = "" if total is None else f", score {total:.2f}"
    why = ", ".join(f"{name} {share:.2f}" for name, share in item.why.items())
    because = f" ({why})" if why else ""
    name = words.get(item.ref, item.ref)
    return f"{item.source}: {name}{score}, {item.tokens} tokens{because}"


def _line(fact: Fact) -> str:
    return f"{show_number('fact', fact.number)} {one_of_text(fact.text)}"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
