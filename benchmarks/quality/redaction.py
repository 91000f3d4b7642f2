"""How much of a corpus of made-up secrets the redactor takes out, what else, and how fast.

Recall is counted by carrier, the two halves of the corpus apart. The speed of another version of
the source is measured side by side: both run in processes of their own, a round of one, then of
the other.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec

from benchmarks.datasets.foreign_secrets import foreign_cases
from benchmarks.datasets.named_secrets import named_cases
from benchmarks.datasets.secret_shapes import SecretCase
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from recollect.text.redaction import Redactor

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "src"
SIZES = (600, 2_000, 6_000, 40_000)
"""Characters of a piece: a message, what the figures are given for, a long one, a tool's output."""
_CHARACTERS = 400_000
_WINDOW = 8
_MARK = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{6}\]")
_WORKER = """
import json, sys, time
from recollect.text.redaction import Redactor
pieces = json.loads(sys.stdin.readline())
redactor = Redactor(b"salt")
for piece in pieces: redactor.redact(piece)
print(flush=True)
for _ in sys.stdin:
    begun = time.process_time()
    for piece in pieces: redactor.redact(piece)
    print((time.process_time() - begun) / len(pieces) * 1000, flush=True)
"""


class CarrierScore(msgspec.Struct, frozen=True, kw_only=True):
    """How many secrets of one carrier went, or how many look-alikes of one kind stayed."""

    half: str
    carrier: str
    right: int
    total: int


class RedactionSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """CPU in ms for a piece of one kind of text; the best and the median of all rounds."""

    source: str
    texts: str
    characters: int
    """Of a piece."""
    best_ms: float
    median_ms: float


class RedactionRun(msgspec.Struct, frozen=True, kw_only=True):
    """Scores of secrets and look-alikes, and the speeds."""

    environment: Environment
    seed: int
    secrets: tuple[CarrierScore, ...]
    look_alikes: tuple[CarrierScore, ...]
    speeds: tuple[RedactionSpeed, ...] = ()


def corpus(seed: int) -> list[SecretCase]:
    """Return every case of both halves."""
    return [*named_cases(seed), *foreign_cases(seed)]


def redacted(redactor: Redactor, value: object) -> object:
    """Return a text or value as it would be stored."""
    if isinstance(value, str):
        return redactor.redact(value).text
    return redactor.redact_value(value)


def is_right(redactor: Redactor, case: SecretCase) -> bool:
    """Return whether nothing of a secret is left, or all of a look-alike is."""
    out = redacted(redactor, case.value)
    if case.secret is None:
        return out == case.value
    left = _MARK.sub("", out if isinstance(out, str) else msgspec.json.encode(out).decode())
    return not any(part in left for part in _parts(case.secret))


def _parts(secret: str) -> Iterator[str]:
    """Yield all runs of `_WINDOW` characters of a secret, or its shorter words whole."""
    for word in secret.split():
        length = min(_WINDOW, len(word))
        yield from (word[at : at + length] for at in range(len(word) - length + 1))


def score(cases: Iterable[SecretCase]) -> tuple[CarrierScore, ...]:
    """Return the scores of cases, one for each half and carrier, in their order."""
    redactor = Redactor(b"salt")
    counts: dict[tuple[str, str], list[int]] = {}
    for case in cases:
        count = counts.setdefault((case.half, case.carrier), [0, 0])
        count[0] += is_right(redactor, case)
        count[1] += 1
    return tuple(
        CarrierScore(half=half, carrier=carrier, right=right, total=total)
        for (half, carrier), (right, total) in counts.items()
    )


def share(scores: Iterable[CarrierScore], half: str | None = None) -> float:
    """Return the share of right ones, of one half or of both."""
    chosen = [each for each in scores if half in {None, each.half}]
    return sum(each.right for each in chosen) / sum(each.total for each in chosen)


def run_redaction(
    environment: Environment, seed: int, against: Path | None, rounds: int
) -> RedactionRun:
    """Return the scores of this source, and its speed, beside another's if there is one.

    Args:
        environment: What it runs on.
        seed: The same seed makes the same corpus.
        against: The ``src`` folder of another checkout.
        rounds: Of each source over each kind of text; 0 measures no speed.
    """
    cases = corpus(seed)
    sources = {"here": OURS, **({} if against is None else {"there": against})}
    return RedactionRun(
        environment=environment,
        seed=seed,
        secrets=score(case for case in cases if case.secret is not None),
        look_alikes=score(case for case in cases if case.secret is None),
        speeds=tuple(_speeds(sources, rounds)) if rounds else (),
    )


