"""Who takes part: what each one promises, what it is installed from, and its environment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from recollect.core.errors import StoreError

CACHE = Path(".cache") / "peers"
_DONE = ".installed"


class PeerKind(msgspec.Struct, frozen=True, kw_only=True):
    """One participant.

    Attributes:
        name: As the tables show it.
        module: Of its adapter, in `benchmarks.peers.adapters`.
        requirements: What pip installs; empty for ours, which runs where the benchmarks run.
        promise: What an acknowledged write survives.
        searches: By what it finds.
        most: Texts that it is given at most; above that a run would take an hour.
        grows: Whether a single text can be added.
    """

    name: str
    module: str
    requirements: tuple[str, ...] = ()
    promise: str
    searches: str
    most: int = 10_000_000
    grows: bool = True


PEERS = (
    PeerKind(
        name="recollect",
        module="ours",
        promise="on the disk before the answer",
        searches="words, vectors, sessions",
    ),
    PeerKind(
        name="Chroma",
        module="chroma",
        requirements=("chromadb==1.5.9",),
        promise="in SQLite's log",
        searches="vectors",
    ),
    PeerKind(
        name="bm25s",
        module="bm25s_index",
        requirements=("bm25s==0.3.16", "PyStemmer==3.1.0"),
        promise="none until it is saved; static",
        searches="words",
        grows=False,
    ),
    PeerKind(
        name="FTS5",
        module="fts5",
        requirements=("numpy",),
        promise="a kill, not a power cut (WAL, NORMAL)",
        searches="words",
    ),
    PeerKind(
        name="LangGraph SQLite",
        module="langgraph",
        requirements=(
            "langgraph-checkpoint-sqlite==3.1.2",
            "pysqlite3-binary==0.5.4.post2",
            "numpy",
        ),
        promise="on the disk (its journal, FULL)",
        searches="vectors",
    ),
    PeerKind(
        name="txtai",
        module="txtai",
        requirements=("torch==2.13.0", "txtai==9.14.0"),
        promise="none until it is saved",
        searches="words, vectors",
    ),
    PeerKind(
        name="mem0",
        module="mem0",
        requirements=("mem0ai==2.2.1", "langchain", "numpy"),
        promise="on the disk (SQLite, its own Qdrant)",
        searches="vectors",
        most=10_000,
    ),
)


def interpreter_of(peer: PeerKind, cache: Path = CACHE) -> Path:
    """Return the Python that has the peer, installed on the first call.

    Raises:
        StoreError: pip failed.
    """
    if not peer.requirements:
        return Path(sys.executable)
    folder = cache.absolute() / peer.module
    python, done = folder / "bin" / "python", folder / _DONE
    wanted = "\n".join(peer.requirements)
    if not (done.is_file() and done.read_text(encoding="utf-8") == wanted):
        _run([sys.executable, "-m", "venv", "--clear", str(folder)], peer.name)
        _run([str(python), "-m", "pip", "install", "--quiet", *peer.requirements], peer.name)
        done.write_text(wanted, encoding="utf-8")
    return python


def _run(command: Sequence[str], name: str) -> None:
    completed = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if completed.returncode:
        last = next(iter(reversed(completed.stderr.strip().splitlines())), "no output")
        raise StoreError(f"{name} cannot be installed: {last}", hint="leave it out with --peer")
