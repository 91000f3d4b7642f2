"""Following: what of a transcript is a conversation with people, and what is left out."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import pytest

from recollect.exchange.formats.registry import FORMATS
from recollect.exchange.transcript import ForeignMessage, ForeignSession, Skip
from recollect.recall.following import LEFT_OUT, Following, following_formats
from recollect.sessions.record.content import TextBlock, parse_content
from recollect.text.secret_redactor import SecretRedactor


class Followed:
    """A transcript that is followed, line by line."""

    def __init__(
        self,
        form: str = "openclaw",
        path: str = "agents/main/sessions/s-1.jsonl",
        companion: dict[str, Any] | None = None,
    ) -> None:
        self.form = Following(FORMATS[form])
        self.session = self.form.describe(PurePath(path), None, companion)

    def line(self, record: dict[str, Any]) -> ForeignMessage | Skip:
        """Return what a line becomes."""
        line = self.form.parse(record, self.session)
        assert isinstance(line, ForeignMessage | Skip)
        return line

    def texts(self, *records: dict[str, Any]) -> list[tuple[str, Any]]:
        """Return role and content of what is brought in."""
        lines = [self.line(record) for record in records]
        return [(line.role, line.content) for line in lines if isinstance(line, ForeignMessage)]


def _said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": content} | more}


def _typed(role: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": content}
    return {"type": role, "sessionId": "s-1", "uuid": "u", "message": message} | more


def test_every_format_can_be_followed() -> None:
    """Under its own name, so that a message is the same when it is imported."""
    assert [form.name for form in following_formats()] == list(FORMATS)
    form = Following(FORMATS["openclaw"])
    inner = FORMATS["openclaw"]
    assert form.companion == inner.companion
    assert [form.name for form in following_formats() if form.is_owners] == ["claude-code"]
    assert form.recognises(_said("user", "hello"))


def test_sub_agents_of_claude_code_are_left_out() -> None:
    """Files of their own, and lines in the main file."""
    for path in ("p/agent-7.jsonl", "p/s-1/subagents/x.jsonl"):
        followed = Followed("claude-code", path)
        assert LEFT_OUT in followed.session.metadata
        assert isinstance(followed.line(_typed("user", "hello")), Skip)
    followed = Followed("claude-code", "p/s-1.jsonl")
    assert isinstance(followed.line(_typed("user", "hello", isSidechain=True)), Skip)
    assert followed.texts(_typed("user", "hello")) == [("user", "hello")]
    assert LEFT_OUT not in Followed("jsonl", "p/agent-7.jsonl").session.metadata


@pytest.mark.parametrize(
    ("key", "is_left_out"),
    [
        ("agent:main:cron:job", True),
        ("agent:main:cron:job:run:1", True),
        ("agent:main:subagent:1", True),
        ("agent:main:main:heartbeat", True),
        ("agent:main:dreaming-light:1", True),
        ("hook:1", True),
        ("agent:cron:main", False),
        ("agent:main:telegram:direct:42", False),
        ("main", False),
    ],
)
def test_sessions_without_a_person_are_left_out(key: str, is_left_out: bool) -> None:
    """By the key that `sessions.json` gives them."""
    followed = Followed(companion={key: {"sessionId": "s-1"}})
    assert (LEFT_OUT in followed.session.metadata) is is_left_out


def test_what_a_scheduled_run_started_is_left_out_with_it() -> None:
    """However far down; a circle ends."""
    entries = {
        "agent:main:child": {"sessionId": "s-1", "spawnedBy": "agent:main:middle"},
        "agent:main:middle": {"sessionId": "s-2", "spawnedBy": "agent:main:cron:job"},
    }
    assert LEFT_OUT in Followed(companion=entries).session.metadata
    entries["agent:main:middle"]["spawnedBy"] = "agent:main:child"
    assert LEFT_OUT not in Followed(companion=entries).session.metadata


@pytest.mark.parametrize(
    "prompt",
    [
        "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.",
        "[cron:7f Morning news] Tell me the news.",
    ],
)
def test_a_turn_that_nobody_began_is_left_out_to_its_end(prompt: str) -> None:
    """Whatever was answered; the next word of a person begins another."""
    followed = Followed()
    assert followed.texts(
        _said("user", [{"type": "text", "text": prompt}]),
        _said("assistant", "Three new mails came."),
        _said("toolResult", "mail", toolName="mail"),
        _said("user", "Hello"),
        _said("assistant", "Good morning."),
    ) == [("user", "Hello"), ("assistant", "Good morning.")]


def test_messages_of_other_sessions_are_left_out() -> None:
    """OpenClaw says where they are from."""
    between = _said("user", "From your sibling.", provenance={"kind": "inter_session"})
    assert Followed().texts(between, _said("assistant", "Thanks.")) == []


def test_silent_replies_are_left_out_as_blocks_too() -> None:
    """The importer leaves out those that are plain text."""
    for reply in ("NO_REPLY", " HEARTBEAT_OK\n"):
        assert Followed().texts(_said("assistant", [{"type": "text", "text": reply}])) == []
    said = "I wrote NO_REPLY."
    assert Followed().texts(_said("assistant", said)) == [("assistant", said)]


@pytest.mark.parametrize(
    "block",
    [
        '<recollect trust="recalled">The kettle is blue.</recollect>\n\n',
        "<recollect-context>\nThe kettle\nis blue.\n</recollect-context>\n",
        "<relevant-memories>The kettle is blue.</relevant-memories>",
        "<claude-mem-context>The kettle is blue.</claude-mem-context> ",
    ],
)
def test_what_a_memory_put_into_a_prompt_is_cut_out(block: str) -> None:
    """And the words of the person stay; a prompt that is only memory is left out."""
    followed = Followed()
    assert followed.texts(_said("user", f"{block}Which colour?")) == [("user", "Which colour?")]
    blocks = [{"type": "text", "text": block}, {"type": "text", "text": "Which colour?"}]
    assert followed.texts(_said("user", blocks)) == [("user", blocks[1:])]
    assert followed.texts(_said("user", block), _said("user", blocks[:1])) == []


def test_chat_history_that_a_channel_gives_is_no_recalled_memory() -> None:
    """It was said, by people."""
    said = "[Chat messages since your last reply - for context]\nAnn: tea?\n<b>bold</b>"
    assert Followed().texts(_said("user", said)) == [("user", said)]


def test_calls_of_memory_tools_and_their_results_are_cut_out() -> None:
    """A memory that read its own answers would quote itself for ever."""
    call = {"type": "tool_use", "id": "t-1", "name": "mcp__recollect__memory_search", "input": {}}
    other = {"type": "tool_use", "id": "t-2", "name": "Read", "input": {}}
    results = [
        {"type": "tool_result", "tool_use_id": each, "content": "kettle"} for each in ("t-1", "t-2")
    ]
    followed = Followed("claude-code", "p/s-1.jsonl")
    assert followed.texts(_typed("assistant", [call, other]), _typed("user", results)) == [
        ("assistant", [other]),
        ("tool", results[1:]),
    ]
    result = _said("toolResult", "kettle", toolName="memory_search", toolCallId="t-3")
    assert Followed().texts(result) == []


def test_what_is_no_message_stays_what_it_is() -> None:
    """Titles and state of the program; and content without text."""
    followed = Followed("claude-code", "p/s-1.jsonl")
    titled = followed.form.parse({"type": "summary", "summary": "Tea"}, followed.session)
    assert isinstance(titled, ForeignSession)
    blocks = ["plain", {"type": "image", "source": {}}]
    assert followed.texts(_typed("assistant", blocks)) == [("assistant", blocks)]
    assert isinstance(followed.line(_typed("assistant", None)), Skip)


# The golden cases of OpenClaw's `buildSessionEntry` (2026.9.6): roles, texts and lines. Differences
# that are meant: tool results and system messages are messages of their own (OpenClaw drops them),
# and a secret is replaced as a whole (there: its ends stay).

GOLDEN: dict[str, tuple[list[dict[str, Any]], list[tuple[int, str, str]]]] = {
    "empty_content": (
        [
            _said("user", ""),
            _said("user", "   "),
            _said("assistant", []),
            _said("assistant", [{"type": "image"}]),
            _said("user", None),
        ],
        [],
    ),
    "multi_blocks_and_tool": (
        [
            _said(
                "assistant",
                [
                    {"type": "text", "text": "part1"},
                    {"type": "toolCall", "name": "x"},
                    {"type": "text", "text": "part2"},
                ],
            ),
            _said("toolResult", "secret output"),
            _said("system", "sys"),
        ],
        [(1, "assistant", "part1 part2")],
    ),
    "timestamps": (
        [
            _said("user", "a") | {"timestamp": "2026-02-10T00:00:00Z"},
            _said("assistant", "b", timestamp=1770681600),
            _said("user", "c", timestamp=1770681600123),
        ],
        [(1, "user", "a"), (2, "assistant", "b"), (3, "user", "c")],
    ),
}


def _spoken(followed: Followed, records: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
    """Return line, role and text of what people and agents said."""
    spoken = []
    for number, record in enumerate(records, start=1):
        line = followed.line(record)
        if isinstance(line, ForeignMessage) and line.role in {"user", "assistant"}:
            blocks = parse_content(line.content)
            text = " ".join(block.text for block in blocks if isinstance(block, TextBlock))
            spoken += [(number, line.role, text)] if text else []
    return spoken


@pytest.mark.parametrize("case", GOLDEN)
def test_a_transcript_is_read_as_openclaw_reads_it(case: str) -> None:
    """Three of its four golden cases."""
    records, expected = GOLDEN[case]
    assert _spoken(Followed(), records) == expected


def test_times_are_read_as_openclaw_reads_them() -> None:
    """Seconds, milliseconds and ISO 8601."""
    lines = [Followed().line(record) for record in GOLDEN["timestamps"][0]]
    assert [line.at for line in lines if isinstance(line, ForeignMessage)] == [
        1770681600000,
        1770681600000,
        1770681600123,
    ]


@pytest.mark.parametrize(
    ("said", "secret", "left"),
    [
        (
            "my key is sk-abcdefghijklmnopqrstuvwxyz123456 ok",
            "abcdefghijklmnopqrstuvwxyz123456",
            ("my key is ", " ok"),
        ),
        ("OPENAI_API_KEY=abcd1234efgh5678ijkl", "abcd1234efgh5678ijkl", ("OPENAI_API_KEY", "")),
    ],
)
def test_secrets_go_where_openclaw_shortens_them(
    said: str, secret: str, left: tuple[str, str]
) -> None:
    """Its fourth golden case; the words around them stay."""
    (spoken,) = _spoken(Followed(), [_said("user", said)])
    redacted = SecretRedactor(b"salt").text(spoken[2])
    assert redacted.startswith(left[0])
    assert redacted.endswith(left[1])
    assert secret not in redacted
