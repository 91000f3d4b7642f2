"""Cranfield: abstracts become memory files, judgements become gold."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.datasets.cranfield import as_markdown, load_cranfield
from recollect.core.errors import InvalidInput


def test_title_is_the_heading_and_the_text_stays_as_it_is(data_folder: Path) -> None:
    """Published figures index title and text, though the text begins with the title."""
    document = load_cranfield(data_folder).documents[0]

    assert as_markdown(document) == ("# wings in a slipstream\n\nwings in a slipstream lift more\n")


def test_only_judged_queries_and_existing_documents_count(data_folder: Path) -> None:
    """Grade 0 is not relevant, document 77 does not exist, query 2 has no judgement."""
    (asked,) = load_cranfield(data_folder).questions

    assert (asked.key, asked.gold) == ("1", ("1",))


def test_malformed_judgements_are_refused(data_folder: Path) -> None:
    """A line with two columns."""
    (data_folder / "cranfield" / "qrels.tsv").write_text("q\td\tscore\n1\t1\n", "utf-8")

    with pytest.raises(InvalidInput, match="three columns"):
        load_cranfield(data_folder)
