"""What a search costs whoever hears a part of a home, beside its owner, in one run.

Sessions of three hearers in one home: of the owner, of a guest who said half of all, and of a guest
who said one message in a hundred. Each question has words of a message that the guest hears; owner
and guest ask it in turn, each first in every other question.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import msgspec

import recollect
from benchmarks.datasets.corpus import DatedSession
from benchmarks.datasets.synthetic import SESSION_MESSAGES, SyntheticCorpus, TargetedQuery
from benchmarks.load.clustered import ClusteredEmbedder
from benchmarks.load.probe import SEARCH_LIMIT
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Stopwatch, latency_of
from benchmarks.quality.homes import Progress
from benchmarks.quality.product import Mode

KEYS = {"half": "telegram:2", "one in a hundred": "telegram:3"}
"""The session of each guest that asks; the owner asks without one."""
MODES: tuple[Mode, ...] = ("lexical", "hybrid")
_OWNERS = "agent:main:main"
_WARM_UP = 10


class HearerCost(msgspec.Struct, frozen=True, kw_only=True):
    """What the same questions cost a guest and the owner.

    Attributes:
        hears: How much the guest hears.
        mode: Of the search.
        is_written: Whether somebody else stored a message before each question.
        messages: In the home.
        guest: Searches for the guest.
        owner: Searches for the owner.
        found: The share of questions whose message was among the guest's ten best.
    """

    hears: str
    mode: Mode
    is_written: bool
    messages: int
    guest: Latency
    owner: Latency
    found: float


class HearerRun(msgspec.Struct, frozen=True, kw_only=True):
    """Every guest and mode, all from one seed."""

    environment: Environment
    seed: int
    costs: tuple[HearerCost, ...]


class HearerRunner:
    """Fills one home and asks.

    Args:
        root: Where it is filled.
        progress: Told what goes on.
    """

    def __init__(self, root: Path, progress: Progress) -> None:
        self._root = root
        self._progress = progress

    def run(self, messages: int, queries: int, seed: int) -> tuple[HearerCost, ...]:
        """Return what searches in a home of so many messages cost.

        Raises:
            RecollectError: the product failed.
        """
        corpus, home = SyntheticCorpus(seed), self._root / f"hearers-{messages}-{seed}"
        asked = {name: _questions(corpus, name, messages, queries) for name in KEYS}
        near = {each.text: each.target for found in asked.values() for each in found}
        embedder = ClusteredEmbedder(seed, near)
        with recollect.open(home, embedder=embedder, live=False) as memory:
            self._fill(memory, corpus, messages)
            return tuple(
                self._cost(memory, name, asked[name], mode, messages, is_written=is_written)
                for is_written in (False, True)
                for name in KEYS
                for mode in MODES
            )

    def _fill(self, memory: recollect.Memory, corpus: SyntheticCorpus, messages: int) -> None:
        for number, session in enumerate(corpus.sessions(messages)):
            self._progress("storing", number * SESSION_MESSAGES, messages)
            key = _key_of(number)
            stored = memory.sessions.reset(key) if key else memory.sessions.create(key=_OWNERS)
            memory.sessions.append_many(stored.id, _messages(session))
        self._progress("indexing", 0, messages)
        memory.sync()
        self._progress("indexing", messages, messages)

    def _cost(
        self,
        memory: recollect.Memory,
        name: str,
        asked: Sequence[TargetedQuery],
        mode: Mode,
        messages: int,
        *,
        is_written: bool,
    ) -> HearerCost:
        guest, other = memory.sessions.open(KEYS[name]).id, memory.sessions.open(_OWNERS).id
        watches, found = {guest: Stopwatch(), None: Stopwatch()}, 0
        warm_up = asked[:_WARM_UP]
        for number, query in enumerate([*warm_up, *asked]):
            self._progress(f"{name}, {mode}", number, len(asked) + len(warm_up))
            for hearer in (guest, None) if number % 2 else (None, guest):
                if is_written:
                    memory.sessions.append(other, "user", query.target)
                with watches[hearer].lap():
                    answer = memory.search(
                        query.text, limit=SEARCH_LIMIT, mode=mode, for_session=hearer
                    )
                if hearer is not None and number >= len(warm_up):
                    found += any(hit.snippet in query.target for hit in answer.hits)
        return HearerCost(
            hears=name,
            mode=mode,
            is_written=is_written,
            messages=messages,
            guest=latency_of(watches[guest].laps[len(warm_up) :]),
            owner=latency_of(watches[None].laps[len(warm_up) :]),
            found=found / len(asked),
        )


def _key_of(number: int) -> str | None:
    """Return the key of a session by its number; None for one of the owner's."""
    if number % 100 == 1:
        return KEYS["one in a hundred"]
    return KEYS["half"] if number % 2 == 0 else None


def _questions(
    corpus: SyntheticCorpus, name: str, messages: int, count: int
) -> list[TargetedQuery]:
    """Return questions whose message a guest hears."""
    every = corpus.queries(messages, max(count, messages // SESSION_MESSAGES))
    step = messages / len(every) / SESSION_MESSAGES
    heard = [q for n, q in enumerate(every) if _key_of(int(n * step)) == KEYS[name]]
    return list(islice(cycle(heard), count))


def _messages(session: DatedSession) -> list[dict[str, object]]:
    return [{"role": t.role, "content": t.text, "at": t.at} for t in session.turns]


def describe_hearers(run: HearerRun) -> list[str]:
    """Return lines that say what was run on what."""
    return [*describe_lines(run.environment), f"seed {run.seed}"]


def hearer_grids(run: HearerRun) -> list[Grid]:
    """Return a row for each guest and mode."""
    rows = tuple(
        (
            f"{cost.messages:,}",
            cost.hears,
            cost.mode,
            "yes" if cost.is_written else "no",
            f"{cost.owner.cpu_ms.p50:.2f}",
            f"{cost.guest.cpu_ms.p50:.2f}",
            f"{cost.owner.cpu_ms.mean:.2f}",
            f"{cost.guest.cpu_ms.mean:.2f}",
            f"{cost.guest.cpu_ms.mean / max(cost.owner.cpu_ms.mean, 1e-9):.2f}",
            f"{cost.found:.2f}",
        )
        for cost in run.costs
    )
    columns = (
        "messages", "hears", "mode", "one stored before each", "owner CPU ms p50", "guest p50",
        "owner mean", "guest mean", "guest / owner", "found in 10",
    )  # fmt: skip
    return [Grid(title="Who hears a part, beside the owner", columns=columns, rows=rows)]
