"""What answering costs beside the model: from a message that comes in to its prompt.

A home of many conversations is filled with vectors made by hash; the questions, and the messages
that come in, are embedded by the local model. The language model answers at once, so that what is
left is ours: storing, indexing the new message, search, view and context block. People need longer
for a message than the background for the one before, so it is awaited, and has a row of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import msgspec

import recollect
from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.load.clustered import ClusteredEmbedder
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Spent, latency_of
from benchmarks.quality.homes import Progress, complete_folder
from recollect.core.bill import TokenUse
from recollect.core.settings import EmbeddingSettings
from recollect.memory import Memory
from recollect.models import registry
from recollect.models.cancellation import Cancellation
from recollect.models.dependencies import Dependencies
from recollect.models.embedding.embedder import Embedder, Vectors
from recollect.models.embedding.embedder import Progress as EmbedderProgress
from recollect.models.language.model import Completion, OnPiece, Prompt, Toolbox
from recollect.models.registry import create_local

_BATCH = 200
"""Sessions that are stored between two rounds of indexing."""
_PEOPLE = 50
_WARM_UP = 2 * _PEOPLE
"""Each conversation is under way: its context block is made once."""
_ANSWER = "That was on Tuesday, as far as I know. "
_SETTINGS: dict[str, object] = {
    "language.provider": "bench",
    "language.uses": ("respond",),
    "auto_responder.debounce_ms": 0,
    "sessions.owner": ("telegram:1",),
}
TARGET_MS = 30.0


class RespondPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        messages: In the home.
        rounds: Messages that come in, one after the other.
        seed: The same seed makes the same texts.
    """

    messages: int = 100_000
    rounds: int = 300
    seed: int = 7


class RespondRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run.

    Attributes:
        environment: Where it ran.
        plan: What was measured.
        prompt: From the call until the model is asked.
        piece: From the model's first piece until the caller has it.
        whole: The whole call.
        background: What an answer leaves to the background: vectors, facts, episodes.
        tokens: Of the prompts, on average.
    """

    environment: Environment
    plan: RespondPlan
    prompt: Latency
    piece: Latency
    whole: Latency
    background: Latency
    tokens: float


class _Embedder:
    """Makes vectors by hash, or with the local model from some moment on."""

    def __init__(self, seed: int) -> None:
        self._hashed = ClusteredEmbedder(seed)
        self._local: Embedder = create_local("local", EmbeddingSettings(), Dependencies())
        self.is_local = False
        self.model, self.fingerprint = self._hashed.model, self._hashed.fingerprint
        self.dimensions, self.is_remote = self._hashed.dimensions, False

    def embed_documents(
        self, texts: Sequence[str], progress: EmbedderProgress | None = None
    ) -> Vectors:
        """Return vectors of texts."""
        embedder = self._local if self.is_local else self._hashed
        return embedder.embed_documents(texts, progress)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question."""
        return self._local.embed_query(text)

    def close(self) -> None:
        """Close the local model."""
        self._local.close()


