"""What the real Claude Code 2.1.330 handed to hooks and wrote, recorded run by run.

`tests/agents/record.py` wrote the files; words of the client are cut short or taken out, paths and
ids are made up.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).parents[1] / "fixtures" / "claude_code"
PROJECTS = "/home/ana/.claude/projects/-home-ana-shop"


def events(run: str) -> list[dict[str, Any]]:
    """Return the payloads of a run, in the order of its hooks.

    Args:
        run: ``plain``, ``resumed`` and ``forked`` are one conversation and its fork; ``work`` uses
            every kind of tool and a sub-agent, ``compacted`` and ``after_compaction`` go on with
            it; ``denied``, ``refused``, ``command`` and ``interrupted`` are alone.
    """
    return _lines(f"{run}.events")


def transcript(session: str) -> list[dict[str, Any]]:
    """Return the lines of a transcript.

    Args:
        session: ``plain``, ``forked``, ``work`` (before it was compacted), ``compacted`` (all of
            it), ``forked_compacted``, ``interrupted``; ``work.agent1`` is that of its sub-agent.
    """
    return _lines(session)


def _lines(name: str) -> list[dict[str, Any]]:
    text = (RECORDINGS / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
