"""What starts a sync in OpenClaw starts one here, and does not read more than it does there."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import recollect
from recollect.memory import Memory

PATIENCE_S = 30.0
SETTINGS = {
    "embedding.provider": "none",
    "sessions.mirror": False,
    "sync.watch_debounce_ms": 20,
    "sync.poll_s": 0.1,
}


def _until(condition: Callable[[], object]) -> None:
    waited = threading.Event()
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it never came"
        waited.wait(0.01)


def _say(file: Path, text: str) -> None:
    message = {"role": "user", "content": text}
    with file.open("a", encoding="utf-8") as transcript:
        transcript.write(json.dumps({"type": "message", "message": message}) + "\n")


def _open(tmp_path: Path, **settings: object) -> Memory:
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True, exist_ok=True)
    followed = {"workspace.transcripts": [str(tmp_path / "talk.jsonl")]}
    overrides = SETTINGS | followed | settings
    return recollect.open(tmp_path / "home", workspace, overrides=overrides)


def test_a_changed_file_does_not_cause_transcripts_to_be_read(tmp_path: Path) -> None:
    """They wait for their own rest or amount, however often notes are saved."""
    talk = tmp_path / "talk.jsonl"
    _say(talk, "The first teapot.")
    with _open(tmp_path, **{"sync.transcripts.debounce_ms": 600_000}) as memory:
        memory.search("anything")
        _until(lambda: memory.status().messages == 1 and not memory.status().sync.dirty)
        _until(lambda: memory.status().sync.watching == "notify")
        _say(talk, "The second teapot.")
        (tmp_path / "workspace/memory/a.md").write_text("A kettle.\n", encoding="utf-8")
        _until(lambda: memory.status().sync.last_reason == "watch")
        assert memory.status().messages == 1
        assert memory.search("kettle").hits
        assert memory.search("second teapot").hits[0].snippet.startswith("The second")
        assert memory.status().messages == 2


def test_enough_new_lines_cause_a_transcript_to_be_read_at_once(tmp_path: Path) -> None:
    """Here after two lines, without the rest that fewer would need."""
    talk = tmp_path / "talk.jsonl"
    _say(talk, "The first teapot.")
    settings = {"sync.transcripts.debounce_ms": 600_000, "sync.transcripts.delta_messages": 2}
    with _open(tmp_path, **settings) as memory:
        memory.search("anything")
        _until(lambda: memory.status().messages == 1 and not memory.status().sync.dirty)
        _until(lambda: memory.status().sync.watching == "notify")
        for number in range(2):
            _say(talk, f"Teapot number {number}.")
        _until(lambda: memory.status().messages == 3)
        _until(lambda: memory.status().sync.last_reason == "transcript")
