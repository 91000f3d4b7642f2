"""Questions: is the first hit right, and is one of the first six, over a year that is replayed.

Everything is stored at its time, and each question is asked at its moment, of what was there by
then. It is asked as people do: of all kinds of memory, six hits, the settings as they are shipped.
Misses are listed for the seen half only: nobody tunes on the other one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import msgspec

import recollect
from benchmarks.datasets.questions import (
    ACROSS,
    HALVES,
    Half,
    Remembered,
    Year,
    YearQuestion,
)
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.intervals import Estimate, estimate
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress, hit_key
from benchmarks.quality.product import Mode, Overrides
from benchmarks.quality.quality import MODES
from recollect.index.query.hit import Hit
from recollect.memory import Memory

LIMIT = 6


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A question and the keys of its hits, best first."""

    question: YearQuestion
    mode: Mode
    found: tuple[str, ...]

    @property
    def first(self) -> float:
        """1 where the first hit is right, else 0."""
        return float(self.found[:1] != () and self.found[0] in self.question.gold)

    @property
    def among(self) -> float:
        """1 where one of the hits is right, else 0."""
        return float(not set(self.question.gold).isdisjoint(self.found))


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How many questions of one kind or language are answered."""

    half: Half
    mode: Mode
    of: str
    first: Estimate
    among: Estimate


class Miss(msgspec.Struct, frozen=True, kw_only=True):
    """A question of the seen half whose first hit is wrong."""

    question: str
    mode: Mode
    kind: str
    text: str
    gold: tuple[str, ...]
    found: tuple[str, ...]


class QuestionsRun(msgspec.Struct, frozen=True, kw_only=True):
    """Shares, and the misses of the seen half."""

    environment: Environment
    digest: str
    remembered: int
    shares: tuple[Share, ...]
    misses: tuple[Miss, ...]
    notes: tuple[str, ...] = ()


class Replay:
    """A memory that is filled in step with the clock that it reads.

    Args:
        folder: Where its home and its workspace are made.
        year: What is remembered.
        overrides: Settings by dotted key.
    """

    def __init__(self, folder: Path, year: Year, overrides: Overrides) -> None:
        self._now = 0
        self._workspace = folder / "workspace"
        self._workspace.mkdir(parents=True)
        self._left = list(year.remembered)
        self._keys: dict[str, str] = {}
        given = {"sessions.time_zone": "UTC", **overrides}
        self.memory: Memory = recollect.open(
            folder / "home", self._workspace, overrides=given, clock=self, live=False
        )
        self._work = self.memory.sessions.create(key="agent:main:work:a:direct:me").id

    def now_ms(self) -> int:
        """Return the moment that was reached."""
        return self._now

    def reach(self, moment: int) -> None:
        """Store all that was said, written and seen by then."""
        due = [each for each in self._left if each.at <= moment]
        self._left = self._left[len(due) :]
        for _, thread in groupby(due, key=lambda each: (each.kind, each.session, each.at // 10**7)):
            self._store(list(thread))
        self._now = moment
        self.memory.sync()

    def key_of(self, hit: Hit) -> str:
        """Return what a hit stands for."""
        place = hit_key(hit.session_id, hit.seq, hit.path)
        return self._keys[hit.ref if hit.source == "observations" else place]

    def _store(self, thread: Sequence[Remembered]) -> None:
        first = thread[0]
        self._now = first.at
        if first.kind == "message":
            key = f"agent:main:chat:a:direct:{first.session}"
            session = self.memory.sessions.create(key=key).id
            items = [{"role": one.role, "content": one.text, "at": one.at} for one in thread]
            stored = self.memory.sessions.append_many(session, items)
            for one, message in zip(thread, stored, strict=True):
                self._keys[hit_key(session, message.seq, None)] = one.key
            return
        for one in thread:
            if one.kind == "file":
                self._write(one)
            else:
                made = self.memory.observations.record(self._work, summary=one.text, at=one.at)
                self._keys[made.id] = one.key

    def _write(self, file: Remembered) -> None:
        path = self._workspace / file.key
        path.parent.mkdir(exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
        os.utime(path, (file.at / 1000, file.at / 1000))
        self._keys[file.key] = file.key


class QuestionsPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Which half is asked in which modes, under which settings by dotted key."""

    halves: Sequence[Half] = HALVES
    modes: Sequence[Mode] = MODES
    overrides: Overrides = {}


