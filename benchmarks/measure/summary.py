"""From ranked keys to tables: which questions make a row, at which level, with which intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from benchmarks.datasets import beam, cranfield, locomo
from benchmarks.datasets.corpus import DialogueSet, DocumentSet
from benchmarks.measure.intervals import estimate, paired_difference
from benchmarks.measure.metrics import first_occurrences, map_to_sessions, score_ranking
from benchmarks.measure.results import DatasetReport, Difference, Level, Row, SearchCost, Table
from benchmarks.measure.stopwatch import latency_of
from benchmarks.quality.experiment import BASE
from benchmarks.quality.quality import Measured, Ranked, Run

Groups = frozenset[str]

Scorer = Callable[[Ranked], dict[str, float]]

PRIMARY_OF: Mapping[Level, str] = {"turn": "R@10", "session": "hit@1", "document": "nDCG@10"}
"""The measure that stands for a level. Of sessions there are 19 to 32 in a conversation: recall at
depth is nearly given away there."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a data set's tables, each a label and the groups of questions in it."""

    turn_rows: tuple[tuple[str, Groups], ...]
    session_rows: tuple[tuple[str, Groups], ...] = ()


_ASKED = frozenset(locomo.GROUPS.values()) - {locomo.ADVERSARIAL}

LOCOMO = Layout(
    turn_rows=(
        ("categories 1-4", _ASKED),
        *((f"{number} {name}", frozenset({name})) for number, name in locomo.GROUPS.items()),
    ),
    session_rows=(
        ("all categories", frozenset(locomo.GROUPS.values())),
        ("categories 1-4", _ASKED),
    ),
)
"""Adversarial questions have a row of their own and are in no average at turn level."""

CRANFIELD = Layout(turn_rows=(("all queries", frozenset({cranfield.GROUP})),))


def layout_by_type(data: DialogueSet) -> Layout:
    """Return rows for all questions, the information-seeking ones, and every type of ``data``."""
    types = sorted({question.group for question in data.questions})
    return Layout(
        turn_rows=(
            ("all types", frozenset(types)),
            ("information-seeking five", frozenset(beam.INFORMATION_SEEKING)),
            *((name.replace("_", " "), frozenset({name})) for name in types),
        )
    )


def layout_of_one(data: DialogueSet) -> Layout:
    """Return one row for all questions, at turn and at session level."""
    rows = (("all questions", frozenset(question.group for question in data.questions)),)
    return Layout(turn_rows=rows, session_rows=rows)


def report_dialogues(data: DialogueSet, measured: Measured, layout: Layout) -> DatasetReport:
    """Return the report over conversations: tables at turn level, then at session level."""
    session_of = data.session_of()

    def by_session(ranked: Ranked) -> dict[str, float]:
        gold = first_occurrences(session_of[key] for key in ranked.question.gold)
        return score_ranking(map_to_sessions(ranked.keys, session_of), gold)

    views = [_View("turn", layout.turn_rows, _by_key)]
    if layout.session_rows:
        views.append(_View("session", layout.session_rows, by_session))
    return _report(data, measured, views)


def report_documents(data: DocumentSet, measured: Measured) -> DatasetReport:
    """Return the report over a document collection."""
    return _report(data, measured, [_View("document", CRANFIELD.turn_rows, _by_key)])


class _View(msgspec.Struct, frozen=True):
    """One way of scoring every run."""

    level: Level
    rows: tuple[tuple[str, Groups], ...]
    score: Scorer

    def table(self, run: Run) -> Table:
        return Table(
            level=self.level,
            pool=run.pool,
            mode=run.mode,
            variant=run.variant,
            rows=tuple(self._rows(run)),
        )

    def _rows(self, run: Run) -> Iterable[Row]:
        scored = [(ranked.question, self.score(ranked)) for ranked in run.ranked]
        for label, groups in self.rows:
            chosen = [(asked.cluster, scores) for asked, scores in scored if asked.group in groups]
            if chosen:
                yield _row(label, [name for name, _ in chosen], [scores for _, scores in chosen])

    def headline(self, run: Run) -> dict[str, tuple[str, float]]:
        """Return cluster and primary measure of every question of the first row."""
        groups = self.rows[0][1]
        return {
            ranked.question.key: (
                ranked.question.cluster,
                self.score(ranked)[PRIMARY_OF[self.level]],
            )
            for ranked in run.ranked
            if ranked.question.group in groups
        }


def _by_key(ranked: Ranked) -> dict[str, float]:
    return score_ranking(ranked.keys, ranked.question.gold)


def _row(label: str, clusters: Sequence[str], scores: Sequence[Mapping[str, float]]) -> Row:
    return Row(
        label=label,
        n=len(scores),
        scores={name: estimate([one[name] for one in scores], clusters) for name in scores[0]},
    )


def _report(
    data: DialogueSet | DocumentSet, measured: Measured, views: Sequence[_View]
) -> DatasetReport:
    return DatasetReport(
        name=data.name,
        digest=data.digest,
        questions=len(data.questions),
        tables=tuple(view.table(run) for view in views for run in measured.runs),
        differences=tuple(
            _difference(view, run, against)
            for view in views
            for run, against in _pairs(measured.runs)
        ),
        searches=tuple(
            SearchCost(
                pool=run.pool,
                mode=run.mode,
                variant=run.variant,
                latency=latency_of([ranked.spent for ranked in run.ranked]),
            )
            for run in measured.runs
        ),
        homes=measured.homes,
        notes=measured.notes,
    )


def _pairs(runs: Sequence[Run]) -> Iterable[tuple[Run, Run]]:
    """Yield what is worth comparing: a variant with the base, and hybrid with lexical."""
    known = {(run.pool, run.mode, run.variant): run for run in runs}
    for run in runs:
        if run.variant != BASE:
            against = known.get((run.pool, run.mode, BASE))
        elif run.mode == "hybrid":
            against = known.get((run.pool, "lexical", BASE))
        else:
            against = None
        if against is not None:
            yield run, against


def _difference(view: _View, run: Run, against: Run) -> Difference:
    new, old = view.headline(run), view.headline(against)
    shared = [key for key in new if key in old]
    return Difference(
        level=view.level,
        pool=run.pool,
        measure=PRIMARY_OF[view.level],
        run=f"{run.variant} {run.mode}",
        against=f"{against.variant} {against.mode}",
        gain=paired_difference(
            [new[key][1] for key in shared],
            [old[key][1] for key in shared],
            [new[key][0] for key in shared],
        ),
    )
