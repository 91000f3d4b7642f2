"""Each row of the tables of rules finds its example, and leaves its counterexample alone."""

from __future__ import annotations

import re

import pytest

from recollect.text.redaction import redact
from recollect.text.redaction.carrier_rules import ANCHORED, CARRIERS
from recollect.text.redaction.command_rules import COMMANDS
from recollect.text.redaction.credentials import SHAPES
from recollect.text.redaction.rules import BEHIND, JOINTS, NAMES, Rule

RULES = (*NAMES, *JOINTS, *BEHIND, *CARRIERS, *ANCHORED, *COMMANDS)
MARK = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{6}\]")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_finds_its_example(rule: Rule) -> None:
    """The secret goes, whole, and nothing beside it."""
    before, secret, after = re.split("[«»]", rule.example)
    redacted = redact(before + secret + after)
    assert MARK.sub("", redacted.text) == before + after
    assert re.search(rule.looks_for, before + secret + after, re.IGNORECASE)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_leaves_its_counterexample(rule: Rule) -> None:
    """It resembles the example, so the row says what it does not mean."""
    assert redact(rule.counterexample).text == rule.counterexample


def test_no_two_rows_have_one_name() -> None:
    """A table, a name, a row."""
    for table in (NAMES, JOINTS, BEHIND, CARRIERS, ANCHORED, COMMANDS):
        assert len({rule.name for rule in table}) == len(table)
    assert len({(shape.kind, shape.start) for shape in SHAPES}) == len(SHAPES)