def run_questions(
    environment: Environment, year: Year, plan: QuestionsPlan, folder: Path, progress: Progress
) -> tuple[QuestionsRun, list[Answered]]:
    """Replay the year in a new home; return the shares, and every answer."""
    asked = [each for each in year.questions if each.half in plan.halves]
    replay, answers, notes = (
        Replay(folder, year, plan.overrides),
        list[Answered](),
        dict[str, None](),
    )
    with replay.memory as memory:
        for done, question in enumerate(asked):
            progress("asking", done, len(asked))
            replay.reach(question.asked_at)
            for mode in plan.modes:
                result = memory.search(question.text, LIMIT, mode=mode)
                if result.mode != mode:
                    notes[f"{mode} search was left out: {'; '.join(result.warnings)}"] = None
                    continue
                found = tuple(map(replay.key_of, result.hits))
                answers.append(Answered(question=question, mode=mode, found=found))
    run = QuestionsRun(
        environment=environment,
        digest=year.digest,
        remembered=len(year.remembered),
        shares=tuple(_shares(answers, plan)),
        misses=tuple(_misses(answers)),
        notes=tuple(notes),
    )
    return run, answers


def _shares(answers: Sequence[Answered], plan: QuestionsPlan) -> list[Share]:
    """Return the shares: all, by language and by kind; of the unseen half the whole only."""
    shares = []
    for half in plan.halves:
        for mode in plan.modes:
            mine = [one for one in answers if (one.question.half, one.mode) == (half, mode)]
            counted = [one for one in mine if one.question.kind != ACROSS]
            groups = {"all": counted}
            for one in counted if half == "seen" else []:
                for name in (one.question.language, one.question.kind):
                    groups.setdefault(name, []).append(one)
            groups[ACROSS] = [one for one in mine if one.question.kind == ACROSS]
            shares += [_share(half, mode, name, group) for name, group in groups.items() if group]
    return shares


def _share(half: Half, mode: Mode, of: str, group: Sequence[Answered]) -> Share:
    keys = [one.question.key for one in group]
    return Share(
        half=half,
        mode=mode,
        of=of,
        first=estimate([one.first for one in group], keys),
        among=estimate([one.among for one in group], keys),
    )


def _misses(answers: Sequence[Answered]) -> list[Miss]:
    return [
        Miss(
            question=one.question.key,
            mode=one.mode,
            kind=one.question.kind,
            text=one.question.text,
            gold=one.question.gold,
            found=one.found,
        )
        for one in answers
        if one.question.half == "seen" and not one.first
    ]


def describe_questions(run: QuestionsRun) -> list[str]:
    """Return what was measured, and on what."""
    what = f"{run.remembered} messages, memory files and observations (digest {run.digest})"
    return [what, *run.notes, *describe_lines(run.environment)]


def questions_grids(run: QuestionsRun) -> list[Grid]:
    """Return the shares by half, mode and kind, and the misses of the seen half."""
    rows = tuple(
        (f"{each.half} · {each.mode} · {each.of}", *map(_cell, (each.first, each.among)))
        for each in run.shares
    )
    columns = ("questions", "first hit right", f"among the first {LIMIT}")
    shares = Grid(title="Questions over a year", columns=columns, rows=rows)
    missed = tuple(
        (f"{each.mode} · {each.kind} · {each.text}", each.gold[0], " ".join(each.found[:LIMIT]))
        for each in run.misses
    )
    if not missed:
        return [shares]
    columns = ("question of the seen half", "answer", "hits")
    return [shares, Grid(title="First hit wrong", columns=columns, rows=missed)]


def _cell(share: Estimate) -> str:
    low, high = share.over_questions
    return f"{share.mean:.3f} ({low:.2f} to {high:.2f}), n {share.n}"
