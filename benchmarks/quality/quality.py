"""Quality runs through the real product: every question, every pool, mode and variant.

A home is filled once and then searched in each mode under each variant's settings. A mode that the
product cannot serve (no embedder) is left out with a note. What comes out are ranked keys;
`summary` turns them into tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypedDict

import msgspec

from benchmarks.datasets.corpus import Conversation, DialogueSet, DocumentSet, Question
from benchmarks.measure.metrics import CUTOFFS
from benchmarks.measure.results import IndexCost, Pool
from benchmarks.measure.stopwatch import Spent, Stopwatch
from benchmarks.quality.experiment import Variant
from benchmarks.quality.homes import (
    Homes,
    IndexedHome,
    Progress,
    conversation_user,
    hit_key,
)
from benchmarks.quality.product import Answer, Mode, Opener, Product
from recollect.core.errors import Conflict, ProviderError
from recollect.core.scope import Scope

DEPTH = CUTOFFS[-1]
"""Hits asked for in each search."""

FILE_DEPTH = 2 * DEPTH
"""Hits asked for where several chunks of one file can be hits."""

MODES: tuple[Mode, ...] = ("lexical", "vector", "hybrid")

DIALOGUE_POOLS: tuple[Pool, ...] = ("conversation", "scope", "guest", "global")

POOLS: tuple[Pool, ...] = ("conversation", "global")
"""Run unless told otherwise; "scope" should come out as "conversation" does."""


class QualityPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to run: variants, modes, and for dialogues the pools."""

    variants: tuple[Variant, ...]
    modes: tuple[Mode, ...] = MODES
    pools: tuple[Pool, ...] = POOLS


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """What a search returned for a question: keys, best first, and what it spent."""

    question: Question
    keys: tuple[str, ...]
    spent: Spent


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """All questions under one pool, mode and variant."""

    pool: Pool
    mode: Mode
    variant: str
    ranked: tuple[Ranked, ...]


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """The runs over a data set, the homes they read, and what could not be run."""

    runs: tuple[Run, ...]
    homes: tuple[IndexCost, ...]
    notes: tuple[str, ...]


class Narrowed(TypedDict, total=False):
    """On whose behalf, or in which scope, a search is made."""

    scope: Scope
    for_session: str


class _Shelf(msgspec.Struct, frozen=True, kw_only=True):
    """Questions that are asked of one home."""

    pool: Pool
    questions: Sequence[Question]
    home_for: Callable[[Variant], IndexedHome]


