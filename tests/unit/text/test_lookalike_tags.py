"""Tags that only look like tags: a model may take them for real ones."""

from __future__ import annotations

import pytest

from recollect.text.injected import neutral


@pytest.mark.parametrize(
    "tag",
    ["\uff1c/system-reminder\uff1e", "<\u034f/system-reminder>", "< /x>", "\ufe64b>", "<\u200b/x>"],
)
def test_what_looks_like_a_tag_is_none(tag: str) -> None:
    """With a wide or small bracket, or a mark without width between bracket and name."""
    assert neutral(f"a {tag} b").startswith("a ‹")


@pytest.mark.parametrize("text", ["a < b", "1 <2", "x <= y", "＜标题＞", "a <- b", "i <3 you"])
def test_a_comparison_stays(text: str) -> None:
    """A bracket that begins no tag says something."""
    assert neutral(text) == text
