"""How much of the texts is found that the rules were widened with, and how much is left alone.

Written in batches, each before it was run, as what somebody would write who wants to get past the
rules. Unlike the blind corpus it may be read; which of it still passes is known, so the shares are
floors. Compressed because scanners of secrets would find it.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from recollect.text.redaction.redactor import Redactor
from tests.support.redaction_carriers import CARRIERS, survivors

CORPUS = Path(__file__).parents[3] / "fixtures" / "redaction" / "seen.json.gz"
LEAST_FOUND = 0.846
MOST_CHANGED = 0.002
SOME_CARRIERS = ("bare", "prose", "json", "log")


class Seen(msgspec.Struct, frozen=True):
    """A text with secrets, or one without that must stay as it is."""

    id: str
    kind: str
    text: str
    secrets: tuple[str, ...] = ()
    unchanged: bool = False


@pytest.fixture(scope="module")
def texts() -> list[Seen]:
    """The corpus."""
    return msgspec.json.decode(gzip.decompress(CORPUS.read_bytes()), type=list[Seen])


def test_secrets_of_seen_shapes_are_found(texts: list[Seen]) -> None:
    """A secret of which eight characters are left is not found."""
    missed = [
        (name, each.id, each.text)
        for each in texts
        for name in SOME_CARRIERS
        if not each.unchanged
        and survivors(each.secrets, Redactor().redact(CARRIERS[name](each.text)).text)
    ]
    all_of = len(SOME_CARRIERS) * sum(not each.unchanged for each in texts)
    assert len(missed) <= (1 - LEAST_FOUND) * all_of, missed


def test_seen_look_alikes_stay(texts: list[Seen]) -> None:
    """Documentation, placeholders, references, digests and code about secrets."""
    carried = [
        CARRIERS[name](each.text) for each in texts for name in SOME_CARRIERS if each.unchanged
    ]
    changed = [text for text in carried if Redactor().redact(text).text != text]
    assert len(changed) <= MOST_CHANGED * len(carried), changed
