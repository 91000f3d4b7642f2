"""The ranked list, from hits made by hand."""

from __future__ import annotations

import pytest

from recollect.cli.output.hits import address, show_hits
from recollect.index.query.hit import Hit

NOON = 1_780_000_000_000


def _hit(**changes: object) -> Hit:
    fields: dict[str, object] = {
        "score": 0.5,
        "source": "sessions",
        "ref": "0198a1f9-0000-7000-8000-000000000001",
        "snippet": "The tea is in the box.",
        "why": {"context": 0.4, "question": -0.02, "group": 0.12},
        "at": NOON,
        "session_id": "0198a1f9-0000-7000-8000-0000deadbeef",
        "seq": 3,
        "role": "user",
    }
    return Hit(**(fields | changes))  # type: ignore[arg-type]  # made by hand


def _shown(
    capsys: pytest.CaptureFixture[str], *hits: Hit, question: str = "tea", explained: int = 0
) -> list[str]:
    show_hits(list(hits), question, {}, explained=explained)
    return capsys.readouterr().out.splitlines()


def test_hits_are_parted_by_an_empty_line(capsys: pytest.CaptureFixture[str]) -> None:
    """And numbered; nothing ends in blanks."""
    lines = _shown(capsys, _hit(), _hit(seq=4))
    assert lines[2] == ""
    assert [line.split()[0] for line in lines if "0.50" in line] == ["1", "2"]
    assert all(line == line.rstrip() for line in lines)


def test_a_hit_that_nobody_said_names_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Of an observation the head began with a comma."""
    seen = _hit(source="observations", number=3, role=None, seq=None)
    assert "  observation, 28 May 2026  " in _shown(capsys, seen)[0]
    assert "  message, 28 May 2026  " in _shown(capsys, _hit(role=None))[0]
    assert "  28 May 2026  " in _shown(capsys, _hit(source="other", role=None))[0]


def test_what_was_replaced_says_until_when_it_held(capsys: pytest.CaptureFixture[str]) -> None:
    """Behind the day on which it was said."""
    hit = _hit(until=NOON + 3 * 86_400_000)
    assert "  user, 28 May 2026, until 31 May 2026  " in _shown(capsys, hit)[0]


def test_a_hit_names_what_contradicts_it(capsys: pytest.CaptureFixture[str]) -> None:
    """As `recollect get` takes it."""
    hit = _hit(contradicts=("m3", "m12"))
    assert "  user, 28 May 2026, contradicts m3, m12  " in _shown(capsys, hit)[0]


def test_a_long_title_leaves_room_for_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    """Who, when and where are never cut."""
    hit = _hit(name="Mira")
    show_hits([hit], "tea", {str(hit.session_id): "很长的标题" * 20})
    head = capsys.readouterr().out.splitlines()[0]
    assert head.endswith("  Mira, 28 May 2026  deadbeef:3")
    assert "…" in head


def test_a_paragraph_flows_and_a_list_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    """A note that was wrapped at another width reads well at this one."""
    text = "One line of tea\nand its end.\n\n- first\n  goes on\n- second\n1. third"
    lines = _shown(capsys, _hit(snippet=text))
    assert lines[1:] == [
        "    One line of tea and its end.",
        "    - first goes on",
        "    - second",
        "    1. third",
    ]


def test_code_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """A fence is enough to know it."""
    lines = _shown(capsys, _hit(snippet="```python\ndef tea():\n    pass\n```"))
    assert lines[1:] == ["    ```python", "    def tea():", "        pass", "    ```"]


def test_a_long_text_is_cut_around_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    """With ellipses where something was left out."""
    text = "word " * 200 + "the tea is here " + "other " * 200
    lines = _shown(capsys, _hit(snippet=text))
    assert lines[1].startswith("    … ")
    assert lines[-1].endswith(" …")
    assert any("tea" in line for line in lines)
    assert len(lines) < 8


def test_many_short_lines_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    """Five are enough to recognise it."""
    lines = _shown(capsys, _hit(snippet="\n".join(f"- tea {n}" for n in range(9))))
    assert lines[-1] == "    - tea 4 …"


def test_the_parts_of_a_score_are_drawn_from_the_largest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A deduction has no bar."""
    lines = _shown(capsys, _hit(), _hit(), explained=1)
    assert lines[2:5] == [
        "    context    0.400  " + "━" * 28,
        "    group      0.120  " + "━" * 8 + "╸",
        "    question  -0.020",
    ]
    assert "context" not in "\n".join(lines[5:])


def test_every_kind_of_hit_has_an_address() -> None:
    """As `get` takes it; other kinds have their ref."""
    assert address(_hit()) == "deadbeef:3"
    assert address(_hit(number=88)) == "m88"
    note = _hit(session_id=None, path="memory/a.md", start_line=3, end_line=7)
    assert address(note) == "memory/a.md:3-7"
    assert address(_hit(session_id=None, source="facts", ref="f1")) == "f1"


def test_a_hit_of_another_kind_is_named_by_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    """Facts and episodes will come."""
    lines = _shown(capsys, _hit(session_id=None, source="facts", ref="f1", role=None))
    assert " facts " in lines[0]
    assert lines[0].endswith("  f1")


def test_a_citation_stands_below_its_hit_where_it_is_wanted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As OpenClaw's footer; a hit without one shows none."""
    cited = _hit(citation="memory/tea.md#L3-L9")
    show_hits([cited, _hit()], "tea", {}, cited=True)
    lines = capsys.readouterr().out.splitlines()
    assert [row for row in lines if "Source" in row] == ["    Source: memory/tea.md#L3-L9"]
    show_hits([cited], "tea", {})
    assert "Source" not in capsys.readouterr().out
