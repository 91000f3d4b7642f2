"""The race: every peer fills a store, then all answer in turn, three times over.

A peer is a process of its own environment that does what it is told (`benchmarks.peers.host`) with
one thread; nobody works while another one is measured.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryFile
from typing import Any

import msgspec

from benchmarks.datasets.corpus import DialogueSet, Question
from benchmarks.datasets.locomo import ADVERSARIAL
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.metrics import recall_at, reciprocal_rank
from benchmarks.measure.report import Grid
from benchmarks.peers.adapters import ours
from benchmarks.peers.material import write_conversation, write_synthetic
from benchmarks.peers.peers import PeerKind, interpreter_of
from benchmarks.quality.homes import Progress
from recollect.core.errors import StoreError
from recollect.models.embedding.embedder import Embedder

ROUNDS = 3
QUESTIONS = 150
SINGLES = 300
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


class PeerCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a peer took for one size.

    Attributes:
        peer: Its name.
        version: Its version.
        texts: How many it holds.
        new_ms: CPU time of a search in the first round, when no question was asked before.
        search_ms: The same: the least, the middle and the most of the rounds.
        search_wall_ms: The middle of the rounds.
        search_p95_ms: Wall time, the middle of the rounds.
        bulk: Texts a second by CPU and by wall, until all can be found.
        single: The same one by one; None where a text cannot be added.
        memory_mb: Resident memory over the start, in the process that wrote.
        reader_mb: The same in a fresh process, after its searches.
        disk_bytes: A text, everything included.
    """

    peer: str
    version: str
    texts: int
    new_ms: float
    search_ms: tuple[float, float, float]
    search_wall_ms: float
    search_p95_ms: float
    bulk: tuple[float, float]
    single: tuple[float, float] | None
    memory_mb: float
    reader_mb: float
    disk_bytes: float


class PeerQuality(msgspec.Struct, frozen=True, kw_only=True):
    """What a peer found on LoCoMo, categories 1 to 4, a store for each conversation."""

    peer: str
    questions: int
    recall: float
    rank: float


class PeerRun(msgspec.Struct, frozen=True, kw_only=True):
    """A whole race."""

    environment: Environment
    peers: tuple[PeerKind, ...]
    costs: tuple[PeerCost, ...]
    quality: tuple[PeerQuality, ...]