def _speeds(sources: dict[str, Path], rounds: int) -> Iterator[RedactionSpeed]:
    for texts, text in _texts().items():
        for size in SIZES:
            laps = _laps(sources, _pieces(text, size), rounds)
            for name, found in laps.items():
                median = found[len(found) // 2]
                yield RedactionSpeed(
                    source=name, texts=texts, characters=size, best_ms=found[0], median_ms=median
                )


def _laps(sources: dict[str, Path], pieces: list[str], rounds: int) -> dict[str, list[float]]:
    """Return what a round costs with each source, the cheapest first."""
    laps: dict[str, list[float]] = {name: [] for name in sources}
    with ExitStack() as opened:
        workers = {
            name: opened.enter_context(_Worker(path, pieces)) for name, path in sources.items()
        }
        for _ in range(rounds):
            for name, worker in workers.items():
                laps[name].append(worker.lap())
    return {name: sorted(found) for name, found in laps.items()}


class _Worker:
    """A process that redacts the pieces with the source of a folder, a round at each call."""

    def __init__(self, source: Path, pieces: list[str]) -> None:
        environment = {"PYTHONPATH": str(source), "PYTHONHASHSEED": "0"}
        self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and text
            [sys.executable, "-c", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        self._ask(msgspec.json.encode(pieces).decode())

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def lap(self) -> float:
        """Return the CPU of one round in ms for each piece."""
        return float(self._ask("again"))

    def _ask(self, line: str) -> str:
        given, told = self._process.stdin, self._process.stdout
        if given is None or told is None:
            raise RuntimeError("the worker has no pipes")
        given.write(line + "\n")
        given.flush()
        return told.readline()


def _texts() -> dict[str, str]:
    """Return prose and code of this repository, and the corpus, a case a line."""
    prose = "".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").rglob("*.md")))
    code = "".join(path.read_text("utf-8") for path in sorted(OURS.rglob("*.py")))
    told = "\n".join(str(case.value) for case in corpus(1) if isinstance(case.value, str))
    return {"prose": prose, "code": code, "secrets": told}


def _pieces(text: str, size: int) -> list[str]:
    most = min(len(text) - size + 1, _CHARACTERS)
    return [text[at : at + size] for at in range(0, most, size)]


def describe_redaction(run: RedactionRun) -> list[str]:
    """Return what it ran on."""
    return [*describe_lines(run.environment), f"seed {run.seed}"]


def redaction_grids(run: RedactionRun) -> list[Grid]:
    """Return the tables: each half in all, each carrier, each kind of look-alike, speeds."""
    halves = dict.fromkeys(each.half for each in run.secrets)
    total = tuple(
        (half, _size(run.secrets, half), f"{share(run.secrets, half):.3f}",
         _size(run.look_alikes, half), f"{1 - share(run.look_alikes, half):.2%}")
        for half in halves
    )  # fmt: skip
    columns = ("half", "secrets", "recall", "look-alikes", "taken for secrets")
    grids = [Grid(title="Halves", columns=columns, rows=total)]
    for title, scores in (("Secrets", run.secrets), ("Look-alikes", run.look_alikes)):
        rows = tuple((f"{e.half}: {e.carrier}", f"{e.right} of {e.total}") for e in scores)
        grids.append(Grid(title=title, columns=("carrier", "right"), rows=rows))
    speeds = tuple(
        (
            f"{each.texts}, {each.source}",
            f"{each.characters:,}",
            f"{each.best_ms:.3f}",
            f"{each.median_ms:.3f}",
            f"{each.characters / each.best_ms / 1000:.1f}",
        )
        for each in run.speeds
    )
    header = ("texts, source", "characters", "ms CPU, best", "median", "MB a second")
    return [*grids, *([Grid(title="Speed", columns=header, rows=speeds)] if speeds else [])]


def _size(scores: Iterable[CarrierScore], half: str) -> str:
    return str(sum(each.total for each in scores if each.half == half))