class QualityRunner:
    """Runs data sets under one plan.

    Args:
        plan: What to run.
        homes: Fills and finds the homes.
        opener: Opens the product.
        progress: Told what goes on.
    """

    def __init__(self, plan: QualityPlan, homes: Homes, opener: Opener, progress: Progress) -> None:
        self._plan = plan
        self._homes = homes
        self._open = opener
        self._progress = progress

    def dialogues(self, data: DialogueSet, pools: Sequence[Pool] | None = None) -> Measured:
        """Return the runs over conversations.

        Args:
            data: Conversations and questions.
            pools: Instead of those of the plan.

        Raises:
            RecollectError: the product failed.
        """
        chosen = self._plan.pools if pools is None else pools
        return self._measure(
            [shelf for pool in chosen for shelf in self._dialogue_shelves(data, pool)]
        )

    def documents(self, data: DocumentSet) -> Measured:
        """Return the runs over a document collection, read as memory files.

        Raises:
            RecollectError: the product failed.
        """
        return self._measure(
            [
                _Shelf(
                    pool="collection",
                    questions=data.questions,
                    home_for=lambda variant: self._homes.of_documents(
                        data, variant.index_overrides()
                    ),
                )
            ]
        )

    def _dialogue_shelves(self, data: DialogueSet, pool: Pool) -> Iterator[_Shelf]:
        def home_of(conversations: Sequence[Conversation]) -> Callable[[Variant], IndexedHome]:
            return lambda variant: self._homes.of_conversations(
                data, conversations, variant.index_overrides()
            )

        if pool != "conversation":
            whole = home_of(data.conversations)
            yield _Shelf(pool=pool, questions=data.questions, home_for=whole)
            return
        for conversation in data.conversations:
            asked = [one for one in data.questions if one.cluster == conversation.key]
            yield _Shelf(pool=pool, questions=asked, home_for=home_of((conversation,)))

    def _measure(self, shelves: Sequence[_Shelf]) -> Measured:
        found: dict[tuple[Pool, Mode, str], list[Ranked]] = {}
        homes: dict[str, IndexCost] = {}
        notes: dict[str, None] = {}
        for shelf in shelves:
            for variant in self._plan.variants:
                home = shelf.home_for(variant)
                homes[home.cost.home] = home.cost
                for mode, ranked in self._search_home(shelf, home, variant, notes):
                    found.setdefault((shelf.pool, mode, variant.name), []).extend(ranked)
        return Measured(
            runs=tuple(
                Run(pool=pool, mode=mode, variant=variant, ranked=tuple(ranked))
                for (pool, mode, variant), ranked in found.items()
            ),
            homes=tuple(homes.values()),
            notes=tuple(notes),
        )

    def _search_home(
        self, shelf: _Shelf, home: IndexedHome, variant: Variant, notes: dict[str, None]
    ) -> Iterator[tuple[Mode, list[Ranked]]]:
        if not shelf.questions:
            return
        with self._open(home.home, workspace=home.workspace, overrides=variant.overrides) as memory:
            # A kept home may have been indexed by other rules; then this builds it anew.
            memory.sync()
            for mode in self._plan.modes:
                refusal = _refusal(memory, mode, shelf.questions[0], home)
                if refusal is not None:
                    notes[f"{mode} search was left out: {refusal}"] = None
                    continue
                stage = f"{home.folder.name} · {variant.name} · {mode}"
                yield mode, self._ask_all(memory, mode, shelf, home, stage)

    def _ask_all(
        self, memory: Product, mode: Mode, shelf: _Shelf, home: IndexedHome, stage: str
    ) -> list[Ranked]:
        ranked: list[Ranked] = []
        for done, question in enumerate(shelf.questions):
            self._progress(stage, done, len(shelf.questions))
            narrowed = _narrowed(shelf.pool, question, home)
            watch = Stopwatch()
            with watch.lap():
                answer = _search(memory, question, mode, narrowed, files=home.workspace is not None)
            keys = tuple(_keys_of(answer, home))
            ranked.append(Ranked(question=question, keys=keys, spent=watch.total()))
        self._progress(stage, len(shelf.questions), len(shelf.questions))
        return ranked


def _narrowed(pool: Pool, question: Question, home: IndexedHome) -> Narrowed:
    """Return what makes a search look through the conversation of a question alone."""
    if pool == "scope":
        return {"scope": Scope(user=conversation_user(question.cluster))}
    if pool == "guest":
        return {"for_session": home.session_of(question.cluster)}
    return {}


def _search(
    memory: Product, question: Question, mode: Mode, narrowed: Narrowed, *, files: bool
) -> Answer:
    return memory.search(
        question.text,
        limit=FILE_DEPTH if files else DEPTH,
        min_score=0.0,
        sources=("memory",) if files else ("sessions",),
        mode=mode,
        **narrowed,
    )


def _keys_of(answer: Answer, home: IndexedHome) -> Iterator[str]:
    for hit in answer.hits:
        key = home.keys.get(hit_key(hit.session_id, hit.seq, hit.path))
        if key is None:
            raise Conflict(
                "a search returned something that was never stored in this home",
                hint="remove the folder given with --keep and run again",
            )
        yield key


def _refusal(memory: Product, mode: Mode, question: Question, home: IndexedHome) -> str | None:
    """Return why the product does not serve ``mode``, None when it does. Warms it up, too."""
    try:
        answer = _search(memory, question, mode, {}, files=home.workspace is not None)
    except ProviderError as error:
        return error.message
    if answer.mode == mode:
        return None
    return "; ".join(answer.warnings) or f"the product answered in {answer.mode} mode"
