"""A fresh process that opens a home, searches it, and says how long that took and what it holds.

Run by `run_probe`, as ``python -m benchmarks.load.probe REQUEST ANSWER``; both are JSON files, so
nothing that a library prints can get between.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import msgspec

from benchmarks.datasets.synthetic import TargetedQuery
from benchmarks.load.clustered import ClusteredEmbedder
from benchmarks.measure.environment import resident_memory
from benchmarks.measure.results import ProcessCost
from benchmarks.quality.product import Mode, open_product
from recollect.core.clock import SystemClock
from recollect.core.errors import StoreError

SEARCH_LIMIT = 10
"""Hits asked for by every search of a load run."""

_TIMEOUT_S = 600


class ProbeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the process is to do; without ``vector_seed`` it opens the home without an embedder."""

    home: Path
    mode: Mode
    queries: list[TargetedQuery]
    vector_seed: int | None
    started_ms: int


def run_probe(
    folder: Path, *, home: Path, mode: Mode, queries: list[TargetedQuery], vector_seed: int | None
) -> ProcessCost:
    """Return what a new process says about ``home``.

    Args:
        folder: Where the two files of the exchange are written.
        home: The home to open.
        mode: The mode of every search.
        queries: At least one.
        vector_seed: Seed of the scripted embedder; None: as the home is configured.

    Raises:
        StoreError: the process failed; its last line is the message.
    """
    request, answer = folder / f"probe-{mode}.request", folder / f"probe-{mode}.answer"
    request.write_bytes(
        msgspec.json.encode(
            ProbeRequest(
                home=home,
                mode=mode,
                queries=queries,
                vector_seed=vector_seed,
                started_ms=SystemClock().now_ms(),
            ),
            enc_hook=str,
        )
    )
    command = [sys.executable, "-m", "benchmarks.load.probe", str(request), str(answer)]
    run_command(command)
    return msgspec.json.decode(answer.read_bytes(), type=ProcessCost)


def time_command(home: Path, query: str, repeats: int) -> tuple[float, ...]:
    """Return the wall milliseconds of ``recollect search`` as new processes.

    Raises:
        StoreError: the command failed; its last line is the message.
    """
    start = "import sys; from recollect.cli.main import main; sys.exit(main())"
    command = [
        sys.executable, "-c", start, "--home", str(home), "search", query, "--json",
    ]  # fmt: skip
    spent: list[float] = []
    for _ in range(repeats):
        began = time.perf_counter()
        run_command(command)
        spent.append((time.perf_counter() - began) * 1000)
    return tuple(spent)


def answer_probe(request: Path, answer: Path) -> None:
    """Do what the request says and write the answer.

    Raises:
        RecollectError: the home cannot be opened or searched.
    """
    wanted = msgspec.json.decode(request.read_bytes(), type=ProbeRequest, dec_hook=_path)
    near = {query.text: query.target for query in wanted.queries}
    seed = wanted.vector_seed
    embedder = None if seed is None else ClusteredEmbedder(seed, near)
    began = time.perf_counter()
    with open_product(wanted.home, embedder=embedder) as memory:
        opened = time.perf_counter()
        opened_memory = resident_memory()
        answered, answered_ms = opened, 0
        for position, query in enumerate(wanted.queries):
            memory.search(query.text, limit=SEARCH_LIMIT, mode=wanted.mode)
            if position == 0:
                answered, answered_ms = time.perf_counter(), SystemClock().now_ms()
        searched_memory = resident_memory()
    cost = ProcessCost(
        mode=wanted.mode,
        start_to_answer_ms=answered_ms - wanted.started_ms,
        open_ms=(opened - began) * 1000,
        first_search_ms=(answered - opened) * 1000,
        opened_mb=opened_memory.now_mb if opened_memory else None,
        searched_mb=searched_memory.now_mb if searched_memory else None,
        peak_mb=searched_memory.peak_mb if searched_memory else None,
    )
    answer.write_bytes(msgspec.json.encode(cost))


def run_command(command: list[str]) -> None:
    """Run a process to its end and forget what it printed.

    Raises:
        StoreError: it failed; its last line is in the message.
    """
    completed = subprocess.run(  # noqa: S603 - our own interpreter, our own arguments
        command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
    )
    if completed.returncode != 0:
        last = (completed.stderr.strip().splitlines() or ["no message"])[-1]
        raise StoreError(f"a fresh process failed: {last}", hint="run it again with --keep")


def _path(_kind: type, value: object) -> Path:
    return Path(str(value))


if __name__ == "__main__":
    answer_probe(Path(sys.argv[1]), Path(sys.argv[2]))
