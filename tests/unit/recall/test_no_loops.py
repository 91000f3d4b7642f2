"""No loops: what was recalled is in no message, no observation and no summary a second time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from recollect.sessions.record.content import ToolResultBlock, ToolUseBlock
from recollect.text.injected import wrapped

WORDS_ONLY = {"embedding.provider": "none"}
BOUNDARY = "0123456789abcdef"
BLOCK = wrapped("## Recent Memory (12 tokens)\n\n[#1 2026-02-01] okapi", BOUNDARY)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory for words only."""
    with recollect.open(tmp_path / "home", overrides=WORDS_ONLY) as opened:
        yield opened


def _call(name: str, given: dict[str, str], id_: str) -> list[dict[str, object]]:
    return [{"type": "tool_use", "name": name, "input": given, "id": id_}]


def _result(text: str, id_: str) -> list[dict[str, object]]:
    return [{"type": "tool_result", "tool_use_id": id_, "content": text}]


def _holds(home: Path, word: str) -> list[str]:
    return [p.name for p in home.rglob("*") if p.is_file() and word.encode() in p.read_bytes()]


def test_a_block_in_a_message_is_not_stored(memory: Memory) -> None:
    """Issue 11, item 8: append takes it out wherever it stands, the rest stays."""
    session = memory.sessions.create().id
    said = memory.sessions.append(session, "user", f"Before\n{BLOCK}\nafter")
    assert said.text == "Before\nafter"
    cut_off = BLOCK[: BLOCK.index("okapi") + 5] + " …"
    assert memory.sessions.append(session, "user", f"Go on {cut_off}").text == "Go on "
    assert memory.sessions.append(session, "user", json.dumps({"text": BLOCK})).text == (
        '{"text": ""}'
    )
    made = memory.observations.record(session, event="prompt", input=f"We use jars. {BLOCK}")
    assert "okapi" not in made.input + made.title + made.summary
    assert _holds(memory.home, "okapi") == []


def test_words_about_the_tag_stay(memory: Memory) -> None:
    """Only what has the shape of a block is taken out."""
    session = memory.sessions.create().id
    for said in (
        "What is <recollect-context> for?",
        f"<recollect-context {BOUNDARY}> opens, and never closes",
        f"</recollect-context {BOUNDARY}> then <recollect-context {BOUNDARY}>",
    ):
        assert memory.sessions.append(session, "user", said).text == said


@pytest.mark.slow
def test_blocks_are_found_in_linear_time(memory: Memory) -> None:
    """A text of openings that never close is one pass; quadratic would not come to an end."""
    session = memory.sessions.create().id
    text = "".join(f"<recollect-context {n:016x}>" for n in range(60_000))
    assert memory.sessions.append(session, "user", text).text == text


def test_what_our_own_tools_answer_is_no_text_of_a_message(memory: Memory) -> None:
    """Under any prefix, by command, in later calls of append and in a fork; others are kept."""
    session = memory.sessions.create().id
    append = memory.sessions.append
    for n, (name, given) in enumerate(
        [
            ("mcp__recollect__memory_search", {"query": "okapi"}),
            ("Bash", {"command": "recollect search okapi"}),
            ("Read", {"file_path": str(memory.home / "transcripts/x.jsonl")}),
        ]
    ):
        asked = append(session, "assistant", _call(name, given, f"t{n}"))
        assert asked.text == ""
        assert isinstance(asked.blocks[0], ToolUseBlock)
    fork = memory.sessions.fork(session).id
    answered = [
        append(where, "tool", _result("the zebra is striped", f"t{n}"))
        for n, where in enumerate((session, session, fork))
    ]
    assert [message.text for message in answered] == ["", "", ""]
    assert all(isinstance(m.blocks[0], ToolResultBlock) for m in answered), "pairs stay whole"
    assert append(session, "tool", "zebra", name="mcp__recollect__timeline").text == ""
    assert _holds(memory.home, "zebra") == []
    append(session, "assistant", _call("Read", {"file_path": "a.md"}, "t9"))
    assert append(session, "tool", _result("a quagga", "t9")).text == "a quagga"
    append(session, "assistant", _call("Read", {"file_path": "a.md"}, "t0"))
    assert append(session, "tool", _result("a bongo", "t0")).text == "a bongo", "ids come again"


def _line(uuid: str, kind: str, content: object, **more: object) -> str:
    role = {"message": {"role": kind, "content": content}}
    facts = {"sessionId": "s1", "cwd": "/srv/app", "timestamp": "2026-02-01T10:00:00Z"}
    return json.dumps({"type": kind, "uuid": uuid, **facts, **role, **more})


