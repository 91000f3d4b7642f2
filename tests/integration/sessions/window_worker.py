"""A program that talks in one session and keeps it within its window, until it is killed.

``HOME WORKSPACE SESSION``; writes the number of each turn on stdout, once it is stored. Started by
`test_window_kills`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from recollect.memory import Memory, open_memory

SETTINGS = {
    "embedding.provider": "none",
    "sessions.context.window_tokens": 1_000,
    "sessions.context.keep_messages": 6,
    "sessions.context.flush_soft_tokens": 200,
    "sessions.owner": ["telegram:42"],
    "sessions.time_zone": "UTC",
}


def statement(turn: int) -> str:
    """Return what the user states in a turn."""
    return f"Remember that box {turn} belongs to shelf {turn}."


def talk(memory: Memory, session_id: str) -> None:
    """Talk until the end, from where the session stands."""
    turn = memory.sessions.get(session_id).last_seq // 4
    while True:
        memory.sessions.append_many(
            session_id,
            [
                ("user", statement(turn)),
                ("assistant", [{"type": "tool_use", "id": f"c{turn}", "name": "note"}]),
                ("tool", [{"type": "tool_result", "tool_use_id": f"c{turn}", "content": "ok"}]),
                ("assistant", f"Box {turn} is noted."),
            ],
        )
        print(turn, flush=True)  # noqa: T201  # speaks with the test over a pipe
        memory.sessions.keep_within_window(session_id)
        turn += 1


if __name__ == "__main__":
    with open_memory(
        Path(sys.argv[1]), Path(sys.argv[2]), overrides=SETTINGS, live=False
    ) as opened:
        talk(opened, sys.argv[3])
