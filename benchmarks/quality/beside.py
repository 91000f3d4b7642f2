"""Observations beside conversations: what the default search loses on LoCoMo because of them.

One home holds all conversations, the other the same conversations and made-up agent work of the
same tenant. Both are asked the same questions without naming a source, so that observations take
part, and take places.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

import recollect
from benchmarks.datasets.agent_work import AgentWork, make_work
from benchmarks.datasets.corpus import DialogueSet, Question
from benchmarks.datasets.locomo import ADVERSARIAL, load_locomo
from benchmarks.datasets.work_seen import SEEN
from benchmarks.datasets.work_unseen import UNSEEN
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.intervals import Estimate, estimate, paired_difference
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Homes, IndexedHome, Progress, hit_key
from benchmarks.quality.product import Mode, open_product
from benchmarks.quality.suite import Slice
from benchmarks.quality.work_homes import store_work

DEPTH = 10
SHOWN = 300
"""Characters of an output that are stored: no output is searched, and the rest costs time."""


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """Recall@10 of one group of questions, without and with the observations.

    Attributes:
        mode: Of the search.
        group: Of questions.
        without: Recall without the observations.
        beside: Recall with them.
        difference: The latter less the former, question by question.
        taken: Places of the first ten that observations took, on average.
    """

    mode: str
    group: str
    without: float
    beside: float
    difference: Estimate
    taken: float


class BesideRun(msgspec.Struct, frozen=True, kw_only=True):
    """The losses."""

    environment: Environment
    seed: int
    observations: int
    losses: tuple[Loss, ...]


class _Found(msgspec.Struct, frozen=True, kw_only=True):
    recall: float
    taken: int


def run_beside(
    environment: Environment,
    folders: tuple[Path, Path],
    order: tuple[int, int, Slice],
    modes: Sequence[Mode],
    progress: Progress,
) -> BesideRun:
    """Return what observations cost the questions of LoCoMo.

    Args:
        environment: What it runs on.
        folders: The benchmark data, and one for the homes.
        order: The seed, how many observations, and how much of LoCoMo.
        modes: Of the search.
        progress: Told what goes on.

    Raises:
        RecollectError: the data is missing, or the product failed.
    """
    (data_folder, root), (seed, observations, part) = folders, order
    data = load_locomo(data_folder).narrowed(part.conversations, part.questions)
    plain = Homes(root, open_product, progress).of_conversations(data, data.conversations, {})
    mixed = root / "beside"
    if not mixed.exists():
        shutil.copytree(plain.home, mixed)
        progress("recording", 0, 1)
        with recollect.open(mixed, live=False) as memory:
            store_work(memory, _shortened(make_work((SEEN, UNSEEN), seed, observations)))
    losses: list[Loss] = []
    for mode in modes:
        without = _ask_all(plain.home, plain, data, mode, progress)
        beside = _ask_all(mixed, plain, data, mode, progress)
        losses += _losses(data.questions, mode, without, beside)
    return BesideRun(
        environment=environment, seed=seed, observations=observations, losses=tuple(losses)
    )


def _shortened(work: AgentWork) -> AgentWork:
    return msgspec.structs.replace(
        work,
        observations=tuple(
            msgspec.structs.replace(
                each,
                arguments={
                    name: value[:SHOWN] if name == "output" else value
                    for name, value in each.arguments.items()
                },
            )
            for each in work.observations
        ),
    )


def _ask_all(
    home: Path, stored: IndexedHome, data: DialogueSet, mode: Mode, progress: Progress
) -> list[_Found]:
    found: list[_Found] = []
    with recollect.open(home, live=False) as memory:
        memory.sync()
        for done, question in enumerate(data.questions):
            progress(f"{home.name} · {mode}", done, len(data.questions))
            hits = memory.search(question.text, DEPTH, 0.0, mode=mode).hits
            keys = {stored.keys.get(hit_key(hit.session_id, hit.seq, hit.path)) for hit in hits}
            recall = len(keys & set(question.gold)) / len(question.gold)
            found.append(_Found(recall=recall, taken=sum(h.number is not None for h in hits)))
    return found


def _losses(
    questions: Sequence[Question], mode: str, without: list[_Found], beside: list[_Found]
) -> list[Loss]:
    rows = list(zip(questions, without, beside, strict=True))
    groups = {
        "categories 1-4": [row for row in rows if row[0].group != ADVERSARIAL],
        "adversarial": [row for row in rows if row[0].group == ADVERSARIAL],
    }
    return [_loss(mode, group, some) for group, some in groups.items() if some]


def _loss(mode: str, group: str, rows: list[tuple[Question, _Found, _Found]]) -> Loss:
    clusters = [question.cluster for question, _, _ in rows]
    before = [found.recall for _, found, _ in rows]
    after = [found.recall for _, _, found in rows]
    return Loss(
        mode=mode,
        group=group,
        without=estimate(before, clusters).mean,
        beside=estimate(after, clusters).mean,
        difference=paired_difference(after, before, clusters),
        taken=sum(found.taken for _, _, found in rows) / len(rows),
    )


def describe_beside(run: BesideRun) -> list[str]:
    """Return what it ran on."""
    told = f"seed {run.seed}, {run.observations:,} observations, all conversations in one home"
    return [*describe_lines(run.environment), told]


def beside_grids(run: BesideRun) -> list[Grid]:
    """Return the table."""
    columns = ("LoCoMo, recall@10", "n", "without", "beside", "difference", "places taken of 10")
    rows = tuple(
        (
            f"{each.group}, {each.mode}",
            str(each.difference.n),
            f"{each.without:.3f}",
            f"{each.beside:.3f}",
            f"{each.difference.mean:+.4f} ({{:+.3f}} to {{:+.3f}})".format(
                *each.difference.over_questions
            ),
            f"{each.taken:.2f}",
        )
        for each in run.losses
    )
    return [Grid(title="Observations beside conversations", columns=columns, rows=rows)]