class _Model:
    """Answers at once, and notes when it was asked."""

    name, is_remote = "bench:model", False

    def __init__(self) -> None:
        self.asked: list[tuple[float, float]] = []
        self.tokens = 0

    def stream(
        self,
        prompt: Prompt,
        on_piece: OnPiece,
        *,
        toolbox: Toolbox | None = None,
        cancellation: Cancellation | None = None,
    ) -> Completion:
        """Return the answer."""
        del toolbox, cancellation
        self.asked.append((time.process_time(), time.perf_counter()))
        self.tokens += (len(prompt.system) + sum(len(m.text) for m in prompt.messages)) // 4
        on_piece(_ANSWER)
        use = TokenUse(input=1, output=1)
        return Completion(text=_ANSWER, use=use, usd=0.0, model=self.name, finish="stop")

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer."""
        return self.stream(prompt, lambda _: None)

    def close(self) -> None:
        """Do nothing."""


class RespondRunner:
    """Measures one home.

    Args:
        folder: Where the home is made; a filled one is used again.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, folder: Path, environment: Environment, progress: Progress) -> None:
        self._folder = folder
        self._environment, self._progress = environment, progress

    def run(self, plan: RespondPlan) -> RespondRun:
        """Return the figures.

        Raises:
            RecollectError: the home cannot be made or read.
        """
        home = self._folder / f"respond-{plan.messages}-{plan.seed}"
        if not home.exists():
            with complete_folder(home) as folder:
                self._fill(folder, plan)
        model, embedder = _Model(), _Embedder(plan.seed)
        embedder.is_local = True
        _offer(model)
        with recollect.open(home, overrides=_SETTINGS, embedder=embedder, live=False) as memory:
            laps = self._ask(memory, model, plan)
        prompt, piece, whole, after = (latency_of(each) for each in zip(*laps, strict=True))
        return RespondRun(
            environment=self._environment,
            plan=plan,
            prompt=prompt,
            piece=piece,
            whole=whole,
            background=after,
            tokens=model.tokens / len(model.asked),
        )

    def _fill(self, home: Path, plan: RespondPlan) -> None:
        corpus, embedder = SyntheticCorpus(plan.seed), _Embedder(plan.seed)
        owner = {"sessions.owner": _SETTINGS["sessions.owner"]}  # a change rebuilds the index
        with recollect.open(home, overrides=owner, embedder=embedder, live=False) as memory:
            stored = number = 0
            while stored < plan.messages:
                session = memory.sessions.create(_key(number), title=f"Talk {number}")
                turns = corpus.session(number).turns[: plan.messages - stored]
                memory.sessions.append_many(session.id, [(t.role, t.text) for t in turns])
                stored, number = stored + len(turns), number + 1
                if number % _BATCH == 0 or stored == plan.messages:
                    self._progress("filling the home", stored, plan.messages)
                    memory.sync()

    def _ask(self, memory: Memory, model: _Model, plan: RespondPlan) -> list[tuple[Spent, ...]]:
        chance = Random(plan.seed)  # noqa: S311  # no key
        corpus = SyntheticCorpus(plan.seed)
        laps: list[tuple[Spent, ...]] = []
        for number in range(_WARM_UP + plan.rounds):
            self._progress("answering", number, _WARM_UP + plan.rounds)
            turn = chance.choice(corpus.session(chance.randrange(plan.messages // 30)).turns)
            words = turn.text.split()
            begin = chance.randrange(max(1, len(words) - 14))
            text = " ".join(words[begin : begin + 14])
            began = (time.process_time(), time.perf_counter())
            first: tuple[float, float] | None = None
            for event in memory.respond_stream(_key(number % _PEOPLE), text, "telegram:1"):
                if event.kind == "piece" and first is None:
                    first = (time.process_time(), time.perf_counter())
            ended = (time.process_time(), time.perf_counter())
            memory.sync()
            idle = (time.process_time(), time.perf_counter())
            if number >= _WARM_UP and first is not None:
                asked = model.asked[-1]
                moments = ((began, asked), (asked, first), (began, ended), (ended, idle))
                laps.append(tuple(_spent(*each) for each in moments))
        return laps


def _spent(began: tuple[float, float], ended: tuple[float, float]) -> Spent:
    return Spent(cpu_s=ended[0] - began[0], wall_s=ended[1] - began[1])


def _shown(of: Latency) -> list[str]:
    figures = (of.cpu_ms.p50, of.cpu_ms.p95, of.wall_ms.p50, of.wall_ms.p95)
    return [f"{ms:.1f}" for ms in figures]


def _key(number: int) -> str:
    return f"agent:main:telegram:direct:{number % _PEOPLE + 1}"


def _offer(model: _Model) -> None:
    """Let the provider ``bench`` be a model."""
    _MODELS["bench"] = model
    models = registry.LANGUAGE_MODELS
    built_in = {**models.built_in, "bench": f"{__name__}:create"}
    registry.LANGUAGE_MODELS = msgspec.structs.replace(models, built_in=built_in)


_MODELS: dict[str, _Model] = {}
create: Callable[..., _Model] = lambda *_: _MODELS["bench"]  # noqa: E731  # a provider
"""Returns the model of the provider ``bench``."""


def describe_respond(run: RespondRun) -> list[str]:
    """Return where it ran."""
    size = f"{run.plan.messages:,} messages, prompts of {run.tokens:,.0f} tokens"
    return [*describe_lines(run.environment), size]


def respond_grids(run: RespondRun) -> list[Grid]:
    """Return the figures as a table."""
    rows = [
        (name, *_shown(of), target)
        for name, of, target in (
            ("message in to prompt ready", run.prompt, f"{TARGET_MS:g}"),
            ("first piece passed on", run.piece, "20"),
            ("all of it", run.whole, ""),
            ("in the background", run.background, ""),
        )
    ]
    columns = ("ms", "CPU p50", "CPU p95", "wall p50", "wall p95", "aim, p95")
    return [Grid(title="Answering, beside the model", columns=columns, rows=tuple(rows))]