def test_an_import_takes_no_recalled_text_in(memory: Memory, tmp_path: Path) -> None:
    """A transcript of Claude Code with blocks and calls of our own, read in two parts."""
    transcript = tmp_path / "s1.jsonl"
    recall = _call("mcp__recollect__memory_search", {"query": "tea"}, "t1")
    first = [
        _line("u1", "user", f"{BLOCK}\nWhich tea?"),
        _line("a1", "assistant", recall),
    ]
    transcript.write_text("\n".join(first) + "\n")
    memory.import_transcripts(transcript)
    told = {"toolUseResult": {"stdout": "zebra tea"}}
    last = [
        _line("u2", "user", _result("zebra tea", "t1"), **told),
        _line("a2", "assistant", [{"type": "text", "text": "Green tea."}]),
    ]
    transcript.write_text("\n".join(first + last) + "\n")
    memory.import_transcripts(transcript)
    assert memory.import_transcripts(transcript).messages == 0
    (session,) = memory.sessions.list()
    texts = [message.text for message in memory.sessions.messages(session.id)]
    assert texts == ["Which tea?", "", "", "Green tea."]
    assert _holds(memory.home, "zebra") + _holds(memory.home, "okapi") == []


SESSIONS = 50


def _recalling(memory: Memory, folder: Path, n: int) -> None:
    """A session of Claude Code that is given a block, asks the memory, and decides one thing."""
    name, project = f"5e55{n:04}-0000-4000-8000-000000000000", "/srv/app"
    session = memory.sessions.create(project=project).id
    block = memory.context(session, "Which tea?", client="claude-code").text
    found = memory.search("We decided on tea", 20)
    recalled = "\n".join([block, *(hit.snippet for hit in found.hits)])
    decided = f"We decided on tea {n:04} for the {n:04}th tin."
    calls = {
        f"a{n}": ("mcp__recollect__memory_search", {"query": "tea"}),
        f"b{n}": ("Bash", {"command": "recollect search tea | head"}),
        f"c{n}": ("Read", {"file_path": f"{memory.home}/transcripts/{session}.jsonl"}),
        f"d{n}": ("WebFetch", {"url": "http://127.0.0.1:37778/api/search"}),
    }
    lines = [_line(f"u{n}", "user", f"<system-reminder>{block}</system-reminder>\nWhich tea?")]
    lines.append(_line(f"v{n}", "user", f"{block}\nGo on."))
    for id_, (tool, given) in calls.items():
        lines.append(_line(f"q{id_}", "assistant", _call(tool, dict(given), id_)))
        result = {"toolUseResult": recalled}
        lines.append(_line(f"r{id_}", "user", _result(recalled, id_), **result))
        assert memory.observations.own_calls.includes(tool, given)
    lines.append(_line(f"z{n}", "assistant", [{"type": "text", "text": decided}]))
    (folder / f"{name}.jsonl").write_text("\n".join(lines).replace('"s1"', f'"{name}"') + "\n")
    memory.import_transcripts(folder)
    record = memory.observations.record
    record(session, event="prompt", input=f"{block} Which tea?", event_id="p")
    record(session, event="answer", output=f"{block}\n{decided}", event_id="a")
    shown = {"file_path": "a.md", "content": block}
    record(session, "Write", input=shown, output=block, tool_use_id="t")


def _stored(home: Path) -> int:
    """Characters of all texts that a home keeps, ids and numbers left out."""
    with recollect.open(home, overrides=WORDS_ONLY, live=False) as memory:
        said = 0
        for session in memory.sessions.list(limit=10_000):
            messages = memory.sessions.messages(session.id)
            said += sum(len(m.text) + len(repr(m.blocks)) + len(repr(m.metadata)) for m in messages)
        for each in memory.observations.list(limit=10_000):
            said += len(each.title) + len(each.summary) + len(each.input) + len(each.output)
        return said


@pytest.mark.slow
def test_sessions_that_recall_each_other_do_not_grow(tmp_path: Path) -> None:
    """Issue 11, shows: 50 sessions; each stores as much as the first, whatever it was given."""
    home, folder = tmp_path / "home", tmp_path / "projects" / "app"
    folder.mkdir(parents=True)
    sizes = [0]
    with recollect.open(home, overrides=WORDS_ONLY) as memory:
        for n in range(SESSIONS):
            _recalling(memory, folder, n)
            if n in {0, SESSIONS // 2 - 1, SESSIONS - 1}:
                sizes.append(_stored(home))
        block = memory.context(memory.sessions.create(project="/srv/app").id).text
    first, half, whole = sizes[1:]
    assert half - first == pytest.approx(first * (SESSIONS // 2 - 1), rel=0.02)
    assert whole - first == pytest.approx(first * (SESSIONS - 1), rel=0.02)
    assert block.count("We decided on tea 0007") == 1
