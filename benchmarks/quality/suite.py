"""The quality benchmarks by name: load the data, run it through the product, summarise.

This is where importers, homes, runs and tables meet; the command line only chooses and prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from benchmarks.datasets.beam import Tier, load_beam
from benchmarks.datasets.corpus import DialogueSet
from benchmarks.datasets.cranfield import load_cranfield
from benchmarks.datasets.locomo import Gold, load_locomo
from benchmarks.datasets.longmemeval import load_longmemeval
from benchmarks.measure.environment import describe_environment, settings_fingerprint
from benchmarks.measure.results import (
    AnswerRecord,
    DatasetReport,
    Pool,
    QualityReport,
    VariantSettings,
)
from benchmarks.measure.summary import (
    LOCOMO,
    Layout,
    layout_by_type,
    layout_of_one,
    report_dialogues,
    report_documents,
)
from benchmarks.quality.experiment import Variant
from benchmarks.quality.homes import Homes, Progress
from benchmarks.quality.product import Opener
from benchmarks.quality.quality import QualityPlan, QualityRunner, Run

ONE_CHAT: tuple[Pool, ...] = ("conversation",)
"""The pool of the protocol where chats of different users have nothing to do with each other."""


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a data set to run: its first conversations, and at most so many questions."""

    conversations: int | None = None
    questions: int | None = None


class QualitySuite:
    """Runs data sets of one folder under one plan.

    Args:
        data: The benchmark data folder.
        root: Where homes are filled.
        plan: Variants, modes, pools.
        opener: Opens the product.
        progress: Told what goes on.

    Raises:
        ConfigError: a setting of a variant is unknown or out of range.
    """

    def __init__(
        self, *, data: Path, root: Path, plan: QualityPlan, opener: Opener, progress: Progress
    ) -> None:
        self._data = data
        # Both before anything runs: an unknown setting must not be found after an hour.
        self._variants = describe_variants(plan.variants, root)
        self._environment = describe_environment()
        self._runs: list[tuple[str, Run]] = []
        self._runner = QualityRunner(plan, Homes(root, opener, progress), opener, progress)

    def locomo(self, part: Slice, *, gold: Gold = "original") -> DatasetReport:
        """Return turn level by category and session level.

        Raises:
            RecollectError: the data is missing or damaged, or the product failed.
        """
        return self._dialogues(load_locomo(self._data, gold=gold), part, LOCOMO)

    def beam(
        self, part: Slice, *, tier: Tier = "100K", pools: Sequence[Pool] | None = None
    ) -> DatasetReport:
        """Return message level by question type, in ``pools`` instead of those of the plan.

        Raises:
            RecollectError: the data is missing or damaged, or the product failed.
        """
        data = load_beam(self._data, tier)
        return self._dialogues(data, part, layout_by_type(data), pools)

    def longmemeval(self) -> DatasetReport:
        """Return the one record: a format and latency check.

        Raises:
            RecollectError: the data is missing or damaged, or the product failed.
        """
        data = load_longmemeval(self._data)
        return self._dialogues(data, Slice(), layout_of_one(data), ONE_CHAT)

    def cranfield(self, part: Slice) -> DatasetReport:
        """Return document level, over memory files.

        Raises:
            RecollectError: the data is missing or damaged, or the product failed.
        """
        data = load_cranfield(self._data).narrowed(part.questions)
        measured = self._runner.documents(data)
        self._runs += [(data.name, run) for run in measured.runs]
        return report_documents(data, measured)

    def answers(self) -> Iterator[AnswerRecord]:
        """Yield what every run so far ranked for every question, for a look at single cases."""
        for name, run in self._runs:
            for ranked in run.ranked:
                yield AnswerRecord(
                    dataset=name,
                    pool=run.pool,
                    mode=run.mode,
                    variant=run.variant,
                    question=ranked.question.key,
                    group=ranked.question.group,
                    gold=ranked.question.gold,
                    ranked=ranked.keys,
                )

    def report(self, datasets: Sequence[DatasetReport]) -> QualityReport:
        """Return the data sets with what they were run on."""
        return QualityReport(
            environment=self._environment,
            variants=self._variants,
            datasets=tuple(datasets),
        )

    def _dialogues(
        self,
        data: DialogueSet,
        part: Slice,
        layout: Layout,
        pools: Sequence[Pool] | None = None,
    ) -> DatasetReport:
        data = data.narrowed(part.conversations, part.questions)
        measured = self._runner.dialogues(data, pools)
        self._runs += [(data.name, run) for run in measured.runs]
        return report_dialogues(data, measured, layout)


def describe_variants(variants: Sequence[Variant], root: Path) -> tuple[VariantSettings, ...]:
    """Return what each variant overrides, with the fingerprint of all settings in force.

    Raises:
        ConfigError: a setting is unknown or out of range.
    """
    return tuple(
        VariantSettings(
            name=variant.name,
            overrides=dict(variant.overrides),
            fingerprint=settings_fingerprint(root / "no-home", variant.overrides),
        )
        for variant in variants
    )
