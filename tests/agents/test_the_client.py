"""What the real Claude Code hands to hooks and writes, on which our mapping relies.

Where a newer client differs, it shows here first and not in a lost observation.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.agents.claude_code import ClaudeCode
from tests.agents.messages_api import MessagesApi, Script, Use
from tests.agents.recording import Recording

PERMITTED = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash", "Agent")


def test_events_come_in_order_and_a_tool_carries_its_id(
    claude: ClaudeCode, messages_api: MessagesApi, recording: Recording, project: Path
) -> None:
    """Source: hooks_and_rewind 1.3; the real client."""
    note = {"file_path": str(project / "note.txt"), "content": "one\n"}
    messages_api.script = Script(main=[[Use("Write", note, "toolu_w")], ["Written."]])
    run = claude.run("Write a note", "--settings", recording.settings, *PERMITTED, folder=project)
    assert recording.names() == [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolBatch",
        "MessageDisplay",
        "Stop",
        "SessionEnd",
    ]
    assert {one["session_id"] for one in recording.payloads()} == {run.session_id}
    (transcript,) = claude.transcripts()
    assert {one["transcript_path"] for one in recording.payloads()} == {str(transcript)}
    (after,) = recording.payloads("PostToolUse")
    assert (after["tool_use_id"], after["tool_response"]["originalFile"]) == ("toolu_w", None)
    (prompt,) = recording.payloads("UserPromptSubmit")
    lines = [json.loads(line) for line in transcript.read_text("utf-8").splitlines()]
    said = [one for one in lines if one.get("promptId") == prompt["prompt_id"]]
    assert said[0]["message"]["content"] == "Write a note"
