"""The processes that the index tests start, and kill; each speaks in lines on its pipes."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import recollect
from recollect.memory import Memory
from tests.integration.index.hashing import HashingEmbedder

BATCH = 45
"""Does not divide the 512 chunks at which a tail is sealed: segments are of uneven sizes."""
WORDS = "tea train harbour ledger garden invoice lamp violin copper winter bridge paper".split()


def say(line: str) -> None:
    """Send a line at once, also when the process is killed right after."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def open_lexical(home: str | Path, workspace: Path | None = None) -> Memory:
    """Open a home without an embedder."""
    return recollect.open(home, workspace, overrides={"embedding.provider": "none"})


def marker(number: int) -> str:
    """Return a word that stands in one message only."""
    return f"m{number:05d}x"


def said(number: int) -> str:
    """Return the text of the message that holds a marker."""
    chosen = random.Random(number).choices(WORDS, k=6)
    return f"{' '.join(chosen)} {marker(number)} {chosen[0]}"


def write(home: str, session_id: str, count: str) -> None:
    """Append messages in batches, sync, and then acknowledge the first and last new number."""
    with open_lexical(home) as memory:
        for first in range(0, int(count), BATCH):
            items = [("user", said(number)) for number in range(first, first + BATCH)]
            memory.sessions.append_many(session_id, items)
            memory.sync()
            say(f"{first} {first + BATCH}")


def read(home: str) -> None:
    """Ask for acknowledged markers: new ones and any older one; say each wrong answer."""
    chosen, asked = random.Random(4), 0
    with open_lexical(home) as memory:
        for line in sys.stdin:
            first, end = map(int, line.split())
            for number in (end - 1, chosen.randrange(first, end), chosen.randrange(end)):
                hits = memory.search(marker(number), limit=2).hits
                asked += 1
                if not hits or marker(number) not in hits[0].snippet:
                    say(f"wrong {number} of {end}: {[hit.snippet for hit in hits]}")
    say(f"asked {asked}")


def rebuild_again(home: str) -> None:
    """Rebuild until told to stop, and say how often that was."""
    rebuilt = 0
    with open_lexical(home) as memory:
        say("ready")
        for line in sys.stdin:
            if line == "stop\n":
                break
            rebuilt += memory.reindex().rebuilt
            say("rebuilt")
    say(f"rebuilt {rebuilt}")


def append(home: str, session_id: str) -> None:
    """Append each line of stdin and acknowledge it; nothing is synced."""
    with open_lexical(home) as memory:
        for line in sys.stdin:
            memory.sessions.append(session_id, "user", line.rstrip("\n"))
            say("appended")


def rebuild(home: str, version: str, log: str) -> None:
    """Rebuild once with an embedder, and tell every step."""
    with recollect.open(home, embedder=HashingEmbedder(version, Path(log))) as memory:
        say("opened")
        memory.reindex(lambda progress: say(f"{progress.stage} {progress.left}"))
        say("finished")


COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command for command in (write, read, rebuild_again, append, rebuild)
}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
