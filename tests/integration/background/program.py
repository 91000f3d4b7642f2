"""A program that has a home open, as a library or as a worker; it obeys what comes on stdin."""

from __future__ import annotations

import sys
import threading
from functools import partial

import recollect
from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.pool import MemoryPool

WORDS = {"embedding.provider": "none"}


def tell(*words: object) -> None:
    """Say words on one line."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def say(memory: Memory, name: str, stopping: threading.Event, most: int) -> None:
    """Say numbered sentences, and tell the number of each that is stored."""
    session = memory.sessions.open(f"agent:main:{name}")
    for number in range(most):
        if stopping.is_set():
            return
        memory.sessions.append(session.id, "user", f"The {name}{number} apple fell.")
        tell("stored", f"{name}{number}")


def obey(memory: Memory) -> None:
    """Do what each line says, until there is none."""
    stopping = threading.Event()
    threads: list[threading.Thread] = []
    for line in sys.stdin:
        what, *rest = line.split()
        if what == "say":
            work = partial(say, memory, rest[0], stopping, int(rest[1]))
            threads.append(threading.Thread(target=work))
            threads[-1].start()
        elif what == "use":
            memory.search("apple")
            tell("used")
        elif what == "holder":
            held = memory.status().sync.held_by
            tell("holder", *(("none", "-") if held is None else (held.pid, held.role)))
    stopping.set()
    for thread in threads:
        thread.join()


def main(home: str, role: str, agent: str) -> None:
    """Open the home and obey."""
    scope = None if agent == "-" else Scope(agent=agent)
    if role == "worker":
        with MemoryPool(home, role="worker") as pool:
            tell("ready")
            obey(pool.memory(scope=scope))
    else:
        with recollect.open(home, scope=scope) as memory:
            tell("ready")
            obey(memory)


if __name__ == "__main__":
    main(*sys.argv[1:])