class PeerProcess:
    """A peer that waits for orders; a context manager."""

    def __init__(self, peer: PeerKind, material: Path) -> None:
        own = {**dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": str(Path.cwd())}
        self.peer = peer
        self._log = TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = subprocess.Popen(  # noqa: S603 - an interpreter and a module of ours
            [
                str(interpreter_of(peer)),
                *("-m", "benchmarks.peers.host"),
                f"benchmarks.peers.adapters.{peer.module}",
                str(material),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ, **own},  # noqa: TID251 - a peer needs a PATH and a HOME
        )

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process, self._log:
            self._process.kill()

    def do(self, order: str, **given: object) -> Any:
        """Return the answer to an order.

        Raises:
            StoreError: the process ended instead.
        """
        assert self._process.stdin is not None  # noqa: S101 - for the type checker
        assert self._process.stdout is not None  # noqa: S101
        try:
            self._process.stdin.write(json.dumps({"do": order, **given}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self._process.wait()
            self._log.seek(0)
            last = (self._log.read().decode(errors="replace").strip() or "no output").splitlines()
            message = f"{self.peer.name} failed at {order}: {last[-1]}"
            raise StoreError(message, hint="leave it out with --peer")
        return json.loads(line)


class Race:
    """Runs peers side by side.

    Args:
        root: Where material and stores are written.
        peers: Who takes part.
        progress: Told what goes on.
    """

    def __init__(self, root: Path, peers: Sequence[PeerKind], progress: Progress) -> None:
        self._root = root
        self._peers = peers
        self._progress = progress

    def costs(self, texts: int, seed: int) -> tuple[PeerCost, ...]:
        """Return what each peer took for ``texts`` made-up texts.

        Raises:
            StoreError: a peer failed.
        """
        material = self._material(texts)
        write_synthetic(material, texts + SINGLES, QUESTIONS, seed)
        peers = [peer for peer in self._peers if texts <= peer.most]
        with ExitStack() as opened:
            running = [opened.enter_context(PeerProcess(peer, material)) for peer in peers]
            filled = [self._fill(each, texts) for each in running]
            rounds: list[list[Any]] = [[] for _ in running]
            for number in range(ROUNDS):
                for position, each in enumerate(running):
                    self._progress(f"asking {each.peer.name}", number, ROUNDS)
                    rounds[position].append(each.do("ask", first=0, last=QUESTIONS))
            memory = [each.do("memory") for each in running]
            for each in running:
                each.do("close")
        found = tuple(
            self._cost(peer, texts, *measured)
            for peer, *measured in zip(peers, filled, rounds, memory, strict=True)
        )
        for peer in peers:
            shutil.rmtree(self._store(peer, texts), ignore_errors=True)
        shutil.rmtree(material)
        return found

    def _material(self, texts: int) -> Path:
        return self._root / f"material-{texts}"

    def _store(self, peer: PeerKind, texts: int) -> Path:
        return self._root / f"{peer.module}-{texts}"

    def _fill(self, running: PeerProcess, texts: int) -> dict[str, Any]:
        peer = running.peer
        self._progress(f"filling {peer.name}", 0, texts)
        running.do("open", folder=str(self._store(peer, texts)))
        bulk = running.do("bulk", count=texts)
        single = running.do("single", count=SINGLES) if peer.grows else None
        return {"bulk": bulk, "single": single, "version": running.do("version")}

    def _cost(
        self, peer: PeerKind, texts: int, filled: Any, rounds: Sequence[Any], memory_mb: float
    ) -> PeerCost:
        store = self._store(peer, texts)
        new_ms, *again = (each["cpu_s"] / QUESTIONS * 1000 for each in rounds)
        cpu = sorted((new_ms, *again))
        single = filled["single"]
        return PeerCost(
            peer=peer.name,
            version=filled["version"],
            texts=texts,
            new_ms=new_ms,
            search_ms=(cpu[0], median(cpu), cpu[-1]),
            search_wall_ms=median(each["wall_s"] / QUESTIONS * 1000 for each in rounds),
            search_p95_ms=median(each["p95_s"] * 1000 for each in rounds),
            bulk=_rates(texts, filled["bulk"]),
            single=None if single is None else _rates(SINGLES, single),
            memory_mb=memory_mb,
            reader_mb=self._reader_mb(peer, texts),
            disk_bytes=_size(store) / (texts + SINGLES * peer.grows),
        )

    def _reader_mb(self, peer: PeerKind, texts: int) -> float:
        with PeerProcess(peer, self._material(texts)) as reader:
            reader.do("open", folder=str(self._store(peer, texts)))
            reader.do("ask", first=0, last=QUESTIONS)
            return float(reader.do("memory"))

    def quality(self, data: DialogueSet, embedder: Embedder) -> tuple[PeerQuality, ...]:
        """Return what each peer finds on ``data``, a store for each conversation.

        Raises:
            StoreError: a peer failed.
        """
        ranked: dict[str, list[tuple[float, float]]] = {peer.name: [] for peer in self._peers}
        for done, conversation in enumerate(data.conversations):
            asked = [
                question
                for question in data.questions
                if question.cluster == conversation.key and question.group != ADVERSARIAL
            ]
            if not asked:
                continue
            folder = self._root / f"quality-{conversation.key}"
            keys = write_conversation(folder / "material", conversation, asked, embedder)
            (folder / ours.MODEL).touch()
            for peer in self._peers:
                self._progress(f"asking {peer.name}", done, len(data.conversations))
                ranked[peer.name] += self._find(peer, folder, keys, asked)
            shutil.rmtree(folder)
        return tuple(
            PeerQuality(
                peer=name,
                questions=len(found),
                recall=fmean(recall for recall, _ in found),
                rank=fmean(rank for _, rank in found),
            )
            for name, found in ranked.items()
        )

    def _find(
        self, peer: PeerKind, folder: Path, keys: Sequence[str], asked: Sequence[Question]
    ) -> list[tuple[float, float]]:
        with PeerProcess(peer, folder / "material") as running:
            running.do("open", folder=str(folder / peer.module))
            running.do("bulk", count=len(keys))
            answers = running.do("answers")
        found = []
        for question, numbers in zip(asked, answers, strict=True):
            ranked = [keys[number] for number in numbers]
            found.append(
                (recall_at(ranked, question.gold, 10), reciprocal_rank(ranked, question.gold))
            )
        return found


def _rates(count: int, spent: dict[str, float]) -> tuple[float, float]:
    return count / max(spent["cpu_s"], 1e-9), count / max(spent["wall_s"], 1e-9)


def _size(store: Path) -> int:
    if store.is_file():
        return store.stat().st_size
    return sum(path.stat().st_size for path in store.rglob("*") if path.is_file())


def describe_peers(run: PeerRun) -> list[str]:
    """Return lines that say what was run on what."""
    return [
        *describe_lines(run.environment),
        f"{QUESTIONS} questions of 8 words, {ROUNDS} rounds in turn, one thread; CPU of the whole "
        "process; vectors given",
    ]


def peer_grids(run: PeerRun) -> list[Grid]:
    """Return quality beside speed, what keeping costs, and who the peers are."""
    found = {each.peer: each for each in run.quality}
    versions = {cost.peer: cost.version for cost in run.costs}
    return [
        Grid(
            title="Searches",
            columns=(
                "peer",
                "texts",
                "R@10",
                "MRR",
                "CPU ms",
                "new",
                "least",
                "most",
                "p95 wall ms",
            ),
            rows=tuple(_search_row(cost, found.get(cost.peer)) for cost in run.costs),
        ),
        Grid(
            title="Keeping",
            columns=(
                *("peer", "texts", "bulk / CPU s", "/ s", "one by one / CPU s", "/ s"),
                *("MB, writer", "MB, reader", "kB a text"),
            ),
            rows=tuple(_keeping_row(cost) for cost in run.costs),
        ),
        Grid(
            title="Peers",
            columns=("peer", "version", "finds by", "an acknowledged text is"),
            rows=tuple(
                (peer.name, versions.get(peer.name, "-"), peer.searches, peer.promise)
                for peer in run.peers
            ),
        ),
    ]


def _search_row(cost: PeerCost, quality: PeerQuality | None) -> tuple[str, ...]:
    least, middle, most = cost.search_ms
    found = ("-", "-") if quality is None else (f"{quality.recall:.3f}", f"{quality.rank:.3f}")
    times = (middle, cost.new_ms, least, most, cost.search_p95_ms)
    return (cost.peer, f"{cost.texts:,}", *found, *(f"{ms:.2f}" for ms in times))


def _keeping_row(cost: PeerCost) -> tuple[str, ...]:
    single = ("-", "-") if cost.single is None else tuple(f"{rate:,.0f}" for rate in cost.single)
    memory = (f"{cost.memory_mb:,.0f}", f"{cost.reader_mb:,.0f}", f"{cost.disk_bytes / 1000:.1f}")
    return (cost.peer, f"{cost.texts:,}", *(f"{rate:,.0f}" for rate in cost.bulk), *single, *memory)
