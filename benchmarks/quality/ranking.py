"""Is the ranking the same? The same questions, asked of two source trees over homes filled alike.

Each tree fills homes of its own and answers in a process of its own, so that a change of how things
are stored is compared too. The homes hold conversations, files and made-up talk with observations,
all with vectors; some of it is erased again, and some comes after the last segment was sealed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from benchmarks.datasets.agent_work import make_work
from benchmarks.datasets.beam import load_beam
from benchmarks.datasets.corpus import Conversation, DialogueSet, Question, spread
from benchmarks.datasets.cranfield import as_markdown, load_cranfield
from benchmarks.datasets.data import digest
from benchmarks.datasets.locomo import load_locomo
from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.datasets.work_seen import SEEN
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from benchmarks.quality.ranking_worker import (
    Answers,
    Ask,
    RankedHit,
    RankedHome,
    Round,
    Step,
)
from recollect.core.errors import StoreError

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "src"
TOLERANCE = 1e-5
"""Of a score: the sums of numpy differ by less in another order."""
TIED = 1e-6
"""Hits whose scores are so near may change places."""
CANDIDATES = {"search.exact_below": 0, "search.recency.enabled": True}
"""As in a scope of more than 10,000 messages."""
DIVERSE = {"search.exact_below": 0, "search.diversity.enabled": True}
"""Not with recency: the trees answer seconds apart, and so little decides between equal ones."""
_LEAST_WORK = 600
"""Observations in which the made-up work has room for all that is asked for."""
_SINCE = 1_705_000_000_000
_LONGEST_S = 1_800


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A question that is answered otherwise, by its place in the home; hits as name and score."""

    home: str
    place: int
    here: tuple[RankedHit, ...]
    there: tuple[RankedHit, ...]


class RankingRow(msgspec.Struct, frozen=True, kw_only=True):
    """How many questions of a home are answered alike, and the largest change of a score."""

    home: str
    questions: int
    hits: int
    same: int
    largest: float


