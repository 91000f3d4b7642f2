"""LoCoMo: what is fed, what is asked, and what must never be seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.datasets.locomo import load_locomo, repair_evidence
from recollect.core.clock import to_datetime
from recollect.core.errors import InvalidInput, NotFound


def test_turns_keep_speaker_role_caption_and_time(data_folder: Path) -> None:
    """Protocol C.1: the first speaker is the user; captions belong to the text."""
    first, second = load_locomo(data_folder).conversations[0].sessions[0].turns

    assert (first.key, first.role, first.name) == ("conv-1/D1:1", "user", "Ann")
    assert (second.role, second.text) == (
        "assistant",
        "Lovely, look at this. [image: a photo of a lake]",
    )
    assert to_datetime(first.at).isoformat() == "2023-05-08T13:56:00+00:00"
    assert second.at > first.at


def test_empty_sessions_are_left_out(data_folder: Path) -> None:
    """The published file dates sittings in which nothing was said."""
    sessions = load_locomo(data_folder).conversations[0].sessions

    assert [session.key for session in sessions] == ["conv-1/D1", "conv-1/D2"]


def test_questions_without_gold_are_not_asked(data_folder: Path) -> None:
    """Protocol C.1: evidence is split and repaired, dangling ids dropped, empty ones skipped."""
    asked = load_locomo(data_folder).questions

    assert [(one.group, one.gold) for one in asked if one.cluster == "conv-1"] == [
        ("single-hop", ("conv-1/D1:1",)),
        ("multi-hop", ("conv-1/D2:1", "conv-1/D1:2")),
        ("adversarial", ("conv-1/D2:1",)),
    ]


def test_audited_gold_replaces_only_wrong_citations(data_folder: Path) -> None:
    """A wrong answer without another citation leaves the evidence alone."""
    audited = load_locomo(data_folder, gold="audited")

    gold = {one.text: one.gold for one in audited.questions if one.group == "single-hop"}
    assert gold == {
        "Who started pottery?": ("conv-1/D1:2",),
        "Who started rowing?": ("conv-2/D1:1",),
    }
    assert audited.digest != load_locomo(data_folder).digest


def test_answers_never_leave_the_file(data_folder: Path) -> None:
    """Leak guard: answers, adversarial answers and search queries of images are not decoded."""
    loaded = msgspec.json.encode(load_locomo(data_folder))

    assert b"SECRET-ANSWER" not in loaded
    assert b"leak" not in loaded


def test_evidence_is_repaired_as_the_protocol_says() -> None:
    """The malformed strings of the published file."""
    existing = ["D8:6", "D9:17", "D11:26", "D30:5", "D1:18", "D1:20"]

    assert repair_evidence(["D8:6; D9:17"], existing) == ("D8:6", "D9:17")
    assert repair_evidence(["D:11:26", "D30:05"], existing) == ("D11:26", "D30:5")
    assert repair_evidence(["D1:18", "D", "D1:20", "D1:18"], existing) == ("D1:18", "D1:20")
    assert repair_evidence(["D10:19"], existing) == ()


@given(st.lists(st.text(alphabet="D:0123456789; ,x", max_size=20), max_size=5))
def test_repaired_evidence_exists_and_is_named_once(evidence: list[str]) -> None:
    """Whatever the strings look like."""
    existing = [f"D{session}:{turn}" for session in range(1, 20) for turn in range(1, 20)]

    repaired = repair_evidence(evidence, existing)

    assert set(repaired) <= set(existing)
    assert len(set(repaired)) == len(repaired)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-20],
        lambda text: text.replace("1:56 pm on 8 May, 2023", "yesterday"),
        lambda text: text.replace('"speaker_a"', '"speaker_x"'),
        lambda text: text.replace('"category": 4', '"category": 9'),
    ],
)
def test_damaged_files_are_refused_with_a_hint(
    data_folder: Path, damage: Callable[[str], str]
) -> None:
    """Truncated, redated, renamed, or with a category that does not exist."""
    path = data_folder / "locomo" / "locomo-dev.json"
    path.write_text(damage(path.read_text("utf-8")), "utf-8")

    with pytest.raises(InvalidInput) as refused:
        load_locomo(data_folder)
    assert refused.value.hint


def test_missing_data_set_names_the_file(tmp_path: Path) -> None:
    """The folder is there, LoCoMo is not."""
    with pytest.raises(NotFound, match=r"locomo/locomo-dev\.json"):
        load_locomo(tmp_path)
