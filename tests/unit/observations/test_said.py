"""Which line of a transcript is the prompt or the answer that a hook told of."""

from __future__ import annotations

import json
from pathlib import Path

import recollect
from recollect.observations.links.said import SaidMessage, said_by


def told(*lines: tuple[str, str, str | None]) -> list[SaidMessage]:
    """Return messages of role, text and turn, with their place as id."""
    return [SaidMessage(str(at), *line) for at, line in enumerate(lines)]


def test_the_only_prompt_of_a_turn_is_the_one_whatever_its_words() -> None:
    """Programs add to what was typed before they write it down."""
    lines = told(("user", "Brew tea, please", "p1"), ("user", "Brew tea", "p2"))
    assert said_by("prompt", "prompt:p1", "Brew tea", lines) == "0"


def test_among_several_of_a_turn_the_words_decide() -> None:
    """A program's own notes have the id of the turn, too."""
    lines = told(("user", "Caveat", "p1"), ("user", " Brew tea\n", "p1"))
    assert said_by("prompt", "prompt:p1", "Brew tea", lines) == "1"
    assert said_by("prompt", "prompt:p1", "Brew coffee", lines) is None


def test_an_answer_is_the_last_of_its_turn_that_ends_it() -> None:
    """What the agent said between its tools is none, nor the same words in another turn."""
    lines = told(
        ("user", "Brew tea", "p1"),
        ("assistant", "Done.", None),
        ("assistant", "I look first.", None),
        ("assistant", "All is well.\nDone.", None),
        ("assistant", "  ", None),
        ("user", "Thanks", "p2"),
        ("assistant", "Done.", None),
    )
    assert said_by("answer", "answer:p1", "All is well.\nDone.", lines) == "3"
    assert said_by("answer", "answer:p1", "Nothing of it", lines) is None
    assert said_by("answer", "answer:p2", "Done.", lines) == "6"


def test_a_turn_that_is_not_stored_yet_has_no_message() -> None:
    """The transcript is read later than the hook runs."""
    assert said_by("prompt", "prompt:p3", "Brew tea", told(("user", "Brew tea", "p1"))) is None
    assert said_by("answer", "answer:p1", "Done.", told(("assistant", "Done.", None))) is None
    assert said_by("prompt", "prompt:p1", "Brew tea", []) is None


def test_what_a_late_hook_tells_belongs_to_the_lines_that_were_imported(tmp_path: Path) -> None:
    """A prompt and an answer each by the words that they have themselves."""
    file = tmp_path / "talk.jsonl"
    lines = [("user", "Caveat"), ("user", "Brew tea"), ("assistant", "It is brewed.")]
    facts = [
        {"type": role, "uuid": f"u{at}", "sessionId": "s", "promptId": "p1"}
        | {"message": {"role": role, "content": words}}
        for at, (role, words) in enumerate(lines)
    ]
    file.write_text("".join(f"{json.dumps(each)}\n" for each in facts))
    with recollect.open(tmp_path / "home", live=False) as memory:
        memory.import_transcripts(file, "claude-code")
        (session,) = memory.sessions.list()
        _, question, brewed = (each.id for each in memory.sessions.messages(session.id))
        prompt = memory.observations.record(
            session.id, event="prompt", event_id="prompt:p1", input="Brew tea", output="Caveat"
        )
        answer = memory.observations.record(
            session.id,
            event="answer",
            event_id="answer:p1",
            input="Brew tea",
            output="It is brewed.",
        )
    assert (prompt.message_id, answer.message_id) == (question, brewed)
