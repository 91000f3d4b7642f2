"""How much of a corpus that the rules were not made from is found, and how much is left alone.

The shapes were written from the documentation of providers and from transcripts, by somebody who
had not read the rules, before the rules: a blind test. Nobody looks into the corpus, so a failure
says totals only. Who adds a rule because of a text in it takes the text out of the blind half.
"""

from __future__ import annotations

import gzip
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from recollect.text.redaction.redactor import Redactor
from tests.support.redaction_carriers import CARRIERS, survivors

CORPUS = Path(__file__).parents[3] / "fixtures" / "redaction" / "unseen.json.gz"
SHA_256 = "2a4da704bd020530b320143989ea4afe1108d1da0d5be017d72a1ce45a2f2fd7"

LEAST_FOUND = 0.929
"""The aim is 0.95; 4,813 of 5,180 are found."""
MOST_CHANGED = 0.016
"""The aim is 0.01; 41 of 2,600 are changed."""


class Item(msgspec.Struct, frozen=True):
    """A text with secrets, or one without that must stay as it is."""

    id: str
    text: str
    kind: str = "look-alike"
    secrets: Sequence[str] = ()
    unchanged: bool = False
    not_in: Sequence[str] = ()

    def carried(self) -> Iterator[str]:
        """Yield the text in every carrier where it can stand."""
        for name, carrier in CARRIERS.items():
            if name not in self.not_in:
                yield carrier(self.text)


@pytest.fixture(scope="module")
def items() -> list[Item]:
    """The corpus."""
    return msgspec.json.decode(gzip.decompress(CORPUS.read_bytes()), type=list[Item])


def test_the_corpus_is_the_one_that_was_fixed_before_the_rules() -> None:
    """A blind corpus is changed by nobody: its digest stands here."""
    assert hashlib.sha256(CORPUS.read_bytes()).hexdigest() == SHA_256


def test_secrets_of_unseen_shapes_are_found_in_every_carrier(items: list[Item]) -> None:
    """Measured per shape and carrier: a secret of which eight characters are left is not found.

    A floor: the aim of 95 % is not reached.
    """
    all_of, found_of = Counter[str](), Counter[str]()
    for item in items:
        if not item.unchanged:
            for text in item.carried():
                all_of[item.kind] += 1
                found_of[item.kind] += not survivors(item.secrets, Redactor().redact(text).text)
    if found_of.total() < LEAST_FOUND * all_of.total():
        pytest.fail(_totals("found", found_of, all_of), pytrace=False)


def test_texts_that_only_look_like_secrets_stay_as_they_are(items: list[Item]) -> None:
    """Measured per look-alike and carrier: what a user wrote is kept where it is no secret.

    A floor: the aim of 1 % is not reached.
    """
    all_of, changed_of = Counter[str](), Counter[str]()
    for item in items:
        if item.unchanged:
            for text in item.carried():
                all_of[item.kind] += 1
                changed_of[item.kind] += Redactor().redact(text).text != text
    if changed_of.total() > MOST_CHANGED * all_of.total():
        pytest.fail(_totals("changed", changed_of, all_of), pytrace=False)


def _totals(what: str, part: Counter[str], whole: Counter[str]) -> str:
    """Return figures only: no text and no id of the corpus may reach who writes the rules."""
    lines = [f"{what}: {part.total()} of {whole.total()} ({part.total() / whole.total():.1%})"]
    lines += [f"  {kind}: {part[kind]} of {whole[kind]}" for kind in sorted(whole)]
    return "\n".join(lines)
