"""The kinds of words that expressions of time are made of; each language has a table of its words.

A table maps a kind to its words and what they mean. Words are written in small letters without
accents, as `recollect.text.terms.bare` returns them; those of scripts without spaces as they are.
A language that is added needs a table and no line of the grammar.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Table: TypeAlias = Mapping[str, Mapping[str, Any]]

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
IN, OF, ARTICLE, BEYOND = "I", "F", "t", "b"
"""Prepositions before a time, "of", articles; "before" in "the week before last"."""
SINCE, SINCE_BEHIND, BEFORE, AFTER = "S", "s", "B", "E"
"""Make a range open: from its begin on (the second kind follows the time), up to its begin, from
its end on."""
EVERY = "e"
"""The time after it does not count: "every"."""
YEAR, DIGITS, DAY_NUMBER, DATE, OTHER = "Y", "q", "n", "d", "x"
"""Found by their form: 2024; 3 or 3rd; 3日; 2026-03-01; everything else."""

MORNING_HOURS, NOON_HOURS, EVENING_HOURS, NIGHT_HOURS = (5, 12), (12, 18), (18, 24), (18, 30)
