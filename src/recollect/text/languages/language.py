"""The data of a language: each has one file, and the mechanisms go through all of them.

Words are written in small letters without accents, as `recollect.text.terms.bare` returns them,
where nothing else is said. Adding a language needs one file and no change of a mechanism.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

Table: TypeAlias = Mapping[str, Mapping[str, Any]]
"""A kind of words of time -> its words -> their meanings."""

MONTH, MAYBE_MONTH = "M", "m"
"""1 to 12. One that is another word too ("may") counts only where a preposition, a day or a year
says that it is meant."""
WEEKDAY, MAYBE_WEEKDAY, SURE_WEEKDAY = "W", "w", "X"
"""0 (Monday) to 6. The first two need a preposition, "last" or a part of the day; the last one
stands alone, in languages without prepositions."""
NAMED, NAMED_DAY = "J", "D"
"""A range in one word: (unit, how many of them later), and of days only how many: "yesterday" is
-1."""
NAMED_PART = "T"
"""A part of a day in one word, (hours, how many days later): "tonight"."""
DAY_OF_WEEK = "V"
"""A day of a certain week in one word, (weeks later, weekday)."""
SHIFT = "R"
"""How many units later: "last" is -1, "this" 0."""
UNIT = "U"
"""``hour``, ``day``, ``week``, ``weekend``, ``month`` or ``year``; ``minute``."""
PART, MAYBE_PART = "P", "g"
"""A part of the day, (first hour, last hour): (18, 30) ends at 6 of the next day. The second kind
is another word too where it is alone: "morgen"."""
SEASON, MAYBE_SEASON = "K", "k"
"""The month that it begins with; the second kind counts with "last", "this" or a year alone."""
NUMBER = "N"
"""A number in words, from 1."""
ORDINAL = "o"
"""The number of a day in words: "third"."""
AGO = "A"
"""Makes a number of units one range in the past, before or after it: "ago", "vor"."""
ROLLING = "Z"
"""Makes it all of them up to now: "past"."""
ROLLING_UNIT = "z"
"""A unit that a number before it makes so many of them up to now: "derniers jours"."""
IN, OF, ARTICLE, BEYOND = "I", "F", "t", "b"
"""Prepositions before a time, "of", articles; "before" in "the week before last"."""
SINCE, SINCE_BEHIND, BEFORE, AFTER = "S", "s", "B", "E"
"""Make a range open: from its begin on (the second kind follows the time), up to its begin, from
its end on."""
EVERY = "e"
"""The time after it does not count: "every"."""
YEAR, DIGITS, DAY_NUMBER, DATE, OTHER = "Y", "q", "n", "d", "x"
"""Words found by their form: 2024; 3 or 3rd; 3日; 2026-03-01; everything else."""

MORNING_HOURS, NOON_HOURS, EVENING_HOURS, NIGHT_HOURS = (5, 12), (12, 18), (18, 24), (18, 30)

WHEN, NAME, ASSISTANT, NOW, FIRST_PERSON = "when", "name", "assistant", "now", "first person"
LIST = "list"
"""Cues of questions. It asks for a time; for a person, place or thing by name; for what the
assistant said; for how something is now; the one who asks speaks of themselves. It asks for several
things, or how many there are."""
EVENT, PAST, EARLIER, NAMED_TIME = "event", "past", "earlier", "named time"
PAST_TENSE, ACCENTED = "past tense", "accented"
HAPPENED, HELD, STATE, ASKS = "happened", "held", "state", "asks"
REQUEST, TOTAL, DATED = "request", "total", "dated"
"""Signs of questions: of what happened; of how something was; of a time up to another one, which
counts with a verb of the past, and of one beside those of `times`; a verb of the past, and one
that only its accents tell, in small letters with accents; a verb of what happens, and one of what
lasts, for a question with ``|`` in place of what is earlier; a verb or word of the present; any
sign of a question; a request for advice, a summary or an order of things; a sum up to now; what is
before the month or year that a question in the present is about. How they are weighed is in
`recollect.text.question_kinds`."""
LASTING, DECIDED, OPEN, FAILED = "lasting", "decided", "open", "failed"
FIXED, CAUSED, PLANNED, REPAIRS = "fixed", "caused", "planned", "repairs"
TROUBLE, CURED, CHANGED = "trouble", "cured", "changed"
SETTLED, RELATES, PARTS = "settled", "relates", "parts"
DONE = "done"
"""Kinds of statements: something that must last, a decision, an open point, a failure; a repair
that was made or a cause that was found, words of a cause beside others, words before a repair that
is only planned, missing or asked for, and how the subject of a commit calls one; what goes wrong,
that it is over, and what was changed; how a sentence
begins that settles something, how the parts of a system belong together, and what they are; that
its speaker did something."""


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """A language; unknown data is empty.

    Patterns of one whose words stand between spaces match whole words; those of the others, a
    position in a run of characters (`recollect.text.terms.UNSPACED`).

    Attributes:
        code: Its tag. Source: ISO 639-1.
        letters: A pattern of characters that tell it from others of its kind; none by default.
        times: Words of time, by kind.
        ambiguous_times: Those that are other words in another language; they count in a text that
            has more function words of this one.
        date_signs: Patterns of what makes a number a year, month or day, by kind.
        time_cues: What is in every match, and a pattern that tells that a text names a time; for
            small letters with accents. What has a space is more than one word.
        number_of_time: A pattern of numbers that name a time, likewise.
        function_words: Words that are not searched for in a question in this language.
        function_signs: A pattern of them where words have no spaces between them.
        stop_words: Words without information where every word of a question is searched by itself,
            whatever its language; with accents.
        common_words: Content words of sentences about anything; two that share only these have
            nothing in common.
        greetings: A pattern of words before the name of who is spoken to.
        stemmer: The name of its Snowball stemmer, where terms are stemmed.
        irregular_forms: Words with their irregular forms, between commas.
        cue_words: Single words that are cues of questions, by cue.
        cue_patterns: Patterns of cues, by cue.
        question_kinds: Patterns of the signs of questions, by kind.
        address_words: One of them is in every match of the pattern for `ASSISTANT`.
        denials: What is in every match, and a pattern that tells that its speaker never did
            something; for small letters with accents.
        statements: Patterns of statements, by kind; for texts as they are written.
    """

    code: str
    letters: str = "(?!)"
    times: Table = {}
    ambiguous_times: Table = {}
    date_signs: Mapping[str, str] = {}
    time_cues: tuple[tuple[str, str], ...] = ()
    number_of_time: str = ""
    function_words: str = ""
    function_signs: str = ""
    stop_words: str = ""
    common_words: str = ""
    greetings: str = ""
    stemmer: str = ""
    irregular_forms: str = ""
    cue_words: Mapping[str, str] = {}
    cue_patterns: Mapping[str, str] = {}
    question_kinds: Mapping[str, str] = {}
    address_words: str = ""
    denials: tuple[tuple[str, str], ...] = ()
    statements: Mapping[str, str] = {}
