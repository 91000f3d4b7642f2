"""What a message costs in a prompt."""

from __future__ import annotations

from recollect.sessions.context.size import PER_IMAGE, PER_MESSAGE, Sizer
from recollect.sessions.record.content import Content
from recollect.sessions.record.message import Message
from recollect.sessions.sessions import Sessions
from recollect.text.tokens import estimate_tokens


def _stored(sessions: Sessions, role: str, content: Content) -> Message:
    return sessions.append(sessions.create().id, role, content)


def _result(text: str) -> list[dict[str, object]]:
    return [{"type": "tool_result", "tool_use_id": "t", "content": text}]


def test_a_text_costs_its_estimate_and_a_margin(sessions: Sessions) -> None:
    """Also a message of before estimates were stored."""
    message = _stored(sessions, "user", "The quick brown fox jumps over the lazy dog.")
    assert message.tokens == 10
    assert Sizer().message(message) == PER_MESSAGE + 11
    old = Message(**{f: getattr(message, f) for f in message.__struct_fields__} | {"tokens": 0})
    assert Sizer().message(old) == PER_MESSAGE + 11


def test_all_of_a_long_output_is_counted(sessions: Sessions) -> None:
    """Only its first lines are text that is searched, and estimated when it is stored."""
    output = "one two three four\n" * 2_000
    message = _stored(sessions, "tool", _result(output))
    assert message.tokens < 500
    assert Sizer().message(message) >= estimate_tokens(output)
    assert Sizer().message(message, 100) < estimate_tokens(output)  # enough is enough
    short = _stored(sessions, "tool", _result("one two"))
    assert Sizer().message(short) < 40


def test_what_is_no_text_costs_too(sessions: Sessions) -> None:
    """Thoughts, images, inputs of tools, and blocks of kinds that have no meaning here."""
    thought = _stored(sessions, "assistant", [{"type": "thinking", "thinking": "hm " * 200}])
    image = _stored(sessions, "user", [{"type": "image", "source": {"data": "AAAA"}}])
    long_input = {"type": "tool_use", "id": "t", "name": "Write", "input": {"text": "a b " * 400}}
    call = _stored(sessions, "assistant", [long_input])
    other = _stored(sessions, "assistant", [{"type": "audio", "transcript": "word " * 100}])
    inside = _stored(
        sessions,
        "tool",
        [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image"}]}],
    )
    assert Sizer().message(thought) > 200
    assert Sizer().message(image) > PER_IMAGE
    assert Sizer().message(call) > 800
    assert Sizer().message(other) > 100
    assert Sizer().message(inside) > PER_IMAGE


def test_an_exact_counter_takes_the_place_of_the_estimate(sessions: Sessions) -> None:
    """Without the margin of an estimate."""
    message = _stored(sessions, "user", "four letters")
    assert Sizer(len).message(message) == PER_MESSAGE + 12
    assert Sizer(len).text("abc") == 3
    assert Sizer().text("") == 0