class RankingRun(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison."""

    environment: Environment
    rows: tuple[RankingRow, ...]
    differences: tuple[Difference, ...]

    @property
    def is_same(self) -> bool:
        """Whether every question has the same hits in the same order, with the same scores."""
        return all(row.same == row.questions for row in self.rows)


def run_ranking(
    environment: Environment, homes: Sequence[RankedHome], root: Path, against: Path, tell: Progress
) -> RankingRun:
    """Return how the answers of this source tree differ from those of another.

    Args:
        environment: What it runs on.
        homes: What is asked of what.
        root: Where homes are filled; the answers of the other tree are kept there.
        against: The ``src`` folder of another checkout.
        tell: Told what goes on.

    Raises:
        StoreError: a process failed; its last line is the message.
    """
    tell("the other tree", 0, 2)
    request = msgspec.json.encode(homes)
    kept = root / f"{_tree_digest(against)}-{digest(request)}.json"
    if not kept.is_file():
        kept.write_bytes(_ask(against, root / "there", request))
    tell("this tree", 1, 2)
    here = msgspec.json.decode(_ask(OURS, root / "here", request), type=Answers)
    there = msgspec.json.decode(kept.read_bytes(), type=Answers)
    tell("this tree", 2, 2)
    return compare(environment, homes, here, there)


def compare(
    environment: Environment, homes: Sequence[RankedHome], here: Answers, there: Answers
) -> RankingRun:
    """Return how two lists of answers to the questions of ``homes`` differ."""
    rows: list[RankingRow] = []
    differences: list[Difference] = []
    first = 0
    for home in homes:
        count = home.questions
        pairs = list(zip(here[first : first + count], there[first : first + count], strict=True))
        first += count
        found = [
            Difference(home=home.name, place=position, here=tuple(ours), there=tuple(theirs))
            for position, (ours, theirs) in enumerate(pairs)
            if not is_same(ours, theirs)
        ]
        differences += found
        rows.append(
            RankingRow(
                home=home.name,
                questions=count,
                hits=sum(len(ours) for ours, _ in pairs),
                same=count - len(found),
                largest=max((_largest(*pair) for pair in pairs), default=0.0),
            )
        )
    return RankingRun(environment=environment, rows=tuple(rows), differences=tuple(differences))


def is_same(here: Sequence[RankedHit], there: Sequence[RankedHit]) -> bool:
    """Return whether two answers have the same hits in the same order, but for ties.

    Scores may differ by `TOLERANCE`, and hits within `TIED` of each other may change places.
    """
    if len(here) != len(there) or _largest(here, there) > TOLERANCE:
        return False
    scores = {hit.name: hit.score for hit in there}
    if {hit.name for hit in here} != scores.keys():
        return False
    return all(
        abs(scores[ours.name] - theirs.score) <= TIED or ours.name == theirs.name
        for ours, theirs in zip(here, there, strict=True)
    )


def _largest(here: Sequence[RankedHit], there: Sequence[RankedHit]) -> float:
    return max((abs(a.score - b.score) for a, b in zip(here, there, strict=False)), default=0.0)


def ranked_homes(data: Path, questions: int = 2_000) -> tuple[RankedHome, ...]:
    """Return the homes of the data sets and a made-up one, with about so many questions.

    Raises:
        RecollectError: the data is missing or damaged.
    """
    share = questions // 10
    homes = [
        dialogue_home(load_locomo(data), 4 * share),
        dialogue_home(load_beam(data), share),
        file_home(data, share),
    ]
    asked = sum(home.questions for home in homes)
    return (*homes, made_up_home(12_000, 1_000, questions - asked))


def of_owner(home: RankedHome) -> RankedHome:
    """Return the home without the questions that are asked on behalf of a session."""
    rounds = tuple(
        msgspec.structs.replace(each, asked=tuple(ask for ask in each.asked if ask.hearer is None))
        for each in home.rounds
    )
    return msgspec.structs.replace(home, rounds=rounds)


def dialogue_home(data: DialogueSet, questions: int) -> RankedHome:
    """Return a home of all conversations together, the last one after the others were indexed."""
    stored = [_messages(conversation) for conversation in data.conversations]
    sessions = [key for each in stored for key in each]
    return RankedHome(
        name=data.name.lower().replace(" ", "-"),
        steps=tuple(Step(messages=messages) for messages in stored),
        rounds=_rounds([each.text for each in spread(data.questions, questions)], sessions),
    )


def file_home(data: Path, questions: int) -> RankedHome:
    """Return a home of memory files alone."""
    found = load_cranfield(data)
    files = {f"memory/{each.key}.md": as_markdown(each) for each in found.documents}
    asked: Iterable[Question] = spread(found.questions, questions)
    return RankedHome(
        name="cranfield", steps=(Step(files=files),), rounds=_rounds([q.text for q in asked], [])
    )


def made_up_home(messages: int, observations: int, questions: int, seed: int = 7) -> RankedHome:
    """Return a home of made-up talk, work and files, of which parts are erased and changed."""
    corpus = SyntheticCorpus(seed)
    talk = {f"s{each.key}": each.turns for each in corpus.sessions(messages)}
    stored = {
        key: tuple({"role": t.role, "content": t.text, "at": t.at} for t in turns)
        for key, turns in talk.items()
    }
    keys = list(stored)
    late = set(keys[-max(1, len(keys) // 6) :])
    work = make_work([SEEN], seed, max(_LEAST_WORK, observations))
    observed = tuple(
        {**each.arguments, "session_id": f"w{n % 5}"}
        for n, each in enumerate(work.observations[-observations:])
    )
    half = len(observed) // 2
    files = {
        f"memory/2025-01-{n + 1:02}.md": corpus.file(n, 3) for n in range(max(2, len(keys) // 20))
    }
    first, last = (
        next(iter(files)),
        f"# Notes\n\n- {talk[keys[0]][0].text} <!-- importance: 9 -->\n",
    )
    texts = [each.text for each in work.questions[: questions // 4]]
    texts += [query.text for query in corpus.asked(messages, (questions - len(texts)) // 2)]
    texts += [query.text for query in corpus.queries(messages, questions - len(texts))]
    return RankedHome(
        name="made-up",
        steps=(
            Step(
                messages={key: stored[key] for key in keys if key not in late},
                observations=observed[:half],
                files={**files, "MEMORY.md": last},
            ),
            Step(erased=tuple(keys[1 : len(keys) // 2 : 7]), files={first: ""}),
            Step(messages={key: stored[key] for key in late}, observations=observed[half:]),
        ),
        rounds=_rounds(texts, [keys[0], *keys[-5:]]),
    )


def _messages(conversation: Conversation) -> dict[str, tuple[dict[str, object], ...]]:
    return {
        f"{conversation.key}-{session.key}": tuple(
            {"role": turn.role, "content": turn.text, "name": turn.name, "at": turn.at}
            for turn in session.turns
        )
        for session in conversation.sessions
    }


def _rounds(texts: Sequence[str], sessions: Sequence[str]) -> tuple[Round, ...]:
    """Return the questions, each asked once: half as in small scopes, then as in large ones."""
    asked = [_varied(text, position, sessions) for position, text in enumerate(texts)]
    return (
        Round(asked=tuple(asked[0::4] + asked[1::4])),
        Round(asked=tuple(asked[2::4]), overrides=CANDIDATES),
        Round(asked=tuple(asked[3::4]), overrides=DIVERSE),
    )


def _varied(text: str, place: int, sessions: Sequence[str]) -> Ask:
    """Return a question asked in one of the ways that there are."""
    modes = ("hybrid", "hybrid", "hybrid", "lexical", "vector")
    ask = Ask(text=text, limit=(10, 6, 25)[place // 4 % 3], mode=modes[place // 4 % 5])
    if sessions and place % 9 == 5:
        return msgspec.structs.replace(ask, session=sessions[place % len(sessions)])
    if sessions and place % 9 == 7:
        return msgspec.structs.replace(ask, hearer=sessions[place % len(sessions)])
    way = place % 17
    return msgspec.structs.replace(
        ask,
        sources=("sessions",) if way == 2 else None,
        since=_SINCE if way == 4 else None,
        min_score=0.35 if way == 6 else None,
    )


def _ask(source: Path, folder: Path, request: bytes) -> bytes:
    shutil.rmtree(folder, ignore_errors=True)
    completed = subprocess.run(  # noqa: S603  # our own interpreter, module and arguments
        [sys.executable, "-m", "benchmarks.quality.ranking_worker", str(folder)],
        input=request,
        capture_output=True,
        check=False,
        timeout=_LONGEST_S,
        env={"PYTHONPATH": os.pathsep.join([str(source), str(ROOT)]), "PYTHONHASHSEED": "0"},
    )
    if completed.returncode:
        last = (completed.stderr.decode().strip().splitlines() or ["no message"])[-1]
        raise StoreError(f"a tree did not answer: {last}", hint="run it again with --keep")
    return completed.stdout


def _tree_digest(source: Path) -> str:
    files = sorted((source / "recollect").rglob("*.py"))
    return digest(b"".join(path.read_bytes() for path in files))


def describe_ranking(run: RankingRun) -> Iterator[str]:
    """Yield what it ran on, and the first questions that are answered otherwise."""
    yield from describe_lines(run.environment)
    for each in run.differences[:10]:
        yield f"{each.home} {each.place}: {_shown(each.here)} | {_shown(each.there)}"


def _shown(hits: Sequence[RankedHit]) -> str:
    return " ".join(f"{hit.name} {hit.score:.6f}" for hit in hits[:6])


def ranking_grids(run: RankingRun) -> list[Grid]:
    """Return one row for each home."""
    columns = ("home", "questions", "hits", "answered alike", "largest change of a score")
    rows = tuple(
        (row.home, f"{row.questions:,}", f"{row.hits:,}", f"{row.same:,}", f"{row.largest:.1e}")
        for row in run.rows
    )
    return [Grid(title="The ranking of two trees", columns=columns, rows=rows)]
