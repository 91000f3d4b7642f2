"""Annotations: what counts as one, what it says, and what is left of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.markdown.annotations import Annotation, join_annotations, read_annotations


def told(comment: str) -> Annotation | None:
    """Return what one comment says."""
    return read_annotations(f"- tea <!-- {comment} -->").by_line.get(1)


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("importance: 8", Annotation(importance=8)),
        ("importance:10", Annotation(importance=10)),
        ("Importance : 1", Annotation(importance=1)),
        ("project: kranich", Annotation(projects=("kranich",))),
        ("projects: kranich; tea shop ;kranich", Annotation(projects=("kranich", "tea shop"))),
        ("trigger: before a deploy, release", Annotation(triggers=("before a deploy", "release"))),
        ("triggers: 发布前; release", Annotation(triggers=("发布前", "release"))),
    ],
)
def test_a_comment_says(comment: str, expected: Annotation) -> None:
    """Keys in any case, in the singular or plural; values in their order, each once."""
    assert told(comment) == expected


@pytest.mark.parametrize(
    "comment",
    [
        "importance: 0",
        "importance: 11",
        "importance: high",
        "importance: 5.5",
        "importance:",
        "importance: -3",
        "project:",
        "project: ; ",
        "trigger: , ,",
        "trigger: ?!",
        "trigger: " + ",".join(f"w{n}" for n in range(40)),
    ],
)
def test_an_invalid_comment_is_counted_and_taken_out(comment: str) -> None:
    """It says nothing, and is no text either."""
    annotated = read_annotations(f"- tea <!-- {comment} -->\n- rain")
    assert (annotated.text, annotated.by_line, annotated.ignored) == ("- tea\n- rain", {}, 1)


@pytest.mark.parametrize(
    "line",
    ["<!-- a note -->", "<!-- importance 8 -->", "<!-- importance: 8", "importance: 8 -->"],
)
def test_other_comments_are_text(line: str) -> None:
    """Somebody wrote them for themselves."""
    annotated = read_annotations(line)
    assert (annotated.text, annotated.by_line, annotated.ignored) == (line, {}, 0)


def test_code_is_left_as_it_is() -> None:
    """An example of an annotation is none."""
    text = "```\n<!-- importance: 8 -->\n```"
    assert read_annotations(text).text == text
    assert not read_annotations(text).by_line


def test_several_on_a_line_are_one_and_lines_keep_their_numbers() -> None:
    """A comment alone on its line leaves an empty line."""
    annotated = read_annotations(
        "a\n<!-- importance: 3 -->\nb <!-- project: x --><!-- importance: 9 -->"
    )
    assert annotated.text == "a\n\nb"
    assert annotated.by_line == {
        2: Annotation(importance=3),
        3: Annotation(importance=9, projects=("x",)),
    }


def test_joined_annotations_say_the_most() -> None:
    """The highest importance; every project and trigger once."""
    several = [
        Annotation(importance=3, projects=("a", "b")),
        Annotation(projects=("b", "c"), triggers=("t",)),
        Annotation(importance=7),
    ]
    assert join_annotations(several) == Annotation(
        importance=7, projects=("a", "b", "c"), triggers=("t",)
    )
    assert join_annotations([]) is None


@given(st.text(alphabet="ab<!-> :importance;58\n", max_size=200))
def test_any_text_keeps_its_lines(text: str) -> None:
    """Hits name lines, so none may come or go."""
    assert read_annotations(text).text.count("\n") == text.count("\n")
