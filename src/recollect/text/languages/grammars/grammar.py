"""The rules of a language by which statements are found: what its TOML file holds.

They are apart from the other data of a language, for only the detector reads them.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Grammar(msgspec.Struct, frozen=True, kw_only=True):
    """What a language needs for `recollect.text.statements.detector`.

    A rule is ``kind[.slot] cue,cue :: pattern`` on a line of its own, the more certain ones first;
    a line that does not begin so goes on with the pattern. ``rule.me`` is about how to answer, and
    ``none`` only ends or fills a slot; ``kind!`` holds though there are words of doubt, ``kind~``
    only of an assistant. One of the cues, whole words in small letters, is in every
    text that the pattern matches. A pattern is searched for in one clause, without regard to case:
    in small letters, unless it asks for a capital by ``(?-i:``.
    ``<I>`` stands for a part of `parts`; the groups ``value``, ``old``, ``who`` and ``head`` are
    the value, the one that is gone, the person, and the noun of an open slot.

    Attributes:
        parts: Parts of patterns, by name.
        cues: Lists of cues that rules name with ``@``, by name; ``#`` stands for a digit.
        classes: Words of a class, by its name, which is the same in all languages; of languages
            without spaces also parts of words. A trained judge uses them.
        rules: What only a person states.
        outcomes: What an assistant states too: causes, results, what is left open.
        borders: A pattern of what ends a clause and begins another.
        subjects: A pattern of how a clause begins that states something before a question.
        hedges: A pattern of doubt, plans and conditions; it does not hold for rules.
        hearsay: A pattern of what others say and what is made up.
        limits: A pattern of what holds only for today or this time.
        changes: A pattern of signs of change.
        turns: A pattern of words of change, for sentences that no rule reads: moved, raised, new.
        nows: The same of words of the present: from now on, since Monday.
        ends: The same of ends: sold, quit, gone.
        apart: The same of what speaks of another person, place or time, of more, or of a wish.
        manners: A pattern of rules about how to answer a person.
        texts: A pattern of what is written for others: a rule about it is not how to speak with a
            person.
        everywhere: A pattern of rules that hold in every project: how to speak with a person, and
            those that say so.
        losses: A pattern of a value that is gone, the group ``old``: "instead of X".
        handovers: A pattern of words before a colon: what follows is not the speaker's.
        claims: How a speaker claims an account of another place, a pattern a line: ``<H>`` is
            a handle or account, ``<N>`` a name too, ``<C>`` a channel.
        telling: Words that tell the language, beside its function words; with accents.
        little: Words that are neither nouns nor values: articles, "new", "now".
        joints: Prepositions between a noun and what it is of.
    """

    parts: Mapping[str, str] = {}
    cues: Mapping[str, str] = {}
    classes: Mapping[str, str] = {}
    rules: str = ""
    outcomes: str = ""
    borders: str = "(?!)"
    subjects: str = "(?!)"
    hedges: str = "(?!)"
    hearsay: str = "(?!)"
    limits: str = "(?!)"
    changes: str = "(?!)"
    turns: str = "(?!)"
    nows: str = "(?!)"
    ends: str = "(?!)"
    apart: str = "(?!)"
    manners: str = "(?!)"
    texts: str = "(?!)"
    everywhere: str = "(?!)"
    losses: str = "(?!)"
    handovers: str = "(?!)"
    claims: str = ""
    telling: str = ""
    little: str = ""
    joints: str = ""
