"""What the command prints: a list, often among notices."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.backends.qmd.command import LEAST_SCORE, FoundText, read_output
from recollect.core.errors import ProviderUnavailable

HIT = {"file": "qmd://a/b.md", "score": 0.5, "line": 3, "snippet": "@@ -2,3 @@ (1 before)\n\nx\n"}
FOUND = FoundText(file="qmd://a/b.md", score=0.5, first=2, last=4)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("", ""),
        ("\x1b[2mLoading [1/2] model...\x1b[0m\n", "\n"),
        ("[INFO] warming up\n", "\nTip: 3 documents need embeddings. Run 'qmd embed'.\n"),
        ('{"level": "info", "at": [1, 2]}\n', "[done]"),
    ],
)
def test_the_list_is_found_among_notices(before: str, behind: str) -> None:
    """In colour or not, with brackets of their own or not."""
    output = before + json.dumps([HIT], indent=2) + behind
    assert read_output(output.encode()) == [FOUND]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ('[{"file": "qmd://old/a.md", "score": 1}]\n', ""),
        ("cached: []\n", "\n"),
        ("[]\n", "\ntook [] ms\n"),
        ('Loading [{"file": "model.gguf"}] ...\n', "\n"),
    ],
)
def test_the_answer_is_the_last_list_on_lines_of_its_own(before: str, behind: str) -> None:
    """What a notice lists before it, or within a line, is none."""
    output = before + json.dumps([HIT], indent=2) + behind
    assert read_output(output.encode()) == [FOUND]


@pytest.mark.parametrize("output", ["[]", "No results found.\n", "Note\n[]\n"])
def test_no_hits_are_no_failure(output: str) -> None:
    """Said in JSON or in words."""
    assert read_output(output.encode()) == []


@pytest.mark.parametrize(
    "output", ["", "Segmentation fault", "[1, 2]", '{"file": "x"}', '[{"path": "x"}]', "[" * 5_000]
)
def test_anything_else_is_a_failure(output: str) -> None:
    """So that the builtin index answers."""
    with pytest.raises(ProviderUnavailable):
        read_output(output.encode())


@pytest.mark.parametrize(
    ("score", "shown"), [(0, LEAST_SCORE), (-1, LEAST_SCORE), (7, 1.0), (0.25, 0.25)]
)
def test_scores_are_shares(score: float, shown: float) -> None:
    """One that was rounded to nothing is a little more than that."""
    assert read_output(json.dumps([HIT | {"score": score}]).encode())[0].score == shown


def test_a_score_that_is_no_number_counts_least() -> None:
    """Python reads NaN in JSON; nothing else of the answer suffers."""
    assert read_output(json.dumps([HIT | {"score": float("nan")}]).encode())[0].score == LEAST_SCORE


@pytest.mark.parametrize(
    ("entry", "lines"),
    [
        ({"snippet": "@@ -5,4 @@ (4 before)\nx"}, (5, 8)),
        ({"line": 7, "snippet": "one\ntwo\n"}, (7, 8)),
        ({}, (1, 1)),
        ({"line": -3}, (1, 1)),
        ({"snippet": "@@ -0,0 @@"}, (1, 1)),
        ({"startLine": 9, "endLine": 12, "snippet": "@@ -5,4 @@\nx"}, (9, 12)),
        ({"start_line": 9, "end_line": 3, "snippet": "x"}, (9, 9)),
        ({"startLine": 9, "snippet": "x\ny"}, (9, 10)),
    ],
)
def test_lines_are_those_of_the_snippet(entry: dict[str, object], lines: tuple[int, int]) -> None:
    """Those that it names, else from its head, else from the line and its length."""
    (found,) = read_output(json.dumps([{"file": "f", **entry}]).encode())
    assert (found.first, found.last) == lines


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_or_a_failure(output: bytes) -> None:
    """Never anything else."""
    with suppress(ProviderUnavailable):
        assert all(0 < found.score <= 1 and found.first >= 1 for found in read_output(output))
