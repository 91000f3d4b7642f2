"""Own calls: what asks this memory makes no memory; what only names it does."""

from __future__ import annotations

import pytest

from recollect.observations.recalled import OwnCalls

OURS = OwnCalls(["/home/ann/.recollect", "~/.recollect", "$HOME/.recollect"], frozenset({37778}))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mcp__recollect__memory_search", {"query": "tea"}),
        ("mcp__plugin_recollect_memory__get_observations", {"ids": ["#1"]}),
        ("memory_search", {"query": "tea"}),
        ("recollect.timeline", {}),
        ("Bash", {"command": "recollect search 'tea'"}),
        ("Bash", {"command": "cd /tmp && RECOLLECT_HOME=/x recollect get '#12' | head"}),
        ("exec", {"command": ["bash", "-lc", "uv run recollect context"]}),
        ("Bash", {"command": "python3 -m recollect search tea"}),
        ("Bash", {"command": "/home/ann/.venv/bin/recollect --json search tea"}),
        ("Bash", {"command": "echo $(recollect search tea)"}),
        ("Bash", {"command": "curl -s http://127.0.0.1:37778/api/search -d '{}'"}),
        ("WebFetch", {"url": "http://localhost:37778/api/observations/12"}),
        ("Read", {"file_path": "/home/ann/.recollect/transcripts/a.jsonl"}),
        ("Read", {"file_path": "/home/ann/code/../.recollect/transcripts/a.jsonl"}),
        ("Bash", {"command": "cat ~/.recollect/notes/x.md"}),
        ("Bash", "grep -r tea '/home/ann/.recollect'"),
    ],
)
def test_a_call_that_asks_the_memory_is_our_own(tool: str, arguments: object) -> None:
    """docs/observations.md: tools under any prefix, commands, requests, reads below the home."""
    assert OURS.includes(tool, arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Read", {"file_path": "src/recollect/memory.py"}),
        ("Bash", {"command": "git log --grep recollect"}),
        ("Bash", {"command": "pip install recollect"}),
        ("Bash", {"command": "cat /home/ann/.recollection/a"}),
        ("Bash", {"command": "curl http://127.0.0.1:8000/api/search"}),
        ("mcp__github__forget", {}),
        ("mcp__stopwatch__timeline", {}),
        ("Grep", {"pattern": "I recollect that", "path": "docs"}),
        ("Write", {"file_path": "docs/a.md", "content": "$ x\nrecollect search tea\n"}),
        ("Edit", {"file_path": "a.md", "new_string": "see `recollect get '#1'`, ~/.recollect/x"}),
        ("Task", {"prompt": "recollect what we know", "description": "recollect it"}),
        ("Grep", {"pattern": "recollect get"}),
        (None, None),
    ],
)
def test_a_call_that_only_names_it_is_not(tool: str | None, arguments: object) -> None:
    """What is worked on is captured, also where recollect itself is worked on."""
    assert not OURS.includes(tool, arguments)
